//! Steps of the driver across and beside singular configurations.

use super::approach::{Ahead, Approach, SLOPE};
use super::course::{CAUSE, Course, Crossed, NEAR};
use super::crossing::{Crossing, CrossingError};
use super::held_rows::HeldRows;
use super::{Driver, EventRecord, SolveErrorKind};
use crate::system::{DynamicsError, IndependentRows, State};

/// A crossing that failed is tried again at this part of the distance.
const AGAIN: f64 = 0.5;

/// The ends of a crossing are equally far from the singular configuration to this part.
const CENTRED: f64 = 0.1;

/// From starts nearer than this first order tells where the singular configuration is.
const BESIDE: f64 = 3e-3;

/// A stop this much before the singular configuration is left to the method.
const SHORT: f64 = 0.03;

/// Nearer to it rows count as dependent, and one of them is left out.
const UPON: f64 = 1e-8;

/// A stop so near to it is no end for a step.
const UPON_END: f64 = 1e-4;

/// The state upon it comes from states this far before and behind it.
const AROUND: f64 = 0.01;

/// There a row is left out whose sin² to the span of the others is below this.
const WEAK: f64 = 1e-6;

/// Rows that are dependent at a start, but not where they have turned by this much, are so for a moment only.
const APART: f64 = 1e-3;

/// They turn by no more than this many times what their speed says, if motion is under way.
const STEADY: f64 = 3.0;

/// Where rows have turned by this much the first of them is regular again.
const REGULAR: f64 = 3e-5;

/// A start this near behind it goes on with a step of the driver to where other steps may begin.
const LEAVE: f64 = 0.5 * NEAR;

/// Attempts to centre the interval.
const ATTEMPTS: usize = 6;

/// Near a singular configuration it falls in proportion to the distance, but for this factor.
const FALLS: f64 = 2.0;

/// Secants that find the moment of a singular configuration.
const SECANTS: usize = 4;

