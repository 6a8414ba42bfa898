//! All tests of the benchmark problems. One program, as each compiles the integrators anew.

mod common;
#[path = "shared/counting.rs"]
mod counting;
#[path = "shared/random.rs"]
mod random;

mod conformance;
mod contact;
mod joint_friction;
mod methods;
mod nonsmooth_closed_forms;
mod nonsmooth_events;
mod papers;
mod problems;
mod step_allocations;
