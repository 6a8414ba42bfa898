//! The measurement of one run of a comparison: results and costs, before they are compared with a reference.
//!
//! Everything that can fill in a [`Measurement`] can be compared: a method in this process, one in a child process, or an
//! external program.

use super::lock::Gate;
use super::meter::Interruption;
use super::{
    Case, Choice, Contenders, Control, Counts, Meter, Repeat, Sampling, Table, TimedFailure,
    Timing, limiting_clock, steps_left, steps_over, timed, timing::Stopwatch,
};
use crate::error::{Status, status_of};
use liedae::solve::{EventRecord, Options, SolveErrorKind, solve_observed};
use liedae::system::output_values;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How far a run may go.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// CPU time after which a run is given up.
    pub time: Duration,
    /// Steps after which it is.
    pub max_steps: Option<u64>,
}

/// The request of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Request<'a> {
    /// Tolerances or a fixed step.
    pub control: Control,
    /// How far it may go.
    pub limits: Limits,
    /// How often it is repeated for its times.
    pub repeat: Repeat,
    /// Times in s at which its outputs are sampled, ascending.
    pub times: &'a [f64],
}

/// What came out of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Whether it was done.
    pub status: Status,
    /// Why not.
    pub reason: String,
    /// Whether it was given up since its time was over.
    pub out_of_time: bool,
    /// Whether its process came to grief, perhaps by a limit of the system: such a run is made again.
    #[serde(default)]
    pub crashed: bool,
    /// Time reached in s.
    pub t_reached: Option<f64>,
    /// Events on the way.
    pub events: usize,
    /// Impacts among them.
    pub impacts: usize,
    /// What it has done.
    pub counts: Counts,
    /// What every repetition took; of a failed run what it took until then.
    pub timings: Vec<Timing>,
    /// Outputs at the end; `None` where they are not known.
    #[serde(with = "super::finite::option")]
    pub end: Option<Vec<f64>>,
    /// Outputs at the times asked for.
    pub samples: Table,
    /// Largest violation at position and velocity level at any accepted step.
    #[serde(deserialize_with = "super::finite::sizes::deserialize")]
    pub violation: Option<[f64; 2]>,
    /// Largest rise of the energy across one event in J.
    pub energy_rise: Option<f64>,
    /// Largest penetration of a contact at any accepted step in m (rad).
    #[serde(with = "super::finite::size")]
    pub penetration: Option<f64>,
}

impl Measurement {
    /// A run that failed for this reason.
    pub fn failed(status: Status, reason: impl Into<String>) -> Self {
        Self {
            status,
            reason: reason.into(),
            ..Self::default()
        }
    }

    fn fail(mut self, status: Status, reason: String) -> Self {
        (self.status, self.reason) = (status, reason);
        self
    }

    fn take_events(&mut self, events: &[EventRecord]) {
        self.events = events.len();
        let impacts = events.iter().filter(|event| event.kind == "impact");
        self.impacts = impacts.count();
    }
}

/// Measures the first of the contenders that arrives. It is solved twice: timed runs that nobody observes give times,
/// counts and the end; an observed one gives samples and invariants. A failure is a measurement, too.
pub fn measure(case: &mut Case, choice: &Choice, request: &Request, gate: &Gate) -> Measurement {
    let limits = request.limits;
    let time = Some((limits.time, limiting_clock()));
    // Waiting at the gate is no part of what `auto` takes to choose; choosing is.
    let (Contenders { list, mut spent }, taken) = gate.timed(|| {
        let stopwatch = Stopwatch::start();
        let found = Contenders::of(choice, case, request.control, limits.max_steps, time);
        (found, stopwatch.read())
    });
    let mut chosen = choice.candidates().map(|_| taken);
    let last = list.len().saturating_sub(1);
    let mut measurement = Measurement {
        counts: spent,
        timings: chosen.into_iter().collect(),
        ..Measurement::failed(Status::Failed, "no method could begin")
    };
    for (place, contender) in list.iter().enumerate() {
        let steps = steps_left(limits.max_steps, &spent);
        if chosen.is_some() && steps == Some(0) {
            break;
        }
        let left = Request {
            control: contender.control,
            limits: Limits {
                time: match chosen {
                    Some(taken) => limits.time.saturating_sub(taken.limited()),
                    None => limits.time,
                },
                max_steps: contender.most_of(steps),
            },
            ..request.clone()
        };
        measurement = measure_one(case, &contender.choice, &left, gate);
        measurement.counts += spent;
        if let Some(taken) = &mut chosen {
            let own: Vec<Timing> = measurement.timings.clone();
            for timing in &mut measurement.timings {
                *timing = timing.after(*taken);
            }
            if let Some(first) = own.first() {
                *taken = taken.after(*first);
            }
        }
        if measurement.status == Status::Done || measurement.out_of_time || place == last {
            break;
        }
        spent = measurement.counts;
    }
    if let Some(limit) = limits.max_steps.filter(|_| chosen.is_some())
        && measurement.status != Status::Done
        && steps_left(Some(limit), &measurement.counts) == Some(0)
    {
        measurement.reason = format!("{}; {}", measurement.reason, steps_over(limit));
    }
    measurement
}

