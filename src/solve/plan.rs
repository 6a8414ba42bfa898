//! Step sizes: towards the next stop, from the controller, after failures.

use super::held_rows::HeldRows;
use super::output::dense::StepEnd;
use super::singular::course::{Course, Crossed};
use super::{Driver, EventRecord, Observer, SolveErrorKind, StepControl};
use crate::control::Proposal;
use crate::integrator::{Attempt, StepError};
use crate::system::{EvaluationError, Function, LimitReached};
use std::time::Instant;

/// A step shorter than this multiple of the spacing of floating-point numbers makes no progress.
pub(super) const SMALLEST_STEP: f64 = 16.0 * f64::EPSILON;

/// The same where the time is zero and says nothing, as a part of the first step that is planned: guesses may be too long by
/// many powers of ten, as at the start of reactions that take hours in the end, but not by this one.
pub(super) const SMALLEST_PART: f64 = f64::EPSILON * f64::EPSILON;

/// Relative slack within which a step counts as reaching a stop.
const STOP_SLACK: f64 = 1e-6;

/// A step that has been accepted, or cut short by an event that starts the method anew.
pub(super) struct Taken {
    /// Its length.
    pub h: f64,
    /// What an event within it did to the state.
    pub jump: Option<super::events::jumps::Jump>,
    /// An observer asked to stop.
    pub broken: bool,
    /// It is the driver's, across or beside a singular configuration: the method starts anew behind it.
    pub crossed: bool,
    /// The singular configuration that it has passed.
    pub singular: Option<EventRecord>,
}

impl Taken {
    fn across(crossed: Crossed) -> Self {
        Self {
            h: crossed.length,
            jump: None,
            broken: false,
            crossed: true,
            singular: crossed.event,
        }
    }
}

