//! The layer that a person writes: functions generic over the scalar.

use crate::scalar::Scalar;
use crate::system::{
    EventAction, EventDescription, ForeignError, Labels, Layout, MatrixMut, ModelBalance, Point,
    Property, Spatial, State, Wanted,
};
use std::any::Any;

/// Whether a model filled in a derivative itself.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{Derivative, check_system};
///
/// /// A pendulum with a gradient of its own.
/// struct Pendulum;
/// impl Model for Pendulum {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(2)).with_position_rows(1) }
/// #     fn initial_state(&self) -> State { State { q: vec![0.6, -0.8], ..self.layout().state() } }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         for axis in 0..2 { mass[(axis, axis)] = S::constant(1.0); }
/// #     }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) { force[1] = S::constant(-9.81); }
///     fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
///         g[0] = (at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0) * 0.5;
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
/// assert!(check_system(&mut system, &start)?.faults.is_empty());
/// # Ok::<(), liedae::system::SystemCheckError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivative {
    /// The model wrote it.
    Analytic,
    /// The model leaves it to automatic differentiation.
    Automatic,
}

/// Names of all parts of a state, `q1`, ..., `v1`, ..., in the order of [`copy_state`].
pub(in crate::system) fn state_names(layout: &Layout) -> Vec<String> {
    let numbered = |prefix: &str, count: usize| {
        (1..=count)
            .map(|i| format!("{prefix}{i}"))
            .collect::<Vec<_>>()
    };
    let mut names = numbered("q", layout.space.coordinates());
    names.extend(numbered("v", layout.dimension()));
    names.extend(numbered("x", layout.differential));
    names.extend(numbered("z", layout.algebraic));
    names.extend(numbered("lambda", layout.rows()));
    names
}

/// All parts of a state one after the other.
pub(in crate::system) fn copy_state(state: &State, out: &mut [f64]) {
    let parts = [&state.q, &state.v, &state.x, &state.z, &state.lambda];
    for (slot, &value) in out.iter_mut().zip(parts.into_iter().flatten()) {
        *slot = value;
    }
}

/// A system stated once, with functions generic over the number type; run it through [`Automatic`](crate::system::Automatic).
///
/// Required are the configuration space, the mass matrix, the force and the initial state; constraints, further
/// states, outputs, energy and events are empty unless overridden. The form of the equations and the signs are in the
/// [module's documentation](crate::system). Functions see a [`Point`] and fill zeroed slices.
///
/// ```
/// use liedae::manifold::Manifold;
/// use liedae::scalar::Scalar;
/// use liedae::system::{Automatic, Layout, MatrixMut, Model, Point, State, System};
///
/// /// A point mass on a circle of radius 1 in the x-y plane, gravity along -y.
/// struct Pendulum;
///
/// impl Model for Pendulum {
///     fn layout(&self) -> Layout {
///         Layout::dense(Manifold::euclidean(2)).with_position_rows(1)
///     }
///     fn initial_state(&self) -> State {
///         State { q: vec![1.0, 0.0], ..self.layout().state() }
///     }
///     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
///         mass[(0, 0)] = S::constant(1.0);
///         mass[(1, 1)] = S::constant(1.0);
///     }
///     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
///         force[1] = S::constant(-9.81);
///     }
///     fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
///         g[0] = at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0;
///     }
/// }
///
/// let mut system = Automatic::new(Pendulum);
/// let mut jacobian = [0.0; 2];
/// let state = system.initial_state();
/// system.constraint_jacobian(&state.point(), &mut jacobian)?;
/// assert_eq!(jacobian, [2.0, 0.0]);
/// # Ok::<(), liedae::system::EvaluationError>(())
/// ```
pub trait Model {
    /// Sizes and sparsity; [`Layout::dense`] is right for small models.
    fn layout(&self) -> Layout;

    /// The initial state; [`Layout::state`] gives one at the identity and at rest to start from.
    fn initial_state(&self) -> State;

