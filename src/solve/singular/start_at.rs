//! Steps of the driver away from a singular configuration that a run starts upon, or beside.

use super::crossing::CrossingError;
use super::decide::{Course, Crossed, NEAR, Passing, singular};
use super::monitor::{Approach, Outlook, SLOPE};
use crate::solve::SolveErrorKind;
use crate::solve::motion::Motion;
use crate::solve::timeline::Schedule;
use crate::system::{Evaluator, State};

/// Rows that are dependent at a start, but not where they have turned by this much, are so for a moment only.
const APART: f64 = 3e-4;

/// They turn by no more than this many times as much in twice the time, if motion is under way.
const STEADY: f64 = 3.0;

/// Trials to find the time in which they do.
const TRIALS: usize = 5;

/// Where rows have turned by this much the first of them is regular again.
const REGULAR: f64 = 3e-5;

/// A start this near behind it goes on with a step of the driver to where other steps may begin.
const LEAVE: f64 = 0.5 * NEAR;

impl Approach {
    /// Leaves a singular configuration that the run has just started upon or beside, where steps are as difficult as towards it.
    pub(super) fn leave(
        &mut self,
        motion: &mut Motion,
        start: &mut State,
        schedule: Schedule,
    ) -> Result<Course, SolveErrorKind> {
        let state = motion.state.point();
        self.look(&mut motion.evaluator, &state)?;
        let (stop, h) = (schedule.stop, schedule.usual_step);
        // Rows left out that the motion brings back: the start lies upon a singular configuration.
        if let Some((rows, speed)) = self.rows_that_return(motion, start, h)? {
            if speed.is_nan() {
                return Err(SolveErrorKind::Singular {
                    t: motion.state.t,
                    rows,
                    crossing: Some(Box::new(CrossingError::NotSteady)),
                    cause: None,
                });
            }
            let t = motion.state.t;
            let passed = Some(Passing { t, rows, speed });
            return self.go_apart(motion, start, [0.0, speed], stop, passed);
        }
        // A singular value falls by no more than the rows turn, taken together.
        // Nothing near: the usual case.
        let rows = motion.evaluator.layout().rows() as f64;
        if self.smallest() > LEAVE * rows.sqrt() {
            return Ok(Course::GoOn);
        }
        motion.complete_moment_into(start)?;
        let ahead = self.passes(&mut motion.evaluator, &mut motion.rows, start, h)?;
        if let Outlook::OtherRows = ahead {
            return Ok(Course::OtherRows);
        }
        // Ahead, so near that no step of the method ends before it.
        if let Some(ahead) = (ahead.singular()).filter(|ahead| ahead.distance < REGULAR) {
            let rows = self.singular.rows(ahead.index);
            let speed = ahead.distance / ahead.wait;
            let t = start.t + ahead.wait;
            let passed = Some(Passing { t, rows, speed });
            return self.go_apart(motion, start, [ahead.distance, speed], stop, passed);
        }
        // Behind: the same search with time reversed.
        let behind = self.passes(&mut motion.evaluator, &mut motion.rows, start, -h)?;
        if let Outlook::OtherRows = behind {
            return Ok(Course::OtherRows);
        }
        let Some(behind) = (behind.singular()).filter(|behind| behind.distance < LEAVE) else {
            return Ok(Course::GoOn);
        };
        if behind.distance < 0.5 * REGULAR {
            let speed = -behind.distance / behind.wait;
            return self.go_apart(motion, start, [-behind.distance, speed], stop, None);
        }
        self.cross(motion, start, &behind, schedule)
    }