/// One method, twice: timed and observed.
fn measure_one(case: &mut Case, choice: &Choice, request: &Request, gate: &Gate) -> Measurement {
    let options = choice.driver_options(request.control, case.t_end, request.limits.max_steps);
    let limited = Options {
        time_limit: Some(request.limits.time),
        clock: limiting_clock(),
        ..options.clone()
    };
    let mut measurement = Measurement::default();
    match gate.timed(|| timed(case, choice, &limited, request.repeat)) {
        Ok(timed) => {
            let state = &timed.solution.state;
            let mut end = vec![f64::NAN; case.outputs().len()];
            let known = output_values(case.system(), state, &mut end).is_ok();
            measurement.end = known.then_some(end);
            measurement.t_reached = Some(state.t);
            measurement.counts = Counts::from(&timed.solution.statistics);
            measurement.take_events(&timed.solution.events);
            measurement.timings = timed.timings;
        }
        Err(TimedFailure { error, timing }) => {
            measurement.timings = vec![timing];
            measurement.counts = Counts::from(error.statistics.as_ref());
            measurement.take_events(&error.events);
            measurement.t_reached = error.state.as_ref().map(|state| state.t);
            measurement.out_of_time = matches!(error.kind, SolveErrorKind::OutOfTime { .. });
            let reason = if measurement.out_of_time {
                format!("out of time: {error}")
            } else {
                case.reason(&error)
            };
            return measurement.fail(status_of(&error.kind), reason);
        }
    }
    gate.untimed(|| watch(case, choice, request, &options, measurement))
}

/// The observed pass.
fn watch(
    case: &mut Case,
    choice: &Choice,
    request: &Request,
    options: &Options,
    mut measurement: Measurement,
) -> Measurement {
    let mut samples = Table::default();
    let mut meter = Meter::of_invariants(&options.control);
    if !request.times.is_empty() {
        meter = meter
            .with_rows(Sampling::Times(request.times.to_vec()), &mut samples)
            .without_jumps();
    }
    let integrator = choice.build();
    let measured = solve_observed(case.system(), integrator.as_ref(), options, &mut meter);
    let interruption = meter.interruption.take();
    let invariants = meter.into_invariants();
    let failure = match (interruption, measured) {
        (Some(Interruption::Dynamics(error)), _) => {
            Some(format!("the solution cannot be measured: {error}"))
        }
        (Some(Interruption::Sink(error)), _) => Some(format!("rows cannot be kept: {error}")),
        (None, Err(error)) => Some(format!("the measuring pass failed: {error}")),
        (None, Ok(_)) => None,
    };
    if let Some(reason) = failure {
        return measurement.fail(Status::Failed, reason);
    }
    measurement.samples = samples;
    if let Some(invariants) = invariants {
        let violation = invariants.violation;
        measurement.violation = Some([violation.position, violation.velocity]);
        measurement.penetration = invariants.penetration;
        let energy = invariants.energy;
        measurement.energy_rise = energy.and_then(|energy| energy.largest_rise_at_event);
    }
    measurement
}
