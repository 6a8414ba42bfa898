//! Error norms and step-size controllers, independent of methods and systems' equations.
//!
//! A controller sees the actual steps, including those that were shortened for a stop, repeated after a failed iteration, or kept
//! constant to reuse a factorization. [`controllers`] has all of them by name.

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
