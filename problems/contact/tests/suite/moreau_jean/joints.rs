//! Contacts beside joints, redundant ones included.

use super::support::{GRAVITY, slope, trace};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{Layout, MatrixMut, Model, Point, State};
use liedae_contact::{Contact, ContactModel};

/// A point mass at the end of a massless rod with its angle as a third coordinate, and a wall at x = 0.
struct WallPendulum {
    copies: usize,
}

const WALL_RESTITUTION: f64 = 0.7;

impl Model for WallPendulum {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(3)).with_position_rows(2 * self.copies)
    }
    fn initial_state(&self) -> State {
        let angle = std::f64::consts::FRAC_PI_3;
        State {
            q: vec![angle.sin(), -angle.cos(), angle],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
        mass[(1, 1)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[1] = S::constant(-GRAVITY);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        for rows in g.chunks_exact_mut(2) {
            rows[0] = at.q[0] - at.q[2].sin();
            rows[1] = at.q[1] + at.q[2].cos();
        }
    }
    fn energy(&self, at: &Point) -> Option<f64> {
        Some(0.5 * (at.v[0] * at.v[0] + at.v[1] * at.v[1]) + GRAVITY * at.q[1])
    }

    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for WallPendulum {
    fn contacts(&self) -> Vec<Contact> {
        vec![Contact::new("wall", WALL_RESTITUTION)]
    }
    fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S {
        at.q[0]
    }
}

/// Period of a pendulum of length 1 by the arithmetic-geometric mean.
fn period(amplitude: f64) -> f64 {
    let (mut a, mut b) = (1.0_f64, (0.5 * amplitude).cos());
    for _ in 0..30 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    2.0 * std::f64::consts::PI / GRAVITY.sqrt() / a
}

/// Impact times and the angle at the given times, by RK4 between impacts of which the times are closed forms.
fn wall_angles(times: &[f64]) -> Vec<f64> {
    let angle = std::f64::consts::FRAC_PI_3;
    let mut drop = 1.0 - angle.cos();
    let mut next_impact = period(angle) / 4.0;
    let (mut t, mut theta, mut omega) = (0.0, angle, 0.0);
    let rk4 = |theta: f64, omega: f64, h: f64| {
        let f = |theta: f64, omega: f64| (omega, -GRAVITY * theta.sin());
        let k1 = f(theta, omega);
        let k2 = f(theta + 0.5 * h * k1.0, omega + 0.5 * h * k1.1);
        let k3 = f(theta + 0.5 * h * k2.0, omega + 0.5 * h * k2.1);
        let k4 = f(theta + h * k3.0, omega + h * k3.1);
        (
            theta + h / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0),
            omega + h / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1),
        )
    };
    let mut angles = Vec::new();
    for &time in times {
        while next_impact < time {
            drop *= WALL_RESTITUTION * WALL_RESTITUTION;
            (t, theta, omega) = (next_impact, 0.0, (2.0 * GRAVITY * drop).sqrt());
            next_impact += period((1.0 - drop).acos()) / 2.0;
        }
        (theta, omega) = rk4(theta, omega, time - t);
        t = time;
        angles.push(theta);
    }
    angles
}

#[test]
fn a_jointed_pendulum_hits_a_wall() {
    let steps = [8e-3, 4e-3, 2e-3, 1e-3, 5e-4];
    let mut errors = Vec::new();
    for h in steps {
        let run = trace(WallPendulum { copies: 1 }, 4.0, h);
        let times: Vec<f64> = run.states.iter().map(|state| state.t).collect();
        let exact = wall_angles(&times);
        let error: f64 = run
            .states
            .iter()
            .zip(exact)
            .map(|(state, exact)| h * (state.q[2] - exact).abs())
            .sum();
        errors.push(error);
        let mut worst = [0.0_f64; 3];
        for State { q, v, .. } in &run.states {
            worst[0] = worst[0].max((q[0] - q[2].sin()).abs());
            worst[1] = worst[1].max((v[0] - q[2].cos() * v[2]).abs());
            worst[2] = worst[2].max(-q[0]);
        }
        println!(
            "h = {h}: L1 error {error:e}, rows {worst:?}, energy rise {:e}",
            run.rise()
        );
        assert!(
            worst[0] < 1e-13 && worst[1] < 1e-9 && worst[2] < 1e-14,
            "{worst:?}"
        );
    }
    let order = slope(&steps, &errors);
    println!("order {order:.2}");
    assert!((0.8..1.4).contains(&order), "{order} {errors:?}");

    // Joints stated twice do not matter.
    let (once, twice) = (
        trace(WallPendulum { copies: 1 }, 1.0, 2e-3),
        trace(WallPendulum { copies: 2 }, 1.0, 2e-3),
    );
    for (a, b) in once.last().q.iter().zip(&twice.last().q) {
        assert!((a - b).abs() < 1e-9, "{a} and {b}");
    }
}
