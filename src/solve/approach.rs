//! Singular configurations ahead: seen from the smallest singular values of the constraint Jacobian, and crossed.
//!
//! The distance to a singular configuration is an angle: by how much the constraint rows will still turn before a singular value
//! vanishes, if it goes on falling as it does.

use super::crossing::{Crossing, CrossingError};
use super::held_rows::HeldRows;
use super::loops::has_loops;
use super::{Driver, EventRecord, SolveErrorKind, StepControl};
use crate::integrator::StepError;
use crate::system::{DynamicsError, Evaluator, Point, SingularValues, State};

/// A crossing begins at this distance from the singular configuration: near enough for a polynomial, far enough for regular rows.
const NEAR: f64 = 0.1;

/// Adaptive steps that would come nearer are shortened to end at this distance.
const AIM: f64 = 0.14;

/// A crossing may begin at this distance, rather than behind a step that would be very short.
const BEGIN: f64 = 0.2;

/// Vectors of the singular values are found anew when a row has turned by this much.
const TURNED: f64 = 0.15;

/// The same where a singular value has fallen to this part of what was found: to first order the vectors stay what they were.
const FALLEN: f64 = 0.85;

/// Between two looks rows may turn by this part of the distance.
const UNSEEN: f64 = 0.1;

/// Steps between two looks at most.
const MOST_STEPS: usize = 8;

/// A crossing that failed is tried again at this part of the distance.
const AGAIN: f64 = 0.5;

/// A step that fails within this distance, or within as much as rows turn in two such steps, fails for the singular configuration.
const CAUSE: f64 = 0.3;

/// The ends of a crossing are equally far from the singular configuration to this part.
const CENTRED: f64 = 0.1;

/// Attempts to centre the interval.
const ATTEMPTS: usize = 6;

/// A change of sign that is predicted over the interval must be at least this part of the full one.
const CHANGES_SIGN: f64 = -0.3;

/// Nothing is foreseen beyond this distance: rows that turn further say nothing about singular values to first order.
const FORESEEN: f64 = 1.0;

/// Where the singular value is predicted to vanish, one must at least have fallen to this part.
const VANISHES: f64 = 0.4;

/// The slope of a singular value is taken over this part of a step.
const SLOPE: f64 = 0.25;

/// Near a singular configuration it falls in proportion to the distance, but for this factor.
const FALLS: f64 = 2.0;

/// Singular values below this are zero but for round-off.
const VANISHED: f64 = 1e-6;

/// What the driver knows about singular configurations ahead.
pub(super) struct Approach {
    singular: SingularValues,
    /// Whether the vectors are those of a configuration of this run.
    looked: bool,
    /// Values at the start and the end of a step.
    before: Vec<f64>,
    after: Vec<f64>,
    slopes: Vec<(f64, f64)>,
    /// Accepted steps until they are looked at again.
    rest: usize,
    /// The distance at which the last attempt at a crossing failed, and why.
    failed_at: f64,
    why: Option<Box<CrossingError>>,
    /// No adaptive step may be larger: it would come too near.
    pub limit: f64,
    crossing: Option<Box<Crossing>>,
    /// The state that a crossing starts from, complete.
    start: Option<State>,
    displaced: State,
    displacement: Vec<f64>,
}

/// A singular configuration ahead of a state.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    /// Which singular value vanishes.
    index: usize,
    /// Its value at the state.
    value: f64,
    /// How far rows turn until then.
    distance: f64,
    /// How long that takes in s.
    wait: f64,
}

/// What is to be done with a step that has been tried.
pub(super) enum Course {
    /// As usual.
    GoOn,
    /// Try a shorter one.
    Shorten,
    /// The singular configuration has been crossed instead, by a step into `self.next`.
    Crossed(Crossed),
}

/// A step across a singular configuration.
pub(super) struct Crossed {
    /// Its length in s.
    pub length: f64,
    /// When, and which rows.
    pub event: EventRecord,
}

impl Approach {
    /// `None` where rows cannot come to depend on each other: there are fewer than two, or they form no loop.
    pub fn new(
        evaluator: &mut Evaluator,
        state: &State,
    ) -> Result<Option<Box<Self>>, DynamicsError> {
        let layout = evaluator.layout();
        if !has_loops(layout) {
            return Ok(None);
        }
        let linear = |source| DynamicsError::Linear { t: state.t, source };
        let singular = SingularValues::new(layout).map_err(linear)?;
        let values = vec![f64::INFINITY; singular.count()];
        Ok(Some(Box::new(Self {
            singular,
            looked: false,
            slopes: Vec::with_capacity(values.len()),
            before: values.clone(),
            after: values,
            rest: 0,
            failed_at: f64::INFINITY,
            why: None,
            limit: f64::INFINITY,
            crossing: None,
            start: Some(state.clone()),
            displaced: state.clone(),
            displacement: vec![0.0; layout.dimension()],
        })))
    }

