//! Until when a run may go on, by a clock of the caller's choice.

use std::cell::Cell;
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
        self.is_over_at(Instant::now())
    }

    fn is_over_at(&mut self, now: Instant) -> bool {
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

/// Evaluations that take less than this each may go on for some more before the clock is read again: reading it takes 25 ns.
const QUICK: Duration = Duration::from_micros(1);

/// Most evaluations from one reading of the clock to the next.
const MOST_UNSEEN: u32 = 16;

/// Reads the clock of a deadline at evaluations: at each of them, or at every few of quick ones.
#[derive(Clone, Copy, Debug)]
pub(in crate::system) struct Watch {
    deadline: Deadline,
    seen: Instant,
    /// Evaluations from one reading to the next, and those left.
    stride: u32,
    left: u32,
    is_over: bool,
}

impl Watch {
    pub fn new(deadline: Deadline) -> Self {
        Self {
            deadline,
            seen: Instant::now(),
            stride: 1,
            left: 1,
            is_over: false,
        }
    }

    /// The same with another deadline.
    pub fn until(self, deadline: Deadline) -> Self {
        Self {
            deadline,
            is_over: false,
            ..self
        }
    }

    pub fn deadline(&self) -> Deadline {
        self.deadline
    }

    /// Whether the time was over at a reading of the clock.
    pub fn was_over(&self) -> bool {
        self.is_over
    }

    /// An evaluation begins: whether the time is over.
    pub fn is_over_at_evaluation(&mut self) -> bool {
        self.left -= 1;
        if self.left == 0 {
            self.read();
        }
        if self.is_over {
            self.left = 1;
        }
        self.is_over
    }

    /// Reads the clock: whether the time is over.
    pub fn read(&mut self) -> bool {
        let now = Instant::now();
        let quick = now.duration_since(self.seen) < QUICK * self.stride;
        self.stride = if quick {
            (2 * self.stride).min(MOST_UNSEEN)
        } else {
            1
        };
        (self.seen, self.left) = (now, self.stride);
        self.is_over |= self.deadline.is_over_at(now);
        self.is_over
    }
}

thread_local! {
    /// The deadline of the derivatives that this thread evaluates.
    static OF_DERIVATIVES: Cell<Option<Deadline>> = const { Cell::new(None) };
}

/// Lets derivatives see a deadline between their columns until it is dropped.
pub(in crate::system) struct DerivativesUntil {
    before: Option<Deadline>,
}

impl DerivativesUntil {
    pub fn new(deadline: Deadline) -> Self {
        Self {
            before: OF_DERIVATIVES.replace(Some(deadline)),
        }
    }
}

impl Drop for DerivativesUntil {
    fn drop(&mut self) {
        OF_DERIVATIVES.set(self.before);
    }
}

/// Whether the time limit of the run has passed, asked between columns of derivatives. The evaluator then reports an error, and
/// the columns written so far are invalid.
pub(in crate::system) fn is_over_for_derivatives() -> bool {
    OF_DERIVATIVES
        .get()
        .is_some_and(|mut deadline| deadline.is_over())
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
