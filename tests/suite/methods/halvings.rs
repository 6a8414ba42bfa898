//! Fixed steps that fail are halved, and steps behind them have the size that was asked for.

use liedae::control::ErrorNorm;
use liedae::integrator::{
    Attempt, Integrator, Method, MethodOption, MethodOptions, NewtonOptions, StepError, StepSizes,
    Stepper, StepperWrapper, WrappedStepper,
};
use liedae::prelude::*;
use liedae::solve::{Observer, Silent, SolveError, SolveErrorKind, StepView, solve_observed};
use liedae::system::{DynamicsError, Evaluator, State};
use std::ops::ControlFlow;

const STEP: f64 = 0.02;
const END: f64 = 1.0;

/// A pendulum of 1 m that falls from the horizontal.
fn pendulum() -> impl System {
    liedae::model([1.0, 0.0], [0.0, 0.0])
        .mass(1.0)
        .force(|_t, _q, _v| [0.0, -9.81])
        .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
        .build()
        .expect("a pendulum")
}

/// The times at which steps have ended.
#[derive(Default)]
struct Ends(Vec<f64>);

impl Observer for Ends {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        self.0.push(step.to.t);
        ControlFlow::Continue(())
    }
}

/// Where it is at the end.
fn exact() -> Result<Vec<f64>, SolveError> {
    let method = liedae::integrator::Dop853::default();
    let options = Options::adaptive(END, 1e-12, 1e-12);
    Ok(solve(&mut pendulum(), &method, &options)?.state.q)
}

fn distance(found: &[f64], right: &[f64]) -> f64 {
    (found[0] - right[0]).hypot(found[1] - right[1])
}

/// With few iterations steps of 0.02 s fail somewhere, and shorter ones do not. Every moment of the grid is landed on, failures are counted,
/// and the end is about as exact as it is with iterations enough.
#[test]
fn steps_that_fail_are_halved() -> Result<(), Box<dyn std::error::Error>> {
    let exact = exact()?;
    let mut tried = 0;
    for entry in crate::methods() {
        if !entry.takes(MethodOption::Newton) {
            continue;
        }
        let name = entry.method.name;
        let run = |max_iterations: usize, max_halvings: u32, observer: &mut dyn Observer| {
            let options = MethodOptions {
                newton: Some(NewtonOptions {
                    max_iterations,
                    ..NewtonOptions::default()
                }),
                ..MethodOptions::default()
            };
            let method =
                (crate::known_methods().build(name, &options)).expect("it takes the option");
            let options = Options {
                max_halvings,
                ..Options::fixed(END, STEP)
            };
            solve_observed(&mut pendulum(), method.as_ref(), &options, observer)
        };
        let error = |solution: &Solution| distance(&solution.state.q, &exact);
        let usual = error(&run(50, 0, &mut Silent)?);
        // The most iterations with which a step fails: where none does they are enough.
        for iterations in (1..12).rev() {
            let Err(strict) = run(iterations, 0, &mut Silent) else {
                continue;
            };
            let not_converged = matches!(
                &strict.kind,
                SolveErrorKind::Step(StepError::Dynamics(DynamicsError::NotConverged { .. }))
            );
            assert!(not_converged, "{name}: {strict}");
            let mut ends = Ends::default();
            let Ok(halved) = run(iterations, 10, &mut ends) else {
                break;
            };
            assert!(halved.statistics.rejected.total() > 0, "{name}");
            assert!(halved.statistics.smallest_step < 0.6 * STEP, "{name}");
            for count in 1..=(END / STEP).round() as usize {
                let moment = count as f64 * STEP;
                let landed = ends.0.iter().any(|end| (end - moment).abs() < 1e-12);
                assert!(landed, "{name}: {moment}");
            }
            assert!(
                error(&halved) < 2.0 * usual + 1e-6,
                "{name}: {:e}",
                error(&halved)
            );
            tried += 1;
            break;
        }
    }
    assert!(tried >= 12, "{tried}");
    Ok(())
}

