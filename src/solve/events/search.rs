//! The event functions of a system, and the memory to look for their crossings.

use super::first_crossing::Crossing;
use super::samples::BEFORE_FIRST;
use super::sampling::Predictions;
use super::side::{Course, DeadBand, ROUND_OFF, Rest, Side, Stand};
use super::sign_tracker::SignTracker;
use crate::integrator::{DenseOutput, Method};
use crate::scalar::{larger_or_second, smaller_or_second};
use crate::solve::{EventRecord, Options, SolveErrorKind};
use crate::system::{Direction, Evaluator, EventDescription, State, event_descriptions};

/// A crossing of one function on dense output.
#[derive(Clone, Copy, Debug)]
pub(in crate::solve) struct Found {
    pub t: f64,
    /// The function.
    pub index: usize,
    /// Its side behind the crossing.
    pub side: Side,
    /// Whether it comes to rest at zero.
    pub rests: bool,
    /// Where it is seen to have left its root, if it has stood there.
    pub seen: Option<f64>,
    /// Its slope there, if samples have told it.
    pub slope: Option<f64>,
}

impl Found {
    pub(super) fn of(index: usize, crossing: Crossing) -> Self {
        Self {
            t: crossing.t,
            index,
            side: crossing.side,
            rests: crossing.rests,
            seen: crossing.seen,
            slope: crossing.slope,
        }
    }
}

/// Roots on dense output are found to within a location tolerance of at most this, in s, since that costs little; signs behind a
/// jump are looked for from there on, and jumps in quick succession are counted in it.
const FINEST: f64 = 1e-12;

/// In steps shorter than this, in s, location tolerances are smaller in proportion.
const SHORT_STEP: f64 = 1e-6;

/// A function that stays this share of its size away from zero, wherever its sign changes, has jumped.
const JUMP: f64 = 1e-6;

/// After a jump that leaves a function at its root, its slope over this many times the finest tolerance tells its new sign.
pub(super) const PROBE: f64 = 8.0;

/// Methods of less than this order leave the constraints by as much as the gap of a contact opens in a step, and velocities are
/// those of the middles of steps: functions are then evaluated on the constraints wherever a step is searched.
const SETTLED_ORDER: u8 = 2;

/// Corrections of so many location tolerances that do not shrink any more are round-off.
pub(super) const NOISE: f64 = 100.0;

/// A function that changes its sign between so many samples of a step, and not as its neighbours predict, chatters: events are missed.
const CHATTER: usize = 4;

/// The event functions of a system, and the memory to look for their crossings.
pub(in crate::solve) struct EventSearch {
    pub watches: Vec<SignTracker>,
    /// What the functions stand for: they stay until the structure changes.
    pub(super) descriptions: Vec<EventDescription>,
    pub(super) directions: Vec<Direction>,
    pub(super) of_multipliers: Vec<bool>,
    pub(super) beyond: Vec<bool>,
    pub(super) any_of_multipliers: bool,
    pub(super) completes_end: bool,
    /// Whether functions of steps of the method are evaluated on the constraints throughout.
    pub(super) settles: bool,
    pub(super) parts: usize,
    /// Parts of what is searched of this step: more where functions vary faster than steps do.
    pub(super) step_parts: usize,
    /// Where the search ends, if not at the end of the step: what lies behind an early crossing need not be looked at.
    pub(super) until: Option<f64>,
    /// The values there.
    until_values: Vec<f64>,
    /// The location tolerance of the run in s.
    tolerance: f64,
    /// Its part in the step that is searched: less where that is short.
    pub(super) share: f64,
    predictions: Predictions,
    /// The length of the step that was searched last.
    pub(super) length: f64,
    /// The start of the step that is sampled.
    pub(super) from: f64,
    /// The times of the interior samples.
    pub(super) times: Vec<f64>,
    /// Values of all functions at the interior samples, sample by sample.
    pub(super) samples: Vec<f64>,
    pub(super) column: Vec<(f64, f64)>,
    /// The samples of one function, with the end of the step.
    course: Vec<f64>,
    /// The end of the step that is searched.
    pub end: State,
    /// The same on the constraints.
    pub(super) settled: State,
    pub(super) end_values: Vec<f64>,
    /// A state between, where functions depend on its multipliers.
    pub(super) point: State,
    /// The values evaluated last.
    pub values: Vec<f64>,
    /// The values before the last jump, and the velocities of the state.
    pub(super) before: Vec<f64>,
    pub(super) velocity: Vec<f64>,
    /// What is known of all functions at the end of what has been searched.
    pub(super) courses: Vec<Course>,
    /// The first crossings of all functions in the step, in order of time.
    pub found: Vec<Found>,
    /// Functions whose crossing in this step no repeated step has confirmed.
    pub(super) taken_back: Vec<usize>,
    /// Whether the state at the event is the end of a step of the method, not of dense output.
    pub stepped: bool,
    /// Steps in which a function chattered, less those in which none did.
    pub(super) chattering_steps: usize,
}

