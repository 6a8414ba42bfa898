//! Index-2 variables are as exact in milliseconds as in seconds.

use liedae::integrator::MethodOptions;
use liedae::prelude::*;
use liedae::scalar::Scalar;
use liedae::system::{FirstOrder, FirstOrderModel};
use std::ops::ControlFlow;

/// A capacitor beside an RC element at a voltage source: the current through the source needs a derivative of the voltage.
///
/// ```text
/// v' = i - (v - w),  w' = v - w,  0 = v - u(t),  u = sin t + sin(3 t) / 2
/// ```
struct Circuit {
    /// One second in the unit of time.
    second: f64,
}

/// u and u' at a time in s.
fn source(t: f64) -> [f64; 2] {
    [
        t.sin() + 0.5 * (3.0 * t).sin(),
        t.cos() + 1.5 * (3.0 * t).cos(),
    ]
}

/// i at a time in s, from w = Σ b (sin ω t - ω cos ω t) / (1 + ω²) + c e^(-t).
fn current(t: f64) -> f64 {
    let [u, u_rate] = source(t);
    let mut w = 0.0;
    for (b, omega) in [(1.0, 1.0), (0.5, 3.0_f64)] {
        let b = b / (1.0 + omega * omega);
        let (sin, cos) = (omega * t).sin_cos();
        w += b * (sin - omega * cos + omega * (-t).exp());
    }
    u_rate + u - w
}

impl FirstOrderModel for Circuit {
    fn dimension(&self) -> usize {
        3
    }

    fn initial_value(&self) -> Vec<f64> {
        vec![0.0, 0.0, current(0.0)]
    }

    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        Some(vec![(0, 0, 1.0), (1, 1, 1.0)])
    }

    fn index(&self) -> Vec<u8> {
        vec![1, 1, 2]
    }

    fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) {
        let [v, w, i] = [y[0], y[1], y[2]];
        let t = t / self.second;
        rate[0] = (i - (v - w)) / self.second;
        rate[1] = (v - w) / self.second;
        rate[2] = v - (t.sin() + (t * 3.0).sin() * 0.5);
    }
}

/// A unit mass that is moved along u(t) by a force.
///
/// ```text
/// p' = v,  v' = f,  0 = p - u(t)
/// ```
struct Moved {
    /// One second in the unit of time.
    second: f64,
}

/// u'' at a time in s.
fn acceleration(t: f64) -> f64 {
    -t.sin() - 4.5 * (3.0 * t).sin()
}

impl FirstOrderModel for Moved {
    fn dimension(&self) -> usize {
        3
    }

    fn initial_value(&self) -> Vec<f64> {
        vec![0.0, 2.5, 0.0]
    }

    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        Some(vec![(0, 0, 1.0), (1, 1, 1.0)])
    }

    fn index(&self) -> Vec<u8> {
        vec![1, 2, 3]
    }

    fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) {
        let [p, v, f] = [y[0], y[1], y[2]];
        let t = t / self.second;
        rate[0] = v / self.second;
        rate[1] = f / self.second;
        rate[2] = p - (t.sin() + (t * 3.0).sin() * 0.5);
    }
}

/// The largest error of the third variable at the ends of steps, from 1 s on: the size of a first step is a guess in the unit of time.
struct Largest {
    second: f64,
    exact: fn(f64) -> f64,
    error: f64,
}

impl Observer for Largest {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let t = step.to.t / self.second;
        if t > 1.0 {
            self.error = self.error.max((step.to.x[2] - (self.exact)(t)).abs());
        }
        ControlFlow::Continue(())
    }
}

/// The largest error and the number of accepted steps; `time` is the characteristic time in s.
fn run(
    index: u8,
    method: &str,
    (second, time): (f64, Option<f64>),
    tolerance: f64,
) -> (f64, usize) {
    let (mut system, exact): (Box<dyn System>, fn(f64) -> f64) = if index == 2 {
        let model = FirstOrder::new(Circuit { second }).expect("well stated");
        (Box::new(Automatic::new(model)), current)
    } else {
        let model = FirstOrder::new(Moved { second }).expect("well stated");
        (Box::new(Automatic::new(model)), acceleration)
    };
    let built = crate::known_methods().build(method, &MethodOptions::default());
    let method = built.expect("a registered method");
    let options = Options {
        characteristic_time: time.map(|time| time * second),
        ..Options::adaptive(10.0 * second, tolerance, tolerance)
    };
    let mut largest = Largest {
        second,
        exact,
        error: 0.0,
    };
    let solution = solve_observed(system.as_mut(), method.as_ref(), &options, &mut largest);
    let solution = solution.expect("solved");
    (largest.error, solution.statistics.accepted)
}

/// Units of time from a microsecond to a thousand seconds, with a characteristic time of 10 s. With 1 in the unit of the statement, `bdf`
/// took 212 steps in seconds and 2.5
/// million in microseconds, and errors of `radau5` were 8e-4 and 3e-8.
#[test]
fn currents_and_forces_are_as_exact_in_any_unit_of_time() {
    for (index, method, tolerance, most, alike) in [
        (2, "radau5", 1e-6, 4e-3, 2.0),
        (2, "bdf", 1e-6, 1e-4, 2.0),
        (2, "backward-euler", 1e-4, 0.1, 2.0),
        (3, "radau5", 1e-6, 4e-1, 2.0),
        (3, "bdf", 1e-6, 1e-2, 2.0),
        // Forces of index 3 jump by h'/h - 1 where the step changes.
        (3, "backward-euler", 1e-4, 3.0, 5.0),
    ] {
        let runs = [1e-6, 1e-3, 1.0, 1e3]
            .map(|unit| run(index, method, (1.0 / unit, Some(10.0)), tolerance));
        println!("index {index}, {method}: {runs:?}");
        let [(error, steps), ..] = runs;
        for (other, other_steps) in runs {
            assert!(other < most, "index {index}, {method}: {runs:?}");
            assert!(
                other < alike * error && error < alike * other,
                "index {index}, {method}: {runs:?}"
            );
            let apart = other_steps.abs_diff(steps);
            assert!(10 * apart < 3 * steps, "index {index}, {method}: {runs:?}");
        }
    }
}

/// Errors of currents count more with a shorter characteristic time, in any unit.
#[test]
fn the_characteristic_time_can_be_stated() {
    for unit in [1e-6, 1.0] {
        let [(usual, _), (strict, _)] =
            [Some(10.0), Some(0.1)].map(|time| run(2, "radau5", (1.0 / unit, time), 1e-6));
        println!("{usual:e} {strict:e}");
        assert!(strict < 0.3 * usual, "{strict:e} {usual:e}");
    }
}
