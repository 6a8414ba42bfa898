//! The trait `System`, by which integrators see a system.

use crate::system::{
    Balance, BalanceDerivatives, Branches, Energy, EvaluationError, EventHandling, EventReport,
    Events, Labels, Layout, Outputs, Point, Properties, SecondDerivatives, Spatial, State, Wanted,
};
use std::any::{Any, TypeId};

/// Derivatives of the rates r = (f, d, a), all in the pattern [`Layout::rates`] but the last.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::RatesJacobian;
///
/// // The stiffness and the damping of a mass on a spring of 100 N/m with a damper of 3 N s/m.
/// let mut mass = liedae::model([1.0], [0.0])
///     .mass(1.0)
///     .force(|_t, [x], [v]| [x * -100.0 - v * 3.0])
///     .build()?;
/// let start = mass.initial_state();
/// let mut jacobian = RatesJacobian::new(mass.layout());
/// mass.rates_jacobian(&start.point(), &mut jacobian)?;
/// assert_eq!((jacobian.by_position, jacobian.by_velocity), (vec![-100.0], vec![-3.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RatesJacobian {
    /// ∂r/∂(q, x, z); the configuration in local coordinates, q · exp(δ) at δ = 0.
    pub by_position: Vec<f64>,
    /// ∂r/∂v in the first columns, zero elsewhere.
    pub by_velocity: Vec<f64>,
    /// ∂a/∂λ, dense, `algebraic` x `rows`, row-major.
    pub by_multiplier: Vec<f64>,
}

impl RatesJacobian {
    /// Zero derivatives of the right sizes.
    pub fn new(layout: &Layout) -> Self {
        Self {
            by_position: vec![0.0; layout.rates.nnz()],
            by_velocity: vec![0.0; layout.rates.nnz()],
            by_multiplier: vec![0.0; layout.algebraic * layout.rows()],
        }
    }
}

/// A system of ODEs and DAEs on a Lie group as integrators see it; the form is in the [module's documentation](crate::system).
///
/// Nine functions state the equations. The others name what a system may have beside them, and have defaults: second derivatives
/// by differences, no outputs, no energy, no events, nothing to settle before a run.
///
/// Every `out` slice has the length that the layout states and is overwritten entirely. Implementations may keep
/// workspaces (hence `&mut self`) but must be functions of their arguments: the same point gives the same answer.
pub trait System {
    /// Sizes and sparsity.
    fn layout(&self) -> &Layout;

    /// The initial state that the statement of the problem gives.
    fn initial_state(&self) -> State;

    /// Values of the mass matrix M(t, q) in the pattern [`Layout::mass`].
    fn mass_matrix(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError>;

    /// Forces f (with gyroscopic terms), differential rates d and algebraic residuals a, in this order.
    fn rates(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError>;

    /// Derivatives of the rates.
    fn rates_jacobian(
        &mut self,
        at: &Point,
        out: &mut RatesJacobian,
    ) -> Result<(), EvaluationError>;

    /// Position rows g(t, q).
    fn position_constraint(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError>;

    /// All rows at velocity level: G v + ∂g/∂t for position rows, b for velocity rows.
    fn velocity_constraint(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError>;

    /// Values of the constraint Jacobian in the pattern [`Layout::jacobian`].
    fn constraint_jacobian(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError>;

    /// The bias γ of all rows at acceleration level, G v' + γ = 0.
    fn acceleration_bias(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError>;

    /// Several of these functions at one point in one pass, for systems that share work among them, such as sines and cosines.
    /// Returns true if it wrote everything requested, with the same values as the single functions; otherwise it writes nothing
    /// and returns false.
    fn at_point(&mut self, _at: &Point, _wanted: &mut Wanted) -> Result<bool, EvaluationError> {
        Ok(false)
    }

    /// The balance of forces at an iterate of an implicit step with this acceleration, in one pass without M and G: long
    /// mechanisms would write these to memory and read them again. For systems without x and z all of whose rows are position
    /// rows. Returns true if it wrote everything requested, with the values of the functions above up to round-off; otherwise it
    /// writes nothing and returns false. Methods request forces alone, with rows at one level, or with rows at all three levels,
    /// and with G and sizes if they use these. An implementation must refuse a set that it cannot write completely.
    fn balance(
        &mut self,
        _at: &Point,
        _acceleration: &[f64],
        _wanted: &mut Balance,
    ) -> Result<bool, EvaluationError> {
        Ok(false)
    }

    /// The derivatives of what [`balance`](Self::balance) gives at this acceleration, in one pass, for the same systems. Returns
    /// true if it wrote everything requested, with the values of [`rates_jacobian`](Self::rates_jacobian) and
    /// [`second_derivatives`](Self::second_derivatives) up to round-off; otherwise it writes nothing and returns false.
    fn balance_derivatives(
        &mut self,
        _at: &Point,
        _acceleration: &[f64],
        _wanted: &mut BalanceDerivatives,
    ) -> Result<bool, EvaluationError> {
        Ok(false)
    }

    /// Exact second derivatives, where the system has them; without, [`geometric_stiffness`](crate::system::geometric_stiffness) and
    /// its likes take differences.
    fn second_derivatives(&mut self) -> Option<&mut dyn SecondDerivatives> {
        None
    }

    /// Spurious solutions of its position rows, such as axes that point opposite ways, if the system knows them.
    fn branches(&mut self) -> Option<&mut dyn Branches> {
        None
    }

    /// Its outputs, where the system has any.
    fn outputs(&mut self) -> Option<&mut dyn Outputs> {
        None
    }

    /// Its energy, where the system knows it.
    fn energy(&mut self) -> Option<&mut dyn Energy> {
        None
    }

    /// Quantities that are conserved or bounded, where the system states any.
    fn properties(&mut self) -> Option<&mut dyn Properties> {
        None
    }

    /// Names of rows and velocities, where the system has any.
    fn labels(&self) -> Option<&dyn Labels> {
        None
    }

    /// Its orientation and momentum in space, where the system knows them.
    fn spatial(&self) -> Option<&dyn Spatial> {
        None
    }

    /// Its events, where the system has any.
    fn events(&mut self) -> Option<&mut dyn Events> {
        None
    }

    /// An extension of a layer above the framework, found by its type: contacts, for methods that capture them within their
    /// steps. A wrapper passes unknown types on to the system inside.
    fn extension(&mut self, _wanted: TypeId) -> Option<&mut dyn Any> {
        None
    }

    /// Called before a run begins from `state`: the system settles its modes and, with them, its layout and event functions, and
    /// gives the state their shape. Returns the changes of the state at that moment, for the record of events.
    fn prepare(
        &mut self,
        _state: &mut State,
        _events: EventHandling,
    ) -> Result<Vec<EventReport>, EvaluationError> {
        Ok(Vec::new())
    }
}
