//! The moment of an event: the step is repeated up to it, the observer sees it, the system answers.

use crate::integrator::StepError;
use crate::solve::events::jumps::{Handled, Jump};
use crate::solve::held_rows::HeldRows;
use crate::solve::output::dense::StepEnd;
use crate::solve::plan::{SMALLEST_STEP, Taken};
use crate::solve::{Driver, EventRecord, Observer, SolveErrorKind};
use crate::system::{Evaluator, EventAction, EventResponse, check_consistency, event_descriptions};

/// Repetitions of a step in search of one root.
const MAX_REPEATS: usize = 12;

/// Corrections of so many location tolerances that do not shrink any more are round-off.
const NOISE: f64 = 100.0;

/// Events that change nothing, within one step: more are an accumulation.
const MOST_EVENTS: usize = 10_000;

/// The slope of an event function is taken over this fraction of the step.
const SLOPE: f64 = 1e-4;

impl Driver<'_> {
    /// Handles the events found in the step of size `h`, moment by moment, until one of them changes the state or the
    /// end of the step is reached. After a jump, `self.next` is the state before it and `self.event_state` the one
    /// after it; otherwise `self.next` is the end of the step, and the method is ready to accept it.
    pub(in crate::solve) fn pass_events(
        &mut self,
        h: f64,
        observer: &mut dyn Observer,
    ) -> Result<Taken, SolveErrorKind> {
        let target = self.next.t;
        let mut broken = false;
        let mut passed = 0;
        loop {
            let repetitions = self.repeated;
            let located = self.locate()?;
            let disturbed = self.repeated > repetitions;
            let Some(involved) = located else {
                // Dense output was wrong.
                if disturbed {
                    self.take_step_again(target, h)?;
                }
                return Ok(Taken {
                    h,
                    jump: None,
                    broken,
                    crossed: false,
                    singular: None,
                });
            };
            self.before.copy_from(&self.event_state);
            self.search.before.copy_from_slice(&self.search.values);
            let t = self.before.t;
            broken |= self.show_event(observer)?;

            let described: Vec<EventRecord> = involved
                .iter()
                .map(|&index| {
                    let event = &event_descriptions(self.evaluator.system())[index];
                    EventRecord {
                        t,
                        kind: event.kind.clone(),
                        label: event.label.clone(),
                        contact: None,
                    }
                })
                .collect();
            let named = described.first().cloned();
            let values = involved.iter().map(|&index| self.search.values[index]);
            let handled = described.iter().zip(values);
            let handled = handled
                .map(|(event, value)| Handled {
                    kind: event.kind.clone(),
                    label: event.label.clone(),
                    value,
                })
                .collect();
            let response = match self.evaluator.system().events() {
                Some(events) => events.handle_events(&involved, &mut self.event_state)?,
                None => EventAction::Continue.into(),
            };
            let action = response.action;
            if let Some(event) = named {
                self.check_structure(&event, action)?;
                if action != EventAction::Continue {
                    self.check_handled(event, t)?;
                }
            }
            self.record(response, described, t);
            if action != EventAction::Continue {
                self.next.copy_from(&self.before);
                self.count_jump(t)?;
                return Ok(Taken {
                    h: t - self.state.t,
                    jump: Some(Jump {
                        action,
                        involved,
                        handled,
                    }),
                    broken,
                    crossed: false,
                    singular: None,
                });
            }
            std::mem::swap(&mut self.segment, &mut self.before);
            self.in_parts = true;
            self.search.pass(&involved);
            passed += 1;
            if passed > MOST_EVENTS {
                return Err(self.accumulation((t - self.state.t) / passed as f64));
            }
            if disturbed {
                self.take_step_again(target, h)?;
            }
            if !self.find_crossings()? {
                return Ok(Taken {
                    h,
                    jump: None,
                    broken,
                    crossed: false,
                    singular: None,
                });
            }
        }
    }

    /// The method has repeated the step in search of events; it is to know the whole one again before that is accepted.
    fn take_step_again(&mut self, target: f64, h: f64) -> Result<(), StepError> {
        self.repeated += 1;
        self.step_to(StepEnd::Tentative, target, h)?;
        self.dense_ready = false;
        self.prepare_dense_output(StepEnd::Tentative)
    }

    /// Puts the state at the first of the events found into `self.event_state`, with the values of the functions
    /// there. Returns the functions that cross at this moment.
    ///
    /// `None` if repeated steps show that dense output was wrong and nothing crosses.
    fn locate(&mut self) -> Result<Option<Vec<usize>>, SolveErrorKind> {
        let shortest = SMALLEST_STEP * self.state.t.abs().max(f64::MIN_POSITIVE);
        let mut found = false;
        let first = loop {
            let Some(first) = self.search.found.first().map(|found| found.t) else {
                return Ok(None);
            };
            if first - self.state.t <= shortest {
                break first;
            }
            match self.repeat_to_first() {
                Ok(None) => found = true,
                Ok(Some(unfounded)) => {
                    self.search.take_back(unfounded);
                    continue;
                }
                // What dense output says is less accurate, and always there.
                Err(StepError::Dynamics(_)) => {}
                Err(error) => return Err(error.into()),
            }
            break first;
        };
        if !found {
            self.interpolate_event_state(first)?;
        }
        let together = first + self.search.resolution(first);
        let reach = self.reach_of_error(first);
        let values = &self.search.values;
        let found = self.search.found.iter();
        let mut involved: Vec<usize> = found
            .filter(|found| {
                let crossed = values[found.index] * found.sign > 0.0;
                found.t <= together || (found.t <= reach && crossed)
            })
            .map(|found| found.index)
            .collect();
        // Of one moment, in the order of the functions: round-off has no say in it.
        involved.sort_unstable();
        Ok(Some(involved))
    }

    /// Crossings on dense output behind this moment are not there yet, whatever the error of dense output, which the
    /// repeated step shows.
    fn reach_of_error(&self, first: f64) -> f64 {
        first + 4.0 * (self.event_state.t - first).abs() + self.search.resolution(first)
    }

    /// Repeats the step up to the first event: dense output gives the first guess, secants correct it. The state on
    /// the constraints is what counts.
    ///
    /// A function that does not change its sign in any repeated step is returned.
    fn repeat_to_first(&mut self) -> Result<Option<usize>, StepError> {
        let first = self.search.found[0];
        let (mut target, mut start) = ((first.index, first.sign), first.t);
        for _ in 0..self.search.found.len() {
            if !self.repeat_to_root(target, start)? {
                return Ok(Some(target.0));
            }
            let reach = self.reach_of_error(first.t);
            // Dense output may have taken the wrong one for the first.
            let mut earlier = None;
            for other in 1..self.search.found.len() {
                let found = self.search.found[other];
                let value = self.search.values[found.index];
                if found.index == target.0 || found.t > reach || value * found.sign <= 0.0 {
                    continue;
                }
                let values = self.search.values.clone();
                let slope = self.slope(found.index, self.event_state.t)?;
                self.search.values = values;
                let t = self.event_state.t - value / slope;
                let soonest = earlier.map_or(self.event_state.t, |(_, t)| t);
                if t < soonest - self.search.resolution(t) && t > self.state.t {
                    earlier = Some(((found.index, found.sign), t));
                }
            }
            let Some(sooner) = earlier else {
                break;
            };
            (target, start) = sooner;
        }
        Ok(None)
    }

    /// The slope of a function on dense output.
    fn slope(&mut self, index: usize, t: f64) -> Result<f64, StepError> {
        let (from, to) = (self.state.t, self.search.end.t);
        let reach = SLOPE * (to - from);
        let (before, after) = ((t - reach).max(from), (t + reach).min(to));
        self.event_values_at(before, true)?;
        let low = self.search.values[index];
        self.event_values_at(after, true)?;
        Ok((self.search.values[index] - low) / (after - before))
    }

    /// Secants within what is known to be before and behind the root of a function that gets this sign. Velocities of
    /// the Euler methods belong to the middles of steps: the slope of their dense output may even have the wrong sign.
    fn repeat_to_root(
        &mut self,
        (index, sign): (usize, f64),
        start: f64,
    ) -> Result<bool, StepError> {
        let (from, to) = (self.state.t, self.search.end.t);
        let soonest = from + 0.01 * (start - from);
        let mut slope = self.slope(index, start)?;
        if slope * sign <= 0.0 {
            slope = sign * self.search.chord(index).abs();
        }
        let (mut before_root, mut behind_root) = (None, None);
        let mut t = start;
        let mut best = (f64::INFINITY, t);
        let mut previous: Option<(f64, f64)> = None;
        let mut last_correction = f64::INFINITY;
        for _ in 0..MAX_REPEATS {
            self.repeat(t)?;
            let value = self.search.values[index];
            if value.abs() < best.0 {
                best = (value.abs(), t);
            }
            if let Some((before, value_before)) = previous {
                let secant = (value - value_before) / (t - before);
                if secant.is_finite() && secant * sign > 0.0 {
                    slope = secant;
                }
            }
            let side = if value * sign > 0.0 {
                &mut behind_root
            } else {
                &mut before_root
            };
            *side = Some(t);
            let correction = -value / slope;
            let settled = correction.abs() <= self.search.resolution(t);
            if settled || !correction.is_finite() {
                break;
            }
            let slow = correction.abs() >= 0.5 * last_correction;
            if slow && correction.abs() <= NOISE * self.search.resolution(t) {
                break;
            }
            let mut next = (t + correction).clamp(soonest, to);
            // Without both sides a secant may be longer than the correction before, whose slope was a guess.
            if let (Some(low), Some(high)) = (before_root, behind_root)
                && (slow || !(low < next && next < high))
            {
                next = 0.5 * (low + high);
            }
            if next == t {
                break;
            }
            previous = Some((t, value));
            (last_correction, t) = (correction.abs(), next);
        }
        if self.event_state.t != best.1 {
            self.repeat(best.1)?;
        }
        self.step_over_jump(index, sign)
    }

    /// A function that jumps over zero has no root: the moment is then on the side where its sign has changed, so that the
    /// system sees it changed; so it is for functions by whose sign the system decides. Whether there is such a side in the step.
    fn step_over_jump(&mut self, index: usize, sign: f64) -> Result<bool, StepError> {
        let (t, to) = (self.event_state.t, self.search.end.t);
        if self.search.has_crossed(index, sign) {
            return Ok(true);
        }
        let (mut before, mut reach) = (t, self.search.resolution(t));
        let mut behind = loop {
            let tried = (t + reach).min(to);
            self.repeat(tried)?;
            if self.search.values[index] * sign > 0.0 {
                break tried;
            }
            if tried == to {
                return Ok(false);
            }
            (before, reach) = (tried, 4.0 * reach);
        };
        while behind - before > 2.0 * self.search.resolution(behind) {
            let middle = 0.5 * (before + behind);
            self.repeat(middle)?;
            if self.search.values[index] * sign > 0.0 {
                behind = middle;
            } else {
                before = middle;
            }
        }
        if self.event_state.t != behind {
            self.repeat(behind)?;
        }
        Ok(true)
    }

    /// Repeats the step up to a moment, into `self.event_state`, and evaluates the event functions there. Dense output stands in
    /// for methods that cannot repeat steps, and for steps across singular configurations.
    fn repeat(&mut self, t: f64) -> Result<(), StepError> {
        if self.crossed || !self.stepper.repeats_steps() {
            return self.interpolate_event_state(t);
        }
        self.repeated += 1;
        self.search.stepped = true;
        self.step_to(StepEnd::Event, t, t - self.state.t)?;
        self.settle_event_state()
    }

    /// The state at a moment from dense output, put back onto the constraints, and the event functions there.
    fn interpolate_event_state(&mut self, t: f64) -> Result<(), StepError> {
        self.search.stepped = false;
        let space = &self.evaluator.layout().space;
        let state = self.dense.at(self.stepper.as_mut(), space, t);
        self.event_state.copy_from(state);
        self.settle_event_state()
    }

    /// A step or an interpolation leaves the constraints by its error; puts the state back onto them, solves for the
    /// rest, and evaluates the event functions.
    fn settle_event_state(&mut self) -> Result<(), StepError> {
        let (system, search, state) =
            (&mut self.evaluator, &mut self.search, &mut self.event_state);
        system.layout().space.normalize(&mut state.q);
        self.projector.project_position(system, state, false)?;
        let step = state.t - self.state.t;
        // Velocities, too.
        self.projector.project_energy(system, state, step)?;
        HeldRows::complete(&mut self.held, system, &mut self.accelerations, state)?;
        if search.is_needed() {
            system.event_functions(&state.point(), &mut search.values)?;
        }
        Ok(())
    }

    /// Shows the part of the step up to an event, in `self.before`. The system has not changed yet.
    fn show_event(&mut self, observer: &mut dyn Observer) -> Result<bool, SolveErrorKind> {
        if observer.wants_dense_output() && self.search.stepped {
            self.dense_ready = false;
            self.prepare_dense_output(StepEnd::Event)?;
        }
        Ok(self.show_step(observer, StepEnd::Event, true))
    }

    /// A handler that changes the structure of the system must say so.
    fn check_structure(
        &mut self,
        event: &EventRecord,
        action: EventAction,
    ) -> Result<(), SolveErrorKind> {
        if action == EventAction::Restructure {
            return Ok(());
        }
        self.shape.check(self.evaluator.system(), event)
    }

    /// A handler is the user's: what it leaves must be a consistent state of the same moment.
    fn check_handled(&mut self, event: EventRecord, t: f64) -> Result<(), SolveErrorKind> {
        self.event_state.t = t;
        let (state, tolerance) = (&self.event_state, self.options.consistency);
        let check = |system: &mut Evaluator| check_consistency(system, state, tolerance);
        let checked = self
            .evaluator
            .with_all_rows(|system| system.uncounted(check));
        checked.map(|_| ()).map_err(|source| SolveErrorKind::Jump {
            event: Box::new(event),
            source: Box::new(source),
        })
    }

    /// Notes what a system reports, or that the events happened.
    fn record(&mut self, response: EventResponse, described: Vec<EventRecord>, t: f64) {
        let Some(reports) = response.reports else {
            self.events.extend(described);
            return;
        };
        let reports = reports.into_iter();
        self.events
            .extend(reports.map(|report| EventRecord::new(report, t)));
    }

    /// The system handles a moment of its own, at which it is not smooth: the end of the step in `self.next`.
    pub(in crate::solve) fn handle_time_event(
        &mut self,
        index: usize,
    ) -> Result<Option<Jump>, SolveErrorKind> {
        self.event_state.copy_from(&self.next);
        let t = self.next.t;
        if t > self.state.t {
            // What the method has left of the constraints' violation is not the handler's.
            self.settle_event_state()?;
        }
        let response = match self.evaluator.system().events() {
            Some(events) => events.handle_time_event(index, &mut self.event_state)?,
            None => EventAction::Restart.into(),
        };
        let action = response.action;
        let event = EventRecord {
            t,
            kind: "load".to_owned(),
            label: format!("time event {}", index + 1),
            contact: None,
        };
        self.check_structure(&event, action)?;
        if action == EventAction::Continue {
            return Ok(None);
        }
        self.check_handled(event.clone(), t)?;
        self.record(response, vec![event], t);
        Ok(Some(Jump {
            action,
            involved: Vec::new(),
            handled: Vec::new(),
        }))
    }
}
