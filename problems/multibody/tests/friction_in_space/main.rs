//! Bodies with a cone of friction in their contacts, between located events.

mod refusals;
mod run;
mod sphere;
