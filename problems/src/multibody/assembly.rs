//! From the user's statement to the assembled mechanism, with all checks.

use super::body::BodyId;
use super::builder::MultibodyBuilder;
use super::connection::Connection;
use super::error::AssemblyError;
use super::force::Force;
use super::friction::{NormalForce, Slide};
use super::joint::{Joint, JointId, JointKind};
use super::kinematics::{COORDINATES, Kinematics, VELOCITIES};
use super::layout::{PairPlaces, Structure};
use super::marker::unit;
use super::mechanism::{Inertial, MultibodySystem, SlidePlaces};
use super::snapshot::{Probe, Snapshot};
use super::spring::SpringLaw;
use super::torsion::Torsion;
use liedae::linalg::Pattern;
use liedae::system::{Direction, EventDescription, Layout, State};
use std::collections::HashSet;

/// Relative tolerance of the joints at assembly.
const ASSEMBLY_TOLERANCE: f64 = 1e-8;

fn unique<'a>(
    kind: &'static str,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), AssemblyError> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(AssemblyError::DuplicateName {
                kind,
                name: name.to_owned(),
            });
        }
    }
    Ok(())
}

fn number(element: &str, what: &'static str, value: f64, fits: bool) -> Result<(), AssemblyError> {
    if value.is_finite() && fits {
        Ok(())
    } else {
        Err(AssemblyError::Coefficient {
            element: element.to_owned(),
            what,
            value,
        })
    }
}

/// Checks everything and lays the mechanism out.
pub(crate) fn assemble(builder: MultibodyBuilder) -> Result<MultibodySystem, AssemblyError> {
    if builder.bodies.is_empty() {
        return Err(AssemblyError::NoBodies);
    }
    for body in &builder.bodies {
        body.check()?;
    }
    unique("body", builder.bodies.iter().map(|body| body.name.as_str()))?;
    unique(
        "joint",
        builder.joints.iter().map(|joint| joint.name.as_str()),
    )?;
    unique(
        "probe",
        builder.probes.iter().map(|(name, _)| name.as_str()),
    )?;
    let forces = builder.forces.iter().map(|force| force.name.as_str());
    let springs = builder.springs.iter().map(|spring| spring.name.as_str());
    let torsions = builder.torsions.iter().map(|spring| spring.name.as_str());
    let frictions = builder
        .frictions
        .iter()
        .map(|friction| friction.name.as_str());
    unique(
        "force",
        forces.chain(springs).chain(torsions).chain(frictions),
    )?;
    if let Some(error) = builder.rejected.first() {
        return Err(error.clone());
    }
    if !builder
        .gravity
        .iter()
        .chain([&builder.start])
        .all(|number| number.is_finite())
    {
        return Err(AssemblyError::NotFinite {
            what: "gravity or the start time".to_owned(),
        });
    }
    let assembly = Assembly { builder: &builder };
    let connections = assembly.connections()?;
    assembly.finish_layout(connections)?.fill(builder)
}

/// The stage at which positions of bodies are known and joints are being resolved.
struct Assembly<'a> {
    builder: &'a MultibodyBuilder,
}

/// Resolved joints in the order of their rows.
struct Joints {
    connections: Vec<Connection>,
    order: Vec<usize>,
}

/// Everything resolved but the places in the matrices.
struct LaidOut {
    joints: Joints,
    layout: Layout,
}

fn pose(
    builder: &MultibodyBuilder,
    body: BodyId,
    element: &str,
) -> Result<Kinematics, AssemblyError> {
    let Some(index) = body.0 else {
        return Ok(Kinematics::ground());
    };
    match builder.bodies.get(index) {
        Some(body) => Ok(Kinematics {
            position: body.position,
            rotation: body.rotation,
            velocity: body.velocity,
            omega: body.omega,
        }),
        None => Err(AssemblyError::UnknownBody {
            element: element.to_owned(),
            body: index,
            bodies: builder.bodies.len(),
        }),
    }
}

