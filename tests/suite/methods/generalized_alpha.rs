//! Generalized-alpha methods: orders in q, v and λ, starting values, damping, changing steps, constraints.

use crate::common::{HeavyTop, Pendulum, Sleigh, TopGroup};
use liedae::integrator::{
    AlphaCoefficients, AlphaCoefficientsError, ConstraintLevel, GeneralizedAlpha, Integrator,
    MethodOptions, NewtonOptions, StepError,
};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::SolveErrorKind;
use liedae::solve::{Observer, Options, StepView, log_log_slope, solve, solve_observed};
use liedae::system::{
    Automatic, Evaluator, Layout, MatrixMut, Model, Point, Projector, State, System,
};
use std::ops::ControlFlow;

const FORMULATIONS: [ConstraintLevel; 3] = [
    ConstraintLevel::Position,
    ConstraintLevel::Velocity,
    ConstraintLevel::Stabilized,
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

fn method(formulation: ConstraintLevel, coefficients: AlphaCoefficients) -> GeneralizedAlpha {
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
fn states_at(make: Make, integrator: &dyn Integrator, times: &[f64]) -> Vec<State> {
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
    let integrator = crate::known_methods()
        .build("mdop5", &MethodOptions::default())
        .expect("registered");
    let options = Options {
        stops: times.to_vec(),
        ..Options::adaptive(times[times.len() - 1], 1e-13, 1e-13)
    };
    let mut record = Record::default();
    solve_observed(make().as_mut(), integrator.as_ref(), &options, &mut record).expect("solved");
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
    formulation: ConstraintLevel,
    coefficients: AlphaCoefficients,
    steps: &[f64],
    factors: &[f64],
    t_end: f64,
) -> [f64; 3] {
    let mut points = [vec![], vec![], vec![]];
    for &h in steps {
        let times = grid(h, factors, t_end);
        let exact = reference_at(make, &times);
        let found = states_at(make, &method(formulation, coefficients), &times);
        let errors = worst(make, &found, &exact);
        for (points, error) in points.iter_mut().zip(errors) {
            points.push((h, error));
        }
    }
    points.map(log_log_slope)
}

const CONSTANT: &[f64] = &[1.0];
const ALTERNATING: &[f64] = &[1.0, 1.3, 0.7];

fn check(
    name: &str,
    formulation: ConstraintLevel,
    coefficients: AlphaCoefficients,
    factors: &[f64],
) {
    let (make, steps, t_end): (Make, _, _) = match name {
        "pendulum" => (pendulum, [8e-3, 4e-3, 2e-3], 1.0),
        "top" => (top_matrix, [4e-4, 2e-4, 1e-4], 0.04),
        "top on SE(3)" => (top_rigid_motion, [4e-4, 2e-4, 1e-4], 0.04),
        _ => (sleigh, [8e-3, 4e-3, 2e-3], 1.0),
    };
    let found = orders(make, formulation, coefficients, &steps, factors, t_end);
    let radius = coefficients.spectral_radius();
    println!("{name}, {formulation:?}, radius {radius:.2}, steps {factors:?}: {found:.2?}");
    for (part, order) in ["q", "v", "lambda"].into_iter().zip(found) {
        // At constant speed the sleigh's velocities are better than the order.
        let free = name == "sleigh" && part == "v";
        assert!(
            order > 1.9 && (free || order < 2.2),
            "{name}, {formulation:?}, {coefficients}: order {order:.2} in {part}"
        );
    }
}

/// The largest errors over all steps, the first one included, so that starting values must be of second order too.
#[test]
fn second_order_from_the_first_step_on() {
    for name in ["pendulum", "top", "top on SE(3)", "sleigh"] {
        for formulation in FORMULATIONS {
            for radius in [0.0, 0.5, 0.9, 1.0] {
                check(name, formulation, with_radius(radius), CONSTANT);
            }
            let hht = AlphaCoefficients::hht(-0.2).expect("in the range");
            check(name, formulation, hht, CONSTANT);
        }
    }
}

#[test]
fn second_order_with_changing_steps() {
    for name in ["pendulum", "top", "top on SE(3)", "sleigh"] {
        for formulation in FORMULATIONS {
            for radius in [0.0, 0.5, 0.8, 0.9] {
                check(name, formulation, with_radius(radius), ALTERNATING);
            }
        }
    }
}

/// One oscillator, far stiffer than any step resolves.
struct Oscillator;

impl Model for Oscillator {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(1))
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![1.0],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        force[0] = at.q[0] * -1e12;
    }
}

