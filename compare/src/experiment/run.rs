//! One run, reported in full.
//!
//! The problem is solved once: what observers evaluate is in no count, and the time that they take not in the wall time. Where times
//! are asked for, runs that nobody observes come first, and their counts and final state are reported.

use super::meter::Interruption;
use super::verification::DIGITS;
use super::{
    Case, Choice, Contenders, Control, Counts, EndCheck, Energy, Invariants, Meter, Pass, Repeat,
    RowSink, Sampling, TimedFailure, Watch, Watched, steps_left, steps_over, timed_watched,
};
use crate::error::{CommandError, Status, status_of};
use crate::output::Named;
use liedae::integrator::{Projection, StepError};
use liedae::solve::{
    Driver, EventRecord, Observer, Options, Solution, SolveError, SolveErrorKind, Statistics,
    StepView, StopReason, ViolatedProperty, solve_observed,
};
use liedae::system::{Clock, DynamicsError, Evaluations, Evaluator, State, Violation};
use serde::Serialize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How the source of a reference begins that two methods have computed.
pub const COMPUTED: &str = "computed by";

/// What to run.
pub struct RunRequest {
    /// The problem.
    pub case: Case,
    /// The method.
    pub choice: Choice,
    /// The steps.
    pub control: Control,
    /// Limit of steps.
    pub max_steps: Option<u64>,
    /// Limit of the wall time.
    pub time_limit: Option<Duration>,
    /// How often the run is made for its times before it is observed; `None`: once, observed.
    pub repeat: Option<Repeat>,
    /// Shows how far it has come.
    pub watch: Arc<Watch>,
}

impl RunRequest {
    /// Options of the driver. Fixed steps that fail are halved, unless it is said how often.
    pub(super) fn options(&self) -> Options {
        self.options_under(self.control)
    }

    /// The same for other tolerances or another step.
    pub(super) fn options_under(&self, control: Control) -> Options {
        let (choice, t_end) = (&self.choice, self.case.t_end);
        let options = choice.driver_options(control, t_end, self.max_steps);
        let usual = Options::new(t_end, options.control.clone()).max_halvings;
        Options {
            time_limit: self.time_limit,
            max_halvings: choice.max_halvings().unwrap_or(usual),
            ..options
        }
    }
}

/// Accepted and rejected steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Steps {
    /// Accepted.
    pub accepted: usize,
    /// Rejected, for whatever reason.
    pub rejected: usize,
    /// Taken within steps, such as those from which a multistep formula starts.
    pub inner: usize,
}

/// Options as run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunOptions {
    /// Tolerances or step.
    #[serde(flatten)]
    pub control: Control,
    /// The method as it was asked for, such as `radau5:3:newton-tol=1e-4`.
    pub variant: String,
    /// Name of the controller; null is the method's own, or a fixed step.
    pub controller: Option<&'static str>,
    /// End time asked for in s.
    pub t_end: f64,
    /// Projection rule.
    pub projection: Option<Projection>,
    /// Newton tolerance; null is the method's own.
    pub newton_tol: Option<f64>,
    /// Limit of steps.
    pub max_steps: usize,
}

/// A table of outputs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Samples {
    /// `t` and the names of the outputs.
    pub columns: Vec<String>,
    /// One row per sample.
    pub rows: Vec<Vec<f64>>,
}

/// A run reported.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunReport {
    /// The problem's name.
    pub problem: String,
    /// The method's name.
    pub method: String,
    /// Why `auto` has chosen this method, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto: Option<String>,
    /// Whether it was done.
    pub status: Status,
    /// `end-time`, `event`, or what went wrong.
    pub reason: String,
    /// Time reached in s.
    pub t_end: f64,
    /// Steps.
    pub steps: Steps,
    /// Evaluations; those for this report are not counted.
    pub evaluations: Evaluations,
    /// Factorizations.
    pub factorizations: usize,
    /// Solutions with a factorized matrix.
    pub solves: usize,
    /// Newton iterations.
    pub newton_iterations: usize,
    /// Wall time in s: the shortest of the repetitions; without any, that of the observed run, less what the observer took.
    pub wall_s: f64,
    /// Runs that were made for their time, and that nobody observed.
    pub repetitions: usize,
    /// Largest violation of the constraints at any accepted step.
    pub violation: Violation,
    /// Outputs at the end.
    pub outputs: Named<f64>,
    /// Distance from the reference at the end, of the outputs that have one. Computed references count from eight digits on.
    pub error: Named<f64>,
    /// Where the reference comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Largest penetration of contacts at any accepted step in m (rad of angular stops); null without contacts.
    pub penetration: Option<f64>,
    /// Energy along the run, where the system knows it.
    pub energy: Option<Energy>,
    /// What happened on the way.
    pub events: Vec<EventRecord>,
    /// Conserved quantities and bounds that the solution has left by more than errors explain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violated: Vec<ViolatedProperty>,
    /// Parameters of the problem.
    pub parameters: Named<f64>,
    /// Options as run.
    pub options: RunOptions,
    /// How far the end can be trusted, if asked for and the run is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<EndCheck>,
    /// Rows at equidistant times, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<Samples>,
}

