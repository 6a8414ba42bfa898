//! Systems on a vector space, stated by closures.

mod evaluation;
mod mass;
mod statement;

pub use mass::ConstantMass;
pub use statement::{Statement, StatementError, model};

use crate::manifold::Manifold;
use crate::scalar::{Scalar, Traced};
use crate::system::statement::model::{copy_state, state_names};
use crate::system::{
    EventAction, EventDescription, ForeignError, Layout, MatrixMut, Model, ModelEvents, Point,
    State,
};
use evaluation::Evaluation;
use std::cell::Cell;
use std::fmt;
use std::ops::Range;
use thiserror::Error;

/// A function of a point that writes its results.
type Rows<'a> = Box<dyn Fn(&Point<Traced>, &mut [Traced]) + 'a>;

/// A number that depends on the point and needs no derivatives.
type Value<'a> = Box<dyn Fn(&Point) -> f64 + 'a>;

/// A force on all coordinates, with the rates of the differential states that it has.
struct Force<'a> {
    function: Rows<'a>,
    states: Range<usize>,
}

/// Constraint rows, and their place among those of their kind.
struct Constraint<'a> {
    function: Rows<'a>,
    rows: Range<usize>,
}

enum Mass<'a> {
    /// Row by row.
    Constant(Vec<f64>),
    Varying(Rows<'a>),
}

struct Output<'a> {
    name: String,
    function: Box<dyn Fn(&State) -> f64 + 'a>,
}

struct Event<'a> {
    description: EventDescription,
    function: Value<'a>,
    action: Box<dyn Fn(&mut State) -> EventAction + 'a>,
}

/// A [`Model`] made of closures, see [`model`].
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{ClosureModel, StatementError};
///
/// /// A mass on a spring of this stiffness, as a value that others may keep.
/// fn oscillator(stiffness: f64) -> Result<Automatic<ClosureModel<'static>>, StatementError> {
///     liedae::model([1.0], [0.0]).mass(1.0).force(move |_t, [x], _v| [x * -stiffness]).build()
/// }
///
/// let system = oscillator(4.0)?;
/// assert_eq!((system.layout().dimension(), system.layout().rows()), (1, 0));
/// # Ok::<(), StatementError>(())
/// ```
pub struct ClosureModel<'a> {
    initial: State,
    mass: Mass<'a>,
    forces: Vec<Force<'a>>,
    positions: Vec<Constraint<'a>>,
    velocities: Vec<Constraint<'a>>,
    energy: Option<Value<'a>>,
    passive: bool,
    outputs: Vec<Output<'a>>,
    events: Vec<Event<'a>>,
    /// Taken out during an evaluation: a model that is evaluated within itself finds it empty.
    evaluation: Cell<Evaluation>,
    /// Whether a closure has used a number of another call.
    has_kept: Cell<bool>,
}

/// A closure of a model has used a [`Traced`] number of an earlier call, or one that was on another thread.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::integrator::Dopri5;
/// use liedae::scalar::Traced;
/// use std::cell::Cell;
///
/// // A force that depends on what the closure kept from its last call: on how often a method evaluates it.
/// let kept = Cell::new(Traced::from(0.0));
/// let mut system = liedae::model([1.0], [0.0])
///     .mass(1.0)
///     .force(|_t, [x], _v| [-kept.replace(x)])
///     .build()?;
/// let error = solve(&mut system, &Dopri5::default(), &Options::adaptive(1.0, 1e-6, 1e-6)).unwrap_err();
/// assert!(error.to_string().contains("a closure has used a number of an earlier call"), "{error}");
/// # Ok::<(), liedae::system::StatementError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "a closure has used a number of an earlier call, or of another thread: what depends on the past is a state of the model, and what \
     is kept for other purposes a plain f64 (Scalar::value)"
)]
pub struct KeptNumber;

impl fmt::Debug for ClosureModel<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ClosureModel")
            .field("layout", &self.layout())
            .finish_non_exhaustive()
    }
}

