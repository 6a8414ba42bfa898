//! The moment of an event: the step is repeated up to it.

use super::locator::Locator;
use super::search::{Found, NOISE};
use crate::integrator::StepError;
use crate::solve::SolveErrorKind;
use crate::solve::motion::Motion;
use crate::solve::output::last_step::LastStep;
use crate::solve::timeline::SMALLEST_STEP;
use crate::system::EvaluationError;

/// Repetitions of a step in search of one root.
const MAX_REPEATS: usize = 12;

/// A departure from a root this part as large as what follows on the other side within the step may be an error of dense output.
const DOUBTFUL: f64 = 1e-3;

/// The slope of an event function is taken over this fraction of the step.
const SLOPE: f64 = 1e-4;

impl Locator {
    /// The method has repeated the step in search of events; it is to know the whole one again before that is accepted.
    pub(super) fn take_step_again(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
        target: f64,
        h: f64,
    ) -> Result<(), StepError> {
        motion.repeated += 1;
        motion.step(target, h, |_| ())?;
        step.prepare_search(motion, &self.search.end)
    }

    /// Puts the state at the first of the events found into `self.state`, with the values of the functions
    /// there. Returns the functions that cross at this moment.
    ///
    /// `None` if repeated steps show that dense output was wrong and nothing crosses.
    pub(super) fn locate(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
    ) -> Result<Option<Vec<usize>>, SolveErrorKind> {
        // At the start of the step there is nothing to repeat.
        let shortest = SMALLEST_STEP * motion.state.t.abs().max(f64::MIN_POSITIVE);
        let mut found = false;
        let first = loop {
            let Some(first) = self.search.found.first().map(|found| found.t) else {
                return Ok(None);
            };
            if first - motion.state.t <= shortest {
                break first;
            }
            match self.repeat_to_first(motion, step) {
                Ok(None) => found = true,
                Ok(Some(unfounded)) => {
                    match unfounded.seen {
                        None => self.search.take_back(unfounded.index),
                        Some(seen) => {
                            if self.search.stay_at_root(unfounded.index, seen) {
                                self.search_again(motion, step, unfounded.index)?;
                            }
                        }
                    }
                    continue;
                }
                // What dense output says is less accurate, and always there.
                Err(StepError::Dynamics(_)) => {}
                // Dense output stands in where no repeated step could be had.
                Err(error) => return Err(error.into()),
            }
            break first;
        };
        if !found {
            self.interpolate_event_state(motion, step, first)?;
        }
        // What crosses within the tolerance, or within the error of dense output, happens together.
        let together = first + self.search.resolution(first);
        let reach = self.reach_of_error(first);
        let search = &self.search;
        let found = search.found.iter();
        let mut involved = std::mem::take(&mut self.involved);
        involved.clear();
        let at_once = found
            .filter(|found| found.t <= together || (found.t <= reach && search.is_behind(found)));
        involved.extend(at_once.map(|found| found.index));
        // Of one moment, in the order of the functions: round-off has no say in it.
        involved.sort_unstable();
        Ok(Some(involved))
    }

    /// Crossings on dense output behind this moment are not there yet, whatever the error of dense output, which the
    /// repeated step shows.
    fn reach_of_error(&self, first: f64) -> f64 {
        // The distance between root on dense output and of the repeated step, four times for safety.
        first + 4.0 * (self.state.t - first).abs() + self.search.resolution(first)
    }

    /// Whether something that is not known yet may cross together with the first of the events, which has been located.
    pub(super) fn reaches_beyond_search(&self) -> bool {
        let first = self.search.found.first();
        let until = first.and_then(|first| Some((first.t, self.search.until?)));
        until.is_some_and(|(first, until)| self.reach_of_error(first) >= until)
    }

