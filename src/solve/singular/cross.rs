//! Steps of the driver across singular configurations.

use super::crossing::{Crossing, CrossingError};
use super::decide::{CAUSE, Course, Crossed, NEAR};
use super::monitor::{Ahead, Approach, Outlook};
use super::passage::Passage;
use crate::solve::SolveErrorKind;
use crate::solve::motion::Motion;
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

/// The interval with the singular configuration in its middle begins and ends so far from it. A stop within is interpolated.
const MIDDLE: f64 = 0.01;

/// Rows turn by no more than this between two states on the way. Bodies may turn by some times as much: by 0.06 in a linkage of half a
/// metre, where a quintic polynomial between the states is off by 5e-12 m.
const PART: f64 = 0.0125;

/// Nearer to it rows count as dependent, and one of them is left out.
const UPON: f64 = 1e-8;

/// From here vectors of the singular value say when it vanishes: what they are off by counts squared.
const JUST_BEFORE: f64 = 1e-4;

/// Attempts to centre the interval.
const ATTEMPTS: usize = 6;

/// Near a singular configuration it falls in proportion to the distance, but for this factor.
const FALLS: f64 = 2.0;

/// Secants that find the moment of a singular configuration ...
const SECANTS: usize = 6;

/// ... within this multiple of the first distance from a guess.
const FAR: f64 = 1e2;

impl Approach {
    /// Crosses the singular configuration ahead of a state, if there is one that the motion passes.
    pub(super) fn cross(
        &mut self,
        motion: &mut Motion,
        from: &State,
        ahead: &Ahead,
        schedule: Schedule,
    ) -> Result<Course, SolveErrorKind> {
        // After a failure nothing has changed until the distance has halved.
        if ahead.distance > AGAIN * self.failed_at {
            return Ok(Course::GoOn);
        }
        self.why = None;
        let crossed = self
            .try_crossing(motion, from, ahead, schedule)
            .and_then(|passage| match passage {
                Some(passage) => self.begin(motion, passage),
                None => Ok(None),
            });
        match crossed {
            Ok(Some(crossed)) => Ok(Course::Crossed(crossed)),
            Ok(None) => Ok(Course::GoOn),
            Err(error) => {
                self.failed_at = ahead.distance;
                self.why = Some(Box::new(error));
                Ok(Course::GoOn)
            }
        }
    }

    /// Takes the first step of a passage.
    fn begin(
        &mut self,
        motion: &mut Motion,
        mut passage: Passage,
    ) -> Result<Option<Crossed>, CrossingError> {
        let crossed = passage.go_on(motion)?;
        // Dense output within the step looks at it.
        let acceleration = &passage.start().acceleration;
        motion.state.acceleration.copy_from_slice(acceleration);
        self.restart();
        self.passage = Some(Box::new(passage));
        Ok(crossed)
    }

    /// Takes the next step of the passage that is under way.
    pub fn go_on_across(&mut self, motion: &mut Motion) -> Result<Option<Crossed>, SolveErrorKind> {
        let Some(passage) = &mut self.passage else {
            return Ok(None);
        };
        let crossed = passage.go_on(motion);
        crossed.map_err(|error| SolveErrorKind::Singular {
            t: motion.state.t,
            rows: passage.rows().to_vec(),
            crossing: Some(Box::new(error)),
            cause: None,
        })
    }

    /// The motion across the singular configuration ahead, if there is one.
    fn try_crossing(
        &mut self,
        motion: &mut Motion,
        from: &State,
        ahead: &Ahead,
        schedule: Schedule,
    ) -> Result<Option<Passage>, CrossingError> {
        let remaining = schedule.stop - from.t;
        // Rows turn at this speed.
        let speed = ahead.distance / ahead.wait.abs();
        // Upon it, or a stop well before it: no crossing.
        if ahead.distance < UPON || (ahead.wait - remaining) * speed > 2.0 * SHORT {
            return Ok(None);
        }
        let layout = motion.evaluator.layout();
        let mut crossing = self.take_crossing(layout, from, &motion.norm)?;
        let result = self.cross_with(motion, &mut crossing, from, ahead, schedule);
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
        schedule: Schedule,
    ) -> Result<Option<Passage>, CrossingError> {
        // Speed in rad/s; waits and distances are converted with it.
        let (remaining, speed) = (schedule.stop - from.t, ahead.distance / ahead.wait.abs());
        crossing.begin(&mut motion.evaluator, from)?;
        let mut wait = if ahead.distance < BESIDE {
            ahead.wait
        } else {
            self.centre(motion, crossing, from, ahead)?
        };
        if (wait - remaining) * speed > SHORT {
            return Ok(None);
        }
        let lag = motion.stepper.velocity_lag();
        let mut passage = Passage::new(motion.evaluator.layout(), from, speed, lag);
        let apart = MIDDLE / speed;
        let mut index = ahead.index;
        if wait > apart {
            self.singular.keep(index);
            let before = wait - apart;
            self.lead(motion, crossing, &mut passage, before, wait)?;
            // It should have fallen in proportion to the way; if not, the motion turned back.
            let at = passage.last().0.point();
            self.look(&mut motion.evaluator, &at)?;
            index = self.singular.kept();
            let value = self.singular.value(index);
            if value > FALLS * ahead.value * apart / wait {
                // The motion has turned away from it, or there is none.
                self.look(&mut motion.evaluator, &from.point())?;
                self.failed_at = ahead.distance;
                return Ok(None);
            }
            // Linear between both looks, and not far from what was foreseen.
            let better = before + value * before / (ahead.value - value);
            wait = better.clamp(wait - 0.5 * apart, wait + 0.5 * apart);
        }
        let mut moment = from.t + wait;
        if wait > 0.0 {
            // A stop near the singular configuration is passed first: steps that end upon it say nothing of when it is passed.
            self.lead_in_one(motion, crossing, &mut passage, wait + apart, wait)?;
            moment = self.moment(motion, &mut passage, moment, index)?;
        }
        // As far behind as before, at least to where steps of the method may begin.
        let mut end = from.t + wait + wait.max(NEAR / speed);
        // Constant steps go on where they would be without it.
        if let Some(grid) = schedule.grid.filter(|grid| grid.step < end - from.t) {
            end = grid.not_before(end);
        }
        // Stops are hit exactly.
        let end = end.min(schedule.stop);
        let length = end - from.t;
        // A part of round-off is none.
        if length > passage.last().1 * (1.0 + 1e-9) {
            self.lead(motion, crossing, &mut passage, length, wait)?;
        }
        passage.end_at(end);
        passage.passes(moment, self.singular.rows(index));
        passage.divide(schedule, end);
        Ok(Some(passage))
    }