    /// The state has jumped, or other rows carry multipliers.
    pub fn restart(&mut self) {
        self.looked = false;
        self.singular.restart();
        self.rest = 0;
        self.failed_at = f64::INFINITY;
        self.limit = f64::INFINITY;
    }

    fn look(&mut self, system: &mut Evaluator, at: &Point) -> Result<(), DynamicsError> {
        let singular = &mut self.singular;
        system.uncounted(|system| singular.look(system, at))?;
        self.looked = true;
        Ok(())
    }

    /// The nearest singular configuration on the way from one state to another, or beyond it.
    fn between(
        &mut self,
        system: &mut Evaluator,
        from: &Point,
        to: &Point,
    ) -> Result<Option<Ahead>, DynamicsError> {
        if !self.looked {
            self.look(system, from)?;
        }
        let turned = self.follow(system, from, to)?;
        let fallen = |index: usize| self.before[index] < FALLEN * self.singular.value(index);
        if turned > TURNED || (0..self.singular.count()).any(fallen) {
            self.look(system, from)?;
            self.follow(system, from, to)?;
        }
        let turned = self.singular.turned_between(system);
        let h = to.t - from.t;
        let mut nearest: Option<Ahead> = None;
        for (index, (&before, &after)) in self.before.iter().zip(&self.after).enumerate() {
            let share = before / (before - after);
            if !(before > after && share.is_finite()) {
                continue;
            }
            if nearest.is_none_or(|nearest| share * h < nearest.wait) {
                nearest = Some(Ahead {
                    index,
                    value: before,
                    distance: share * turned,
                    wait: share * h,
                });
            }
        }
        Ok(nearest)
    }

    /// How far rows have turned at the start of a step since the configuration looked at.
    fn follow(
        &mut self,
        system: &mut Evaluator,
        from: &Point,
        to: &Point,
    ) -> Result<f64, DynamicsError> {
        let (singular, before, after) = (&mut self.singular, &mut self.before, &mut self.after);
        system.uncounted(|system| {
            let turned = singular.follow(system, from, before)?;
            singular.follow(system, to, after)?;
            Ok(turned)
        })
    }

    /// The nearest singular configuration if a state goes on for so much time along its velocity and acceleration. The
    /// vectors are found anew.
    fn ahead(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        time: f64,
    ) -> Result<Option<Ahead>, DynamicsError> {
        self.look(system, &from.point())?;
        self.displace(system, from, time);
        let displaced = std::mem::take(&mut self.displaced.q);
        let to = Point {
            t: from.t + time,
            q: &displaced,
            ..from.point()
        };
        let ahead = self.between(system, &from.point(), &to);
        self.displaced.q = displaced;
        ahead
    }

    /// The nearest singular configuration ahead of a state that the motion passes: along velocity and acceleration the
    /// singular value changes its sign. Looked for from the slopes over a part of a step of size h.
    fn passes(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
    ) -> Result<Option<Ahead>, DynamicsError> {
        self.ahead(system, from, SLOPE * h)?;
        let turned = self.singular.turned_between(system);
        self.slopes.clear();
        let pairs = self.before.iter().zip(&self.after);
        (self.slopes).extend(pairs.map(|(&before, &after)| (before, after)));
        let mut nearest: Option<Ahead> = None;
        for index in 0..self.slopes.len() {
            let (before, after) = self.slopes[index];
            let share = before / (before - after);
            let wait = share * SLOPE * h;
            let nearer = nearest.is_none_or(|nearest| wait < nearest.wait);
            let nearer = nearer && share * turned < FORESEEN;
            if !(before > after && share.is_finite() && nearer) {
                continue;
            }
            let beyond = self.value_after(system, from, 2.0 * wait, index)?;
            if beyond < CHANGES_SIGN * before {
                nearest = Some(Ahead {
                    index,
                    value: before,
                    distance: share * turned,
                    wait,
                });
            }
        }
        let Some(ahead) = nearest else {
            return Ok(None);
        };
        // Rows that turn as a whole change the sign as well, to first order. Vectors found there tell.
        self.displace(system, from, ahead.wait);
        let (singular, at) = (&mut self.singular, self.displaced.point());
        system.uncounted(|system| singular.look(system, &at))?;
        let smallest = self.smallest();
        self.look(system, &from.point())?;
        Ok((smallest < VANISHES * ahead.value).then_some(ahead))
    }