    /// Repeats the step up to the first event: dense output gives the first guess, secants correct it. The state on
    /// the constraints is what counts.
    ///
    /// A function that has the same sign in all repeated steps is returned.
    fn repeat_to_first(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
    ) -> Result<Option<Found>, StepError> {
        let first = self.search.found[0];
        let mut target = first;
        for _ in 0..self.search.found.len() {
            if !self.repeat_to_root(motion, step, target)? {
                return Ok(Some(target));
            }
            let reach = self.reach_of_error(first.t);
            // Dense output may have taken the wrong one for the first.
            let mut earlier = None;
            for other in 1..self.search.found.len() {
                let found = self.search.found[other];
                let value = self.search.values[found.index];
                let crossed = value * found.side.sign() > 0.0;
                if found.index == target.index || found.t > reach || !crossed {
                    continue;
                }
                let values = self.search.values.clone();
                let slope = self.slope(motion, step, found.index, self.state.t)?;
                // The slope was taken on dense output, and has overwritten the values.
                self.search.values = values;
                let t = self.state.t - value / slope;
                let soonest = earlier.map_or(self.state.t, |sooner: Found| sooner.t);
                // Newton's step back to the root of the other function.
                if t < soonest - self.search.resolution(t) && t > motion.state.t {
                    let slope = Some(slope);
                    earlier = Some(Found { t, slope, ..found });
                }
            }
            let Some(sooner) = earlier else {
                break;
            };
            target = sooner;
        }
        Ok(None)
    }

    /// The slope of a function on dense output.
    fn slope(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
        index: usize,
        t: f64,
    ) -> Result<f64, StepError> {
        let (from, to) = (motion.state.t, self.search.end.t);
        let reach = SLOPE * (to - from);
        let (before, after) = ((t - reach).max(from), (t + reach).min(to));
        let low = self.event_value_at(motion, step, before, index)?;
        let high = self.event_value_at(motion, step, after, index)?;
        Ok((high - low) / (after - before))
    }

