//! One step from top to bottom: plan, try, judge, look for events, accept, show, go on.

use super::attempt::{Taken, Trial, is_of_iteration};
use super::events::answer::Moment;
use super::output::last_step::StepEnd;
use super::singular::decide::{Course, Crossed};
use super::{Driver, Observer, OptionsError, SolveErrorKind, StopReason};
use crate::integrator::StepError;
use crate::scalar::{larger_or_second, smaller_or_second};

impl Driver<'_> {
    /// Takes one accepted step, with its events; `Some` when the run has ended.
    pub(super) fn go_one_step(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<Option<StopReason>, SolveErrorKind> {
        let (motion, step) = (&mut self.motion, &mut self.step);
        // A run that an observer ended can be resumed.
        step.observer_stops = false;
        // The start is shown once, before anything changes.
        if !std::mem::replace(&mut self.observed_start, true) {
            step.show_moment(motion, observer, false);
            if step.observer_stops {
                return Ok(Some(StopReason::Observer));
            }
        }
        // A moment that was reached without a step, by a jump: nothing to integrate.
        if let Some((index, moment)) = self.timeline.pass_stops(motion.state.t) {
            motion.state.t = larger_or_second(moment, motion.state.t);
            step.shown.start_at(motion.state.t);
            motion.next.copy_from(&motion.state);
            step.show_moment(motion, observer, true);
            step.shown.turn();
            let before = &mut step.before_event;
            let jump = self
                .locator
                .handle_moment(motion, before, Moment::TimeEvent(index))?;
            return self.go_on(jump, observer);
        }
        let Some(stop) = self.timeline.next_stop() else {
            return Ok(Some(StopReason::EndTime));
        };

        step.begin();
        let end = stop.end_of_step(motion.state.t);
        motion.evaluator.set_horizon(end);
        // Try until a step is accepted, or a jump or a crossing ends it.
        let taken = match self.take_step(end, observer) {
            Err(error) if self.is_impasse(&error) => return self.pass_impasse(error, observer),
            taken => taken?,
        };
        match taken {
            Taken::Whole(h) => self.count(h),
            Taken::UpTo(jump) => {
                self.count(self.motion.next.t - self.motion.state.t);
                return self.go_on_behind(jump, observer);
            }
            Taken::Across(crossed) => {
                self.tally.accept(crossed.length);
                return self.land_behind_crossing(crossed, observer);
            }
        }
        let (motion, step) = (&mut self.motion, &mut self.step);
        // A time event belongs to a step that ends there.
        let landed = stop.time_event.filter(|_| motion.next.t == end);
        let landed = landed.map(|event| event.index);
        // Show the step before the system changes anything at its end.
        if let Err(error) = step.finish(motion, observer, self.locator.is_needed()) {
            // Its end has no forces: it has gone past the moment at which they ended.
            let error = SolveErrorKind::from(error);
            return match self.is_impasse(&error) {
                true => self.pass_impasse(error, observer),
                false => Err(error),
            };
        }
        if landed.is_some() {
            step.move_end_to(motion, stop.t);
        }
        self.locator.search.see_end();
        step.show(motion, observer, StepEnd::Accepted, landed.is_some());
        let jump = match landed {
            Some(index) => {
                self.timeline.land();
                let before = &mut step.before_event;
                self.locator
                    .handle_moment(motion, before, Moment::TimeEvent(index))?
            }
            None => None,
        };
        self.go_on(jump, observer)
    }

    /// A step of the method has been accepted.
    fn count(&mut self, h: f64) {
        self.tally.accept(h);
        self.timeline.taken(h, self.motion.next.t);
    }

    /// Tries until a step is accepted.
    fn take_step(
        &mut self,
        stop: f64,
        observer: &mut dyn Observer,
    ) -> Result<Taken, SolveErrorKind> {
        if let Some(crossed) = self.go_on_across()? {
            return Ok(Taken::Across(crossed));
        }
        if self.motion.hold_rows()? {
            self.rows_have_changed();
        }
        let mut cause: Option<StepError> = None;
        let mut tried = self.motion.fresh_remedies();
        let longest = self.motion.longest_step()?;
        // Plan, try, and try again with what the failure has changed.
        loop {
            self.tally.allow_step(&mut self.motion.evaluator)?;
            self.step.shown.try_step(&mut self.motion);
            let limit = (self.approach.as_ref()).map_or(f64::INFINITY, |approach| approach.limit);
            let limit = smaller_or_second(limit, self.turning.limit(&self.motion.state.v));
            let limit = smaller_or_second(limit, longest);
            let t = self.motion.state.t;
            let (h, target) = self.timeline.plan(t, stop, limit);
            // So short a step makes no progress; a singular configuration may be the reason.
            if self.timeline.is_too_short(t, h) {
                match self.cross_at_last(stop)? {
                    Course::Crossed(crossed) => return Ok(Taken::Across(crossed)),
                    Course::OtherRows => continue,
                    Course::GoOn | Course::Shorten => {}
                }
                if cause.is_none() && self.start_from_constraints()? {
                    continue;
                }
                if cause.is_none() && self.timeline.is_given(h) {
                    return Err(OptionsError::unresolved("step", h, t).into());
                }
                return Err(SolveErrorKind::StepTooSmall {
                    t,
                    step: h,
                    cause: cause.map(Box::new),
                });
            }
            if self.timeline.is_short(h) && self.motion.take_short_step(target)? {
                return Ok(Taken::Across(Crossed {
                    length: h,
                    passed: None,
                    goes_on: false,
                }));
            }
            let judged = self.step_and_judge(h, target);
            let trial = match self.refuse_half_turns(judged, h)? {
                // Most steps end here: what others may lead to takes memory that would be copied.
                Ok(true) if self.looks_for_nothing() => match self.motion.accept(h) {
                    Ok(()) => return Ok(Taken::Whole(h)),
                    Err(error) => self.failed(h, error)?,
                },
                judged => self.decide(judged, h, stop, &mut tried, observer)?,
            };
            match trial {
                Trial::Taken(taken) => return Ok(taken),
                // The same size, with other rows: no remedy twice.
                Trial::WithOtherRows(error) => {
                    if let Some(error) = error {
                        self.tally.rejected.count(&error);
                    }
                    continue;
                }
                Trial::Inaccurate => {
                    self.tally.rejected.error_test += 1;
                    // An error test is no cause to name: the last failure was of accuracy.
                    cause = None;
                }
                Trial::Failed(error) => {
                    self.tally.rejected.count(&error);
                    cause = Some(error.into());
                }
            }
            tried = self.motion.fresh_remedies();
        }
    }

    /// Whether no step can be taken from here on, however short, since an iteration fails; once at a moment.
    fn is_impasse(&self, error: &SolveErrorKind) -> bool {
        let cause = match error {
            SolveErrorKind::StepTooSmall { cause, .. } => cause.as_deref(),
            SolveErrorKind::Step(error) => Some(error),
            _ => None,
        };
        let fails = matches!(cause, Some(StepError::Dynamics(error)) if is_of_iteration(error));
        fails && self.impasse != Some(self.motion.state.t)
    }

    /// The system may have the state jump where no step can be taken; `error` if it does not.
    fn pass_impasse(
        &mut self,
        error: SolveErrorKind,
        observer: &mut dyn Observer,
    ) -> Result<Option<StopReason>, SolveErrorKind> {
        let (motion, step) = (&mut self.motion, &mut self.step);
        self.impasse = Some(motion.state.t);
        motion.next.copy_from(&motion.state);
        let before = &mut step.before_event;
        let jump = self
            .locator
            .handle_moment(motion, before, Moment::Impasse)?
            .ok_or(error)?;
        step.show_moment(motion, observer, true);
        // The sizes tried in vain say nothing of the step behind it.
        let usual = self.timeline.schedule(f64::INFINITY).usual_step;
        self.timeline.go_on_with(usual);
        self.go_on_behind(jump, observer)
    }
}
