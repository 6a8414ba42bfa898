//! Mechanisms in the plane with contacts: bodies in Cartesian coordinates, joints, drives, springs.
//!
//! A [`PlaneMechanism`] is a [`Model`](liedae::system::Model); wrap [`Automatic`](liedae::system::Automatic) of it in a
//! [`NonsmoothSystem`](liedae_contact::NonsmoothSystem). Each body has the coordinates x, y of its centre of mass and θ.

pub mod geometry;

mod body;
mod closure;
mod contact;
mod drawing;
mod error;
mod force;
mod friction;
mod joint;
mod labels;
mod layout;
mod model;
mod outputs;
mod point_mass;
mod snapshot;

pub use body::PlaneBodyData;
pub use closure::{PlaneForceScalar, PlaneWrench};
pub use contact::{PlanePair, PlanePairing};
pub use error::PlaneMechanismError;
pub use force::PlaneForce;
pub use friction::PlaneFriction;
pub use joint::{Motion, PlaneJoint};
pub use model::PlaneMechanism;
pub use snapshot::{PlaneReaction, PlaneSnapshot};

/// A point fixed to a body, or to the ground where there is no body; from the body's centre of mass, in m.
///
/// ```
/// use liedae_multibody::plane::{PlaneJoint, PlanePoint};
///
/// // The right end of a bar of 1 m, pinned to a wall.
/// let (wall, end): (PlanePoint, PlanePoint) = ((None, [2.0, 0.0]), (Some(0), [0.5, 0.0]));
/// assert_eq!(PlaneJoint::Revolute(wall, end).rows(), 2);
/// ```
pub type PlanePoint = (Option<usize>, [f64; 2]);