    /// Secants within what is known to be before and behind the root of a function that gets this sign. Velocities of
    /// the Euler methods belong to the middles of steps: the slope of their dense output may even have the wrong sign.
    fn repeat_to_root(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
        target: Found,
    ) -> Result<bool, StepError> {
        if let Some(seen) = target.seen
            && !self.has_left_root(motion, step, &target, seen)?
        {
            return Ok(false);
        }
        if target.rests {
            return self.repeat_to_rest(motion, step, &target);
        }
        let (index, sign, start) = (target.index, target.side.sign(), target.t);
        let (from, to) = (motion.state.t, self.search.end.t);
        // A root may come earlier than dense output says, but not at the start itself.
        let soonest = from + 0.01 * (start - from);
        let mut slope = match target.slope {
            Some(slope) => slope,
            None => self.slope(motion, step, index, start)?,
        };
        // Wrong slope of an Euler method: the chord over the step has the right sign.
        if slope * sign <= 0.0 {
            slope = sign * self.search.chord(index).abs();
        }
        let (mut before_root, mut behind_root) = (None, None);
        let mut t = start;
        let mut best = (f64::INFINITY, t);
        let mut previous: Option<(f64, f64)> = None;
        let mut last_correction = f64::INFINITY;
        let mut located = false;
        for _ in 0..MAX_REPEATS {
            self.repeat(motion, step, t)?;
            let value = self.search.values[index];
            if value.abs() < best.0 {
                best = (value.abs(), t);
            }
            // Secants through repeated steps replace the slope of dense output when they point the right way.
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
            // Not even halved: round-off if small, bisection if not.
            let slow = correction.abs() >= 0.5 * last_correction;
            located = settled || slow && correction.abs() <= NOISE * self.search.resolution(t);
            // One that jumps there may have no slope.
            if located || !correction.is_finite() {
                located = true;
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
        // Dense output has gone there and back, repeated steps have nowhere been.
        if !located && before_root.is_none() && self.search.starts_behind(&target) {
            self.search.values[index] = self.search.end_values[index];
            return Ok(false);
        }
        // The state must be that of the best moment, not of the last one tried.
        if self.state.t != best.1 {
            self.repeat(motion, step, best.1)?;
        }
        self.step_over_jump(motion, step, &target)
    }

    /// Whether a function that stands at its root at the start of the step has left it at `seen`, as on dense output. The error of that may
    /// be larger than what a function does right behind its root; a step of the method's own up to there has far less.
    fn has_left_root(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
        target: &Found,
        seen: f64,
    ) -> Result<bool, StepError> {
        self.repeat(motion, step, seen)?;
        if self.search.stepped {
            return Ok(self.search.is_behind(target));
        }
        // Without such steps: not if it comes back and goes far beyond its root on the other side.
        let value = self.search.values[target.index].abs();
        Ok(value > DOUBTFUL * self.search.farthest(target.index, target.side.opposite()))
    }

    /// The moment at which a function comes to rest at zero: its values behind that tell nothing of where it is.
    fn repeat_to_rest(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
        target: &Found,
    ) -> Result<bool, StepError> {
        self.repeat(motion, step, target.t)?;
        if !self.search.is_behind(target) {
            return self.step_over_jump(motion, step, target);
        }
        // Growing steps back until it is not at zero yet, then bisection.
        let from = motion.state.t;
        let (mut behind, mut reach) = (target.t, self.search.resolution(target.t));
        let before = loop {
            let tried = target.t - reach;
            if tried - from <= self.search.finest(from) {
                break from;
            }
            self.repeat(motion, step, tried)?;
            if !self.search.is_behind(target) {
                break tried;
            }
            (behind, reach) = (tried, 4.0 * reach);
        };
        self.bisect(motion, step, target, [before, behind])?;
        Ok(true)
    }

    /// A function that jumps over zero has no root: the moment is then on the side where its sign has changed, so that the
    /// system sees it changed; so it is for functions by whose sign the system decides. Whether there is such a side in the step.
    fn step_over_jump(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
        target: &Found,
    ) -> Result<bool, StepError> {
        let (t, to) = (self.state.t, self.search.end.t);
        if self.search.has_crossed(target) {
            return Ok(true);
        }
        // Growing steps until the sign changes, then bisection.
        let (mut before, mut reach) = (t, self.search.resolution(t));
        let behind = loop {
            let tried = (t + reach).min(to);
            self.repeat(motion, step, tried)?;
            if self.search.is_behind(target) {
                break tried;
            }
            if tried == to {
                return Ok(false);
            }
            (before, reach) = (tried, 4.0 * reach);
        };
        self.bisect(motion, step, target, [before, behind])?;
        Ok(true)
    }

    /// Repeats the step up to the moment between these two, before the first of which a function has not crossed yet and has at the
    /// second one.
    fn bisect(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
        target: &Found,
        [mut before, mut behind]: [f64; 2],
    ) -> Result<(), StepError> {
        let wide = if target.rests { 1.0 } else { 2.0 };
        while behind - before > wide * self.search.resolution(behind) {
            let middle = 0.5 * (before + behind);
            self.repeat(motion, step, middle)?;
            if self.search.is_behind(target) {
                behind = middle;
            } else {
                before = middle;
            }
        }
        if self.state.t != behind {
            self.repeat(motion, step, behind)?;
        }
        Ok(())
    }

    /// Repeats the step up to a moment, into `self.state`, and evaluates the event functions there. Dense output stands in
    /// for methods that cannot repeat steps, and for steps across singular configurations.
    fn repeat(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
        t: f64,
    ) -> Result<(), StepError> {
        if self.own_step.is_some() || !motion.stepper.repeats_steps() {
            return self.interpolate_event_state(motion, step, t);
        }
        motion.repeated += 1;
        // The state is the end of a step of the method: dense output must be prepared again.
        self.search.stepped = true;
        motion.step_to_event(&mut self.state, t)?;
        self.settle(motion, motion.step_ends_consistent())
    }

    /// The state at a moment from dense output, put back onto the constraints, and the event functions there.
    fn interpolate_event_state(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
        t: f64,
    ) -> Result<(), StepError> {
        self.search.stepped = false;
        self.state.copy_from(step.at(motion, t));
        self.settle(motion, false)
    }

    /// Puts the state at the event, which may be `complete` where it is, back onto the constraints, and evaluates the event functions
    /// there.
    pub(super) fn settle(&mut self, motion: &mut Motion, complete: bool) -> Result<(), StepError> {
        motion.settle(&mut self.state, complete)?;
        Ok(self.evaluate_functions(motion)?)
    }

    /// The event functions at the event, if there are some.
    pub(super) fn evaluate_functions(
        &mut self,
        motion: &mut Motion,
    ) -> Result<(), EvaluationError> {
        if self.search.is_needed() {
            let (at, values) = (self.state.point(), &mut self.search.values);
            motion.evaluator.event_functions(&at, values)?;
        }
        Ok(())
    }
}
