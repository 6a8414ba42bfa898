//! Backward differentiation formulas: orders at every index and on groups, stiff problems, changing steps.

use crate::common::{AnglePendulum, HeavyTop, Pendulum, TopGroup};
use liedae::integrator::{Bdf, BdfLie, Integrator, MethodOptions, NewtonOptions};
use liedae::scalar::Scalar;
use liedae::solve::{Convergence, Options, convergence, solve};
use liedae::system::{
    AccelerationSolver, Automatic, Evaluator, FirstOrder, FirstOrderModel, Formulation, Model,
    State, System,
};

const FORMULATIONS: [Formulation; 5] = [
    Formulation::Index3,
    Formulation::Index2,
    Formulation::StabilizedIndex2,
    Formulation::Index1,
    Formulation::Baumgarte {
        alpha: 10.0,
        beta: 10.0,
    },
];

fn tight(mut system: Box<dyn System>, t_end: f64) -> State {
    let integrator = crate::known_methods()
        .build("mdop5", &MethodOptions::default())
        .expect("a registered method");
    let options = Options::adaptive(t_end, 1e-13, 1e-13);
    let solution = solve(system.as_mut(), integrator.as_ref(), &options);
    solution.expect("solved").state
}

/// Multipliers and accelerations of a state.
fn completed(system: &mut dyn System, mut state: State) -> State {
    let mut solver = AccelerationSolver::new(system.layout()).expect("patterns fit");
    solver
        .complete(&mut Evaluator::new(system), &mut state)
        .expect("regular");
    state
}

fn pendulum_reference(t: f64) -> State {
    let angle = tight(Box::new(Automatic::new(AnglePendulum)), t);
    let (theta, omega) = (angle.q[0], angle.v[0]);
    let state = State {
        t,
        q: vec![theta.sin(), -theta.cos()],
        v: vec![omega * theta.cos(), omega * theta.sin()],
        ..Pendulum.initial_state()
    };
    completed(&mut Automatic::new(Pendulum), state)
}

fn report(label: &str, found: &Convergence) {
    println!(
        "{label}: orders {:.2} in q, {:.2} in v, {:.2} in lambda",
        found.order_q(),
        found.order_v(),
        found.order_lambda()
    );
    for point in &found.points {
        println!(
            "    h {:e}: errors {:.2e} {:.2e} {:.2e}, {:?}",
            point.h, point.q, point.v, point.lambda, point.statistics.work
        );
    }
}

#[test]
fn every_order_on_every_formulation() {
    let reference = pendulum_reference(1.0);
    let steps = [0.02, 0.01, 0.005, 0.0025];
    for formulation in FORMULATIONS {
        for order in 1..=5 {
            let method =
                Bdf::new(Some(formulation), NewtonOptions::default()).with_highest_order(order);
            let mut system = Automatic::new(Pendulum);
            let found = convergence(&mut system, &method, &steps, &reference).expect("solved");
            report(&format!("bdf {order}, index {formulation}"), &found);
            let expected = order as f64;
            assert!((found.order_q() - expected).abs() < 0.4);
            assert!((found.order_v() - expected).abs() < 0.4);
            // At low orders the steps are too large for the multipliers' errors to be in proportion.
            if order >= 4 {
                assert!((found.order_lambda() - expected).abs() < 0.5);
            }
        }
    }
}

fn check_heavy_top(
    group: TopGroup,
    reference: &State,
    (method, label): (&dyn Integrator, &str),
    order: usize,
) {
    let steps = [4e-4, 2e-4, 1e-4];
    let mut system = Automatic::new(HeavyTop(group));
    let found = convergence(&mut system, method, &steps, reference).expect("solved");
    report(&format!("{label} {order} on {group:?}"), &found);
    let expected = order as f64;
    for observed in [found.order_q(), found.order_v()] {
        assert!((observed - expected).abs() < 0.5, "{label}: {observed}");
    }
    // Beyond, errors of multipliers come down to those that the Newton iteration leaves.
    let highest = if matches!(group, TopGroup::RigidMotion) {
        2
    } else {
        3
    };
    if order <= highest {
        let observed = found.order_lambda();
        assert!((observed - expected).abs() < 0.5, "{label}: {observed}");
    }
}

#[test]
fn orders_on_lie_groups() {
    for group in [
        TopGroup::Matrix,
        TopGroup::Quaternion,
        TopGroup::RigidMotion,
    ] {
        let state = tight(Box::new(Automatic::new(HeavyTop(group))), 0.1);
        let reference = completed(&mut Automatic::new(HeavyTop(group)), state);
        for formulation in [Formulation::Index3, Formulation::StabilizedIndex2] {
            let newton = NewtonOptions::default();
            for order in 1..=4 {
                let method = BdfLie::new(Some(formulation), newton).with_steps(order);
                let label = format!("bdf-lie, index {formulation}");
                check_heavy_top(group, &reference, (&method, &label), order);
            }
            for order in [2, 3, 5] {
                let method = Bdf::new(Some(formulation), newton).with_highest_order(order);
                let label = format!("bdf, index {formulation}");
                check_heavy_top(group, &reference, (&method, &label), order);
            }
        }
    }
}

