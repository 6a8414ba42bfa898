//! Until when a run may go on, by a clock of the caller's choice.

use std::time::{Duration, Instant};

/// What the time limit of a run is measured by: wall time, or a clock of the caller's, such as the CPU time of the thread, in which
/// a loaded machine costs a run nothing.
///
/// ```
/// use liedae::system::Clock;
/// use std::time::Duration;
///
/// fn cpu_time() -> Duration {
///     # Duration::ZERO
///     // Ask the operating system.
/// }
/// let clock = Clock::new("CPU time", cpu_time);
/// assert_eq!((clock.name(), Clock::default().name()), ("CPU time", "wall time"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    name: &'static str,
    now: Option<fn() -> Duration>,
}

impl Default for Clock {
    /// Wall time.
    fn default() -> Self {
        Self {
            name: "wall time",
            now: None,
        }
    }
}

impl Clock {
    /// A clock by a name for messages and a function that says how much time has passed since some fixed moment. It may stand still
    /// or run more slowly than the clock on the wall, but not faster: it is not asked before the limit has passed on that.
    pub fn new(name: &'static str, now: fn() -> Duration) -> Self {
        Self {
            name,
            now: Some(now),
        }
    }

    /// What it measures, for messages.
    pub fn name(&self) -> &'static str {
        self.name
    }
}

/// The moment at which a run's time is over.
///
/// ```
/// use liedae::system::{Clock, Deadline};
/// use std::time::Duration;
///
/// // A moment that is over at once, and one that never comes.
/// let now = Deadline::after(Duration::ZERO, Clock::default());
/// assert!(now.is_some_and(|mut deadline| deadline.is_over()));
/// assert!(Deadline::after(Duration::MAX, Clock::default()).is_none());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    /// The earliest wall time at which the clock can have reached its end.
    not_before: Instant,
    /// The clock, and its end.
    clock: Option<(fn() -> Duration, Duration)>,
}

impl Deadline {
    /// In `limit` from now on; `None` where the limit is beyond what the clocks can tell.
    pub fn after(limit: Duration, clock: Clock) -> Option<Self> {
        let clock = match clock.now {
            Some(now) => Some((now, now().checked_add(limit)?)),
            None => None,
        };
        Some(Self {
            not_before: Instant::now().checked_add(limit)?,
            clock,
        })
    }

    /// Whether the time is over. Reading the clock of a thread takes ten times as long as reading that on the wall, which
    /// answers alone until the limit has passed on it.
    pub fn is_over(&mut self) -> bool {
        let now = Instant::now();
        if now < self.not_before {
            return false;
        }
        let Some((clock, end)) = self.clock else {
            return true;
        };
        let left = end.saturating_sub(clock());
        self.not_before = now.checked_add(left).unwrap_or(now);
        left.is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_stands_still_leaves_a_run_its_time() {
        fn still() -> Duration {
            Duration::from_secs(7)
        }
        let clock = Clock::new("standing", still);
        let deadline = Deadline::after(Duration::from_nanos(1), clock);
        std::thread::sleep(Duration::from_millis(1));
        assert!(deadline.is_some_and(|mut deadline| !deadline.is_over()));
        let mut wall = Deadline::after(Duration::ZERO, Clock::default());
        assert!(wall.as_mut().is_some_and(Deadline::is_over));
        assert!(Deadline::after(Duration::MAX, clock).is_none());
    }
}
