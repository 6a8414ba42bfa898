//! Runs whose steps are written down: their Newton iterations, and whether they were projected.

use crate::experiment::{Case, Choice};
use liedae::control::ErrorNorm;
use liedae::integrator::{
    Attempt, Integrator, Method, StepError, StepSizes, Stepper, StepperWrapper, WrappedStepper,
};
use liedae::solve::{Observer, Options, Solution, SolveError, solve_observed};
use liedae::system::{Evaluator, State};
use std::sync::{Arc, Mutex, PoisonError};

/// What the steps of a run did.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Log {
    /// Newton iterations of every step that was tried and did not fail: where it ends in s, and how many.
    pub iterations: Vec<(f64, usize)>,
    /// Accepted steps of the method: not those up to events, whose ends the driver puts onto the constraints.
    pub accepted: usize,
    /// Those whose end the method moved when they were accepted, by more than round-off: projected it.
    pub projected: usize,
}

/// A run that is observed, and what its steps did.
pub(super) fn logged(
    case: &mut Case,
    choice: &Choice,
    options: &Options,
    observer: &mut dyn Observer,
) -> (Result<Solution, SolveError>, Log) {
    let log: Arc<Mutex<Log>> = Arc::default();
    let probe = Probe {
        inner: choice.build(),
        log: Arc::clone(&log),
    };
    let result = solve_observed(case.system(), &probe, options, observer);
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    (result, std::mem::take(&mut *log))
}

/// A method whose steps write down what they do.
struct Probe {
    inner: Box<dyn Integrator>,
    log: Arc<Mutex<Log>>,
}

struct ProbeStepper {
    inner: Box<dyn Stepper>,
    log: Arc<Mutex<Log>>,
    /// Configuration and velocity before a step is accepted.
    before: [Vec<f64>; 2],
}

impl Integrator for Probe {
    fn method(&self) -> &'static Method {
        self.inner.method()
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        Ok(Box::new(WrappedStepper(ProbeStepper {
            inner: self.inner.start(system, state, sizes)?,
            log: Arc::clone(&self.log),
            before: [state.q.clone(), state.v.clone()],
        })))
    }

    fn owns_contacts(&self, system: &mut Evaluator) -> bool {
        self.inner.owns_contacts(system)
    }

    fn uses_multipliers(&self, system: &mut Evaluator) -> bool {
        self.inner.uses_multipliers(system)
    }
}

impl StepperWrapper for ProbeStepper {
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
        let before = self.inner.work().newton_iterations;
        let attempt = self.inner.step(system, from, h, norm, to)?;
        let iterations = self.inner.work().newton_iterations - before;
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.iterations.push((from.t + h, iterations));
        Ok(attempt)
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        let [q, v] = &mut self.before;
        q.clone_from(&to.q);
        v.clone_from(&to.v);
        self.inner.accept(system, from, h, to)?;
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.accepted += 1;
        log.projected += usize::from(is_moved(q, &to.q) || is_moved(v, &to.v));
        Ok(())
    }
}

/// Rotations are put back onto their group now and then, which moves numbers by round-off. It is no projection.
const ROUND_OFF: f64 = 1e-14;

/// Whether numbers differ by more than round-off.
fn is_moved(before: &[f64], after: &[f64]) -> bool {
    let mut pairs = before.iter().zip(after);
    // Written so that NaN is a difference.
    !pairs.all(|(before, after)| (after - before).abs() <= ROUND_OFF * before.abs().max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::CommandError;
    use crate::registry::Registry;
    use liedae::solve::Silent;

    #[test]
    fn round_off_is_no_projection() {
        assert!(!is_moved(&[1.0, -3e5], &[1.0 + 4e-16, -3e5 - 1e-10]));
        assert!(is_moved(&[1.0, 0.0], &[1.0, 1e-12]));
        assert!(is_moved(&[1.0], &[f64::NAN]));
    }

    #[test]
    fn a_run_that_is_written_down_is_the_same_run() -> Result<(), CommandError> {
        for (method, projected) in [
            ("mdop5:projection=every", true),
            ("mdop5:projection=never", false),
            ("bdf", false),
        ] {
            let case = || Registry::standard().case::<&str>("newton-cradle", &[], Some(1.0));
            let choice = Registry::standard().choice(method)?;
            let options = Options::adaptive(1.0, 1e-5, 1e-5);
            let (logged, log) = logged(&mut case()?, &choice, &options, &mut Silent);
            let method = choice.build();
            let plain =
                liedae::solve::solve(case()?.system(), method.as_ref(), &options)?.statistics;
            let statistics = logged?.statistics;
            assert_eq!(statistics, plain);
            // Steps that end at events are projected by the driver, by no choice of the method.
            assert!(
                log.accepted > 0 && log.accepted <= statistics.accepted,
                "{log:?}"
            );
            assert_eq!(log.projected > 0, projected, "{log:?}");
        }
        Ok(())
    }
}
