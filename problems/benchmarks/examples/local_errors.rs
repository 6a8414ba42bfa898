//! Where the error of an adaptive run comes from: of every accepted step the estimate, the true local error, and what
//! the exact motion makes of it until the end.
//!
//! `cargo run --release -p liedae-problems --example local_errors -- andrews 0.03 bdf 1e-4 1e-6 1e-8`
//!
//! With Φ the exact motion (dop853 at 1e-13), e_n = y_n - Φ(y_{n-1}) is a local error, and
//! E_n = Φ(t_end; y_n) - Φ(t_end; y_{n-1}) its part of the error at the end, which is the sum of all E_n. Everything is in
//! units of the tolerance, in the norm of the step-size control. A method as good as its tolerance has local errors of at
//! most 1; the largest |E_n| / |e_n| is what the problem does to them, over local errors above 0.01.

use liedae::control::{ErrorNorm, Tolerances};
use liedae::integrator::{
    Attempt, Integrator, Method, MethodOptions, StepError, StepSizes, Stepper, StepperWrapper,
    WrappedStepper,
};
use liedae::manifold::Manifold;
use liedae::solve::{Observer, Options, Silent, StepView, solve_from, solve_observed};
use liedae::system::{Evaluator, State, System, project_initial_state};
use liedae_problems::{Parameters, ProblemRegistry};
use std::error::Error;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

/// Local errors below this many tolerances are not followed: they may be round-off.
const NOISE: f64 = 1e-2;

/// A method whose error estimates are overheard.
struct Overheard {
    method: Box<dyn Integrator>,
    accepted: Arc<Mutex<Vec<f64>>>,
}

impl Integrator for Overheard {
    fn method(&self) -> &'static Method {
        self.method.method()
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        Ok(Box::new(WrappedStepper(OverheardStepper {
            stepper: self.method.start(system, state, sizes)?,
            estimate: f64::NAN,
            accepted: Arc::clone(&self.accepted),
        })))
    }

    fn owns_contacts(&self, system: &mut Evaluator) -> bool {
        self.method.owns_contacts(system)
    }

    fn uses_multipliers(&self, system: &mut Evaluator) -> bool {
        self.method.uses_multipliers(system)
    }
}

struct OverheardStepper {
    stepper: Box<dyn Stepper>,
    estimate: f64,
    accepted: Arc<Mutex<Vec<f64>>>,
}

impl StepperWrapper for OverheardStepper {
    fn inner(&self) -> &dyn Stepper {
        self.stepper.as_ref()
    }

    fn inner_mut(&mut self) -> &mut dyn Stepper {
        self.stepper.as_mut()
    }

    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        let attempt = self.stepper.step(system, from, h, norm, to)?;
        self.estimate = attempt.error.unwrap_or(f64::NAN);
        Ok(attempt)
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        self.accepted
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(self.estimate);
        self.stepper.accept(system, from, h, to)
    }
}

/// All accepted states.
struct States(Vec<State>);

impl Observer for States {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        self.0.push(step.to.clone());
        ControlFlow::Continue(())
    }
}

/// The exact motion from a state, moved onto the constraints, to a time.
fn exact(system: &mut dyn System, state: &State, t_end: f64) -> Result<State, Box<dyn Error>> {
    let mut start = state.clone();
    project_initial_state(&mut Evaluator::new(system), &mut start)?;
    if t_end <= start.t {
        return Ok(start);
    }
    let method = liedae_contact::methods().build("dop853", &MethodOptions::default())?;
    let options = Options::adaptive(t_end, 1e-13, 1e-13);
    Ok(solve_from(system, method.as_ref(), start, &options, &mut Silent)?.state)
}

/// Distance in units of the tolerance.
fn distance(space: &Manifold, norm: &mut ErrorNorm, state: &State, truth: &State) -> f64 {
    norm.weigh(truth, truth);
    let mut displacement = vec![0.0; space.dimension()];
    space.lift(&truth.q, &state.q, &mut displacement);
    let difference =
        |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
    let (v, x) = (
        difference(&state.v, &truth.v),
        difference(&state.x, &truth.x),
    );
    norm.root_mean_square(&displacement, &v, &x)
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [problem, t_end, method, tolerances @ ..] = &arguments[..] else {
        return Err("expected PROBLEM T_END METHOD TOLERANCE...".into());
    };
    let t_end: f64 = t_end.parse()?;
    let (name, formulation) = match method.split_once(':') {
        Some((name, formulation)) => (name, Some(formulation.parse()?)),
        None => (&method[..], None),
    };
    println!(
        "{problem} to {t_end} s with {method}, in units of the tolerance\n{:>9} {:>6} {:>17} {:>17} {:>8} {:>10} {:>10} {:>9}",
        "tolerance",
        "steps",
        "estimate med/max",
        "local med/max",
        "sum",
        "at the end",
        "sum |E_n|",
        "|E|/|e|"
    );
    for tolerance in tolerances {
        let value: f64 = tolerance.parse()?;
        let entry = ProblemRegistry::standard()
            .find(problem)
            .ok_or("an unknown problem")?;
        let mut built = (entry.build)(&Parameters::defaults(&entry))?;
        let system = built.system.as_mut();
        let mut norm = ErrorNorm::new(&Tolerances::uniform(value, value), system.layout())?;
        let estimates = Arc::new(Mutex::new(Vec::new()));
        let options = MethodOptions {
            formulation,
            ..MethodOptions::default()
        };
        let integrator = Overheard {
            method: liedae_contact::methods().build(name, &options)?,
            accepted: Arc::clone(&estimates),
        };
        let mut states = States(Vec::new());
        let options = Options::adaptive(t_end, value, value);
        solve_observed(system, &integrator, &options, &mut states)?;
        let States(states) = states;

        let space = system.layout().space.clone();
        let truth = exact(system, &states[0], t_end)?;
        let mut before = truth.clone();
        let (mut local, mut parts, mut factors) = (Vec::new(), Vec::new(), Vec::new());
        for pair in states.windows(2) {
            let step = exact(system, &pair[0], pair[1].t)?;
            let error = distance(&space, &mut norm, &pair[1], &step);
            let end = exact(system, &pair[1], t_end)?;
            let part = distance(&space, &mut norm, &end, &before);
            local.push(error);
            parts.push(part);
            if error > NOISE {
                factors.push(part / error);
            }
            before = end;
        }
        let last = states.last().ok_or("no steps")?;
        let estimates = estimates.lock().unwrap_or_else(PoisonError::into_inner);
        println!(
            "{tolerance:>9} {:6} {:8.2} {:8.2} {:8.2} {:8.2} {:8.1} {:10.1} {:10.1} {:9.1}",
            local.len(),
            median(&estimates),
            largest(&estimates),
            median(&local),
            largest(&local),
            local.iter().sum::<f64>(),
            distance(&space, &mut norm, last, &truth),
            parts.iter().sum::<f64>(),
            largest(&factors),
        );
    }
    Ok(())
}
