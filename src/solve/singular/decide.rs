//! Decisions near a singular configuration: keep the step, shorten it, or cross the configuration.

use super::monitor::{Approach, Outlook, Way};
use crate::integrator::StepError;
use crate::solve::motion::Motion;
use crate::solve::timeline::Schedule;
use crate::solve::{EventRecord, SolveErrorKind};
use crate::system::{DynamicsError, State};

/// A crossing begins at this distance from the singular configuration: near enough for a polynomial, far enough for regular rows.
pub(in crate::solve) const NEAR: f64 = 0.1;

/// Adaptive steps that would come nearer are shortened to end at this distance.
const AIM: f64 = 0.14;

/// A crossing may begin at this distance, rather than behind a step that would be very short.
const BEGIN: f64 = 0.2;

/// Between two looks rows may turn by this part of the distance.
const UNSEEN: f64 = 0.1;

/// ... and by this part of the smallest singular value, which may fall faster than it does now.
const UNSEEN_VALUE: f64 = 0.2;

/// Steps of the present size between two looks at most.
const MOST_STEPS: f64 = 8.0;

/// A step that fails within this distance, or within as much as rows turn in two such steps, fails for the singular configuration.
pub(in crate::solve) const CAUSE: f64 = 0.3;

/// Singular values below this are zero but for round-off.
const VANISHED: f64 = 1e-6;

/// The decision about an attempted step.
pub(in crate::solve) enum Course {
    /// As usual.
    GoOn,
    /// Try a shorter one.
    Shorten,
    /// Try it again: those rows that carried multipliers were going to depend on each other, and others carry them now.
    OtherRows,
    /// The singular configuration has been crossed instead, by a step of the driver.
    Crossed(Crossed),
}

/// A step across a singular configuration.
pub(in crate::solve) struct Crossed {
    /// Its length in s.
    pub length: f64,
    /// Whether it has been passed, or the step only ends near it.
    pub passed: Option<Passing>,
    /// Other steps across follow this one.
    pub goes_on: bool,
}

/// A singular configuration that has been passed.
#[derive(Clone, Debug)]
pub(in crate::solve) struct Passing {
    pub t: f64,
    /// The rows that came to depend on each other.
    pub rows: Vec<usize>,
    /// How fast rows turned there, per s.
    pub speed: f64,
}

/// Singular configurations this near to each other are one.
const SAME: f64 = 3e-4;

impl Passing {
    /// The event that says so, unless it has just been said: a stop or a jump upon a singular configuration ends one step of the
    /// driver and begins another. `last` is the moment of the last one.
    pub fn event(self, last: Option<f64>) -> Option<EventRecord> {
        let again = |last: f64| (self.t - last).abs() * self.speed < SAME;
        (!last.is_some_and(again)).then(|| EventRecord::singular(self.t, &self.rows))
    }
}

impl Approach {
    /// Looks at a step of size h that has been tried: whether it comes near a singular configuration, and what is to be done then.
    pub fn course(
        &mut self,
        motion: &mut Motion,
        h: f64,
        attempted: &Result<bool, StepError>,
        schedule: Schedule,
    ) -> Result<Course, SolveErrorKind> {
        let course = self
            .with_start(|approach, start| approach.decide(motion, start, h, attempted, schedule));
        match course {
            // What cannot be evaluated beside the motion says nothing about it.
            Err(kind) if !matches!(kind, SolveErrorKind::Singular { .. }) => Ok(Course::GoOn),
            Ok(Course::OtherRows) => {
                motion.change_rows()?;
                Ok(Course::OtherRows)
            }
            course => course,
        }
    }

    /// Memory for a state, beside what is known.
    pub(super) fn with_start(
        &mut self,
        work: impl FnOnce(&mut Self, &mut State) -> Result<Course, SolveErrorKind>,
    ) -> Result<Course, SolveErrorKind> {
        let Some(mut start) = self.start.take() else {
            return Ok(Course::GoOn);
        };
        let course = work(self, &mut start);
        self.start = Some(start);
        course
    }

