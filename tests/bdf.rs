//! Backward differentiation formulas: orders, stiff systems, formulations.

mod common;

use common::{AnglePendulum, HeavyTop, Pendulum, TopGroup};
use liedae::integrator::{Bdf, MethodOptions, NewtonOptions, build};
use liedae::solve::{Convergence, Options, convergence, solve};
use liedae::system::{Automatic, Evaluator, AccelerationSolver, Formulation, Model, State, System};

fn tight(mut system: Box<dyn System>, method: &str, t_end: f64) -> State {
    let mut integrator = build(method, &MethodOptions::default()).expect("a registered method");
    let options = Options::adaptive(t_end, 1e-13, 1e-13);
    solve(system.as_mut(), integrator.as_mut(), &options).expect("solved").state
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
    Formulation::Baumgarte { alpha: 10.0, beta: 10.0 },
];

fn observed(formulation: Formulation, order: usize, reference: &State) -> Convergence {
    let mut method = Bdf::new(Some(formulation), NewtonOptions::default()).with_highest_order(order);
    let steps = [0.02, 0.01, 0.005, 0.0025];
    convergence(&mut Automatic::new(Pendulum), &mut method, &steps, reference).expect("solved")
}

#[test]
fn orders_of_the_pendulum() {
    let reference = pendulum_reference(1.0);
    for formulation in FORMULATIONS {
        for order in 1..=5 {
            let found = observed(formulation, order, &reference);
            println!(
                "{formulation} {order}: {:.2} {:.2} {:.2}",
                found.order_q(), found.order_v(), found.order_lambda()
            );
            for p in &found.points {
                println!("   {:e} {:e} {:e} {:e} {:?}", p.h, p.q, p.v, p.lambda, p.statistics.work);
            }
        }
    }
}