impl RunReport {
    fn new(request: &RunRequest, max_steps: usize) -> Self {
        Self {
            problem: request.case.problem.name.to_owned(),
            method: request.choice.method().name.to_owned(),
            auto: None,
            status: Status::Done,
            reason: String::new(),
            t_end: f64::NAN,
            steps: Steps::default(),
            evaluations: Evaluations::default(),
            factorizations: 0,
            solves: 0,
            newton_iterations: 0,
            wall_s: f64::NAN,
            repetitions: 0,
            violation: Violation::default(),
            outputs: Named::default(),
            error: Named::default(),
            reference: None,
            penetration: None,
            energy: None,
            events: Vec::new(),
            violated: Vec::new(),
            parameters: Named(request.case.parameter_values()),
            options: RunOptions {
                control: request.control,
                variant: request.choice.label(),
                controller: request.choice.controller.map(|entry| entry.name),
                t_end: request.case.t_end,
                projection: request.choice.projection(),
                newton_tol: request
                    .choice
                    .options
                    .newton
                    .and_then(|newton| newton.tolerance),
                max_steps,
            },
            check: None,
            samples: None,
        }
    }

    fn take_statistics(&mut self, statistics: &Statistics) {
        self.steps = Steps {
            accepted: statistics.accepted,
            rejected: statistics.rejected.total(),
            inner: statistics.inner,
        };
        self.evaluations = statistics.evaluations;
        self.factorizations = statistics.work.factorizations;
        self.solves = statistics.work.solves;
        self.newton_iterations = statistics.work.newton_iterations;
    }

    fn take_failure(&mut self, case: &Case, error: &SolveError) {
        self.status = status_of(&error.kind);
        self.reason = case.reason(error);
        let fixed = matches!(self.options.control, Control::Fixed { .. });
        if fixed && matches!(error.kind, SolveErrorKind::Step(StepError::Dynamics(_))) {
            self.reason
                .push_str("; a smaller --step may do, or --rtol, which finds one");
        }
        self.take_statistics(&error.statistics);
        self.events.clone_from(&error.events);
    }

    fn take_state(&mut self, case: &mut Case, state: &State) {
        self.t_end = state.t;
        let names = case.outputs().to_vec();
        let mut values = vec![f64::NAN; names.len()];
        if let Err(error) = Evaluator::new(case.system()).outputs(state, &mut values) {
            self.fail(error.to_string());
        }
        match known_ends(case, state.t) {
            Ok(Some(Ends {
                values: ends,
                source,
            })) => {
                let known = names.iter().zip(&values).filter_map(|(name, value)| {
                    let (_, end) = ends.iter().find(|(output, _)| output == name)?;
                    Some((name.clone(), (value - end).abs()))
                });
                self.error = Named(known.collect());
                self.reference = Some(source);
            }
            Ok(None) => {}
            Err(error) => self.fail(error.to_string()),
        }
        self.outputs = Named(names.into_iter().zip(values).collect());
    }

    fn take_invariants(&mut self, invariants: &Invariants) {
        self.violation = invariants.violation;
        self.energy = invariants.energy;
        self.penetration = invariants.penetration;
    }

    fn fail(&mut self, reason: String) {
        if self.status == Status::Done {
            self.status = Status::Failed;
            self.reason = reason;
        }
    }
}

/// What outputs should be.
struct Ends {
    values: Vec<(String, f64)>,
    source: String,
}

