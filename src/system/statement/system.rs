//! What integrators see of a system.

use crate::system::automatic::differences;
use crate::system::{
    EvaluationError, EventHandling, EventReport, Events, Function, Layout, Point, State,
};
use std::any::{Any, TypeId};

/// Derivatives of the rates r = (f, d, a), all in the pattern [`Layout::rates`] but the last.
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
/// Nine functions state the equations. The others have defaults: second derivatives by differences, no outputs, no energy, no
/// events.
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

    /// The geometric stiffness ∂(M(t,q) a - G(t,q)ᵀ λ)/∂q at fixed acceleration `a` and multipliers `at.lambda`, in
    /// local coordinates q · exp(δ) at δ = 0 and in the pattern [`Layout::stiffness_pattern`]. With -∂f/∂q it is the
    /// tangent stiffness K_t of implicit methods (Haddouni et al. 2017, eq. 19, doi:10.1007/s11044-017-9570-y).
    ///
    /// The default takes central differences (about 10 digits) and allocates; [`Automatic`](crate::system::Automatic) is exact.
    fn geometric_stiffness(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        differences::geometric_stiffness(self, at, acceleration, out)
    }

    /// The derivative of all rows at velocity level by the configuration, ∂(G v + ∂g/∂t)/∂q and ∂b/∂q, in the pattern
    /// [`Layout::jacobian`]. The default is as that of [`geometric_stiffness`](Self::geometric_stiffness).
    fn velocity_constraint_jacobian(
        &mut self,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        differences::velocity_constraint_jacobian(self, at, out)
    }

    /// The derivatives of all rows at acceleration level, ∂(G a + γ)/∂q and ∂γ/∂v at fixed acceleration `a`, both in
    /// the pattern [`Layout::jacobian`]. The default is as that of [`geometric_stiffness`](Self::geometric_stiffness).
    fn acceleration_constraint_jacobian(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    ) -> Result<(), EvaluationError> {
        differences::acceleration_constraint_jacobian(
            self,
            at,
            acceleration,
            by_position,
            by_velocity,
        )
    }

    /// Names of the outputs; none by default.
    fn output_names(&self) -> &[String] {
        &[]
    }

    /// Values of the outputs, as many as names, from a state with its accelerations and multipliers. Who states names states them.
    fn outputs(&mut self, state: &State, out: &mut [f64]) -> Result<(), EvaluationError> {
        if out.is_empty() {
            return Ok(());
        }
        Err(EvaluationError::Failed {
            function: Function::Outputs,
            t: state.t,
            reason: "System::output_names is stated, and System::outputs is not".to_owned(),
        })
    }

    /// Total energy in J, where the system knows it.
    fn energy(&mut self, _at: &Point) -> Option<f64> {
        None
    }

    /// Whether the [`energy`](Self::energy) counts as a constraint: it changes at events only, and methods that project onto the
    /// constraints hold it as it was at the start or after the last event ([`Projector::project_energy`](crate::system::Projector::project_energy)). Only for
    /// systems whose forces at rest are the negative gradient of the potential energy, and whose constraints do not
    /// depend on t. Other invariants are then conserved to the tolerance only: the momentum of bodies that are free to move as a whole,
    /// the energies of mechanisms that have nothing to do with each other. The default is not to, as published methods do.
    fn keeps_energy(&self) -> bool {
        false
    }

    /// What a layer above the framework adds to a system, by its type, which the layer knows: contacts, for methods that
    /// capture them within their steps. What a system does not know it hands inwards.
    fn extension(&mut self, _wanted: TypeId) -> Option<&mut dyn Any> {
        None
    }

    /// Its events, where the system has any.
    fn events(&mut self) -> Option<&mut dyn Events> {
        None
    }

    /// Called before a run begins from `state`: the system settles its modes and, with them, its layout and event
    /// functions, and gives the state their shape. Returns what has happened to the state at that moment, for the record.
    fn prepare(
        &mut self,
        _state: &mut State,
        _events: EventHandling,
    ) -> Result<Vec<EventReport>, EvaluationError> {
        Ok(Vec::new())
    }
}
