//! Derivatives of functions of a point by duals, for crates that add rows of their own to a system.

pub use super::automatic::arguments::{Arguments, CHUNK};
pub use super::automatic::nested_duals::{Gradient, NestedDuals, add_product};
