//! Multibody systems in r-A coordinates: rigid bodies, beams, bodies with modes, joints, drives, forces, friction,
//! contacts. [`parametrization`] states them in Euler parameters and Euler angles as well.
//!
//! A mechanism is collected in a [`MultibodyBuilder`] and becomes a [`MultibodySystem`], which every integrator of
//! `liedae` runs. Positions are in the world frame, rotation matrices body to world, angular velocities in the body
//! frame; SI units. A joint compares a frame on its body 1 with a frame on its body 2 ([`JointKind`]); its equations are
//! the basic constraints of Haug 1989 and Taves, Kissel and Negrut.
//!
//! Signs: multipliers enter as M v' = f + Gᵀ λ; a reaction is what the joint exerts on its body 2.
//!
//! ```
//! use liedae::prelude::*;
//! use liedae_multibody::{BodyId, Joint, MultibodyBuilder, RigidBody};
//!
//! // Two bars of 1 m hang from each other and start horizontally.
//! let mut mechanism = MultibodyBuilder::new();
//! mechanism.gravity([0.0, 0.0, -9.81]);
//! let [upper, lower] = [("upper", 0.5), ("lower", 1.5)]
//!     .map(|(name, x)| mechanism.add_body(RigidBody::new(name, 1.0, [1e-3, 0.083, 0.083]).at([x, 0.0, 0.0])));
//! let axis = [0.0, 1.0, 0.0];
//! mechanism.add_joint(Joint::revolute("pivot", BodyId::GROUND, upper, [0.0; 3], axis));
//! mechanism.add_joint(Joint::revolute("hinge", upper, lower, [1.0, 0.0, 0.0], axis));
//! mechanism.probe("tip height", move |now| now.point(lower, [0.5, 0.0, 0.0]).z);
//!
//! let mut system = mechanism.build()?;
//! let method = liedae_contact::methods().build("mdop5", &MethodOptions::default())?;
//! let end = solve(&mut system, method.as_ref(), &Options::adaptive(1.0, 1e-8, 1e-8))?.state;
//! let outputs = named_outputs(&mut system, &end)?;
//! assert!(outputs.iter().any(|(name, value)| name == "tip height" && *value < 0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Vectors and matrices are those of `nalgebra`. This crate exports [`Vector2`], [`Vector3`], [`Matrix3`], [`Rotation3`] and
//! [`nalgebra`] itself, so that users need no own dependency of a matching version:
//!
//! ```
//! use liedae_multibody::{BodyId, Joint, MultibodyBuilder, RigidBody, Rotation3, Vector3};
//!
//! // A bar hangs askew from a pivot about its own y-axis.
//! let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), 0.3);
//! let mut mechanism = MultibodyBuilder::new();
//! let bar = RigidBody::new("bar", 1.0, [0.1, 0.01, 0.1]).rotated(turn.into_inner());
//! let bar = mechanism.add_body(bar.at(turn * Vector3::x()));
//! mechanism.add_joint(Joint::revolute("pivot", BodyId::GROUND, bar, [0.0; 3], turn * Vector3::y()));
//! assert!(mechanism.build().is_ok());
//! ```
//!
//! A user-defined joint is a [`CustomJoint`] or a [`NonholonomicJoint`]. A user-defined force is a [`PairForce`] or, with states
//! x' = d, a [`StateForce`]. CONTRIBUTING.md of the repository lists the files for joints, forces and shapes of this crate.

mod ancf;
mod assembly;
mod balance;
mod ball_joint;
mod beam;
mod bearing;
mod body;
mod branches;
mod build;
mod builder;
mod connection;
mod consistency;
mod contact;
mod custom;
mod describe;
pub mod drawing;
mod elements;
mod energy;
mod error;
#[cfg(feature = "files")]
pub mod file;
mod force;
mod friction;
mod guides;
mod initial;
mod joint;
mod joint_stiffness;
mod kinematics;
mod labels;
mod laws;
mod layout;
mod marker;
mod marker_rows;
mod masses;
mod mechanism;
mod modal;
mod motion;
mod output;
mod outputs;
pub mod parametrization;
mod placed;
pub mod plane;
mod point_rows;
mod reversals;
mod row;
mod row_entries;
mod second_derivatives;
mod snapshot;
mod space;
mod spring;
mod state_force;
mod torsion;

#[cfg(test)]
mod tests;

pub use ancf::{AncfBeam, AncfError, AncfNodes};
pub use beam::{Beam, BeamNodes, Material, Section, SectionFrame};
pub use bearing::BearingFriction;
pub use body::{BodyId, Inertia, RigidBody};
pub use builder::MultibodyBuilder;
pub use contact::{Shape, Surface, SurfaceContact, Touch};
pub use custom::{CustomEquations, CustomJoint, FrameMotion, FramePose, NonholonomicJoint};
pub use describe::{Description, JointDescription};
pub use drawing::{Drawing, Drawn};
pub use error::AssemblyError;
pub use force::{Actuator, ForceScalar, PairForce};
pub use friction::{Friction, NormalForce};
pub use initial::{Displacement, JointCoordinate, PlacedBody, PlacedJoint, Placement};
pub use joint::{Joint, JointId, JointKind};
pub use kinematics::{Kinematics, Wrench};
pub use laws::{CartesianSpring, Load, LoadSize, MagicFormula, RoadBump, Tyre};
pub use marker::{Axis, Frame};
pub use mechanism::MultibodySystem;
pub use modal::{
    BeamEnds, ModalBeam, ModalBeamDescription, ModalBody, ModalData, ModalDescription, ModalError,
    ModalMarkerDescription, ModalModel, ModalNodes, NodalMass,
};
pub use motion::{Drive, Motion};
pub use nalgebra::{self, Matrix3, Rotation3, Vector2, Vector3};
pub use output::Output;
pub use parametrization::{Parametrized, Rotation};
pub use reversals::FrictionPushes;
pub use snapshot::{Probe, Reaction, Snapshot};
pub use spring::TranslationalSpring;
pub use state_force::StateForce;
pub use torsion::RotationalSpring;

/// The level of optimization that this crate was compiled with, see [`liedae::OPT_LEVEL`].
pub const OPT_LEVEL: &str = env!("LIEDAE_OPT_LEVEL");
