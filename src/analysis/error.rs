//! Errors of analyses.

use super::Entry;
use crate::linalg::KktError;
use crate::system::{ConsistencyError, DynamicsError, EvaluationError, Short};
use thiserror::Error;

/// An analysis has no answer.
///
/// ```
/// use liedae::analysis::{AnalysisError, static_equilibrium};
/// use liedae::system::{Evaluator, System};
///
/// // A ball of 2 kg that nothing holds.
/// let mut ball = liedae::model([0.0, 0.0], [0.0, 0.0])
///     .mass(2.0)
///     .force(|_t, _q, _v| [0.0, -2.0 * 9.81])
///     .build()?;
/// let start = ball.initial_state();
/// match static_equilibrium(&mut Evaluator::new(&mut ball), &start, &Default::default()) {
///     Err(AnalysisError::NoEquilibrium { component, remaining, .. }) => {
///         assert_eq!((component.index, remaining), (1, 2.0 * 9.81));
///     }
///     other => panic!("it falls: {other:?}"),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
pub enum AnalysisError {
    /// A function of the system failed.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// The accelerations could not be found.
    #[error(transparent)]
    Dynamics(#[from] DynamicsError),
    /// The state does not fit the system, or contradicts its constraints.
    #[error(transparent)]
    State(#[from] ConsistencyError),
    /// A linear system has no solution.
    #[error("the linear equations of the analysis cannot be solved: {0}")]
    Linear(#[from] KktError),
    /// Eigenvalues or singular values could not be computed.
    #[error("the {0} did not converge")]
    Decomposition(&'static str),
    /// Derivatives of the system are not finite, or so large that their products are not.
    #[error("derivatives of the system are not finite, or too large for products of them")]
    NotFinite,
    /// The constraints cannot be met, or not from this guess.
    #[error(
        "the constraints cannot be met from this guess: after {iterations} iterations {row} is still violated by {violation:.3e}; \
         the dimensions contradict each other, or the guess is too far away"
    )]
    NotAssembled {
        /// The row that is violated most.
        row: Entry,
        /// Its value.
        violation: f64,
        /// Iterations taken.
        iterations: usize,
    },
    /// No equilibrium was found.
    #[error(
        "no equilibrium was found: after {iterations} iterations {remaining:.3e} is left along {component}; there may be none, as for a body that falls freely"
    )]
    NoEquilibrium {
        /// Where the largest force is left that nothing balances.
        component: Entry,
        /// This force, N or N m, or rate of a differential state.
        remaining: f64,
        /// Iterations taken.
        iterations: usize,
    },
    /// Drives do not prescribe the whole motion.
    #[error(
        "the constraints leave {freedom} degree(s) of freedom at t = {}, along {moving} among others: a kinematic analysis needs drives that prescribe all motion",
        Short(*t)
    )]
    NotPrescribed {
        /// Time in s.
        t: f64,
        /// Degrees of freedom that are left.
        freedom: usize,
        /// What moves most where they do.
        moving: Entry,
    },
    /// The state moves in a way that no turning frame brings to rest.
    #[error(
        "the state is no equilibrium and no steady turning: {component} changes at a rate of {rate:.3e}; \
         frequencies about a state that moves on would depend on time"
    )]
    Unsteady {
        /// What changes fastest.
        component: Entry,
        /// Its rate.
        rate: f64,
    },
    /// The equations of small motions about a steady motion depend on time.
    #[error(
        "the equations of small motions change along the steady motion, by {change:.1e} of their largest entry: their coefficients are \
         periodic in time, and have no eigenvalues (a body that is not round spins, or another frame must be named)"
    )]
    Periodic {
        /// The largest change, relative.
        change: f64,
    },
    /// Actuators do not suffice, or forces of actuators are not unique.
    #[error(
        "{actuators} actuator(s) cannot give these accelerations: a force of {remaining:.3e} is left along {component}"
    )]
    NotActuated {
        /// How many actuators there are.
        actuators: usize,
        /// Force that is left.
        remaining: f64,
        /// Where.
        component: Entry,
    },
    /// The wanted acceleration contradicts the constraints.
    #[error("the acceleration contradicts {row} by {violation:.3e}: it must satisfy G v' + γ = 0")]
    ForbiddenAcceleration {
        /// The row that is violated most.
        row: Entry,
        /// By how much.
        violation: f64,
    },
    /// Several combinations of actuators do the same.
    #[error(
        "the forces of the actuators are not unique: {excess} combination(s) of them, with reactions of joints, do nothing"
    )]
    RedundantActuators {
        /// How many.
        excess: usize,
    },
    /// Slices or matrices of wrong sizes.
    #[error("{what} has {found} entries where {expected} are needed")]
    Length {
        /// What.
        what: &'static str,
        /// Its length.
        found: usize,
        /// What it should be.
        expected: usize,
    },
    /// Systems whose differential states have a singular matrix E.
    #[error(
        "E of E x' = d is singular: differential states of a differential-algebraic kind are not linearized"
    )]
    SingularDescriptor,
}
