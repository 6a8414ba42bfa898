//! Where event functions cross zero within a step, on dense output.

use super::first_crossing::{Crossing, first_crossing};
use super::locator::Locator;
use super::samples::{BEFORE_FIRST, ENOUGH};
use super::sampling;
use super::search::{Found, PROBE};
use super::side::Stand;
use crate::integrator::StepError;
use crate::solve::SolveErrorKind;
use crate::solve::motion::Motion;
use crate::solve::output::last_step::LastStep;
use crate::system::{EvaluationError, Evaluator, Point};

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
        self.search.begin(motion.state.t);
        // Multipliers or a quintic need the end complete.
        let complete = self.own_step.is_none() && motion.step_ends_consistent();
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
            let mut column = std::mem::take(&mut self.search.column);
            self.search.course_of(index, &mut column);
            let crossing = self.first_crossing(motion, step, index, &mut column);
            self.search.column = column;
            if let Some(crossing) = crossing? {
                self.search.found.push(Found::of(index, crossing));
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
                let Stand::Off(side) = watch.stand else {
                    return false;
                };
                let changed = side.sign() * self.search.values[index] <= 0.0;
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
            let crossing = self.first_crossing(motion, step, index, &mut column);
            self.search.column = column;
            let Some(crossing) = crossing?.filter(|crossing| crossing.t < first) else {
                continue;
            };
            self.search.found.retain(|found| found.index != index);
            self.search.found.insert(0, Found::of(index, crossing));
            return Ok(true);
        }
        Ok(false)
    }

    /// Looks once more for the first crossing of one function, whose watch begins elsewhere now.
    pub(super) fn search_again(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
        index: usize,
    ) -> Result<(), StepError> {
        let mut column = std::mem::take(&mut self.search.column);
        self.search.course_of(index, &mut column);
        let crossing = self.first_crossing(motion, step, index, &mut column);
        self.search.column = column;
        if let Some(crossing) = crossing? {
            self.search.keep(Found::of(index, crossing));
        }
        Ok(())
    }

    /// The first crossing of a function within these samples; notes what is known of it at their end.
    fn first_crossing(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
        index: usize,
        samples: &mut Vec<(f64, f64)>,
    ) -> Result<Option<Crossing>, StepError> {
        let direction = self.search.directions[index];
        // Roots on dense output cost little: to the finest tolerance.
        let end = self.search.end.t;
        let tolerance = self.search.finest(end).min(self.search.resolution(end));
        let (mut course, dead_band) = self.search.start_of_course(index);
        let function = |t| self.event_value_at(motion, step, t, index);
        let crossing = first_crossing(
            function,
            samples,
            &mut course,
            dead_band,
            direction,
            tolerance,
        );
        self.search.courses[index] = course;
        crossing
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

    /// Which functions leave their roots right after a start or a jump, and for which sides. The slope decides, not
    /// the value: settling the state at an event has moved the root a little. It is taken over a growing time until
    /// it stands out of the round-off; a function that does not leave its root in this step is looked at in the next one.
    fn probe_after_jump(
        &mut self,
        motion: &mut Motion,
        step: &mut LastStep,
    ) -> Result<(), StepError> {
        if self.search.watches.iter().all(|watch| watch.stand.is_off())
            || !self.search.stand_at_roots()
        {
            return Ok(());
        }
        let (from, to) = (motion.state.t, self.search.end.t);
        // Half of PROBE tolerances, and well within the first sample.
        let longest = 0.5 * (to - from) / self.search.step_parts as f64;
        let first = (0.5 * PROBE * self.search.finest(from)).min(0.5 * longest);
        let until = from + longest;
        let mut t = from;
        while t < until {
            let next = self.search.next_probe(t, first);
            if next == f64::INFINITY {
                return Ok(());
            }
            // The last one before the samples in any case.
            t = next.min(until);
            self.event_values_at(motion, step, t, self.search.any_of_multipliers)?;
            self.search.see_probe(from, t);
        }
        Ok(())
    }
}
