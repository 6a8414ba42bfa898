//! What can go wrong in an analysis.

use crate::linalg::KktError;
use crate::system::{ConsistencyError, DynamicsError, EvaluationError, Short};
use thiserror::Error;

/// An analysis has no answer.
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
    /// The constraints cannot be met, or not from this guess.
    #[error(
        "the constraints cannot be met from this guess: after {iterations} iterations constraint row {row} is still violated by {violation:.3e} \
         (rows count from 0); the dimensions contradict each other, or the guess is too far away"
    )]
    NotAssembled {
        /// The row that is violated most.
        row: usize,
        /// Its value.
        violation: f64,
        /// Iterations taken.
        iterations: usize,
    },
    /// No equilibrium was found.
    #[error(
        "no equilibrium was found: after {iterations} iterations a force of {remaining:.3e} along velocity {component} is left \
         (components count from 0); there may be none, as for a body that falls freely"
    )]
    NoEquilibrium {
        /// Where the largest force is left that nothing balances.
        component: usize,
        /// This force, N or N m.
        remaining: f64,
        /// Iterations taken.
        iterations: usize,
    },
    /// Drives do not prescribe the whole motion.
    #[error(
        "the constraints leave {freedom} degree(s) of freedom at t = {}: a kinematic analysis needs drives that prescribe all motion",
        Short(*t)
    )]
    NotPrescribed {
        /// Time in s.
        t: f64,
        /// Degrees of freedom that are left.
        freedom: usize,
    },
    /// The state moves in a way that no turning frame brings to rest.
    #[error(
        "the state is no equilibrium and no steady turning: {what} changes at a rate of {rate:.3e} (component {component}, counted from 0); \
         frequencies about a state that moves on would depend on time"
    )]
    Unsteady {
        /// What changes.
        what: &'static str,
        /// Largest rate.
        rate: f64,
        /// Its component.
        component: usize,
    },
    /// Actuators do not suffice, or forces of actuators are not unique.
    #[error(
        "{actuators} actuator(s) cannot give these accelerations: a force of {remaining:.3e} is left along velocity {component} (components count from 0)"
    )]
    NotActuated {
        /// How many actuators there are.
        actuators: usize,
        /// Force that is left.
        remaining: f64,
        /// Where.
        component: usize,
    },
    /// The wanted acceleration contradicts the constraints.
    #[error(
        "the acceleration contradicts constraint row {row} by {violation:.3e} (rows count from 0): it must satisfy G v' + γ = 0"
    )]
    ForbiddenAcceleration {
        /// The row that is violated most.
        row: usize,
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
