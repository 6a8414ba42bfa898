//! Bodies with a cone of friction in their contacts, between located events.

mod boxes;
mod dropped;
#[path = "../shared/random.rs"]
mod random;
mod refusals;
mod run;
mod sphere;
