//! The last step, for those who look into it: its ends as observers see them, and dense output between them.

use super::dense::{Dense, Ends, Tools};
use super::observed::Shown;
use super::observer::{Observer, StepView};
use crate::integrator::{DenseOutput, StepError, Stepper};
use crate::solve::motion::Motion;
use crate::system::{Evaluator, Layout, Scales, State};
use std::sync::Arc;

/// Where a step ends that is looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::solve) enum StepEnd {
    /// Where the method has accepted it.
    Accepted,
    /// At an event.
    Event,
}

/// What can be seen of the last step.
pub(in crate::solve) struct LastStep {
    /// Its ends as observers see them.
    pub shown: Shown,
    dense: Dense,
    /// Whether dense output is ready.
    ready: bool,
    x_rates: [Vec<f64>; 2],
    /// The state at an event, before it is handled.
    pub before_event: State,
    /// The last event within the step that changed nothing: the step is shown in parts.
    part: State,
    in_parts: bool,
    /// An observer has asked to stop: the run ends behind the step that is being taken.
    pub observer_stops: bool,
    statement: InStatement,
}

/// What observers see in the units of the statement, where the run has others.
#[derive(Default)]
struct InStatement {
    scales: Option<Arc<Scales>>,
    /// Both ends of the step, and a state between them.
    states: Vec<State>,
}

impl InStatement {
    /// The ends of a step in the units of the statement, and what others within the step are converted with.
    fn convert<'s>(
        &'s mut self,
        evaluator: &Evaluator,
        ends: [&'s State; 2],
    ) -> ([&'s State; 2], Option<(&'s Scales, &'s mut State)>) {
        self.scales = evaluator.scales().cloned();
        let Some(scales) = &self.scales else {
            return (ends, None);
        };
        if self.states.is_empty() {
            self.states = vec![ends[0].clone(); 3];
        }
        for (own, end) in self.states.iter_mut().zip(ends) {
            own.clone_from(end);
            scales.leave(own);
        }
        match &mut self.states[..] {
            [from, to, within] => ([from, to], Some((scales, within))),
            _ => (ends, None),
        }
    }
}

impl LastStep {
    /// Allocates for states of this shape.
    pub fn new(layout: &Layout, dense: Dense, state: &State) -> Self {
        Self {
            shown: Shown::new(state),
            dense,
            ready: false,
            x_rates: [(); 2].map(|()| vec![0.0; layout.differential]),
            before_event: state.clone(),
            part: state.clone(),
            in_parts: false,
            observer_stops: false,
            statement: InStatement::default(),
        }
    }

    /// Another step begins.
    pub fn begin(&mut self) {
        self.in_parts = false;
    }

    /// The system has another layout from here on. A stop that an observer has requested remains in effect.
    pub fn change_to(&mut self, other: Self) {
        *self = Self {
            observer_stops: self.observer_stops,
            ..other
        };
    }

    /// What follows is the part of the step behind the event in `before_event`.
    pub fn go_on_behind_event(&mut self) {
        std::mem::swap(&mut self.part, &mut self.before_event);
        self.in_parts = true;
    }

    /// The step has been taken anew: dense output is that of another one.
    pub fn forget_dense_output(&mut self) {
        self.ready = false;
    }

    /// The driver steps by itself, and dense output is its own; returns that of the method.
    pub fn use_own_polynomial(&mut self, layout: &Layout) -> Dense {
        self.ready = false;
        std::mem::replace(&mut self.dense, Dense::of_driver(layout))
    }

    /// The method takes the next step again.
    pub fn use_dense_output(&mut self, usual: Dense) {
        self.ready = false;
        self.dense = usual;
    }

    /// Makes dense output ready for observers within the last step, unless it is.
    pub fn prepare(&mut self, motion: &mut Motion, end: StepEnd) -> Result<(), StepError> {
        if self.ready {
            return Ok(());
        }
        let (prepared, _) = motion.uncounted(|motion| {
            let (mut tools, from, next) = tools(motion);
            let ends = Ends {
                from: self.shown.start(from),
                to: match end {
                    StepEnd::Accepted => self.shown.end(next),
                    StepEnd::Event => &self.before_event,
                },
                x_rates: &mut self.x_rates,
            };
            self.dense.prepare(&mut tools, ends, true)
        });
        prepared?;
        self.ready = true;
        Ok(())
    }

