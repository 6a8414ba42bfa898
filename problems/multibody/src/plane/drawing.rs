//! Drawings of plane mechanisms.
//!
//! A body is drawn by the shapes of its contacts and by the hull of its centre, its joints and the points by which it touches or
//! is pulled: a bar if these lie on a line. A body that slides without turning is a block.

use super::geometry::PlaneBody;
use super::{PlaneForce, PlaneJoint, PlaneMechanism, PlanePair, PlanePoint};
use crate::drawing::{Drawing, Drawn, Figure, Kind, LinkKind, Pose, Touching, hull};
use liedae::scalar::{Dual, Scalar};
use liedae::system::State;
use nalgebra::Vector2;

/// Half length and half height of a block that stands for what slides, in sizes of the mechanism.
const BLOCK: [f64; 2] = [0.05, 0.03];

/// Half of what is shown of an edge or a guide that moves, in sizes of the mechanism.
const MOVING: f64 = 0.08;

/// The collected shapes of the bodies.
struct Collected<'a, C> {
    mechanism: &'a PlaneMechanism<C>,
    /// Points of every body that others hold or touch.
    points: Vec<Vec<[f64; 2]>>,
    /// Whether a body has a shape of its own.
    shaped: Vec<bool>,
    size: f64,
}

impl<C: PlanePair + Clone + Send + Sync + 'static> Drawn for PlaneMechanism<C> {
    fn drawing(&self) -> Drawing {
        let names = self.bodies.iter().map(|body| body.name.clone());
        let drawing = Drawing::plane(names, |state, poses| {
            for (pose, q) in poses.iter_mut().zip(state.q.chunks_exact(3)) {
                *pose = Pose::plane([q[0], q[1]], q[2]);
            }
        });
        let [x, y] = self.gravity;
        let drawing = drawing.with_up([-x, -y]);
        let mut collected = Collected::new(self);
        let drawing = collected.surfaces(drawing);
        let drawing = collected.bodies(drawing);
        let drawing = collected.joints(drawing);
        let mechanism = self.clone();
        drawing.with_touches(move |state| touches(&mechanism, state))
    }
}

impl<'a, C: PlanePair> Collected<'a, C> {
    fn new(mechanism: &'a PlaneMechanism<C>) -> Self {
        let count = mechanism.bodies.len();
        let mut collected = Self {
            mechanism,
            points: vec![Vec::new(); count],
            shaped: vec![false; count],
            size: 1.0,
        };
        let mut fixed = Vec::new();
        let joints = mechanism.joints.iter().flat_map(|joint| match *joint {
            PlaneJoint::Revolute(first, second) => vec![first, second],
            PlaneJoint::PointOnLine(first, second, _) if first.0.is_none() => vec![second],
            PlaneJoint::PointOnLine(first, ..)
            | PlaneJoint::PointDrive(first, ..)
            | PlaneJoint::SlideDrive(first, ..) => vec![first],
            _ => Vec::new(),
        });
        let forces = mechanism.forces.iter().flat_map(|force| match *force {
            PlaneForce::Spring { points, .. } | PlaneForce::Cartesian { points, .. } => {
                points.to_vec()
            }
            PlaneForce::Constant(point, _) => vec![point],
            _ => Vec::new(),
        });
        let ropes = mechanism.contacts.iter().flat_map(|contact| {
            let ends = contact.pair.link().map(|(_, ends)| ends);
            let sides = ends.into_iter().flatten().zip(contact.bodies);
            sides.map(|(point, body)| (body, point)).collect::<Vec<_>>()
        });
        let points: Vec<PlanePoint> = joints.chain(forces).chain(ropes).collect();
        for (body, point) in points {
            match body {
                Some(body) => collected.hold(body, point),
                None => fixed.push(point),
            }
        }
        for contact in &mechanism.contacts {
            for (side, figures) in contact.pair.figures().into_iter().enumerate() {
                let Some(body) = contact.bodies[side] else {
                    continue;
                };
                for figure in figures {
                    match figure {
                        Figure::Dot([x, y, _]) => collected.hold(body, [x, y]),
                        // Connected with the rest of its body.
                        Figure::Disc { centre, .. } | Figure::Ring { centre, .. } => {
                            collected.hold(body, [centre[0], centre[1]])
                        }
                        Figure::Edge { .. } => {}
                        _ => collected.shaped[body] = true,
                    }
                }
            }
        }
        collected.size = collected.extent(&fixed);
        collected
    }

