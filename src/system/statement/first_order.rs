//! First-order DAEs M y' = f(t, y), the second way to state a system.

use crate::linalg::Pattern;
use crate::manifold::Manifold;
use crate::scalar::Scalar;
use crate::system::{
    Derivative, EventAction, EventDescription, Layout, MatrixMut, Model, ModelEvents, Point,
    Property, State,
};
use thiserror::Error;

/// A system M y' = f(t, y) with a constant, possibly singular matrix M.
///
/// With M regular (the default: the identity) it is an ODE that explicit methods integrate; otherwise implicit methods
/// do, and [`index`](Self::index) tells them how strongly each variable may be perturbed.
///
/// ```
/// use liedae::scalar::Scalar;
/// use liedae::system::{Automatic, FirstOrder, FirstOrderModel};
///
/// struct VanDerPol { mu: f64 }
///
/// impl FirstOrderModel for VanDerPol {
///     fn dimension(&self) -> usize { 2 }
///     fn initial_value(&self) -> Vec<f64> { vec![2.0, 0.0] }
///     fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
///         rate[0] = y[1];
///         rate[1] = (S::constant(1.0) - y[0] * y[0]) * y[1] * self.mu - y[0];
///     }
/// }
///
/// let system = Automatic::new(FirstOrder::new(VanDerPol { mu: 5.0 })?);
/// # Ok::<(), liedae::system::FirstOrderError>(())
/// ```
pub trait FirstOrderModel {
    /// Number of unknowns y.
    fn dimension(&self) -> usize;

    /// The initial value y(t0). Algebraic equations must hold to
    /// [`Consistency::algebraic`](crate::system::Consistency::algebraic);
    /// [`project_initial_state`](crate::system::project_initial_state) solves them for values that are only guessed.
    ///
    /// If no index is above 1, algebraic variables are solved for at the start and after each event, with M y given: voltages of
    /// a network may jump at a fault.
    fn initial_value(&self) -> Vec<f64>;

