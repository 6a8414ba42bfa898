//! The framework's tests of all methods, for the method of this crate.

#[path = "../shared/robustness/bad_input.rs"]
mod bad_input;
#[path = "../shared/methods/dense_output.rs"]
mod dense_output;
mod gaps;
#[path = "../shared/events/handlers.rs"]
mod handlers;
#[path = "../shared/methods/mass_ratio.rs"]
mod mass_ratio;
#[path = "../shared/robustness/matrix.rs"]
mod matrix;
#[path = "../shared/robustness/misbehaving_systems.rs"]
mod misbehaving_systems;
mod observed_order;
#[path = "../shared/methods/orders.rs"]
mod orders;
#[path = "../shared/constraints/redundant_constraints.rs"]
mod redundant_constraints;
#[path = "../shared/events/redundant_events.rs"]
mod redundant_events;
#[path = "../shared/events/restructure.rs"]
mod restructure;
#[path = "../shared/constraints/singular_moments.rs"]
mod singular_moments;

use liedae::integrator::{BuildError, MethodRegistry};

/// The methods that are tested.
pub fn methods() -> MethodRegistry {
    let entry = liedae_contact::methods().find("moreau-jean");
    let with = |entry| -> Result<_, BuildError> { MethodRegistry::default().with(entry) };
    entry
        .and_then(|entry| with(entry).ok())
        .expect("registered")
}

/// Methods by name.
pub fn known_methods() -> MethodRegistry {
    liedae_contact::methods()
}

/// The whole table of robustness/matrix.rs, with contacts.
#[test]
fn all_methods_in_one_table() {
    let mut cases = matrix::cases();
    cases.extend(gaps::cases());
    matrix::judge(&cases, liedae_contact::methods());
}
