//! Errors of evaluations.

use crate::system::Short;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// A function of a system, as named in errors and statistics.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{EvaluationError, Evaluator, Function};
///
/// // A bead that is held at a place which is no number.
/// let mut bead = liedae::model([1.0], [0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0])
///     .constraint(|_t, [x]| [x - f64::NAN])
///     .build()?;
/// let start = bead.initial_state();
/// let found = Evaluator::new(&mut bead).position_constraint(&start.point(), &mut [0.0]);
/// assert!(matches!(found, Err(EvaluationError::NonFinite { function: Function::PositionConstraint, .. })));
/// assert_eq!(Function::PositionConstraint.to_string(), "position constraint");
/// # Ok::<(), liedae::system::StatementError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// The mass matrix M.
    Mass,
    /// Forces, differential rates and algebraic residuals.
    Rates,
    /// Derivatives of the rates.
    RatesJacobian,
    /// Position constraints g.
    PositionConstraint,
    /// Constraints at velocity level, G v + g_t and b.
    VelocityConstraint,
    /// The constraint Jacobian G.
    ConstraintJacobian,
    /// The bias γ of G v' + γ = 0.
    AccelerationBias,
    /// The geometric stiffness ∂(M a - Gᵀ λ)/∂q.
    GeometricStiffness,
    /// The derivative of the constraints at velocity level by q.
    VelocityConstraintJacobian,
    /// The derivatives of the constraints at acceleration level.
    AccelerationConstraintJacobian,
    /// Event functions.
    Events,
    /// One that a layer above the framework knows, by its name.
    OfLayer(&'static str),
    /// The total energy.
    Energy,
    /// Named outputs.
    Outputs,
    /// The state at the end of a step.
    State,
}

impl fmt::Display for Function {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Mass => "mass matrix",
            Self::Rates => "force or rate",
            Self::RatesJacobian => "derivative of forces and rates",
            Self::PositionConstraint => "position constraint",
            Self::VelocityConstraint => "velocity constraint",
            Self::ConstraintJacobian => "constraint Jacobian",
            Self::AccelerationBias => "acceleration bias of the constraints",
            Self::GeometricStiffness => "geometric stiffness",
            Self::VelocityConstraintJacobian => "derivative of the constraints at velocity level",
            Self::AccelerationConstraintJacobian => {
                "derivative of the constraints at acceleration level"
            }
            Self::Events => "event function",
            Self::OfLayer(name) => name,
            Self::Energy => "energy",
            Self::Outputs => "output",
            Self::State => "state after the step",
        })
    }
}

/// A function of the system did not give a usable answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EvaluationError {
    /// A NaN or an infinity came out.
    #[error(
        "the {function} is not finite at t = {} (entry {index}): check its formula there, or the state it was given",
        Short(*t)
    )]
    NonFinite {
        /// Which function.
        function: Function,
        /// Time of the evaluation in s.
        t: f64,
        /// First offending entry of its result.
        index: usize,
    },
    /// The function itself reports that it cannot be evaluated here.
    #[error("the {function} cannot be evaluated at t = {}: {reason}", Short(*t))]
    Failed {
        /// Which function.
        function: Function,
        /// Time of the evaluation in s.
        t: f64,
        /// The function's own words.
        reason: String,
    },
    /// The mass matrix is not the same everywhere, although the layout says so.
    #[error(
        "the layout says that the mass matrix is constant, but entry ({row}, {column}) is {value:e} in one place and {other:e} in another \
         (rows and columns count from 0): whoever changes the mass of a system states a layout of his own, with `constant_mass: false`"
    )]
    ChangingMass {
        /// Row of the entry.
        row: usize,
        /// Its column.
        column: usize,
        /// Its value where it was evaluated first.
        value: f64,
        /// Its value elsewhere.
        other: f64,
    },
    /// The time limit of the run has passed: nothing is evaluated any more.
    #[error("the time of the run was over before the evaluation")]
    OutOfTime,
    /// An error of the system's own kind.
    #[error(transparent)]
    Foreign(ForeignError),
}

impl EvaluationError {
    /// An error of the system's own kind. Where steps are adaptive, smaller ones are tried.
    pub fn own(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Foreign(ForeignError::new(error))
    }
}

/// An error of a kind that the framework does not know. Two are equal if they say the same.
///
/// ```
/// use liedae::system::{EvaluationError, ForeignError};
/// use std::num::ParseFloatError;
///
/// // A table of a force that could not be read, as it arrives at whoever runs the system.
/// let Err(unread) = "1.5e".parse::<f64>() else { panic!("it is cut off") };
/// let EvaluationError::Foreign(error) = EvaluationError::own(unread.clone()) else { panic!("it is foreign") };
/// assert_eq!(error.downcast_ref::<ParseFloatError>(), Some(&unread));
/// assert_eq!(error, ForeignError::new(unread));
/// ```
#[derive(Clone, Debug)]
pub struct ForeignError(Arc<dyn Error + Send + Sync>);

impl ForeignError {
    /// Carries an error.
    pub fn new(error: impl Error + Send + Sync + 'static) -> Self {
        Self(Arc::new(error))
    }

    /// What was given, if it is of this type.
    pub fn downcast_ref<E: Error + 'static>(&self) -> Option<&E> {
        self.0.downcast_ref()
    }
}

impl From<Box<dyn Error + Send + Sync>> for ForeignError {
    fn from(error: Box<dyn Error + Send + Sync>) -> Self {
        Self(error.into())
    }
}

impl fmt::Display for ForeignError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

impl Error for ForeignError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

impl PartialEq for ForeignError {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_string() == other.0.to_string()
    }
}