    /// The initial values of discrete modes, which events change: none by default. A model with modes overrides
    /// [`rate_in_mode`](Self::rate_in_mode) and the other functions that depend on modes.
    ///
    /// ```
    /// use liedae::prelude::*;
    /// use liedae::system::{FirstOrder, FirstOrderModel};
    ///
    /// /// A room that loses heat at 1/s, heated by 2 K/s from 0.9 K to 1.1 K above its surroundings.
    /// struct Thermostat;
    ///
    /// impl FirstOrderModel for Thermostat {
    ///     fn dimension(&self) -> usize { 1 }
    ///     fn initial_value(&self) -> Vec<f64> { vec![1.0] }
    ///     fn initial_modes(&self) -> Vec<i32> { vec![1] }
    ///     fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) { self.rate_in_mode(t, y, &[1], rate) }
    ///     fn rate_in_mode<S: Scalar>(&self, _t: S, y: &[S], mode: &[i32], rate: &mut [S]) {
    ///         rate[0] = S::constant(2.0 * f64::from(mode[0])) - y[0];
    ///     }
    ///     fn events(&self) -> Vec<EventDescription> {
    ///         vec![
    ///             EventDescription::new("off", "heater", Direction::Rising),
    ///             EventDescription::new("on", "heater", Direction::Falling),
    ///         ]
    ///     }
    ///     fn event_functions(&self, _t: f64, y: &[f64], out: &mut [f64]) {
    ///         out.copy_from_slice(&[y[0] - 1.1, y[0] - 0.9]);
    ///     }
    ///     fn handle_event_in_mode(&self, event: usize, _t: f64, _y: &mut [f64], mode: &mut [i32]) -> EventAction {
    ///         mode[0] = i32::from(event == 1);
    ///         EventAction::Restart
    ///     }
    /// }
    ///
    /// let method = MethodRegistry::standard().build("dopri5", &MethodOptions::default())?;
    /// let mut system = Automatic::new(FirstOrder::new(Thermostat)?);
    /// let found = solve(&mut system, method.as_ref(), &Options::adaptive(0.5, 1e-8, 1e-8))?;
    /// // It warms up by 2 - (2 - 1) e^-t to 1.1, and cools down by 1.1 e^-(t - t1) to 0.9.
    /// let off = (1.0_f64 / 0.9).ln();
    /// assert!((found.events[0].t - off).abs() < 1e-7);
    /// assert!((found.events[1].t - off - (1.1_f64 / 0.9).ln()).abs() < 1e-7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn initial_modes(&self) -> Vec<i32> {
        Vec::new()
    }

    /// The initial time in s.
    fn initial_time(&self) -> f64 {
        0.0
    }

    /// The right-hand side f(t, y).
    fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]);

    /// The right-hand side in these [modes](Self::initial_modes), which runs evaluate: [`rate`](Self::rate) by default.
    fn rate_in_mode<S: Scalar>(&self, t: S, y: &[S], _mode: &[i32], rate: &mut [S]) {
        self.rate(t, y, rate);
    }

    /// The derivative of f by y, zero at first; left to automatic differentiation by default ([`Derivative::Automatic`]).
    ///
    /// State it for systems of a few equations, where automatic differentiation costs as much as a Newton iteration. Entries
    /// outside of [`dependencies`](Self::dependencies) are ignored. [`check_system`](crate::system::check_system) compares it
    /// with differences.
    ///
    /// ```
    /// use liedae::scalar::Scalar;
    /// use liedae::system::{Automatic, Derivative, FirstOrder, FirstOrderModel, MatrixMut, System, check_system};
    ///
    /// struct Decay;
    ///
    /// impl FirstOrderModel for Decay {
    ///     fn dimension(&self) -> usize { 1 }
    ///     fn initial_value(&self) -> Vec<f64> { vec![2.0] }
    ///     fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
    ///         rate[0] = -(y[0] * y[0]);
    ///     }
    ///     fn rate_jacobian(&self, _t: f64, y: &[f64], jacobian: &mut MatrixMut<f64>) -> Derivative {
    ///         jacobian[(0, 0)] = -2.0 * y[0];
    ///         Derivative::Analytic
    ///     }
    /// }
    ///
    /// let mut system = Automatic::new(FirstOrder::new(Decay)?);
    /// let start = system.initial_state();
    /// assert!(check_system(&mut system, &start)?.faults.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn rate_jacobian(&self, _t: f64, _y: &[f64], _jacobian: &mut MatrixMut<f64>) -> Derivative {
        Derivative::Automatic
    }

    /// The same in these modes: [`rate_jacobian`](Self::rate_jacobian) by default.
    fn rate_jacobian_in_mode(
        &self,
        t: f64,
        y: &[f64],
        _mode: &[i32],
        jacobian: &mut MatrixMut<f64>,
    ) -> Derivative {
        self.rate_jacobian(t, y, jacobian)
    }

    /// The matrix M as (row, column, value); `None` is the identity.
    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        None
    }

    /// The index of each variable: how strongly the discretization perturbs it, by h^(1 - index). Error tests weigh it by
    /// (h/T)^(index - 1) with the [characteristic time](crate::solve::Options::characteristic_time) T of the run.
    ///
    /// 0 (or 1, which is the same) for variables of an ODE, 1 for algebraic variables that the algebraic equations determine, 1 +
    /// k where these have to be differentiated k times before they do. Variables in E y' also have an index above 1 if
    /// constraints determine them by a derivative: velocities of an index-3 system have 2. The pendulum x' = u, y' = v, u' = λ x,
    /// v' = λ y - g in variables (x, y, u, v, λ) with
    ///
    /// ```text
    /// 0 = x² + y² - 1                 has  [0, 0, 2, 2, 3]
    /// 0 = x u + y v                   has  [0, 0, 0, 0, 2]
    /// 0 = u² + v² + λ (x² + y²) - g y has  [0, 0, 0, 0, 1]
    /// ```
    ///
    /// At its start a run computes the indices from the equations
    /// ([`check_differential_index`](crate::system::check_differential_index)) and refuses values that are certainly wrong.
    /// Initial values of variables above index 1 that are not in E y' are guesses: at a start and after a jump the driver finds
    /// them by short implicit steps. Too low an index makes the step collapse, too high a one loses accuracy.
    fn index(&self) -> Vec<u8> {
        vec![0; self.dimension()]
    }

    /// Where the derivative of f by y may have entries, as (row, column); `None` means everywhere. State it for more than about
    /// fifty unknowns: implicit methods then factor a sparse matrix. If an entry is missing, the derivative is wrong;
    /// [`check_system`](crate::system::check_system) finds this.
    fn dependencies(&self) -> Option<Vec<(usize, usize)>> {
        None
    }

    /// Names of the unknowns, `y1`, `y2`, ... unless overridden.
    fn names(&self) -> Vec<String> {
        (1..=self.dimension()).map(|i| format!("y{i}")).collect()
    }

    /// Names of the outputs, those of the unknowns unless overridden.
    fn output_names(&self) -> Vec<String> {
        self.names()
    }

    /// Values of the outputs, as many as [names](Self::output_names): the unknowns unless overridden.
    fn outputs(&self, _t: f64, y: &[f64], _mode: &[i32], out: &mut [f64]) {
        for (slot, y) in out.iter_mut().zip(y) {
            *slot = *y;
        }
    }

    /// Quantities that are conserved or bounded along every solution, which runs watch: sums of concentrations, concentrations that are not
    /// negative; see [`Properties`](crate::system::Properties).
    fn properties(&self) -> Vec<Property> {
        Vec::new()
    }

    /// Values of these quantities, as many as [properties](Self::properties).
    fn property_values(&self, _t: f64, _y: &[f64], _out: &mut [f64]) {}

    /// Event descriptions.
    fn events(&self) -> Vec<EventDescription> {
        Vec::new()
    }

    /// Values of the event functions.
    fn event_functions(&self, _t: f64, _y: &[f64], _out: &mut [f64]) {}

    /// Values of the event functions in these modes: [`event_functions`](Self::event_functions) by default.
    fn event_functions_in_mode(&self, t: f64, y: &[f64], _mode: &[i32], out: &mut [f64]) {
        self.event_functions(t, y, out);
    }

    /// Changes y at a located event. Changes take effect with [`EventAction::Restart`] and [`EventAction::Stop`]; algebraic
    /// variables are then solved for.
    fn handle_event(&self, _event: usize, _t: f64, _y: &mut [f64]) -> EventAction {
        EventAction::Continue
    }

    /// Changes y or modes at a located event: [`handle_event`](Self::handle_event) by default.
    fn handle_event_in_mode(
        &self,
        event: usize,
        t: f64,
        y: &mut [f64],
        _mode: &mut [i32],
    ) -> EventAction {
        self.handle_event(event, t, y)
    }

    /// Moments at which the right-hand side is not smooth in time: every run ends a step there and restarts the method.
    fn time_events(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Changes y or modes at the moment number `event` of [`time_events`](Self::time_events). A right-hand side that is switched there may
    /// depend on a mode changed here, or on t: it has its new value at the moment itself.
    fn handle_time_event(
        &self,
        _event: usize,
        _t: f64,
        _y: &mut [f64],
        _mode: &mut [i32],
    ) -> EventAction {
        EventAction::Restart
    }

    /// The largest adaptive step in s that misses no pair of zero crossings of an event function. Positive; infinity means no
    /// limit.
    fn largest_step(&self) -> f64 {
        f64::INFINITY
    }
}

