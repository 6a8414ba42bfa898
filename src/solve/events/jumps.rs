//! What is known of event functions behind a jump, and jumps in quick succession.

use super::first_crossing::sign_of;
use super::locator::Locator;
use super::watch::AtRoot;
use crate::solve::{EventRecord, SolveErrorKind};
use crate::system::{Evaluator, EventAction, State, event_descriptions};

/// What an event did to the state.
#[derive(Clone, Debug)]
pub(in crate::solve) struct Jump {
    pub action: EventAction,
    /// The functions that crossed.
    pub involved: Vec<usize>,
    /// What they were before, where the structure changes.
    pub handled: Vec<Handled>,
}

/// A function that crossed, to find it among those of a system that has changed.
#[derive(Clone, Debug)]
pub(in crate::solve) struct Handled {
    pub kind: String,
    pub label: String,
    /// Its value before the jump.
    pub value: f64,
}

/// Successive jumps by the same function nearer than this many location tolerances cannot be told apart.
const ACCUMULATION: f64 = 16.0;

/// Jumps nearer to each other than this many location tolerances are counted ...
const QUICK: f64 = 1e3;

/// ... and so many of them in a row accumulate.
const MAX_QUICK_JUMPS: usize = 50;

impl Locator {
    /// The signs after a jump into a complete state. A function that the jump changed has its new sign; one that
    /// was handled and not changed stands at its root.
    pub(in crate::solve) fn watch_from_jump(
        &mut self,
        evaluator: &mut Evaluator,
        state: &State,
        involved: &[usize],
    ) -> Result<(), SolveErrorKind> {
        if !self.search.is_needed() {
            return Ok(());
        }
        let search = &mut self.search;
        evaluator.event_functions(&state.point(), &mut search.values)?;
        let t = state.t;
        let shortest = ACCUMULATION * search.finest(t);
        for index in 0..search.watches.len() {
            // Before the jump and behind it: a handler may have changed the function.
            let (before, after) = (search.before[index], search.values[index]);
            let watch = &mut search.watches[index];
            if involved.contains(&index) {
                let interval = t - watch.last_jump;
                // The same function again so soon cannot be told from its round-off.
                if interval < shortest {
                    return Err(self.accumulation(interval));
                }
                watch.last_jump = t;
            }
            if watch.barrier {
                // A jump may leave it at zero whether it took part or not.
                watch.root = AtRoot::Perhaps;
                (watch.sign, watch.value, watch.t) = (sign_of(after), after, t);
                continue;
            }
            // Not farther from zero than before: the handler has left it at its root.
            if involved.contains(&index) && (after == before || after.abs() <= before.abs()) {
                watch.root = AtRoot::Yes;
                (watch.value, watch.t) = (after, t);
                continue;
            }
            // What a time event lets jump has crossed before the handler was asked: the first step behind finds it.
            let crossed = |value: f64| watch.sign * value < 0.0;
            if involved.is_empty() && crossed(before) && crossed(after) {
                continue;
            }
            watch.see(after, t);
        }
        Ok(())
    }

    /// The event functions of a system that has changed them: one that was handled and not changed stands at its root.
    pub(in crate::solve) fn watch_handled(
        &mut self,
        evaluator: &mut Evaluator,
        handled: &[Handled],
    ) {
        let descriptions = event_descriptions(evaluator.system());
        for (watch, event) in self.search.watches.iter_mut().zip(descriptions) {
            let mut same = handled
                .iter()
                .filter(|before| before.kind == event.kind && before.label == event.label);
            if !watch.barrier && same.any(|before| watch.value.abs() <= before.value.abs()) {
                watch.root = AtRoot::Yes;
            }
        }
    }

    /// Counts jumps in quick succession.
    pub(in crate::solve) fn count_jump(&mut self, t: f64) -> Result<(), SolveErrorKind> {
        let interval = t - self.last_jump;
        self.last_jump = t;
        if interval < QUICK * self.search.finest(t) {
            self.quick_jumps += 1;
            if self.quick_jumps > MAX_QUICK_JUMPS {
                return Err(self.accumulation(interval));
            }
        } else {
            self.quick_jumps = 0;
        }
        Ok(())
    }

    pub(in crate::solve) fn accumulation(&self, interval: f64) -> SolveErrorKind {
        let event = match self.records.last() {
            Some(event) => event.clone(),
            None => EventRecord {
                t: self.last_jump,
                kind: "event".to_owned(),
                label: "the system".to_owned(),
                quantities: Vec::new(),
            },
        };
        SolveErrorKind::Accumulation {
            event: Box::new(event),
            interval,
        }
    }
}
