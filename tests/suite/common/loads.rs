//! Loads on the ends of beams, where they rest, the elastica, and a published cantilever.

use super::flexible::assert_near;
use liedae::analysis::{Equilibrium, EquilibriumOptions, static_equilibrium};
use liedae::scalar::Scalar;
use liedae::system::{Evaluator, State, System};
use liedae_multibody::{Kinematics, MultibodySystem, PairForce, Vector3, Wrench};
use std::f64::consts::FRAC_PI_2;

/// A force and a moment that keep their directions in the world, and grow from nothing at 0 s to their full size at 1 s.
#[derive(Clone, Copy)]
pub struct DeadLoad {
    /// At the centre of mass of the second body, in N.
    pub force: [f64; 3],
    /// In N m.
    pub moment: [f64; 3],
}

impl PairForce for DeadLoad {
    fn wrenches<S: Scalar>(&self, t: f64, [_, body]: &[Kinematics<S>; 2]) -> [Wrench<S>; 2] {
        let force = Vector3::from(self.force).map(|part| S::constant(part * t.min(1.0)));
        let moment = Vector3::from(self.moment).map(|part| S::constant(part * t.min(1.0)));
        let wrench = body.force_at(&body.position, &force) + body.torque(&moment);
        [Wrench::zero(), wrench]
    }
}

/// Where a mechanism rests at 1 s, followed from 0 s in so many steps.
pub fn rest(system: &mut MultibodySystem, steps: u32) -> State {
    let mut state = system.initial_state();
    // Internal forces are differences of positions times stiffnesses: their round-off is far above that of loads.
    let options = EquilibriumOptions {
        tolerance: 1e-8,
        iterations: 20_000,
    };
    for step in 1..=steps {
        state.t = f64::from(step) / f64::from(steps);
        let found = static_equilibrium(&mut Evaluator::new(system), &state, &options);
        state = found.expect("an equilibrium").state;
    }
    state
}

/// The equilibrium at 1 s, looked for at once and by default options.
pub fn rest_at_once(system: &mut MultibodySystem) -> Equilibrium {
    let start = State {
        t: 1.0,
        ..system.initial_state()
    };
    let options = EquilibriumOptions::default();
    let found = static_equilibrium(&mut Evaluator::new(system), &start, &options);
    found.expect("an equilibrium")
}

/// The integral of a smooth function, by Gauss' three points on many parts.
fn integral(f: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let parts = 1000;
    let half = 0.5 * (to - from) / f64::from(parts);
    let point = 0.6_f64.sqrt();
    let rule = [(-point, 5.0 / 9.0), (0.0, 8.0 / 9.0), (point, 5.0 / 9.0)];
    (0..parts)
        .map(|part| from + half * f64::from(2 * part + 1))
        .flat_map(|middle| rule.map(|(x, weight)| weight * half * f(middle + x * half)))
        .sum()
}

/// The elastica under a force across its end, P L² / (E I) = `load`: how far the end moves along the beam and across it, in lengths
/// (Bisshopp and Drucker 1945, doi:10.1090/qam/13360).
pub fn elastica(load: f64) -> [f64; 2] {
    let root = load.sqrt();
    // sqrt(load) = K(p) - F(p, φ) and p sin φ = 1/sqrt 2 say p, of which the right side grows.
    let lowest = |p: f64| (0.5_f64.sqrt() / p).asin();
    let first = |p: f64| {
        let slope = |angle: f64| (1.0 - (p * angle.sin()).powi(2)).sqrt().recip();
        integral(slope, lowest(p), FRAC_PI_2)
    };
    let (mut low, mut high) = (0.5_f64.sqrt(), 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if first(middle) < root {
            low = middle;
        } else {
            high = middle;
        }
    }
    let second = |angle: f64| (1.0 - (low * angle.sin()).powi(2)).sqrt();
    let second = integral(second, lowest(low), FRAC_PI_2);
    let reach = (2.0 * (2.0 * low * low - 1.0)).sqrt() / root;
    [1.0 - reach, 1.0 - 2.0 * second / root]
}

/// How far the end of the short cantilever sinks, and how much shorter it becomes, in m: converged values of another formulation
/// (Nachbagauer, Pechstein, Irschik and Gerstmayr 2011).
pub const SHORT_CANTILEVER: [f64; 2] = [8.09900305e-4, 1.88847418e-7];

/// Prints how far the end of the short cantilever, of so many m, is from the published place, and asserts that it is near.
pub fn check_short_cantilever(by: &str, length: f64, end: Vector3<f64>) {
    let ([sinks, shortens], found) = (SHORT_CANTILEVER, [-end.z, length - end.x]);
    println!(
        "{by}, short cantilever: sinks {:.8e} m, error {:.1e}; shortens {:.8e} m, error {:.1e}",
        found[0],
        found[0] / sinks - 1.0,
        found[1],
        found[1] / shortens - 1.0
    );
    assert_near(found[0], sinks, 5e-6);
    assert_near(found[1], shortens, 1e-4);
}
