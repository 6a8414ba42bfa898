//! Samples of the event functions: of the whole step, or as far as one of them has crossed.

use super::locator::Locator;
use super::side::Stand;
use super::sign_tracker::SignTracker;
use crate::integrator::StepError;
use crate::solve::motion::Motion;
use crate::solve::output::last_step::LastStep;
use crate::system::Direction;

/// Samples are doubled at most so many times.
const REFINEMENTS: usize = 3;

/// A step of the driver is searched like so many of the method at most.
const MOST_STEPS_WITHIN: usize = 64;

/// Into so many parts the time before an early crossing is divided.
pub(super) const BEFORE_FIRST: usize = 8;

/// So many samples show what there is before a crossing; one behind fewer is early.
pub(super) const ENOUGH: usize = 5;

/// Whether a function has left the side that it was on, in a direction that is asked for.
#[inline]
fn any_has_crossed(watches: &[SignTracker], directions: &[Direction], values: &[f64]) -> bool {
    let mut watched = watches.iter().zip(directions).zip(values);
    watched.any(|((watch, &direction), value)| {
        let Stand::Off(side) = watch.stand else {
            return false;
        };
        side.sign() * value <= 0.0 && side.counts(direction)
    })
}

impl Locator {
    /// Evaluates the functions within the step, as densely as it takes to see their course; whether that has been seen. Where one of
    /// them crosses early, what lies behind is left out until somebody asks for it.
    pub(super) fn sample_step(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
    ) -> Result<bool, StepError> {
        self.begin_whole_step(motion);
        if let Some(early) = self.sample(motion, step, self.may_stop_early())? {
            self.search.narrow(early);
            self.sample(motion, step, false)?;
            if self.refine(motion, step)? {
                return Ok(true);
            }
            // What chatters is to be seen in the whole step.
            return self.sample_whole(motion, step);
        }
        self.refine(motion, step)
    }

    /// The same, whatever crosses.
    fn sample_whole(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
    ) -> Result<bool, StepError> {
        self.begin_whole_step(motion);
        self.sample(motion, step, false)?;
        self.refine(motion, step)
    }

    /// Evaluates what an early crossing has left out of the search.
    pub(super) fn sample_rest(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
    ) -> Result<(), StepError> {
        if self.search.until.is_some() {
            let resolved = self.sample_whole(motion, step)?;
            self.search.note_chatter(resolved);
        }
        Ok(())
    }

    fn begin_whole_step(&mut self, motion: &Motion) {
        self.search.until = None;
        self.search.step_parts = self.search.parts * self.usual_steps_within(motion.state.t);
    }

    /// A step of the driver is as long as several of the method, and samples are to be as dense as in these.
    fn usual_steps_within(&self, from: f64) -> usize {
        let Some(usual) = self.own_step else {
            return 1;
        };
        let steps = (self.search.end.t - from) / usual;
        (steps.ceil() as usize).clamp(1, MOST_STEPS_WITHIN)
    }

    /// Whether it is sure from the start which samples lie behind a crossing. Where functions depend on multipliers or
    /// chatter, or may stand at their roots, all samples are looked at.
    fn may_stop_early(&self) -> bool {
        let search = &self.search;
        let told = search.watches.iter().all(|watch| watch.stand.is_off());
        told && !search.any_of_multipliers && !self.settles() && search.chattering_steps == 0
    }

    /// More samples where four neighbours do not predict the fifth; whether they do.
    fn refine(&mut self, motion: &mut Motion, step: &mut LastStep) -> Result<bool, StepError> {
        for _ in 0..REFINEMENTS {
            if self.search.is_resolved() {
                return Ok(true);
            }
            self.search.step_parts *= 2;
            self.sample(motion, step, false)?;
        }
        Ok(self.search.is_resolved())
    }

    /// Evaluates the functions within the step; if asked for, no further than to an early crossing, whose sample is returned.
    fn sample(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
        stops: bool,
    ) -> Result<Option<usize>, StepError> {
        self.search.place_samples(motion.state.t);
        let count = self.search.watches.len();
        if !self.search.any_of_multipliers && !self.settles() {
            // What dense output has is all that is needed: most samples are taken here.
            let search = &mut self.search;
            let places = search.samples.chunks_exact_mut(count);
            for (sample, (&t, values)) in search.times.iter().zip(places).enumerate() {
                let state = step.motion_at(motion, t);
                let at = state.point();
                motion.evaluator.event_functions(&at, values)?;
                let early = stops && sample < ENOUGH;
                if early && any_has_crossed(&search.watches, &search.directions, values) {
                    return Ok(Some(sample));
                }
            }
            return Ok(None);
        }
        for sample in 0..self.search.times.len() {
            let t = self.search.times[sample];
            self.event_values_at(motion, step, t, self.search.any_of_multipliers)?;
            let place = sample * count..(sample + 1) * count;
            self.search.samples[place].copy_from_slice(&self.search.values);
        }
        Ok(None)
    }
}
