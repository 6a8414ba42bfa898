//! Differential-algebraic equations of index 1, 2 and 3, and ODEs, on Lie groups.
//!
//! State a problem once ([`system::Model`] or [`system::System`]), run it with every method ([`integrator`]) through
//! one driver ([`solve`]).

pub mod complementarity;
pub mod control;
pub mod integrator;
pub mod linalg;
pub mod manifold;
pub mod scalar;
pub mod solve;
pub mod system;
