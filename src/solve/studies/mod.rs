//! Runs about runs: observed orders and the largest step.

pub(super) mod convergence;
pub(super) mod largest_step;
