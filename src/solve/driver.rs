//! The driver loop.

use super::events::jumps::Jump;
use super::events::watch::EventSearch;
use super::held_rows::HeldRows;
use super::output::dense::{Dense, StepEnd};
use super::output::hermite::Degree;
use super::output::shown::Shown;
use super::prepare::Stop;
use super::shape::Shape;
use super::singular::approach::Approach;
use super::{
    EventRecord, Failures, Observer, Options, Solution, SolveError, SolveErrorKind, Statistics,
    StepView, StopReason,
};
use crate::control::{Controller, ErrorNorm};
use crate::integrator::{DenseOutput, Integrator, Stepper, Work};
use crate::system::{AccelerationSolver, Evaluator, EventAction, Projector, State};
use std::time::Instant;

/// A run in progress: owns the state and all memory, borrows system and method. It stops at any step and goes on from
/// there.
pub struct Driver<'a> {
    pub(super) evaluator: Evaluator<'a>,
    pub(super) integrator: &'a dyn Integrator,
    /// The method at work.
    pub(super) stepper: Box<dyn Stepper>,
    pub(super) options: Options,
    pub(super) norm: ErrorNorm,
    pub(super) controller: Box<dyn Controller>,
    pub(super) accelerations: AccelerationSolver,
    pub(super) projector: Projector,
    /// Where constraint rows are redundant, those that carry multipliers.
    pub(super) held: Option<Box<HeldRows>>,
    /// What is known of singular configurations ahead.
    pub(super) approach: Option<Box<Approach>>,
    /// The ends of the last step as observers see them.
    pub(super) shown: Shown,
    pub(super) dense: Dense,
    /// Whether the step went across a singular configuration.
    pub(super) crossed: bool,
    /// Whether dense output is ready within the last step.
    pub(super) dense_ready: bool,
    pub(super) search: EventSearch,
    /// Sizes that stay what they are until the system says otherwise.
    pub(super) shape: Shape,
    pub(super) state: State,
    pub(super) next: State,
    /// The state at an event, then after it.
    pub(super) event_state: State,
    /// The state before an event is handled.
    pub(super) before: State,
    /// The last event within the step that changed nothing: the step is shown in parts.
    pub(super) segment: State,
    pub(super) in_parts: bool,
    pub(super) x_rates: [Vec<f64>; 2],
    /// Moments to land on, the next one last.
    pub(super) stops: Vec<Stop>,
    pub(super) grid_origin: f64,
    pub(super) step_size: f64,
    /// No step may be shorter, however near to zero the time is.
    pub(super) shortest_step: f64,
    pub(super) accepted: usize,
    pub(super) rejected: Failures,
    pub(super) repeated: usize,
    pub(super) smallest_step: f64,
    pub(super) largest_step: f64,
    /// The last step of the method.
    pub(super) last_step: f64,
    /// Work of the method before the system last changed its structure.
    pub(super) earlier_work: Work,
    pub(super) events: Vec<EventRecord>,
    /// Jumps in quick succession up to the last one, and its moment.
    pub(super) quick_jumps: usize,
    pub(super) last_jump: f64,
    pub(super) observed_start: bool,
    /// When the wall time is over.
    pub(super) deadline: Option<Instant>,
}

