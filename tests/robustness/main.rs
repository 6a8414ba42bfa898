//! Bad input, limits, systems that misbehave, wrappers.

#[path = "../common/mod.rs"]
mod common;

mod bad_input;
mod forwarding;
mod limits;
mod misbehaving_systems;
mod system_checks;
