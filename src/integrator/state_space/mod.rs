//! Methods on the [state-space form](crate::system::StateSpace): ordinary differential equations in independent
//! coordinates.

mod adams;
mod contraction;
mod explicit;
mod law;
mod linearization;
mod newmark;
mod rk4;
mod sdirk4;
mod shared;
mod stage;
#[cfg(test)]
mod tests;

pub use adams::StateSpaceAbm;
pub use contraction::{ContractionFactors, ContractionGauge};
pub use newmark::{NewmarkConvergence, NewmarkParameters, NewmarkPredictor, StateSpaceNewmark};
pub use rk4::StateSpaceRk4;
pub use sdirk4::StateSpaceSdirk4;
