//! Automatic derivatives: by dual numbers, or by differences where a system is written by hand.

pub(in crate::system) mod arguments;
pub(in crate::system) mod balance;
pub(in crate::system) mod differences;
pub(in crate::system) mod model;
pub(in crate::system) mod nested_duals;
mod parts;
pub(in crate::system) mod rate_sweeps;
pub(in crate::system) mod reactions;
pub(in crate::system) mod second_derivatives;
pub(in crate::system) mod sweeps;