/// Errors in the statement of a first-order system.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FirstOrderError {
    /// A vector has the wrong length.
    #[error("the {what} has {found} entries; the system has {expected} unknowns")]
    Length {
        /// Which vector.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The number of unknowns.
        expected: usize,
    },
    /// An entry lies outside its matrix.
    #[error("entry ({row}, {column}) of {matrix} lies outside a {dimension} x {dimension} matrix")]
    Entry {
        /// Which matrix.
        matrix: &'static str,
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The number of unknowns.
        dimension: usize,
    },
}

/// A [`FirstOrderModel`] as a [`Model`]: y becomes the differential states x, M their descriptor matrix.
pub struct FirstOrder<F> {
    model: F,
    layout: Layout,
}

/// The pattern of a square matrix with these entries.
fn pattern(
    matrix: &'static str,
    dimension: usize,
    entries: impl Iterator<Item = (usize, usize)> + Clone,
) -> Result<Pattern, FirstOrderError> {
    let mut outside = (entries.clone()).filter(|&(row, column)| row.max(column) >= dimension);
    let pattern = Pattern::from_entries(dimension, dimension, entries);
    pattern.map_err(|_| {
        let (row, column) = outside.next().unwrap_or_default();
        FirstOrderError::Entry {
            matrix,
            row,
            column,
            dimension,
        }
    })
}

