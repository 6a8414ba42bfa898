//! Constraints: redundant rows, singular configurations, energy, the index of first-order systems.

#[path = "../common/mod.rs"]
mod common;

mod energy_projection;
mod first_order_index;
mod redundant_constraints;
mod singular_moments;