impl ClosureModel<'_> {
    /// Evaluates a function and hands on its results, with their places.
    fn evaluate<S: Scalar>(
        &self,
        function: &Rows,
        results: usize,
        at: &Point<S>,
        visit: impl FnMut(usize, S),
    ) {
        let mut evaluation = self.evaluation.take();
        if evaluation.run(function, results, at, visit) {
            self.has_kept.set(true);
        }
        self.evaluation.set(evaluation);
    }

    fn constrain<S: Scalar>(&self, constraints: &[Constraint], at: &Point<S>, out: &mut [S]) {
        for constraint in constraints {
            let out = &mut out[constraint.rows.clone()];
            let visit = |row: usize, value| out[row] = value;
            self.evaluate(&constraint.function, constraint.rows.len(), at, visit);
        }
    }

    fn dimension(&self) -> usize {
        self.initial.v.len()
    }
}

fn rows(constraints: &[Constraint]) -> usize {
    constraints.last().map_or(0, |last| last.rows.end)
}

impl Model for ClosureModel<'_> {
    fn layout(&self) -> Layout {
        Layout {
            constant_mass: matches!(self.mass, Mass::Constant(_)),
            ..Layout::dense(Manifold::euclidean(self.dimension()))
        }
        .with_position_rows(rows(&self.positions))
        .with_velocity_rows(rows(&self.velocities))
        .with_differential_states(self.initial.x.len())
    }

    fn initial_state(&self) -> State {
        self.initial.clone()
    }

    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        let dimension = self.dimension();
        match &self.mass {
            Mass::Constant(entries) => {
                for (index, &entry) in entries.iter().enumerate().filter(|(_, m)| **m != 0.0) {
                    mass[(index / dimension, index % dimension)] = S::constant(entry);
                }
            }
            Mass::Varying(function) => {
                self.evaluate(function, dimension * dimension, at, |index, entry| {
                    mass[(index / dimension, index % dimension)] = entry;
                });
            }
        }
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let dimension = self.dimension();
        for part in &self.forces {
            let results = dimension + part.states.len();
            self.evaluate(&part.function, results, at, |index, value| {
                if index < dimension {
                    force[index] += value;
                }
            });
        }
    }

    fn differential_rate<S: Scalar>(&self, at: &Point<S>, rate: &mut [S]) {
        let dimension = self.dimension();
        for part in self.forces.iter().filter(|part| !part.states.is_empty()) {
            let rate = &mut rate[part.states.clone()];
            let results = dimension + rate.len();
            self.evaluate(&part.function, results, at, |index, value| {
                if index >= dimension {
                    rate[index - dimension] = value;
                }
            });
        }
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        self.constrain(&self.positions, at, g);
    }

    fn velocity_constraint<S: Scalar>(&self, at: &Point<S>, b: &mut [S]) {
        self.constrain(&self.velocities, at, b);
    }

    fn output_names(&self) -> Vec<String> {
        match self.outputs.is_empty() {
            true => state_names(&self.layout()),
            false => self
                .outputs
                .iter()
                .map(|output| output.name.clone())
                .collect(),
        }
    }

    fn outputs(&self, state: &State, out: &mut [f64]) {
        if self.outputs.is_empty() {
            return copy_state(state, out);
        }
        for (slot, output) in out.iter_mut().zip(&self.outputs) {
            *slot = (output.function)(state);
        }
    }

    fn energy(&self, at: &Point) -> Option<f64> {
        self.energy.as_ref().map(|energy| energy(at))
    }

    fn is_passive(&self) -> bool {
        self.passive
    }

    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }

    fn fault(&self) -> Option<ForeignError> {
        self.has_kept.take().then(|| ForeignError::new(KeptNumber))
    }
}

impl ModelEvents for ClosureModel<'_> {
    fn descriptions(&self) -> Vec<EventDescription> {
        self.events
            .iter()
            .map(|event| event.description.clone())
            .collect()
    }

    fn event_functions(&self, at: &Point, out: &mut [f64]) {
        for (slot, event) in out.iter_mut().zip(&self.events) {
            *slot = (event.function)(at);
        }
    }

    fn handle_event(&self, event: usize, state: &mut State) -> EventAction {
        match self.events.get(event) {
            Some(event) => (event.action)(state),
            None => EventAction::Continue,
        }
    }
}
