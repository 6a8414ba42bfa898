//! Coefficients of Runge-Kutta methods, with the order conditions that they satisfy tested beside them.

pub mod alpha;
pub mod dop853;
pub mod dopri5;
pub mod hem5;
#[cfg(test)]
pub mod order_conditions;
pub mod phem56;
pub mod radau5;
pub mod sdirk4;
