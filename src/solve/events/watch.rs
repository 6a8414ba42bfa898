//! What is known of the event functions between steps, and the memory to look for their crossings.

use super::first_crossing::sign_of;
use super::samples::BEFORE_FIRST;
use super::sampling::Predictions;
use crate::integrator::{DenseOutput, Method};
use crate::scalar::larger_or_second;
use crate::solve::{EventRecord, Options, SolveErrorKind};
use crate::system::{Direction, Evaluator, EventDescription, State, event_descriptions};

/// What is known of an event function between steps.
#[derive(Clone, Copy, Debug)]
pub(in crate::solve) struct Watch {
    /// The sign to compare with; 0 while nothing but exact zeros has been seen.
    pub sign: f64,
    /// A value of that sign and its time: the start of the search.
    pub value: f64,
    pub t: f64,
    pub root: AtRoot,
    /// It may not become negative, and counts as positive at every start.
    pub barrier: bool,
    /// When the function last made the run restart.
    pub last_jump: f64,
}

/// Whether a function stands at its root at the start of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::solve) enum AtRoot {
    No,
    /// It may: the first step after a start tells.
    Perhaps,
    /// It was handled at the last jump, which did not change it: its sign is taken right after the jump.
    Yes,
}

impl Watch {
    fn new(value: f64, t: f64, barrier: bool) -> Self {
        Self {
            sign: sign_of(value),
            value,
            t,
            root: AtRoot::Perhaps,
            barrier,
            last_jump: f64::NEG_INFINITY,
        }
    }

    /// A barrier that a run starts behind is crossed at its start.
    pub(super) fn stand_behind(&mut self, from: f64) {
        if self.barrier && self.sign <= 0.0 {
            // Behind a barrier the sign is positive by agreement: the first step finds the crossing.
            (self.sign, self.value, self.t) = (1.0, f64::MIN_POSITIVE, from);
        }
    }

    pub fn see(&mut self, value: f64, t: f64) {
        if value != 0.0 {
            (self.sign, self.value) = (sign_of(value), value);
        } else if self.sign != 0.0 {
            self.value = self.sign * f64::MIN_POSITIVE;
        }
        self.t = t;
    }
}

/// A crossing of one function on dense output.
#[derive(Clone, Copy, Debug)]
pub(in crate::solve) struct Found {
    pub t: f64,
    /// The function.
    pub index: usize,
    /// Its sign behind the crossing.
    pub sign: f64,
    /// Its slope there, if samples have told it.
    pub slope: Option<f64>,
}

/// Roots on dense output are found to within a location tolerance of at most this, in s, since that costs little; signs behind a
/// jump are looked for from there on, and jumps in quick succession are counted in it.
const FINEST: f64 = 1e-12;

/// A function that stays this share of its size away from zero, wherever its sign changes, has jumped.
const JUMP: f64 = 1e-6;

/// After a jump that leaves a function at its root, its slope over this many times the finest tolerance tells its new sign.
pub(super) const PROBE: f64 = 8.0;

/// Methods of less than this order leave the constraints by as much as the gap of a contact opens in a step, and velocities are
/// those of the middles of steps: functions are then evaluated on the constraints wherever a step is searched.
const SETTLED_ORDER: u8 = 2;

/// A function that changes its sign between so many samples of a step, and not as its neighbours predict, chatters: events are missed.
const CHATTER: usize = 4;

/// The event functions of a system, and the memory to look for their crossings.
pub(in crate::solve) struct EventSearch {
    pub watches: Vec<Watch>,
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
    pub tolerance: f64,
    predictions: Predictions,
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
    /// The values before the last jump.
    pub before: Vec<f64>,
    /// Changes since then while signs are told: the last one, and how often it has doubled.
    pub(super) probed: Vec<(f64, u8)>,
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
                .map(|(&value, barrier)| Watch::new(value, state.t, barrier))
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
            predictions: Predictions::default(),
            times: Vec::with_capacity(options.event_samples - 1),
            samples: Vec::with_capacity(count * (options.event_samples - 1)),
            column: Vec::with_capacity(options.event_samples + 8),
            course: Vec::with_capacity(options.event_samples),
            end: state.clone(),
            settled: state.clone(),
            end_values: values.clone(),
            point: state.clone(),
            before: values.clone(),
            probed: Vec::with_capacity(count),
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

