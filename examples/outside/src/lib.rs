//! What a user of liedae writes: problems, a mechanism, a method, a controller, a wrapper.

pub mod ball;
pub mod bead;
pub mod damped;
pub mod halving;
pub mod heun;
pub mod rosenbrock;
pub mod stone;
