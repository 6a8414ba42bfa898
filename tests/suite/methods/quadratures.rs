//! Integrals of functions of time, forced motion and slow-fast pairs with tolerances: no method is blind to them.

use crate::methods;
use liedae::integrator::{Integrator, MethodOptions};
use liedae::prelude::*;
use liedae::system::{FirstOrder, FirstOrderModel};

const END: f64 = 10.0;

/// Errors of methods of order 4 and more at the end, in tolerances; of lower orders p in tolerances to the power p / (p + 1), as errors
/// of steps that are as large as the tolerance add up to. Errors of an undamped oscillation add up: one more for each radian.
const ALLOWED: f64 = 100.0;

/// y' = cos 3t - k y, or with a fast partner y2' = -1000 (y2 - cos t) - sin t.
#[derive(Clone, Copy, Debug)]
enum Forced {
    Decaying(f64),
    SlowAndFast,
}

impl FirstOrderModel for Forced {
    fn dimension(&self) -> usize {
        match self {
            Self::Decaying(_) => 1,
            Self::SlowAndFast => 2,
        }
    }
    fn initial_value(&self) -> Vec<f64> {
        match self {
            Self::Decaying(_) => vec![0.0],
            Self::SlowAndFast => vec![0.0, 1.0],
        }
    }
    fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) {
        match self {
            Self::Decaying(k) => rate[0] = (t * 3.0).cos() - y[0] * *k,
            Self::SlowAndFast => {
                rate[0] = t.cos();
                rate[1] = (y[1] - t.cos()) * -1000.0 - t.sin();
            }
        }
    }
}

impl Forced {
    fn exact(self, t: f64) -> Vec<f64> {
        match self {
            Self::Decaying(k) => {
                let forced = |t: f64| (k * (3.0 * t).cos() + 3.0 * (3.0 * t).sin()) / (9.0 + k * k);
                vec![forced(t) - forced(0.0) * (-k * t).exp()]
            }
            Self::SlowAndFast => vec![t.sin(), t.cos()],
        }
    }
}

/// A mass on a spring of stiffness k under the force cos 3t, from rest.
#[derive(Clone, Copy, Debug)]
struct Mass(f64);

impl Mass {
    fn exact(self, t: f64) -> Vec<f64> {
        if self.0 == 0.0 {
            return vec![(1.0 - (3.0 * t).cos()) / 9.0, (3.0 * t).sin() / 3.0];
        }
        let (w, amplitude) = (self.0.sqrt(), 1.0 / (self.0 - 9.0));
        vec![
            amplitude * ((3.0 * t).cos() - (w * t).cos()),
            amplitude * (w * (w * t).sin() - 3.0 * (3.0 * t).sin()),
        ]
    }
}

/// The error at the end in tolerances; `None` if the method refuses.
fn error(
    system: &mut dyn System,
    method: &dyn Integrator,
    exact: &[f64],
    tolerance: f64,
) -> Option<(f64, usize)> {
    let mut options = Options::adaptive(END, tolerance, tolerance);
    options.max_steps = 2_000_000;
    let found = solve(system, method, &options).ok()?;
    let state = &found.state;
    let values = if state.x.is_empty() {
        [&state.q[..], &state.v[..]].concat()
    } else {
        state.x.clone()
    };
    let pairs = values.iter().zip(exact);
    let errors =
        pairs.map(|(value, exact)| (value - exact).abs() / (tolerance * (1.0 + exact.abs())));
    // A NaN is no small error.
    let worst = errors.fold(
        0.0,
        |worst: f64, error| if error <= worst { worst } else { error },
    );
    Some((worst, found.statistics.accepted))
}

#[test]
fn errors_of_integrals_forced_motion_and_slow_fast_pairs_are_near_the_tolerance() {
    let mut wrong = Vec::new();
    let (mut runs, mut refused) = (0, 0);
    for entry in methods().entries() {
        if !entry.method.is_adaptive() {
            continue;
        }
        let method = methods()
            .build(entry.method.name, &MethodOptions::default())
            .expect("registered");
        let order = i32::from(entry.method.orders.q.min(entry.method.orders.v));
        for tolerance in [1e-4, 1e-6, 1e-8] {
            if order < 3 && tolerance < 1e-7 {
                continue;
            }
            let power = if order < 4 {
                f64::from(order) / f64::from(order + 1)
            } else {
                1.0
            };
            let mut judge = |case: String, radians: f64, found: Option<(f64, usize)>| {
                let allowed = (ALLOWED + radians) * tolerance.powf(power) / tolerance;
                runs += 1;
                match found {
                    Some((error, _)) if error <= allowed => {}
                    Some((error, steps)) => wrong.push(format!(
                        "{} (order {order}) at {tolerance:e}, {case}: {error:.1} tolerances, {allowed:.1} allowed, {steps} steps",
                        entry.method.name
                    )),
                    None => refused += 1,
                }
            };
            let decaying = [0.0, 0.01, 1.0, 100.0].map(Forced::Decaying);
            for problem in decaying.into_iter().chain([Forced::SlowAndFast]) {
                let mut system = Automatic::new(FirstOrder::new(problem).expect("well stated"));
                let found = error(&mut system, method.as_ref(), &problem.exact(END), tolerance);
                judge(format!("{problem:?}"), 0.0, found);
            }
            for mass in [0.0, 1e-4, 1.0, 1e4].map(Mass) {
                let mut system = liedae::model([0.0], [0.0])
                    .mass(1.0)
                    .force(move |t, [x], _v| [(t * 3.0).cos() - x * mass.0])
                    .build()
                    .expect("a system");
                let found = error(&mut system, method.as_ref(), &mass.exact(END), tolerance);
                judge(format!("{mass:?}"), mass.0.sqrt() * END, found);
            }
        }
    }
    println!("{runs} runs, {refused} refused");
    assert!(
        wrong.is_empty(),
        "{} of {runs}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
