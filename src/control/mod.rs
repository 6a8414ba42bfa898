//! Error norms and step-size controllers, independent of methods and systems' equations.

mod controller;
mod norm;

pub use controller::{Controller, ControllerKind, Fixed, Limits, ProportionalIntegral, Proposal};
pub use norm::{ErrorNorm, PerComponent, ToleranceError, Tolerances};
