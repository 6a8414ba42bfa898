//! A step that is tried: judged, searched for events, accepted, or refused.

use super::events::jumps::Jump;
use super::properties::SHORTER;
use super::rows::{Remedies, Remedy};
use super::singular::decide::{Course, Crossed};
use super::{Driver, Observer, SolveErrorKind, turning};
use crate::integrator::{Attempt, StepError};
use crate::linalg::KktError;
use crate::system::{DynamicsError, EvaluationError, LimitReached};

/// A step that has been taken.
pub(super) enum Taken {
    /// By the method, and accepted, of this length.
    Whole(f64),
    /// Up to an event that has changed the state.
    UpTo(Jump),
    /// By the driver: across or beside a singular configuration, or between moments that nearly coincide.
    Across(Crossed),
}

/// What has become of a step that was tried.
pub(super) enum Trial {
    Taken(Taken),
    /// Try again: other rows carry multipliers in it. The step has failed, unless they have been changed before it could.
    WithOtherRows(Option<DynamicsError>),
    /// Try a shorter one: the error is too large, or something lies ahead.
    Inaccurate,
    /// Try a shorter one, by a retry factor of the method.
    Failed(DynamicsError),
}

/// Whether an iteration has failed, the method's own or one within an evaluation, or its matrix is singular. Numbers that are not finite
/// are what a step that is too long for stability ends in: with shorter ones from there on nonsense would reach the end of the run.
pub(super) fn is_of_iteration(error: &DynamicsError) -> bool {
    matches!(
        error,
        DynamicsError::NotConverged { .. }
            | DynamicsError::Evaluation(EvaluationError::Foreign(_))
            | DynamicsError::Linear {
                source: KktError::Singular { .. },
                ..
            }
    )
}

impl Driver<'_> {
    /// Takes a step: the method may fail, and its error may refuse it.
    #[inline(always)]
    pub(super) fn step_and_judge(&mut self, h: f64, target: f64) -> Result<bool, StepError> {
        let judge = |attempt: &Attempt| self.timeline.judge(h, attempt);
        let accurate = self.motion.step(target, h, judge)?;
        if accurate && self.motion.row_check.is_some() {
            let stops = self.timeline.stops_at(self.motion.state.t, target);
            self.motion.check_rows(stops)?;
        }
        Ok(accurate)
    }

    /// A step in which a body turns by half a turn is none, however small its error is.
    #[inline(always)]
    pub(super) fn refuse_half_turns(
        &mut self,
        judged: Result<bool, StepError>,
        h: f64,
    ) -> Result<Result<bool, StepError>, SolveErrorKind> {
        let ends = [&self.motion.state.v[..], &self.motion.next.v];
        if !matches!(judged, Ok(true)) {
            return Ok(judged);
        }
        let Some(angle) = self.turning.too_far(h, ends) else {
            return Ok(judged);
        };
        if self.timeline.is_constant() {
            return Err(turning::refused(self.motion.state.t, h, angle).into());
        }
        self.timeline.go_on_with(turning::shortened(h, angle));
        Ok(Ok(false))
    }

    /// Whether a step that is good enough is accepted as it is, as nothing may lie ahead of it or within it.
    pub(super) fn looks_for_nothing(&self) -> bool {
        self.approach.is_none() && !self.locator.is_needed() && self.properties.is_none()
    }

    /// What becomes of a step that has been tried. Events within it are located and handled before the method accepts the step, so that the
    /// method can repeat it up to them.
    pub(super) fn decide(
        &mut self,
        judged: Result<bool, StepError>,
        h: f64,
        stop: f64,
        tried: &mut Remedies,
        observer: &mut dyn Observer,
    ) -> Result<Trial, SolveErrorKind> {
        match self.course(h, &judged, stop)? {
            Course::GoOn => {}
            Course::Shorten => return Ok(Trial::Inaccurate),
            Course::OtherRows => {
                self.rows_have_changed();
                return Ok(Trial::WithOtherRows(None));
            }
            Course::Crossed(crossed) => return Ok(Trial::Taken(Taken::Across(crossed))),
        }
        match judged {
            Ok(true) => {}
            Ok(false) => return Ok(Trial::Inaccurate),
            Err(StepError::Dynamics(error)) if self.has_other_rows(&error, tried)? => {
                return Ok(Trial::WithOtherRows(Some(error)));
            }
            Err(error) => return self.failed(h, error),
        }

        // Look for events before the method accepts: only then can it repeat the step up to them.
        let (motion, step, locator) = (&mut self.motion, &mut self.step, &mut self.locator);
        let mut handled = false;
        if locator.is_needed() {
            match locator.find_events(motion, step) {
                Ok(false) => {}
                Ok(true) => {
                    locator.refuse_chatter(motion)?;
                    // Handlers are called: a failure from here on cannot be undone.
                    handled = true;
                    if let Some(jump) = locator.pass_events(motion, step, observer, h)? {
                        return Ok(Trial::Taken(Taken::UpTo(jump)));
                    }
                    // Nothing has jumped: the whole step is accepted.
                }
                Err(error) => return self.failed(h, error),
            }
        }
        // An event may keep stated bounds, which the step leaves beyond it.
        if let Some(properties) = &mut self.properties
            && !handled
            && properties.refuses(motion, h)?
        {
            self.timeline.go_on_with(SHORTER * h);
            return Ok(Trial::Inaccurate);
        }
        match motion.accept(h) {
            Ok(()) => Ok(Trial::Taken(Taken::Whole(h))),
            Err(error) if handled => Err(error.into()),
            Err(error) => self.failed(h, error),
        }
    }

    /// A step has failed that may be tried with another size.
    pub(super) fn failed(&mut self, h: f64, error: StepError) -> Result<Trial, SolveErrorKind> {
        if self.motion.evaluator.is_out_of_time() {
            return Err(StepError::Limit(LimitReached::Time).into());
        }
        match error {
            StepError::Dynamics(error) if self.timeline.is_constant() => {
                if is_of_iteration(&error) && self.timeline.halve() {
                    Ok(Trial::Failed(error))
                } else {
                    Err(StepError::Dynamics(error).into())
                }
            }
            StepError::Dynamics(error) => {
                let factor = self.motion.stepper.retry_factor();
                self.timeline.go_on_with(factor * h);
                Ok(Trial::Failed(error))
            }
            error => Err(error.into()),
        }
    }

    /// What becomes of a step that has been tried, near a singular configuration.
    pub(super) fn course(
        &mut self,
        h: f64,
        attempted: &Result<bool, StepError>,
        stop: f64,
    ) -> Result<Course, SolveErrorKind> {
        let Some(approach) = &mut self.approach else {
            return Ok(Course::GoOn);
        };
        approach.course(&mut self.motion, h, attempted, self.timeline.schedule(stop))
    }

    /// Whether a step that has failed may be tried again, because other rows carry multipliers in it.
    pub(super) fn has_other_rows(
        &mut self,
        error: &DynamicsError,
        tried: &mut Remedies,
    ) -> Result<bool, SolveErrorKind> {
        let remedy = self.motion.other_rows(error, tried)?;
        if remedy == Remedy::Changed {
            self.rows_have_changed();
        }
        Ok(remedy != Remedy::None)
    }
}
