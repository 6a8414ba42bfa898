//! Laws of forces between two bodies that programs and mechanism files state alike.
//!
//! | law | force |
//! |---|---|
//! | [`Load`] | a force or torque along a direction, as a function of time |
//! | [`CartesianSpring`] | springs and dampers along the axes of the world between two points |
//! | [`Tyre`] | a wheel on a road: a vertical spring, and forces along and across by slip |
//!
//! The spring along the line of two points is a [`TranslationalSpring`](crate::TranslationalSpring), that about the axis of a joint a
//! [`RotationalSpring`](crate::RotationalSpring).

mod cartesian_spring;
mod load;
mod tyre;

pub use cartesian_spring::CartesianSpring;
pub use load::{Load, LoadSize};
pub use tyre::{MagicFormula, RoadBump, Tyre};
