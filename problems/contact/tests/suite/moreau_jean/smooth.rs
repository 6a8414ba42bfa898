//! Motions without contact: stiff springs and orders.

use super::support::{slope, trace_with};
use crate::common::Pendulum;
use liedae::integrator::{MethodOptions, NewtonOptions};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, solve};
use liedae::system::{Automatic, Layout, MatrixMut, Model, Point, State};
use liedae_contact::ContactModel;
use liedae_contact::capturing::MoreauJean;

/// A mass on a stiff spring above a floor.
struct Oscillator;

impl Model for Oscillator {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(1))
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![1e-3],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        // A cubic spring, so that the iteration has something to do.
        let q = at.q[0];
        force[0] = (q * q * q * 1e5 + q) * -1e8;
    }
    fn energy(&self, at: &Point) -> Option<f64> {
        let q = at.q[0];
        Some(0.5 * at.v[0] * at.v[0] + 1e8 * (0.25e5 * q.powi(4) + 0.5 * q * q))
    }
}

impl ContactModel for Oscillator {}

#[test]
fn stiff_springs_are_stable_and_theta_one_damps_them() {
    let h = 1e-2;
    let (ringing, _) = trace_with(Oscillator, 0.5, 1.0, h);
    let amplitude = ringing
        .states
        .iter()
        .fold(0.0_f64, |max, s| max.max(s.q[0].abs()));
    let (damped, _) = trace_with(Oscillator, 1.0, 1.0, h);
    println!(
        "theta 1/2: largest {amplitude:e}; theta 1: {:?}",
        damped.last().q
    );
    assert!(amplitude < 1.1e-3, "{amplitude:e}");
    assert!(damped.last().q[0].abs() < 1e-12);
    assert!(damped.rise() <= 0.0);
}

#[test]
fn theta_above_one_half_has_order_one_on_smooth_motions() {
    let steps = [4e-3, 2e-3, 1e-3];
    let reference = liedae_contact::methods()
        .build("mdop5", &MethodOptions::default())
        .expect("registered");
    let exact = solve(
        &mut Automatic::new(Pendulum),
        reference.as_ref(),
        &Options::adaptive(1.0, 1e-12, 1e-12),
    )
    .expect("solved")
    .state;
    let errors: Vec<f64> = steps
        .iter()
        .map(|&h| {
            let method = MoreauJean::new(0.75, NewtonOptions::default());
            let found = solve(
                &mut Automatic::new(Pendulum),
                &method,
                &Options::fixed(1.0, h),
            )
            .expect("solved");
            (found.state.q[0] - exact.q[0]).abs()
        })
        .collect();
    let order = slope(&steps, &errors);
    println!("theta = 0.75: order {order:.3}");
    assert!((order - 1.0).abs() < 0.05, "{order}");
}
