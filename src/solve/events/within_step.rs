//! Where event functions cross zero within a step, on dense output.

use super::first_crossing::{first_crossing, sign_of};
use super::watch::{AtRoot, Found, PROBE, Watch};
use crate::integrator::StepError;
use crate::solve::held_rows::HeldRows;
use crate::solve::output::dense::StepEnd;
use crate::solve::{Driver, SolveErrorKind};
use crate::system::event_descriptions;

/// A change that grows steadily over so many doublings of the time is no round-off.
const STEADY: u8 = 3;

/// A step of the driver is searched like so many of the method at most.
const MOST_STEPS_WITHIN: usize = 64;

/// Samples are doubled at most so many times.
const REFINEMENTS: usize = 3;

/// No step can follow a function that chatters in so many steps more than it does not.
const CHATTERING_STEPS: usize = 4;

impl Driver<'_> {
    /// Looks for events in the step from `self.state` to `self.next`, which the method has not accepted yet. Whether
    /// there are any.
    pub(in crate::solve) fn find_events(&mut self) -> Result<bool, StepError> {
        self.search.end.copy_from(&self.next);
        self.search.taken_back.clear();
        if self.search.completes_end {
            self.accelerations
                .complete(&mut self.evaluator, &mut self.search.end)?;
        }
        HeldRows::least_norm(&mut self.held, &mut self.evaluator, &mut self.search.end)?;
        let settled = self.settles() && self.has_settled_end()?;
        if !settled {
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
    pub(in crate::solve) fn settles(&self) -> bool {
        self.search.settles && !self.crossed
    }

    /// As `evaluate_settled_end`; `false` where the end has no place on the constraints, as beside a singular configuration.
    fn has_settled_end(&mut self) -> Result<bool, StepError> {
        match self.evaluate_settled_end() {
            Ok(()) => Ok(true),
            Err(StepError::Dynamics(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The functions at the end of the step as at the end of a repeated one: put back onto the constraints. Where a method leaves
    /// them, a crossing would be there in the one and not in the other, and nobody would handle it.
    fn evaluate_settled_end(&mut self) -> Result<(), StepError> {
        let system = &mut self.evaluator;
        let (search, projector) = (&mut self.search, &mut self.projector);
        search.settled.copy_from(&search.end);
        let moved = projector.project_position(system, &mut search.settled, false)? > 0;
        // Velocities, too.
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
    pub(in crate::solve) fn refuse_chatter(&mut self) -> Result<(), SolveErrorKind> {
        let search = &self.search;
        let chatter = search
            .chatter()
            .filter(|_| search.chattering_steps >= CHATTERING_STEPS);
        let Some((index, changes)) = chatter else {
            return Ok(());
        };
        let (t, step) = (self.state.t, search.end.t - self.state.t);
        let event = &event_descriptions(self.evaluator.system())[index];
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
    pub(in crate::solve) fn find_crossings(&mut self) -> Result<bool, StepError> {
        let count = self.search.watches.len();
        self.search.found.clear();
        for index in 0..count {
            if self.search.taken_back.contains(&index) {
                continue;
            }
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
    pub(in crate::solve) fn event_values_at(
        &mut self,
        t: f64,
        of_multipliers: bool,
    ) -> Result<(), StepError> {
        let settles = self.settles();
        let space = &self.evaluator.layout().space;
        let state = self.dense.at(self.stepper.as_mut(), space, t);
        let (search, system) = (&mut self.search, &mut self.evaluator);
        if !of_multipliers && !settles {
            system.event_functions(&state.point(), &mut search.values)?;
            return Ok(());
        }
        search.point.copy_from(state);
        if settles {
            let point = &mut search.point;
            let projected = (self.projector.project_position(system, point, false))
                .and_then(|_| self.projector.project_velocity(system, point));
            // Beside a singular configuration a sample may have no place on the constraints.
            if projected.is_err() {
                search.point.copy_from(state);
            }
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