impl EventSearch {
    /// Looks at the event functions of a complete state.
    pub fn new(
        evaluator: &mut Evaluator,
        method: &Method,
        state: &State,
        options: &Options,
    ) -> Result<Self, SolveErrorKind> {
        let system = evaluator.system();
        let descriptions = event_descriptions(system).to_vec();
        let directions: Vec<Direction> = descriptions.iter().map(|event| event.direction).collect();
        let of_multipliers: Vec<bool> =
            descriptions.iter().map(|event| event.multipliers).collect();
        let barriers: Vec<bool> = descriptions.iter().map(|event| event.barrier).collect();
        let beyond = descriptions.iter().map(|event| event.beyond).collect();
        let count = directions.len();
        let mut values = vec![0.0; count];
        if count > 0 {
            evaluator.event_functions(&state.point(), &mut values)?;
        }
        let any_of_multipliers = of_multipliers.contains(&true);
        Ok(Self {
            watches: values
                .iter()
                .zip(barriers)
                .map(|(&value, barrier)| SignTracker::new(value, state.t, barrier))
                .collect(),
            descriptions,
            directions,
            completes_end: any_of_multipliers || method.dense_output == DenseOutput::Quintic,
            any_of_multipliers,
            // Below order 2 the ends of steps are off by as much as events depend on.
            settles: method.orders.q < SETTLED_ORDER && evaluator.layout().rows() > 0,
            of_multipliers,
            beyond,
            parts: options.event_samples,
            step_parts: options.event_samples,
            until: None,
            until_values: values.clone(),
            tolerance: options.event_tolerance,
            share: 1.0,
            predictions: Predictions::default(),
            length: 0.0,
            from: state.t,
            times: Vec::with_capacity(options.event_samples - 1),
            samples: Vec::with_capacity(count * (options.event_samples - 1)),
            column: Vec::with_capacity(options.event_samples + 8),
            course: Vec::with_capacity(options.event_samples),
            end: state.clone(),
            settled: state.clone(),
            end_values: values.clone(),
            point: state.clone(),
            before: values.clone(),
            velocity: state.v.clone(),
            courses: vec![Course::At(None); count],
            values,
            found: Vec::with_capacity(count),
            taken_back: Vec::with_capacity(count),
            stepped: false,
            chattering_steps: 0,
        })
    }

    /// The record of an event of which nobody reports more.
    pub(super) fn describe(&self, index: usize, t: f64) -> EventRecord {
        let EventDescription { kind, label, .. } = &self.descriptions[index];
        EventRecord {
            t,
            kind: kind.clone(),
            label: label.clone(),
            quantities: Vec::new(),
        }
    }

    /// Times closer than this are no progress, however coarsely events are to be located.
    pub fn finest(&self, t: f64) -> f64 {
        // Not finer than time can be told.
        self.tolerance.min(FINEST).max(f64::EPSILON * t.abs())
    }

    /// Whether there is anything to look for.
    pub fn is_needed(&self) -> bool {
        !self.watches.is_empty()
    }

    /// A step from `from` on is searched.
    pub(super) fn begin(&mut self, from: f64) {
        self.taken_back.clear();
        self.length = self.end.t - from;
        self.share = smaller_or_second(self.length / SHORT_STEP, 1.0);
    }

    /// Times closer than this cannot be told apart.
    pub fn resolution(&self, t: f64) -> f64 {
        (self.share * self.tolerance).max(f64::EPSILON * t.abs())
    }

