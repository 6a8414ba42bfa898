//! Backward differentiation formulas: orders, stiff systems, formulations.

mod common;

use common::{AnglePendulum, HeavyTop, Pendulum, TopGroup};
use liedae::integrator::{Bdf, BdfLie, MethodOptions, NewtonOptions, build};
use liedae::scalar::Scalar;
use liedae::solve::{Convergence, Options, convergence, solve};
use liedae::system::{
    AccelerationSolver, Automatic, Evaluator, FirstOrder, FirstOrderModel, Formulation, Model,
    State, System,
};

fn tight(mut system: Box<dyn System>, method: &str, t_end: f64) -> State {
    let mut integrator = build(method, &MethodOptions::default()).expect("a registered method");
    let options = Options::adaptive(t_end, 1e-13, 1e-13);
    solve(system.as_mut(), integrator.as_mut(), &options)
        .expect("solved")
        .state
}

fn pendulum_reference(t: f64) -> State {
    let angle = tight(Box::new(Automatic::new(AnglePendulum)), "mdop5", t);
    let (theta, omega) = (angle.q[0], angle.v[0]);
    let mut state = State {
        t,
        q: vec![theta.sin(), -theta.cos()],
        v: vec![omega * theta.cos(), omega * theta.sin()],
        ..Pendulum.initial_state()
    };
    let mut system = Automatic::new(Pendulum);
    let layout = system.layout().clone();
    AccelerationSolver::new(&layout)
        .unwrap()
        .complete(&mut Evaluator::new(&mut system), &mut state)
        .unwrap();
    state
}

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

fn observed(formulation: Formulation, order: usize, reference: &State) -> Convergence {
    let mut method =
        Bdf::new(Some(formulation), NewtonOptions::default()).with_highest_order(order);
    let steps = [0.02, 0.01, 0.005, 0.0025];
    convergence(
        &mut Automatic::new(Pendulum),
        &mut method,
        &steps,
        reference,
    )
    .expect("solved")
}