    fn hold(&mut self, body: usize, point: [f64; 2]) {
        if let Some(points) = self.points.get_mut(body)
            && !points.contains(&point)
        {
            points.push(point);
        }
    }

    /// The largest distance between points at the start; 1 where there are no two.
    fn extent(&self, fixed: &[[f64; 2]]) -> f64 {
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        let moving = self.mechanism.bodies.iter().zip(&self.points);
        let moving = moving.flat_map(|(body, points)| {
            let [x, y, angle] = body.position;
            let pose = Pose::plane([x, y], angle);
            let points = points.iter().map(move |point| pose.point(*point));
            points.chain([[x, y, 0.0]])
        });
        for point in moving.chain(fixed.iter().map(|[x, y]| [*x, *y, 0.0])) {
            for axis in 0..2 {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        }
        let size = (high[0] - low[0]).hypot(high[1] - low[1]);
        if size > 0.0 && size.is_finite() {
            size
        } else {
            1.0
        }
    }

    /// Shapes of contacts, behind the bodies.
    fn surfaces(&self, mut drawing: Drawing) -> Drawing {
        for contact in &self.mechanism.contacts {
            for (side, figures) in contact.pair.figures().into_iter().enumerate() {
                let frame = contact.bodies[side];
                for figure in figures {
                    let (kind, figure) = match figure {
                        Figure::Edge { point, normal, .. } => {
                            let half_length = frame.map(|_| MOVING * self.size);
                            let figure = Figure::Edge {
                                point,
                                normal,
                                half_length,
                            };
                            (Kind::Surface, figure)
                        }
                        Figure::Dot(_) if frame.is_some() => continue,
                        other => (Kind::Body, other),
                    };
                    drawing.add(frame, kind, figure);
                }
            }
            if let Some((kind, [from, to])) = contact.pair.link() {
                let [first, second] = contact.bodies;
                drawing = drawing.link(kind, (first, from), (second, to));
                for (frame, point) in [(first, from), (second, to)] {
                    if frame.is_none() {
                        drawing = drawing.joint(frame, point);
                    }
                }
            }
        }
        drawing
    }

    /// The direction along which a body slides without turning against the ground.
    fn slides(&self, body: usize) -> Option<[f64; 2]> {
        let joints = &self.mechanism.joints;
        let turns = !joints.iter().any(|joint| match *joint {
            PlaneJoint::Angle(first, second, _) => [first, second].contains(&Some(body)),
            _ => false,
        });
        let along = joints.iter().find_map(|joint| match *joint {
            PlaneJoint::PointOnLine((Some(first), _), (_, _), along) if first == body => {
                Some(along)
            }
            _ => None,
        });
        along.filter(|_| !turns)
    }

    /// Bodies by their points.
    fn bodies(&mut self, mut drawing: Drawing) -> Drawing {
        for body in 0..self.points.len() {
            let mut points = self.points[body].clone();
            let centre = [0.0, 0.0];
            if !points.contains(&centre) {
                points.push(centre);
            }
            let plate = hull::plate(&points);
            let figure = match plate.as_slice() {
                [[x, y]] => {
                    if let Some(along) = self.slides(body) {
                        let [x, y] = BLOCK.map(|half| half * self.size);
                        let angle = self.mechanism.bodies[body].position[2];
                        let turn = Pose::plane([0.0, 0.0], along[1].atan2(along[0]) - angle);
                        let corners = [[-x, -y], [x, -y], [x, y], [-x, y]];
                        Figure::Polygon(corners.map(|corner| turn.point(corner)).into())
                    } else if self.shaped[body] || self.has_disc(body) {
                        continue;
                    } else {
                        Figure::Dot([*x, *y, 0.0])
                    }
                }
                [from, to] => Figure::Line(vec![[from[0], from[1], 0.0], [to[0], to[1], 0.0]]),
                corners => Figure::Polygon(corners.iter().map(|[x, y]| [*x, *y, 0.0]).collect()),
            };
            drawing.add(Some(body), Kind::Body, figure);
        }
        drawing
    }

    fn has_disc(&self, body: usize) -> bool {
        let mut contacts = self.mechanism.contacts.iter();
        contacts.any(|contact| {
            let figures = contact.pair.figures();
            let own = (0..2).filter(|&side| contact.bodies[side] == Some(body));
            own.into_iter().any(|side| {
                let mut figures = figures[side].iter();
                figures.any(|figure| matches!(figure, Figure::Disc { .. }))
            })
        })
    }

    /// Joints, guides and springs, in front of the bodies.
    fn joints(&self, mut drawing: Drawing) -> Drawing {
        let at = |[x, y]: [f64; 2]| [x, y, 0.0];
        for joint in &self.mechanism.joints {
            match *joint {
                PlaneJoint::Revolute(first, second) => {
                    // A joint with the ground is marked there.
                    let (frame, point) = if second.0.is_none() { second } else { first };
                    drawing.add(frame, Kind::Joint, Figure::Dot(at(point)));
                }
                PlaneJoint::PointOnLine(_, (frame, point), along) => {
                    let figure = Figure::Guide {
                        point: at(point),
                        direction: at(along),
                        half_length: frame.map(|_| 2.0 * MOVING * self.size),
                    };
                    drawing.add(frame, Kind::Guide, figure);
                }
                _ => {}
            }
        }
        for force in &self.mechanism.forces {
            if let PlaneForce::Spring { points, .. } | PlaneForce::Cartesian { points, .. } = *force
            {
                drawing = drawing.link(LinkKind::Spring, points[0], points[1]);
            }
        }
        drawing
    }
}

/// Where contact forces act: along the gradient of the gap by the position of the second body.
fn touches<C: PlanePair>(mechanism: &PlaneMechanism<C>, state: &State) -> Vec<Touching> {
    let mut found = Vec::with_capacity(mechanism.contacts.len());
    for contact in &mechanism.contacts {
        if contact.pair.is_angular() {
            continue;
        }
        let bodies = PlaneBody::pair(contact.bodies, &state.q, &[]);
        let moved = if contact.bodies[1].is_some() { 1 } else { 0 };
        let displaced = [0, 1].map(|side| displaced(&bodies[side], side == moved));
        let gap = contact.pair.gap(Dual::constant(state.t), &displaced);
        let sign = if moved == 1 { 1.0 } else { -1.0 };
        let [x, y, turn] = gap.gradient.map(|part| sign * part);
        let normal = Vector2::new(x, y);
        let Some(unit) = normal.try_normalize(0.0) else {
            continue;
        };
        // If the contact states no point, the point of the line of action nearest to the body's centre is used: r × n is the
        // gradient by the angle.
        let foot = Vector2::new(unit.y, -unit.x) * (turn / normal.norm());
        let point = contact.pair.contact_point(&bodies);
        let point = point.unwrap_or(bodies[moved].position + foot);
        found.push(Touching {
            label: contact.law.label.clone(),
            point: [point.x, point.y, 0.0],
            normal: [normal.x, normal.y, 0.0],
            tangent: [unit.y, -unit.x, 0.0],
        });
    }
    found
}

/// A body with derivatives by its x, y, θ, or without.
fn displaced(body: &PlaneBody, moves: bool) -> PlaneBody<Dual<3>> {
    let number = |value: f64, parameter: usize| {
        let parameter = if moves { parameter } else { usize::MAX };
        Dual::variable(value, parameter)
    };
    let zero = Dual::constant(0.0);
    PlaneBody::new(
        [number(body.position.x, 0), number(body.position.y, 1)],
        number(body.angle, 2),
        [zero; 2],
        zero,
    )
}
