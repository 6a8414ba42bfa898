//! Drawings of mechanisms in space.
//!
//! A body is drawn by the surfaces of its contacts, and by bars from its centre to its joints and to the ends of springs. A body
//! on a translational joint is a block.

use super::flexible::flexible_lines;
use super::{Drawing, Drawn, Figure, Kind, LinkKind, Pose, Touching, hull};
use crate::beam::Outline;
use crate::connection::Connection;
use crate::contact::{Placed, PlacedSurface};
use crate::kinematics::{COORDINATES, Kinematics};
use crate::marker::Marker;
use crate::{JointKind, MultibodySystem, Shape};
use liedae::system::State;
use nalgebra::Vector3;

/// Half of what is shown of a floor or a wall, in sizes of the mechanism, where it moves; half of an axis; half the sides of a block.
const FACE: f64 = 0.3;
const AXIS: f64 = 0.04;
const BLOCK: f64 = 0.04;

/// How thick what slides in another body is, such as a piston, beside a block on a guide of the ground.
const SLIM: f64 = 0.3;

impl Drawn for MultibodySystem {
    fn drawing(&self) -> Drawing {
        let names = self.bodies.iter().map(|body| body.name.clone());
        let lines = self.lines();
        let nodes = lines.iter().flat_map(|line| line.names());
        let (bodies, places) = (self.bodies.len(), lines.clone());
        let drawing = Drawing::space(names.chain(nodes), move |state, poses| {
            let (bodies, nodes) = poses.split_at_mut(bodies);
            for (pose, q) in bodies.iter_mut().zip(state.q.chunks_exact(COORDINATES)) {
                pose.position.copy_from_slice(&q[..3]);
                pose.rotation.copy_from_slice(&q[3..]);
            }
            let places = places.iter().flat_map(|line| line.places(state));
            for (pose, place) in nodes.iter_mut().zip(places) {
                pose.position = place;
            }
        });
        let drawing = drawing.with_up(-self.gravity);
        let size = self.size();
        let drawing = self.surfaces(drawing, size);
        let drawing = self.beams(drawing);
        let drawing = flexible_lines(drawing, &lines, self.bodies.len());
        let drawing = self.bars(drawing, size);
        let drawing = self.joints_of(drawing, size);
        let contacts = self.contacts.clone();
        drawing.with_touches(move |state| touches(&contacts, state))
    }
}

/// The points of a joint that are fixed to its bodies: not that of a guide, which slides.
fn holds(joint: &Connection) -> [bool; 2] {
    match joint.kind {
        JointKind::Fixed | JointKind::Spherical | JointKind::Revolute | JointKind::Universal => {
            [true, true]
        }
        JointKind::Distance(_) => [true, true],
        // What slides along an axis is not held by a point of it.
        _ => [false, false],
    }
}

impl MultibodySystem {
    fn initial_pose(&self, body: Option<usize>) -> Kinematics {
        Kinematics::read(body, &self.initial.q, &[])
    }

    /// The ends of springs.
    fn springs(&self) -> impl Iterator<Item = [(Option<usize>, Vector3<f64>); 2]> {
        self.forces.iter().filter_map(|(force, _)| {
            let [from, to] = force.law.ends()?;
            Some([(force.bodies[0], from), (force.bodies[1], to)])
        })
    }

    /// All points of bodies that are held: by joints and springs.
    fn held(&self) -> Vec<(Option<usize>, Vector3<f64>)> {
        let joints = self.connections.iter().flat_map(|joint| {
            let sides = (0..2).filter(|&side| holds(joint)[side]);
            let points = sides.map(|side| (joint.bodies[side], joint.markers[side].point));
            points.collect::<Vec<_>>()
        });
        let springs = self.springs().flatten();
        joints.chain(springs).collect()
    }

    /// The largest extent of points at the start; 1 where there are no two.
    fn size(&self) -> f64 {
        let held = self.held().into_iter();
        let held = held.map(|(body, point)| self.initial_pose(body).point(&point));
        let centres = (0..self.bodies.len()).map(|body| self.initial_pose(Some(body)).position);
        let surfaces = self.contacts.surfaces();
        let shapes = surfaces.filter(|surface| surface.body.is_some());
        let shapes = shapes.flat_map(|surface| {
            let figures = figures(&surface.shape, &surface.marker, 0.0);
            let points = figures.iter().flat_map(Figure::outline).collect::<Vec<_>>();
            let pose = self.initial_pose(surface.body);
            let points = points
                .into_iter()
                .map(move |point| pose.point(&point.into()));
            points.collect::<Vec<_>>()
        });
        let (mut low, mut high) = (
            Vector3::repeat(f64::INFINITY),
            Vector3::repeat(f64::NEG_INFINITY),
        );
        for point in held.chain(centres).chain(shapes) {
            (low, high) = (low.inf(&point), high.sup(&point));
        }
        let size = (high - low).norm();
        if size > 0.0 && size.is_finite() {
            size
        } else {
            1.0
        }
    }