/// What no halving helps ends the run after so many, each counted.
#[test]
fn halvings_end() {
    let newton = NewtonOptions {
        max_iterations: 1,
        ..NewtonOptions::default()
    };
    let options = MethodOptions {
        newton: Some(newton),
        ..MethodOptions::default()
    };
    let method = (crate::known_methods().build("radau5", &options)).expect("it takes the option");
    for halvings in [0, 3, 10] {
        let options = Options {
            max_halvings: halvings,
            ..Options::fixed(END, STEP)
        };
        let error = solve(&mut pendulum(), method.as_ref(), &options).expect_err("one is too few");
        assert_eq!(error.statistics.rejected.total(), halvings as usize);
    }
}

/// Steps that are too long for stability end in numbers that are not finite: shorter ones from there on would bring nonsense to the end.
#[test]
fn divergence_is_not_halved() {
    for name in ["rk4", "dopri5", "dop853"] {
        let mut stiff = liedae::model([1.0], [0.0])
            .mass(1.0)
            .force(|_t, [x], [v]| [x * -1e6 - v * (v * v + 1e5)])
            .build()
            .expect("a mass");
        let method = (crate::known_methods().build(name, &MethodOptions::default())).expect(name);
        let error = solve(&mut stiff, method.as_ref(), &Options::fixed(10.0, 0.01));
        let error = error.expect_err(name);
        assert_eq!(error.statistics.rejected.total(), 0, "{name}: {error}");
    }
}

/// A method whose steps of [`AT`] fail unless they are short.
struct Failing(Box<dyn Integrator>);

struct FailingStepper(Box<dyn Stepper>);

/// Where they fail, and the longest ones there that do not.
const AT: [f64; 2] = [0.3, 0.32];
const SHORT: f64 = STEP / 1000.0;

impl Integrator for Failing {
    fn method(&self) -> &'static Method {
        self.0.method()
    }
    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        let inner = self.0.start(system, state, sizes)?;
        Ok(Box::new(WrappedStepper(FailingStepper(inner))))
    }
}

impl StepperWrapper for FailingStepper {
    fn inner(&self) -> &dyn Stepper {
        self.0.as_ref()
    }
    fn inner_mut(&mut self) -> &mut dyn Stepper {
        self.0.as_mut()
    }
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        let attempt = self.0.step(system, from, h, norm, to);
        if h > SHORT && from.t > AT[0] - SHORT && from.t + SHORT < AT[1] {
            return Err(StepError::Dynamics(DynamicsError::NotConverged {
                t: from.t,
                what: "a step of the test",
                iterations: 0,
                correction: 0.0,
            }));
        }
        attempt
    }
}

/// Where steps must be a thousand times shorter for a moment, the way back to the given size costs no accuracy: methods of several steps do
/// not bear a doubling in every step.
#[test]
fn sizes_come_back_without_harm() -> Result<(), Box<dyn std::error::Error>> {
    let exact = exact()?;
    let mut tried = 0;
    for entry in crate::methods() {
        let name = entry.method.name;
        let run = |method: &dyn Integrator| {
            let options = Options::fixed(END, STEP);
            let end = solve(&mut pendulum(), method, &options)?;
            let error = distance(&end.state.q, &exact);
            Ok::<_, SolveError>((error, end.statistics.rejected.total()))
        };
        let method = crate::known_methods().build(name, &MethodOptions::default())?;
        let Ok((usual, _)) = run(method.as_ref()) else {
            continue;
        };
        let (error, failed) = run(&Failing(method))?;
        assert!(failed >= 10, "{name}: {failed}");
        assert!(error < 2.0 * usual + 1e-9, "{name}: {error:e}, {usual:e}");
        tried += 1;
    }
    assert!(tried >= 15, "{tried}");
    Ok(())
}
