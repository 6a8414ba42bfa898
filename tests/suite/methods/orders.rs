//! Observed orders of a method on a pendulum, a sleigh and a top: `order_tests!`.

use crate::common::{AnglePendulum, HeavyTop, Pendulum, Sleigh, TopGroup};
use liedae::integrator::MethodOptions;
use liedae::solve::{Convergence, ConvergencePoint, Options, convergence, solve};
use liedae::system::{Automatic, Model, State, System};

/// Errors at the time of the reference.
pub fn errors(
    make: &dyn Fn() -> Box<dyn System>,
    method: &str,
    steps: &[f64],
    reference: &State,
) -> Convergence {
    let mut system = make();
    let integrator = crate::methods()
        .build(method, &MethodOptions::default())
        .expect("a registered method");
    convergence(system.as_mut(), integrator.as_ref(), steps, reference).expect("solved")
}

/// Observed orders in q and v at the time of the reference.
pub fn orders(
    make: &dyn Fn() -> Box<dyn System>,
    method: &str,
    steps: &[f64],
    reference: &State,
) -> [f64; 2] {
    let found = errors(make, method, steps, reference);
    [found.order_q(), found.order_v()]
}

/// A method whose error stays below this over a thousand steps makes none.
pub const ROUND_OFF: f64 = 1e-12;

pub fn tight(mut system: Box<dyn System>, method: &str, t_end: f64) -> State {
    let integrator = crate::known_methods()
        .build(method, &MethodOptions::default())
        .expect("a registered method");
    solve(
        system.as_mut(),
        integrator.as_ref(),
        &Options::adaptive(t_end, 1e-13, 1e-13),
    )
    .expect("solved")
    .state
}

/// The pendulum at `t`, from the ODE in its angle.
pub fn pendulum_reference(t: f64) -> State {
    let angle = tight(Box::new(Automatic::new(AnglePendulum)), "mdop5", t);
    let (theta, omega) = (angle.q[0], angle.v[0]);
    State {
        t,
        q: vec![theta.sin(), -theta.cos()],
        v: vec![omega * theta.cos(), omega * theta.sin()],
        ..Pendulum.initial_state()
    }
}

/// The sleigh runs on a circle at constant speed and turning rate.
pub fn sleigh_reference(t: f64) -> State {
    let angle = 2.0 * t;
    State {
        t,
        q: vec![angle.sin() / 2.0, (1.0 - angle.cos()) / 2.0, angle],
        v: vec![angle.cos(), angle.sin(), 2.0],
        ..Sleigh.initial_state()
    }
}

pub fn check(method: &str, found: [f64; 2], expected: f64, tolerance: f64) {
    for (name, order) in ["q", "v"].into_iter().zip(found) {
        println!("{method}: order {order:.3} in {name}");
        assert!(
            (order - expected).abs() <= tolerance,
            "{method}: order {order:.3} in {name}, expected {expected}"
        );
    }
}

/// On a pendulum, with a position row.
pub fn on_pendulum(method: &str, order: f64, tolerance: f64, steps: &[f64]) {
    let make = || Box::new(Automatic::new(Pendulum)) as Box<dyn System>;
    let found = orders(&make, method, steps, &pendulum_reference(1.0));
    check(method, found, order, tolerance);
}

/// On a sleigh, with a velocity row.
pub fn on_sleigh(method: &str, order: f64, tolerance: f64, steps: &[f64]) {
    let make = || Box::new(Automatic::new(Sleigh)) as Box<dyn System>;
    // At constant speed some methods are better than their order, or exact; none may be worse.
    let found = errors(&make, method, steps, &sleigh_reference(1.0));
    let largest =
        |error: fn(&ConvergencePoint) -> f64| found.points.iter().map(error).fold(0.0, f64::max);
    for (observed, error) in [
        (found.order_q(), largest(|point| point.q)),
        (found.order_v(), largest(|point| point.v)),
    ] {
        println!("{method}: order {observed:.3}, error {error:e}");
        assert!(
            error < ROUND_OFF || observed > order - tolerance,
            "{method}: order {observed:.3}"
        );
    }
}

/// On a heavy top in SO(3), unit quaternions and SE(3).
pub fn on_heavy_top(method: &str, order: f64, tolerance: f64, steps: &[f64]) {
    for group in [
        TopGroup::Matrix,
        TopGroup::Quaternion,
        TopGroup::RigidMotion,
    ] {
        let make = || Box::new(Automatic::new(HeavyTop(group))) as Box<dyn System>;
        let reference = tight(make(), "mdop5", 0.1);
        // The top turns through 150 rad/s · h per step.
        let steps: Vec<f64> = steps.iter().map(|h| h / 20.0).collect();
        check(
            method,
            orders(&make, method, &steps, &reference),
            order,
            tolerance,
        );
    }
}

/// Three tests for each method: name, method, order with its tolerance, steps.
#[macro_export]
macro_rules! order_tests {
    ($($name:ident: $method:literal, $order:literal +- $tolerance:literal, $steps:expr;)*) => {
        paste::paste! {
            $(
                #[test]
                fn [<pendulum_ $name>]() {
                    super::orders::on_pendulum($method, $order, $tolerance, &$steps);
                }

                #[test]
                fn [<sleigh_ $name>]() {
                    super::orders::on_sleigh($method, $order, $tolerance, &$steps);
                }

                #[test]
                fn [<heavy_top_ $name>]() {
                    super::orders::on_heavy_top($method, $order, $tolerance, &$steps);
                }
            )*
        }
    };
}