impl<F: FirstOrderModel> FirstOrder<F> {
    /// Checks the statement and wraps it.
    pub fn new(model: F) -> Result<Self, FirstOrderError> {
        let dimension = model.dimension();
        let lengths = [
            ("initial value", model.initial_value().len()),
            ("list of indices", model.index().len()),
            ("list of names", model.names().len()),
        ];
        if let Some((what, found)) = lengths.into_iter().find(|&(_, found)| found != dimension) {
            return Err(FirstOrderError::Length {
                what,
                found,
                expected: dimension,
            });
        }
        let empty = Layout::dense(Manifold::euclidean(0));
        // A dense pattern of a large system would not fit into memory.
        let mut layout = match model.dependencies() {
            None => empty.with_differential_states(dimension),
            Some(entries) => Layout {
                differential: dimension,
                rates: pattern("the derivative of f", dimension, entries.iter().copied())?,
                ..empty
            },
        };
        layout.differential_index = model.index();
        layout.modes = model.initial_modes().len();
        if let Some(entries) = model.mass() {
            let positions = entries.iter().map(|&(row, column, _)| (row, column));
            let pattern = pattern("M", dimension, positions)?;
            let mut values = vec![0.0; pattern.nnz()];
            for (row, column, value) in entries {
                if let Some(position) = pattern.position(row, column) {
                    values[position] += value;
                }
            }
            layout.descriptor = Some((pattern, values));
        }
        Ok(Self { model, layout })
    }
}

impl<F: FirstOrderModel> Model for FirstOrder<F> {
    fn layout(&self) -> Layout {
        self.layout.clone()
    }

    fn initial_state(&self) -> State {
        State {
            t: self.model.initial_time(),
            x: self.model.initial_value(),
            mode: self.model.initial_modes(),
            ..self.layout.state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, _mass: &mut MatrixMut<S>) {}

    fn force<S: Scalar>(&self, _at: &Point<S>, _force: &mut [S]) {}

    fn differential_rate<S: Scalar>(&self, at: &Point<S>, rate: &mut [S]) {
        self.model.rate_in_mode(at.t, at.x, at.mode, rate);
    }

    fn rates_jacobian(
        &self,
        at: &Point,
        by_position: &mut MatrixMut<f64>,
        _by_velocity: &mut MatrixMut<f64>,
    ) -> Derivative {
        (self.model).rate_jacobian_in_mode(at.t, at.x, at.mode, by_position)
    }

    fn output_names(&self) -> Vec<String> {
        self.model.output_names()
    }

    fn outputs(&self, state: &State, out: &mut [f64]) {
        self.model.outputs(state.t, &state.x, &state.mode, out);
    }

    fn properties(&self) -> Vec<Property> {
        self.model.properties()
    }

    fn property_values(&self, at: &Point, out: &mut [f64]) {
        self.model.property_values(at.t, at.x, out);
    }

    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }
}

impl<F: FirstOrderModel> ModelEvents for FirstOrder<F> {
    fn descriptions(&self) -> Vec<EventDescription> {
        self.model.events()
    }

    fn event_functions(&self, at: &Point, out: &mut [f64]) {
        (self.model).event_functions_in_mode(at.t, at.x, at.mode, out);
    }

    fn handle_event(&self, event: usize, state: &mut State) -> EventAction {
        let State { t, x, mode, .. } = state;
        self.model.handle_event_in_mode(event, *t, x, mode)
    }

    fn time_events(&self) -> Vec<f64> {
        self.model.time_events()
    }

    fn handle_time_event(&self, event: usize, state: &mut State) -> EventAction {
        let State { t, x, mode, .. } = state;
        self.model.handle_time_event(event, *t, x, mode)
    }

    fn largest_step(&self) -> f64 {
        self.model.largest_step()
    }
}
