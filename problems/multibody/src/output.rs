//! Outputs of a mechanism as data, which mechanism files state.

use super::body::BodyId;
use super::joint::JointId;
use super::marker::Axis;
use super::snapshot::{Probe, Snapshot};
use nalgebra::Vector3;

/// A component of a quantity in the world.
///
/// ```
/// use liedae::system::{System, named_outputs};
/// use liedae_multibody::{Axis, BodyId, Joint, MultibodyBuilder, Output, RigidBody};
///
/// let mut mechanism = MultibodyBuilder::new();
/// let bar = mechanism.add_body(RigidBody::new("bar", 1.0, [0.1; 3]).at([1.0, 0.0, 0.0]));
/// mechanism.add_joint(Joint::revolute("pivot", BodyId::GROUND, bar, [0.0; 3], [0.0, 1.0, 0.0]));
/// mechanism.output("tip", Output::Position(bar, [1.0, 0.0, 0.0], Axis::X));
/// let mut system = mechanism.build()?;
/// let state = system.initial_state();
/// assert_eq!(named_outputs(&mut system, &state)?, [("tip".to_owned(), 2.0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output {
    /// Of a point of a body, from its centre of mass in the body, in m.
    Position(BodyId, [f64; 3], Axis),
    /// Velocity of such a point in m/s.
    Velocity(BodyId, [f64; 3], Axis),
    /// Acceleration of such a point in m/s².
    Acceleration(BodyId, [f64; 3], Axis),
    /// Angular velocity of a body in rad/s.
    AngularVelocity(BodyId, Axis),
    /// Force of a joint on its body 2 in N.
    Force(JointId, Axis),
    /// Torque of a joint on its body 2 about its point there in N m.
    Torque(JointId, Axis),
    /// Of a drive or another joint of one row, in N or N m ([`Snapshot::effort`]).
    Effort(JointId),
}

impl Output {
    /// Its value at a moment; NaN of a body or joint of another mechanism.
    pub fn of(&self, now: &Snapshot) -> f64 {
        let reaction = |joint| {
            let unknown = [Vector3::repeat(f64::NAN); 2];
            let reaction = now.reaction(joint);
            reaction.map_or(unknown, |reaction| [reaction.force, reaction.torque])
        };
        match *self {
            Self::Position(body, point, axis) => now.point(body, point)[axis as usize],
            Self::Velocity(body, point, axis) => now.point_velocity(body, point)[axis as usize],
            Self::Acceleration(body, point, axis) => {
                now.point_acceleration(body, point)[axis as usize]
            }
            Self::AngularVelocity(body, axis) => now.angular_velocity(body)[axis as usize],
            Self::Force(joint, axis) => reaction(joint)[0][axis as usize],
            Self::Torque(joint, axis) => reaction(joint)[1][axis as usize],
            Self::Effort(joint) => now.effort(joint),
        }
    }
}

/// What an output of a mechanism that states none is.
#[derive(Clone, Copy)]
pub(crate) enum Usual {
    /// Of a body.
    Body(usize, BodyQuantity, Axis),
    /// A modal coordinate of a flexible body, and its rate.
    Mode(usize, usize),
    ModeRate(usize, usize),
    /// A component of the position of a node of a beam in absolute coordinates.
    Node(Axis),
    /// A state of a force.
    State,
}

/// A vector that every body has.
#[derive(Clone, Copy)]
pub(crate) enum BodyQuantity {
    Position,
    Velocity,
    /// In the body's frame.
    Omega,
}

/// An output of an assembled mechanism.
pub(crate) enum Measured {
    /// Of a mechanism that states none.
    Usual(Usual, Probe),
    Stated(Output),
    /// With what it is, where somebody has said so.
    Function(Probe, Option<String>),
}

impl Measured {
    pub fn of(&self, now: &Snapshot) -> f64 {
        match self {
            Self::Usual(_, probe) | Self::Function(probe, _) => probe(now),
            Self::Stated(output) => output.of(now),
        }
    }
}