    /// Leads a passage on to a time after its start, by steps over which rows turn little.
    fn lead(
        &mut self,
        motion: &mut Motion,
        crossing: &mut Crossing,
        passage: &mut Passage,
        until: f64,
        wait: f64,
    ) -> Result<(), CrossingError> {
        let begin = passage.last().1;
        let count = ((until - begin) * passage.speed() / PART).ceil().max(1.0);
        for part in 1..=count as usize {
            let until = begin + (until - begin) * (part as f64 / count);
            self.lead_in_one(motion, crossing, passage, until, wait)?;
        }
        Ok(())
    }

    /// The same by one step, which the singular configuration may lie in; it is passed a wait after the start.
    fn lead_in_one(
        &mut self,
        motion: &mut Motion,
        crossing: &mut Crossing,
        passage: &mut Passage,
        until: f64,
        wait: f64,
    ) -> Result<(), CrossingError> {
        let (from, begin) = passage.last();
        let length = until - begin;
        self.step_across(motion, crossing, from, length, wait - begin)?;
        crossing.end.t = passage.start().t + until;
        passage.reach(&crossing.end);
        Ok(())
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

    /// When a singular value vanishes on a passage, near a moment in its last step. Its vectors, which are those of a
    /// configuration before there, are found anew just before.
    fn moment(
        &mut self,
        motion: &mut Motion,
        passage: &mut Passage,
        moment: f64,
        index: usize,
    ) -> Result<f64, CrossingError> {
        let speed = passage.speed();
        let offset = JUST_BEFORE / speed;
        let first = self.secants(motion, passage, moment, 0.1 * MIDDLE / speed, index)?;
        // A passage may begin nearer than that.
        let just_before = first - offset;
        if just_before <= passage.start().t {
            return Ok(first);
        }
        self.singular.keep(index);
        let mut state = passage.start().clone();
        passage.at(motion, just_before, &mut state)?;
        self.look(&mut motion.evaluator, &state.point())?;
        let index = self.singular.kept();
        self.secants(motion, passage, first, 0.1 * offset, index)
    }

    /// Secants from a first guess, with another guess so much before it.
    fn secants(
        &mut self,
        motion: &mut Motion,
        passage: &mut Passage,
        guess: f64,
        before: f64,
        index: usize,
    ) -> Result<f64, CrossingError> {
        let mut state = passage.start().clone();
        let mut value = |time: f64| -> Result<f64, CrossingError> {
            passage.at(motion, time, &mut state)?;
            let (singular, after) = (&mut self.singular, &mut self.after);
            let system = &mut motion.evaluator;
            system.uncounted(|system| singular.follow(system, &state.point(), after))?;
            Ok(self.after[index])
        };
        let mut times = [guess - before, guess];
        let mut values = [value(times[0])?, value(times[1])?];
        for _ in 0..SECANTS {
            let slope = (values[1] - values[0]) / (times[1] - times[0]);
            let better = times[1] - values[1] / slope;
            let far = (better - guess).abs();
            if far.is_nan() || far > FAR * before {
                break;
            }
            let settled = (better - times[1]).abs() <= 1e-6 * before;
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
    ) -> Result<Course, SolveErrorKind> {
        let h = schedule.usual_step;
        let course = self.with_start(|approach, start| {
            approach.cross_from_constraints(motion, start, h, CAUSE, schedule)
        });
        match course {
            Err(kind) if !matches!(kind, SolveErrorKind::Singular { .. }) => Ok(Course::GoOn),
            Ok(Course::OtherRows) => {
                motion.change_rows()?;
                Ok(Course::OtherRows)
            }
            course => course,
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
            && let Ok(outlook) = self.passes(&mut motion.evaluator, &mut motion.rows, start, h)
        {
            match outlook {
                Outlook::Clear => return Ok(Course::GoOn),
                Outlook::OtherRows => return Ok(Course::OtherRows),
                Outlook::Singular(ahead) if !ahead.is_within(distance, h) => {
                    return Ok(Course::GoOn);
                }
                Outlook::Singular(_) => {}
            }
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
        motion.complete_moment_into(start)?;
        match self.passes(&mut motion.evaluator, &mut motion.rows, start, h)? {
            Outlook::Singular(ahead) if ahead.is_within(distance, h) => {
                self.cross(motion, start, &ahead, schedule)
            }
            Outlook::OtherRows => Ok(Course::OtherRows),
            Outlook::Singular(_) | Outlook::Clear => Ok(Course::GoOn),
        }
    }
}
