//! Where event functions cross zero within a step, on dense output.

use super::first_crossing::{first_crossing, sign_of};
use super::locator::Locator;
use super::samples::{BEFORE_FIRST, ENOUGH};
use super::sampling;
use super::watch::{AtRoot, EventSearch, Found, PROBE, Watch};
use crate::integrator::StepError;
use crate::solve::SolveErrorKind;
use crate::solve::motion::Motion;
use crate::solve::output::last_step::LastStep;
use crate::system::{EvaluationError, Evaluator, Point};

/// A change that grows steadily over so many doublings of the time is no round-off.
const STEADY: u8 = 3;

/// No step can follow a function that chatters in so many steps more than it does not.
const CHATTERING_STEPS: usize = 4;

impl Locator {
    /// Looks for events in the step of the motion, which the method has not accepted yet. Whether
    /// there are any.
    pub(in crate::solve) fn find_events(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
    ) -> Result<bool, StepError> {
        self.search.end.copy_from(&motion.next);
        self.search.taken_back.clear();
        // Multipliers or a quintic need the end complete.
        let complete = self.own_step.is_none() && motion.step_solves_at_end();
        if self.search.completes_end && !complete {
            motion
                .accelerations
                .complete(&mut motion.evaluator, &mut self.search.end)?;
        }
        // Event functions see all rows' multipliers, those of least norm.
        motion.spread_multipliers(&mut self.search.end)?;
        let settled = self.settles() && self.has_settled_end(motion)?;
        if !settled {
            let at = self.search.end.point();
            motion
                .evaluator
                .event_functions(&at, &mut self.search.end_values)?;
        }
        // Dense output up to the completed end.
        step.prepare_search(motion, &self.search.end)?;
        let resolved = self.sample_step(motion, step)?;
        self.search.note_chatter(resolved);
        // First the signs at the start, then crossings from these signs.
        self.probe_after_jump(motion, step)?;
        let found = self.find_crossings(motion, step)?;
        if !found || self.settles() {
            return Ok(found);
        }
        // Found: once more with the end on the constraints, as repeated steps will see it. Where it was there already, the
        // same would be found.
        if !self.evaluate_settled_end(motion)? {
            return Ok(found);
        }
        self.find_crossings(motion, step)
    }

    /// Whether functions are evaluated on the constraints throughout. A step across a singular configuration is the driver's own:
    /// its ends are consistent.
    pub(in crate::solve) fn settles(&self) -> bool {
        self.search.settles && self.own_step.is_none()
    }