impl Assembly<'_> {
    fn connections(&self) -> Result<Joints, AssemblyError> {
        let mut resolved = Vec::with_capacity(self.builder.joints.len());
        for (index, joint) in self.builder.joints.iter().enumerate() {
            resolved.push((index, self.resolve(joint)?));
        }
        // Rows in the order of the bodies that they hold last, so that those of a chain follow its links.
        resolved.sort_by_key(|(_, connection)| {
            let [one, two] = connection
                .bodies
                .map(|body| body.map_or(0, |body| body + 1));
            (one.max(two), one.min(two))
        });
        let mut order = vec![0; resolved.len()];
        let mut connections = Vec::with_capacity(resolved.len());
        let mut first_row = 0;
        for (place, (index, mut connection)) in resolved.into_iter().enumerate() {
            order[index] = place;
            connection.first_row = first_row;
            first_row += connection.rows.len();
            connections.push(connection);
        }
        Ok(Joints { connections, order })
    }

    fn resolve(&self, joint: &Joint) -> Result<Connection, AssemblyError> {
        let name = joint.name.as_str();
        let poses = [
            pose(self.builder, joint.first, name)?,
            pose(self.builder, joint.second, name)?,
        ];
        if joint.first == joint.second {
            return Err(AssemblyError::SameBody {
                joint: joint.name.clone(),
            });
        }
        let markers = [
            joint.frames[0].resolve(name, &poses[0])?,
            joint.frames[1].resolve(name, &poses[1])?,
        ];
        let mut kind = joint.kind.clone();
        match &mut kind {
            JointKind::Universal | JointKind::RevoluteCylindrical => {
                let axes = [0, 1].map(|side| joint.frames[side].world_axis(&poses[side]));
                if axes[0].cross(&axes[1]).norm() < 1e-3 {
                    return Err(AssemblyError::ParallelAxes {
                        joint: joint.name.clone(),
                    });
                }
            }
            JointKind::Coordinate(direction, _) => *direction = unit(name, direction)?,
            _ => {}
        }
        let [one, two] = [0, 1].map(|side| poses[side].point(&markers[side].point));
        let length = (two - one).norm();
        if matches!(kind, JointKind::Distance(_)) && length == 0.0 {
            return Err(AssemblyError::ZeroDistance {
                joint: joint.name.clone(),
            });
        }
        let rows = kind.rows(length);
        if !rows
            .iter()
            .all(|row| row.motion.is_finite(self.builder.start))
        {
            return Err(AssemblyError::NotFinite {
                what: format!("the motion of '{name}' at the start"),
            });
        }
        let bodies = [joint.first.0, joint.second.0];
        Ok(Connection::new(
            joint.name.clone(),
            kind,
            bodies,
            markers,
            rows,
        ))
    }

    fn finish_layout(&self, joints: Joints) -> Result<LaidOut, AssemblyError> {
        let builder = self.builder;
        let mut forces = Vec::new();
        for (name, bodies) in builder
            .forces
            .iter()
            .map(|force| (&force.name, force.bodies))
            .chain(
                builder
                    .springs
                    .iter()
                    .map(|spring| (&spring.name, spring.bodies)),
            )
        {
            for body in bodies {
                pose(builder, body, name)?;
            }
            if bodies[0] == bodies[1] {
                return Err(AssemblyError::SameBody {
                    joint: name.clone(),
                });
            }
            forces.push(bodies.map(|body| body.0));
        }
        let mut counters = Vec::new();
        for spring in &builder.torsions {
            let joint = joints.find(spring.joint, &spring.name)?;
            if !joint.kind.turns() {
                return Err(AssemblyError::JointKind {
                    element: spring.name.clone(),
                    joint: joint.name.clone(),
                    reason: "a rotational spring needs a revolute or cylindrical joint",
                });
            }
            forces.push(joint.bodies);
            if spring.counts_turns {
                counters.push(joint.bodies);
            }
        }
        let mut frictions = Vec::new();
        for friction in &builder.frictions {
            let joint = joints.find(friction.joint, &friction.name)?;
            if !joint.kind.slides() {
                return Err(AssemblyError::JointKind {
                    element: friction.name.clone(),
                    joint: joint.name.clone(),
                    reason: "friction needs a translational, cylindrical or revolute-cylindrical joint",
                });
            }
            frictions.push(joint.bodies);
        }
        let rows: Vec<_> = joints
            .connections
            .iter()
            .map(|joint| (joint.bodies, joint.rows.len()))
            .collect();
        let structure = Structure {
            bodies: builder.bodies.len(),
            joints: &rows,
            forces: &forces,
            counters: &counters,
            frictions: &frictions,
        };
        Ok(LaidOut {
            layout: structure.layout()?,
            joints,
        })
    }
}

impl Joints {
    fn find(&self, joint: JointId, element: &str) -> Result<&Connection, AssemblyError> {
        self.order
            .get(joint.0)
            .and_then(|&place| self.connections.get(place))
            .ok_or_else(|| AssemblyError::UnknownJoint {
                element: element.to_owned(),
                joint: joint.0,
                joints: self.order.len(),
            })
    }
}

/// The position of an entry that the layout was made to have.
fn place(pattern: &Pattern, row: usize, column: usize) -> Result<usize, AssemblyError> {
    let missing = || AssemblyError::Layout(format!("entry ({row}, {column}) is missing"));
    pattern.position(row, column).ok_or_else(missing)
}

