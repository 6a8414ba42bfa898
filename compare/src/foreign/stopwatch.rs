//! CPU time of short pieces of work, without that of the clock.

use crate::experiment::thread_time;
use std::time::Duration;

/// How often the clock is read to know what that takes.
const READINGS: usize = 200;

/// Adds up the CPU time of pieces of work in this thread.
pub struct Stopwatch {
    /// What an empty piece seems to take.
    empty: Duration,
    spent: Duration,
}

impl Stopwatch {
    /// A stopwatch that knows what its clock takes: the shortest of many empty pieces.
    pub fn new() -> Self {
        let mut stopwatch = Self {
            empty: Duration::ZERO,
            spent: Duration::ZERO,
        };
        let pieces = (0..READINGS).map(|_| {
            stopwatch.spent = Duration::ZERO;
            stopwatch.time(|| ());
            stopwatch.spent
        });
        let empty = pieces.min().unwrap_or_default();
        Self {
            empty,
            spent: Duration::ZERO,
        }
    }

    /// Does a piece of work; without a clock of the thread it takes no time.
    pub fn time<R>(&mut self, work: impl FnOnce() -> R) -> R {
        let start = thread_time();
        let result = work();
        if let (Some(start), Some(end)) = (start, thread_time()) {
            self.spent += end.saturating_sub(start).saturating_sub(self.empty);
        }
        result
    }

    /// What all pieces took in s.
    pub fn spent_s(&self) -> f64 {
        self.spent.as_secs_f64()
    }
}