impl Driver<'_> {
    /// Leaves a singular configuration that the run has just started upon or beside, where steps are as difficult as towards it.
    pub(super) fn leave(
        &mut self,
        approach: &mut Approach,
        start: &mut State,
        h: f64,
        stop: f64,
    ) -> Result<Option<Crossed>, SolveErrorKind> {
        let state = self.state.point();
        approach.look(&mut self.evaluator, &state)?;
        let held = self.held.as_ref().is_some_and(|held| held.holds());
        // A singular value falls by no more than the rows turn, taken together.
        let rows = self.evaluator.layout().rows() as f64;
        if !held && approach.smallest() > LEAVE * rows.sqrt() {
            return Ok(None);
        }
        if let Some((rows, time)) = self.rows_that_return(approach, start, h)? {
            let event = EventRecord::singular(self.state.t, &rows);
            return self.go_apart(approach, start, time, stop, Some(event));
        }
        if approach.smallest() > LEAVE * rows.sqrt() {
            return Ok(None);
        }
        self.complete_into(start)?;
        let ahead = approach.passes(&mut self.evaluator, start, h)?;
        if let Some(ahead) = ahead.filter(|ahead| ahead.distance < REGULAR) {
            let time = ahead.wait * (1.0 + REGULAR / ahead.distance);
            let rows = approach.singular.rows(ahead.index);
            let event = EventRecord::singular(start.t + ahead.wait, &rows);
            return self.go_apart(approach, start, time, stop, Some(event));
        }
        let behind = approach.passes(&mut self.evaluator, start, -h)?;
        let Some(behind) = behind.filter(|behind| behind.distance < LEAVE) else {
            return Ok(None);
        };
        if behind.distance < 0.5 * REGULAR {
            let time = -behind.wait * (REGULAR / behind.distance - 1.0);
            return self.go_apart(approach, start, time, stop, None);
        }
        match self.cross(approach, start, &behind, stop)? {
            Course::Crossed(left) => Ok(Some(left)),
            Course::GoOn | Course::Shorten => Ok(None),
        }
    }

    /// Rows that have been left out upon a singular configuration, and that motion brings back at once; and the time until they are
    /// regular.
    fn rows_that_return(
        &mut self,
        approach: &mut Approach,
        apart: &mut State,
        h: f64,
    ) -> Result<Option<(Vec<usize>, f64)>, SolveErrorKind> {
        let Some(held) = self.held.as_mut().filter(|held| held.holds()) else {
            return Ok(None);
        };
        let (system, state) = (&mut self.evaluator, &self.state);
        let time = SLOPE * h;
        let speed = approach.turned_after(system, state, time)? / time;
        let time = APART / speed;
        // At rest nothing says where motion goes.
        let turned = approach.turned_after(system, state, time)?;
        if turned.is_nan() || turned > STEADY * APART {
            return Ok(None);
        }
        approach.displaced_by(system, state, time, apart);
        // Rows that are redundant on the constraints need not be beside them.
        self.projector.project_position(system, apart, false)?;
        let rows = held.returning(system, &apart.point())?;
        Ok((!rows.is_empty()).then_some((rows, REGULAR / speed)))
    }

    /// Goes on along velocity and accelerations, those of the end as well, for a time so short that what they leave out is below
    /// round-off.
    fn go_apart(
        &mut self,
        approach: &mut Approach,
        end: &mut State,
        time: f64,
        stop: f64,
        event: Option<EventRecord>,
    ) -> Result<Option<Crossed>, SolveErrorKind> {
        let (system, state) = (&mut self.evaluator, &self.state);
        if !(state.t + time > state.t && state.t + time < stop) {
            return Ok(None);
        }
        approach.displaced_by(system, state, time, end);
        let rates = &mut self.x_rates[0];
        self.accelerations
            .differential_rates_at(system, &state.point(), rates)?;
        for (x, rate) in end.x.iter_mut().zip(rates) {
            *x += time * *rate;
        }
        system.leave_out(&[]);
        let projector = &mut self.projector;
        let led = projector
            .project_position(system, end, false)
            .and_then(|_| projector.project_velocity(system, end))
            .and_then(|()| self.accelerations.complete(system, end))
            .and_then(|()| {
                for (index, v) in end.v.iter_mut().enumerate() {
                    let twice = state.acceleration[index] + end.acceleration[index];
                    *v = state.v[index] + 0.5 * time * twice;
                }
                projector.project_velocity(system, end)?;
                self.accelerations.complete(system, end)
            });
        if let Some(held) = &self.held {
            held.leave_out_dropped(system);
        }
        led?;
        self.next.copy_from(end);
        approach.restart();
        Ok(Some(Crossed {
            length: time,
            event,
        }))
    }

    /// The state on the constraints, with its acceleration and the multipliers of the kept rows: steps of RATTLE that begin beside the
    /// constraints are not symmetric.
    pub(super) fn complete_into(&mut self, state: &mut State) -> Result<(), DynamicsError> {
        state.copy_from(&self.state);
        let (system, projector) = (&mut self.evaluator, &mut self.projector);
        projector.project_position(system, state, false)?;
        projector.project_velocity(system, state)?;
        self.accelerations.complete(system, state)
    }

    /// Crosses the singular configuration ahead of a state, if there is one that the motion passes.
    pub(super) fn cross(
        &mut self,
        approach: &mut Approach,
        from: &State,
        ahead: &Ahead,
        stop: f64,
    ) -> Result<Course, SolveErrorKind> {
        if ahead.distance > AGAIN * approach.failed_at {
            return Ok(Course::GoOn);
        }
        approach.why = None;
        match self.try_crossing(approach, from, ahead, stop) {
            Ok(Some(crossed)) => {
                // Dense output within the step looks at it.
                self.state.acceleration.copy_from_slice(&from.acceleration);
                approach.restart();
                Ok(Course::Crossed(crossed))
            }
            Ok(None) => Ok(Course::GoOn),
            Err(error) => {
                approach.failed_at = ahead.distance;
                approach.why = Some(Box::new(error));
                Ok(Course::GoOn)
            }
        }
    }

    /// Takes a step across the singular configuration ahead, into `self.next`, if there is one.
    fn try_crossing(
        &mut self,
        approach: &mut Approach,
        from: &State,
        ahead: &Ahead,
        stop: f64,
    ) -> Result<Option<Crossed>, CrossingError> {
        let mut crossing = match approach.crossing.take() {
            Some(crossing) => crossing,
            None => {
                let layout = self.evaluator.layout();
                Box::new(Crossing::new(layout, from, &self.norm)?)
            }
        };
        let result = self.cross_with(&mut crossing, approach, from, ahead, stop);
        self.earlier_work += crossing.work();
        approach.crossing = Some(crossing);
        result
    }

    fn cross_with(
        &mut self,
        crossing: &mut Crossing,
        approach: &mut Approach,
        from: &State,
        ahead: &Ahead,
        stop: f64,
    ) -> Result<Option<Crossed>, CrossingError> {
        if ahead.distance < UPON {
            return Ok(None);
        }
        crossing.begin(&mut self.evaluator, from)?;
        let remaining = stop - from.t;
        // Rows turn at this speed.
        let speed = ahead.distance / ahead.wait.abs();
        let mut wait = if ahead.distance < BESIDE {
            ahead.wait
        } else {
            self.centre(crossing, approach, from, ahead)?
        };
        if (wait - remaining) * speed > SHORT {
            return Ok(None);
        }
        let mut length = wait + wait.max(NEAR / speed);
        if wait < 0.0 {
            length = length.min(remaining);
        }
        self.step_across(crossing, from, length, wait)?;
        if wait > 0.0 {
            let singular = &mut approach.singular;
            let (system, near) = (&mut self.evaluator, crossing.near.point());
            system.uncounted(|system| singular.look(system, &near))?;
            if approach.smallest() > FALLS * crossing.nearness * ahead.value {
                // The motion has turned away from it, or there is none.
                approach.look(system, &from.point())?;
                approach.failed_at = ahead.distance;
                return Ok(None);
            }
            wait = self.moment_between(approach, from, &crossing.end, wait)?;
        }
        if remaining < length {
            length = remaining;
            if (wait - remaining).abs() * speed < UPON_END {
                self.end_upon(crossing, from, remaining, AROUND / speed, wait)?;
            } else {
                self.step_across(crossing, from, remaining, wait)?;
            }
        }
        let end = &mut crossing.end;
        if length == remaining {
            end.t = stop;
        }
        HeldRows::least_norm(&mut self.held, &mut self.evaluator, end)?;
        self.next.copy_from(end);
        let rows = approach.singular.rows(0);
        let passed = 0.0 < wait && wait <= length;
        Ok(Some(Crossed {
            length,
            event: passed.then(|| EventRecord::singular(from.t + wait, &rows)),
        }))
    }

    /// The wait that the singular configuration is in the middle of twice of.
    fn centre(
        &mut self,
        crossing: &mut Crossing,
        approach: &mut Approach,
        from: &State,
        ahead: &Ahead,
    ) -> Result<f64, CrossingError> {
        if ahead.wait < 0.0 {
            return Ok(ahead.wait);
        }
        let system = &mut self.evaluator;
        let mut wait = ahead.wait;
        for _ in 0..ATTEMPTS {
            let length = 2.0 * wait;
            let beyond = crossing.probe(system, from, length)?;
            let (singular, after) = (&mut approach.singular, &mut approach.after);
            system.uncounted(|system| singular.follow(system, &beyond.point(), after))?;
            let other = -approach.after[ahead.index];
            if other <= 0.0 {
                // Not there yet.
                wait *= 1.5;
                continue;
            }
            let better = length * ahead.value / (ahead.value + other);
            let off = (better - wait).abs();
            wait = better;
            if off <= CENTRED * better {
                return Ok(wait);
            }
        }
        Err(CrossingError::NotSteady)
    }

    /// A step of this length into the end of the crossing, complete; the singular configuration is passed after `wait`.
    fn step_across(
        &mut self,
        crossing: &mut Crossing,
        from: &State,
        length: f64,
        wait: f64,
    ) -> Result<(), CrossingError> {
        let system = &mut self.evaluator;
        let error = crossing.step(system, from, length, wait / length)?;
        if error.is_nan() || error > 1.0 {
            return Err(CrossingError::Inaccurate { error });
        }
        let end = &mut crossing.end;
        self.projector.project_position(system, end, false)?;
        self.projector.project_energy(system, end, length)?;
        self.accelerations.complete(system, end)?;
        Ok(())
    }

    /// A step that ends upon the singular configuration, where rows say less of the velocity than a polynomial between two
    /// states on both sides of it, so much before and behind it: their errors count by the distance.
    fn end_upon(
        &mut self,
        crossing: &mut Crossing,
        from: &State,
        length: f64,
        apart: f64,
        wait: f64,
    ) -> Result<(), CrossingError> {
        let before = if length > apart {
            self.step_across(crossing, from, length - apart, wait)?;
            crossing.end.clone()
        } else {
            from.clone()
        };
        self.step_across(crossing, from, length + apart, wait)?;
        self.between(&before, &mut crossing.end, from.t + length)?;
        let (system, end) = (&mut self.evaluator, &mut crossing.end);
        let linear = |source| DynamicsError::Linear { t: end.t, source };
        let mut rows = IndependentRows::new(system.layout()).map_err(linear)?;
        rows.load(system, &end.point())?;
        if !rows.drop_weakest(WEAK) {
            rows.choose();
        }
        system.leave_out(rows.dropped());
        let projector = &mut self.projector;
        let completed = projector
            .project_position(system, end, false)
            .and_then(|_| projector.project_velocity(system, end))
            .and_then(|()| self.accelerations.complete(system, end));
        let held: &[usize] = self.held.as_ref().map_or(&[], |held| held.dropped());
        system.leave_out(held);
        Ok(completed?)
    }

    /// When the smallest singular value vanishes between two complete states, by secants from a first guess after the first of
    /// them. Its vectors are those of a configuration near there.
    fn moment_between(
        &mut self,
        approach: &mut Approach,
        from: &State,
        to: &State,
        wait: f64,
    ) -> Result<f64, CrossingError> {
        let mut state = to.clone();
        let mut value = |driver: &mut Self, time: f64| -> Result<f64, CrossingError> {
            state.copy_from(to);
            driver.between(from, &mut state, from.t + time)?;
            let (singular, after) = (&mut approach.singular, &mut approach.after);
            let system = &mut driver.evaluator;
            system.uncounted(|system| singular.follow(system, &state.point(), after))?;
            Ok(approach.after[0])
        };
        let whole = to.t - from.t;
        let mut times = [0.9 * wait, wait];
        let mut values = [value(self, times[0])?, value(self, times[1])?];
        for _ in 0..SECANTS {
            let slope = (values[1] - values[0]) / (times[1] - times[0]);
            let better = times[1] - values[1] / slope;
            if !(0.0 < better && better < whole) {
                break;
            }
            let settled = (better - times[1]).abs() <= 1e-9 * whole;
            times = [times[1], better];
            if settled {
                break;
            }
            values = [values[1], value(self, better)?];
        }
        Ok(times[1])
    }

    /// Crosses a singular configuration that is not quite near, because no step is small enough beside it any more: it magnifies
    /// round-off.
    pub(super) fn cross_at_last(&mut self, stop: f64) -> Result<Option<Crossed>, SolveErrorKind> {
        let h = self.usual_step();
        let Some(mut approach) = self.approach.take() else {
            return Ok(None);
        };
        let course = match approach.start.take() {
            Some(mut start) => {
                let course = self.cross_within(&mut approach, &mut start, h, CAUSE, stop);
                approach.start = Some(start);
                course
            }
            None => Ok(Course::GoOn),
        };
        self.approach = Some(approach);
        match course {
            Ok(Course::Crossed(crossed)) => {
                self.step_size = crossed.length;
                Ok(Some(crossed))
            }
            Err(kind @ SolveErrorKind::Singular { .. }) => Err(kind),
            _ => Ok(None),
        }
    }

    /// Crosses a singular configuration within a distance, or within two steps.
    pub(super) fn cross_within(
        &mut self,
        approach: &mut Approach,
        start: &mut State,
        h: f64,
        distance: f64,
        stop: f64,
    ) -> Result<Course, SolveErrorKind> {
        self.complete_into(start)?;
        let ahead = approach.passes(&mut self.evaluator, start, h)?;
        match ahead.filter(|ahead| ahead.distance < distance || ahead.wait < 2.0 * h) {
            Some(ahead) => self.cross(approach, start, &ahead, stop),
            None => Ok(Course::GoOn),
        }
    }
}
