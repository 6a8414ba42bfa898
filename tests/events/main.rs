//! Events: located, handled, with redundant rows and changes of structure.

#[path = "../common/mod.rs"]
mod common;

mod announced;
mod event_location;
mod first_steps;
mod handlers;
mod location_cost;
mod network_fault;
mod redundant_events;
mod restructure;
mod time_events;
mod unfounded_crossings;

use liedae::integrator::MethodRegistry;

/// The methods that are tested.
fn methods() -> MethodRegistry {
    known_methods()
}

/// Methods by name.
fn known_methods() -> MethodRegistry {
    MethodRegistry::standard()
}
