//! Differential-algebraic equations of index 1, 2 and 3, and ODEs, on Lie groups.
//!
//! A problem is stated once, with a mass matrix, forces and constraints. Every method runs it: half-explicit ones of order 5,
//! Radau IIA, BDF, generalized-alpha, half-implicit Euler and more. A pendulum in Cartesian coordinates:
//!
//! ```
//! use liedae::prelude::*;
//!
//! struct Pendulum;
//!
//! impl Model for Pendulum {
//!     fn layout(&self) -> Layout {
//!         // Two coordinates, one position constraint.
//!         Layout::dense(Manifold::euclidean(2)).with_position_rows(1)
//!     }
//!     fn initial_state(&self) -> State {
//!         State { q: vec![1.0, 0.0], ..self.layout().state() }
//!     }
//!     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
//!         mass[(0, 0)] = S::constant(1.0);
//!         mass[(1, 1)] = S::constant(1.0);
//!     }
//!     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
//!         force[1] = S::constant(-9.81);
//!     }
//!     fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
//!         g[0] = (at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0) * 0.5;
//!     }
//! }
//!
//! for name in ["hem5", "generalized-alpha", "radau5"] {
//!     let method = MethodRegistry::standard().build(name, &MethodOptions::default())?;
//!     let options = Options::adaptive(1.0, 1e-8, 1e-8);
//!     let end = solve(&mut Automatic::new(Pendulum), method.as_ref(), &options)?.state;
//!     assert!((end.q[0] + 0.986_291_75).abs() < 1e-6, "{name}: {:?}", end.q);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where things are
//!
//! | to ... | see |
//! |---|---|
//! | state a mechanical problem | [`system::Model`], run through [`system::Automatic`] |
//! | state M y' = f(t, y) | [`system::FirstOrderModel`] |
//! | give derivatives of one's own | [`system::System`] |
//! | choose a configuration space | [`manifold::Manifold`] |
//! | choose a method | [`integrator::MethodRegistry`] |
//! | write a method | [`integrator::Integrator`], [`integrator::Stepper`] |
//! | set tolerances, steps, stops | [`solve::Options`] |
//! | run, and look at every step | [`solve::solve`], [`solve::Observer`] |
//! | choose or write a step-size controller | [`control::ControllerKind`], [`control::Controller`] |
//! | solve saddle-point systems | [`linalg::KktSolver`] |
//!
//! Contact and friction are in the crate `liedae-contact`, bodies and joints in `liedae-multibody`, benchmark problems in
//! `liedae-problems`, and the command that compares solvers in `liedae-compare`.

pub mod control;
pub mod integrator;
pub mod linalg;
pub mod manifold;
pub mod scalar;
pub mod solve;
pub mod system;

/// What most programs need.
pub mod prelude {
    pub use crate::integrator::{Integrator, MethodOptions, MethodRegistry};
    pub use crate::manifold::Manifold;
    pub use crate::scalar::Scalar;
    pub use crate::solve::{Observer, Options, Solution, StepView, solve, solve_observed};
    pub use crate::system::{
        Automatic, Direction, EventAction, EventDescription, Layout, MatrixMut, Model, ModelEvents,
        Point, State, System,
    };
}