impl LaidOut {
    fn fill(self, builder: MultibodyBuilder) -> Result<MultibodySystem, AssemblyError> {
        let Self { joints, layout } = self;
        let mut initial = layout.state();
        initial.t = builder.start;
        let mut bodies = Vec::with_capacity(builder.bodies.len());
        for (index, body) in builder.bodies.iter().enumerate() {
            load(&mut initial, index, body);
            let first = VELOCITIES * index;
            let entries = |pattern: &Pattern, offset: usize, column: fn(usize, usize) -> usize| {
                let at = |axis: usize| place(pattern, first + offset + axis, column(first, axis));
                Ok::<_, AssemblyError>([at(0)?, at(1)?, at(2)?])
            };
            bodies.push(Inertial {
                name: body.name.clone(),
                mass: body.mass,
                inertia: body.inertia,
                mass_at: entries(&layout.mass, 0, |first, axis| first + axis)?,
                inertia_at: entries(&layout.mass, 3, |first, _| first + 3)?,
                gyroscopic_at: entries(&layout.rates, 3, |first, _| first + 3)?,
            });
        }

        let mut forces = Vec::new();
        for spring in builder.springs.iter() {
            for (what, value, fits) in [
                ("the stiffness", spring.stiffness, true),
                ("the damping", spring.damping, true),
                (
                    "the free length",
                    spring.free_length,
                    spring.free_length >= 0.0,
                ),
            ] {
                number(&spring.name, what, value, fits)?;
            }
        }
        let mut laws: Vec<Force> = Vec::new();
        let mut springs = Vec::new();
        for spring in builder.springs {
            let mut points = [nalgebra::Vector3::zeros(); 2];
            for ((point, frame), body) in points.iter_mut().zip(&spring.points).zip(spring.bodies) {
                let standing = Kinematics::read(body.0, &initial.q, &[]);
                *point = frame.resolve(&spring.name, &standing)?.point;
            }
            let law = SpringLaw {
                points,
                stiffness: spring.stiffness,
                damping: spring.damping,
                free_length: spring.free_length,
                actuator: spring.actuator,
            };
            springs.push(Force {
                bodies: spring.bodies.map(|body| body.0),
                law: Box::new(law),
            });
        }
        laws.extend(builder.forces.into_iter().map(|force| Force {
            bodies: force.bodies.map(|body| body.0),
            law: force.law,
        }));
        laws.extend(springs);
        for law in laws {
            let places = PairPlaces::new(&layout.rates, &law.bodies);
            forces.push((law, places));
        }

        let dimension = layout.dimension();
        let mut torsions = Vec::new();
        for spring in builder.torsions {
            for (what, value) in [
                ("the stiffness", spring.stiffness),
                ("the damping", spring.damping),
                ("the free angle", spring.free_angle),
            ] {
                number(&spring.name, what, value, true)?;
            }
            let joint = joints.find(spring.joint, &spring.name)?;
            let count = torsions
                .iter()
                .filter(|(torsion, ..): &&(Torsion, _, _)| torsion.counter.is_some())
                .count();
            let torsion = Torsion {
                bodies: joint.bodies,
                markers: joint.markers,
                stiffness: spring.stiffness,
                damping: spring.damping,
                free_angle: spring.free_angle,
                actuator: spring.actuator,
                counter: spring.counts_turns.then_some(count),
            };
            let mut columns = [None; 2];
            if let Some(counter) = torsion.counter {
                for (column, body) in columns.iter_mut().zip(joint.bodies) {
                    *column = body.and_then(|body| {
                        layout
                            .rates
                            .position(dimension + counter, VELOCITIES * body)
                    });
                }
                let standing = joint
                    .bodies
                    .map(|body| Kinematics::read(body, &initial.q, &[]));
                initial.x[counter] = torsion.angle(&standing, None).0;
            }
            let places = PairPlaces::new(&layout.rates, &joint.bodies);
            torsions.push((torsion, places, columns));
        }

        let mut slides = Vec::new();
        let mut events = Vec::new();
        for (index, friction) in builder.frictions.iter().enumerate() {
            let joint = joints.find(friction.joint, &friction.name)?;
            let mu = friction.coefficient;
            number(&friction.name, "the friction coefficient", mu, mu >= 0.0)?;
            let mut normal = friction.normal;
            if let NormalForce::Component([x, y]) = &mut normal {
                let direction = unit(&friction.name, &nalgebra::Vector3::new(*x, *y, 0.0))?;
                (*x, *y) = (direction.x, direction.y);
            }
            let mut slide = Slide {
                bodies: joint.bodies,
                markers: joint.markers,
                coefficient: mu,
                normal,
                first_row: joint.first_row,
                initial_direction: 1,
            };
            let moving = joint
                .bodies
                .map(|body| Kinematics::read(body, &initial.q, &initial.v));
            slide.initial_direction = match friction.initial_direction {
                Some(direction) => direction.signum(),
                None if slide.velocity(&moving) < 0.0 => -1,
                None => 1,
            };
            initial.mode[index] = slide.initial_direction;
            events.push(EventDescription::new(
                "reversal",
                joint.name.clone(),
                Direction::Both,
            ));
            slides.push((slide, slide_places(&layout, joint.bodies, index)?));
        }

        let mut time_events = builder.time_events;
        time_events.retain(|t| t.is_finite());
        time_events.sort_by(f64::total_cmp);
        time_events.dedup();
        let (names, probes) = if builder.probes.is_empty() {
            default_probes(&bodies)
        } else {
            builder.probes.into_iter().unzip()
        };
        let Joints {
            mut connections,
            order,
        } = joints;
        for connection in &mut connections {
            connection.locate(&layout.jacobian);
        }
        Ok(MultibodySystem {
            layout,
            bodies,
            connections,
            joint_order: order,
            gravity: builder.gravity,
            forces,
            torsions,
            slides,
            initial,
            names,
            probes,
            events,
            time_events,
        })
    }
}

