//! Force laws between two bodies, for programs and for mechanism files.
//!
//! | law | force |
//! |---|---|
//! | [`Load`] | a force or torque along a direction, as a function of time |
//! | [`CartesianSpring`] | springs and dampers along the axes of the world between two points |
//! | [`Tyre`] | a wheel on a road: a vertical spring, and forces along and across by slip |
//!
//! For a spring along the line of two points see [`TranslationalSpring`](crate::TranslationalSpring), for one about the axis of a
//! joint [`RotationalSpring`](crate::RotationalSpring).

mod cartesian_spring;
mod load;
mod tyre;

pub use cartesian_spring::CartesianSpring;
pub use load::{Load, LoadSize};
pub use tyre::{MagicFormula, RoadBump, Tyre};
