//! Faults of a system, and their messages.

use crate::system::{ConsistencyError, DynamicsError, LayoutError};
use std::fmt;
use thiserror::Error;

/// A derivative that a system states.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{Derivative, Stated, SystemFault, check_system};
///
/// /// A pendulum with a gradient of its own, from which the factor 2 is missing.
/// struct Pendulum;
/// impl Model for Pendulum {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(2)).with_position_rows(1) }
/// #     fn initial_state(&self) -> State { State { q: vec![0.6, -0.8], ..self.layout().state() } }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         for axis in 0..2 { mass[(axis, axis)] = S::constant(1.0); }
/// #     }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) { force[1] = S::constant(-9.81); }
///     fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
///         g[0] = at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0;
///     }
///     fn constraint_jacobian(&self, at: &Point, jacobian: &mut MatrixMut<f64>) -> Derivative {
///         jacobian[(0, 0)] = at.q[0];
///         jacobian[(0, 1)] = at.q[1];
///         Derivative::Analytic
///     }
/// }
///
/// let mut system = Automatic::new(Pendulum);
/// let start = system.initial_state();
/// let report = check_system(&mut system, &start)?;
/// let Some(SystemFault::Derivative { stated, .. }) = report.faults.first() else { panic!("a derivative is wrong") };
/// assert_eq!(*stated, Stated::ConstraintJacobian);
/// # Ok::<(), liedae::system::SystemCheckError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stated {
    /// ∂r/∂(q, x, z) of the rates r = (f, d, a).
    RatesByPosition,
    /// ∂r/∂v.
    RatesByVelocity,
    /// ∂a/∂λ of the algebraic residuals.
    ResidualsByMultiplier,
    /// G = ∂g/∂q, and ∂b/∂v of velocity rows.
    ConstraintJacobian,
    /// G v + ∂g/∂t, the time derivative of g.
    VelocityConstraint,
    /// γ, what is left of the second time derivative without accelerations.
    AccelerationBias,
}

impl fmt::Display for Stated {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::RatesByPosition => "the derivative of the rates by (q, x, z)",
            Self::RatesByVelocity => "the derivative of the rates by v",
            Self::ResidualsByMultiplier => "the derivative of the algebraic residuals by λ",
            Self::ConstraintJacobian => "the constraint Jacobian",
            Self::VelocityConstraint => "the constraint at velocity level",
            Self::AccelerationBias => "the acceleration bias",
        })
    }
}

/// What does not fit in a system. Rows and columns count from 0.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{Derivative, SystemFault, check_system};
///
/// /// A pendulum with a gradient of its own, from which the factor 2 is missing.
/// struct Pendulum;
/// impl Model for Pendulum {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(2)).with_position_rows(1) }
/// #     fn initial_state(&self) -> State { State { q: vec![0.6, -0.8], ..self.layout().state() } }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         for axis in 0..2 { mass[(axis, axis)] = S::constant(1.0); }
/// #     }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) { force[1] = S::constant(-9.81); }
///     fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
///         g[0] = at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0;
///     }
///     fn constraint_jacobian(&self, at: &Point, jacobian: &mut MatrixMut<f64>) -> Derivative {
///         jacobian[(0, 0)] = at.q[0];
///         jacobian[(0, 1)] = at.q[1];
///         Derivative::Analytic
///     }
/// }
///
/// let mut system = Automatic::new(Pendulum);
/// let start = system.initial_state();
/// let report = check_system(&mut system, &start)?;
/// // The largest difference is that of the column of y.
/// let Some(&SystemFault::Derivative { row, column, value, difference, .. }) = report.faults.first() else {
///     panic!("a derivative is wrong")
/// };
/// assert_eq!((row, column, value), (0, 1, -0.8));
/// assert!((difference + 1.6).abs() < 1e-6);
/// # Ok::<(), liedae::system::SystemCheckError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SystemFault {
    /// A derivative is not what differences say.
    #[error("{stated} in row {row}, column {column} is {value:e}; differences say {difference:e}")]
    Derivative {
        /// Which one.
        stated: Stated,
        /// Its row.
        row: usize,
        /// Its column; 0 for what has a single one.
        column: usize,
        /// What the system says.
        value: f64,
        /// What differences say; the system's pattern may have no place for it.
        difference: f64,
    },
    /// A function of the same point has given two values.
    #[error(
        "the {function} in row {row} is {first:e}, and at the same point {second:e} when asked again"
    )]
    NotAFunction {
        /// Which one.
        function: &'static str,
        /// Its row.
        row: usize,
        /// The first value.
        first: f64,
        /// The second one.
        second: f64,
    },
    /// What [`System::at_point`](crate::system::System::at_point) or
    /// [`System::balance`](crate::system::System::balance) says is not what the functions say by themselves.
    #[error(
        "the {function} in place {place} is {alone:e}, and with other functions at the same point {together:e}"
    )]
    AtPoint {
        /// Which one.
        function: &'static str,
        /// The place among its values.
        place: usize,
        /// The value by itself.
        alone: f64,
        /// The value together with others.
        together: f64,
    },
    /// A system that says that it keeps its energy does not.
    #[error("the energy, which the system says it keeps, changes by {rate:e} W at the start")]
    Energy {
        /// Its rate in W.
        rate: f64,
    },
}

impl SystemFault {
    /// Whether both are of the same derivative.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Derivative { stated: a, .. }, Self::Derivative { stated: b, .. }) => a == b,
            _ => false,
        }
    }
}

/// A system cannot be checked.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{ConsistencyError, SystemCheckError, check_system};
///
/// // A state of another system.
/// let mut oscillator = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, [x], _v| [x * -100.0]).build()?;
/// let other = State { q: vec![0.0; 2], ..oscillator.initial_state() };
/// let Err(SystemCheckError::Consistency(error)) = check_system(&mut oscillator, &other) else {
///     panic!("it has one coordinate")
/// };
/// assert!(matches!(error, ConsistencyError::Length { found: 2, expected: 1, .. }));
/// # Ok::<(), liedae::system::StatementError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SystemCheckError {
    /// The layout does not fit together.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The state has the wrong shape, or the mass matrix is none.
    #[error(transparent)]
    Consistency(#[from] ConsistencyError),
    /// A function or the linear algebra fails.
    #[error(transparent)]
    Dynamics(#[from] DynamicsError),
}

impl From<crate::system::EvaluationError> for SystemCheckError {
    fn from(error: crate::system::EvaluationError) -> Self {
        Self::Dynamics(error.into())
    }
}