fn load(state: &mut State, index: usize, body: &super::body::RigidBody) {
    let (q, v) = (
        &mut state.q[COORDINATES * index..],
        &mut state.v[VELOCITIES * index..],
    );
    q[..3].copy_from_slice(body.position.as_slice());
    for row in 0..3 {
        for column in 0..3 {
            q[3 + 3 * row + column] = body.rotation[(row, column)];
        }
    }
    v[..3].copy_from_slice(body.velocity.as_slice());
    v[3..VELOCITIES].copy_from_slice(body.omega.as_slice());
}

fn slide_places(
    layout: &Layout,
    bodies: [Option<usize>; 2],
    index: usize,
) -> Result<SlidePlaces, AssemblyError> {
    let column = layout.dimension() + layout.differential + index;
    let mut by_normal = [[None; VELOCITIES]; 2];
    for (positions, body) in by_normal.iter_mut().zip(bodies) {
        let Some(body) = body else { continue };
        for (component, position) in positions.iter_mut().enumerate() {
            *position = layout.rates.position(VELOCITIES * body + component, column);
        }
    }
    Ok(SlidePlaces {
        pair: PairPlaces::new(&layout.rates, &bodies),
        by_normal,
        residual: place(&layout.rates, column, column)?,
    })
}

/// Positions, velocities and angular velocities (body frame) of all bodies.
fn default_probes(bodies: &[Inertial]) -> (Vec<String>, Vec<Probe>) {
    type Quantity = fn(&Snapshot, BodyId) -> nalgebra::Vector3<f64>;
    let quantities: [(&str, Quantity); 3] = [
        ("", |now, body| now.position(body)),
        ("v", |now, body| now.velocity(body)),
        ("w", |now, body| now.omega(body)),
    ];
    let mut names = Vec::new();
    let mut probes: Vec<Probe> = Vec::new();
    for (index, body) in bodies.iter().enumerate() {
        for (prefix, quantity) in quantities {
            for (axis, letter) in ["x", "y", "z"].into_iter().enumerate() {
                names.push(format!("{}.{prefix}{letter}", body.name));
                probes.push(Box::new(move |now| {
                    quantity(now, BodyId(Some(index)))[axis]
                }));
            }
        }
    }
    (names, probes)
}

impl MultibodySystem {
    /// Compares the initial positions and velocities with every joint.
    pub(crate) fn check_assembly(&self) -> Result<(), AssemblyError> {
        let State { t, q, v, .. } = &self.initial;
        let size = |values: &[f64]| {
            values
                .iter()
                .fold(1.0_f64, |size, value| size.max(value.abs()))
        };
        let mut rows = vec![0.0; self.layout.rows()];
        for connection in &self.connections {
            connection.residual(*t, q, &mut rows);
        }
        if let Some((joint, violation)) = self.worst(&rows, ASSEMBLY_TOLERANCE * size(q)) {
            return Err(AssemblyError::Position { joint, violation });
        }
        for connection in &self.connections {
            connection.rate(*t, q, v, &mut rows);
        }
        match self.worst(&rows, ASSEMBLY_TOLERANCE * size(v)) {
            Some((joint, violation)) => Err(AssemblyError::Velocity { joint, violation }),
            None => Ok(()),
        }
    }

    /// The joint with the largest violation, if it exceeds the tolerance; a NaN does.
    fn worst(&self, rows: &[f64], tolerance: f64) -> Option<(String, f64)> {
        let mut worst: Option<(String, f64)> = None;
        for connection in &self.connections {
            for row in &rows[connection.range()] {
                let violation = row.abs();
                let larger = worst
                    .as_ref()
                    .is_none_or(|(_, known)| violation.is_nan() || violation > *known);
                if (violation.is_nan() || violation > tolerance) && larger {
                    worst = Some((connection.name.clone(), violation));
                }
            }
        }
        worst
    }
}
