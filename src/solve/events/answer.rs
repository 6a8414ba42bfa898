//! Event handling: calls the handlers of the system, moment by moment.

use super::jumps::{Jump, Known};
use super::locator::Locator;
use super::search::EventSearch;
use crate::integrator::StepError;
use crate::solve::motion::Motion;
use crate::solve::output::last_step::{LastStep, StepEnd};
use crate::solve::output::observer::Observer;
use crate::solve::{EventRecord, SolveErrorKind};
use crate::system::{
    EvaluationError, Evaluator, EventAction, EventResponse, Events, State, settle_jump,
};

/// Events that change nothing, within one step: more are an accumulation.
const MOST_EVENTS: usize = 10_000;

/// A moment without an event function.
#[derive(Clone, Copy)]
pub enum Moment {
    /// The system is not smooth there: the time event of this number.
    TimeEvent(usize),
    /// No step from there on succeeds.
    Impasse,
}

impl Moment {
    fn handle(
        self,
        events: &mut dyn Events,
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        match self {
            Self::TimeEvent(index) => events.handle_time_event(index, state),
            Self::Impasse => events.handle_impasse(state),
        }
    }

    fn record(self, t: f64) -> EventRecord {
        let (kind, label) = match self {
            Self::TimeEvent(index) => ("load", format!("time event {}", index + 1)),
            Self::Impasse => ("impasse", "the system".to_owned()),
        };
        EventRecord {
            t,
            kind: kind.to_owned(),
            label,
            quantities: Vec::new(),
        }
    }
}

impl Locator {
    /// Handles the events found in the step of size `h`, moment by moment, until one of them changes the state or the
    /// end of the step is reached. After a jump, the step ends with the state before it, and `self.state` is the one
    /// after it; otherwise the step is whole, and the method is ready to accept it.
    pub fn pass_events(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
        observer: &mut dyn Observer,
        h: f64,
    ) -> Result<Option<Jump>, SolveErrorKind> {
        let target = motion.next.t;
        let mut passed = 0;
        loop {
            let repetitions = motion.repeated;
            let located = self.locate(motion, step)?;
            let disturbed = motion.repeated > repetitions;
            let alone = !self.reaches_beyond_search();
            let confirmed = located.as_ref().and(self.search.found.first().copied());
            let located = located.filter(|_| alone);
            // Repeated steps have refuted the crossing, or it may not be the only one of its moment: the method takes the whole step again.
            let Some(involved) = located else {
                // Dense output was wrong.
                if disturbed {
                    self.take_step_again(motion, step, target, h)?;
                }
                if self.search.until.is_some() {
                    self.sample_rest(motion, step)?;
                    self.find_crossings(motion, step)?;
                    // Samples stand elsewhere now. What a repeated step has shown is not lost by that.
                    if let Some(confirmed) = confirmed {
                        self.search.keep(confirmed);
                    }
                    if !self.search.found.is_empty() {
                        continue;
                    }
                }
                return Ok(None);
            };
            // Handlers change `self.state`; observers and a jump see what was before.
            step.before_event.copy_from(&self.state);
            self.search.see_before(&self.state);
            self.show(motion, step, observer)?;
            let (t, jump) = (
                self.state.t,
                self.ask(motion, &step.before_event, &involved)?,
            );
            if let Some((action, known)) = jump {
                // Nobody asks for the end of the whole step any more.
                std::mem::swap(&mut motion.next, &mut step.before_event);
                self.count_jump(t)?;
                return Ok(Some(Jump {
                    action,
                    involved,
                    known,
                }));
            }
            // Nothing has changed: look for further crossings behind this one.
            step.go_on_behind_event();
            self.search.pass(&involved);
            self.involved = involved;
            passed += 1;
            if passed > MOST_EVENTS {
                return Err(self.accumulation((t - motion.state.t) / passed as f64));
            }
            // The method still holds the part up to the event.
            if disturbed {
                self.take_step_again(motion, step, target, h)?;
            }
            self.sample_rest(motion, step)?;
            if !self.find_crossings(motion, step)? {
                return Ok(None);
            }
        }
    }

