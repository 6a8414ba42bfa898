//! Timing of a run: without observers, repeated if it is short.

use super::clock::thread_time;
use super::watch::{Watch, Watched};
use super::{Case, Choice};
use liedae::solve::{Options, Silent, Solution, SolveError, solve_observed};
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

    /// Runs are made once.
    pub const ONCE: Self = Self::times(1);

    /// Runs are made so often, however long they take.
    pub const fn times(count: usize) -> Self {
        Self {
            budget: Duration::ZERO,
            at_most: count,
            at_least: count,
        }
    }

    /// As [`Self::SHORT`], and so often at least.
    pub fn at_least(count: usize) -> Self {
        Self {
            at_least: count.max(1),
            at_most: count.max(Self::SHORT.at_most),
            ..Self::SHORT
        }
    }

    /// Whether there is another repetition after so many, which have taken `spent` seconds together.
    pub fn goes_on(&self, done: usize, spent: f64) -> bool {
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

impl Timing {
    /// What both took together.
    pub fn after(self, before: Self) -> Self {
        Self {
            wall_s: before.wall_s + self.wall_s,
            cpu_s: before
                .cpu_s
                .zip(self.cpu_s)
                .map(|(before, own)| before + own),
        }
    }

    /// What limits of time are measured by.
    pub fn limited(self) -> Duration {
        Duration::try_from_secs_f64(self.cpu_s.unwrap_or(self.wall_s)).unwrap_or_default()
    }
}

/// Reads what has passed since it was started.
pub struct Stopwatch {
    start: Instant,
    thread_start: Option<Duration>,
}

impl Stopwatch {
    /// Starts.
    pub fn start() -> Self {
        Self {
            start: Instant::now(),
            thread_start: thread_time(),
        }
    }

    /// What has passed.
    pub fn read(&self) -> Timing {
        let thread = |start| Some(thread_time()?.saturating_sub(start).as_secs_f64());
        Timing {
            wall_s: self.start.elapsed().as_secs_f64(),
            cpu_s: self.thread_start.and_then(thread),
        }
    }
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
    timed_watched(case, choice, options, repeat, &Watch::default())
}

/// The same with a watch that shows how far it has come.
pub fn timed_watched(
    case: &mut Case,
    choice: &Choice,
    options: &Options,
    repeat: Repeat,
    watch: &Watch,
) -> Result<Timed, TimedFailure> {
    let mut once = || {
        let integrator = choice.build();
        let observer = &mut Silent;
        let mut watched = Watched { watch, observer };
        let stopwatch = Stopwatch::start();
        let result = solve_observed(case.system(), integrator.as_ref(), options, &mut watched);
        let timing = stopwatch.read();
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
        // A repetition that runs out of time says nothing against the run that was done.
        let Ok((_, again)) = once() else { break };
        spent += again.wall_s;
        timings.push(again);
    }
    Ok(Timed { solution, timings })
}