    /// Whether the last moment is one at which a function has come to the side where it has been found, and may be handled.
    pub fn has_crossed(&self, found: &Found) -> bool {
        let index = found.index;
        let value = self.values[index] * found.side.sign();
        if found.rests || self.beyond[index] {
            // Functions that must have crossed: only the side behind counts.
            self.is_behind(found)
        } else {
            // One that is no nearer to zero than where its watch began has not come to its root: it may begin there.
            let approached = -value < self.watches[index].value.abs();
            value >= 0.0 || (approached && value >= -JUMP * self.scale(index))
        }
    }

    /// Whether a function is strictly on the side where it has been found at the last moment, or rests at zero.
    pub fn is_behind(&self, found: &Found) -> bool {
        let value = self.values[found.index] * found.side.sign();
        value > 0.0 || found.rests && value == 0.0
    }

    /// Whether a function that is said to come to a side is on it from the start of the step.
    pub fn starts_behind(&self, found: &Found) -> bool {
        self.watches[found.index].value * found.side.sign() > 0.0
    }

    /// The functions `involved` have crossed at the moments of `found`, and nothing else has happened.
    pub fn pass(&mut self, involved: &[usize]) {
        for found in &self.found {
            if involved.contains(&found.index) {
                let watch = &mut self.watches[found.index];
                // The search goes on from the root itself.
                watch.go_on_from_root(found.side, found.t);
                if found.rests {
                    watch.stand = Stand::At(Rest::new(Some(found.side), 0.0, found.t));
                }
            }
        }
    }

    /// A function crosses on dense output, and in no repeated step up to the end of this one, whose values have been evaluated last.
    /// That it has not crossed is what the next search goes on from: otherwise nobody would ever handle it.
    pub fn take_back(&mut self, index: usize) {
        let (watch, value) = (&self.watches[index], self.values[index]);
        self.end_values[index] = value;
        self.courses[index] = match Side::of(value) {
            Some(side) => Course::Off(side),
            None => Course::At(watch.stand.side()),
        };
        self.taken_back.push(index);
        self.found.retain(|found| found.index != index);
    }

    /// A function stands at its root on dense output that seems to leave it at `seen`, and in no repeated step. Whether it is looked at
    /// again in this step, from where dense output has come back.
    pub(super) fn stay_at_root(&mut self, index: usize, seen: f64) -> bool {
        self.found.retain(|found| found.index != index);
        let side = self.watches[index].stand.side();
        let count = self.watches.len();
        let values = self.samples.chunks_exact(count).map(|all| all[index]);
        let (until, last) = self.last();
        let samples = (self.times.iter().copied().zip(values)).chain([(until, last[index])]);
        let back = |&(t, value): &(f64, f64)| t > seen && side == Side::of(value);
        let back = { samples }.find(back);
        let watch = &mut self.watches[index];
        match (back, side, &mut watch.stand) {
            (Some((t, value)), Some(side), _) => {
                (watch.stand, watch.value, watch.t) = (Stand::Off(side), value, t);
                return true;
            }
            (_, _, Stand::At(rest)) => rest.stay(),
            (_, _, Stand::Fresh(_) | Stand::Off(_)) => {}
        }
        self.courses[index] = Course::At(side);
        self.taken_back.push(index);
        false
    }

    /// Remembers a crossing that has been confirmed, unless the function is found to cross anyway.
    pub fn keep(&mut self, confirmed: Found) {
        if self
            .found
            .iter()
            .all(|found| found.index != confirmed.index)
        {
            let place = self.found.partition_point(|found| found.t <= confirmed.t);
            self.found.insert(place, confirmed);
        }
    }

    /// The system is about to change this state, at which the functions have been evaluated last.
    pub(super) fn see_before(&mut self, state: &State) {
        self.before.copy_from_slice(&self.values);
        self.velocity.clone_from(&state.v);
    }

    /// The size of a function in the step.
    pub fn scale(&self, index: usize) -> f64 {
        let ends = self.watches[index]
            .value
            .abs()
            .max(self.end_values[index].abs());
        let samples = self
            .samples
            .iter()
            .skip(index)
            .step_by(self.watches.len().max(1));
        samples.fold(ends, |scale, value| scale.max(value.abs()))
    }

