//! Long iterates are measured by the sweep that makes them: that changes no step, and lets nothing pass that is not finite.

use liedae::control::ErrorNorm;
use liedae::integrator::{
    Attempt, Integrator, MethodOptions, StepError, Stepper, StepperWrapper, WrappedStepper,
};
use liedae::solve::{Driver, Options, Silent};
use liedae::system::{Evaluator, State};
use liedae_problems::{Problem, ProblemRegistry};

/// A chain of 400 links, whose state is no short list.
fn chain() -> Problem {
    let chain = ProblemRegistry::standard().lookup("chain").expect("stated");
    chain.build_with(&["n=400", "hangs=1"]).expect("built")
}

/// Leaves a method as it is, but for a number of the acceleration after so many steps. Its word that states are finite is lost.
struct Wrapping<'a> {
    method: &'a dyn Integrator,
    spoils: usize,
}

struct Wrapped {
    inner: Box<dyn Stepper>,
    left: usize,
}

impl StepperWrapper for Wrapped {
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
        if self.left == 0 {
            to.acceleration[1200] = f64::NAN;
        }
        self.left = self.left.saturating_sub(1);
        Ok(attempt)
    }
}

impl Integrator for Wrapping<'_> {
    fn method(&self) -> &'static liedae::integrator::Method {
        self.method.method()
    }
    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        sizes: liedae::integrator::StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        Ok(Box::new(WrappedStepper(Wrapped {
            inner: self.method.start(system, state, sizes)?,
            left: self.spoils,
        })))
    }
}

/// The state after some steps, or what went wrong.
fn after(steps: usize, method: &dyn Integrator) -> Result<State, String> {
    let mut problem = chain();
    let span = Options::fixed(1.0, 2e-4);
    let state = problem.system.initial_state();
    assert!(state.q.len() >= 4096);
    let mut driver = Driver::new(problem.system.as_mut(), method, state, &span).expect("a start");
    for _ in 0..steps {
        let advanced = driver.advance(&mut Silent);
        advanced.map_err(|error| error.to_string())?;
    }
    Ok(driver.state().clone())
}

#[test]
fn who_has_looked_at_a_long_state_changes_nothing() {
    for name in ["half-implicit", "backward-euler", "generalized-alpha"] {
        let methods = liedae_contact::methods();
        let method = methods.build(name, &MethodOptions::default()).expect(name);
        let wrapping = |spoils| Wrapping {
            method: method.as_ref(),
            spoils,
        };
        let alone = after(5, method.as_ref()).expect(name);
        assert!(alone.is_finite());
        assert_eq!(after(5, &wrapping(10)).expect(name), alone, "{name}");
        let error = after(5, &wrapping(3)).expect_err(name);
        assert!(error.contains("finite"), "{name}: {error}");
    }
}
