//! Wall time: of runs that nobody watches, the shortest of several.

use super::{Case, Choice};
use liedae::solve::{Options, Solution, SolveError, solve};
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
}

/// A run that failed, and when.
#[derive(Clone, Debug)]
pub struct TimedFailure {
    /// What went wrong.
    pub error: Box<SolveError>,
    /// Wall time until then in s.
    pub wall_s: f64,
}

/// Runs without looking at the solution.
pub fn timed(
    case: &mut Case,
    choice: &Choice,
    options: &Options,
    repeat: Repeat,
) -> Result<Timed, TimedFailure> {
    let mut once = || {
        let integrator = choice.build();
        let start = Instant::now();
        let result = solve(case.system(), integrator.as_ref(), options);
        let wall_s = start.elapsed().as_secs_f64();
        let solution = result.map_err(|error| TimedFailure {
            error: Box::new(error),
            wall_s,
        })?;
        Ok(Timed { solution, wall_s })
    };
    let mut best = once()?;
    let mut spent = best.wall_s;
    for _ in 1..repeat.at_most {
        if spent >= repeat.budget.as_secs_f64() {
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
