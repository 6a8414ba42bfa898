//! Steps of the driver across and beside singular configurations.

use crate::solve::held_rows::HeldRows;
use crate::solve::singular::approach::{Ahead, Approach, SLOPE};
use crate::solve::singular::course::{CAUSE, Course, Crossed, NEAR, singular};
use crate::solve::singular::crossing::{Crossing, CrossingError};
use crate::solve::{Driver, EventRecord, SolveErrorKind};
use crate::system::{DynamicsError, Evaluator, IndependentRows, State};

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
const APART: f64 = 3e-4;

/// They turn by no more than this many times as much in twice the time, if motion is under way.
const STEADY: f64 = 3.0;

/// Trials to find the time in which they do.
const TRIALS: usize = 5;

/// Where rows have turned by this much the first of them is regular again.
const REGULAR: f64 = 3e-5;

/// Singular configurations this near to each other are one.
const SAME: f64 = 3e-4;

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
    pub(in crate::solve) fn leave(
        &mut self,
        approach: &mut Approach,
        start: &mut State,
        stop: f64,
    ) -> Result<Option<Crossed>, SolveErrorKind> {
        let state = self.state.point();
        approach.look(&mut self.evaluator, &state)?;
        let h = self.usual_step();
        if let Some((rows, speed)) = self.rows_that_return(approach, start, h)? {
            if speed.is_nan() {
                return Err(SolveErrorKind::Singular {
                    t: self.state.t,
                    rows,
                    crossing: Some(Box::new(CrossingError::NotSteady)),
                    cause: None,
                });
            }
            let event = self.passed(self.state.t, &rows, speed);
            return self.go_apart(approach, start, [0.0, speed], stop, event);
        }
        // A singular value falls by no more than the rows turn, taken together.
        let rows = self.evaluator.layout().rows() as f64;
        if approach.smallest() > LEAVE * rows.sqrt() {
            return Ok(None);
        }
        self.complete_into(start)?;
        let ahead = approach.passes(&mut self.evaluator, start, h)?;
        if let Some(ahead) = ahead.filter(|ahead| ahead.distance < REGULAR) {
            let rows = approach.singular.rows(ahead.index);
            let speed = ahead.distance / ahead.wait;
            let event = self.passed(start.t + ahead.wait, &rows, speed);
            return self.go_apart(approach, start, [ahead.distance, speed], stop, event);
        }
        let behind = approach.passes(&mut self.evaluator, start, -h)?;
        let Some(behind) = behind.filter(|behind| behind.distance < LEAVE) else {
            return Ok(None);
        };
        if behind.distance < 0.5 * REGULAR {
            let speed = -behind.distance / behind.wait;
            return self.go_apart(approach, start, [-behind.distance, speed], stop, None);
        }
        match self.cross(approach, start, &behind, stop)? {
            Course::Crossed(left) => Ok(Some(left)),
            Course::GoOn | Course::Shorten => Ok(None),
        }
    }

    /// Rows that have been left out upon a singular configuration, and that motion brings back at once; and the speed at which rows
    /// turn, NaN where motion is not under way, as at rest.
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
        // The time in which rows turn by so much, nearly.
        let mut time = SLOPE * h;
        let mut turned = approach.turned_after(system, state, time)?;
        for _ in 0..TRIALS {
            let share = (APART / turned).clamp(1e-3, 1e3);
            time *= share;
            turned = approach.turned_after(system, state, time)?;
            if (0.5 * APART..2.0 * APART).contains(&turned) {
                break;
            }
        }
        approach.displaced_by(system, state, time, apart);
        // Rows that are redundant on the constraints need not be beside them.
        self.projector.project_position(system, apart, false)?;
        let rows = held.returning(system, &apart.point())?;
        if rows.is_empty() {
            return Ok(None);
        }
        let mut speed = turned / time;
        let short = REGULAR / speed;
        let halves = [
            approach.turned_after(system, state, short)?,
            approach.turned_after(system, state, 0.5 * short)?,
        ];
        // At rest nothing says where motion goes: rows turn with the square of the time.
        let steady = (halves[0] / halves[1]) < STEADY && halves[1] > 0.0;
        speed = if steady { halves[0] / short } else { f64::NAN };
        Ok(Some((rows, speed)))
    }

    /// Goes on to where rows are regular, without those that are not. The singular configuration lies so far ahead, and rows turn at
    /// this speed.
    fn go_apart(
        &mut self,
        approach: &mut Approach,
        end: &mut State,
        [ahead, speed]: [f64; 2],
        stop: f64,
        event: Option<EventRecord>,
    ) -> Result<Option<Crossed>, SolveErrorKind> {
        let time = (ahead + REGULAR) / speed;
        let t = self.state.t;
        if !(t + time > t && t + time < stop) {
            return Ok(None);
        }
        self.evaluator.leave_out(&[]);
        let led = self.go_straight(approach, end, time);
        self.leave_out_held();
        approach.why = Some(Box::new(match led {
            Ok(error) if error <= 1.0 => {
                self.next.copy_from(end);
                approach.restart();
                let length = time;
                return Ok(Some(Crossed { length, event }));
            }
            Ok(error) => CrossingError::Inaccurate { error },
            Err(cause) => cause,
        }));
        Err(singular(approach, 0, t, None))
    }

    /// A step of Kutta's method of order 3 from the state into `end`, on the constraints at each stage; its error in units of the
    /// tolerance, by comparison with the midpoint rule. Accelerations at the start lack what one of the rows does across the
    /// constraints; projections put that right.
    fn go_straight(
        &mut self,
        approach: &mut Approach,
        end: &mut State,
        h: f64,
    ) -> Result<f64, CrossingError> {
        let (system, state) = (&mut self.evaluator, &self.state);
        let (projector, accelerations) = (&mut self.projector, &mut self.accelerations);
        let n = state.v.len();
        let mut u = vec![0.0; n];
        let mut settle = |system: &mut Evaluator, u: &[f64], end: &mut State| {
            let space = &system.layout().space;
            space.retract(&state.q, u, &mut end.q);
            projector.project_position(system, end, false)?;
            projector.project_velocity(system, end)
        };
        let mut rates = [(); 3].map(|()| vec![0.0; state.x.len()]);
        accelerations.differential_rates_at(system, &state.point(), &mut rates[0])?;

        end.copy_from(state);
        end.t = state.t + 0.5 * h;
        let old = &state.acceleration;
        for (index, u) in u.iter_mut().enumerate() {
            *u = 0.5 * h * (state.v[index] + 0.25 * h * old[index]);
            end.v[index] += 0.5 * h * old[index];
        }
        for (x, rate) in end.x.iter_mut().zip(&rates[0]) {
            *x += 0.5 * h * rate;
        }
        settle(system, &u, end)?;
        accelerations.complete(system, end)?;
        accelerations.differential_rates_at(system, &end.point(), &mut rates[1])?;
        let middle = end.acceleration.clone();

        end.t = state.t + h;
        for (index, u) in u.iter_mut().enumerate() {
            *u = h * (state.v[index] + h / 6.0 * (old[index] + 2.0 * middle[index]));
            end.v[index] = state.v[index] + h * middle[index];
        }
        for (index, x) in end.x.iter_mut().enumerate() {
            *x = state.x[index] + h * (2.0 * rates[1][index] - rates[0][index]);
        }
        settle(system, &u, end)?;
        accelerations.complete(system, end)?;
        accelerations.differential_rates_at(system, &end.point(), &mut rates[2])?;
        let by_midpoint = end.v.clone();
        for (index, v) in end.v.iter_mut().enumerate() {
            let sum = old[index] + 4.0 * middle[index] + end.acceleration[index];
            *v = state.v[index] + h / 6.0 * sum;
        }
        settle(system, &u, end)?;

        let mut error_x = vec![0.0; state.x.len()];
        for (index, x) in end.x.iter_mut().enumerate() {
            let [first, second, third] = [0, 1, 2].map(|stage| rates[stage][index]);
            *x = state.x[index] + h / 6.0 * (first + 4.0 * second + third);
            error_x[index] = h / 6.0 * (first - 2.0 * second + third);
        }
        let differences = end.v.iter().zip(&by_midpoint);
        let error_v: Vec<f64> = differences.map(|(v, other)| v - other).collect();
        for (u, error) in u.iter_mut().zip(&error_v) {
            *u = h / 3.0 * error;
        }
        accelerations.complete(system, end)?;
        let mut crossing = approach.take_crossing(system.layout(), state, &self.norm)?;
        let norm = crossing.judged();
        norm.weigh(state, end);
        let error = norm.root_mean_square(&u, &error_v, &error_x);
        approach.crossing = Some(crossing);
        Ok(error)
    }

    /// The state on the constraints, with its acceleration and the multipliers of the kept rows: steps of RATTLE that begin beside the
    /// constraints are not symmetric.
    pub(in crate::solve) fn complete_into(
        &mut self,
        state: &mut State,
    ) -> Result<(), DynamicsError> {
        state.copy_from(&self.state);
        let (system, projector) = (&mut self.evaluator, &mut self.projector);
        projector.project_position(system, state, false)?;
        projector.project_velocity(system, state)?;
        self.accelerations.complete(system, state)
    }

    /// Crosses the singular configuration ahead of a state, if there is one that the motion passes.
    pub(in crate::solve) fn cross(
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
        let remaining = stop - from.t;
        // Rows turn at this speed.
        let speed = ahead.distance / ahead.wait.abs();
        if ahead.distance < UPON || (ahead.wait - remaining) * speed > 2.0 * SHORT {
            return Ok(None);
        }
        let layout = self.evaluator.layout();
        let mut crossing = approach.take_crossing(layout, from, &self.norm)?;
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
        let (remaining, speed) = (stop - from.t, ahead.distance / ahead.wait.abs());
        crossing.begin(&mut self.evaluator, from)?;
        let mut wait = if ahead.distance < BESIDE {
            ahead.wait
        } else {
            self.centre(crossing, approach, from, ahead)?
        };
        if (wait - remaining) * speed > SHORT {
            return Ok(None);
        }
        let whole = wait + wait.max(NEAR / speed);
        // Steps that end upon the singular configuration say nothing of when it is passed.
        let about = remaining < whole && (wait - remaining).abs() * speed < AROUND;
        let mut length = if about { whole } else { whole.min(remaining) };
        self.step_across(crossing, from, length, wait)?;
        approach.singular.keep(ahead.index);
        let mut index = ahead.index;
        if wait > 0.0 {
            let singular = &mut approach.singular;
            let (system, near) = (&mut self.evaluator, crossing.near.point());
            system.uncounted(|system| singular.look(system, &near))?;
            index = singular.kept();
            let value = singular.value(index);
            if wait < length && value > FALLS * crossing.nearness * ahead.value {
                // The motion has turned away from it, or there is none.
                approach.look(system, &from.point())?;
                approach.failed_at = ahead.distance;
                return Ok(None);
            }
            if wait < length {
                wait = self.moment_between(approach, from, &crossing.end, wait, index)?;
            }
        }
        if remaining <= whole && (wait - remaining).abs() * speed < UPON_END {
            self.end_upon(crossing, from, remaining, AROUND / speed, wait)?;
            length = remaining;
        } else if remaining < length {
            length = remaining;
            self.step_across(crossing, from, length, wait)?;
        }
        let end = &mut crossing.end;
        if length == remaining {
            end.t = stop;
        }
        HeldRows::least_norm(&mut self.held, &mut self.evaluator, end)?;
        self.next.copy_from(end);
        let rows = approach.singular.rows(index);
        let passes = 0.0 < wait && wait <= length;
        let event = passes.then(|| self.passed(from.t + wait, &rows, speed));
        let event = event.flatten();
        Ok(Some(Crossed { length, event }))
    }

    /// That a singular configuration has been passed, unless it has just been said: a stop or a jump upon it ends one step of the
    /// driver and begins another.
    fn passed(&self, t: f64, rows: &[usize], speed: f64) -> Option<EventRecord> {
        let again = |event: &EventRecord| {
            event.kind == EventRecord::SINGULAR && (t - event.t).abs() * speed < SAME
        };
        (!self.events.iter().any(again)).then(|| EventRecord::singular(t, rows))
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
        // They do not determine the accelerations either: those of the polynomial stay.
        let projector = &mut self.projector;
        let projected = projector
            .project_position(system, end, false)
            .and_then(|_| projector.project_velocity(system, end));
        self.leave_out_held();
        Ok(projected?)
    }

    /// When a singular value vanishes between two complete states, by secants from a first guess after the first of
    /// them. Its vectors are those of a configuration near there.
    fn moment_between(
        &mut self,
        approach: &mut Approach,
        from: &State,
        to: &State,
        wait: f64,
        index: usize,
    ) -> Result<f64, CrossingError> {
        let mut state = to.clone();
        let mut value = |driver: &mut Self, time: f64| -> Result<f64, CrossingError> {
            state.copy_from(to);
            driver.between(from, &mut state, from.t + time)?;
            let (singular, after) = (&mut approach.singular, &mut approach.after);
            let system = &mut driver.evaluator;
            system.uncounted(|system| singular.follow(system, &state.point(), after))?;
            Ok(approach.after[index])
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
    pub(in crate::solve) fn cross_at_last(
        &mut self,
        stop: f64,
    ) -> Result<Option<Crossed>, SolveErrorKind> {
        let h = self.usual_step();
        let course = self.with_approach(|driver, approach, start| {
            driver.cross_within(approach, start, h, CAUSE, stop)
        });
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
    pub(in crate::solve) fn cross_within(
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
