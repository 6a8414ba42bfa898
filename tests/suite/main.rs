//! All tests of the framework. One program, as each compiles the integrators anew.

mod common;
#[path = "common/counting.rs"]
mod counting;

mod allocations;
mod constraints;
mod ensembles;
mod events;
mod kkt_allocations;
mod methods;
mod robustness;

use liedae::integrator::MethodRegistry;

/// The methods that are tested.
fn methods() -> MethodRegistry {
    known_methods()
}

/// Methods by name.
fn known_methods() -> MethodRegistry {
    MethodRegistry::standard()
}
