//! How a run goes on behind a step: from its end, behind a jump, behind a singular configuration.

use super::events::jumps::Jump;
use super::initial_step::initial_step;
use super::output::last_step::StepEnd;
use super::prepare::Shaped;
use super::singular::decide::{Course, Crossed};
use super::{Driver, Observer, SolveErrorKind, StopReason};
use crate::integrator::Kind;
use crate::system::EventAction;

/// Distances from the constraints below this part of a state, or below this number, are round-off, and no reason for an
/// error estimate that does not fall.
const ROUND_OFF: f64 = 1e-12;

/// Why a method starts anew.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// An event function has crossed zero.
    StateEvent,
    /// A time event, at which loads may begin that say nothing of themselves; other rows; a singular configuration.
    Other,
}

impl Driver<'_> {
    /// Goes on from the end of a step, or from behind a jump.
    #[inline]
    pub(super) fn go_on(
        &mut self,
        jump: Option<Jump>,
        observer: &mut dyn Observer,
    ) -> Result<Option<StopReason>, SolveErrorKind> {
        if let Some(jump) = jump {
            return self.go_on_behind(jump, observer);
        }
        self.motion.go_on();
        self.step.shown.go_on();
        Ok(self.step.observer_stops.then_some(StopReason::Observer))
    }

    /// Goes on from behind a jump.
    pub(super) fn go_on_behind(
        &mut self,
        jump: Jump,
        observer: &mut dyn Observer,
    ) -> Result<Option<StopReason>, SolveErrorKind> {
        // The state behind the jump is the one that the locator has.
        std::mem::swap(&mut self.motion.state, &mut self.locator.state);
        self.step.shown.forget();
        let reason = if jump.involved.is_empty() {
            Reason::Other
        } else {
            Reason::StateEvent
        };
        // A new structure needs everything anew; a jump alone restarts the method.
        if jump.action == EventAction::Restructure {
            self.rebuild(reason)?;
            let (evaluator, state) = (&mut self.motion.evaluator, &self.motion.state);
            self.locator.watch_known(evaluator, state, &jump.known)?;
        } else {
            self.restart_method(reason)?;
            self.motion.keep_energy()?;
            let (evaluator, state) = (&mut self.motion.evaluator, &self.motion.state);
            self.locator
                .watch_from_jump(evaluator, state, &jump.involved)?;
        }
        if let Some(properties) = &mut self.properties {
            properties.restart(&mut self.motion)?;
        }
        let action = jump.action;
        self.locator.done_with(jump);
        // The moment is shown twice: before the jump by the step, behind it here.
        if !self.step.observer_stops {
            (self.step).show_moment(&mut self.motion, observer, false);
        }
        Ok(if action == EventAction::Stop {
            Some(StopReason::Event)
        } else if self.step.observer_stops {
            Some(StopReason::Observer)
        } else {
            None
        })
    }

    /// Puts a state that no step leads away from back onto the constraints, and starts the method anew from there; `false` where it
    /// was on them. Newton iterations may end within their tolerance beside the constraints; an implicit method corrects that in its
    /// next step, however short, and the estimate of its error does not fall below the correction.
    pub(super) fn start_from_constraints(&mut self) -> Result<bool, SolveErrorKind> {
        let motion = &mut self.motion;
        let mut start = motion.state.clone();
        if motion.complete_into(&mut start).is_err() {
            return Ok(false);
        }
        let distance = |from: &[f64], to: &[f64]| {
            let pairs = from.iter().zip(to);
            pairs
                .fold(0.0_f64, |sum, (from, to)| sum + (from - to).powi(2))
                .sqrt()
        };
        let size = |values: &[f64]| distance(values, &vec![0.0; values.len()]);
        let state = &motion.state;
        let is_beside = |was: &[f64], is: &[f64]| distance(was, is) > ROUND_OFF * (1.0 + size(was));
        if !is_beside(&state.q, &start.q) && !is_beside(&state.v, &start.v) {
            return Ok(false);
        }
        motion.state.copy_from(&start);
        self.step.shown.forget();
        // The sizes tried in vain say nothing of the step from here.
        let usual = self.timeline.schedule(f64::INFINITY).usual_step;
        self.timeline.go_on_with(usual);
        self.restart_method(Reason::Other)?;
        Ok(true)
    }

    /// Starts the method anew from a state that it has not come to by itself.
    fn restart_method(&mut self, reason: Reason) -> Result<(), SolveErrorKind> {
        self.motion.restart()?;
        if let Some(approach) = &mut self.approach {
            approach.restart();
        }
        self.choose_first_step(reason)?;
        self.settle_higher_index()
    }

    /// The size of the first step of a method that starts anew; it is no longer than the step that was planned before.
    fn choose_first_step(&mut self, reason: Reason) -> Result<(), SolveErrorKind> {
        let motion = &mut self.motion;
        let (t, method) = (motion.state.t, motion.integrator.method());
        let first = if self.timeline.is_constant() {
            None
        } else {
            let follows = reason == Reason::StateEvent && begins_with_flight(method.kind);
            let flight = self.timeline.flight(t).filter(|_| follows);
            Some(initial_step(
                &mut motion.evaluator,
                &mut motion.accelerations,
                &mut motion.norm,
                // The end of the next step is free until that is taken.
                (&motion.state, &mut motion.next),
                method,
                self.options.t_end,
                flight,
            )?)
        };
        let event = (reason == Reason::StateEvent).then_some(t);
        self.timeline.restart(event, first);
        Ok(())
    }

    /// Starts anew a system that has changed its layout or its event functions, from a state of the new shape.
    fn rebuild(&mut self, reason: Reason) -> Result<(), SolveErrorKind> {
        // It has the old shape, and a failure is not for it to explain.
        self.approach = None;
        let motion = &mut self.motion;
        motion.undetermined = None;
        let (evaluator, state) = (&mut motion.evaluator, &mut motion.state);
        let integrator = motion.integrator;
        let (shaped, stepper) = Shaped::start(evaluator, integrator, state, &self.options)?;
        // Work of the stepper that is dropped stays counted.
        motion.earlier_work += motion.stepper.work();
        motion.stepper = stepper;
        (motion.norm, motion.accelerations) = (shaped.norm, shaped.accelerations);
        (motion.projector, motion.rows) = (shaped.projector, shaped.rows);
        motion.row_check = shaped.row_check;
        motion.next.clone_from(&motion.state);
        self.step.change_to(shaped.step);
        (self.approach, self.turning) = (shaped.approach, shaped.turning);
        let before = std::mem::replace(&mut self.locator, shaped.locator);
        self.locator.go_on_from(before);
        self.motion.keep_energy()?;
        self.choose_first_step(reason)?;
        self.settle_higher_index()
    }

    /// Other rows carry multipliers, and the method has started anew with them.
    pub(super) fn rows_have_changed(&mut self) {
        self.step.shown.forget();
        if let Some(approach) = &mut self.approach {
            approach.restart();
        }
    }

    /// Takes the next step across the singular configuration that the run is about to pass, if it is.
    pub(super) fn go_on_across(&mut self) -> Result<Option<Crossed>, SolveErrorKind> {
        match &mut self.approach {
            Some(approach) if approach.passage.is_some() => {
                self.tally.allow_step(&mut self.motion.evaluator)?;
                approach.go_on_across(&mut self.motion)
            }
            _ => Ok(None),
        }
    }

    /// Crosses a singular configuration that is not quite near, because no step is small enough beside it any more.
    pub(super) fn cross_at_last(&mut self, stop: f64) -> Result<Course, SolveErrorKind> {
        let schedule = self.timeline.schedule(stop);
        let Some(approach) = &mut self.approach else {
            return Ok(Course::GoOn);
        };
        let course = approach.cross_at_last(&mut self.motion, schedule)?;
        match &course {
            // The next step of the method begins with a size that was just taken.
            Course::Crossed(crossed) => self.timeline.go_on_with(crossed.length),
            Course::OtherRows => {
                // The sizes tried in vain say nothing of the step with them.
                self.timeline.go_on_with(schedule.usual_step);
                self.rows_have_changed();
            }
            Course::GoOn | Course::Shorten => {}
        }
        Ok(course)
    }

    /// Goes on behind a singular configuration, from the end of the step across it.
    pub(super) fn land_behind_crossing(
        &mut self,
        crossed: Crossed,
        observer: &mut dyn Observer,
    ) -> Result<Option<StopReason>, SolveErrorKind> {
        let first = self.locator.records.count_of_step();
        let goes_on = crossed.goes_on;
        let event =
            (crossed.passed).and_then(|passed| passed.event(self.locator.records.last_singular()));
        // The method knows nothing of this step: dense output is the driver's.
        let usual = self.step.use_own_polynomial(self.motion.evaluator.layout());
        let usual_step = self.timeline.schedule(f64::INFINITY).usual_step;
        // Event functions are sampled as densely as in steps of the method.
        self.locator.own_step = Some(usual_step.min(self.timeline.max_step));
        let shown = self.show_crossing(crossed.length, observer);
        self.locator.own_step = None;
        self.step.use_dense_output(usual);
        let jump = shown?;
        // A jump before it ends the step there.
        let end = self.motion.next.t;
        if let Some(event) = event.filter(|event| jump.is_none() || event.t <= end) {
            self.locator.records.insert_singular(first, event);
        }
        if let Some(jump) = jump {
            return self.go_on_behind(jump, observer);
        }
        self.motion.go_on();
        self.step.shown.forget();
        if !goes_on {
            self.restart_behind_crossing()?;
        }
        Ok(self.step.observer_stops.then_some(StopReason::Observer))
    }

    /// The method goes on with velocities of the moments that it has them for; the end of the run is as it is.
    fn restart_behind_crossing(&mut self) -> Result<(), SolveErrorKind> {
        let passage = (self.approach.as_mut()).and_then(|approach| approach.passage.take());
        // A time event takes the state as it is, and the method starts anew behind it.
        let t = self.motion.state.t;
        if let Some(passage) = passage
            && t < self.options.t_end
            && !self.timeline.is_at_time_event(t)
        {
            self.motion.hand_back(passage.lag);
        }
        self.restart_method(Reason::Other)
    }

    /// Looks for events in the step across a singular configuration and shows it, up to a jump.
    fn show_crossing(
        &mut self,
        h: f64,
        observer: &mut dyn Observer,
    ) -> Result<Option<Jump>, SolveErrorKind> {
        let (motion, step, locator) = (&mut self.motion, &mut self.step, &mut self.locator);
        if locator.is_needed() {
            if locator.find_events(motion, step)? {
                let jump = locator.pass_events(motion, step, observer, h)?;
                if jump.is_some() {
                    return Ok(jump);
                }
            }
            locator.search.see_end();
        }
        if observer.wants_dense_output() {
            step.forget_dense_output();
            step.prepare(motion, StepEnd::Accepted)?;
        }
        step.show(motion, observer, StepEnd::Accepted, false);
        Ok(None)
    }
}

/// Whether a method may begin behind a state event with a step like the flight before. On 47 contact problems explicit and half-explicit
/// methods take fewer evaluations so. Others iterate from worse guesses in a long first step: they gain less than 1 %, or lose.
fn begins_with_flight(kind: Kind) -> bool {
    match kind {
        Kind::Explicit | Kind::HalfExplicit => true,
        Kind::HalfImplicit | Kind::Implicit => false,
    }
}
