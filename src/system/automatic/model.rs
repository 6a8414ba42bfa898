//! From a [`Model`] to a [`System`]: every derivative that the model does not give comes from forward-mode duals.

use crate::manifold::Manifold;
use crate::scalar::{Dual, Taylor2};
use crate::system::automatic::arguments::{Arguments, CHUNK, evaluate_rates};
use crate::system::automatic::balance::BalanceSweeps;
use crate::system::automatic::rate_sweeps::RateSweep;
use crate::system::automatic::second_derivatives::SecondSweeps;
use crate::system::automatic::sweeps::Sweep;
use crate::system::dynamics::deadline::is_over_for_derivatives;
use crate::system::{
    Balance, BalanceDerivatives, Derivative, Energy, EvaluationError, EventDescription,
    EventHandling, EventReport, Events, Labels, Layout, MatrixView, Model, ModelBalance,
    ModelEvents, Outputs, Point, Properties, Property, RatesJacobian, SecondDerivatives, Spatial,
    State, System, Wanted, clear,
};
use std::any::{Any, TypeId};
use thiserror::Error;

/// A model was run without the layer that looks after a part of it.
///
/// ```
/// use liedae::integrator::Dopri5;
/// use liedae::prelude::*;
/// use liedae::system::LayerMissing;
///
/// /// A ball above a floor, of which this crate knows nothing.
/// struct Ball;
/// impl Model for Ball {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(1)) }
/// #     fn initial_state(&self) -> State { State { q: vec![1.0], ..self.layout().state() } }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         mass[(0, 0)] = S::constant(1.0);
/// #     }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) { force[0] = S::constant(-9.81); }
///     // Not without its floor.
///     fn needs_layer(&self) -> bool { true }
/// }
///
/// let Err(error) = solve(&mut Automatic::new(Ball), &Dopri5::default(), &Options::adaptive(1.0, 1e-6, 1e-6)) else {
///     panic!("it would fall through")
/// };
/// assert!(error.to_string().contains(&LayerMissing.to_string()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "the model needs a layer above (Model::needs_layer), such as the one that looks after contacts: hand the model to that layer \
     instead of Automatic"
)]
pub struct LayerMissing;

/// A [`Model`] as a [`System`].
///
/// The constraint Jacobian is differentiated in local coordinates q · exp(δ) at δ = 0. Time derivatives of the
/// constraints are directional: along q · exp(s v), t + s the first derivative of g is G v + ∂g/∂t and the second is
/// the bias γ, exactly and in one evaluation. Nothing is allocated after construction.
///
/// Second derivatives pass through a dense mass matrix; a system with hundreds of unknowns implements [`System`] itself.
///
/// ```
/// use liedae::prelude::*;
///
/// /// A point mass on a rod of 1 m.
/// struct Pendulum;
/// impl Model for Pendulum {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(2)).with_position_rows(1) }
/// #     fn initial_state(&self) -> State { State { q: vec![1.0, 0.0], ..self.layout().state() } }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         for axis in 0..2 { mass[(axis, axis)] = S::constant(1.0); }
/// #     }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) { force[1] = S::constant(-9.81); }
///     fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
///         g[0] = (at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0) * 0.5;
///     }
/// }
///
/// let mut system = Automatic::new(Pendulum);
/// let state = system.initial_state();
/// let mut jacobian = [0.0; 2];
/// system.constraint_jacobian(&state.point(), &mut jacobian)?;
/// assert_eq!(jacobian, [1.0, 0.0]); // ∂g = (x, y), by duals
/// # Ok::<(), liedae::system::EvaluationError>(())
/// ```
pub struct Automatic<M> {
    pub(in crate::system) model: M,
    pub(in crate::system) layout: Layout,
    pub(super) output_names: Vec<String>,
    pub(super) events: Vec<EventDescription>,
    pub(super) time_events: Vec<f64>,
    pub(in crate::system) dual: Arguments<Dual<CHUNK>>,
    pub(in crate::system) curve: Arguments<Taylor2>,
    /// Sets of functions that the model does not offer at one point; each is asked for once.
    without_at_point: u32,
    mass_view: MatrixView,
    jacobian_view: MatrixView,
    rates_view: MatrixView,
    pub(super) sweeps: Vec<Sweep>,
    rate_sweeps: Vec<RateSweep>,
    pub(in crate::system) second: SecondSweeps,
    /// Sets of rows for which the model does not state its balance of forces; each is asked for once.
    without_balance: u32,
    /// Made when first asked for: most models have none.
    balance: Option<Box<BalanceSweeps>>,
    pub(super) keeps_energy: bool,
    pub(super) properties: Vec<Property>,
}