/// True values at a time: what is published or known in closed form, and where that says nothing, what two methods have computed.
fn known_ends(case: &Case, t: f64) -> Result<Option<Ends>, CommandError> {
    if let Some(reference) = &case.problem.reference {
        let names = case.outputs().iter();
        let values: Vec<(String, f64)> = names
            .filter_map(|name| Some((name.clone(), reference.value(name, t)?)))
            .collect();
        if !values.is_empty() {
            let source = reference.source().to_owned();
            return Ok(Some(Ends { values, source }));
        }
    }
    if t != case.t_end {
        return Ok(None);
    }
    let known = case.computed_reference()?.iter();
    let known: Vec<_> = known.filter(|value| value.digits >= DIGITS).collect();
    Ok(known.first().map(|first| Ends {
        source: format!("{COMPUTED} {}", first.by),
        values: known
            .iter()
            .map(|value| (value.output.clone(), value.value))
            .collect(),
    }))
}

/// Why a run ended, as reports have it.
pub(super) fn reason_in_words(reason: StopReason) -> &'static str {
    match reason {
        StopReason::EndTime => "end-time",
        StopReason::Event => "event",
        StopReason::Observer => "observer",
    }
}

/// Whether the run can begin: options and initial values, as the driver judges them.
pub fn check(request: &mut RunRequest) -> Result<(), CommandError> {
    if request.choice.candidates().is_some() {
        // Which method it is shows itself later; none of them leaves the problem as it is.
        return Ok(());
    }
    let options = request.options();
    let integrator = request.choice.build();
    let system = request.case.system();
    let state = system.initial_state();
    let refused = Driver::new(system, integrator.as_ref(), state, &options).err();
    refused.map_or(Ok(()), |error| Err(request.case.refusal(error)))
}

/// Solves, measures, and writes rows. A failed run is a report, too; an error is a file that could not be written.
///
/// The run is made once and observed, unless its times are asked for, or `auto` may have to begin again and the rows cannot.
pub fn run(
    request: &mut RunRequest,
    mut rows: Option<(Sampling, &mut dyn RowSink)>,
) -> Result<RunReport, CommandError> {
    let limit = request.max_steps;
    let Contenders { list, mut spent } = Contenders::of(
        &request.choice,
        &mut request.case,
        request.control,
        limit,
        request.time_limit.map(|limit| (limit, Clock::default())),
    );
    let automatic = request.choice.candidates().is_some();
    let last = list.len().saturating_sub(1);
    let unobserved = match request.repeat {
        None if last > 0 && !begin_again(&mut rows)? => Some(Repeat::ONCE),
        asked => asked,
    };
    let mut report = RunReport::new(request, 0);
    report.fail("no method could begin".to_owned());
    let mut state = None;
    let mut seen = None;
    for (place, contender) in list.into_iter().enumerate() {
        let steps = steps_left(limit, &spent);
        if automatic && steps == Some(0) {
            break;
        }
        request.max_steps = contender.most_of(steps);
        request.choice = contender.choice;
        request.control = contender.control;
        let options = request.options();
        report = RunReport::new(request, options.max_steps);
        report.auto = automatic.then_some(contender.reason);
        request.watch.begin(Pass::Solving);
        let solved = match unobserved {
            Some(repeat) => {
                let (case, choice) = (&mut request.case, &request.choice);
                match timed_watched(case, choice, &options, repeat, &request.watch) {
                    Ok(timed) => {
                        report.wall_s = timed.wall_s();
                        report.repetitions = timed.timings.len();
                        Ok(timed.solution)
                    }
                    Err(TimedFailure { error, timing }) => {
                        report.wall_s = timing.wall_s;
                        Err(error)
                    }
                }
            }
            None => {
                if place > 0 {
                    begin_again(&mut rows)?;
                }
                let (solved, looked) = observed(request, &options, &mut rows)?;
                report.wall_s = looked.wall_s;
                seen = Some(looked);
                solved
            }
        };
        state = match solved {
            Ok(solution) => {
                spent += Counts::from(&solution.statistics);
                report.take_statistics(&solution.statistics);
                report.reason = reason_in_words(solution.reason).to_owned();
                report.events = solution.events;
                report.violated = solution.violated;
                Some(solution.state)
            }
            Err(error) => {
                spent += Counts::from(error.statistics.as_ref());
                report.take_failure(&request.case, &error);
                error.state.map(|state| *state)
            }
        };
        if report.status == Status::Done || place == last {
            break;
        }
    }
    if let Some(limit) = limit.filter(|_| automatic && report.status != Status::Done)
        && steps_left(Some(limit), &spent) == Some(0)
    {
        report.reason = format!("{}; {}", report.reason, steps_over(limit));
        if request.choice.candidates().is_some() {
            // Not even the first one has begun: there is no method to measure with.
            return Ok(report);
        }
    }
    if let Some(state) = &state {
        report.take_state(&mut request.case, state);
    }
    if report.status == Status::BadInput {
        return Ok(report);
    }
    let seen = match seen {
        Some(seen) => seen,
        None => {
            let mut options = request.options();
            if report.status == Status::Done {
                // Looking takes time, too: what has come to its end in time may be looked at to its end.
                options.time_limit = None;
            }
            request.watch.begin(Pass::Measuring);
            let (measured, seen) = observed(request, &options, &mut rows)?;
            if let Err(error) = measured {
                report.fail(format!("the measuring pass failed: {error}"));
            }
            seen
        }
    };
    if let Some(error) = &seen.failure {
        report.fail(format!("the solution cannot be measured: {error}"));
    }
    if let Some(invariants) = &seen.invariants {
        report.take_invariants(invariants);
    }
    if seen.failure.is_some() {
        // Where a violation is not a number, the largest one is not known.
        let unknown = f64::NAN;
        report.violation = Violation {
            position: unknown,
            velocity: unknown,
            acceleration: unknown,
        };
    }
    Ok(report)
}