    /// Shows the part of the step up to an event. The system has not changed yet.
    fn show(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
        observer: &mut dyn Observer,
    ) -> Result<(), StepError> {
        if observer.wants_dense_output() && self.search.stepped {
            step.forget_dense_output();
            step.prepare(motion, StepEnd::Event)?;
        }
        step.show(motion, observer, StepEnd::Event, true);
        Ok(())
    }

    /// Lets the system answer the events at a moment, which are noted; what it has done, and what is known of the functions from before if its
    /// structure changes. `None` if the run goes on as if nothing had happened.
    fn ask(
        &mut self,
        motion: &mut Motion,
        before: &State,
        involved: &[usize],
    ) -> Result<Option<(EventAction, Vec<Known>)>, SolveErrorKind> {
        let t = self.state.t;
        let response = match motion.evaluator.system().events() {
            Some(events) => events.handle_events(involved, &mut self.state)?,
            None => EventAction::Continue.into(),
        };
        motion.evaluator.doubt_constants();
        let action = response.action;
        // Without an event there is nobody to blame for a changed structure.
        if let Some(&first) = involved.first() {
            self.check_structure(motion, action, |search| search.describe(first, t))?;
            if action != EventAction::Continue {
                let what = (before, action);
                self.settle_handled(motion, what, |search| search.describe(first, t))?;
            }
        }
        // A system that changes its structure numbers its functions anew.
        let known = if action == EventAction::Restructure {
            self.known(involved)
        } else {
            Vec::new()
        };
        match response.reports {
            Some(reports) => self.records.report(reports, t),
            None => {
                for &index in involved {
                    self.records.push(self.search.describe(index, t));
                }
            }
        }
        Ok((action != EventAction::Continue).then_some((action, known)))
    }

    /// A handler that changes the structure of the system must say so.
    fn check_structure(
        &self,
        motion: &mut Motion,
        action: EventAction,
        event: impl FnOnce(&EventSearch) -> EventRecord,
    ) -> Result<(), SolveErrorKind> {
        if action == EventAction::Restructure {
            return Ok(());
        }
        let event = || event(&self.search);
        self.shape.check(motion.evaluator.system(), event)
    }

    /// A handler is the user's: what it leaves of `before` must be a consistent state of the same moment. Algebraic variables of E x' = d
    /// may have jumped: they are solved for anew.
    fn settle_handled(
        &mut self,
        motion: &mut Motion,
        (before, action): (&State, EventAction),
        event: impl FnOnce(&EventSearch) -> EventRecord,
    ) -> Result<(), SolveErrorKind> {
        // A handler may have moved the time, which is not its to move.
        self.state.t = before.t;
        let (state, tolerance) = (&mut self.state, self.consistency);
        let stops = action == EventAction::Stop;
        let settle =
            |system: &mut Evaluator| settle_jump(system, (before, state), stops, tolerance);
        let settled = motion
            .evaluator
            .with_all_rows(|system| system.uncounted(settle));
        settled.map_err(|source| SolveErrorKind::Jump {
            event: Box::new(event(&self.search)),
            source: Box::new(source),
        })
    }

    /// The system handles a moment without an event function: the end of the step. `before` is memory for the state there.
    pub fn handle_moment(
        &mut self,
        motion: &mut Motion,
        before: &mut State,
        moment: Moment,
    ) -> Result<Option<Jump>, SolveErrorKind> {
        self.state.copy_from(&motion.next);
        let t = motion.next.t;
        if t > motion.state.t {
            // What the method has left of the constraints' violation is not the handler's.
            self.settle(motion, false)?;
        } else {
            self.evaluate_functions(motion)?;
        }
        self.search.see_before(&self.state);
        before.copy_from(&self.state);
        let response = match motion.evaluator.system().events() {
            Some(events) => moment.handle(events, &mut self.state)?,
            None => EventAction::Continue.into(),
        };
        motion.evaluator.doubt_constants();
        let action = response.action;
        let event = || moment.record(t);
        self.check_structure(motion, action, |_| event())?;
        if action == EventAction::Continue {
            return Ok(None);
        }
        self.settle_handled(motion, (before, action), |_| event())?;
        match response.reports {
            Some(reports) => self.records.report(reports, t),
            None => self.records.push(event()),
        }
        Ok(Some(Jump {
            action,
            involved: Vec::new(),
            known: Vec::new(),
        }))
    }
}