impl Driver<'_> {
    /// Leaves behind the stops that have been reached, up to a time event: that of a moment to which another event has
    /// jumped, so that no step has landed on it.
    pub(super) fn pass_stops(&mut self) -> Option<usize> {
        let reached = self.state.t + SMALLEST_STEP * self.state.t.abs();
        while let Some(stop) = self.stops.pop_if(|stop| stop.t <= reached) {
            if stop.time_event.is_some() {
                return stop.time_event;
            }
        }
        None
    }

    /// Step size and end of the next step towards `stop`.
    fn plan(&self, stop: f64) -> (f64, f64) {
        let t = self.state.t;
        let remaining = stop - t;
        match self.options.control {
            StepControl::Fixed(step) => {
                let count = remaining / step;
                if count <= 1.0 + STOP_SLACK {
                    return (remaining, stop);
                }
                if count < 2.0 - STOP_SLACK {
                    // A sliver at the end would ruin the multipliers: two equal steps instead.
                    return (0.5 * remaining, t + 0.5 * remaining);
                }
                // Back onto the grid after an event, without a sliver there either.
                let mut index = ((t - self.grid_origin) / step + STOP_SLACK).floor() + 1.0;
                if self.grid_origin + index * step - t < 0.1 * step {
                    index += 1.0;
                }
                let target = self.grid_origin + index * step;
                let h = target - t;
                (
                    if (h - step).abs() < STOP_SLACK * step {
                        step
                    } else {
                        h
                    },
                    target,
                )
            }
            StepControl::Adaptive { .. } => {
                let near = self.approach.as_ref();
                let limit = near.map_or(f64::INFINITY, |approach| approach.limit);
                let h = self.step_size.min(self.options.max_step).min(limit);
                if h >= remaining * (1.0 - STOP_SLACK) {
                    (remaining, stop)
                } else if 2.0 * h > remaining {
                    (0.5 * remaining, t + 0.5 * remaining)
                } else {
                    (h, t + h)
                }
            }
        }
    }

    /// Tries until a step is accepted; its end is in `self.next`. Events within it are located and handled before the
    /// method accepts the step, so that the method can repeat it up to them.
    pub(super) fn take_step(
        &mut self,
        stop: f64,
        observer: &mut dyn Observer,
    ) -> Result<Taken, SolveErrorKind> {
        let fixed = matches!(self.options.control, StepControl::Fixed(_));
        let mut cause: Option<StepError> = None;
        self.hold_rows()?;
        let mut tried = self.fresh_remedies();
        loop {
            self.allow_step().map_err(StepError::from)?;
            let (h, target) = self.plan(stop);
            let shortest = (SMALLEST_STEP * self.state.t.abs()).max(self.shortest_step);
            if h <= shortest || self.state.t + h == self.state.t {
                if let Some(crossed) = self.cross_at_last(stop)? {
                    return Ok(Taken::across(crossed));
                }
                return Err(SolveErrorKind::StepTooSmall {
                    t: self.state.t,
                    step: h,
                    cause: cause.map(Box::new),
                });
            }
            let attempted = self.attempt(h, target, fixed);
            match self.course(h, &attempted, stop)? {
                Course::GoOn => {}
                Course::Shorten => {
                    self.rejected.error_test += 1;
                    cause = None;
                    tried = self.fresh_remedies();
                    continue;
                }
                Course::Crossed(crossed) => return Ok(Taken::across(crossed)),
            }
            if let Err(StepError::Dynamics(error)) = &attempted
                && self.other_rows(error, &mut tried)?
            {
                self.rejected.count(error);
                continue;
            }
            let judged = attempted.and_then(|accepted| {
                let searched = accepted && self.search.is_needed();
                Ok((accepted, searched && self.find_events()?))
            });
            let (judged, broken) = match judged {
                Ok((true, true)) => {
                    self.refuse_chatter()?;
                    // Handlers have been called: a failure from here on cannot be undone.
                    let passed = self.pass_events(h, observer)?;
                    if passed.jump.is_some() {
                        return Ok(passed);
                    }
                    self.accept(h)?;
                    (Ok(true), passed.broken)
                }
                Ok((true, false)) => (self.accept(h).map(|()| true), false),
                Ok((false, _)) => (Ok(false), false),
                Err(error) => (Err(error), false),
            };
            match judged {
                Ok(true) => {
                    return Ok(Taken {
                        h,
                        jump: None,
                        broken,
                        crossed: false,
                        singular: None,
                    });
                }
                Ok(false) => {
                    self.rejected.error_test += 1;
                    cause = None;
                    tried = self.fresh_remedies();
                }
                Err(StepError::Dynamics(error)) if !fixed => {
                    self.rejected.count(&error);
                    self.step_size = self.stepper.retry_factor() * h;
                    cause = Some(error.into());
                    tried = self.fresh_remedies();
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Whether the limits of the run leave another step; what they leave beyond it is for steps within it.
    fn allow_step(&mut self) -> Result<(), LimitReached> {
        let taken = self.accepted + self.rejected.total() + self.evaluator.inner_steps();
        let left = self.options.max_steps.saturating_sub(taken);
        let inner = left.checked_sub(1).ok_or(LimitReached::Steps)?;
        self.evaluator.allow(inner, self.deadline);
        match self.deadline {
            Some(end) if Instant::now() >= end => Err(LimitReached::Time),
            _ => Ok(()),
        }
    }

    /// What a limit that a step has reached means to the run.
    pub(super) fn name_limit(&self, kind: SolveErrorKind) -> SolveErrorKind {
        let t = self.state.t;
        match (kind, self.options.time_limit) {
            (SolveErrorKind::Step(StepError::Limit(LimitReached::Steps)), _) => {
                SolveErrorKind::TooManySteps {
                    t,
                    steps: self.options.max_steps,
                    inner: self.evaluator.inner_steps(),
                }
            }
            (SolveErrorKind::Step(StepError::Limit(LimitReached::Time)), Some(limit)) => {
                SolveErrorKind::OutOfTime { t, limit }
            }
            (kind, _) => kind,
        }
    }

    /// Takes a step from `self.state` into `self.next` and judges it.
    fn attempt(&mut self, h: f64, target: f64, fixed: bool) -> Result<bool, StepError> {
        let attempt = self.step_to(StepEnd::Accepted, target, h)?;
        if fixed {
            return Ok(true);
        }
        let proposal = self.judge(h, &attempt);
        if !proposal.accept {
            self.step_size = proposal.step;
            return Ok(false);
        }
        let ratio = proposal.step / h;
        let wanted = if ratio > 1.0 && ratio < attempt.keep_step_below {
            h
        } else {
            proposal.step
        };
        // A step cut short by a stop says nothing against the size that was planned.
        let cut = h < (1.0 - STOP_SLACK) * self.step_size;
        let proposed = if cut {
            wanted.max(self.step_size)
        } else {
            wanted
        };
        self.step_size = proposed.min(self.options.max_step);
        Ok(true)
    }

    /// Takes a step from `self.state` into `self.next`, or up to an event into `self.event_state`.
    pub(super) fn step_to(&mut self, end: StepEnd, t: f64, h: f64) -> Result<Attempt, StepError> {
        let next = match end {
            StepEnd::Event => &mut self.event_state,
            StepEnd::Accepted | StepEnd::Tentative => &mut self.next,
        };
        next.t = t;
        next.mode.copy_from_slice(&self.state.mode);
        if let Some(held) = &self.held {
            held.leave_out_of_step(&mut self.evaluator);
        }
        let attempt = HeldRows::with_kept(&mut self.held, &mut self.state, |state| {
            self.stepper
                .step(&mut self.evaluator, state, h, &mut self.norm, next)
        });
        if let Some(held) = &self.held {
            held.leave_out_dropped(&mut self.evaluator);
        }
        let attempt = attempt?;
        if !next.is_finite() {
            let error = EvaluationError::NonFinite {
                function: Function::State,
                t,
                index: 0,
            };
            return Err(error.into());
        }
        if let Some(held) = &mut self.held {
            held.check(&mut self.evaluator, [&self.state, next], &mut self.norm)?;
        }
        Ok(attempt)
    }

    fn accept(&mut self, h: f64) -> Result<(), StepError> {
        HeldRows::with_kept(&mut self.held, &mut self.state, |state| {
            self.stepper
                .accept(&mut self.evaluator, state, h, &mut self.next)
        })?;
        if let Some(held) = &mut self.held {
            held.accepted();
        }
        Ok(())
    }

    /// Asks the controller about a finished step. With an outlook the verdict rests on the step's own error, and the
    /// next size on the outlook.
    fn judge(&mut self, h: f64, attempt: &Attempt) -> Proposal {
        let error = attempt.error.unwrap_or(f64::NAN);
        let Some(outlook) = attempt.outlook else {
            let order = self.integrator.method().error_order;
            return self.controller.propose(h, error, order);
        };
        let controller = &mut self.controller;
        if error <= 1.0 {
            let excess = outlook.error.max(1.0).powf(-1.0 / outlook.order);
            let mut proposal = controller.propose(h, outlook.error.min(1.0), outlook.order);
            proposal.step *= excess;
            proposal
        } else if error.is_nan() {
            controller.propose(h, error, outlook.order)
        } else {
            controller.propose(h, outlook.error.max(1.0 + f64::EPSILON), outlook.order)
        }
    }
}