/// A bit for each set of what may be wanted together.
fn set_of<const N: usize>(wanted: [bool; N]) -> u32 {
    let number = |(place, wanted)| u32::from(wanted) << place;
    1 << (0..).zip(wanted).map(number).sum::<u32>()
}

/// The set of functions that are wanted at one point.
fn functions_of(wanted: &Wanted) -> u32 {
    set_of([
        wanted.mass.is_some(),
        wanted.rates.is_some(),
        wanted.jacobian.is_some(),
        wanted.velocity_constraint.is_some(),
        wanted.acceleration_bias.is_some(),
    ])
}

impl<M: Model> Automatic<M> {
    /// Wraps a model.
    pub fn new(model: M) -> Self {
        let layout = model.layout();
        // A layout that is refused is not allocated by.
        let (own, output_names) = match layout.is_too_large() {
            true => (Layout::dense(Manifold::euclidean(0)), Vec::new()),
            false => (layout.clone(), model.output_names()),
        };
        let sweeps = Sweep::all(&own);
        Self {
            output_names,
            events: (model.events()).map_or_else(Vec::new, ModelEvents::descriptions),
            time_events: (model.events()).map_or_else(Vec::new, ModelEvents::time_events),
            dual: Arguments::new(&own),
            curve: Arguments::new(&own),
            without_at_point: 0,
            mass_view: MatrixView::of(&own.mass),
            jacobian_view: MatrixView::of(&own.jacobian),
            rates_view: MatrixView::of(&own.rates),
            second: SecondSweeps::new(&own, &sweeps),
            sweeps,
            rate_sweeps: RateSweep::all(&own),
            without_balance: 0,
            balance: None,
            keeps_energy: model.keeps_energy(),
            properties: model.properties(),
            layout,
            model,
        }
    }

    /// The same, with the energy as a constraint that projections hold, see [`Energy::is_kept`].
    #[must_use]
    pub fn keeping_energy(mut self) -> Self {
        self.keeps_energy = true;
        self
    }

    /// Lets the model write derivatives of the rates, but for those by λ, into what is zero then; false where it leaves them to automatic
    /// differentiation.
    fn state_rates_jacobian(&self, at: &Point, out: &mut RatesJacobian) -> bool {
        let mut by_position = self.rates_view.zeroed(&mut out.by_position);
        let mut by_velocity = self.rates_view.zeroed(&mut out.by_velocity);
        let stated = (self.model).rates_jacobian(at, &mut by_position, &mut by_velocity);
        stated == Derivative::Analytic
    }

    /// What the model says of its last answers.
    #[inline]
    fn checked(&self) -> Result<(), EvaluationError> {
        match self.model.fault() {
            None => Ok(()),
            Some(fault) => Err(EvaluationError::Foreign(fault)),
        }
    }

    /// The model.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// Gives the model back.
    pub fn into_model(self) -> M {
        self.model
    }
}

