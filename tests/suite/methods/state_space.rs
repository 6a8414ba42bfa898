//! Methods on the state-space form: multipliers, parametrizations, redundant rows, what they refuse.

use crate::common::{AnglePendulum, HeavyTop, Pendulum, Sleigh, TopGroup};
use liedae::integrator::{MethodOptions, NewmarkConvergence, NewmarkParameters, StepError};
use liedae::scalar::Scalar;
use liedae::solve::{Options, SolveErrorKind, convergence, solve};
use liedae::system::{
    Automatic, Evaluator, FirstOrder, FirstOrderModel, Model, Parametrization, State, StateSpace,
    System,
};

const METHODS: [(&str, f64, f64); 5] = [
    ("state-space-newmark", 2.0, 4e-3),
    ("state-space-fv", 2.0, 4e-3),
    ("state-space-abm", 2.0, 4e-3),
    ("rk4", 4.0, 1e-2),
    ("sdirk4", 4.0, 1e-2),
];

const PARAMETRIZATIONS: [Parametrization; 3] = [
    Parametrization::CoordinatePartitioning,
    Parametrization::TangentPlane,
    Parametrization::NullSpace,
];

fn options(parametrization: Parametrization) -> MethodOptions {
    MethodOptions {
        parametrization: Some(parametrization),
        ..MethodOptions::default()
    }
}

fn reference(system: &mut dyn System, t_end: f64) -> State {
    let method = crate::known_methods()
        .build("mdop5", &MethodOptions::default())
        .unwrap();
    let tight = Options::adaptive(t_end, 1e-13, 1e-13);
    solve(system, method.as_ref(), &tight).unwrap().state
}

/// Orders in q, v and λ on the pendulum, in every parametrization.
#[test]
fn orders_of_the_multipliers_in_every_parametrization() {
    let exact = reference(&mut Automatic::new(Pendulum), 0.5);
    for parametrization in PARAMETRIZATIONS {
        for (name, order, h) in METHODS {
            let method = crate::known_methods()
                .build(name, &options(parametrization))
                .unwrap();
            let steps = [h, h / 2.0, h / 4.0];
            let mut system = Automatic::new(Pendulum);
            let found = convergence(&mut system, method.as_ref(), &steps, &exact).unwrap();
            let orders = [found.order_q(), found.order_v(), found.order_lambda()];
            println!(
                "{name} {parametrization:?}: {orders:.3?}, error {:e}",
                found.points[2].q
            );
            for observed in orders {
                assert!(
                    observed > order - 0.25,
                    "{name} {parametrization:?}: {orders:?}"
                );
            }
        }
    }
}

#[test]
fn plain_odes_keep_the_order() {
    let exact = reference(&mut Automatic::new(AnglePendulum), 0.5);
    for (name, order, h) in METHODS {
        let method = crate::known_methods()
            .build(name, &MethodOptions::default())
            .unwrap();
        let steps = [h, h / 2.0, h / 4.0];
        let mut system = Automatic::new(AnglePendulum);
        let found = convergence(&mut system, method.as_ref(), &steps, &exact).unwrap();
        let observed = found.order_q();
        println!("{name}: {observed:.3}");
        assert!((observed - order).abs() < 0.25, "{name}: {observed}");
    }
}

/// y1' = -y1 y2, 2 y2' + y1' = y1 - y2: differential states with a matrix E.
struct Reaction;

impl FirstOrderModel for Reaction {
    fn dimension(&self) -> usize {
        2
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![1.0, 0.5]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        rate[0] = -y[0] * y[1];
        rate[1] = y[0] - y[1];
    }
    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        Some(vec![(0, 0, 1.0), (1, 0, 1.0), (1, 1, 2.0)])
    }
}

#[test]
fn differential_states_keep_the_order() {
    let make = || Automatic::new(FirstOrder::new(Reaction).unwrap());
    let exact = reference(&mut make(), 1.0);
    for (name, order, _) in METHODS {
        let method = crate::known_methods()
            .build(name, &MethodOptions::default())
            .unwrap();
        let steps = [0.1, 0.05, 0.025];
        let found = convergence(&mut make(), method.as_ref(), &steps, &exact).unwrap();
        let observed = found.order_x();
        println!("{name}: {observed:.3} in x");
        assert!((observed - order).abs() < 0.3, "{name}: {observed}");
    }
}

