//! How far states between the ends of steps are from the motion through the start of the step.

use liedae::control::Tolerances;
use liedae::integrator::{MethodOptions, MethodRegistry};
use liedae::solve::{Observer, Options, Silent, StepControl, StepView, solve_from, solve_observed};
use liedae::system::{Evaluator, State, System, event_descriptions, project_initial_state};
use liedae_problems::{Problem, ProblemRegistry};
use std::ops::ControlFlow;

/// Samples of a run that are compared.
const SAMPLES: usize = 12;

/// Starts of steps, and the states in the middle.
#[derive(Default)]
struct Middles {
    seen: Vec<[State; 2]>,
    /// One of so many steps is kept.
    stride: usize,
    steps: usize,
}

impl Middles {
    const MOST: usize = 1024;
}

impl Observer for Middles {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let (from, to) = (step.from.t, step.to.t);
        self.steps += 1;
        if to > from && self.steps.is_multiple_of(self.stride.max(1)) {
            let start = step.from.clone();
            let middle = step.at(0.5 * (from + to)).clone();
            self.seen.push([start, middle]);
        }
        if self.seen.len() == Self::MOST {
            self.stride = 2 * self.stride.max(1);
            let mut keeps = false;
            self.seen.retain(|_| {
                keeps = !keeps;
                keeps
            });
        }
        ControlFlow::Continue(())
    }
    fn wants_dense_output(&self) -> bool {
        true
    }
}

fn options(t_end: f64, tolerance: f64, scale: f64) -> Options {
    let control = StepControl::Adaptive {
        tolerances: Tolerances::uniform(tolerance, tolerance * scale),
        controller: None,
        initial_step: None,
    };
    Options::new(t_end, control)
}

/// The motion from a state to a time.
fn exact(problem: &mut Problem, start: &State, t: f64) -> Option<State> {
    let system = problem.system.as_mut();
    let mechanism = system.layout().dimension() > 0;
    let mut start = start.clone();
    if mechanism {
        project_initial_state(&mut Evaluator::new(system), &mut start).ok()?;
    }
    let method = MethodRegistry::standard()
        .build("radau5", &MethodOptions::default())
        .ok()?;
    // Raised tolerances: 0.1 tol^(2/3) is 1e-10 of the tolerance.
    let options = options(t, 1e-13, problem.absolute_scale);
    let solution = solve_from(system, method.as_ref(), start, &options, &mut Silent).ok()?;
    Some(solution.state)
}

/// Largest distances in tolerances: configurations, velocities and states, then algebraic variables, then multipliers.
fn distances(system: &dyn System, found: &State, exact: &State, tolerances: [f64; 2]) -> [f64; 3] {
    let [relative, absolute] = tolerances;
    let space = &system.layout().space;
    let mut displacement = vec![0.0; space.dimension()];
    space.lift(&exact.q, &found.q, &mut displacement);
    let q = displacement.iter().map(|u| u.abs() / (absolute + relative));
    let list = |found: &[f64], exact: &[f64]| -> f64 {
        let errors = found.iter().zip(exact);
        let errors = errors.map(|(a, b)| (a - b).abs() / (absolute + relative * b.abs()));
        errors.fold(
            0.0,
            |largest, error| if error <= largest { largest } else { error },
        )
    };
    let q = q.fold(
        0.0,
        |largest, error| if error <= largest { largest } else { error },
    );
    let motion = q
        .max(list(&found.v, &exact.v))
        .max(list(&found.x, &exact.x));
    [
        motion,
        list(&found.z, &exact.z),
        list(&found.lambda, &exact.lambda),
    ]
}