impl Driver<'_> {
    /// The current state, with accelerations and multipliers as the method has them if the observer asks for them.
    pub fn state(&self) -> &State {
        self.shown.start(&self.state)
    }

    /// What the run has cost so far.
    pub fn statistics(&self) -> Statistics {
        let mut work = self.earlier_work;
        work += self.stepper.work();
        Statistics {
            accepted: self.accepted,
            rejected: self.rejected,
            repeated: self.repeated,
            inner: self.evaluator.inner_steps(),
            evaluations: self.evaluator.evaluations(),
            work,
            smallest_step: self.smallest_step,
            largest_step: self.largest_step,
        }
    }

    /// Runs to the end time, or until an event or the observer stops it.
    pub fn run(mut self, observer: &mut dyn Observer) -> Result<Solution, SolveError> {
        loop {
            match self.advance(observer) {
                Ok(None) => {}
                Ok(Some(reason)) => {
                    let completed = self.complete_end();
                    let checked =
                        completed
                            .map_err(SolveErrorKind::from)
                            .and_then(|()| match reason {
                                // Who stops a run may have seen it drift.
                                StopReason::Observer => Ok(()),
                                StopReason::EndTime | StopReason::Event => self.check_end(),
                            });
                    return match checked {
                        Ok(()) => Ok(Solution {
                            statistics: self.statistics(),
                            state: self.state,
                            reason,
                            events: self.events,
                        }),
                        Err(kind) => Err(self.fail(kind)),
                    };
                }
                Err(kind) => return Err(self.fail(kind)),
            }
        }
    }

    fn fail(self, kind: SolveErrorKind) -> SolveError {
        SolveError {
            kind,
            statistics: Box::new(self.statistics()),
            state: Some(Box::new(self.state)),
            events: self.events,
        }
    }

    /// Takes one accepted step, with its events; `Some` when the run has ended.
    pub fn advance(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<Option<StopReason>, SolveErrorKind> {
        let advanced = self.go_one_step(observer);
        advanced.map_err(|kind| {
            let kind = self.name_limit(kind);
            self.name_singularity(kind)
        })
    }

    fn go_one_step(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<Option<StopReason>, SolveErrorKind> {
        if !self.observed_start {
            self.observed_start = true;
            if self.show_moment(observer, false) {
                return Ok(Some(StopReason::Observer));
            }
        }
        if let Some(index) = self.pass_stops() {
            self.next.copy_from(&self.state);
            let broken = self.show_moment(observer, true);
            self.shown.turn();
            let jump = self.handle_time_event(index)?;
            return self.go_on(jump, broken, observer);
        }
        let Some(stop) = self.stops.last().copied() else {
            return Ok(Some(StopReason::EndTime));
        };

        self.in_parts = false;
        let taken = self.take_step(stop.t, observer)?;
        self.accepted += 1;
        self.smallest_step = if self.accepted == 1 {
            taken.h
        } else {
            self.smallest_step.min(taken.h)
        };
        self.largest_step = self.largest_step.max(taken.h);

        if !taken.crossed {
            self.last_step = taken.h;
        }
        if taken.crossed {
            return self.land_behind_crossing(taken.h, taken.singular, observer);
        }
        let (mut jump, mut broken) = (taken.jump, taken.broken);
        if jump.is_none() {
            let time_event = stop.time_event.filter(|_| self.next.t == stop.t);
            self.finish_step(
                observer.wants_dense_output(),
                observer.wants_complete_states(),
            )?;
            broken |= self.show_step(observer, StepEnd::Accepted, time_event.is_some());
            if let Some(index) = time_event {
                self.stops.pop();
                jump = self.handle_time_event(index)?;
            }
        }
        self.go_on(jump, broken, observer)
    }

    /// Goes on from the end of a step in `self.next`, or from behind a jump in `self.event_state`.
    fn go_on(
        &mut self,
        jump: Option<Jump>,
        mut broken: bool,
        observer: &mut dyn Observer,
    ) -> Result<Option<StopReason>, SolveErrorKind> {
        let Some(jump) = jump else {
            std::mem::swap(&mut self.state, &mut self.next);
            self.shown.go_on();
            return Ok(broken.then_some(StopReason::Observer));
        };
        std::mem::swap(&mut self.state, &mut self.event_state);
        self.shown.forget();
        if jump.action == EventAction::Restructure {
            self.rebuild()?;
            self.watch_handled(&jump.handled);
        } else {
            self.restart()?;
            self.watch_from_jump(&jump.involved)?;
        }
        broken |= !broken && self.show_moment(observer, false);
        Ok(if jump.action == EventAction::Stop {
            Some(StopReason::Event)
        } else if broken {
            Some(StopReason::Observer)
        } else {
            None
        })
    }

    /// Goes on behind a singular configuration, from the end of the step across it in `self.next`.
    fn land_behind_crossing(
        &mut self,
        h: f64,
        event: Option<EventRecord>,
        observer: &mut dyn Observer,
    ) -> Result<Option<StopReason>, SolveErrorKind> {
        let first = self.events.len();
        // The method knows nothing of this step: dense output is the driver's.
        let quintic = Dense::hermite(self.evaluator.layout(), Degree::Quintic);
        let usual = std::mem::replace(&mut self.dense, quintic);
        self.dense_ready = false;
        self.crossed = true;
        let shown = self.show_crossing(h, observer);
        self.crossed = false;
        self.dense = usual;
        self.dense_ready = false;
        let (jump, broken) = shown?;
        // A jump before it ends the step there, in `self.next`.
        let reached = |event: &EventRecord| jump.is_none() || event.t <= self.next.t;
        if let Some(event) = event.filter(reached) {
            let later = self.events[first..]
                .iter()
                .position(|other| other.t > event.t);
            let place = later.map_or(self.events.len(), |later| first + later);
            self.events.insert(place, event);
        }
        if jump.is_some() {
            return self.go_on(jump, broken, observer);
        }
        std::mem::swap(&mut self.state, &mut self.next);
        self.shown.forget();
        self.restart_method()?;
        Ok(broken.then_some(StopReason::Observer))
    }

    /// Looks for events in the step across a singular configuration and shows it.
    fn show_crossing(
        &mut self,
        h: f64,
        observer: &mut dyn Observer,
    ) -> Result<(Option<Jump>, bool), SolveErrorKind> {
        let mut broken = false;
        if self.search.is_needed() {
            if self.find_events()? {
                let passed = self.pass_events(h, observer)?;
                if passed.jump.is_some() {
                    return Ok((passed.jump, passed.broken));
                }
                broken = passed.broken;
            }
            self.search.see_end();
        }
        if observer.wants_dense_output() {
            self.dense_ready = false;
            self.prepare_dense_output(StepEnd::Accepted)?;
        }
        broken |= self.show_step(observer, StepEnd::Accepted, false);
        Ok((None, broken))
    }

    /// The end of an accepted step in `self.next`: what observers and the next search for events need of it.
    fn finish_step(&mut self, dense: bool, complete: bool) -> Result<(), SolveErrorKind> {
        let accelerations = match self.integrator.method().dense_output {
            DenseOutput::Cubic | DenseOutput::LinearVelocity => false,
            DenseOutput::Quintic | DenseOutput::Own => true,
        };
        if accelerations && self.search.is_needed() {
            self.complete_latest(true)?;
        } else if complete || (accelerations && dense) {
            self.complete_shown();
        }
        self.dense_ready = false;
        if dense {
            self.prepare_dense_output(StepEnd::Accepted)?;
        }
        if self.search.is_needed() {
            self.search.see_end();
        }
        Ok(())
    }

    /// Shows the last step, or what is left of it behind an event that changed nothing, up to its end or an event.
    pub(super) fn show_step(
        &mut self,
        observer: &mut dyn Observer,
        end: StepEnd,
        event: bool,
    ) -> bool {
        let from = if self.in_parts {
            &self.segment
        } else {
            self.shown.start(&self.state)
        };
        let to = match end {
            StepEnd::Event => &self.before,
            StepEnd::Accepted | StepEnd::Tentative => self.shown.end(&self.next),
        };
        let incomplete = match end {
            StepEnd::Event => None,
            StepEnd::Accepted | StepEnd::Tentative => self.shown.failure(),
        };
        let shows_dense = self.dense_ready && observer.wants_dense_output();
        self.evaluator.with_all_rows(|system| {
            let dense: Option<(&mut Dense, &mut dyn Stepper)> = if shows_dense {
                Some((&mut self.dense, self.stepper.as_mut()))
            } else {
                None
            };
            let mut view = StepView {
                from,
                to,
                event,
                incomplete,
                dense,
                system,
            };
            observer.observe(&mut view).is_break()
        })
    }

    /// Shows the current state as a step of no length, before an event or not.
    fn show_moment(&mut self, observer: &mut dyn Observer, event: bool) -> bool {
        let state = self.shown.start(&self.state);
        self.evaluator.with_all_rows(|system| {
            let mut view = StepView {
                from: state,
                to: state,
                event,
                incomplete: None,
                dense: None,
                system,
            };
            observer.observe(&mut view).is_break()
        })
    }
}
