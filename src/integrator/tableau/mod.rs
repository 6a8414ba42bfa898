//! Coefficients of Runge-Kutta methods, with the order conditions that they satisfy tested beside them.

pub mod dopri5;
pub mod hem5;
#[cfg(test)]
pub mod order_conditions;
pub mod sdirk4;