    fn decide(
        &mut self,
        motion: &mut Motion,
        start: &mut State,
        h: f64,
        attempted: &Result<bool, StepError>,
        schedule: Schedule,
    ) -> Result<Course, SolveErrorKind> {
        // A run that starts beside one must leave it first.
        if !self.looked {
            match self.leave(motion, start, schedule)? {
                Course::GoOn => {}
                course => return Ok(course),
            }
        }
        match attempted {
            // A step that fails in the algebra may have the singular configuration within reach.
            Err(StepError::Dynamics(
                error @ (DynamicsError::Linear { .. }
                | DynamicsError::NotConverged { .. }
                | DynamicsError::NotImplied { .. }),
            )) => {
                let from = std::mem::replace(&mut self.failed_from, motion.state.t);
                // An iteration that does not converge once says that the step was too long, and a shorter one follows: not where sizes are
                // given, nor where other rows may carry multipliers in a step of the same size.
                let shorter = schedule.grid.is_none() && !motion.rows.are_left_out();
                let first = shorter && from != motion.state.t;
                if first && matches!(error, DynamicsError::NotConverged { .. }) {
                    return Ok(Course::GoOn);
                }
                return self.cross_within(motion, start, h, BEGIN, schedule);
            }
            Ok(true) => {}
            Ok(false) | Err(_) => return Ok(Course::GoOn),
        }
        if motion.next.t <= self.rest_until {
            return Ok(Course::GoOn);
        }
        // First order over the step just tried, without further evaluations of the dynamics.
        let (from, to) = (motion.state.point(), motion.next.point());
        let Way { ahead, turned } = self.between(&mut motion.evaluator, &from, &to)?;
        let left = ahead.map_or(f64::INFINITY, |ahead| ahead.distance - turned);
        if left > NEAR {
            self.pass_by();
            // Rows may turn by a part of the distance before the next look.
            let unseen = (UNSEEN * left.min(1.0)).min(0.5 * self.unwatched());
            let unseen = unseen.min(UNSEEN_VALUE * self.smallest_in_step());
            let steps = (unseen / turned.max(f64::MIN_POSITIVE)).min(MOST_STEPS);
            self.rest_until = motion.next.t + steps * h;
            return Ok(Course::GoOn);
        }
        // Near: from a state on the constraints, with all candidates examined.
        motion.complete_moment_into(start)?;
        self.limit = f64::INFINITY;
        let ahead = match self.passes(&mut motion.evaluator, &mut motion.rows, start, h)? {
            Outlook::Clear => return Ok(Course::GoOn),
            Outlook::OtherRows => return Ok(Course::OtherRows),
            Outlook::Singular(ahead) => ahead,
        };
        if ahead.distance - turned > NEAR {
            // What comes near turns back.
            return Ok(Course::GoOn);
        }
        let fixed = schedule.grid.is_some();
        // Adaptive steps can be shortened to end where a crossing begins well.
        if !fixed && ahead.distance > BEGIN {
            self.limit = ((ahead.distance - AIM) / turned).clamp(0.1, 0.9) * h;
            return Ok(Course::Shorten);
        }
        if fixed && left <= 0.0 {
            // There will be no nearer start.
            self.failed_at = f64::INFINITY;
        }
        match self.cross(motion, start, &ahead, schedule)? {
            // The step itself would end beyond it, which no method survives.
            Course::GoOn if left <= 0.0 && self.why.is_some() => {
                if fixed {
                    return Err(singular(self, ahead.index, motion.state.t, None));
                }
                self.limit = 0.5 * h;
                Ok(Course::Shorten)
            }
            other => Ok(other),
        }
    }

    /// Says of a failed step that a singular configuration is the reason, where it is.
    pub fn explain(
        &mut self,
        motion: &mut Motion,
        usual_step: f64,
        kind: SolveErrorKind,
    ) -> SolveErrorKind {
        let cause = match &kind {
            SolveErrorKind::Step(error @ StepError::Dynamics(_)) => Some(Box::new(error.clone())),
            SolveErrorKind::StepTooSmall { cause, .. } => cause.clone(),
            _ => return kind,
        };
        if let Some(StepError::Dynamics(DynamicsError::Evaluation(_))) = cause.as_deref() {
            return kind;
        }
        match self.blames(motion, usual_step) {
            Some(index) => singular(self, index, motion.state.t, cause),
            None => kind,
        }
    }

    /// The singular value that has vanished at the state, or does within a few steps, or did.
    fn blames(&mut self, motion: &mut Motion, h: f64) -> Option<usize> {
        let at = motion.state.point();
        self.look(&mut motion.evaluator, &at).ok()?;
        // A vanished value is a matter of the rows only if they depend on each other as such.
        let vanished = (0..self.singular.count()).find(|&index| {
            self.singular.value(index) < VANISHED
                && self.singular.dependence(&motion.evaluator, index) < VANISHED.sqrt()
        });
        if vanished.is_some() {
            return vanished;
        }
        let mut state = motion.state.clone();
        motion.complete_moment_into(&mut state).ok()?;
        for time in [h, -h] {
            let (system, held) = (&mut motion.evaluator, &mut motion.rows);
            let passed = self.passes(system, held, &state, time).ok()?;
            let near = (passed.singular())
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
            quantities: Vec::new(),
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
