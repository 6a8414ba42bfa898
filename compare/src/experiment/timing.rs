//! Wall time: of runs that nobody watches, the shortest of several.

use super::{Case, Choice};
use liedae::solve::{
    Observer, Options, Solution, SolveError, StepView, StopReason, solve_observed,
};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// How often a short run is repeated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repeat {
    /// Runs are repeated until they have taken this long together ...
    pub budget: Duration,
    /// ... or this often.
    pub at_most: usize,
}

impl Repeat {
    /// Runs below 40 ms are repeated, at most five times.
    pub const SHORT: Self = Self {
        budget: Duration::from_millis(40),
        at_most: 5,
    };
}

/// A run and its wall time.
#[derive(Clone, Debug)]
pub struct Timed {
    /// What came out.
    pub solution: Solution,
    /// Wall time of the shortest run in s, from the check of the options to the last state.
    pub wall_s: f64,
    /// Whether the run was given up at the time limit.
    pub out_of_time: bool,
}

/// A run that failed, and when.
#[derive(Clone, Debug)]
pub struct TimedFailure {
    /// What went wrong.
    pub error: Box<SolveError>,
    /// Wall time until then in s.
    pub wall_s: f64,
}

/// Looks at the clock only.
struct Deadline {
    end: Option<Instant>,
    steps: u32,
}

impl Observer for Deadline {
    fn observe(&mut self, _step: &mut StepView) -> ControlFlow<()> {
        // The clock is read every few steps, so that reading it costs nothing.
        self.steps = self.steps.wrapping_add(1);
        match self.end {
            Some(end) if self.steps.is_multiple_of(16) && Instant::now() >= end => {
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Runs without looking at the solution.
pub fn timed(
    case: &mut Case,
    choice: &Choice,
    options: &Options,
    repeat: Repeat,
    limit: Option<Duration>,
) -> Result<Timed, TimedFailure> {
    let mut once = || {
        let mut integrator = choice.build();
        let start = Instant::now();
        let mut deadline = Deadline {
            // A limit beyond what the clock can tell is none.
            end: limit.and_then(|limit| start.checked_add(limit)),
            steps: 0,
        };
        let result = solve_observed(case.system(), integrator.as_mut(), options, &mut deadline);
        let wall_s = start.elapsed().as_secs_f64();
        let solution = result.map_err(|error| TimedFailure {
            error: Box::new(error),
            wall_s,
        })?;
        let out_of_time = solution.reason == StopReason::Observer;
        Ok(Timed {
            solution,
            wall_s,
            out_of_time,
        })
    };
    let mut best = once()?;
    let mut spent = best.wall_s;
    for _ in 1..repeat.at_most {
        if spent >= repeat.budget.as_secs_f64() || best.out_of_time {
            break;
        }
        let again = once()?;
        spent += again.wall_s;
        if again.wall_s < best.wall_s {
            best = again;
        }
    }
    Ok(best)
}