#[test]
fn constraints_hold_at_all_levels_on_every_group() {
    for group in [
        TopGroup::Matrix,
        TopGroup::Quaternion,
        TopGroup::RigidMotion,
    ] {
        for parametrization in PARAMETRIZATIONS {
            for (name, ..) in METHODS {
                let mut system = Automatic::new(HeavyTop(group));
                let method = crate::known_methods()
                    .build(name, &options(parametrization))
                    .unwrap();
                let run = solve(&mut system, method.as_ref(), &Options::fixed(0.02, 1e-3));
                let state = run.unwrap().state;
                let rows = system.layout().rows();
                let mut levels = [vec![0.0; rows], vec![0.0; rows], vec![0.0; rows]];
                let mut jacobian = vec![0.0; system.layout().jacobian.nnz()];
                let at = state.point();
                system.position_constraint(&at, &mut levels[0]).unwrap();
                system.velocity_constraint(&at, &mut levels[1]).unwrap();
                system.acceleration_bias(&at, &mut levels[2]).unwrap();
                system.constraint_jacobian(&at, &mut jacobian).unwrap();
                let pattern = system.layout().jacobian.clone();
                pattern.multiply_add(&jacobian, 1.0, &state.acceleration, &mut levels[2]);
                for (level, bound) in levels.iter().zip([1e-12, 1e-9, 1e-6]) {
                    for residual in level {
                        assert!(
                            residual.abs() < bound,
                            "{name} {group:?} {parametrization:?}: {levels:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn coordinates_are_kept_until_the_dependent_ones_are_too_fast() {
    let mut system = Automatic::new(Pendulum);
    let layout = system.layout().clone();
    let mut space = StateSpace::new(&layout, Parametrization::CoordinatePartitioning);
    let mut evaluator = Evaluator::new(&mut system);
    let mut at_angle = |angle: f64| {
        let mut state = Pendulum.initial_state();
        state.q = vec![angle.sin(), -angle.cos()];
        state.v = vec![0.0, 0.0];
        space.rebase(&mut evaluator, &state).unwrap();
        space.choices()
    };
    // dx/dy = -y/x: 0 at first, 1 at 45 degrees, 2 at 26.6 degrees from the bottom.
    let right = 0.5 * std::f64::consts::PI;
    assert_eq!(at_angle(right), 1);
    assert_eq!(at_angle(0.5 * right), 1);
    assert_eq!(at_angle(0.48), 1);
    assert_eq!(at_angle(0.44), 2);
    assert_eq!(at_angle(-0.44), 2);
}

/// The residual is tested before a correction, so that quadratic convergence takes one less.
#[test]
fn the_residual_ends_an_iteration_earlier_at_the_same_solution() {
    let run = |convergence| {
        let choice = MethodOptions {
            newmark: Some(NewmarkParameters {
                convergence,
                ..NewmarkParameters::default()
            }),
            ..MethodOptions::default()
        };
        let method = crate::known_methods()
            .build("state-space-newmark", &choice)
            .unwrap();
        let options = Options::fixed(1.0, 0.01);
        solve(&mut Automatic::new(Pendulum), method.as_ref(), &options).unwrap()
    };
    let [corrected, balanced] =
        [NewmarkConvergence::Correction, NewmarkConvergence::Residual].map(run);
    for (a, b) in corrected.state.q.iter().zip(&balanced.state.q) {
        assert!((a - b).abs() < 1e-8, "{a} {b}");
    }
    let [many, few] = [corrected, balanced].map(|run| run.statistics.work.newton_iterations);
    println!("{many} and {few} corrections in 100 steps");
    assert!(few < many && few >= 100, "{few} {many}");
}

#[test]
fn parameters_that_cannot_be_used_are_refused() {
    use NewmarkConvergence::{Correction, Residual};
    for (beta, gamma, convergence) in [
        (0.0, 0.5, Correction),
        (0.25, 0.4, Correction),
        (f64::NAN, 0.5, Correction),
        (0.25, 0.5, Residual),
    ] {
        let choice = MethodOptions {
            newmark: Some(NewmarkParameters {
                beta,
                gamma,
                convergence,
                ..NewmarkParameters::default()
            }),
            ..MethodOptions::default()
        };
        let method = crate::known_methods()
            .build("state-space-newmark", &choice)
            .unwrap();
        let run = solve(
            &mut Automatic::new(Sleigh),
            method.as_ref(),
            &Options::fixed(0.1, 0.01),
        );
        let error = run.unwrap_err();
        assert!(
            matches!(
                error.kind,
                SolveErrorKind::Step(StepError::Unsupported { .. })
            ),
            "{error}"
        );
    }
}