    /// The mass matrix M(t, q), symmetric and positive definite on the motions that the constraints leave free.
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>);

    /// The force f(t, q, v, x, z), with gyroscopic and centrifugal terms, without constraint forces.
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]);

    /// Position rows g(t, q) = 0.
    fn position_constraint<S: Scalar>(&self, _at: &Point<S>, _g: &mut [S]) {}

    /// Velocity rows b(t, q, v) = 0, affine in v.
    fn velocity_constraint<S: Scalar>(&self, _at: &Point<S>, _b: &mut [S]) {}

    /// Rates d of the differential states, E x' = d(t, q, v, x, z).
    fn differential_rate<S: Scalar>(&self, _at: &Point<S>, _rate: &mut [S]) {}

    /// Algebraic rows 0 = a(t, q, v, x, z, λ), with ∂a/∂z regular.
    fn algebraic_residual<S: Scalar>(&self, _at: &Point<S>, _residual: &mut [S]) {}

    /// The Jacobian of all constraint rows, `rows` x `dimension`; left to automatic differentiation by default.
    fn constraint_jacobian(&self, _at: &Point, _jacobian: &mut MatrixMut<f64>) -> Derivative {
        Derivative::Automatic
    }

    /// The bias γ of all constraint rows at acceleration level; left to automatic differentiation by default.
    fn acceleration_bias(&self, _at: &Point, _bias: &mut [f64]) -> Derivative {
        Derivative::Automatic
    }

    /// Derivatives of the rates; left to automatic differentiation by default. Those by λ always are.
    ///
    /// Both matrices are square and zero at first. Their rows are those of f, d and a. Columns of the first one belong to q, x and z, the
    /// configuration being q · exp(δ) at δ = 0. The first columns of the other one belong to v; the rest stays zero. Entries that
    /// [`Layout::rates`] does not have are ignored.
    ///
    /// [`check_system`](crate::system::check_system) compares them with differences.
    fn rates_jacobian(
        &self,
        _at: &Point,
        _by_position: &mut MatrixMut<f64>,
        _by_velocity: &mut MatrixMut<f64>,
    ) -> Derivative {
        Derivative::Automatic
    }

    /// Mass matrix, force, constraint Jacobian, constraints at velocity level and bias at one point in one pass: all of what is
    /// wanted, or nothing. State it if these functions share costly terms such as sines and cosines. The functions themselves are
    /// still needed, since derivatives are taken of them. [`check_system`](crate::system::check_system) compares both.
    fn at_point(&self, _at: &Point, _wanted: &mut Wanted<MatrixMut<f64>>) -> Derivative {
        Derivative::Automatic
    }

    /// f + Gᵀ λ - M a and constraint rows at one point in one pass, for models without x, z and velocity rows: all of what is wanted, or
    /// nothing.
    ///
    /// Implicit methods evaluate it at every stage of every iteration, and take its derivatives along directions: coordinates
    /// that occur in no common row share one. Two evaluations cover four directions where these suffice, otherwise eight. Without
    /// it they assemble the same from M, f, G and γ. It pays in small systems that are solved often;
    /// `docs/log/what-made-it-faster.md` has the gain for a mechanism of seven angles. The functions themselves are still needed.
    /// [`check_system`](crate::system::check_system) compares both.
    ///
    /// [`Layout::rates`], [`Layout::reactions`] and the mass pattern together must name every coordinate that a row of f + Gᵀ λ -
    /// M a depends on, also where it is M that depends on it. A coordinate that is not named may share a direction; its
    /// derivative is then added to that of another coordinate. Solutions stay right, since only Newton matrices are affected, but
    /// iterations converge slowly or not at all.
    fn balance<S: Scalar>(
        &self,
        _at: &Point<S>,
        _acceleration: &[S],
        _out: &mut ModelBalance<S>,
    ) -> Derivative {
        Derivative::Automatic
    }

    /// Names of the outputs; by default all coordinates, velocities and multipliers, `q1`, ..., `v1`, ..., `lambda1`, ...
    fn output_names(&self) -> Vec<String> {
        state_names(&self.layout())
    }

    /// Definitions of the outputs with unit, frame and sign, in the order of their names; `None` for an output without one. By
    /// default no output has one.
    fn output_definitions(&self) -> Vec<Option<String>> {
        Vec::new()
    }

    /// Values of the outputs.
    fn outputs(&self, state: &State, out: &mut [f64]) {
        copy_state(state, out);
    }

    /// Total energy in J, if the model has one.
    fn energy(&self, _at: &Point) -> Option<f64> {
        None
    }

    /// Whether projections hold the energy, see [`Energy::is_kept`](crate::system::Energy::is_kept).
    fn keeps_energy(&self) -> bool {
        false
    }

    /// Quantities that are conserved or bounded along every solution, which runs watch; see [`Properties`](crate::system::Properties).
    fn properties(&self) -> Vec<Property> {
        Vec::new()
    }

    /// Values of these quantities, as many as [properties](Self::properties).
    fn property_values(&self, _at: &Point, _out: &mut [f64]) {}

    /// Whether nothing adds energy, see [`Energy::is_passive`](crate::system::Energy::is_passive).
    fn is_passive(&self) -> bool {
        self.keeps_energy()
    }

    /// Names of rows and velocities, where the model has any.
    fn labels(&self) -> Option<&dyn Labels> {
        None
    }

    /// How it stands in space, where the model knows it.
    fn spatial(&self) -> Option<&dyn Spatial> {
        None
    }

    /// Its events, where the model has any.
    fn events(&self) -> Option<&dyn ModelEvents> {
        None
    }

    /// The model itself, for callers that know its type: [`Automatic`](crate::system::Automatic) finds it by
    /// [`System::extension`](crate::system::System::extension).
    fn as_any(&mut self) -> Option<&mut dyn Any> {
        None
    }

    /// The error of the last evaluations, if there was one: the functions of a model return no errors themselves. The caller
    /// reads it after evaluations, which clears it.
    fn fault(&self) -> Option<ForeignError> {
        None
    }

    /// Whether the model needs a layer above the framework, such as one for contacts. [`Automatic`](crate::system::Automatic)
    /// refuses to run such a model without its layer.
    fn needs_layer(&self) -> bool {
        false
    }
}

