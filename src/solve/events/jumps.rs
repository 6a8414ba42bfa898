//! The state of event functions after a jump, and detection of jumps in quick succession.

use super::locator::Locator;
use super::search::EventSearch;
use super::side::{ROUND_OFF, Rest, Side, Stand};
use super::sign_tracker::SignTracker;
use crate::solve::{EventRecord, SolveErrorKind};
use crate::system::{Evaluator, EventAction, EventDescription, State, event_descriptions};

/// What an event did to the state.
#[derive(Clone, Debug)]
pub(in crate::solve) struct Jump {
    pub action: EventAction,
    /// The functions that crossed.
    pub involved: Vec<usize>,
    /// What is known of the functions from before, where the structure changes.
    pub known: Vec<Known>,
}

/// The state of a function after a jump, to find it again among those of a system that has changed.
#[derive(Clone, Debug)]
pub(in crate::solve) struct Known {
    description: EventDescription,
    before: Before,
}

/// A function at an event, before that was handled.
#[derive(Clone, Copy, Debug)]
struct Before {
    /// Its value, and its largest one in the step.
    value: f64,
    size: f64,
    /// The side on which whoever handles the event sees it, if it has been on one.
    side: Option<Side>,
    /// Whether it has crossed there.
    involved: bool,
    /// Whether the value is zero but for the error of locating the event.
    at_root: bool,
}

impl Before {
    /// What is known behind the jump, which has left the function at this value.
    fn stand(&self, after: f64, t: f64) -> Stand {
        // No farther from zero than before: the handler has left it at its root.
        let left = self.involved && (after == self.value || after.abs() <= self.value.abs());
        match self.side {
            // It had jumped over zero.
            Some(side) if left && !self.at_root && Side::of(after) == Some(side) => {
                Stand::Off(side)
            }
            side if left => Stand::At(Rest::new(side, after, t)),
            side => Stand::Fresh(side),
        }
    }
}

/// Successive jumps by the same function nearer than this many location tolerances cannot be told apart.
const ACCUMULATION: f64 = 16.0;

/// Jumps nearer to each other than this many location tolerances are counted ...
const QUICK: f64 = 1e3;

/// ... and so many of them in a row accumulate.
const MAX_QUICK_JUMPS: usize = 50;

/// What velocities do to functions is looked at over this part of the step.
const SLOPE: f64 = 1e-4;

impl Locator {
    /// What is known of the functions after a jump into a complete state.
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
            let after = search.values[index];
            let watch = &mut search.watches[index];
            if involved.contains(&index) {
                let interval = t - watch.last_jump;
                // The same function again so soon cannot be told from its round-off.
                if interval < shortest {
                    return Err(self.accumulation(interval));
                }
                watch.last_jump = t;
            }
            // A jump may leave a barrier at zero whether it took part or not.
            if watch.barrier {
                watch.start_anew(None, after, t);
                continue;
            }
            let was = search.before_jump(index, involved);
            let watch = &mut search.watches[index];
            watch.size = was.size;
            // What a time event lets jump has crossed before the handler was asked: the first step behind finds it.
            let crossed = |value: f64| {
                watch
                    .stand
                    .side()
                    .is_some_and(|side| side.sign() * value < 0.0)
            };
            if involved.is_empty() && crossed(was.value) && crossed(after) {
                continue;
            }
            (watch.stand, watch.value, watch.t) = (was.stand(after, t), after, t);
        }
        self.turn_back(evaluator, state)
    }

    /// Impacts: a function that has come to its root by the motion of the system, which the jump of the velocity has turned
    /// back, has not crossed.
    fn turn_back(
        &mut self,
        evaluator: &mut Evaluator,
        state: &State,
    ) -> Result<(), SolveErrorKind> {
        let search = &mut self.search;
        let unchanged = search.velocity == state.v;
        if unchanged || search.velocity.len() != state.v.len() {
            return Ok(());
        }
        let at_root = |watch: &SignTracker| !watch.barrier && !watch.stand.is_off();
        if !search.watches.iter().any(at_root) {
            return Ok(());
        }
        // The functions a little later, by the velocities from before and behind the jump alone.
        let reach = SLOPE * search.length;
        let mut later = [Vec::new(), Vec::new()];
        let EventSearch {
            point,
            watches,
            velocity: before,
            ..
        } = &mut *search;
        for (values, velocity) in later.iter_mut().zip([&*before, &state.v]) {
            point.copy_from(state);
            point.t += reach;
            for (displacement, v) in point.acceleration.iter_mut().zip(velocity) {
                *displacement = reach * v;
            }
            let space = &evaluator.layout().space;
            space.retract(&state.q, &point.acceleration, &mut point.q);
            values.resize(watches.len(), 0.0);
            evaluator.event_functions(&point.point(), values)?;
        }
        let [comes, goes] = later;
        for (index, watch) in search.watches.iter_mut().enumerate() {
            if search.of_multipliers[index] || watch.barrier {
                continue;
            }
            let Some(side) = watch.stand.side() else {
                continue;
            };
            let (now, round_off) = (search.values[index], ROUND_OFF * watch.size);
            let change = |later: f64| side.sign() * (later - now);
            if change(comes[index]) > round_off && change(goes[index]) < -round_off {
                watch.stand.be_on(side.opposite());
            }
        }
        Ok(())
    }

    /// What is known of the functions at the last event, before the system changes them.
    pub(super) fn known(&self, involved: &[usize]) -> Vec<Known> {
        let search = &self.search;
        let watched = (0..search.watches.len()).filter(|&index| !search.watches[index].barrier);
        let known = watched.map(|index| Known {
            description: search.descriptions[index].clone(),
            before: search.before_jump(index, involved),
        });
        known.collect()
    }

    /// The event functions of a system that has changed them: those that are described as before are on the side where they were.
    pub(in crate::solve) fn watch_known(
        &mut self,
        evaluator: &mut Evaluator,
        state: &State,
        known: &[Known],
    ) -> Result<(), SolveErrorKind> {
        let descriptions = event_descriptions(evaluator.system());
        for (index, watch) in self.search.watches.iter_mut().enumerate() {
            if watch.barrier {
                continue;
            }
            // Of several that are described alike, by their order.
            let description = &descriptions[index];
            let earlier = descriptions[..index]
                .iter()
                .filter(|other| *other == description);
            let mut same = known
                .iter()
                .filter(|known| known.description == *description);
            if let Some(known) = same.nth(earlier.count()) {
                watch.stand = known.before.stand(watch.value, watch.t);
            }
        }
        self.turn_back(evaluator, state)
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

impl EventSearch {
    /// A function at the last event, before the jump.
    fn before_jump(&self, index: usize, involved: &[usize]) -> Before {
        let (watch, value) = (&self.watches[index], self.before[index]);
        let (size, at_root) = self.near_root(index, value);
        let known = watch.stand.side();
        let involved = involved.contains(&index);
        let side = if involved {
            let mut found = self.found.iter().filter(|found| found.index == index);
            found.next().map(|found| found.side).or(known)
        } else if !at_root {
            Side::of(value)
        } else {
            match watch.stand {
                // It comes to its root to cross it, and nobody asks.
                Stand::Off(side) if !side.counts(self.directions[index]) => Some(side.opposite()),
                _ => known,
            }
        };
        Before {
            value,
            size,
            side,
            involved,
            at_root,
        }
    }
}
