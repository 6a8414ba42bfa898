//! The result of a run.

use super::OptionsError;
use super::properties::ViolatedProperty;
use crate::integrator::{StepError, Work};
use crate::system::{
    ConsistencyError, DynamicsError, EvaluationError, Evaluations, EventReport, IndexError,
    LayoutError, Quantity, Short, State,
};
use serde::Serialize;
use std::fmt;
use std::time::Duration;
use thiserror::Error;

/// Steps that failed, by cause.
///
/// ```
/// use liedae::integrator::Dopri5;
/// use liedae::prelude::*;
/// use liedae::solve::Failures;
///
/// // A mass that a spring of 1 MN/m catches as soon as it is below zero: some steps across that are too long.
/// let mut mass = liedae::model([1.0], [0.0])
///     .mass(1.0)
///     .force(|_t, [x], _v| [if x.value() < 0.0 { x * -1e6 } else { x * 0.0 } - 10.0])
///     .build()?;
/// let run = solve(&mut mass, &Dopri5::default(), &Options::adaptive(0.6, 1e-8, 1e-8))?;
/// let Failures { error_test, nonlinear, .. } = run.statistics.rejected;
/// assert!(error_test > 0 && nonlinear == 0);
/// assert_eq!(run.statistics.rejected.total(), error_test);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Failures {
    /// The error estimate exceeded the tolerance.
    pub error_test: usize,
    /// An inner iteration did not converge.
    pub nonlinear: usize,
    /// The linear solver failed, or a redundant row was not implied by the others.
    pub linear: usize,
    /// A function of the system failed or was not finite.
    pub evaluation: usize,
}

impl Failures {
    /// All failed steps.
    pub fn total(&self) -> usize {
        self.error_test + self.nonlinear + self.linear + self.evaluation
    }

    pub(crate) fn count(&mut self, error: &DynamicsError) {
        match error {
            DynamicsError::Evaluation(_) => self.evaluation += 1,
            DynamicsError::Linear { .. } | DynamicsError::NotImplied { .. } => self.linear += 1,
            DynamicsError::NotConverged { .. } | DynamicsError::NotSolved { .. } => {
                self.nonlinear += 1;
            }
        }
    }
}

/// What a run cost.
///
/// ```
/// use liedae::integrator::Dopri5;
/// use liedae::prelude::*;
/// use liedae::solve::Statistics;
///
/// // 100 steps of a method that evaluates the force six times in each, and once more at the start.
/// let mut oscillator = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, [x], _v| [x * -100.0]).build()?;
/// let run = solve(&mut oscillator, &Dopri5::default(), &Options::fixed(1.0, 0.01))?;
/// let Statistics { accepted, evaluations, .. } = run.statistics;
/// assert_eq!((accepted, run.statistics.rejected.total()), (100, 0));
/// assert_eq!(evaluations.force, 601);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Statistics {
    /// Accepted steps.
    pub accepted: usize,
    /// Steps that were tried and not accepted.
    pub rejected: Failures,
    /// Steps that were taken again to end at an event, and again in full where the event changed nothing.
    pub repeated: usize,
    /// Steps that the method took within steps, such as those from which a multistep formula starts.
    pub inner: usize,
    /// Evaluations of the system.
    pub evaluations: Evaluations,
    /// Work inside the method.
    pub work: Work,
    /// Smallest accepted step in s.
    pub smallest_step: f64,
    /// Largest accepted step in s.
    pub largest_step: f64,
    /// Events of which no record is kept, beyond [`max_event_records`](super::Options::max_event_records).
    #[serde(skip_serializing_if = "is_zero")]
    pub events_left_out: usize,
}

/// Results say nothing of a limit that has not been reached.
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl std::ops::AddAssign for Statistics {
    /// The cost of a run in two parts.
    fn add_assign(&mut self, other: Self) {
        self.smallest_step = match (self.accepted, other.accepted) {
            (0, _) => other.smallest_step,
            (_, 0) => self.smallest_step,
            _ => self.smallest_step.min(other.smallest_step),
        };
        self.largest_step = self.largest_step.max(other.largest_step);
        self.accepted += other.accepted;
        self.rejected.error_test += other.rejected.error_test;
        self.rejected.nonlinear += other.rejected.nonlinear;
        self.rejected.linear += other.rejected.linear;
        self.rejected.evaluation += other.rejected.evaluation;
        self.repeated += other.repeated;
        self.inner += other.inner;
        self.evaluations += other.evaluations;
        self.work += other.work;
        self.events_left_out += other.events_left_out;
    }
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The end time was reached.
    EndTime,
    /// An event asked to stop.
    Event,
    /// An observer asked to stop.
    Observer,
}

