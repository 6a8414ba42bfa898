//! Integrates differential-algebraic equations of index 1, 2 and 3, and ordinary differential equations, on Lie groups.
//!
//! A problem is stated once, with mass, forces and constraints. Every method runs it: half-explicit ones of order 5,
//! Radau IIA, BDF, generalized-alpha, half-implicit Euler and more. A pendulum in Cartesian coordinates:
//!
//! ```
//! use liedae::prelude::*;
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0]) // initial position in m, velocity in m/s
//!         .mass(1.0)
//!         .force(|_t, _q, _v| [0.0, -9.81])
//!         .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
//!         .build()?;
//!     for name in ["hem5", "generalized-alpha", "radau5"] {
//!         let method = MethodRegistry::standard().build(name, &MethodOptions::default())?;
//!         let options = Options::adaptive(1.0, 1e-8, 1e-8);
//!         let end = solve(&mut pendulum, method.as_ref(), &options)?.state;
//!         assert!((end.q[0] + 0.986_291_75).abs() < 1e-6, "{name}: {:?}", end.q);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! Closures state systems on R^n; derivatives are exact. A [`Model`](system::Model), with functions that are generic over the
//! scalar type, states all others: rotations and rigid motions, sizes known at run time, algebraic variables, modes.
//!
//! # Where things are
//!
//! | to ... | see |
//! |---|---|
//! | state a small problem by closures | [`model()`] |
//! | state any mechanical problem | [`system::Model`], run through [`system::Automatic`] |
//! | state M y' = f(t, y) | [`system::FirstOrderModel`] |
//! | give derivatives of one's own | [`system::System`] |
//! | choose a configuration space | [`manifold::Manifold`] |
//! | choose a method | [`integrator::MethodRegistry`] |
//! | write a method | [`integrator::Integrator`], [`integrator::Stepper`] |
//! | set tolerances, steps, stops | [`solve::Options`] |
//! | run, and look at every step | [`solve::solve`], [`solve::Observer`] |
//! | run many systems at a time | [`solve::solve_ensemble`], [`solve::Ensemble`] |
//! | choose or write a step-size controller | [`control::ControllerKind`], [`control::Controller`] |
//! | ask for memory ahead, in models of thousands of bodies | [`memory::fetch`] |
//! | solve saddle-point systems | [`linalg::KktSolver`] |
//! | close loops, find redundant rows, equilibria and modes | [`analysis`] |
//!
//! Contact and friction are in the crate `liedae-contact`, bodies and joints in `liedae-multibody`, benchmark problems in
//! `liedae-problems`, and the command that compares solvers in `liedae-compare`.

pub mod analysis;
pub mod control;
pub mod integrator;
pub mod linalg;
pub mod manifold;
pub mod memory;
pub mod scalar;
pub mod solve;
pub mod system;

pub use system::model;

/// The level of optimization that this crate was compiled with, as cargo writes it: `0` to `3`, `s` or `z`. Below `2` numerics take
/// up to a hundred times longer, and methods compare differently. Generic code has the level of the crate that uses it.
pub const OPT_LEVEL: &str = env!("LIEDAE_OPT_LEVEL");

/// What most programs need.
pub mod prelude {
    pub use crate::integrator::{Integrator, MethodOptions, MethodRegistry};
    pub use crate::manifold::Manifold;
    pub use crate::scalar::Scalar;
    pub use crate::solve::{Observer, Options, Solution, StepView, solve, solve_observed};
    pub use crate::system::{
        Automatic, Direction, EventAction, EventDescription, FirstOrder, FirstOrderModel, Layout,
        MatrixMut, Model, ModelEvents, Point, State, System, named_outputs, total_energy,
    };
}
