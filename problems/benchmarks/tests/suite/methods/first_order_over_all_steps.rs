//! The Euler methods on the mechanisms of Fang et al. 2022: root mean square errors over all steps fall like h.

use crate::common::build;
use liedae::integrator::MethodOptions;
use liedae::solve::{Observer, Options, StepView, log_log_slope, solve_observed};
use liedae::system::output_names;
use liedae_problems::Problem;
use std::ops::ControlFlow;

/// Values of one output at the ends of the steps.
struct Values {
    index: usize,
    outputs: Vec<f64>,
    found: Vec<(f64, f64)>,
}

impl Observer for Values {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        if step.to.t > step.from.t && !step.event {
            let state = step.to.clone();
            step.system()
                .outputs(&state, &mut self.outputs)
                .expect("finite");
            self.found.push((state.t, self.outputs[self.index]));
        }
        ControlFlow::Continue(())
    }
    fn wants_complete_states(&self) -> bool {
        true
    }
}

/// sqrt(Σ (z - z_ref)² / n) over the steps that `counts`.
fn error(
    problem: &mut Problem,
    name: &str,
    output: &str,
    h: f64,
    t_end: f64,
    counts: impl Fn(f64) -> bool,
) -> f64 {
    let names = output_names(&mut problem.system);
    let index = names
        .iter()
        .position(|name| name == output)
        .expect("an output");
    let mut values = Values {
        index,
        outputs: vec![0.0; names.len()],
        found: Vec::new(),
    };
    let integrator = liedae_contact::methods()
        .build(name, &MethodOptions::default())
        .expect("registered");
    let options = Options::fixed(t_end, h);
    solve_observed(
        problem.system.as_mut(),
        integrator.as_ref(),
        &options,
        &mut values,
    )
    .expect("solved");
    let reference = problem.reference.as_ref().expect("a reference");
    let squares: Vec<f64> = values
        .found
        .iter()
        .filter(|(t, _)| counts(*t))
        .map(|&(t, value)| (value - reference.value(output, t).expect("covered")).powi(2))
        .collect();
    assert!(squares.len() > 10);
    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
}

const METHODS: [&str; 3] = ["half-implicit", "half-implicit-newton", "backward-euler"];

#[test]
fn positions_and_velocities_converge_at_order_one() {
    for (name, output) in [
        ("double-pendulum", "z2"),
        ("slider-crank", "v_slider"),
        ("four-link", "G2vx"),
        ("four-link", "G2vy"),
        ("four-link", "G2vz"),
    ] {
        for method in METHODS {
            let errors = [1e-2, 1e-3, 1e-4].map(|h| {
                let mut problem = build(name, &[]);
                let t_end = problem.order_study_end.unwrap_or(problem.t_end);
                (h, error(&mut problem, method, output, h, t_end, |_| true))
            });
            let slope = log_log_slope(errors);
            println!("{name} {output} {method}: slope {slope:.4}, {errors:?}");
            assert!(
                (slope - 1.0).abs() <= 0.05,
                "{name} {output} {method}: {slope}"
            );
        }
    }
}

#[test]
fn torque_and_pivot_force_converge_at_order_one_away_from_the_reversals() {
    // The crank is symmetric: reversals half a period apart.
    let reversal = 0.110_571_030_811_847_76;
    for mu in ["mu=0", "mu=0.2", "mu=0.4"] {
        for output in ["T", "FAx"] {
            for method in METHODS {
                let steps = [4e-3, 2e-3, 1e-3, 5e-4];
                let errors = steps.map(|h| {
                    let mut problem = build("slider-crank", &[mu]);
                    let t_end = problem.t_end;
                    let away = |t: f64| {
                        let phase = (t - reversal).rem_euclid(0.5);
                        phase.min(0.5 - phase) > 0.02
                    };
                    (h, error(&mut problem, method, output, h, t_end, away))
                });
                let slope = log_log_slope(errors);
                println!("slider-crank {mu} {output} {method}: slope {slope:.4}, {errors:?}");
                assert!(
                    (slope - 1.0).abs() <= 0.1,
                    "{mu} {output} {method}: {slope}"
                );
            }
        }
    }
}

#[test]
fn chain_tips_converge_at_order_one() {
    for (n, method) in [
        ("n=1", "half-implicit"),
        ("n=2", "half-implicit"),
        ("n=8", "half-implicit"),
        ("n=8", "backward-euler"),
    ] {
        for output in ["tipx", "tipy", "tipz"] {
            let errors = [4e-3, 2e-3, 1e-3, 5e-4].map(|h| {
                let mut problem = build("chain", &[n]);
                (h, error(&mut problem, method, output, h, 1.0, |_| true))
            });
            let slope = log_log_slope(errors);
            println!("chain {n} {output} {method}: slope {slope:.4}, {errors:?}");
            assert!(
                (slope - 1.0).abs() <= 0.15,
                "{n} {output} {method}: {slope}"
            );
        }
    }
}