    /// Times closer than this cannot be told apart.
    pub fn resolution(&self, t: f64) -> f64 {
        self.tolerance.max(f64::EPSILON * t.abs())
    }

    /// Whether a moment at which a function has this value is one at which it has changed to this sign, and may be handled.
    pub fn has_crossed(&self, index: usize, sign: f64) -> bool {
        let value = self.values[index] * sign;
        if self.beyond[index] {
            // Functions that must have crossed: only the side behind counts.
            value > 0.0
        } else {
            // One that is no nearer to zero than where its watch began has not come to its root: it may begin there.
            let approached = -value < self.watches[index].value.abs();
            value >= 0.0 || (approached && value >= -JUMP * self.scale(index))
        }
    }

    /// Whether a function that is said to get this sign has it from the start of the step.
    pub fn starts_behind(&self, index: usize, sign: f64) -> bool {
        self.watches[index].value * sign > 0.0
    }

    /// The functions `involved` have crossed at the moments of `found`, and nothing else has happened.
    pub fn pass(&mut self, involved: &[usize]) {
        for found in &self.found {
            if involved.contains(&found.index) {
                let watch = &mut self.watches[found.index];
                // The smallest value of its new sign: the search goes on from the root itself.
                watch.sign = found.sign;
                watch.value = found.sign * f64::MIN_POSITIVE;
                watch.t = found.t;
            }
        }
    }

    /// A function crosses on dense output, and in no repeated step up to the end of this one, whose values have been evaluated last.
    /// That it has not crossed is what the next search goes on from: otherwise nobody would ever handle it.
    pub fn take_back(&mut self, index: usize) {
        self.end_values[index] = self.values[index];
        self.taken_back.push(index);
        self.found.retain(|found| found.index != index);
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

    /// How often a function changes its sign between samples.
    fn sign_changes(&self, index: usize) -> usize {
        let count = self.watches.len();
        let samples = self.samples.iter().skip(index).step_by(count);
        let mut last = 0.0;
        let mut changes = 0;
        // Exact zeros have no sign and hide no change.
        for sign in samples
            .map(|&value| sign_of(value))
            .filter(|sign| *sign != 0.0)
        {
            changes += usize::from(last * sign < 0.0);
            last = sign;
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

    /// The step has been accepted: the signs at its end.
    #[inline]
    pub fn see_end(&mut self) {
        for (watch, &value) in self.watches.iter_mut().zip(&self.end_values) {
            watch.see(value, self.end.t);
        }
    }

    /// Decides which functions may stand at their roots at the start of the step: those that a location tolerance of
    /// time or their round-off takes to zero. Whether there are any.
    pub(super) fn stand_at_roots(&mut self, spacing: f64) -> bool {
        let count = self.watches.len();
        // What a system has settled at an event stands at its root to round-off, whatever the location tolerance.
        let (settled, located) = (self.finest(self.end.t), self.resolution(self.end.t));
        for index in 0..count {
            let watch = &mut self.watches[index];
            if watch.root != AtRoot::Perhaps {
                continue;
            }
            let interior = self.samples.chunks_exact(count).map(|all| all[index]);
            let (mut scale, mut change, mut last) = (watch.value.abs(), 0.0, watch.value);
            for value in interior.chain([self.end_values[index]]) {
                scale = larger_or_second(value.abs(), scale);
                change = larger_or_second((value - last).abs(), change);
                last = value;
            }
            // The fastest change between samples bounds what a location tolerance of time does.
            let rate = change / spacing;
            let near = if watch.barrier { settled } else { located };
            // Or round-off of the function's own size.
            let small = (PROBE * near * rate).max(64.0 * f64::EPSILON * scale);
            if watch.value.abs() <= small {
                watch.root = AtRoot::Yes;
            } else {
                watch.root = AtRoot::No;
                watch.stand_behind(watch.t);
            }
        }
        self.watches.iter().any(|watch| watch.root == AtRoot::Yes)
    }

    /// The mean slope of a function from where it is searched to the end of the step.
    pub(in crate::solve) fn chord(&self, index: usize) -> f64 {
        let watch = &self.watches[index];
        (self.end_values[index] - watch.value) / (self.end.t - watch.t)
    }
}