/// The events of a [`Model`]: event functions that the driver monitors, moments at which every run ends a step, and the handlers.
/// They take effect only if [`Model::events`] returns them.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::ModelEvents;
///
/// /// A ball that falls from 1 m and bounces.
/// struct Ball;
///
/// impl Model for Ball {
///     fn layout(&self) -> Layout {
///         Layout::dense(Manifold::euclidean(1))
///     }
///     fn initial_state(&self) -> State {
///         State { q: vec![1.0], ..self.layout().state() }
///     }
///     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
///         mass[(0, 0)] = S::constant(1.0);
///     }
///     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
///         force[0] = S::constant(-9.81);
///     }
///     fn events(&self) -> Option<&dyn ModelEvents> {
///         Some(self)
///     }
/// }
///
/// impl ModelEvents for Ball {
///     fn descriptions(&self) -> Vec<EventDescription> {
///         vec![EventDescription::new("bounce", "floor", Direction::Falling)]
///     }
///     fn event_functions(&self, at: &Point, out: &mut [f64]) {
///         out[0] = at.q[0];
///     }
///     fn handle_event(&self, _event: usize, state: &mut State) -> EventAction {
///         state.v[0] *= -0.8;
///         EventAction::Restart
///     }
/// }
///
/// let method = MethodRegistry::standard().build("hem5", &MethodOptions::default())?;
/// let solution = solve(&mut Automatic::new(Ball), method.as_ref(), &Options::adaptive(1.0, 1e-8, 1e-8))?;
/// let impact = (2.0_f64 / 9.81).sqrt();
/// assert!((solution.events[0].t - impact).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ModelEvents {
    /// Descriptions of the event functions, one each.
    fn descriptions(&self) -> Vec<EventDescription> {
        Vec::new()
    }

    /// Values of the event functions, as many as descriptions.
    fn event_functions(&self, _at: &Point, _out: &mut [f64]) {}

    /// Changes state or modes at a located event. Changes take effect with [`EventAction::Restart`] and [`EventAction::Stop`].
    /// The new state must satisfy the constraints.
    fn handle_event(&self, _event: usize, _state: &mut State) -> EventAction {
        EventAction::Continue
    }

    /// Moments at which the model is not smooth in time: every run lands on them.
    fn time_events(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Changes state or modes at the moment number `event` of [`time_events`](Self::time_events). A load that is
    /// switched there should depend on a mode changed here, not on t: the moment belongs to the steps on both sides.
    fn handle_time_event(&self, _event: usize, _state: &mut State) -> EventAction {
        EventAction::Restart
    }

    /// The largest adaptive step in s that misses no pair of zero crossings of an event function. Positive; infinity means no
    /// limit.
    fn largest_step(&self) -> f64 {
        f64::INFINITY
    }
}