    /// The smallest singular value at the configuration looked at last.
    fn smallest(&self) -> f64 {
        let values = (0..self.singular.count()).map(|index| self.singular.value(index));
        values.fold(f64::INFINITY, f64::min)
    }

    fn displace(&mut self, system: &Evaluator, from: &State, time: f64) {
        for (index, u) in self.displacement.iter_mut().enumerate() {
            *u = time * (from.v[index] + 0.5 * time * from.acceleration[index]);
        }
        let space = &system.layout().space;
        space.retract(&from.q, &self.displacement, &mut self.displaced.q);
        self.displaced.t = from.t + time;
    }

    /// One singular value after so much time along velocity and acceleration.
    fn value_after(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        time: f64,
        index: usize,
    ) -> Result<f64, DynamicsError> {
        self.displace(system, from, time);
        let (singular, after, at) = (&mut self.singular, &mut self.after, self.displaced.point());
        system.uncounted(|system| singular.follow(system, &at, after))?;
        Ok(self.after[index])
    }
}

impl Driver<'_> {
    /// Looks at a step of size h that has been tried: whether it comes near a singular configuration, and what is to be done then.
    pub(super) fn course(
        &mut self,
        h: f64,
        attempted: &Result<bool, StepError>,
        stop: f64,
    ) -> Result<Course, SolveErrorKind> {
        let Some(mut approach) = self.approach.take() else {
            return Ok(Course::GoOn);
        };
        let course = match approach.start.take() {
            Some(mut start) => {
                let course = self.decide(&mut approach, &mut start, h, attempted, stop);
                approach.start = Some(start);
                course
            }
            None => Ok(Course::GoOn),
        };
        self.approach = Some(approach);
        match course {
            // What cannot be evaluated beside the motion says nothing about it.
            Err(kind) if !matches!(kind, SolveErrorKind::Singular { .. }) => Ok(Course::GoOn),
            course => course,
        }
    }

    fn decide(
        &mut self,
        approach: &mut Approach,
        start: &mut State,
        h: f64,
        attempted: &Result<bool, StepError>,
        stop: f64,
    ) -> Result<Course, SolveErrorKind> {
        match attempted {
            Err(StepError::Dynamics(
                DynamicsError::Linear { .. }
                | DynamicsError::NotConverged { .. }
                | DynamicsError::NotImplied { .. },
            )) => {
                self.complete_into(start)?;
                let ahead = approach.passes(&mut self.evaluator, start, h)?;
                let near = ahead.filter(|ahead| ahead.distance < BEGIN || ahead.wait < 2.0 * h);
                return match near {
                    Some(ahead) => self.cross(approach, start, &ahead, stop),
                    None => Ok(Course::GoOn),
                };
            }
            Ok(true) => {}
            Ok(false) | Err(_) => return Ok(Course::GoOn),
        }
        if approach.looked && approach.rest > 0 {
            approach.rest -= 1;
            return Ok(Course::GoOn);
        }
        let (from, to) = (self.state.point(), self.next.point());
        let ahead = approach.between(&mut self.evaluator, &from, &to)?;
        let turned = approach.singular.turned_between(&self.evaluator);
        let left = ahead.map_or(f64::INFINITY, |ahead| ahead.distance - turned);
        if left > NEAR {
            approach.limit = f64::INFINITY;
            let steps = UNSEEN * left.min(1.0) / turned.max(f64::MIN_POSITIVE);
            approach.rest = (steps as usize).min(MOST_STEPS);
            return Ok(Course::GoOn);
        }
        self.complete_into(start)?;
        let Some(ahead) = approach.passes(&mut self.evaluator, start, h)? else {
            return Ok(Course::GoOn);
        };
        let fixed = matches!(self.options.control, StepControl::Fixed(_));
        if !fixed && ahead.distance > BEGIN {
            approach.limit = ((ahead.distance - AIM) / turned).clamp(0.1, 0.9) * h;
            return Ok(Course::Shorten);
        }
        if fixed && left <= 0.0 {
            // There will be no nearer start.
            approach.failed_at = f64::INFINITY;
        }
        match self.cross(approach, start, &ahead, stop)? {
            Course::GoOn if left <= 0.0 && approach.why.is_some() => {
                if fixed {
                    return Err(singular(approach, ahead.index, self.state.t, None));
                }
                approach.limit = 0.5 * h;
                Ok(Course::Shorten)
            }
            other => Ok(other),
        }
    }

    /// The state on the constraints, with its acceleration and the multipliers of the kept rows: steps of RATTLE that begin beside the
    /// constraints are not symmetric.
    fn complete_into(&mut self, state: &mut State) -> Result<(), DynamicsError> {
        state.copy_from(&self.state);
        let (system, projector) = (&mut self.evaluator, &mut self.projector);
        projector.project_position(system, state, false)?;
        projector.project_velocity(system, state)?;
        self.accelerations.complete(system, state)
    }

    /// Crosses the singular configuration ahead of a state, if there is one that the motion passes.
    fn cross(
        &mut self,
        approach: &mut Approach,
        from: &State,
        ahead: &Ahead,
        stop: f64,
    ) -> Result<Course, SolveErrorKind> {
        if ahead.distance > AGAIN * approach.failed_at {
            return Ok(Course::GoOn);
        }
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
        let system = &mut self.evaluator;
        crossing.begin(system, from)?;
        let mut wait = ahead.wait;
        let mut centred = false;
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
                centred = true;
                break;
            }
        }
        if !centred {
            return Err(CrossingError::NotSteady);
        }
        let remaining = stop - from.t;
        if remaining <= wait {
            return Ok(None);
        }
        let length = (2.0 * wait).min(remaining);
        let error = crossing.step(system, from, length, wait / length)?;
        if error.is_nan() || error > 1.0 {
            return Err(CrossingError::Inaccurate { error });
        }
        let singular = &mut approach.singular;
        system.uncounted(|system| singular.look(system, &crossing.near.point()))?;
        if approach.smallest() > FALLS * crossing.nearness * ahead.value {
            // The motion has turned away from it, or there is none.
            approach.look(system, &from.point())?;
            approach.failed_at = ahead.distance;
            return Ok(None);
        }
        let next = &mut crossing.end;
        if length == remaining {
            next.t = stop;
        }
        self.projector.project_position(system, next, false)?;
        self.projector.project_energy(system, next, length)?;
        self.accelerations.complete(system, next)?;
        HeldRows::least_norm(&mut self.held, system, next)?;
        self.next.copy_from(next);
        let rows = approach.singular.rows(0);
        Ok(Some(Crossed {
            length,
            event: EventRecord {
                t: from.t + wait,
                kind: "singular".to_owned(),
                label: format!("constraint {}", list(&rows)),
                contact: None,
            },
        }))
    }

    /// Says of a failed step that a singular configuration is the reason, where it is.
    pub(super) fn name_singularity(&mut self, kind: SolveErrorKind) -> SolveErrorKind {
        let cause = match &kind {
            SolveErrorKind::Step(error @ StepError::Dynamics(_)) => Some(Box::new(error.clone())),
            SolveErrorKind::StepTooSmall { cause, .. } => cause.clone(),
            SolveErrorKind::TooManySteps { .. } => None,
            _ => return kind,
        };
        if let Some(StepError::Dynamics(DynamicsError::Evaluation(_))) = cause.as_deref() {
            return kind;
        }
        let Some(mut approach) = self.approach.take() else {
            return kind;
        };
        let index = self.blames(&mut approach);
        let named = match index {
            Some(index) => singular(&mut approach, index, self.state.t, cause),
            None => kind,
        };
        self.approach = Some(approach);
        named
    }

    /// The singular value that has vanished at the state, or is going to within a few steps.
    fn blames(&mut self, approach: &mut Approach) -> Option<usize> {
        let h = match self.options.control {
            StepControl::Fixed(step) => step,
            StepControl::Adaptive { .. } => self.step_size.max(self.smallest_step),
        };
        let at = self.state.point();
        approach.look(&mut self.evaluator, &at).ok()?;
        let vanished =
            (0..approach.singular.count()).find(|&index| approach.singular.value(index) < VANISHED);
        if vanished.is_some() {
            return vanished;
        }
        let mut state = self.state.clone();
        self.complete_into(&mut state).ok()?;
        let ahead = approach
            .ahead(&mut self.evaluator, &state, SLOPE * h)
            .ok()?;
        let near = ahead.filter(|ahead| ahead.distance < CAUSE || ahead.wait < 2.0 * h);
        near.map(|ahead| ahead.index)
    }
}

fn singular(
    approach: &mut Approach,
    index: usize,
    t: f64,
    cause: Option<Box<StepError>>,
) -> SolveErrorKind {
    SolveErrorKind::Singular {
        t,
        rows: approach.singular.rows(index),
        crossing: approach.why.take(),
        cause,
    }
}

/// Rows by number.
pub(super) fn list(rows: &[usize]) -> String {
    const MOST: usize = 8;
    let shown: Vec<String> = rows.iter().take(MOST).map(usize::to_string).collect();
    let rest = if rows.len() > MOST {
        format!(" and {} more", rows.len() - MOST)
    } else {
        String::new()
    };
    let word = if rows.len() == 1 { "row" } else { "rows" };
    format!("{word} {}{rest}", shown.join(", "))
}