/// Errors at t = 1 of Bdf::new on this formulation with tolerances.
#[test]
fn tolerances_are_met_within_two_digits() {
    let reference = pendulum_reference(1.0);
    for formulation in FORMULATIONS {
        for tolerance in [1e-4, 1e-6, 1e-8] {
            let method = Bdf::new(Some(formulation), NewtonOptions::default());
            let options = Options::adaptive(1.0, tolerance, tolerance);
            let solution = solve(&mut Automatic::new(Pendulum), &method, &options);
            let solution = solution.expect("solved");
            let largest = |found: &[f64], truth: &[f64]| {
                let errors = found.iter().zip(truth).map(|(a, b)| (a - b).abs());
                errors.fold(0.0, f64::max)
            };
            let state = &solution.state;
            let error = largest(&state.q, &reference.q);
            println!(
                "index {formulation} at {tolerance:e}: error {error:.2e} in q, {:.2e} in v, {:.2e} in lambda, {} steps, {} rejected",
                largest(&state.v, &reference.v),
                largest(&state.lambda, &reference.lambda),
                solution.statistics.accepted,
                solution.statistics.rejected.total()
            );
            assert!(error < 100.0 * tolerance);
        }
    }
}

struct VanDerPol;

impl FirstOrderModel for VanDerPol {
    fn dimension(&self) -> usize {
        2
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![2.0, 0.0]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        rate[0] = y[1];
        rate[1] = (S::constant(1.0) - y[0] * y[0]) * y[1] * 1000.0 - y[0];
    }
}

/// Robertson's reaction; as a DAE the third equation says that mass is kept.
struct Robertson {
    algebraic: bool,
}

impl FirstOrderModel for Robertson {
    fn dimension(&self) -> usize {
        3
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![1.0, 0.0, 0.0]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        let (slow, fast) = (y[0] * 0.04, y[1] * y[1] * 3e7);
        let back = y[1] * y[2] * 1e4;
        rate[0] = back - slow;
        rate[1] = slow - back - fast;
        rate[2] = if self.algebraic {
            y[0] + y[1] + y[2] - S::constant(1.0)
        } else {
            fast
        };
    }
    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        self.algebraic.then(|| vec![(0, 0, 1.0), (1, 1, 1.0)])
    }
    fn index(&self) -> Vec<u8> {
        vec![0, 0, u8::from(self.algebraic)]
    }
}

/// The largest relative error at the end.
fn stiff<F: FirstOrderModel>(model: F, t_end: f64, tolerances: [f64; 2], end: &[f64]) -> f64 {
    let mut system = Automatic::new(FirstOrder::new(model).expect("well stated"));
    let method = crate::known_methods()
        .build("bdf", &MethodOptions::default())
        .expect("registered");
    let options = Options::adaptive(t_end, tolerances[0], tolerances[1]);
    let solution = solve(&mut system, method.as_ref(), &options).expect("solved");
    let errors = solution.state.x.iter().zip(end);
    let error = errors
        .map(|(x, end)| ((x - end) / end).abs())
        .fold(0.0, f64::max);
    let statistics = &solution.statistics;
    println!(
        "to t = {t_end:e} at {:e}: error {error:.2e}, {} steps, {} rejected, {:?}, {} Jacobians",
        tolerances[0],
        statistics.accepted,
        statistics.rejected.total(),
        statistics.work,
        statistics.evaluations.jacobian
    );
    error
}

/// Derivatives of a jump are worth nothing in the slow motion behind it, where the iteration with them seems to converge at once: at
/// single tolerances the position was off by 30 to 7,600 of them.
#[test]
fn derivatives_of_a_jump_do_not_outlive_it() {
    let end = 1.706_167_732_170_469;
    for number in 0..40 {
        let tolerance = 10_f64.powf(-2.5 - f64::from(number) / 20.0);
        let mut system = Automatic::new(FirstOrder::new(VanDerPol).expect("well stated"));
        let options = Options::adaptive(2000.0, tolerance, tolerance);
        let solution = solve(&mut system, &Bdf::default(), &options).expect("solved");
        let error = (solution.state.x[0] - end).abs() / tolerance;
        assert!(error < 100.0, "{error} tolerances of {tolerance:e}");
    }
}

/// End values of the Test Set for IVP Solvers, Bari 2008.
#[test]
fn stiff_problems_end_where_published() {
    for tolerance in [1e-4, 1e-6] {
        let end = [1.706_167_732_170_469, -8.928_097_010_248_125e-4];
        let error = stiff(VanDerPol, 2000.0, [tolerance, tolerance], &end);
        assert!(error < 300.0 * tolerance, "{error:e}");
        for algebraic in [false, true] {
            let end = [
                2.083_340_149_701_255e-8,
                8.333_360_770_334_713e-14,
                0.999_999_979_166_505,
            ];
            let tolerances = [tolerance, 1e-8 * tolerance];
            let error = stiff(Robertson { algebraic }, 1e11, tolerances, &end);
            assert!(error < 100.0 * tolerance, "{error:e}");
        }
    }
}
