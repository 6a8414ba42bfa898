//! What wrappers of methods leave is looked at, whatever the method inside has seen of it.

use liedae::control::ErrorNorm;
use liedae::integrator::{
    Attempt, Integrator, Method, StepError, StepSizes, Stepper, StepperWrapper, WrappedStepper,
};
use liedae::prelude::*;
use liedae::system::Evaluator;

/// A method that spoils one number of the end of its tenth step.
struct Spoiling<'a> {
    method: &'a dyn Integrator,
    spoil: fn(&mut State),
}

struct SpoilingStepper {
    inner: Box<dyn Stepper>,
    spoil: fn(&mut State),
    steps: usize,
}

impl StepperWrapper for SpoilingStepper {
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
        self.steps += 1;
        if self.steps == 10 {
            (self.spoil)(to);
        }
        Ok(attempt)
    }
}

impl Integrator for Spoiling<'_> {
    fn method(&self) -> &'static Method {
        self.method.method()
    }
    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        Ok(Box::new(WrappedStepper(SpoilingStepper {
            inner: self.method.start(system, state, sizes)?,
            spoil: self.spoil,
            steps: 0,
        })))
    }
}

#[test]
fn numbers_that_a_wrapper_spoils_end_the_run() {
    let spoilers: [fn(&mut State); 4] = [
        |to| to.q[1] = f64::NAN,
        |to| to.v[0] = f64::INFINITY,
        |to| to.acceleration[1] = f64::NAN,
        |to| to.lambda[0] = f64::NEG_INFINITY,
    ];
    for name in [
        "half-implicit",
        "half-implicit-newton",
        "backward-euler",
        "generalized-alpha",
        "generalized-alpha-stabilized",
        "hem5",
    ] {
        let method = crate::known_methods()
            .build(name, &MethodOptions::default())
            .expect("registered");
        for spoil in spoilers {
            let mut pendulum = liedae::model([0.6, -0.8], [0.0, 0.0])
                .mass(1.0)
                .force(|_t, _q, _v| [0.0, -9.81])
                .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
                .build()
                .expect("a model");
            let spoiling = Spoiling {
                method: method.as_ref(),
                spoil,
            };
            let failed = solve(&mut pendulum, &spoiling, &Options::fixed(0.1, 1e-3));
            let error = failed.expect_err(name).to_string();
            assert!(error.contains("finite"), "{name}: {error}");
        }
    }
}
