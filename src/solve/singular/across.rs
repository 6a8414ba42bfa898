//! Steps of the driver across singular configurations.

use super::approach::{Ahead, Approach};
use super::course::{CAUSE, Course, Crossed, NEAR, Passing};
use super::crossing::{Crossing, CrossingError};
use crate::solve::SolveErrorKind;
use crate::solve::motion::Motion;
use crate::solve::output::dense::between;
use crate::solve::timeline::Schedule;
use crate::system::State;

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

/// Attempts to centre the interval.
const ATTEMPTS: usize = 6;

/// Near a singular configuration it falls in proportion to the distance, but for this factor.
const FALLS: f64 = 2.0;

/// Secants that find the moment of a singular configuration.
const SECANTS: usize = 4;

impl Approach {
    /// Crosses the singular configuration ahead of a state, if there is one that the motion passes.
    pub(super) fn cross(
        &mut self,
        motion: &mut Motion,
        from: &State,
        ahead: &Ahead,
        stop: f64,
    ) -> Result<Course, SolveErrorKind> {
        // After a failure nothing has changed until the distance has halved.
        if ahead.distance > AGAIN * self.failed_at {
            return Ok(Course::GoOn);
        }
        self.why = None;
        match self.try_crossing(motion, from, ahead, stop) {
            Ok(Some(crossed)) => {
                // Dense output within the step looks at it.
                motion
                    .state
                    .acceleration
                    .copy_from_slice(&from.acceleration);
                self.restart();
                Ok(Course::Crossed(crossed))
            }
            Ok(None) => Ok(Course::GoOn),
            Err(error) => {
                self.failed_at = ahead.distance;
                self.why = Some(Box::new(error));
                Ok(Course::GoOn)
            }
        }
    }

    /// Takes a step across the singular configuration ahead, if there is one.
    fn try_crossing(
        &mut self,
        motion: &mut Motion,
        from: &State,
        ahead: &Ahead,
        stop: f64,
    ) -> Result<Option<Crossed>, CrossingError> {
        let remaining = stop - from.t;
        // Rows turn at this speed.
        let speed = ahead.distance / ahead.wait.abs();
        // Upon it, or a stop well before it: no crossing.
        if ahead.distance < UPON || (ahead.wait - remaining) * speed > 2.0 * SHORT {
            return Ok(None);
        }
        let layout = motion.evaluator.layout();
        let mut crossing = self.take_crossing(layout, from, &motion.norm)?;
        let result = self.cross_with(motion, &mut crossing, from, ahead, stop);
        motion.earlier_work += crossing.work();
        self.crossing = Some(crossing);
        result
    }

    fn cross_with(
        &mut self,
        motion: &mut Motion,
        crossing: &mut Crossing,
        from: &State,
        ahead: &Ahead,
        stop: f64,
    ) -> Result<Option<Crossed>, CrossingError> {
        // Speed in rad/s; waits and distances are converted with it.
        let (remaining, speed) = (stop - from.t, ahead.distance / ahead.wait.abs());
        crossing.begin(&mut motion.evaluator, from)?;
        let mut wait = if ahead.distance < BESIDE {
            ahead.wait
        } else {
            self.centre(motion, crossing, from, ahead)?
        };
        if (wait - remaining) * speed > SHORT {
            return Ok(None);
        }
        // As far behind as before, at least to where steps of the method may begin.
        let whole = wait + wait.max(NEAR / speed);
        // Steps that end upon the singular configuration say nothing of when it is passed.
        // A stop near the singular configuration is passed first, to see when it is passed.
        let about = remaining < whole && (wait - remaining).abs() * speed < AROUND;
        let mut length = if about { whole } else { whole.min(remaining) };
        self.step_across(motion, crossing, from, length, wait)?;
        self.singular.keep(ahead.index);
        let mut index = ahead.index;
        // The vectors of the singular value near the configuration say whether it has really been passed.
        if wait > 0.0 {
            let singular = &mut self.singular;
            let (system, near) = (&mut motion.evaluator, crossing.near.point());
            system.uncounted(|system| singular.look(system, &near))?;
            index = singular.kept();
            let value = singular.value(index);
            // It should have fallen in proportion to the way; if not, the motion turned back.
            if wait < length && value > FALLS * crossing.nearness * ahead.value {
                // The motion has turned away from it, or there is none.
                self.look(system, &from.point())?;
                self.failed_at = ahead.distance;
                return Ok(None);
            }
            if wait < length {
                wait = self.moment_between(motion, from, &crossing.end, wait, index)?;
            }
        }
        // The stop is upon it: from states on both sides.
        if remaining <= whole && (wait - remaining).abs() * speed < UPON_END {
            self.end_upon(motion, crossing, from, remaining, AROUND / speed, wait)?;
            length = remaining;
        } else if remaining < length {
            length = remaining;
            self.step_across(motion, crossing, from, length, wait)?;
        }
        // Stops are hit exactly.
        let end = &mut crossing.end;
        if length == remaining {
            end.t = stop;
        }
        motion.spread_multipliers(end)?;
        motion.next.copy_from(end);
        let rows = self.singular.rows(index);
        let passes = 0.0 < wait && wait <= length;
        let t = from.t + wait;
        let passed = passes.then_some(Passing { t, rows, speed });
        Ok(Some(Crossed { length, passed }))
    }

