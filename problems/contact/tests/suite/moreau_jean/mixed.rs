//! Contacts beside rows that are no position constraints, and laws that contradict each other at acceleration level.

use super::support::{GRAVITY, trace};
use crate::common::Sleigh;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{Layout, MatrixMut, Model, Point, State};
use liedae_contact::{Contact, ContactModel};

/// A sleigh, whose blade does not slip sideways, between two walls.
struct Walled {
    restitution: f64,
    friction: f64,
}

impl Model for Walled {
    fn layout(&self) -> Layout {
        Sleigh.layout()
    }
    fn initial_state(&self) -> State {
        State {
            v: vec![0.8, 0.8 * f64::tan(0.7), 0.3],
            q: vec![0.0, 0.0, 0.7],
            ..Sleigh.initial_state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        Sleigh.mass_matrix(at, mass);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        Sleigh.force(at, force);
    }
    fn velocity_constraint<S: Scalar>(&self, at: &Point<S>, b: &mut [S]) {
        Sleigh.velocity_constraint(at, b);
    }
    fn energy(&self, at: &Point) -> Option<f64> {
        Sleigh.energy(at)
    }

    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for Walled {
    fn contacts(&self) -> Vec<Contact> {
        let walls = ["right", "left"];
        walls
            .map(|wall| Contact::new(wall, self.restitution).with_planar_friction(self.friction))
            .to_vec()
    }
    fn gap<S: Scalar>(&self, contact: usize, at: &Point<S>) -> S {
        // A bow 0.1 ahead of the blade touches.
        let bow = at.q[0] + at.q[2].cos() * 0.1;
        if contact == 0 { -bow + 0.5 } else { bow + 0.5 }
    }
    fn sliding_velocity<S: Scalar>(&self, _contact: usize, at: &Point<S>, sliding: &mut [S]) {
        sliding[0] = at.v[1] + at.q[2].cos() * at.v[2] * 0.1;
    }
}

#[test]
fn a_sleigh_between_walls() {
    // Friction after Newton's law may gain energy at eccentric impacts with e > 0 (Kane).
    for (restitution, friction) in [(0.0, 0.0), (0.0, 0.2), (0.6, 0.0), (1.0, 0.0)] {
        let rises = [2e-3, 1e-3, 5e-4].map(|h| {
            let model = Walled {
                restitution,
                friction,
            };
            let run = trace(model, 5.0, h);
            let (mut blade, mut gap) = (0.0_f64, 0.0_f64);
            for State { q, v, .. } in &run.states {
                blade = blade.max((v[1] * q[2].cos() - v[0] * q[2].sin()).abs());
                gap = gap.min(0.5 - (q[0] + 0.1 * q[2].cos()).abs());
            }
            assert!(blade < 1e-9 && gap > -1e-12, "{blade:e} {gap:e}");
            run.rise()
        });
        println!("e {restitution}, mu {friction}: energy rises by {rises:?}");
        if restitution < 1.0 {
            assert!(rises.iter().all(|&rise| rise < 1e-12), "{rises:?}");
        } else {
            // The blade's impulse acts in the middle of the step in which the bow hits, its law holds at the end.
            assert!(rises[0] < 4e-3 && rises[2] < 1e-3, "{rises:?}");
        }
    }
}

/// A rod of 1 kg and half length 1 m that rubs the floor with one end: (x, y, angle) of its middle.
struct Rod {
    friction: f64,
}

impl Model for Rod {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(3))
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![0.0, f64::sin(1.1), 1.1],
            v: vec![-2.0, 0.0, 0.0],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
        mass[(1, 1)] = S::constant(1.0);
        mass[(2, 2)] = S::constant(1.0 / 3.0);
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[1] = S::constant(-GRAVITY);
    }
    fn energy(&self, at: &Point) -> Option<f64> {
        let squares = at.v[0] * at.v[0] + at.v[1] * at.v[1] + at.v[2] * at.v[2] / 3.0;
        Some(0.5 * squares + GRAVITY * at.q[1])
    }

    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for Rod {
    fn contacts(&self) -> Vec<Contact> {
        let ends = ["lower", "upper"];
        ends.map(|end| Contact::new(end, 0.0).with_planar_friction(self.friction))
            .to_vec()
    }
    fn gap<S: Scalar>(&self, contact: usize, at: &Point<S>) -> S {
        let arm = if contact == 0 { -1.0 } else { 1.0 };
        at.q[1] + at.q[2].sin() * arm
    }
    fn sliding_velocity<S: Scalar>(&self, contact: usize, at: &Point<S>, sliding: &mut [S]) {
        let arm = if contact == 0 { -1.0 } else { 1.0 };
        sliding[0] = at.v[0] - at.q[2].sin() * at.v[2] * arm;
    }
}

/// Painlevé: with 1 + 3 cos φ (cos φ - μ sin φ) < 0 no acceleration satisfies the laws; an impulse does, in the first step:
/// the end sticks at once, and the rod tumbles over.
#[test]
fn a_rod_in_painleves_paradox_jams() {
    for friction in [2.0, 5.0] {
        let angle = 1.1_f64;
        assert!(1.0 + 3.0 * angle.cos() * (angle.cos() - friction * angle.sin()) < 0.0);
        for h in [1e-3, 1e-4] {
            let run = trace(Rod { friction }, 0.5, h);
            let [start, first] = [&run.states[0], &run.states[1]];
            let slides = |state: &State| state.v[0] + state.q[2].sin() * state.v[2];
            println!(
                "mu {friction}, h {h}: sliding {} to {}, rise {:e}",
                slides(start),
                slides(first),
                run.rise()
            );
            assert!(slides(first).abs() < 1e-2, "{first:?}");
            assert!(run.rise() < 4.0 * h * h, "{:e}", run.rise());
            for State { q, .. } in &run.states {
                assert!(q[1] - q[2].sin().abs() > -1e-12);
            }
        }
    }
}