    /// How far from zero a function is seen on a side in the step.
    pub(super) fn farthest(&self, index: usize, side: Side) -> f64 {
        let count = self.watches.len();
        let values = self.samples.chunks_exact(count).map(|all| all[index]);
        let seen = values.chain([self.last().1[index]]);
        seen.fold(0.0, |most, value| {
            larger_or_second(side.sign() * value, most)
        })
    }

    /// How often a function changes its sign between samples.
    fn sign_changes(&self, index: usize) -> usize {
        let count = self.watches.len();
        let samples = self.samples.iter().skip(index).step_by(count);
        let mut last = None;
        let mut changes = 0;
        // Exact zeros are on no side and hide no change.
        for side in samples.filter_map(|&value| Side::of(value)) {
            changes += usize::from(last.is_some_and(|last| last != side));
            last = Some(side);
        }
        changes
    }

    /// The function that chatters in the step, and how often its sign changes.
    pub(super) fn chatter(&self) -> Option<(usize, usize)> {
        let changes = (0..self.watches.len()).map(|index| (index, self.sign_changes(index)));
        changes
            .max_by_key(|&(_, changes)| changes)
            .filter(|&(_, changes)| changes >= CHATTER)
    }

    /// The last sample: its time, and the values of all functions.
    pub(super) fn last(&self) -> (f64, &[f64]) {
        match self.until {
            None => (self.end.t, &self.end_values),
            Some(t) => (t, &self.until_values),
        }
    }

    /// Searches the step no further than to this sample.
    pub(super) fn narrow(&mut self, sample: usize) {
        let count = self.watches.len();
        let values = &self.samples[sample * count..(sample + 1) * count];
        self.until_values.copy_from_slice(values);
        self.until = Some(self.times[sample]);
        self.step_parts = BEFORE_FIRST;
    }

    /// Counts the steps in which a function chatters, not resolved and changing its sign again and again, less those in which none does.
    pub(super) fn note_chatter(&mut self, resolved: bool) {
        if !resolved && self.chatter().is_some() {
            self.chattering_steps += 1;
        } else {
            self.chattering_steps = self.chattering_steps.saturating_sub(1);
        }
    }

    /// The times of the samples of what is searched from `from` on, and room for their values.
    pub(super) fn place_samples(&mut self, from: f64) {
        self.from = from;
        self.predictions.prepare(self.step_parts);
        let length = self.last().0 - from;
        let shares = self.predictions.shares().iter();
        self.times.clear();
        self.times.extend(shares.map(|share| from + length * share));
        self.samples.clear();
        let values = self.times.len() * self.watches.len();
        self.samples.resize(values, 0.0);
    }

    /// Whether the samples show the course of all functions that do not depend on multipliers.
    pub(super) fn is_resolved(&mut self) -> bool {
        let count = self.watches.len();
        for index in 0..count {
            if self.of_multipliers[index] {
                continue;
            }
            let values = self.samples.chunks_exact(count).map(|all| all[index]);
            self.course.clear();
            self.course.extend(values);
            self.course.push(match self.until {
                None => self.end_values[index],
                Some(_) => self.until_values[index],
            });
            if !self.predictions.are_met(&self.course) {
                return false;
            }
        }
        true
    }

    /// The step has been accepted, and nothing crosses in it that has not been handled: the functions at its end.
    #[inline]
    pub fn see_end(&mut self) {
        let ends = self.courses.iter().zip(&self.end_values);
        for (watch, (&course, &value)) in self.watches.iter_mut().zip(ends) {
            watch.see_end(course, value, self.end.t);
        }
    }

    /// The size of a function in the part of the step that has been sampled, and the fastest change between samples, which bounds what
    /// a location tolerance of time does.
    fn size_and_rate(&self, index: usize) -> (f64, f64) {
        let (from, first) = (self.watches[index].value, self.from);
        let (until, last) = self.last();
        let count = self.watches.len();
        let interior = self.samples.chunks_exact(count).map(|all| all[index]);
        let (mut size, mut change, mut before) = (from.abs(), 0.0, from);
        for value in interior.chain([last[index]]) {
            size = larger_or_second(value.abs(), size);
            change = larger_or_second((value - before).abs(), change);
            before = value;
        }
        let spacing = (until - first) / self.step_parts as f64;
        (size, change / spacing)
    }