    /// The wait that the singular configuration is in the middle of twice of.
    fn centre(
        &mut self,
        motion: &mut Motion,
        crossing: &mut Crossing,
        from: &State,
        ahead: &Ahead,
    ) -> Result<f64, CrossingError> {
        // It lies behind: first order is all there is.
        if ahead.wait < 0.0 {
            return Ok(ahead.wait);
        }
        let system = &mut motion.evaluator;
        let mut wait = ahead.wait;
        for _ in 0..ATTEMPTS {
            // The singular value changes its sign: -(its value) at the far end is that of the other side.
            let length = 2.0 * wait;
            let beyond = crossing.probe(system, from, length)?;
            let (singular, after) = (&mut self.singular, &mut self.after);
            system.uncounted(|system| singular.follow(system, &beyond.point(), after))?;
            let other = -self.after[ahead.index];
            if other <= 0.0 {
                // Not there yet.
                wait *= 1.5;
                continue;
            }
            // Linear between both ends: where it vanishes.
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
        motion: &mut Motion,
        crossing: &mut Crossing,
        from: &State,
        length: f64,
        wait: f64,
    ) -> Result<(), CrossingError> {
        let system = &mut motion.evaluator;
        let error = crossing.step(system, from, length, wait / length)?;
        // The first part of a step may fail; an error above the tolerance is refused.
        if error.is_nan() || error > 1.0 {
            return Err(CrossingError::Inaccurate { error });
        }
        let end = &mut crossing.end;
        // Extrapolation leaves the constraints by its error.
        motion.projector.project_position(system, end, false)?;
        motion.projector.project_energy(system, end, length)?;
        motion.accelerations.complete(system, end)?;
        Ok(())
    }

    /// A step that ends upon the singular configuration, where rows say less of the velocity than a polynomial between two
    /// states on both sides of it, so much before and behind it: their errors count by the distance.
    fn end_upon(
        &mut self,
        motion: &mut Motion,
        crossing: &mut Crossing,
        from: &State,
        length: f64,
        apart: f64,
        wait: f64,
    ) -> Result<(), CrossingError> {
        let before = if length > apart {
            self.step_across(motion, crossing, from, length - apart, wait)?;
            crossing.end.clone()
        } else {
            from.clone()
        };
        self.step_across(motion, crossing, from, length + apart, wait)?;
        let (system, accelerations) = (&mut motion.evaluator, &mut motion.accelerations);
        between(
            system,
            accelerations,
            &before,
            &mut crossing.end,
            from.t + length,
        )?;
        // Rows do not determine the accelerations either: those of the polynomial stay.
        Ok(motion.project_without_weakest(&mut crossing.end)?)
    }

    /// When a singular value vanishes between two complete states, by secants from a first guess after the first of
    /// them. Its vectors are those of a configuration near there.
    fn moment_between(
        &mut self,
        motion: &mut Motion,
        from: &State,
        to: &State,
        wait: f64,
        index: usize,
    ) -> Result<f64, CrossingError> {
        let mut state = to.clone();
        let mut value = |time: f64| -> Result<f64, CrossingError> {
            state.copy_from(to);
            let system = &mut motion.evaluator;
            between(
                system,
                &mut motion.accelerations,
                from,
                &mut state,
                from.t + time,
            )?;
            let (singular, after) = (&mut self.singular, &mut self.after);
            system.uncounted(|system| singular.follow(system, &state.point(), after))?;
            Ok(self.after[index])
        };
        let whole = to.t - from.t;
        // Two points close to the predicted moment, for a first slope.
        let mut times = [0.9 * wait, wait];
        let mut values = [value(times[0])?, value(times[1])?];
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
            values = [values[1], value(better)?];
        }
        Ok(times[1])
    }

    /// Crosses a singular configuration that is not quite near, because no step is small enough beside it any more: it magnifies
    /// round-off.
    pub fn cross_at_last(
        &mut self,
        motion: &mut Motion,
        schedule: Schedule,
    ) -> Result<Option<Crossed>, SolveErrorKind> {
        let h = schedule.usual_step;
        let course = self.with_start(|approach, start| {
            approach.cross_from_constraints(motion, start, h, CAUSE, schedule)
        });
        match course {
            Ok(Course::Crossed(crossed)) => Ok(Some(crossed)),
            Err(kind @ SolveErrorKind::Singular { .. }) => Err(kind),
            _ => Ok(None),
        }
    }

    /// Crosses a singular configuration within a distance, or within two steps, if it is seen from beside the constraints: most steps
    /// fail for other reasons, and to put the state back onto the constraints takes longer than a look.
    pub(super) fn cross_within(
        &mut self,
        motion: &mut Motion,
        start: &mut State,
        h: f64,
        distance: f64,
        schedule: Schedule,
    ) -> Result<Course, SolveErrorKind> {
        // A look that fails has seen nothing that speaks against it.
        if motion.complete_unprojected_into(start).is_ok()
            && let Ok(ahead) = self.passes(&mut motion.evaluator, start, h)
            && ahead.filter(|ahead| ahead.is_within(distance, h)).is_none()
        {
            return Ok(Course::GoOn);
        }
        self.cross_from_constraints(motion, start, h, distance, schedule)
    }

    /// The same, seen from the constraints.
    fn cross_from_constraints(
        &mut self,
        motion: &mut Motion,
        start: &mut State,
        h: f64,
        distance: f64,
        schedule: Schedule,
    ) -> Result<Course, SolveErrorKind> {
        motion.complete_into(start)?;
        let ahead = self.passes(&mut motion.evaluator, start, h)?;
        match ahead.filter(|ahead| ahead.is_within(distance, h)) {
            Some(ahead) => self.cross(motion, start, &ahead, schedule.stop),
            None => Ok(Course::GoOn),
        }
    }
}