    /// Rows that have been left out upon a singular configuration, and that motion brings back at once; and the speed at which rows
    /// turn, NaN where motion is not under way, as at rest.
    fn rows_that_return(
        &mut self,
        motion: &mut Motion,
        apart: &mut State,
        h: f64,
    ) -> Result<Option<(Vec<usize>, f64)>, SolveErrorKind> {
        if !motion.rows.are_left_out() {
            return Ok(None);
        }
        let (system, state) = (&mut motion.evaluator, &motion.state);
        // The time in which rows turn by so much, nearly.
        let mut time = SLOPE * h;
        let mut turned = self.turned_after(system, state, time)?;
        for _ in 0..TRIALS {
            // Turning is about linear in time: Newton with bounds.
            let share = (APART / turned).clamp(1e-3, 1e3);
            time *= share;
            turned = self.turned_after(system, state, time)?;
            if (0.5 * APART..2.0 * APART).contains(&turned) {
                break;
            }
        }
        self.displaced_by(system, state, time, apart);
        // Rows that are redundant on the constraints need not be beside them.
        motion.projector.project_position(system, apart, false)?;
        let rows = motion.rows.returning(system, &apart.point())?;
        if rows.is_empty() {
            return Ok(None);
        }
        let mut speed = turned / time;
        let short = REGULAR / speed;
        let halves = [
            self.turned_after(system, state, short)?,
            self.turned_after(system, state, 0.5 * short)?,
        ];
        // At rest nothing says where motion goes: rows turn with the square of the time.
        // Twice the angle in twice the time when moving, four times from rest.
        let steady = (halves[0] / halves[1]) < STEADY && halves[1] > 0.0;
        speed = if steady { halves[0] / short } else { f64::NAN };
        Ok(Some((rows, speed)))
    }

    /// Goes on to where rows are regular, without those that are not. The singular configuration lies so far ahead, and rows turn at
    /// this speed.
    fn go_apart(
        &mut self,
        motion: &mut Motion,
        end: &mut State,
        [ahead, speed]: [f64; 2],
        stop: f64,
        passed: Option<Passing>,
    ) -> Result<Course, SolveErrorKind> {
        // To where the first row is regular again.
        let time = (ahead + REGULAR) / speed;
        let t = motion.state.t;
        if !(t + time > t && t + time < stop) {
            return Ok(Course::GoOn);
        }
        let led = motion.with_all_rows(|motion| self.go_straight(motion, end, time));
        self.why = Some(Box::new(match led {
            Ok(error) if error <= 1.0 => {
                motion.next.copy_from(end);
                self.restart();
                let length = time;
                return Ok(Course::Crossed(Crossed {
                    length,
                    passed,
                    goes_on: false,
                }));
            }
            Ok(error) => CrossingError::Inaccurate { error },
            Err(cause) => cause,
        }));
        Err(singular(self, 0, t, None))
    }

    /// A step of Kutta's method of order 3 from the state into `end`, on the constraints at each stage; its error in units of the
    /// tolerance, by comparison with the midpoint rule. Accelerations at the start lack what one of the rows does across the
    /// constraints; projections put that right.
    fn go_straight(
        &mut self,
        motion: &mut Motion,
        end: &mut State,
        h: f64,
    ) -> Result<f64, CrossingError> {
        let (system, state) = (&mut motion.evaluator, &motion.state);
        let (projector, accelerations) = (&mut motion.projector, &mut motion.accelerations);
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
        // Stage at h/2: explicit Euler for v, u to second order.
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
            // x_n + h (2 x'_m - x'_0): the third stage of Kutta's method.
            *x = state.x[index] + h * (2.0 * rates[1][index] - rates[0][index]);
        }
        settle(system, &u, end)?;
        accelerations.complete(system, end)?;
        accelerations.differential_rates_at(system, &end.point(), &mut rates[2])?;
        let by_midpoint = end.v.clone();
        // v_n + h/6 (a_0 + 4 a_m + a_1).
        for (index, v) in end.v.iter_mut().enumerate() {
            let sum = old[index] + 4.0 * middle[index] + end.acceleration[index];
            *v = state.v[index] + h / 6.0 * sum;
        }
        settle(system, &u, end)?;

        let mut error_x = vec![0.0; state.x.len()];
        for (index, x) in end.x.iter_mut().enumerate() {
            let [first, second, third] = [0, 1, 2].map(|stage| rates[stage][index]);
            *x = state.x[index] + h / 6.0 * (first + 4.0 * second + third);
            // Kutta less midpoint: h/6 (k_1 - 2 k_2 + k_3).
            error_x[index] = h / 6.0 * (first - 2.0 * second + third);
        }
        let differences = end.v.iter().zip(&by_midpoint);
        let error_v: Vec<f64> = differences.map(|(v, other)| v - other).collect();
        for (u, error) in u.iter_mut().zip(&error_v) {
            *u = h / 3.0 * error;
        }
        accelerations.complete(system, end)?;
        let mut crossing = self.take_crossing(system.layout(), state, &motion.norm)?;
        let norm = crossing.judged();
        norm.weigh(state, end);
        let error = norm.root_mean_square(&u, &error_v, &error_x);
        self.crossing = Some(crossing);
        Ok(error)
    }
}
