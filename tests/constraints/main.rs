//! Constraints: redundant rows, singular configurations, energy, the index of first-order systems.

#[path = "../common/mod.rs"]
mod common;

mod algebraic_rows;
mod energy_projection;
mod first_order_index;
mod projector_reuse;
mod redundant_constraints;
mod rows_at_ends;
mod singular_moments;

use liedae::integrator::MethodRegistry;

/// The methods that are tested.
fn methods() -> MethodRegistry {
    known_methods()
}

/// Methods by name.
fn known_methods() -> MethodRegistry {
    MethodRegistry::standard()
}
