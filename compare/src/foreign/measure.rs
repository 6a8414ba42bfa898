//! One run of a comparison, made by a program.

use super::ProgramChoice;
use super::process::Bounds;
use super::serve::{Failure, Outcome, Report, Session, Task};
use crate::error::Status;
use crate::experiment::{Case, Gate, Measurement, Repeat, Request, Timing};
use liedae::system::output_values;
use std::time::Duration;

/// A program may take so many times the limit of a run by the clock on the wall: pipes take time, too, and a loaded machine fails no
/// run. This ends a program that hangs ...
const PATIENCE: u32 = 30;

/// ... after this long at least.
const GRACE: Duration = Duration::from_secs(10);

/// How long one run of a program may take by the clock on the wall.
pub fn longest_run(limit: Duration) -> Duration {
    limit.saturating_mul(PATIENCE).saturating_add(GRACE)
}

/// Solves as [`crate::experiment::measure`] does: timed runs first, one that is watched at the end. A failure is a measurement, too.
pub fn measure_program(
    case: &mut Case,
    choice: &ProgramChoice,
    request: &Request,
    memory: u64,
    gate: &Gate,
) -> Measurement {
    let mut measurement = Measurement::default();
    let timed = gate.timed(|| timed(case, choice, request, memory));
    match timed {
        Ok((outcome, timings)) => {
            let mut end = vec![f64::NAN; case.outputs().len()];
            let known = output_values(case.system(), &outcome.state, &mut end).is_ok();
            measurement.end = known.then_some(end);
            measurement.t_reached = Some(outcome.state.t);
            measurement.counts = outcome.report.counts;
            measurement.timings = timings;
        }
        Err(failure) => return failed(&failure),
    }
    match gate.untimed(|| once(case, choice, request, memory, true)) {
        Ok(watched) => {
            let violation = watched.violation;
            measurement.samples = watched.samples;
            measurement.violation = Some([violation.position, violation.velocity]);
        }
        Err(failure) => {
            measurement.status = Status::Failed;
            measurement.reason = format!("the measuring pass failed: {}", failure.error);
        }
    }
    measurement
}

/// The times of a run that was done, taken anew; `None` if it is not done now.
pub fn retime_program(
    case: &mut Case,
    choice: &ProgramChoice,
    request: &Request,
    memory: u64,
) -> Option<Vec<Timing>> {
    let timed = timed(case, choice, request, memory);
    timed.ok().map(|(_, timings)| timings)
}

fn failed(Failure { error, report }: &Failure) -> Measurement {
    Measurement {
        out_of_time: error.is_out_of_time(),
        t_reached: report.t,
        counts: report.counts,
        timings: vec![timing(report)],
        ..Measurement::failed(error.status(), error.to_string())
    }
}

/// Pipes make the clock on the wall meaningless: both times are CPU time.
fn timing(report: &Report) -> Timing {
    Timing {
        wall_s: report.cpu_s,
        cpu_s: Some(report.cpu_s),
    }
}

type Run<T> = Result<T, Box<Failure>>;

fn timed(
    case: &mut Case,
    choice: &ProgramChoice,
    request: &Request,
    memory: u64,
) -> Run<(Outcome, Vec<Timing>)> {
    let outcome = once(case, choice, request, memory, false)?;
    let mut timings = vec![timing(&outcome.report)];
    let mut spent = outcome.report.cpu_s;
    let repeat: Repeat = request.repeat;
    while repeat.goes_on(timings.len(), spent) {
        let again = once(case, choice, request, memory, false)?;
        spent += again.report.cpu_s;
        timings.push(timing(&again.report));
    }
    Ok((outcome, timings))
}

fn once(
    case: &mut Case,
    choice: &ProgramChoice,
    request: &Request,
    memory: u64,
    watched: bool,
) -> Run<Outcome> {
    let task = Task {
        t_end: case.t_end,
        control: request.control,
        limits: request.limits,
        bounds: Bounds {
            wall: longest_run(request.limits.time),
            memory,
        },
        watched,
        times: if watched { request.times } else { &[] },
    };
    match Session::new(case.system(), choice, &task) {
        Ok(session) => session.run(),
        Err(error) => Err(Box::new(Failure {
            error,
            report: Report::default(),
        })),
    }
}
