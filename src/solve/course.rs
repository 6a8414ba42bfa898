//! What becomes of a step near a singular configuration: it stands, is shortened, or the driver steps across.

use super::approach::{Ahead, Approach};
use super::crossing::{Crossing, CrossingError};
use super::held_rows::HeldRows;
use super::{Driver, EventRecord, SolveErrorKind, StepControl};
use crate::integrator::StepError;
use crate::system::{DynamicsError, State};

/// A crossing begins at this distance from the singular configuration: near enough for a polynomial, far enough for regular rows.
const NEAR: f64 = 0.1;

/// Adaptive steps that would come nearer are shortened to end at this distance.
const AIM: f64 = 0.14;

/// A crossing may begin at this distance, rather than behind a step that would be very short.
const BEGIN: f64 = 0.2;

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

/// Near a singular configuration it falls in proportion to the distance, but for this factor.
const FALLS: f64 = 2.0;

/// Singular values below this are zero but for round-off.
const VANISHED: f64 = 1e-6;

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
            approach.pass_by();
            let steps = UNSEEN * left.min(1.0) / turned.max(f64::MIN_POSITIVE);
            approach.rest = (steps as usize).min(MOST_STEPS);
            return Ok(Course::GoOn);
        }
        self.complete_into(start)?;
        approach.limit = f64::INFINITY;
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
        let ahead = approach.ahead(&mut self.evaluator, &state, h).ok()?;
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