    /// Decides which of the functions that start anew stand at their roots: those that a location tolerance of
    /// time or their round-off takes to zero. Whether there are any, or have been any before.
    pub(super) fn stand_at_roots(&mut self) -> bool {
        // What a system has settled at an event stands at its root to round-off, whatever the location tolerance.
        let (settled, located) = (self.finest(self.end.t), self.resolution(self.end.t));
        for index in 0..self.watches.len() {
            let SignTracker {
                stand,
                barrier,
                value,
                t,
                ..
            } = self.watches[index];
            let Stand::Fresh(side) = stand else {
                continue;
            };
            let (size, rate) = self.size_and_rate(index);
            let near = if barrier { settled } else { located };
            // Or round-off of the function's own size.
            let small = (PROBE * near * rate).max(ROUND_OFF * size);
            let watch = &mut self.watches[index];
            if value.abs() <= small {
                watch.stand = Stand::At(Rest::new(side, value, t));
            } else {
                watch.start_off_root();
            }
        }
        let at_root = |watch: &SignTracker| !watch.stand.is_off();
        self.watches.iter().any(at_root)
    }

    /// The moment of the next probe behind `t` of a function at its root, the first one so far behind that; infinity without one.
    pub(super) fn next_probe(&mut self, t: f64, first: f64) -> f64 {
        let rests = self
            .watches
            .iter_mut()
            .filter_map(|watch| match &mut watch.stand {
                Stand::At(rest) => Some(rest.next_probe(t, first)),
                Stand::Fresh(_) | Stand::Off(_) => None,
            });
        rests.fold(f64::INFINITY, f64::min)
    }

    /// The functions have been evaluated at `t`, behind the start of the step, for those that stand at their roots.
    pub(super) fn see_probe(&mut self, from: f64, t: f64) {
        let looked_at = self.watches.iter_mut().zip(&self.values);
        for ((watch, &value), &direction) in looked_at.zip(&self.directions) {
            if let Stand::At(rest) = &mut watch.stand
                && let Some(side) = rest.probe(t, value)
            {
                watch.leave(side, (t, value), from, direction);
            }
        }
    }

    /// What is known of a function where the search for its crossing begins, and its dead band.
    pub(super) fn start_of_course(&self, index: usize) -> (Course, DeadBand) {
        let watch = &self.watches[index];
        match watch.stand {
            Stand::Off(side) => (Course::Off(side), DeadBand::NONE),
            Stand::Fresh(side) => (Course::At(side), DeadBand::NONE),
            Stand::At(rest) => {
                let (size, _) = self.size_and_rate(index);
                (Course::At(rest.side), rest.dead_band(watch.size, size))
            }
        }
    }

    /// The values of a function where its crossing is searched: only behind what has been seen, since a watch may begin within the step.
    pub(super) fn course_of(&self, index: usize, column: &mut Vec<(f64, f64)>) {
        let watch = &self.watches[index];
        column.clear();
        column.push((watch.t, watch.value));
        let mut seen = watch.t;
        if let Stand::At(rest) = watch.stand
            && let Some(probe) = rest.seen.filter(|probe| probe.0 > watch.t)
        {
            column.push(probe);
            seen = probe.0;
        }
        let count = self.watches.len();
        let known = self.times.iter().take_while(|&&t| t <= seen).count();
        let values = self.samples[known * count..].chunks_exact(count);
        let samples = self.times[known..].iter().zip(values);
        column.extend(samples.map(|(&t, all)| (t, all[index])));
        let (until, last) = self.last();
        if until > seen {
            column.push((until, last[index]));
        }
    }

    /// The size of a function in the step that has been searched, and whether its value at an event there is zero but for the error of
    /// locating that.
    pub(super) fn near_root(&self, index: usize, value: f64) -> (f64, bool) {
        let (size, rate) = self.size_and_rate(index);
        let small = (NOISE * self.resolution(self.end.t) * rate).max(ROUND_OFF * size);
        (size, value.abs() <= small)
    }

    /// The mean slope of a function from where it is searched to the end of the step.
    pub(in crate::solve) fn chord(&self, index: usize) -> f64 {
        let watch = &self.watches[index];
        (self.end_values[index] - watch.value) / (self.end.t - watch.t)
    }
}
