//! What a run takes: runs that nobody watches, repeated if they are short.

use super::clock::thread_time;
use super::{Case, Choice};
use liedae::solve::{Options, Solution, SolveError, solve};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// How often a run is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repeat {
    /// Runs are repeated until they have taken this long together ...
    pub budget: Duration,
    /// ... or this often.
    pub at_most: usize,
    /// Even long runs are made so often.
    pub at_least: usize,
}

impl Repeat {
    /// Runs below 40 ms are repeated, at most five times.
    pub const SHORT: Self = Self {
        budget: Duration::from_millis(40),
        at_most: 5,
        at_least: 1,
    };

    /// As [`Self::SHORT`], and so often at least.
    pub fn at_least(count: usize) -> Self {
        Self {
            at_least: count.max(1),
            at_most: count.max(Self::SHORT.at_most),
            ..Self::SHORT
        }
    }

    fn goes_on(&self, done: usize, spent: f64) -> bool {
        done < self.at_least || (done < self.at_most && spent < self.budget.as_secs_f64())
    }
}

/// What one repetition of a run took, from the check of the options to the last state.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Wall time in s.
    pub wall_s: f64,
    /// CPU time of the thread in s, where the operating system tells.
    pub cpu_s: Option<f64>,
}

/// A run and what it took.
#[derive(Clone, Debug)]
pub struct Timed {
    /// What came out.
    pub solution: Solution,
    /// Every repetition.
    pub timings: Vec<Timing>,
}

impl Timed {
    /// Wall time of the shortest repetition in s.
    pub fn wall_s(&self) -> f64 {
        let walls = self.timings.iter().map(|timing| timing.wall_s);
        walls.fold(f64::INFINITY, f64::min)
    }
}

/// A run that failed, and what it took until then.
#[derive(Clone, Debug)]
pub struct TimedFailure {
    /// What went wrong.
    pub error: Box<SolveError>,
    /// Time until then.
    pub timing: Timing,
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
        let (start, thread_start) = (Instant::now(), thread_time());
        let result = solve(case.system(), integrator.as_ref(), options);
        let thread = thread_start.and_then(|start| Some(thread_time()?.saturating_sub(start)));
        let timing = Timing {
            wall_s: start.elapsed().as_secs_f64(),
            cpu_s: thread.map(|time| time.as_secs_f64()),
        };
        match result {
            Ok(solution) => Ok((solution, timing)),
            Err(error) => Err(TimedFailure {
                error: Box::new(error),
                timing,
            }),
        }
    };
    let (solution, first) = once()?;
    let mut timings = vec![first];
    let mut spent = first.wall_s;
    while repeat.goes_on(timings.len(), spent) {
        let (_, again) = once()?;
        spent += again.wall_s;
        timings.push(again);
    }
    Ok(Timed { solution, timings })
}