    fn surfaces(&self, mut drawing: Drawing, size: f64) -> Drawing {
        for surface in self.contacts.surfaces() {
            let PlacedSurface {
                body,
                marker,
                shape,
            } = surface;
            let kind = match shape {
                Shape::HalfSpace | Shape::Slot(_) | Shape::Bore(_) | Shape::HollowSphere(_) => {
                    Kind::Surface
                }
                _ => Kind::Body,
            };
            let half_length = body.map(|_| FACE * size);
            for mut figure in figures(shape, marker, size) {
                if let Figure::Edge {
                    half_length: own, ..
                } = &mut figure
                {
                    *own = half_length;
                }
                drawing.add(*body, kind, figure);
            }
        }
        drawing
    }

    /// Bars from centres to what holds a body, and blocks of what is guided.
    fn bars(&self, mut drawing: Drawing, size: f64) -> Drawing {
        // By bodies, in one go through joints, springs and surfaces.
        let count = self.bodies.len();
        let mut points: Vec<Vec<[f64; 3]>> = vec![Vec::new(); count];
        let mut shaped = vec![false; count];
        let mut guided: Vec<Option<&Connection>> = vec![None; count];
        for (body, point) in self.held() {
            if let Some(points) = body.and_then(|body| points.get_mut(body))
                && point.norm() > 1e-9 * size
            {
                points.push(point.into());
            }
        }
        let beams = self.beams.iter().flat_map(|segment| segment.bodies);
        let surfaces = self.contacts.surfaces().map(|surface| surface.body);
        for body in surfaces.chain(beams) {
            if let Some(shaped) = body.and_then(|body| shaped.get_mut(body)) {
                *shaped = true;
            }
        }
        for joint in &self.connections {
            let slot = joint.bodies[1].and_then(|body| guided.get_mut(body));
            if let (Some(slot), JointKind::Translational) = (slot, &joint.kind) {
                slot.get_or_insert(joint);
            }
        }
        let bodies = points.into_iter().zip(shaped).zip(guided);
        for (body, ((points, shaped), guided)) in bodies.enumerate() {
            let frame = Some(body);
            for &point in &points {
                drawing.add(frame, Kind::Body, Figure::Line(vec![[0.0; 3], point]));
            }
            if let Some(joint) = guided.filter(|_| !shaped) {
                // Twice as long along the guide; in the axes of the joint.
                let marker = Marker {
                    point: Vector3::zeros(),
                    ..joint.markers[1]
                };
                let slides_in_body = joint.bodies[0].is_some();
                let side = if slides_in_body { SLIM } else { 1.0 } * BLOCK * size;
                let half = [side, side, 2.0 * BLOCK * size];
                let block = placed(hull::cuboid([0.0; 3], half), &marker);
                drawing.add(frame, Kind::Body, block);
            } else if !shaped && points.is_empty() {
                drawing.add(frame, Kind::Body, Figure::Dot([0.0; 3]));
            }
        }
        for [from, to] in self.springs() {
            drawing = drawing.spring(from, to);
        }
        drawing
    }

    /// Half of every element on each of its nodes.
    fn beams(&self, mut drawing: Drawing) -> Drawing {
        for segment in &self.beams {
            let half = 0.5 * segment.element.length;
            for (body, direction) in segment.bodies.iter().zip([half, -half]) {
                let (from, to) = ([0.0; 3], [direction, 0.0, 0.0]);
                let middle = [0.5 * direction, 0.0, 0.0];
                let figure = match segment.outline {
                    Some(Outline::Rectangle([y, z])) => hull::cuboid(middle, [0.5 * half, y, z]),
                    Some(Outline::Round(radius)) => hull::cylinder([from, to], radius),
                    None => Figure::Line(vec![from, to]),
                };
                drawing.add(*body, Kind::Body, figure);
            }
        }
        drawing
    }

