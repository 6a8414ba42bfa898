//! Statistics of a run, and its limits.

use super::motion::Motion;
use super::{Failures, Options, SolveErrorKind, Statistics};
use crate::integrator::StepError;
use crate::scalar::{larger_or_second, smaller_or_second};
use crate::system::{Clock, Deadline, Evaluator, LimitReached};
use std::time::Duration;

/// Counts of steps, and their limits.
pub(super) struct Tally {
    accepted: usize,
    pub rejected: Failures,
    smallest_step: f64,
    largest_step: f64,
    max_steps: usize,
    time_limit: Option<Duration>,
    clock: Clock,
    /// When the time is over; a limit beyond what the clock can tell is none.
    deadline: Option<Deadline>,
}

impl Tally {
    /// Time counts from now on.
    pub fn new(options: &Options) -> Self {
        Self {
            accepted: 0,
            rejected: Failures::default(),
            smallest_step: 0.0,
            largest_step: 0.0,
            max_steps: options.max_steps,
            time_limit: options.time_limit,
            clock: options.clock,
            deadline: (options.time_limit).and_then(|limit| Deadline::after(limit, options.clock)),
        }
    }

    /// A step of this length has been accepted.
    pub fn accept(&mut self, h: f64) {
        self.accepted += 1;
        self.smallest_step = if self.accepted == 1 {
            h
        } else {
            smaller_or_second(h, self.smallest_step)
        };
        self.largest_step = larger_or_second(h, self.largest_step);
    }

    /// Whether the limits of the run leave another step; what they leave beyond it is for steps within it.
    pub fn allow_step(&mut self, evaluator: &mut Evaluator) -> Result<(), StepError> {
        let taken = self.accepted + self.rejected.total() + evaluator.inner_steps();
        let left = self.max_steps.saturating_sub(taken);
        // One of the steps left is the one about to be taken.
        let inner = left.checked_sub(1).ok_or(LimitReached::Steps)?;
        evaluator.allow(inner, self.deadline);
        if self.deadline.as_mut().is_some_and(Deadline::is_over) {
            return Err(LimitReached::Time.into());
        }
        Ok(())
    }

    /// What a limit that a step has reached means to the run.
    pub fn name_limit(&self, motion: &Motion, kind: SolveErrorKind) -> SolveErrorKind {
        let t = motion.state.t;
        // Whatever an evaluation that was refused has led to.
        let kind = if motion.evaluator.is_out_of_time() {
            StepError::Limit(LimitReached::Time).into()
        } else {
            kind
        };
        match (kind, self.time_limit) {
            (SolveErrorKind::Step(StepError::Limit(LimitReached::Steps)), _) => {
                SolveErrorKind::TooManySteps {
                    t,
                    steps: self.max_steps,
                    inner: motion.evaluator.inner_steps(),
                }
            }
            (SolveErrorKind::Step(StepError::Limit(LimitReached::Time)), Some(limit)) => {
                SolveErrorKind::OutOfTime {
                    t,
                    limit,
                    clock: self.clock.name(),
                }
            }
            (kind, _) => kind,
        }
    }

    /// The cost so far.
    pub fn statistics(&self, motion: &Motion, events_left_out: usize) -> Statistics {
        let mut work = motion.earlier_work;
        work += motion.stepper.work();
        let work = work.since(motion.observed_work);
        Statistics {
            accepted: self.accepted,
            rejected: self.rejected,
            repeated: motion.repeated,
            inner: motion.evaluator.inner_steps(),
            evaluations: motion.evaluator.evaluations(),
            work,
            smallest_step: self.smallest_step,
            largest_step: self.largest_step,
            events_left_out,
        }
    }
}
