//! From the user's statement to the layout of the mechanism, with all checks.

use super::ancf::NamedAncf;
use super::body::{BodyId, RigidBody};
use super::builder::MultibodyBuilder;
use super::connection::{Connection, Joints};
use super::error::AssemblyError;
use super::joint::{Joint, JointKind};
use super::kinematics::{Kinematics, VELOCITIES};
use super::layout::{Modal, Structure};
use super::marker::unit_as_stated;
use super::modal::ROWS;
use super::row_entries::RowEntries;
use liedae::system::Layout;
use std::collections::HashSet;

pub(crate) fn unique<'a>(
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

/// Checks everything and lays the mechanism out.
pub(crate) fn lay_out(builder: &MultibodyBuilder) -> Result<LaidOut, AssemblyError> {
    if builder.bodies.is_empty() {
        // What was refused may have been all of it.
        let refused = builder.rejected.first().cloned();
        return Err(refused.unwrap_or(AssemblyError::NoBodies));
    }
    for body in &builder.bodies {
        body.check()?;
    }
    unique("body", builder.bodies.iter().map(|body| body.name.as_str()))?;
    unique("beam", builder.ancf.iter().map(|beam| beam.name.as_str()))?;
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
    let elements = builder.elements.iter().map(|part| part.name.as_str());
    let frictions = builder
        .frictions
        .iter()
        .map(|friction| friction.name.as_str());
    unique(
        "force",
        forces
            .chain(springs)
            .chain(torsions)
            .chain(elements)
            .chain(frictions)
            .chain(builder.bearings.iter().map(|bearing| bearing.name.as_str()))
            .chain(builder.state_forces.iter().map(|force| force.name.as_str())),
    )?;
    // What was refused while building is said first: later errors may follow from it.
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
            element: None,
        });
    }
    let assembly = Assembly { builder };
    let connections = assembly.connections()?;
    assembly.finish_layout(connections)
}

/// The stage at which positions of bodies are known and joints are being resolved.
struct Assembly<'a> {
    builder: &'a MultibodyBuilder,
}

/// Everything resolved but the places in the matrices.
pub(crate) struct LaidOut {
    pub joints: Joints,
    /// Which entries the rows of the joints have for each body.
    pub row_entries: RowEntries,
    pub layout: Layout,
}

pub(crate) fn pose(
    bodies: &[RigidBody],
    body: BodyId,
    element: &str,
) -> Result<Kinematics, AssemblyError> {
    let Some(index) = body.0 else {
        return Ok(Kinematics::ground());
    };
    match bodies.get(index) {
        Some(body) => Ok(body.kinematics()),
        None => Err(AssemblyError::UnknownBody {
            element: element.to_owned(),
            body: index,
            bodies: bodies.len(),
        }),
    }
}

