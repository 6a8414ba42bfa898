//! The traits of models with contacts or with joints that may stick.

use crate::{Contact, FrictionJoint};
use liedae::scalar::Scalar;
use liedae::system::{Model, Point};

/// A [`Model`] with unilateral constraints or joints with friction; [`with_contacts`](crate::with_contacts) makes a system
/// of it, with derivatives by duals.
///
/// Its `impl Model` says so by `fn needs_layer(&self) -> bool { true }`: by itself, in [`Automatic`](liedae::system::Automatic), it would
/// have no contacts, and is then refused. The example is in the [crate's documentation](crate).
pub trait ContactModel: Model {
    /// Unilateral constraints 0 ≤ g_N ⟂ λ_N ≥ 0: names and laws.
    fn contacts(&self) -> Vec<Contact> {
        Vec::new()
    }

    /// The gap g_N(t, q) of a contact, positive when open; it must not depend on v.
    fn gap<S: Scalar>(&self, _contact: usize, _at: &Point<S>) -> S {
        S::constant(1.0)
    }

    /// How far the bodies of a contact go into each other, in m, until the gap opens again on the far side: for balls the sum of their
    /// radii. Steps are so short that they do not pass through each other unseen. Infinity, where one of them has no far side as a floor
    /// has none, is no limit.
    fn thickness(&self, _contact: usize) -> f64 {
        f64::INFINITY
    }

    /// How many functions tell where a contact passes from one part of a surface to another, with another normal or
    /// curvature.
    fn junctions(&self, _contact: usize) -> usize {
        0
    }

    /// The values of these functions of t and q, which change their signs there.
    fn junction_values(&self, _contact: usize, _at: &Point, _out: &mut [f64]) {}

    /// The sliding velocities of a contact with friction, affine in v.
    fn sliding_velocity<S: Scalar>(&self, _contact: usize, _at: &Point<S>, _sliding: &mut [S]) {}

    /// Joints with Coulomb friction that may stick: names, laws, and the rows that press.
    fn friction_joints(&self) -> Vec<FrictionJoint> {
        Vec::new()
    }

    /// The sliding velocity of a joint with friction, affine in v.
    fn joint_velocity<S: Scalar>(&self, _joint: usize, _at: &Point<S>) -> S {
        S::constant(0.0)
    }
}
