//! Why equations of motion could not be solved.

use crate::linalg::KktError;
use crate::system::{EvaluationError, Short};
use thiserror::Error;

/// The equations of motion could not be solved at one moment.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{AccelerationSolver, DynamicsError, EvaluationError, Evaluator, Function};
///
/// // A force with the root of a negative number.
/// let mut mass = liedae::model([-1.0], [0.0]).mass(1.0).force(|_t, [x], _v| [x.sqrt()]).build()?;
/// let mut state = mass.initial_state();
/// let mut solver = AccelerationSolver::new(mass.layout())?;
/// let found = solver.complete(&mut Evaluator::new(&mut mass), &mut state);
/// let Err(DynamicsError::Evaluation(EvaluationError::NonFinite { function, index, .. })) = found else {
///     panic!("it is not a number")
/// };
/// assert_eq!((function, index), (Function::Rates, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DynamicsError {
    /// A function of the system failed.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// The linear system is singular, inconsistent or not finite.
    #[error("at t = {}: {source}", Short(*t))]
    Linear {
        /// Time in s.
        t: f64,
        /// The solver's finding.
        source: KktError,
    },
    /// An iteration did not converge.
    #[error(
        "{what} did not converge at t = {}: after {iterations} iterations the last correction is {correction:.1e}",
        Short(*t)
    )]
    NotConverged {
        /// Which iteration.
        what: &'static str,
        /// Time in s.
        t: f64,
        /// Iterations taken.
        iterations: usize,
        /// Norm of the last correction.
        correction: f64,
    },
    /// Rows without derivatives do not hold at the end of a step, although the method has found nothing left to correct.
    #[error(
        "the rows without derivatives do not hold at t = {}: what they determine is {tolerances:.1e} tolerances or more off their solution",
        Short(*t)
    )]
    NotSolved {
        /// End of the step in s.
        t: f64,
        /// So many tolerances a variable is off, or more.
        tolerances: f64,
    },
    /// A row that carried no multiplier, being redundant at the start of the step, was not implied by the others.
    #[error(
        "constraint row {row} is redundant at the start of the step that ends at t = {}, and violated by {violation:.1e} at its end",
        Short(*t)
    )]
    NotImplied {
        /// End of the step in s.
        t: f64,
        /// The row.
        row: usize,
        /// Its value at position or velocity level over the length of its gradient.
        violation: f64,
    },
}
