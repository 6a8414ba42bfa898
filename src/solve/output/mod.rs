//! Output of a run: dense output, the ends of steps, observers.

pub(super) mod dense;
pub(super) mod hermite;
pub(super) mod last_step;
pub(super) mod observed;
pub(super) mod observer;
pub(super) mod passivity;
mod polynomials;
mod sample;