/// Makes rows forget what they have; `false` where they cannot, as those that somebody has read.
fn begin_again(rows: &mut Option<(Sampling, &mut dyn RowSink)>) -> Result<bool, CommandError> {
    match rows {
        Some((_, sink)) => {
            (sink.begin_again()).map_err(|source| CommandError::write("the rows".as_ref(), source))
        }
        None => Ok(true),
    }
}

/// What was seen of a run.
struct Seen {
    invariants: Option<Invariants>,
    /// Why the solution could not be evaluated from some moment on.
    failure: Option<DynamicsError>,
    /// Wall time without that of the observer in s.
    wall_s: f64,
}

/// An observer that looks as long as the solution can be evaluated; the run goes on in any case.
struct Looking<'a, 's> {
    meter: &'a mut Meter<'s>,
    spent: Duration,
}

impl Observer for Looking<'_, '_> {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        if self.meter.interruption.is_some() {
            return ControlFlow::Continue(());
        }
        let start = Instant::now();
        let flow = self.meter.observe(step);
        self.spent += start.elapsed();
        match self.meter.interruption {
            Some(Interruption::Dynamics(_)) => ControlFlow::Continue(()),
            _ => flow,
        }
    }

    fn wants_dense_output(&self) -> bool {
        self.meter.wants_dense_output()
    }

    fn wants_complete_states(&self) -> bool {
        self.meter.wants_complete_states()
    }
}

/// One run that is looked at.
fn observed(
    request: &mut RunRequest,
    options: &Options,
    rows: &mut Option<(Sampling, &mut dyn RowSink)>,
) -> Result<(Result<Solution, Box<SolveError>>, Seen), CommandError> {
    let mut meter = Meter::of_invariants(&options.control);
    if let Some((sampling, sink)) = rows {
        meter = meter.with_rows(sampling.clone(), &mut **sink);
    }
    let mut looking = Looking {
        meter: &mut meter,
        spent: Duration::ZERO,
    };
    let integrator = request.choice.build();
    let mut watched = Watched {
        watch: &request.watch,
        observer: &mut looking,
    };
    let start = Instant::now();
    let system = request.case.system();
    let solved = solve_observed(system, integrator.as_ref(), options, &mut watched);
    let wall = start.elapsed().saturating_sub(looking.spent);
    let failure = match meter.interruption.take() {
        Some(Interruption::Sink(source)) => {
            return Err(CommandError::write("the rows".as_ref(), source));
        }
        Some(Interruption::Dynamics(error)) => Some(error),
        None => None,
    };
    let seen = Seen {
        invariants: meter.into_invariants(),
        failure,
        wall_s: wall.as_secs_f64(),
    };
    Ok((solved.map_err(Box::new), seen))
}
