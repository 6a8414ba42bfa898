//! Error norms and step-size controllers, independent of methods and systems' equations.
//!
//! A controller sees the steps that were really taken: those cut short for a stop, repeated after a failure of an inner
//! iteration, or kept because a factorization is worth more, too. The choice by name is in [`controllers`].

mod controller;
mod filter;
mod kind;
mod norm;
mod predictive;
mod proportional_integral;
#[cfg(test)]
mod tests;
mod tolerances;

pub(crate) use controller::root;
pub use controller::{Controller, Fixed, Limits, Proposal};
pub use filter::{DigitalFilter, FilterGains};
pub use kind::{ControllerEntry, ControllerKind, controllers, find_controller};
pub use norm::ErrorNorm;
pub(crate) use norm::Pairs;
pub use predictive::Predictive;
pub use proportional_integral::ProportionalIntegral;
pub use tolerances::{PerComponent, ToleranceError, Tolerances};