/// An event that happened.
///
/// ```
/// use liedae::integrator::Dopri5;
/// use liedae::prelude::*;
/// use liedae::solve::EventRecord;
///
/// // A ball falls from 5 m.
/// let landing = EventDescription::new("landing", "ball", Direction::Falling);
/// let mut ball = liedae::model([5.0], [0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [-10.0])
///     .event(landing, |at| at.q[0], |_state| EventAction::Stop)
///     .build()?;
/// let run = solve(&mut ball, &Dopri5::default(), &Options::adaptive(2.0, 1e-8, 1e-8))?;
/// let EventRecord { t, kind, label, .. } = &run.events[0];
/// assert_eq!((kind.as_str(), label.as_str()), ("landing", "ball"));
/// assert!((t - 1.0).abs() < 1e-10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventRecord {
    /// When, in s.
    pub t: f64,
    /// Its kind.
    pub kind: String,
    /// What it happened to.
    pub label: String,
    /// Numbers that say what happened.
    pub quantities: Vec<Quantity>,
}

impl EventRecord {
    /// One of its numbers by name.
    pub fn quantity(&self, name: &str) -> Option<f64> {
        let mut quantities = self.quantities.iter();
        quantities
            .find(|quantity| quantity.name == name)
            .map(|quantity| quantity.value)
    }

    /// What a system reports of the moment `t`.
    pub(super) fn new(report: EventReport, t: f64) -> Self {
        Self {
            t: report.t.unwrap_or(t),
            kind: report.kind,
            label: report.label,
            quantities: report.quantities,
        }
    }
}

/// A finished run.
///
/// ```
/// use liedae::integrator::Dopri5;
/// use liedae::prelude::*;
/// use liedae::solve::StopReason;
///
/// // A ball falls from 5 m.
/// let landing = EventDescription::new("landing", "ball", Direction::Falling);
/// let mut ball = liedae::model([5.0], [0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [-10.0])
///     .event(landing, |at| at.q[0], |_state| EventAction::Stop)
///     .build()?;
/// let run: Solution = solve(&mut ball, &Dopri5::default(), &Options::adaptive(2.0, 1e-8, 1e-8))?;
/// assert_eq!((run.reason, run.events.len()), (StopReason::Event, 1));
/// assert!(run.state.q[0].abs() < 1e-9 && (run.state.v[0] + 10.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Solution {
    /// The last state, with accelerations and multipliers as the method has them.
    pub state: State,
    /// Why the run ended.
    pub reason: StopReason,
    /// What it cost.
    pub statistics: Statistics,
    /// What happened on the way, up to [`max_event_records`](super::Options::max_event_records); [`Statistics::events_left_out`] counts the others.
    pub events: Vec<EventRecord>,
    /// Conserved quantities and bounds ([`Properties`](crate::system::Properties)) that the solution has left by more than its errors.
    pub violated: Vec<ViolatedProperty>,
}