/// A run's largest distances in the middles of steps, by kind of variable.
fn middles(name: &str, method: &str, tolerance: f64, part: f64) -> Result<[f64; 3], String> {
    let mut problem = (ProblemRegistry::standard().lookup(name))
        .and_then(|entry| entry.build_with(&[]))
        .map_err(|error| error.to_string())?;
    let integrator = MethodRegistry::standard()
        .build(method, &MethodOptions::default())
        .map_err(|error| error.to_string())?;
    let start = problem.system.initial_state().t;
    let t_end = start + part * (problem.t_end - start);
    let mut options = options(t_end, tolerance, problem.absolute_scale);
    options.max_steps = 200_000;
    let mut seen = Middles::default();
    let run = solve_observed(
        problem.system.as_mut(),
        integrator.as_ref(),
        &options,
        &mut seen,
    );
    run.map_err(|error| error.to_string())?;
    let count = seen.seen.len();
    let mut worst = [0.0_f64; 3];
    for sample in 0..SAMPLES.min(count) {
        let [start, middle] = &seen.seen[sample * count / SAMPLES.min(count)];
        let Some(exact) = exact(&mut problem, start, middle.t) else {
            continue;
        };
        let tolerances = [tolerance, tolerance * problem.absolute_scale];
        let found = distances(problem.system.as_ref(), middle, &exact, tolerances);
        for (worst, found) in worst.iter_mut().zip(found) {
            *worst = if found <= *worst { *worst } else { found };
        }
    }
    Ok(worst)
}

/// Fast problems of first order and mechanisms, to a part of their time.
#[test]
fn samples_are_within_the_tolerance() {
    let mut far = Vec::new();
    for (name, part, methods) in [
        ("hires", 0.2, &["radau5", "bdf"][..]),
        (
            "transistor-amplifier",
            0.05,
            &["radau5", "bdf", "bdf-lie", "backward-euler"],
        ),
        ("ring-modulator", 0.01, &["radau5", "bdf"]),
        (
            "andrews",
            0.2,
            &[
                "radau5", "bdf", "hem5", "mdop5", "dopri5", "dop853", "phem56",
            ],
        ),
    ] {
        for method in methods {
            for tolerance in [1e-4, 1e-6] {
                if *method == "backward-euler" && tolerance < 1e-4 {
                    continue;
                }
                let [motion, z, lambda] = middles(name, method, tolerance, part)
                    .unwrap_or_else(|error| panic!("{name} {method}: {error}"));
                println!("{name} {method} {tolerance:e}: {motion:.2} {z:.2} {lambda:.2}");
                // Multipliers of the stages of Radau IIA at index 2 and of PHEM56 are of order 3.
                let multipliers = match *method {
                    "radau5" | "phem56" => 0.0,
                    _ => lambda,
                };
                if motion.max(z).max(multipliers) > 100.0 {
                    far.push(format!(
                        "{name} {method} {tolerance:e}: {motion} {z} {lambda}"
                    ));
                }
            }
        }
    }
    assert!(far.is_empty(), "{far:#?}");
}

/// The table: `cargo test --release -p liedae-problems --test suite table_of_samples -- --ignored --nocapture`.
#[test]
#[ignore = "takes an hour"]
fn table_of_samples() {
    let wanted = std::env::var("PROBLEMS").unwrap_or_default();
    let wanted: Vec<&str> = wanted.split(',').filter(|name| !name.is_empty()).collect();
    for entry in ProblemRegistry::standard().entries() {
        let Ok(mut problem) = entry.build_with(&[]) else {
            continue;
        };
        // Contacts end most steps at events.
        if !event_descriptions(problem.system.as_mut()).is_empty() {
            continue;
        }
        let name = problem.name;
        if !wanted.is_empty() && !wanted.contains(&name) {
            continue;
        }
        for method in MethodRegistry::standard().entries() {
            let method = method.method;
            if !method.is_adaptive() {
                continue;
            }
            for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
                if method.orders.q < 3 && tolerance < 1e-6 {
                    continue;
                }
                let shown = match middles(name, method.name, tolerance, 0.1) {
                    Ok([motion, z, lambda]) => format!("{motion:9.2} {z:9.2} {lambda:9.2}"),
                    Err(error) => error.chars().take(70).collect(),
                };
                println!("{name:28} {:24} {tolerance:e} {shown}", method.name);
            }
        }
    }
}
