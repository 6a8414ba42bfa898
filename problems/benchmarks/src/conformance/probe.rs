//! A wrapper that records the error estimates of a method.

use super::Fault;
use liedae::control::ErrorNorm;
use liedae::integrator::{
    Attempt, Integrator, Method, StepError, StepSizes, Stepper, StepperWrapper, WrappedStepper,
};
use liedae::system::{Evaluator, State};
use std::sync::{Arc, Mutex, PoisonError};

/// What has been seen of a method's steps.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The first step without a usable estimate.
    pub fault: Option<Fault>,
    /// The largest estimate of all accepted steps.
    pub largest_accepted: f64,
    /// That of the last step.
    last: f64,
    /// Steps.
    pub steps: usize,
}

/// A method whose estimates are written down.
pub(super) struct Watched<'a> {
    inner: &'a dyn Integrator,
    pub seen: Arc<Mutex<Seen>>,
}

impl<'a> Watched<'a> {
    pub fn new(inner: &'a dyn Integrator) -> Self {
        Self {
            inner,
            seen: Arc::default(),
        }
    }
}

impl Integrator for Watched<'_> {
    fn method(&self) -> &'static Method {
        self.inner.method()
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        Ok(Box::new(WrappedStepper(WatchedStepper {
            inner: self.inner.start(system, state, sizes)?,
            seen: Arc::clone(&self.seen),
        })))
    }

    fn owns_contacts(&self, system: &mut Evaluator) -> bool {
        self.inner.owns_contacts(system)
    }

    fn uses_multipliers(&self, system: &mut Evaluator) -> bool {
        self.inner.uses_multipliers(system)
    }
}

struct WatchedStepper {
    inner: Box<dyn Stepper>,
    seen: Arc<Mutex<Seen>>,
}

impl StepperWrapper for WatchedStepper {
    fn inner(&self) -> &dyn Stepper {
        self.inner.as_ref()
    }

    fn inner_mut(&mut self) -> &mut dyn Stepper {
        self.inner.as_mut()
    }

    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        let attempt = self.inner.step(system, from, h, norm, to)?;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.steps += 1;
        let fault = match attempt.error {
            None => Some(Fault::NoEstimate { t: from.t }),
            // A step whose end is not finite is refused whatever its estimate is.
            Some(error) if !to.is_finite() || (error.is_finite() && error >= 0.0) => None,
            Some(value) => Some(Fault::Estimate {
                t: from.t,
                h,
                value,
            }),
        };
        if seen.fault.is_none() {
            seen.fault = fault;
        }
        seen.last = attempt.error.unwrap_or(f64::NAN);
        Ok(attempt)
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.largest_accepted = super::reference::larger(seen.last, seen.largest_accepted);
        drop(seen);
        self.inner.accept(system, from, h, to)
    }
}
