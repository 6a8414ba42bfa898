//! Runs about runs: observed orders, the largest step, which method to take.

pub(super) mod convergence;
pub(super) mod largest_step;
pub(super) mod recommendation;