    /// Makes dense output ready up to the end of a step that the method has not accepted yet. The search for events may not
    /// depend on whether an observer looks.
    pub fn prepare_search(&mut self, motion: &mut Motion, end: &State) -> Result<(), StepError> {
        let (mut tools, from, _) = tools(motion);
        let ends = Ends {
            from,
            to: end,
            x_rates: &mut self.x_rates,
        };
        self.ready = false;
        self.dense.prepare(&mut tools, ends, false)?;
        self.ready = true;
        Ok(())
    }

    /// Dense output at a time within the step.
    pub fn at(&mut self, motion: &mut Motion, t: f64) -> &State {
        (self.dense).at(motion.stepper.as_mut(), &mut motion.evaluator, t)
    }

    /// The same without accelerations, algebraic variables and multipliers: what depends on these is solved for.
    #[inline]
    pub fn motion_at(&mut self, motion: &mut Motion, t: f64) -> &State {
        (self.dense).motion_at(motion.stepper.as_mut(), &mut motion.evaluator, t)
    }

    /// Completes the end of an accepted step for those who need it: observers, and dense output for observers or the search for
    /// events.
    #[inline]
    pub fn finish(
        &mut self,
        motion: &mut Motion,
        observer: &dyn Observer,
        searched: bool,
    ) -> Result<(), StepError> {
        let accelerations = match motion.integrator.method().dense_output {
            DenseOutput::Cubic | DenseOutput::LinearVelocity => false,
            DenseOutput::Quintic | DenseOutput::Own => true,
        };
        let dense = observer.wants_dense_output();
        // The search for events needs the completed end itself: a copy would not do.
        if accelerations && searched {
            motion.complete_next()?;
        } else if observer.wants_complete_states() || (accelerations && dense) {
            self.shown.complete(motion);
        }
        self.ready = false;
        if dense {
            self.prepare(motion, StepEnd::Accepted)?;
        }
        Ok(())
    }

    /// A step that has ended just before a time event is shown as one up to its moment, with the forces of before.
    pub fn move_end_to(&mut self, motion: &mut Motion, t: f64) {
        motion.next.t = t;
        self.shown.end_at(t);
    }

    /// Shows the step up to its end or an event; after an event that changed nothing, the remaining part of the step.
    #[inline]
    pub fn show(
        &mut self,
        motion: &mut Motion,
        observer: &mut dyn Observer,
        end: StepEnd,
        event: bool,
    ) {
        let from = if self.in_parts {
            &self.part
        } else {
            self.shown.start(&motion.state)
        };
        let (to, incomplete) = match end {
            StepEnd::Event => (&self.before_event, None),
            StepEnd::Accepted => (self.shown.end(&motion.next), self.shown.failure()),
        };
        let shows_dense = self.ready && observer.wants_dense_output();
        let (dense, stepper) = (&mut self.dense, motion.stepper.as_mut());
        let (ends, units) = self.statement.convert(&motion.evaluator, [from, to]);
        let [from, to] = ends;
        // Observers see the whole system as it is stated: rows left out and units are the driver's affair.
        self.observer_stops |= motion.evaluator.shown_bare(|system| {
            let dense: Option<(&mut Dense, &mut dyn Stepper)> = if shows_dense {
                Some((dense, stepper))
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
                units,
            };
            observer.observe(&mut view).is_break()
        });
    }

    /// Shows the current state as a step of no length, before an event or not.
    pub fn show_moment(&mut self, motion: &mut Motion, observer: &mut dyn Observer, event: bool) {
        let state = self.shown.start(&motion.state);
        let ([state, _], _) = self.statement.convert(&motion.evaluator, [state, state]);
        self.observer_stops |= motion.evaluator.shown_bare(|system| {
            let mut view = StepView {
                from: state,
                to: state,
                event,
                incomplete: None,
                dense: None,
                system,
                units: None,
            };
            observer.observe(&mut view).is_break()
        });
    }
}

/// What dense output is computed with, and the ends of the step.
fn tools<'m, 'e>(motion: &'m mut Motion<'e>) -> (Tools<'m, 'e>, &'m State, &'m State) {
    let rows_are_left_out = motion.rows.are_left_out();
    let tools = Tools {
        evaluator: &mut motion.evaluator,
        accelerations: &mut motion.accelerations,
        stepper: motion.stepper.as_mut(),
        integrator: motion.integrator,
        rows_are_left_out,
    };
    (tools, &motion.state, &motion.next)
}
