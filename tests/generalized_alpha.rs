//! Generalized-alpha methods: orders in q, v and λ, starting values, damping, changing steps, constraints.

mod common;

use common::{HeavyTop, Pendulum, Sleigh, TopGroup};
use liedae::integrator::{
    AlphaCoefficients, Formulation, GeneralizedAlpha, Integrator, MethodOptions, NewtonOptions,
    build,
};
use liedae::solve::{Observer, Options, StepView, log_log_slope, solve_observed};
use liedae::system::{Automatic, State, System};
use std::ops::ControlFlow;

const FORMULATIONS: [Formulation; 3] = [
    Formulation::Position,
    Formulation::Velocity,
    Formulation::Stabilized,
];

type Make = fn() -> Box<dyn System>;

fn pendulum() -> Box<dyn System> {
    Box::new(Automatic::new(Pendulum))
}

fn sleigh() -> Box<dyn System> {
    Box::new(Automatic::new(Sleigh))
}

fn top_matrix() -> Box<dyn System> {
    Box::new(Automatic::new(HeavyTop(TopGroup::Matrix)))
}

fn top_rigid_motion() -> Box<dyn System> {
    Box::new(Automatic::new(HeavyTop(TopGroup::RigidMotion)))
}

fn method(formulation: Formulation, coefficients: AlphaCoefficients) -> GeneralizedAlpha {
    GeneralizedAlpha::new(formulation, coefficients, NewtonOptions::default())
}

fn with_radius(radius: f64) -> AlphaCoefficients {
    AlphaCoefficients::from_spectral_radius(radius).expect("a radius in [0, 1]")
}

/// Records the complete states at the ends of steps.
#[derive(Default)]
struct Record(Vec<State>);

impl Observer for Record {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        self.0.push(step.to.clone());
        ControlFlow::Continue(())
    }
    fn wants_complete_states(&self) -> bool {
        true
    }
}

/// The states at these times, with steps from one to the next.
fn states_at(make: Make, integrator: &mut dyn Integrator, times: &[f64]) -> Vec<State> {
    let t_end = times[times.len() - 1];
    let options = Options {
        stops: times.to_vec(),
        ..Options::fixed(t_end, t_end)
    };
    let mut record = Record::default();
    solve_observed(make().as_mut(), integrator, &options, &mut record).expect("solved");
    assert_eq!(record.0.len(), times.len() + 1);
    record.0
}

/// The same to 1e-13 by an explicit method of order 5 with the multipliers of the index-1 form.
fn reference_at(make: Make, times: &[f64]) -> Vec<State> {
    let mut integrator = build("mdop5", &MethodOptions::default()).expect("registered");
    let options = Options {
        stops: times.to_vec(),
        ..Options::adaptive(times[times.len() - 1], 1e-13, 1e-13)
    };
    let mut record = Record::default();
    solve_observed(make().as_mut(), integrator.as_mut(), &options, &mut record).expect("solved");
    let at = |&t: &f64| {
        let found = record.0.iter().find(|state| (state.t - t).abs() < 1e-14);
        found.expect("a stop").clone()
    };
    std::iter::once(record.0[0].clone())
        .chain(times.iter().map(at))
        .collect()
}

/// Largest errors in q, v and λ over all steps.
fn worst(make: Make, found: &[State], exact: &[State]) -> [f64; 3] {
    let system = make();
    let space = &system.layout().space;
    let mut errors = [0.0_f64; 3];
    let mut u = vec![0.0; space.dimension()];
    for (found, exact) in found.iter().zip(exact) {
        space.lift(&exact.q, &found.q, &mut u);
        let differences = [
            u.clone(),
            found.v.iter().zip(&exact.v).map(|(a, b)| a - b).collect(),
            found
                .lambda
                .iter()
                .zip(&exact.lambda)
                .map(|(a, b)| a - b)
                .collect::<Vec<_>>(),
        ];
        for (error, differences) in errors.iter_mut().zip(&differences) {
            for difference in differences {
                assert!(difference.is_finite());
                *error = error.max(difference.abs());
            }
        }
    }
    errors
}

/// Grid of steps h times the factors in turn, up to about `t_end`.
fn grid(h: f64, factors: &[f64], t_end: f64) -> Vec<f64> {
    let turn: f64 = factors.iter().sum();
    let turns = (t_end / (h * turn)).round() as usize;
    let mut times = Vec::new();
    for index in 0..turns {
        let mut t = index as f64 * turn * h;
        for factor in factors {
            t += factor * h;
            times.push(t);
        }
    }
    times
}

/// Observed orders of the largest errors over all steps.
fn orders(
    make: Make,
    formulation: Formulation,
    coefficients: AlphaCoefficients,
    steps: &[f64],
    factors: &[f64],
    t_end: f64,
) -> [f64; 3] {
    let mut points = [vec![], vec![], vec![]];
    for &h in steps {
        let times = grid(h, factors, t_end);
        let exact = reference_at(make, &times);
        let found = states_at(make, &mut method(formulation, coefficients), &times);
        let errors = worst(make, &found, &exact);
        for (points, error) in points.iter_mut().zip(errors) {
            points.push((h, error));
        }
    }
    println!("{formulation:?} {coefficients}: {points:.2?}");
    points.map(log_log_slope)
}

#[test]
fn explore() {
    for (name, make, steps, t_end) in [
        ("pendulum", pendulum as Make, [8e-3, 4e-3, 2e-3], 1.0),
        ("top", top_matrix, [4e-4, 2e-4, 1e-4], 0.04),
        ("top se3", top_rigid_motion, [4e-4, 2e-4, 1e-4], 0.04),
        ("sleigh", sleigh, [8e-3, 4e-3, 2e-3], 1.0),
    ] {
        for formulation in FORMULATIONS {
            for radius in [0.0, 0.5, 0.8, 0.9, 1.0] {
                for factors in [vec![1.0], vec![1.0, 1.3, 0.7]] {
                    let found = orders(
                        make,
                        formulation,
                        with_radius(radius),
                        &steps,
                        &factors,
                        t_end,
                    );
                    println!("{name} {formulation:?} {radius} {factors:?} => {found:.2?}");
                }
            }
        }
    }
}
