//! A method that is watched: it does what the inner one does, and its estimates are written down.

use super::Fault;
use liedae::control::ErrorNorm;
use liedae::integrator::{
    Attempt, Integrator, Method, OwnDenseOutput, StepError, StepSizes, Stepper, Work,
};
use liedae::system::{Evaluator, Projector, State};
use std::cell::RefCell;
use std::rc::Rc;

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
    pub seen: Rc<RefCell<Seen>>,
}

impl<'a> Watched<'a> {
    pub fn new(inner: &'a dyn Integrator) -> Self {
        Self {
            inner,
            seen: Rc::default(),
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
        Ok(Box::new(WatchedStepper {
            inner: self.inner.start(system, state, sizes)?,
            seen: Rc::clone(&self.seen),
        }))
    }

    fn looks_after_more(&self, system: &mut Evaluator) -> bool {
        self.inner.looks_after_more(system)
    }

    fn uses_multipliers(&self, system: &mut Evaluator) -> bool {
        self.inner.uses_multipliers(system)
    }
}

struct WatchedStepper {
    inner: Box<dyn Stepper>,
    seen: Rc<RefCell<Seen>>,
}

impl Stepper for WatchedStepper {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        let attempt = self.inner.step(system, from, h, norm, to)?;
        let mut seen = self.seen.borrow_mut();
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
        let mut seen = self.seen.borrow_mut();
        seen.largest_accepted = super::reference::larger(seen.last, seen.largest_accepted);
        drop(seen);
        self.inner.accept(system, from, h, to)
    }

    fn repeats_steps(&self) -> bool {
        self.inner.repeats_steps()
    }

    fn complete(&mut self, system: &mut Evaluator, state: &mut State) -> Result<(), StepError> {
        self.inner.complete(system, state)
    }

    fn restart(&mut self, system: &mut Evaluator, state: &State) -> Result<(), StepError> {
        self.inner.restart(system, state)
    }

    fn retry_factor(&self) -> f64 {
        self.inner.retry_factor()
    }

    fn dense_output(&mut self) -> Option<&mut dyn OwnDenseOutput> {
        self.inner.dense_output()
    }

    fn energy_projector(&mut self) -> Option<&mut Projector> {
        self.inner.energy_projector()
    }

    fn work(&self) -> Work {
        self.inner.work()
    }
}
