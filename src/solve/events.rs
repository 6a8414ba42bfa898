//! Events within a step: what is known of the event functions, and where they cross zero on dense output.

use super::dense::StepEnd;
use super::held_rows::HeldRows;
use super::sampling;
use super::search::{first_crossing, sign_of};
use super::{Driver, Options, SolveErrorKind};
use crate::integrator::{DenseOutput, Method, StepError};
use crate::system::{Direction, Evaluator, State};

/// What is known of an event function between steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watch {
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
pub(super) enum AtRoot {
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
    fn stand_behind(&mut self, from: f64) {
        if self.barrier && self.sign <= 0.0 {
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
pub(super) struct Found {
    pub t: f64,
    /// The function.
    pub index: usize,
    /// Its sign behind the crossing.
    pub sign: f64,
}

/// A function that stays this share of its size away from zero, wherever its sign changes, has jumped.
const JUMP: f64 = 1e-6;

/// After a jump that leaves a function at its root, its slope over this many times the finest tolerance tells its new sign.
const PROBE: f64 = 8.0;

/// A change that grows steadily over so many doublings of the time is no round-off.
const STEADY: u8 = 3;

/// Methods of less than this order leave the constraints by as much as the gap of a contact opens in a step, and velocities are
/// those of the middles of steps: functions are then evaluated on the constraints wherever a step is searched.
const SETTLED_ORDER: u8 = 2;

/// A step of the driver is searched like so many of the method at most.
const MOST_STEPS_WITHIN: usize = 64;

/// Samples are doubled at most so many times.
const REFINEMENTS: usize = 3;

/// A function that changes its sign between so many samples of a step, and not as its neighbours predict, chatters: events are missed.
const CHATTER: usize = 4;

/// No step can follow a function that chatters in so many steps more than it does not.
const CHATTERING_STEPS: usize = 4;

/// The event functions of a system, and the memory to look for their crossings.
pub(super) struct EventSearch {
    pub watches: Vec<Watch>,
    directions: Vec<Direction>,
    of_multipliers: Vec<bool>,
    beyond: Vec<bool>,
    any_of_multipliers: bool,
    completes_end: bool,
    /// Whether functions of steps of the method are evaluated on the constraints throughout.
    settles: bool,
    parts: usize,
    /// Parts of this step: more where functions vary faster than steps do.
    step_parts: usize,
    pub tolerance: f64,
    /// Values of all functions at the interior samples, sample by sample.
    samples: Vec<f64>,
    column: Vec<(f64, f64)>,
    /// The end of the step that is searched.
    pub end: State,
    /// The same on the constraints.
    settled: State,
    end_values: Vec<f64>,
    /// A state between, where functions depend on its multipliers.
    point: State,
    /// The values evaluated last.
    pub values: Vec<f64>,
    /// The values before the last jump.
    pub before: Vec<f64>,
    /// The first crossings of all functions in the step, in order of time.
    pub found: Vec<Found>,
    /// Whether the state at the event is the end of a step of the method, not of dense output.
    pub stepped: bool,
    /// Steps in which a function chattered, less those in which none did.
    chattering_steps: usize,
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
        let descriptions = system.events();
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
            directions,
            completes_end: any_of_multipliers || method.dense_output == DenseOutput::Quintic,
            any_of_multipliers,
            settles: method.orders.q < SETTLED_ORDER && evaluator.layout().rows() > 0,
            of_multipliers,
            beyond,
            parts: options.event_samples,
            step_parts: options.event_samples,
            tolerance: options.event_tolerance,
            samples: vec![0.0; count * (options.event_samples - 1)],
            column: Vec::with_capacity(options.event_samples + 8),
            end: state.clone(),
            settled: state.clone(),
            end_values: values.clone(),
            point: state.clone(),
            before: values.clone(),
            values,
            found: Vec::with_capacity(count),
            stepped: false,
            chattering_steps: 0,
        })
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
            value > 0.0
        } else {
            // One that is no nearer to zero than where its watch began has not come to its root: it may begin there.
            let approached = -value < self.watches[index].value.abs();
            value >= 0.0 || (approached && value >= -JUMP * self.scale(index))
        }
    }

    /// The functions `involved` have crossed at the moments of `found`, and nothing else has happened.
    pub fn pass(&mut self, involved: &[usize]) {
        for found in &self.found {
            if involved.contains(&found.index) {
                let watch = &mut self.watches[found.index];
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
        self.found.retain(|found| found.index != index);
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
    fn chatter(&self) -> Option<(usize, usize)> {
        let changes = (0..self.watches.len()).map(|index| (index, self.sign_changes(index)));
        changes
            .max_by_key(|&(_, changes)| changes)
            .filter(|&(_, changes)| changes >= CHATTER)
    }

    fn sample_time(&self, from: f64, sample: usize) -> f64 {
        from + (self.end.t - from) * (sampling::place(sample) / self.step_parts as f64)
    }

    /// Whether the samples show the course of all functions that do not depend on multipliers.
    fn is_resolved(&self) -> bool {
        let (count, parts) = (self.watches.len(), self.step_parts);
        (0..count)
            .filter(|&index| !self.of_multipliers[index])
            .all(|index| {
                let value = |sample: usize| {
                    if sample == parts {
                        (parts as f64, self.end_values[index])
                    } else {
                        let value = self.samples[(sample - 1) * count + index];
                        (sampling::place(sample), value)
                    }
                };
                sampling::is_resolved(value, parts)
            })
    }

    /// The step has been accepted: the signs at its end.
    pub fn see_end(&mut self) {
        for (watch, &value) in self.watches.iter_mut().zip(&self.end_values) {
            watch.see(value, self.end.t);
        }
    }

    /// Decides which functions may stand at their roots at the start of the step: those that a location tolerance of
    /// time or their round-off takes to zero. Whether there are any.
    fn stand_at_roots(&mut self, spacing: f64) -> bool {
        let count = self.watches.len();
        // What a system has settled at an event stands at its root to round-off, whatever the location tolerance.
        let (settled, located) = (self.finest(self.end.t), self.resolution(self.end.t));
        for index in 0..count {
            let watch = &mut self.watches[index];
            if watch.root != AtRoot::Perhaps {
                continue;
            }
            let interior = self.samples.iter().skip(index).step_by(count);
            let (mut scale, mut rate, mut last) = (watch.value.abs(), 0.0_f64, watch.value);
            for &value in interior.chain([&self.end_values[index]]) {
                scale = scale.max(value.abs());
                rate = rate.max((value - last).abs() / spacing);
                last = value;
            }
            let near = if watch.barrier { settled } else { located };
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
}

impl EventSearch {
    /// The mean slope of a function from where it is searched to the end of the step.
    pub(super) fn chord(&self, index: usize) -> f64 {
        let watch = &self.watches[index];
        (self.end_values[index] - watch.value) / (self.end.t - watch.t)
    }
}

impl Driver<'_> {
    /// Looks for events in the step from `self.state` to `self.next`, which the method has not accepted yet. Whether
    /// there are any.
    pub(super) fn find_events(&mut self) -> Result<bool, StepError> {
        self.search.end.copy_from(&self.next);
        if self.search.completes_end {
            self.accelerations
                .complete(&mut self.evaluator, &mut self.search.end)?;
        }
        HeldRows::least_norm(&mut self.held, &mut self.evaluator, &mut self.search.end)?;
        if self.settles() {
            self.evaluate_settled_end()?;
        } else {
            let at = self.search.end.point();
            self.evaluator
                .event_functions(&at, &mut self.search.end_values)?;
        }
        self.dense_ready = false;
        self.prepare_dense_output(StepEnd::Tentative)?;
        self.search.step_parts = self.search.parts * self.usual_steps_within();
        self.sample()?;
        let mut resolved = self.search.is_resolved();
        for _ in 0..REFINEMENTS {
            if resolved {
                break;
            }
            self.search.step_parts *= 2;
            self.sample()?;
            resolved = self.search.is_resolved();
        }
        let chatters = !resolved && self.search.chatter().is_some();
        let steps = &mut self.search.chattering_steps;
        *steps = if chatters {
            *steps + 1
        } else {
            steps.saturating_sub(1)
        };
        self.probe_after_jump()?;
        let found = self.find_crossings()?;
        if !found || self.settles() {
            return Ok(found);
        }
        self.evaluate_settled_end()?;
        self.find_crossings()
    }

    /// Whether functions are evaluated on the constraints throughout. A step across a singular configuration is the driver's own:
    /// its ends are consistent.
    pub(super) fn settles(&self) -> bool {
        self.search.settles && !self.crossed
    }

    /// The functions at the end of the step as at the end of a repeated one: put back onto the constraints. Where a method leaves
    /// them, a crossing would be there in the one and not in the other, and nobody would handle it.
    fn evaluate_settled_end(&mut self) -> Result<(), StepError> {
        let settles = self.settles();
        let system = &mut self.evaluator;
        let (search, projector) = (&mut self.search, &mut self.projector);
        search.settled.copy_from(&search.end);
        let moved = projector.project_position(system, &mut search.settled, false)? > 0;
        if settles {
            projector.project_velocity(system, &mut search.settled)?;
        }
        let step = search.end.t - self.state.t;
        projector.project_energy(system, &mut search.settled, step)?;
        let changed = moved || search.settled.v != search.end.v;
        if changed && search.any_of_multipliers {
            HeldRows::complete(
                &mut self.held,
                system,
                &mut self.accelerations,
                &mut search.settled,
            )?;
        }
        system.event_functions(&search.settled.point(), &mut search.end_values)?;
        Ok(())
    }

    /// A step of the driver is as long as several of the method, and samples are to be as dense as in these.
    fn usual_steps_within(&self) -> usize {
        if !self.crossed {
            return 1;
        }
        let usual = self.usual_step().min(self.options.max_step);
        let steps = (self.search.end.t - self.state.t) / usual;
        (steps.ceil() as usize).clamp(1, MOST_STEPS_WITHIN)
    }

    /// Refuses to go on where a function chatters in step after step.
    pub(super) fn refuse_chatter(&mut self) -> Result<(), SolveErrorKind> {
        let search = &self.search;
        let chatter = search
            .chatter()
            .filter(|_| search.chattering_steps >= CHATTERING_STEPS);
        let Some((index, changes)) = chatter else {
            return Ok(());
        };
        let (t, step) = (self.state.t, search.end.t - self.state.t);
        let event = &self.evaluator.system().events()[index];
        Err(SolveErrorKind::Chatter {
            kind: event.kind.clone(),
            label: event.label.clone(),
            t,
            step,
            changes,
        })
    }

    /// Evaluates the functions within the step.
    fn sample(&mut self) -> Result<(), StepError> {
        let (count, parts) = (self.search.watches.len(), self.search.step_parts);
        self.search.samples.resize(count * (parts - 1), 0.0);
        for sample in 1..parts {
            let t = self.search.sample_time(self.state.t, sample);
            self.event_values_at(t, self.search.any_of_multipliers)?;
            let slot = (sample - 1) * count;
            self.search.samples[slot..slot + count].copy_from_slice(&self.search.values);
        }
        Ok(())
    }

    /// The first crossings of all functions behind what has been seen of them. Dense output and samples are ready.
    pub(super) fn find_crossings(&mut self) -> Result<bool, StepError> {
        let count = self.search.watches.len();
        self.search.found.clear();
        for index in 0..count {
            let watch = self.search.watches[index];
            let mut column = std::mem::take(&mut self.search.column);
            column.clear();
            column.push((watch.t, watch.value));
            for sample in 1..self.search.step_parts {
                let t = self.search.sample_time(self.state.t, sample);
                if t > watch.t {
                    column.push((t, self.search.samples[(sample - 1) * count + index]));
                }
            }
            if self.search.end.t > watch.t {
                column.push((self.search.end.t, self.search.end_values[index]));
            }
            let direction = self.search.directions[index];
            let tolerance = self.search.finest(self.search.end.t);
            let of_multipliers = self.search.of_multipliers[index];
            let function = |t| -> Result<f64, StepError> {
                self.event_values_at(t, of_multipliers)?;
                Ok(self.search.values[index])
            };
            let crossing = first_crossing(function, &mut column, watch.sign, direction, tolerance);
            self.search.column = column;
            if let Some(crossing) = crossing? {
                self.search.found.push(Found {
                    t: crossing.t,
                    index,
                    sign: crossing.sign,
                });
            }
        }
        self.search.found.sort_by(|a, b| a.t.total_cmp(&b.t));
        Ok(!self.search.found.is_empty())
    }

    /// Evaluates the event functions on dense output. Where multipliers matter, they come from the index-1 form, since
    /// they are not interpolated well enough.
    pub(super) fn event_values_at(
        &mut self,
        t: f64,
        of_multipliers: bool,
    ) -> Result<(), StepError> {
        let settles = self.settles();
        let space = &self.evaluator.layout().space;
        let state = self.dense.at(self.integrator, space, t);
        let (search, system) = (&mut self.search, &mut self.evaluator);
        if !of_multipliers && !settles {
            system.event_functions(&state.point(), &mut search.values)?;
            return Ok(());
        }
        search.point.copy_from(state);
        if settles {
            let state = &mut search.point;
            self.projector.project_position(system, state, false)?;
            self.projector.project_velocity(system, state)?;
        }
        if of_multipliers {
            let accelerations = &mut self.accelerations;
            HeldRows::complete(&mut self.held, system, accelerations, &mut search.point)?;
        }
        system.event_functions(&search.point.point(), &mut search.values)?;
        Ok(())
    }

    /// The signs right after a start or a jump, of functions that stand at their root there. The slope decides, not
    /// the value: settling the state at an event has moved the root a little. It is taken over a growing time until
    /// it stands out of the round-off.
    fn probe_after_jump(&mut self) -> Result<(), StepError> {
        let (from, to) = (self.state.t, self.search.end.t);
        let spacing = (to - from) / self.search.step_parts as f64;
        let fresh = |watch: &Watch| watch.root != AtRoot::No;
        if !self.search.watches.iter().any(fresh) || !self.search.stand_at_roots(spacing) {
            return Ok(());
        }
        let longest = 0.5 * spacing;
        let mut offset = (0.5 * PROBE * self.search.finest(from)).min(0.5 * longest);
        let mut seen = vec![(0.0_f64, 0_u8); self.search.watches.len()];
        loop {
            let t = from + offset;
            self.event_values_at(t, self.search.any_of_multipliers)?;
            let last = offset >= longest;
            let values = self.search.values.iter();
            for ((watch, &value), seen) in self.search.watches.iter_mut().zip(values).zip(&mut seen)
            {
                if watch.root != AtRoot::Yes {
                    continue;
                }
                let change = value - watch.value;
                let (before, doublings) = *seen;
                let ratio = change / before;
                let doublings = if (1.5..5.0).contains(&ratio) {
                    doublings + 1
                } else {
                    0
                };
                *seen = (change, doublings);
                if last || (doublings >= STEADY && change.abs() > watch.value.abs()) {
                    watch.root = AtRoot::No;
                    watch.sign = sign_of(change);
                    watch.value = if sign_of(value) == watch.sign {
                        value
                    } else {
                        watch.sign * f64::MIN_POSITIVE
                    };
                    watch.t = t;
                    watch.stand_behind(from);
                }
            }
            let open = |watch: &Watch| watch.root == AtRoot::Yes;
            if !self.search.watches.iter().any(open) {
                return Ok(());
            }
            offset = (2.0 * offset).min(longest);
        }
    }
}
