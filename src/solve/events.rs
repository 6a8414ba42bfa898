//! Events within an accepted step: found, located, handled.

use super::{Driver, EventRecord, SolveErrorKind, bracketed_root};
use crate::system::{Direction, Evaluator, EventAction, check_consistency};

/// What is known of an event function between steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watch {
    /// The sign to compare with; 0 while nothing but exact zeros has been seen.
    sign: f64,
    /// A value of that sign and its time: the start of the bracket.
    value: f64,
    t: f64,
    /// The function was handled at the last jump, which did not change it: its sign is taken right after the jump.
    crossing: bool,
    /// When the function last made the run restart.
    last_jump: f64,
}

impl Watch {
    pub(super) fn new(value: f64, t: f64) -> Self {
        Self {
            sign: sign(value),
            value,
            t,
            crossing: false,
            last_jump: f64::NEG_INFINITY,
        }
    }

    fn see(&mut self, value: f64, t: f64) {
        if value != 0.0 {
            (self.sign, self.value, self.t) = (sign(value), value, t);
        }
    }
}

/// How the events of a step ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    /// The state has jumped: the method starts anew.
    pub restart: bool,
    /// An event ends the run.
    pub stop: bool,
}

impl Outcome {
    pub fn jumped(self) -> bool {
        self.restart || self.stop
    }
}

/// After a jump that leaves a function at its root, its slope over this many location tolerances tells its new sign.
const PROBE: f64 = 8.0;

/// Successive jumps by the same function nearer than this many location tolerances accumulate.
const ACCUMULATION: f64 = 1e3;

