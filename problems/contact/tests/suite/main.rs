//! All tests of contacts. One program, as each compiles the integrators anew.

#[path = "shared/common/mod.rs"]
mod common;
#[path = "shared/common/counting.rs"]
mod counting;

mod complementarity;
mod complementarity_allocations;
mod framework;
mod friction_in_space;
mod ill_stated_contacts;
mod layers;
mod moreau_jean;
mod nonsmooth_ball;

// What the framework's tests ask for.
use framework::{known_methods, methods};