impl<M: Model> System for Automatic<M> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn initial_state(&self) -> State {
        self.model.initial_state()
    }

    fn extension(&mut self, wanted: TypeId) -> Option<&mut dyn Any> {
        let model = self.model.as_any()?;
        ((*model).type_id() == wanted).then_some(model)
    }

    fn mass_matrix(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        (self.model).mass_matrix(at, &mut self.mass_view.zeroed(out));
        self.checked()
    }

    fn rates(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        clear(out);
        evaluate_rates(&self.model, &self.layout, at, out);
        self.checked()
    }

    fn rates_jacobian(
        &mut self,
        at: &Point,
        out: &mut RatesJacobian,
    ) -> Result<(), EvaluationError> {
        let stated = self.state_rates_jacobian(at, out);
        let (layout, workspace) = (&self.layout, &mut self.dual);
        let rows = layout.rows();
        if !stated {
            for sweep in &self.rate_sweeps {
                if is_over_for_derivatives() {
                    break;
                }
                sweep.evaluate(&self.model, layout, workspace, at, out);
            }
        }

        if layout.algebraic > 0 {
            for first in (0..rows).step_by(CHUNK) {
                workspace.load(at);
                let columns = first..(first + CHUNK).min(rows);
                for column in columns.clone() {
                    workspace.lambda[column].gradient[column - first] = 1.0;
                }
                let (point, result) = workspace.split(at.mode);
                self.model
                    .algebraic_residual(&point, &mut result[..layout.algebraic]);
                for (row, entry) in result[..layout.algebraic].iter().enumerate() {
                    for column in columns.clone() {
                        out.by_multiplier[row * rows + column] = entry.gradient[column - first];
                    }
                }
            }
        }
        self.checked()
    }

    fn position_constraint(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        clear(out);
        self.model.position_constraint(at, out);
        self.checked()
    }

    fn velocity_constraint(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        let (position, velocity) = out.split_at_mut(self.layout.position_rows);
        velocity.fill(0.0);
        self.model.velocity_constraint(at, velocity);
        if !position.is_empty() {
            self.curve.follow(&self.layout.space, at);
            let (point, result) = self.curve.split(at.mode);
            self.model
                .position_constraint(&point, &mut result[..position.len()]);
            for (slot, row) in position.iter_mut().zip(result.iter()) {
                *slot = row.first;
            }
        }
        self.checked()
    }

    fn constraint_jacobian(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        let layout = &self.layout;
        if layout.rows() == 0 {
            return Ok(());
        }
        let mut matrix = self.jacobian_view.zeroed(out);
        if self.model.constraint_jacobian(at, &mut matrix) == Derivative::Analytic {
            return Ok(());
        }
        clear(out);
        let workspace = &mut self.dual;
        let position_rows = layout.position_rows;
        for sweep in &self.sweeps {
            if is_over_for_derivatives() {
                break;
            }
            workspace.displace_along(&layout.space, at, sweep.seeds.iter().copied());
            let (point, result) = workspace.split(at.mode);
            self.model
                .position_constraint(&point, &mut result[..position_rows]);
            for &(row, direction, position) in &sweep.entries {
                if row < position_rows {
                    out[position] = result[row].gradient[direction];
                }
            }
            if layout.velocity_rows > 0 {
                workspace.load(at);
                for &(column, direction) in &sweep.seeds {
                    workspace.v[column].gradient[direction] = 1.0;
                }
                let (point, result) = workspace.split(at.mode);
                self.model
                    .velocity_constraint(&point, &mut result[..layout.velocity_rows]);
                for &(row, direction, position) in &sweep.entries {
                    if row >= position_rows {
                        out[position] = result[row - position_rows].gradient[direction];
                    }
                }
            }
        }
        self.checked()
    }

    fn acceleration_bias(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        clear(out);
        if self.model.acceleration_bias(at, out) == Derivative::Analytic {
            return Ok(());
        }
        self.curve.follow(&self.layout.space, at);
        let (position, velocity) = out.split_at_mut(self.layout.position_rows);
        let (point, result) = self.curve.split(at.mode);
        self.model
            .position_constraint(&point, &mut result[..position.len()]);
        for (slot, row) in position.iter_mut().zip(result.iter()) {
            *slot = row.second;
        }
        if !velocity.is_empty() {
            let (point, result) = self.curve.split(at.mode);
            self.model
                .velocity_constraint(&point, &mut result[..velocity.len()]);
            for (slot, row) in velocity.iter_mut().zip(result.iter()) {
                *slot = row.first;
            }
        }
        self.checked()
    }

    fn at_point(&mut self, at: &Point, wanted: &mut Wanted) -> Result<bool, EvaluationError> {
        // Hardly any model offers some sets and not others.
        if self.without_at_point != 0 && self.without_at_point & functions_of(wanted) != 0 {
            return Ok(false);
        }
        let dimension = self.layout.dimension();
        let mut of_model = Wanted {
            mass: (wanted.mass.as_deref_mut()).map(|out| self.mass_view.zeroed(out)),
            rates: wanted.rates.as_deref_mut().map(|out| {
                clear(out);
                &mut out[..dimension]
            }),
            jacobian: (wanted.jacobian.as_deref_mut()).map(|out| self.jacobian_view.zeroed(out)),
            velocity_constraint: wanted.velocity_constraint.as_deref_mut(),
            acceleration_bias: wanted.acceleration_bias.as_deref_mut(),
        };
        if let Some(rows) = &mut of_model.velocity_constraint {
            clear(rows);
        }
        if let Some(rows) = &mut of_model.acceleration_bias {
            clear(rows);
        }
        if self.model.at_point(at, &mut of_model) != Derivative::Analytic {
            self.without_at_point |= functions_of(wanted);
            return Ok(false);
        }
        if let Some(out) = wanted.rates.as_deref_mut() {
            let (rate, residual) = out[dimension..].split_at_mut(self.layout.differential);
            self.model.differential_rate(at, rate);
            self.model.algebraic_residual(at, residual);
        }
        Ok(true)
    }

    fn balance(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        wanted: &mut Balance,
    ) -> Result<bool, EvaluationError> {
        let (Some(forces), None, None) = (&mut wanted.forces, &wanted.jacobian, &wanted.sizes)
        else {
            return Ok(false);
        };
        let set = set_of([
            wanted.position.is_some(),
            wanted.velocity.is_some(),
            wanted.acceleration.is_some(),
        ]);
        if self.without_balance & set != 0 {
            return Ok(false);
        }
        let (mut position, factor) = match &mut wanted.position {
            Some((rows, factor)) => (Some(&mut **rows), *factor),
            None => (None, 1.0),
        };
        let mut out = ModelBalance {
            forces,
            position: position.as_deref_mut(),
            velocity: wanted.velocity.as_deref_mut(),
            acceleration: wanted.acceleration.as_deref_mut(),
        };
        clear(out.forces);
        let rows = [&mut out.position, &mut out.velocity, &mut out.acceleration];
        for rows in rows.into_iter().flatten() {
            clear(rows);
        }
        if self.model.balance(at, acceleration, &mut out) != Derivative::Analytic {
            self.without_balance |= set;
            return Ok(false);
        }
        if factor != 1.0 {
            for row in position.into_iter().flatten() {
                *row *= factor;
            }
        }
        Ok(true)
    }

    fn balance_derivatives(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        wanted: &mut BalanceDerivatives,
    ) -> Result<bool, EvaluationError> {
        let set = set_of([
            false,
            wanted.velocity_rows.is_some(),
            wanted.acceleration_rows.is_some(),
        ]);
        if self.without_balance & set != 0 {
            return Ok(false);
        }
        if self.balance.is_none() {
            // Patterns that do not fit are reported by the layout's own check.
            self.balance = BalanceSweeps::new(&self.layout).ok().map(Box::new);
        }
        let (model, layout) = (&self.model, &self.layout);
        let given = self
            .balance
            .as_mut()
            .map(|sweeps| sweeps.evaluate(model, layout, at, acceleration, wanted));
        if given != Some(Derivative::Analytic) {
            self.without_balance |= set;
            return Ok(false);
        }
        Ok(true)
    }

    fn second_derivatives(&mut self) -> Option<&mut dyn SecondDerivatives> {
        Some(self)
    }

    fn outputs(&mut self) -> Option<&mut dyn Outputs> {
        Some(self)
    }

    fn properties(&mut self) -> Option<&mut dyn Properties> {
        if self.properties.is_empty() {
            return None;
        }
        Some(self)
    }

    fn energy(&mut self) -> Option<&mut dyn Energy> {
        Some(self)
    }

    fn labels(&self) -> Option<&dyn Labels> {
        self.model.labels()
    }

    fn spatial(&self) -> Option<&dyn Spatial> {
        self.model.spatial()
    }

    fn events(&mut self) -> Option<&mut dyn Events> {
        Some(self)
    }

    fn prepare(
        &mut self,
        _state: &mut State,
        _events: EventHandling,
    ) -> Result<Vec<EventReport>, EvaluationError> {
        match self.model.needs_layer() {
            true => Err(EvaluationError::own(LayerMissing)),
            false => Ok(Vec::new()),
        }
    }
}