impl Assembly<'_> {
    fn connections(&self) -> Result<Joints, AssemblyError> {
        // Frames in body coordinates, from the poses in which the bodies are stated.
        let mut resolved = Vec::with_capacity(self.builder.joints.len());
        for (index, joint) in self.builder.joints.iter().enumerate() {
            let mut bearings = self.builder.bearings.iter();
            let rubs = bearings.any(|bearing| bearing.joint.0 == index);
            resolved.push((index, self.resolve(joint, rubs)?));
        }
        // Position rows first; rows in the order of the bodies that they hold last, so that those of a chain follow its
        // links.
        resolved.sort_by_key(|(_, connection)| {
            let [one, two] = connection
                .bodies
                .map(|body| body.map_or(0, |body| body + 1));
            (connection.is_nonholonomic(), one.max(two), one.min(two))
        });
        let mut order = vec![0; resolved.len()];
        let mut connections = Vec::with_capacity(resolved.len());
        // Ties of markers come before all joints.
        let ties: usize = self
            .builder
            .modal
            .iter()
            .map(|body| body.markers.len())
            .sum();
        let nodal: usize = self.builder.ancf.iter().map(NamedAncf::rows).sum();
        let mut first_row = ROWS * ties + nodal;
        for (place, (index, mut connection)) in resolved.into_iter().enumerate() {
            order[index] = place;
            connection.first_row = first_row;
            first_row += connection.count();
            connections.push(connection);
        }
        Ok(Joints { connections, order })
    }

    fn resolve(&self, joint: &Joint, rubs: bool) -> Result<Connection, AssemblyError> {
        let name = joint.name.as_str();
        let poses = [
            pose(&self.builder.bodies, joint.first, name)?,
            pose(&self.builder.bodies, joint.second, name)?,
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
                // Sine of the angle between both axes: below 1e-3 their plane is hardly determined.
                let axes = [0, 1].map(|side| joint.frames[side].world_axis(&poses[side]));
                if axes[0].cross(&axes[1]).norm() < 1e-3 {
                    return Err(AssemblyError::ParallelAxes {
                        joint: joint.name.clone(),
                    });
                }
            }
            JointKind::Coordinate(direction, _) => *direction = unit_as_stated(name, direction)?,
            _ => {}
        }
        let [one, two] = [0, 1].map(|side| poses[side].point(&markers[side].point));
        let length = (two - one).norm();
        if matches!(kind, JointKind::Distance(_)) && length == 0.0 {
            return Err(AssemblyError::ZeroDistance {
                joint: joint.name.clone(),
            });
        }
        let rows = if rubs {
            kind.rubbing_rows(length)
        } else {
            kind.rows(length)
        };
        if !rows
            .iter()
            .all(|row| row.motion.is_finite(self.builder.start))
        {
            return Err(AssemblyError::NotFinite {
                what: format!("the motion of '{name}' at the start"),
                element: Some(name.to_owned()),
            });
        }
        if let Some((t, [value, rate])) = rows.iter().find_map(|row| row.motion.jump()) {
            return Err(AssemblyError::MotionJump {
                joint: name.to_owned(),
                t,
                value,
                rate,
            });
        }
        let bodies = [joint.first.0, joint.second.0];
        let connection = Connection::new(joint.name.clone(), kind, bodies, markers, rows);
        self.check_own(&connection, &poses)?;
        Ok(connection)
    }

    /// Checks the equations of a joint of one's own where the bodies stand.
    fn check_own(&self, joint: &Connection, poses: &[Kinematics; 2]) -> Result<(), AssemblyError> {
        let Some(own) = joint.own() else {
            return Ok(());
        };
        let start = self.builder.start;
        if own.rows() == 0 {
            return Err(AssemblyError::NoRows {
                joint: joint.name.clone(),
            });
        }
        let (mut levels, mut rates) = (vec![0.0; own.rows()], vec![0.0; own.rows()]);
        joint.own_residual(own, start, poses, &mut levels);
        joint.own_rate(own, start, poses, &mut rates);
        if !levels.iter().chain(&rates).all(|level| level.is_finite()) {
            return Err(AssemblyError::NotFinite {
                what: format!("an equation of '{}' at the start", joint.name),
                element: Some(joint.name.clone()),
            });
        }
        // A row that is not affine in velocities has no Jacobian.
        match joint.bent_row(start, poses) {
            Some(row) => Err(AssemblyError::NotAffine {
                joint: joint.name.clone(),
                row,
            }),
            None => Ok(()),
        }
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
            .chain(
                builder
                    .elements
                    .iter()
                    .map(|part| (&part.name, part.bodies)),
            )
            .chain(
                builder
                    .state_forces
                    .iter()
                    .map(|force| (&force.name, force.bodies)),
            )
        {
            for body in bodies {
                pose(&builder.bodies, body, name)?;
            }
            if bodies[0] == bodies[1] {
                return Err(AssemblyError::SameBody {
                    joint: name.clone(),
                });
            }
            forces.push(bodies.map(|body| body.0));
        }
        let (mut counters, mut wraps) = (Vec::new(), 0);
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
            if spring.has_revolutions() {
                counters.push(joint.bodies);
            }
            wraps += usize::from(spring.wraps());
        }
        let mut states = Vec::new();
        for force in &builder.state_forces {
            states.push((force.bodies.map(|body| body.0), force.check()?.len()));
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
            if !friction.sticks {
                frictions.push(joint.bodies);
            }
        }
        for friction in &builder.bearings {
            let joint = joints.find(friction.joint, &friction.name)?;
            if !matches!(joint.kind, JointKind::Revolute) {
                return Err(AssemblyError::JointKind {
                    element: friction.name.clone(),
                    joint: joint.name.clone(),
                    reason: "friction of a bearing needs a revolute joint: others turn in more than one direction, or slide as well",
                });
            }
        }
        let rows: Vec<_> = joints
            .connections
            .iter()
            .map(|joint| (joint.bodies, joint.count(), joint.couplings()))
            .collect();
        let nonholonomic = joints
            .connections
            .iter()
            .filter(|joint| joint.is_nonholonomic());
        let mut first = VELOCITIES * builder.bodies.len();
        let modal: Vec<_> = builder
            .modal
            .iter()
            .map(|body| {
                let modes = first..first + body.model.modes();
                first = modes.end;
                Modal {
                    frame: body.frame,
                    markers: body.markers.iter().map(|marker| marker.body).collect(),
                    modes,
                }
            })
            .collect();
        let ancf: Vec<_> = builder
            .ancf
            .iter()
            .map(|beam| {
                let own = beam.structure(first);
                first = own.all.end;
                own
            })
            .collect();
        let only_balls = joints.connections.iter().all(Connection::is_ball);
        let row_entries = if only_balls && modal.is_empty() && ancf.is_empty() {
            RowEntries::Points
        } else {
            RowEntries::All
        };
        let structure = Structure {
            bodies: builder.bodies.len(),
            joints: &rows,
            row_entries,
            // Nothing is known of rows that users state.
            regular_joints: (joints.connections.iter()).all(|joint| joint.own().is_none()),
            velocity_rows: nonholonomic.map(Connection::count).sum(),
            forces: &forces,
            counters: &counters,
            wraps,
            states: &states,
            frictions: &frictions,
            modal: &modal,
            ancf: &ancf,
        };
        Ok(LaidOut {
            layout: structure.layout()?,
            row_entries,
            joints,
        })
    }
}
