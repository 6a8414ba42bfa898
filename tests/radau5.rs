//! RADAU5: orders of its formulations, and stiff first-order systems.

mod common;

use common::{AnglePendulum, HeavyTop, Pendulum, Sleigh, TopGroup};
use liedae::integrator::{MethodOptions, NewtonOptions, Radau5, build};
use liedae::scalar::Scalar;
use liedae::solve::{Options, convergence, solve};
use liedae::system::{Automatic, FirstOrder, FirstOrderModel, Formulation, Model, State, System};

const BAUMGARTE: Formulation = Formulation::Baumgarte {
    alpha: 10.0,
    beta: 10.0,
};

fn with(formulation: Formulation) -> Radau5 {
    Radau5::new(NewtonOptions::default(), Some(formulation))
}

/// The pendulum at `t` with its multiplier, from the ODE in its angle.
fn pendulum_reference(t: f64) -> State {
    let mut system = Automatic::new(AnglePendulum);
    let mut method = build("mdop5", &MethodOptions::default()).expect("registered");
    let options = Options::adaptive(t, 1e-13, 1e-13);
    let angle = solve(&mut system, method.as_mut(), &options)
        .expect("solved")
        .state;
    let (theta, omega) = (angle.q[0], angle.v[0]);
    State {
        t,
        q: vec![theta.sin(), -theta.cos()],
        v: vec![omega * theta.cos(), omega * theta.sin()],
        lambda: vec![-omega * omega - 9.81 * theta.cos()],
        ..Pendulum.initial_state()
    }
}

#[test]
fn orders_of_the_formulations_on_the_pendulum() {
    let reference = pendulum_reference(1.0);
    for (formulation, expected) in [
        (Formulation::Index1, [5.0, 5.0, 5.0]),
        (BAUMGARTE, [5.0, 5.0, 5.0]),
        (Formulation::Index2, [5.0, 5.0, 3.0]),
        (Formulation::StabilizedIndex2, [5.0, 5.0, 3.0]),
        (Formulation::Index3, [5.0, 3.0, 2.0]),
    ] {
        let mut system = Automatic::new(Pendulum);
        let found = convergence(
            &mut system,
            &mut with(formulation),
            &[0.04, 0.02, 0.01],
            &reference,
        )
        .expect("solved");
        let orders = [found.order_q(), found.order_v(), found.order_lambda()];
        println!("pendulum {formulation}: {orders:.2?}, expected {expected:?} {found:?}");
    }
}

#[test]
fn orders_on_groups() {
    let system = Automatic::new(HeavyTop(TopGroup::Matrix));
    for group in [
        TopGroup::Matrix,
        TopGroup::Quaternion,
        TopGroup::RigidMotion,
    ] {
        let mut method = build("mdop5", &MethodOptions::default()).expect("registered");
        let options = Options::adaptive(0.1, 1e-13, 1e-13);
        let mut system = Automatic::new(HeavyTop(group));
        let reference = solve(&mut system, method.as_mut(), &options)
            .expect("solved")
            .state;
        for formulation in [
            Formulation::Index1,
            BAUMGARTE,
            Formulation::Index2,
            Formulation::StabilizedIndex2,
            Formulation::Index3,
        ] {
            match convergence(
                &mut system,
                &mut with(formulation),
                &[2e-3, 1e-3, 5e-4],
                &reference,
            ) {
                Ok(found) => {
                    let orders = [found.order_q(), found.order_v(), found.order_lambda()];
                    println!("{group:?} {formulation}: {orders:.2?}");
                }
                Err(error) => println!("{group:?} {formulation}: {error}"),
            }
        }
    }
    let _ = system.layout();
}

#[test]
fn sleigh() {
    for formulation in [
        Formulation::Index1,
        BAUMGARTE,
        Formulation::Index2,
        Formulation::StabilizedIndex2,
        Formulation::Index3,
    ] {
        let mut system = Automatic::new(Sleigh);
        let angle = 2.0_f64;
        let reference = State {
            t: 1.0,
            q: vec![angle.sin() / 2.0, (1.0 - angle.cos()) / 2.0, angle],
            v: vec![angle.cos(), angle.sin(), 2.0],
            lambda: vec![2.0],
            ..Sleigh.initial_state()
        };
        let found = convergence(
            &mut system,
            &mut with(formulation),
            &[0.04, 0.02, 0.01],
            &reference,
        )
        .expect("solved");
        let orders = [found.order_q(), found.order_v(), found.order_lambda()];
        println!("sleigh {formulation}: {orders:.2?} {found:?}");
    }
}

struct VanDerPol {
    mu: f64,
}

impl FirstOrderModel for VanDerPol {
    fn dimension(&self) -> usize {
        2
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![2.0, 0.0]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        rate[0] = y[1];
        rate[1] = (S::constant(1.0) - y[0] * y[0]) * y[1] * self.mu - y[0];
    }
}

#[test]
fn van_der_pol() {
    for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
        let mut system = Automatic::new(FirstOrder::new(VanDerPol { mu: 1000.0 }).expect("fits"));
        let solution = solve(
            &mut system,
            &mut with(Formulation::Index2),
            &Options::adaptive(2000.0, tolerance, tolerance),
        )
        .expect("solved");
        let reference = [0.170_616_773_217_048_3e1, -0.892_809_701_024_797_5e-3];
        let error: Vec<f64> = reference
            .iter()
            .zip(&solution.state.x)
            .map(|(a, b)| ((a - b) / a).abs())
            .collect();
        println!("{tolerance:e} {error:?} {:?}", solution.statistics);
    }
}
