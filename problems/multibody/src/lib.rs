//! Rigid multibody systems in r-A coordinates: bodies, joints, drives, forces, friction, contacts. [`parametrization`] states them
//! in Euler parameters and Euler angles as well.
//!
//! A mechanism is collected in a [`MultibodyBuilder`] and becomes a [`MultibodySystem`], which every integrator of
//! `liedae` runs. Positions are in the world frame, rotation matrices body to world, angular velocities in the body
//! frame; SI units. A joint compares a frame on its body 1 with a frame on its body 2 ([`JointKind`]); its equations are
//! the basic constraints of Haug 1989 and Taves, Kissel and Negrut.
//!
//! Signs: multipliers enter as M v' = f + Gᵀ λ; a reaction is what the joint exerts on its body 2.

mod assembly;
mod body;
mod builder;
mod connection;
mod consistency;
mod contact;
mod describe;
mod elements;
mod error;
mod force;
mod friction;
mod joint;
mod kinematics;
mod layout;
mod marker;
mod mechanism;
mod motion;
pub mod parametrization;
pub mod plane;
mod row;
mod snapshot;
mod spring;
mod torsion;

#[cfg(test)]
mod tests;

pub use body::{BodyId, Inertia, RigidBody};
pub use builder::{Drive, MultibodyBuilder};
pub use contact::{Shape, Surface, SurfaceContact, Touch};
pub use describe::{Description, JointDescription};
pub use error::AssemblyError;
pub use force::{Actuator, ForceScalar, PairForce};
pub use friction::{Friction, NormalForce};
pub use joint::{Joint, JointId, JointKind};
pub use kinematics::{Kinematics, Wrench};
pub use marker::{Axis, Frame, Marker};
pub use mechanism::MultibodySystem;
pub use motion::Motion;
pub use parametrization::{Parametrized, Rotation};
pub use snapshot::{Probe, Reaction, Snapshot};
pub use spring::TranslationalSpring;
pub use torsion::RotationalSpring;