    /// As `evaluate_settled_end`; `false` where the end has no place on the constraints, as beside a singular configuration.
    fn has_settled_end(&mut self, motion: &mut Motion) -> Result<bool, StepError> {
        match self.evaluate_settled_end(motion) {
            // What has not moved is for the caller to evaluate.
            Ok(moved) => Ok(moved),
            Err(StepError::Dynamics(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The functions at the end of the step as at the end of a repeated one: put back onto the constraints. Where a method leaves
    /// them, a crossing would be there in the one and not in the other, and nobody would handle it. `false`, without an evaluation,
    /// where the end is on the constraints as it is.
    fn evaluate_settled_end(&mut self, motion: &mut Motion) -> Result<bool, StepError> {
        let (system, projector) = (&mut motion.evaluator, &mut motion.projector);
        if !projector.moves() {
            return Ok(false);
        }
        let search = &mut self.search;
        search.settled.copy_from(&search.end);
        let moved = projector.project_position(system, &mut search.settled, false)? > 0;
        // Velocities, too.
        let step = search.end.t - motion.state.t;
        projector.project_energy(system, &mut search.settled, step)?;
        // Velocities may have moved although positions did not.
        if !moved && search.settled.v == search.end.v {
            return Ok(false);
        }
        if search.any_of_multipliers {
            motion.solve_at(&mut search.settled)?;
        }
        motion
            .evaluator
            .event_functions(&search.settled.point(), &mut search.end_values)?;
        Ok(true)
    }

    /// Refuses to go on where a function chatters in step after step.
    pub(in crate::solve) fn refuse_chatter(
        &mut self,
        motion: &mut Motion,
    ) -> Result<(), SolveErrorKind> {
        let search = &self.search;
        if search.chattering_steps < CHATTERING_STEPS {
            return Ok(());
        }
        let Some((index, changes)) = search.chatter() else {
            return Ok(());
        };
        let (t, step) = (motion.state.t, search.end.t - motion.state.t);
        let event = &search.descriptions[index];
        Err(SolveErrorKind::Chatter {
            kind: event.kind.clone(),
            label: event.label.clone(),
            t,
            step,
            changes,
        })
    }

    /// The first crossings of all functions behind what has been seen of them. Dense output and samples are ready.
    pub(in crate::solve) fn find_crossings(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
    ) -> Result<bool, StepError> {
        let count = self.search.watches.len();
        self.search.found.clear();
        for index in 0..count {
            // Refuted in this step already.
            if self.search.taken_back.contains(&index) {
                continue;
            }
            let watch = self.search.watches[index];
            let mut column = std::mem::take(&mut self.search.column);
            column.clear();
            column.push((watch.t, watch.value));
            // Only behind what has been seen: a watch may begin within the step.
            let times = &self.search.times;
            let seen = times.iter().take_while(|&&t| t <= watch.t).count();
            let values = self.search.samples[seen * count..].chunks_exact(count);
            let samples = times[seen..].iter().zip(values);
            column.extend(samples.map(|(&t, all)| (t, all[index])));
            let (until, last) = self.search.last();
            if until > watch.t {
                column.push((until, last[index]));
            }
            let direction = self.search.directions[index];
            // Roots on dense output cost little: to the finest tolerance.
            let tolerance = self.search.finest(self.search.end.t);
            let function = |t| self.event_value_at(motion, step, t, index);
            let crossing = first_crossing(function, &mut column, watch.sign, direction, tolerance);
            self.search.column = column;
            if let Some(crossing) = crossing? {
                self.search.found.push(Found {
                    t: crossing.t,
                    index,
                    sign: crossing.sign,
                    slope: crossing.slope,
                });
            }
        }
        self.search.found.sort_by(|a, b| a.t.total_cmp(&b.t));
        while self.find_earlier(motion, step)? {}
        Ok(!self.search.found.is_empty())
    }

    /// Looks once more before the first crossing, where there are few samples: right after an impact another one may come and go between
    /// two of them. Whether a function crosses earlier; functions of multipliers, which cost a
    /// solution each, are left out.
    fn find_earlier(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
    ) -> Result<bool, StepError> {
        let Some(first) = self.search.found.first().map(|found| found.t) else {
            return Ok(false);
        };
        let from = motion.state.t;
        let before = self.search.times.iter().take_while(|&&t| t < first);
        // Nothing can be told from each other there, or enough samples lie before it: those of its own of an early crossing, all samples
        // of the step, if they are not too few, for a late one.
        let enough = match self.search.until {
            Some(_) => ENOUGH,
            None => self.search.times.len().max(ENOUGH),
        };
        let near = first - from <= BEFORE_FIRST as f64 * self.search.resolution(first);
        if near || before.count() >= enough {
            return Ok(false);
        }
        for sample in 1..BEFORE_FIRST {
            let t = from + (first - from) * (sampling::place(sample) / BEFORE_FIRST as f64);
            self.event_values_at(motion, step, t, false)?;
            let crossed = (0..self.search.watches.len()).find(|&index| {
                let watch = &self.search.watches[index];
                let changed = watch.sign * self.search.values[index] < 0.0;
                let told =
                    self.search.of_multipliers[index] || self.search.taken_back.contains(&index);
                changed && watch.t < t && !told
            });
            let Some(index) = crossed else {
                continue;
            };
            let watch = self.search.watches[index];
            let mut column = std::mem::take(&mut self.search.column);
            column.clear();
            column.extend([(watch.t, watch.value), (t, self.search.values[index])]);
            let direction = self.search.directions[index];
            let tolerance = self.search.finest(self.search.end.t);
            let function = |t| self.event_value_at(motion, step, t, index);
            let crossing = first_crossing(function, &mut column, watch.sign, direction, tolerance);
            self.search.column = column;
            let Some(crossing) = crossing?.filter(|crossing| crossing.t < first) else {
                continue;
            };
            self.search.found.retain(|found| found.index != index);
            let earlier = Found {
                t: crossing.t,
                index,
                sign: crossing.sign,
                slope: crossing.slope,
            };
            self.search.found.insert(0, earlier);
            return Ok(true);
        }
        Ok(false)
    }

    /// Evaluates the event functions on dense output. Where multipliers matter, they come from the index-1 form, since
    /// they are not interpolated well enough.
    pub(in crate::solve) fn event_values_at(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
        t: f64,
        of_multipliers: bool,
    ) -> Result<(), StepError> {
        self.evaluate_at(motion, step, t, of_multipliers, |system, at, values| {
            system.event_functions(at, values)
        })
    }

    /// The value of one event function on dense output. What is known of the values of all is lost.
    pub(in crate::solve) fn event_value_at(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
        t: f64,
        index: usize,
    ) -> Result<f64, StepError> {
        let of_multipliers = self.search.of_multipliers[index];
        self.evaluate_at(motion, step, t, of_multipliers, |system, at, memory| {
            system.event_function(index, at, memory)
        })
    }

    /// Calls `evaluate` with the arguments of event functions on dense output, and memory for their values.
    #[inline]
    fn evaluate_at<R>(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
        t: f64,
        of_multipliers: bool,
        evaluate: impl FnOnce(&mut Evaluator, &Point, &mut [f64]) -> Result<R, EvaluationError>,
    ) -> Result<R, StepError> {
        let at = if of_multipliers || self.settles() {
            self.prepare_point(motion, step, t, of_multipliers)?;
            self.search.point.point()
        } else {
            step.motion_at(motion, t).point()
        };
        Ok(evaluate(
            &mut motion.evaluator,
            &at,
            &mut self.search.values,
        )?)
    }

    /// The state on dense output, put onto the constraints and with multipliers as far as event functions need that.
    fn prepare_point(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
        t: f64,
        of_multipliers: bool,
    ) -> Result<(), StepError> {
        let settles = self.settles();
        let state = step.motion_at(motion, t);
        let (search, system) = (&mut self.search, &mut motion.evaluator);
        search.point.copy_from(state);
        if settles {
            let point = &mut search.point;
            let projected = (motion.projector.project_position(system, point, false))
                .and_then(|_| motion.projector.project_velocity(system, point));
            // Beside a singular configuration a sample may have no place on the constraints.
            if projected.is_err() {
                search.point.copy_from(state);
            }
        }
        if of_multipliers {
            motion.solve_at(&mut search.point)?;
        }
        Ok(())
    }

    /// The signs right after a start or a jump, of functions that stand at their root there. The slope decides, not
    /// the value: settling the state at an event has moved the root a little. It is taken over a growing time until
    /// it stands out of the round-off.
    fn probe_after_jump(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
    ) -> Result<(), StepError> {
        let (from, to) = (motion.state.t, self.search.end.t);
        let spacing = (to - from) / self.search.step_parts as f64;
        let fresh = |watch: &Watch| watch.root != AtRoot::No;
        if !self.search.watches.iter().any(fresh) || !self.search.stand_at_roots(spacing) {
            return Ok(());
        }
        let longest = 0.5 * spacing;
        // Half of PROBE tolerances, and well within the first sample.
        let mut offset = (0.5 * PROBE * self.search.finest(from)).min(0.5 * longest);
        let count = self.search.watches.len();
        self.search.probed.clear();
        self.search.probed.resize(count, (0.0, 0));
        loop {
            let t = from + offset;
            self.event_values_at(motion, step, t, self.search.any_of_multipliers)?;
            let last = offset >= longest;
            let EventSearch {
                watches,
                values,
                probed,
                ..
            } = &mut self.search;
            for ((watch, &value), seen) in watches.iter_mut().zip(&*values).zip(probed) {
                if watch.root != AtRoot::Yes {
                    continue;
                }
                // Growth by a factor near 2 or 4 per doubling: linear or quadratic, not round-off.
                let change = value - watch.value;
                let (before, doublings) = *seen;
                let ratio = change / before;
                let doublings = if (1.5..5.0).contains(&ratio) {
                    doublings + 1
                } else {
                    0
                };
                *seen = (change, doublings);
                // Steady, and beyond what is left at the root itself.
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
            if !watches.iter().any(open) {
                return Ok(());
            }
            offset = (2.0 * offset).min(longest);
        }
    }
}