impl Driver<'_> {
    /// Finds the first events in the step and lets the system handle them. After a jump, `self.next` is the state
    /// before it and `self.event_state` the one after it.
    pub(super) fn handle_events(&mut self) -> Result<Outcome, SolveErrorKind> {
        self.evaluator
            .event_functions(&self.next.point(), &mut self.event_scratch)?;
        self.event_end.copy_from_slice(&self.event_scratch);
        self.probe_after_jump()?;

        let mut crossings: Vec<(f64, usize)> = Vec::new();
        for index in 0..self.watches.len() {
            let value = self.event_end[index];
            let (before, after) = (self.watches[index].sign, sign(value));
            let counts = match self.evaluator.system().events()[index].direction {
                Direction::Rising => before < 0.0 && after > 0.0,
                Direction::Falling => before > 0.0 && after < 0.0,
                Direction::Both => before * after < 0.0,
            };
            if counts {
                let t = self.locate(index, value)?;
                crossings.push((t, index));
            }
        }
        crossings.sort_by(|a, b| a.0.total_cmp(&b.0));

        let mut outcome = Outcome::default();
        let mut jump = f64::NAN;
        let mut handled = Vec::new();
        for (t, index) in crossings {
            // What lies behind a jump is found again from there.
            if outcome.jumped() && t > jump + self.options.event_tolerance {
                break;
            }
            if !outcome.jumped() {
                let space = &self.evaluator.layout().space;
                let state = self.dense.at(self.integrator, space, t);
                self.event_state.copy_from(state);
                self.settle_event_state()?;
            }
            let before = self.event_state.clone();
            let action = self
                .evaluator
                .system()
                .handle_events(&[index], &mut self.event_state)?
                .action;
            self.check_handled(index, before.t)?;
            let record = self.record(index, t);
            self.events.push(record);
            if action == EventAction::Continue {
                if !outcome.jumped() {
                    self.event_state.copy_from(&before);
                }
                continue;
            }
            if !outcome.jumped() {
                self.next.copy_from(&before);
                jump = t;
            }
            handled.push(index);
            outcome.restart |= action == EventAction::Restart;
            outcome.stop |= action == EventAction::Stop;
        }
        if outcome.jumped() {
            self.watch_from_jump(jump, &handled)?;
        } else {
            for (watch, &value) in self.watches.iter_mut().zip(&self.event_end) {
                watch.see(value, self.next.t);
            }
        }
        Ok(outcome)
    }

    /// The signs right after the last jump, of functions that the jump left at their root.
    fn probe_after_jump(&mut self) -> Result<(), SolveErrorKind> {
        if !self.watches.iter().any(|watch| watch.crossing) {
            return Ok(());
        }
        let (from, to) = (self.state.t, self.next.t);
        let resolved = PROBE * self.options.event_tolerance.max(f64::EPSILON * from.abs());
        let t = (from + resolved).min(0.5 * (from + to));
        self.prepare_dense_output()?;
        let space = &self.evaluator.layout().space;
        let state = self.dense.at(self.integrator, space, t);
        self.evaluator
            .event_functions(&state.point(), &mut self.event_scratch)?;
        for (watch, &value) in self.watches.iter_mut().zip(&self.event_scratch) {
            if watch.crossing {
                // The slope decides, not the value: settling the state at the event has moved the root a little.
                let slope = value - watch.value;
                watch.crossing = false;
                watch.sign = sign(slope);
                let value = if sign(value) == watch.sign {
                    value
                } else {
                    watch.sign * f64::MIN_POSITIVE
                };
                (watch.value, watch.t) = (value, t);
            }
        }
        Ok(())
    }

    /// The signs after a jump. A function that the jump changed has its new sign; one that was handled and not
    /// changed stands at its root.
    fn watch_from_jump(&mut self, t: f64, handled: &[usize]) -> Result<(), SolveErrorKind> {
        self.evaluator
            .event_functions(&self.next.point(), &mut self.event_scratch)?;
        let before = self.event_scratch.clone();
        self.evaluator
            .event_functions(&self.event_state.point(), &mut self.event_scratch)?;
        for index in 0..self.watches.len() {
            let (before, after) = (before[index], self.event_scratch[index]);
            if handled.contains(&index) {
                let interval = t - self.watches[index].last_jump;
                if interval < ACCUMULATION * self.options.event_tolerance {
                    let event = Box::new(self.record(index, t));
                    return Err(SolveErrorKind::Accumulation { event, interval });
                }
                self.watches[index].last_jump = t;
                self.watches[index].crossing = before == after || after == 0.0;
                (self.watches[index].value, self.watches[index].t) = (after, t);
            }
            if !self.watches[index].crossing {
                self.watches[index].see(after, t);
            }
        }
        Ok(())
    }

    /// Interpolation leaves the constraints by its error; put the state back onto them and solve for the rest.
    fn settle_event_state(&mut self) -> Result<(), SolveErrorKind> {
        if let Some(held) = &self.held {
            self.evaluator.leave_out(held.dropped());
        }
        self.projector
            .project_position(&mut self.evaluator, &mut self.event_state, false)?;
        self.projector
            .project_velocity(&mut self.evaluator, &mut self.event_state)?;
        self.accelerations
            .complete(&mut self.evaluator, &mut self.event_state)?;
        self.evaluator.leave_out(&[]);
        if let Some(held) = self.held.as_mut().filter(|held| held.holds()) {
            held.least_norm(&mut self.evaluator, &mut self.event_state)?;
        }
        Ok(())
    }

    /// A handler is the user's: what it leaves must be a consistent state of the same moment.
    fn check_handled(&mut self, index: usize, t: f64) -> Result<(), SolveErrorKind> {
        self.event_state.t = t;
        let (state, tolerance) = (&self.event_state, self.options.consistency);
        let check = |system: &mut Evaluator| check_consistency(system, state, tolerance);
        let checked = self.evaluator.uncounted(check);
        checked.map(|_| ()).map_err(|source| SolveErrorKind::Jump {
            event: Box::new(self.record(index, t)),
            source: Box::new(source),
        })
    }

    fn record(&mut self, index: usize, t: f64) -> EventRecord {
        let description = &self.evaluator.system().events()[index];
        EventRecord {
            t,
            kind: description.kind.clone(),
            label: description.label.clone(),
        }
    }

    fn locate(&mut self, index: usize, at_end: f64) -> Result<f64, SolveErrorKind> {
        self.prepare_dense_output()?;
        let space = self.evaluator.layout().space.clone();
        let start = (self.watches[index].t, self.watches[index].value);
        let (dense, integrator) = (&mut self.dense, &mut *self.integrator);
        let (evaluator, values) = (&mut self.evaluator, &mut self.event_scratch);
        bracketed_root(
            |t| -> Result<f64, SolveErrorKind> {
                let state = dense.at(integrator, &space, t);
                evaluator.event_functions(&state.point(), values)?;
                Ok(values[index])
            },
            start,
            (self.next.t, at_end),
            self.options.event_tolerance,
        )
    }
}

/// -1, 0 or 1; unlike `f64::signum`, zero has no sign.
fn sign(value: f64) -> f64 {
    if value > 0.0 {
        1.0
    } else if value < 0.0 {
        -1.0
    } else {
        0.0
    }
}