#[test]
fn infinitely_fast_oscillations_are_damped_by_the_spectral_radius() {
    let hht = AlphaCoefficients::hht(-0.3).expect("in the range");
    for coefficients in [with_radius(0.3), with_radius(0.5), with_radius(0.8), hht] {
        let times: Vec<f64> = (1..=160).map(f64::from).collect();
        let make: Make = || Box::new(Automatic::new(Oscillator));
        let found = states_at(
            make,
            &method(ConstraintLevel::Position, coefficients),
            &times,
        );
        let size = |state: &State| state.q[0].hypot(state.v[0]);
        // A triple eigenvalue: the amplitude is a quadratic polynomial times the power.
        let ratio =
            (size(&found[160]) / size(&found[80])).powf(1.0 / 80.0) * 4.0_f64.powf(-1.0 / 80.0);
        let radius = coefficients.spectral_radius();
        println!("damping {ratio:.4}, spectral radius {radius:.4}");
        assert!((ratio - radius).abs() < 0.02, "{coefficients}: {ratio}");
    }
    let times: Vec<f64> = (1..=10).map(f64::from).collect();
    let make: Make = || Box::new(Automatic::new(Oscillator));
    let found = states_at(
        make,
        &method(ConstraintLevel::Position, with_radius(0.0)),
        &times,
    );
    assert!(found[10].q[0].abs() < 1e-9, "{}", found[10].q[0]);
}

/// The largest violations of positions and velocities over all steps.
struct Violations {
    projector: Projector,
    worst: [f64; 2],
}

impl Observer for Violations {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let to = step.to.clone();
        let found = self
            .projector
            .violation(step.system(), &to)
            .expect("evaluated");
        for (worst, found) in self.worst.iter_mut().zip([found.position, found.velocity]) {
            assert!(found.is_finite());
            *worst = worst.max(found);
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn the_stabilized_form_satisfies_positions_and_velocities() {
    let options = NewtonOptions {
        tolerance: Some(1e-12),
        ..NewtonOptions::default()
    };
    for (make, h) in [
        (pendulum as Make, 1e-2),
        (top_matrix, 1e-3),
        (top_rigid_motion, 1e-3),
    ] {
        let mut system = make();
        let mut watch = Violations {
            projector: Projector::new(Evaluator::new(system.as_mut()).layout()).expect("allocated"),
            worst: [0.0; 2],
        };
        let integrator =
            GeneralizedAlpha::new(ConstraintLevel::Stabilized, with_radius(0.8), options);
        solve_observed(
            system.as_mut(),
            &integrator,
            &Options::fixed(1.0, h),
            &mut watch,
        )
        .expect("solved");
        println!("violations {:?}", watch.worst);
        assert!(
            watch.worst.iter().all(|&worst| worst < 1e-10),
            "{:?}",
            watch.worst
        );
    }
}

#[test]
fn coefficients_that_do_not_exist_are_refused() {
    let kind = |options: MethodOptions| {
        let integrator = crate::known_methods()
            .build("generalized-alpha", &options)
            .expect("registered");
        solve(
            pendulum().as_mut(),
            integrator.as_ref(),
            &Options::fixed(1.0, 1e-2),
        )
        .unwrap_err()
        .kind
    };
    let none = MethodOptions::default();
    for radius in [-0.1, 1.5, f64::NAN] {
        let found = kind(MethodOptions {
            spectral_radius: Some(radius),
            ..none
        });
        assert!(
            matches!(
                found,
                SolveErrorKind::Step(StepError::Coefficients(
                    AlphaCoefficientsError::SpectralRadius(_)
                ))
            ),
            "{found}"
        );
    }
    let found = kind(MethodOptions {
        hht_alpha: Some(0.2),
        ..none
    });
    assert!(
        matches!(
            found,
            SolveErrorKind::Step(StepError::Coefficients(AlphaCoefficientsError::Hht(_)))
        ),
        "{found}"
    );
    let both = MethodOptions {
        spectral_radius: Some(0.5),
        hht_alpha: Some(-0.1),
        ..none
    };
    assert_eq!(
        kind(both),
        SolveErrorKind::Step(StepError::Coefficients(AlphaCoefficientsError::Both))
    );
}
