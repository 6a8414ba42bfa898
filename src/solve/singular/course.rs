//! What becomes of a step near a singular configuration: it stands, is shortened, or the driver steps across.

use crate::integrator::StepError;
use crate::solve::singular::approach::Approach;
use crate::solve::{Driver, EventRecord, SolveErrorKind, StepControl};
use crate::system::{DynamicsError, State};

/// A crossing begins at this distance from the singular configuration: near enough for a polynomial, far enough for regular rows.
pub(in crate::solve) const NEAR: f64 = 0.1;

/// Adaptive steps that would come nearer are shortened to end at this distance.
const AIM: f64 = 0.14;

/// A crossing may begin at this distance, rather than behind a step that would be very short.
const BEGIN: f64 = 0.2;

/// Between two looks rows may turn by this part of the distance.
const UNSEEN: f64 = 0.1;

/// Steps of the present size between two looks at most.
const MOST_STEPS: f64 = 8.0;

/// A step that fails within this distance, or within as much as rows turn in two such steps, fails for the singular configuration.
pub(in crate::solve) const CAUSE: f64 = 0.3;

/// Singular values below this are zero but for round-off.
const VANISHED: f64 = 1e-6;

/// What is to be done with a step that has been tried.
pub(in crate::solve) enum Course {
    /// As usual.
    GoOn,
    /// Try a shorter one.
    Shorten,
    /// The singular configuration has been crossed instead, by a step into `self.next`.
    Crossed(Crossed),
}

/// A step across a singular configuration.
pub(in crate::solve) struct Crossed {
    /// Its length in s.
    pub length: f64,
    /// When, and which rows, if it has been passed.
    pub event: Option<EventRecord>,
}

impl Driver<'_> {
    /// Looks at a step of size h that has been tried: whether it comes near a singular configuration, and what is to be done then.
    pub(in crate::solve) fn course(
        &mut self,
        h: f64,
        attempted: &Result<bool, StepError>,
        stop: f64,
    ) -> Result<Course, SolveErrorKind> {
        let course = self.with_approach(|driver, approach, start| {
            driver.decide(approach, start, h, attempted, stop)
        });
        match course {
            // What cannot be evaluated beside the motion says nothing about it.
            Err(kind) if !matches!(kind, SolveErrorKind::Singular { .. }) => Ok(Course::GoOn),
            course => course,
        }
    }

    /// What is known of singular configurations, beside the driver, and memory for a state; as usual where they are not watched.
    pub(in crate::solve) fn with_approach(
        &mut self,
        work: impl FnOnce(&mut Self, &mut Approach, &mut State) -> Result<Course, SolveErrorKind>,
    ) -> Result<Course, SolveErrorKind> {
        let Some(mut approach) = self.approach.take() else {
            return Ok(Course::GoOn);
        };
        let course = match approach.start.take() {
            Some(mut start) => {
                let course = work(self, &mut approach, &mut start);
                approach.start = Some(start);
                course
            }
            None => Ok(Course::GoOn),
        };
        self.approach = Some(approach);
        course
    }

    fn decide(
        &mut self,
        approach: &mut Approach,
        start: &mut State,
        h: f64,
        attempted: &Result<bool, StepError>,
        stop: f64,
    ) -> Result<Course, SolveErrorKind> {
        if !approach.looked
            && let Some(left) = self.leave(approach, start, stop)?
        {
            return Ok(Course::Crossed(left));
        }
        match attempted {
            Err(StepError::Dynamics(
                DynamicsError::Linear { .. }
                | DynamicsError::NotConverged { .. }
                | DynamicsError::NotImplied { .. },
            )) => return self.cross_within(approach, start, h, BEGIN, stop),
            Ok(true) => {}
            Ok(false) | Err(_) => return Ok(Course::GoOn),
        }
        if self.next.t <= approach.rest_until {
            return Ok(Course::GoOn);
        }
        let (from, to) = (self.state.point(), self.next.point());
        let ahead = approach.between(&mut self.evaluator, &from, &to)?;
        let turned = approach.singular.turned_between(&self.evaluator);
        let left = ahead.map_or(f64::INFINITY, |ahead| ahead.distance - turned);
        if left > NEAR {
            approach.pass_by();
            let unseen = (UNSEEN * left.min(1.0)).min(0.5 * approach.unwatched());
            let steps = (unseen / turned.max(f64::MIN_POSITIVE)).min(MOST_STEPS);
            approach.rest_until = self.next.t + steps * h;
            return Ok(Course::GoOn);
        }
        self.complete_into(start)?;
        approach.limit = f64::INFINITY;
        let Some(ahead) = approach.passes(&mut self.evaluator, start, h)? else {
            return Ok(Course::GoOn);
        };
        if ahead.distance - turned > NEAR {
            // What comes near turns back.
            return Ok(Course::GoOn);
        }
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

    /// A step over which rows turn enough to tell where they are going to: steps that have failed have become too short for that.
    pub(in crate::solve) fn usual_step(&self) -> f64 {
        match self.options.control {
            StepControl::Fixed(step) => step,
            StepControl::Adaptive { .. } => self.step_size.max(self.last_step),
        }
    }

    /// Says of a failed step that a singular configuration is the reason, where it is.
    pub(in crate::solve) fn name_singularity(&mut self, kind: SolveErrorKind) -> SolveErrorKind {
        let cause = match &kind {
            SolveErrorKind::Step(error @ StepError::Dynamics(_)) => Some(Box::new(error.clone())),
            SolveErrorKind::StepTooSmall { cause, .. } => cause.clone(),
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

    /// The singular value that has vanished at the state, or does within a few steps, or did.
    fn blames(&mut self, approach: &mut Approach) -> Option<usize> {
        let h = self.usual_step();
        let at = self.state.point();
        approach.look(&mut self.evaluator, &at).ok()?;
        let vanished = (0..approach.singular.count()).find(|&index| {
            approach.singular.value(index) < VANISHED
                && approach.singular.dependence(&self.evaluator, index) < VANISHED.sqrt()
        });
        if vanished.is_some() {
            return vanished;
        }
        let mut state = self.state.clone();
        self.complete_into(&mut state).ok()?;
        for time in [h, -h] {
            let passed = approach.passes(&mut self.evaluator, &state, time).ok()?;
            let near = passed
                .filter(|passed| passed.distance < CAUSE || (0.0..2.0 * h).contains(&passed.wait));
            if let Some(passed) = near {
                return Some(passed.index);
            }
        }
        None
    }
}

pub(in crate::solve) fn singular(
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

impl EventRecord {
    /// The kind of events that say so.
    pub(in crate::solve) const SINGULAR: &str = "singular";

    /// That rows have come to depend on each other for a moment.
    pub(in crate::solve) fn singular(t: f64, rows: &[usize]) -> Self {
        Self {
            t,
            kind: Self::SINGULAR.to_owned(),
            label: format!("constraint {}", list(rows)),
            contact: None,
        }
    }
}

/// Rows by number.
pub(in crate::solve) fn list(rows: &[usize]) -> String {
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