/// The cause of a failed run.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SolveErrorKind {
    /// The options cannot be run.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// The initial values are inconsistent.
    #[error("initial values: {0}")]
    Initial(#[from] ConsistencyError),
    /// The indices of x are not those stated.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A step of the only size allowed failed, or the method does not apply.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The step size became too small to make progress.
    #[error("the step size fell to {} at t = {}{}", Short(*step), Short(*t), cause.as_ref().map_or_else(|| ": the error test keeps failing; loosen the tolerance (an absolute tolerance of 0 asks for the impossible near 0) or look for a discontinuity or a singularity there".to_owned(), |cause| format!(": {cause}")))]
    StepTooSmall {
        /// Time in s.
        t: f64,
        /// The step in s.
        step: f64,
        /// The last failure other than the error test, if that was the reason.
        cause: Option<Box<StepError>>,
    },
    /// Constraint rows come to depend on each other, and the motion could not be followed through.
    #[error(
        "singular configuration at t = {}: constraint {} come to depend on each other, where motion has two branches{}{}; \
         other initial values avoid it, a smaller step or tolerance may pass it", Short(*t), super::singular::decide::list(rows),
        crossing.as_ref().map_or_else(String::new, |error| format!("; {error}")),
        cause.as_ref().map_or_else(String::new, |error| format!("; {error}"))
    )]
    Singular {
        /// The last time reached in s.
        t: f64,
        /// The rows.
        rows: Vec<usize>,
        /// Why it could not be crossed, if that was tried.
        crossing: Option<Box<super::CrossingError>>,
        /// The failure of the method's own step, if that was the reason.
        cause: Option<Box<StepError>>,
    },
    /// The handler of an event left a state that contradicts the constraints or has another shape.
    #[error("after the {} of {} at t = {}: {source}", event.kind, event.label, Short(event.t))]
    Jump {
        /// The event.
        event: Box<EventRecord>,
        /// What is wrong with the state.
        source: Box<ConsistencyError>,
    },
    /// The handler of an event changed the structure of the system without saying so.
    #[error(
        "the handler of the {} of {} at t = {} changed the number of {part} from {before} to {after}: \
         it must answer EventAction::Restructure then", event.kind, event.label, Short(event.t)
    )]
    Structure {
        /// The event.
        event: Box<EventRecord>,
        /// Which size.
        part: &'static str,
        /// What it was.
        before: usize,
        /// What it is.
        after: usize,
    },
    /// An event function changes its sign faster than steps can follow.
    #[error(
        "the event function of the {kind} of {label} changes its sign at least {changes} times in every step, \
         the last time from t = {} on within {} s: no step can follow it; smooth it, or bound the steps by largest_step()",
        Short(*t), Short(*step)
    )]
    Chatter {
        /// Kind of the event.
        kind: String,
        /// What it happens to.
        label: String,
        /// Start of the last step in s.
        t: f64,
        /// Its size in s.
        step: f64,
        /// Changes of the sign that were seen within it.
        changes: usize,
    },
    /// The run reached its end with constraints violated by far more than its method leaves them.
    #[error(
        "at the end, t = {}, constraint row {row} is violated by {violation:.1e} at {level} level (rows count from 0), and at most \
         {bound:.1e} is left to the method: rows contradict each other, jump in time, or drift; see to the rows, project, or ask for \
         more accuracy", Short(*t)
    )]
    Violated {
        /// The end in s.
        t: f64,
        /// The level.
        level: super::Level,
        /// The row.
        row: usize,
        /// Its value over the length of its gradient.
        violation: f64,
        /// What would have been accepted.
        bound: f64,
    },
    /// Events happen again and again in ever shorter intervals: the same one within 16 location tolerances, or more
    /// than 50 jumps in a row less than 1000 location tolerances apart each. It is the system's business to prevent it.
    #[error(
        "the {} of {} accumulates at t = {}: the last interval is {interval:.1e} s; the model needs a rest state, \
         or a mode for what slides along the event",
        event.kind, event.label, Short(event.t)
    )]
    Accumulation {
        /// The last event.
        event: Box<EventRecord>,
        /// Time since the one before in s.
        interval: f64,
    },
    /// The layout contradicts itself.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The step limit was reached.
    #[error("{steps} steps were not enough to get beyond t = {}{}", Short(*t), within(*inner))]
    TooManySteps {
        /// Time reached in s.
        t: f64,
        /// The limit.
        steps: usize,
        /// How many of them the method took within steps.
        inner: usize,
    },
    /// The time was over.
    #[error("{} s of {clock} were enough to t = {} only", limit.as_secs_f64(), Short(*t))]
    OutOfTime {
        /// Time reached in s.
        t: f64,
        /// The limit.
        limit: Duration,
        /// What it was measured by.
        clock: &'static str,
    },
}

fn within(inner: usize) -> String {
    match inner {
        0 => String::new(),
        inner => format!(", {inner} of them small ones from which the method starts within a step"),
    }
}

impl From<DynamicsError> for SolveErrorKind {
    fn from(error: DynamicsError) -> Self {
        Self::Step(error.into())
    }
}

impl From<EvaluationError> for SolveErrorKind {
    fn from(error: EvaluationError) -> Self {
        Self::Step(error.into())
    }
}

/// A failed run: the cause, and how far it got.
#[derive(Clone, PartialEq, Error)]
#[error("{kind}")]
pub struct SolveError {
    /// The cause.
    #[source]
    pub kind: SolveErrorKind,
    /// The last accepted state, if the run began.
    pub state: Option<Box<State>>,
    /// What it had cost.
    pub statistics: Box<Statistics>,
    /// What had happened, up to [`max_event_records`](super::Options::max_event_records); [`Statistics::events_left_out`] counts the others.
    pub events: Vec<EventRecord>,
}

/// Short, so that a `main` that returns it prints a sentence and not thousands of coordinates.
impl fmt::Debug for SolveError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} (", self.kind)?;
        if let Some(state) = &self.state {
            write!(formatter, "last good state at t = {}, ", Short(state.t))?;
        }
        write!(formatter, "{} steps accepted)", self.statistics.accepted)
    }
}