    fn joints_of(&self, mut drawing: Drawing, size: f64) -> Drawing {
        for joint in &self.connections {
            let [first, second] = &joint.markers;
            // A joint with the ground is marked there.
            let side = usize::from(joint.bodies[0].is_some() && joint.bodies[1].is_none());
            let (frame, marker) = (joint.bodies[side], &joint.markers[side]);
            let point: [f64; 3] = marker.point.into();
            let along: Vector3<f64> = marker.axes.column(2).into_owned();
            match &joint.kind {
                JointKind::Revolute => {
                    let ends = [-1.0, 1.0]
                        .map(|sign| (marker.point + along * (sign * AXIS * size)).into());
                    drawing.add(frame, Kind::Joint, Figure::Line(ends.into()));
                }
                JointKind::Fixed | JointKind::Spherical | JointKind::Universal => {
                    drawing.add(frame, Kind::Joint, Figure::Dot(point));
                }
                JointKind::Cylindrical
                | JointKind::Translational
                | JointKind::RevoluteCylindrical => {
                    let direction: Vector3<f64> = first.axes.column(2).into_owned();
                    let guide = Figure::Guide {
                        point: first.point.into(),
                        direction: direction.into(),
                        half_length: joint.bodies[0].map(|_| FACE * size),
                    };
                    drawing.add(joint.bodies[0], Kind::Guide, guide);
                }
                JointKind::Distance(_) => {
                    let [one, two] = joint.bodies;
                    drawing = drawing.link(LinkKind::Rod, (one, first.point), (two, second.point));
                }
                _ => {}
            }
        }
        drawing
    }
}

/// A solid moved from the frame of a marker into that of its body.
fn placed(figure: Figure, marker: &Marker) -> Figure {
    let moved = |point: [f64; 3]| -> [f64; 3] {
        (marker.point + marker.axes * Vector3::from(point)).into()
    };
    match figure {
        Figure::Solid { points, faces } => Figure::Solid {
            points: points.into_iter().map(moved).collect(),
            faces,
        },
        Figure::Line(points) => Figure::Line(points.into_iter().map(moved).collect()),
        Figure::Polygon(points) => Figure::Polygon(points.into_iter().map(moved).collect()),
        other => other,
    }
}

/// What a shape looks like, in the frame of its body; `size` is that of the mechanism, for what has no ends.
fn figures(shape: &Shape, marker: &Marker, size: f64) -> Vec<Figure> {
    let centre: [f64; 3] = marker.point.into();
    let along: Vector3<f64> = marker.axes.column(2).into_owned();
    let end = |length: f64| -> [f64; 3] { (marker.point + along * length).into() };
    let face = |point: Vector3<f64>, normal: Vector3<f64>| Figure::Edge {
        point: point.into(),
        normal: normal.into(),
        half_length: None,
    };
    match shape {
        Shape::HalfSpace => vec![face(marker.point, along)],
        Shape::Point => vec![Figure::Dot(centre)],
        Shape::Points(points) => vec![placed(hull::solid(points), marker)],
        Shape::Sphere(radius) => vec![Figure::Disc {
            centre,
            radius: *radius,
        }],
        Shape::HollowSphere(radius) => vec![Figure::Ring {
            centre,
            radius: *radius,
        }],
        Shape::Capsule {
            radius,
            half_length,
        } => vec![Figure::Capsule {
            ends: [end(-half_length), end(*half_length)],
            radius: *radius,
        }],
        Shape::Cylinder {
            radius,
            half_length,
        } => vec![hull::cylinder(
            [end(-half_length), end(*half_length)],
            *radius,
        )],
        Shape::Cuboid(half) => vec![placed(hull::cuboid([0.0; 3], *half), marker)],
        #[cfg(feature = "convex")]
        Shape::Polyhedron(points) => vec![placed(hull::solid(points), marker)],
        Shape::Bore(radius) => [-1.0, 0.0, 1.0]
            .map(|side| hull::circle(end(side * FACE * size), along, *radius))
            .into(),
        Shape::Slot(width) => {
            let across: Vector3<f64> = marker.axes.column(1).into_owned();
            [1.0, -1.0]
                .map(|side| face(marker.point + across * (0.5 * side * width), across * -side))
                .into()
        }
    }
}

/// Where contact forces act.
fn touches(contacts: &Placed, state: &State) -> Vec<Touching> {
    let places = contacts.laws.iter().zip(&contacts.places);
    let touches = places.map(|(law, place)| {
        let touch = place.touch(&MultibodySystem::pair(&place.bodies, &state.point()));
        Touching {
            label: law.label.clone(),
            point: touch.points[1].into(),
            normal: touch.normal.into(),
            tangent: touch.tangents[0].into(),
        }
    });
    touches.collect()
}

impl MultibodySystem {
    /// Its drawing with frames placed by states in other coordinates.
    pub(crate) fn drawing_by(
        &self,
        place: impl Fn(&State, &mut [Pose]) + Send + Sync + 'static,
    ) -> Drawing {
        self.drawing().placed_by(place)
    }
}