#[test]
fn orders_of_the_pendulum() {
    let reference = pendulum_reference(1.0);
    for formulation in FORMULATIONS {
        for order in 1..=5 {
            let found = observed(formulation, order, &reference);
            println!(
                "{formulation} {order}: {:.2} {:.2} {:.2}",
                found.order_q(),
                found.order_v(),
                found.order_lambda()
            );
            for p in &found.points {
                println!(
                    "   {:e} {:e} {:e} {:e} {:?}",
                    p.h, p.q, p.v, p.lambda, p.statistics.work
                );
            }
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

fn stiff<F: FirstOrderModel>(model: F, t_end: f64, tolerances: [f64; 2], end: &[f64]) -> f64 {
    let mut system = Automatic::new(FirstOrder::new(model).expect("well stated"));
    let mut method = build("bdf", &MethodOptions::default()).expect("registered");
    let options = Options::adaptive(t_end, tolerances[0], tolerances[1]);
    let solution = solve(&mut system, method.as_mut(), &options).expect("solved");
    let errors = solution.state.x.iter().zip(end);
    let error = errors
        .map(|(x, end)| ((x - end) / end).abs())
        .fold(0.0, f64::max);
    let statistics = &solution.statistics;
    println!(
        "rtol {:e}: error {error:.2e}, {} steps, {:?}, {:?}, {:?}",
        tolerances[0],
        statistics.accepted,
        statistics.rejected,
        statistics.work,
        statistics.evaluations
    );
    error
}

#[test]
fn stiff_problems_end_where_published() {
    for tolerance in [1e-4, 1e-6] {
        println!("vdp");
        stiff(
            VanDerPol,
            2000.0,
            [tolerance, tolerance],
            &[0.1706167732170469e1, -0.8928097010248125e-3],
        );
        for algebraic in [false, true] {
            println!("rober {algebraic}");
            stiff(
                Robertson { algebraic },
                1e11,
                [tolerance, 1e-8 * tolerance],
                &[
                    0.2083340149701255e-7,
                    0.8333360770334713e-13,
                    0.9999999791665050,
                ],
            );
        }
    }
}

fn heavy_top_reference(group: TopGroup) -> State {
    let mut state = tight(Box::new(Automatic::new(HeavyTop(group))), "mdop5", 0.1);
    let mut system = Automatic::new(HeavyTop(group));
    let layout = system.layout().clone();
    AccelerationSolver::new(&layout)
        .unwrap()
        .complete(&mut Evaluator::new(&mut system), &mut state)
        .unwrap();
    state
}

#[test]
fn lie_orders_on_the_heavy_top() {
    for group in [
        TopGroup::Matrix,
        TopGroup::Quaternion,
        TopGroup::RigidMotion,
    ] {
        let reference = heavy_top_reference(group);
        for formulation in [Formulation::Index3, Formulation::StabilizedIndex2] {
            for order in 1..=4 {
                let mut method =
                    BdfLie::new(Some(formulation), NewtonOptions::default()).with_steps(order);
                let steps = [4e-4, 2e-4, 1e-4];
                let found = convergence(
                    &mut Automatic::new(HeavyTop(group)),
                    &mut method,
                    &steps,
                    &reference,
                )
                .expect("solved");
                println!(
                    "lie {group:?} {formulation} {order}: {:.2} {:.2} {:.2}",
                    found.order_q(),
                    found.order_v(),
                    found.order_lambda()
                );
                for p in &found.points {
                    println!(
                        "   {:e} {:e} {:e} {:e} {:?}",
                        p.h, p.q, p.v, p.lambda, p.statistics.work
                    );
                }
            }
        }
        for order in [2, 3, 5] {
            let mut method = Bdf::new(None, NewtonOptions::default()).with_highest_order(order);
            let steps = [4e-4, 2e-4, 1e-4];
            let found = convergence(
                &mut Automatic::new(HeavyTop(group)),
                &mut method,
                &steps,
                &reference,
            )
            .expect("solved");
            println!(
                "bdf {group:?} {order}: {:.2} {:.2} {:.2}",
                found.order_q(),
                found.order_v(),
                found.order_lambda()
            );
            for p in &found.points {
                println!(
                    "   {:e} {:e} {:e} {:e} {:?}",
                    p.h, p.q, p.v, p.lambda, p.statistics.work
                );
            }
        }
    }
}

struct NanForce;

impl Model for NanForce {
    fn layout(&self) -> liedae::system::Layout {
        liedae::system::Layout::unconstrained(liedae::manifold::Manifold::euclidean(1))
    }
    fn initial_state(&self) -> State {
        self.layout().state()
    }
    fn mass_matrix<S: Scalar>(
        &self,
        _at: &liedae::system::Point<S>,
        mass: &mut liedae::system::MatrixMut<S>,
    ) {
        mass[(0, 0)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, at: &liedae::system::Point<S>, force: &mut [S]) {
        force[0] = (S::constant(0.2) - at.t).sqrt();
    }
}

#[test]
fn nan_debug() {
    let mut method = Bdf::new(None, NewtonOptions::default());
    let e = solve(
        &mut Automatic::new(NanForce),
        &mut method,
        &Options::adaptive(0.5, 1e-5, 1e-5),
    );
    println!("nan {:?}", e);
    for controller in liedae::control::controllers() {
        for f in FORMULATIONS {
            let reference = pendulum_reference(2.0);
            let mut method = Bdf::new(Some(f), NewtonOptions::default());
            let kind = controller.kind_for(Bdf::METHOD.controller);
            let control = liedae::solve::StepControl::Adaptive {
                tolerances: liedae::control::Tolerances::uniform(1e-6, 1e-6),
                controller: Some(kind),
                initial_step: None,
            };
            let s = solve(
                &mut Automatic::new(Pendulum),
                &mut method,
                &Options::new(2.0, control),
            )
            .unwrap();
            println!(
                "controller {} {f}: {:e} steps {} rejected {:?}",
                controller.name,
                s.state
                    .q
                    .iter()
                    .zip(&reference.q)
                    .map(|(a, b)| (a - b).abs())
                    .fold(0.0, f64::max),
                s.statistics.accepted,
                s.statistics.rejected
            );
        }
    }
}
