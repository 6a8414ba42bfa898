//! A box in space on its corners.

use super::support::{GRAVITY, trace};
use liedae::manifold::{Factor, Manifold};
use liedae::scalar::Scalar;
use liedae::system::{Layout, MatrixMut, Model, Point, State};
use liedae_contact::{Contact, ContactModel, with_contacts};

/// A box on R³ x SO(3) or SE(3) above the plane z = 0, its eight corners with friction.
struct DroppedBox {
    group: Factor,
    friction: f64,
    restitution: f64,
}

const HALF: [f64; 3] = [0.3, 0.2, 0.1];
const BOX_MASS: f64 = 1.5;

impl DroppedBox {
    fn inertia(axis: usize) -> f64 {
        let [a, b] = [HALF[(axis + 1) % 3], HALF[(axis + 2) % 3]];
        BOX_MASS / 3.0 * (a * a + b * b)
    }
    fn corner(contact: usize) -> [f64; 3] {
        std::array::from_fn(|axis| {
            if contact >> axis & 1 == 1 {
                HALF[axis]
            } else {
                -HALF[axis]
            }
        })
    }
    fn is_rigid_motion(&self) -> bool {
        self.group == Factor::RigidMotion
    }
}

impl Model for DroppedBox {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::new(if self.is_rigid_motion() {
            vec![Factor::RigidMotion]
        } else {
            vec![Factor::Euclidean(3), Factor::Rotation]
        }))
    }
    fn initial_state(&self) -> State {
        let mut state = self.layout().state();
        let tilt = liedae::manifold::rotation::exp(&[0.5, 0.3, 0.2]);
        state.q[2] = 0.6;
        state.q[3..].copy_from_slice(&tilt);
        state.v[3..].copy_from_slice(&[1.0, -2.0, 0.5]);
        state
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for axis in 0..3 {
            mass[(axis, axis)] = S::constant(BOX_MASS);
            mass[(3 + axis, 3 + axis)] = S::constant(Self::inertia(axis));
        }
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let (v, w) = (&at.v[..3], &at.v[3..]);
        for axis in 0..3 {
            let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
            if self.is_rigid_motion() {
                // Velocities in the body frame.
                let turning = w[i] * v[j] - w[j] * v[i];
                force[axis] = -(turning + at.q[9 + axis] * GRAVITY) * BOX_MASS;
            }
            let difference = Self::inertia(i) - Self::inertia(j);
            force[3 + axis] = w[i] * w[j] * difference;
        }
        if !self.is_rigid_motion() {
            force[2] = S::constant(-BOX_MASS * GRAVITY);
        }
    }
    fn energy(&self, at: &Point) -> Option<f64> {
        let kinetic: f64 = (0..3)
            .map(|axis| {
                BOX_MASS * at.v[axis].powi(2) + Self::inertia(axis) * at.v[3 + axis].powi(2)
            })
            .sum();
        Some(0.5 * kinetic + BOX_MASS * GRAVITY * at.q[2])
    }

    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for DroppedBox {
    fn contacts(&self) -> Vec<Contact> {
        (0..8)
            .map(|corner| {
                Contact::new(format!("corner {corner}"), self.restitution)
                    .with_spatial_friction(self.friction)
            })
            .collect()
    }
    fn gap<S: Scalar>(&self, contact: usize, at: &Point<S>) -> S {
        let corner = Self::corner(contact);
        at.q[9] * corner[0] + at.q[10] * corner[1] + at.q[11] * corner[2] + at.q[2]
    }
    fn sliding_velocity<S: Scalar>(&self, contact: usize, at: &Point<S>, sliding: &mut [S]) {
        let (corner, w) = (Self::corner(contact), &at.v[3..]);
        let mut local: [S; 3] = std::array::from_fn(|axis| {
            let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
            w[i] * corner[j] - w[j] * corner[i]
        });
        if self.is_rigid_motion() {
            for (local, &v) in local.iter_mut().zip(at.v) {
                *local += v;
            }
        }
        for (axis, slot) in sliding.iter_mut().enumerate() {
            let row = &at.q[3 + 3 * axis..6 + 3 * axis];
            *slot = row[0] * local[0] + row[1] * local[1] + row[2] * local[2];
            if !self.is_rigid_motion() {
                *slot += at.v[axis];
            }
        }
    }
}

#[test]
fn a_box_falls_on_its_corners_and_comes_to_rest() {
    let mut ends = Vec::new();
    for group in [Factor::Rotation, Factor::RigidMotion] {
        for friction in [0.0, 0.4] {
            let dropped = DroppedBox {
                group,
                friction,
                restitution: 0.0,
            };
            let mut system = with_contacts(DroppedBox { ..dropped });
            let run = trace(dropped, 2.0, 2e-3);
            let mut deepest = 0.0_f64;
            for state in &run.states {
                let unilateral = liedae_contact::unilateral(&mut system).expect("it has contacts");
                for corner in 0..8 {
                    let gap = unilateral.gap(corner, &state.point()).expect("a number");
                    deepest = deepest.max(-gap);
                }
            }
            let last = run.last();
            let speed = last.v.iter().fold(0.0_f64, |max, v| max.max(v.abs()));
            println!(
                "{group:?}, friction {friction}: deepest {deepest:e}, energy {:?} to {:?}, largest rise {:e}, {:?}, speed {speed:e}",
                run.energies.first(),
                run.energies.last(),
                run.rise(),
                &last.q[..3]
            );
            assert!(deepest < 1e-13, "{deepest:e}");
            // Both groups integrate free flight to second order; impacts gain nothing.
            assert!(run.rise() < 1e-6, "{:e}", run.rise());
            // It lies on its largest face.
            assert!((last.q[2] - HALF[2]).abs() < 1e-12, "{:?}", last.q);
            if friction > 0.0 {
                assert!(speed < 1e-10, "{speed:e}");
                ends.push(last.q.clone());
            }
        }
    }
    for (a, b) in ends[0].iter().zip(&ends[1]) {
        assert!((a - b).abs() < 1e-2, "{a} and {b}");
    }
}
