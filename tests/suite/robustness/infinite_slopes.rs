//! Rates whose derivative is infinite where a run begins: flow through a valve, adsorption in a clean bed.

use liedae::integrator::MethodOptions;
use liedae::prelude::*;

/// Two vessels of 1 and 2 m³ behind a valve, q = sign(Δp) sqrt |Δp|, the second one filled at `feed` from t = 0 on.
struct Vessels {
    feed: f64,
}

impl FirstOrderModel for Vessels {
    fn dimension(&self) -> usize {
        2
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![2.0, 2.0]
    }
    fn rate<S: Scalar>(&self, _t: S, p: &[S], rate: &mut [S]) {
        let drop = p[1] - p[0];
        let flow = if drop.value() < 0.0 {
            -(-drop).sqrt()
        } else {
            drop.sqrt()
        };
        rate[0] = flow;
        rate[1] = (flow * -1.0 + self.feed) * 0.5;
    }
}

/// Freundlich's isotherm q = sqrt c in a clean vessel that solution flows into: c' = 1 - c - k (sqrt c - q), q' = k (sqrt c - q).
struct Freundlich;

impl FirstOrderModel for Freundlich {
    fn dimension(&self) -> usize {
        2
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![0.0, 0.0]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        let adsorbed = (y[0].max(S::constant(0.0)).sqrt() - y[1]) * 5.0;
        rate[0] = -y[0] + 1.0 - adsorbed;
        rate[1] = adsorbed;
    }
}

/// Ends of implicit methods are those of an explicit one, which asks for no derivative.
fn check(name: &str, mut make: impl FnMut() -> Box<dyn System>) {
    let run = |system: &mut dyn System, method: &str| {
        let built = MethodRegistry::standard().build(method, &MethodOptions::default());
        let built = built.expect("a method");
        solve(system, built.as_ref(), &Options::adaptive(3.0, 1e-7, 1e-9))
    };
    let exact = run(make().as_mut(), "dopri5").expect("explicit").state.x;
    for method in ["radau5", "bdf", "bdf-lie", "backward-euler"] {
        let solution = run(make().as_mut(), method)
            .unwrap_or_else(|error| panic!("{name}, {method}: {error}"));
        for (found, right) in solution.state.x.iter().zip(&exact) {
            assert!(
                (found - right).abs() < 1e-4,
                "{name}, {method}: {found} and {right}"
            );
        }
    }
}

#[test]
fn roots_that_begin_at_zero() {
    check("vessels in equilibrium", || {
        Box::new(Automatic::new(
            FirstOrder::new(Vessels { feed: 1.0 }).expect("stated"),
        ))
    });
    check("clean vessel", || {
        Box::new(Automatic::new(FirstOrder::new(Freundlich).expect("stated")))
    });
}
