//! How the forces and moments of a joint change with its bodies, in closed form.
//!
//! With δr, δθ the small motions of both bodies and everything in the world frame, the force on body 2 and the moments of a unit
//! multiplier of a [`Row`](super::row::Row) change by
//!
//! | row | δ force on body 2 | δ moment on body 1 | δ moment on body 2 |
//! |---|---|---|---|
//! | DP1 | 0 | (δθ₁×a₁)×a₂ + a₁×(δθ₂×a₂) | minus that |
//! | DP2 | δθ₁×a₁ | (δθ₁×a₁)×ρ + a₁×(δr₂ + δθ₂×s₂ - δr₁) | (δθ₂×s₂)×a₁ + s₂×(δθ₁×a₁) |
//! | CD | 0 | c×(δθ₁×s₁) | (δθ₂×s₂)×c |
//! | D | H δd | (H δd)×s₁ + u×(δθ₁×s₁) | (δθ₂×s₂)×u + s₂×(H δd) |
//!
//! with ρ = r₂ + s₂ - r₁, δd = δr₂ + δθ₂×s₂ - δr₁ - δθ₁×s₁ and H = (1 - u uᵀ)/|d|; an angle is a DP1 of p(f) and x₂. Torques
//! are in the frames of their bodies, τ = Aᵀ m with A exp(hat δ): δτ = Aᵀ (δm + m×δθ), δθ = A δ. By Jacobi's identity
//! (δθ×a)×b + (a×b)×δθ = a×(b×δθ), so that the block of a body's moment by its own rotation is a product hat(a) hat(b).

use super::kinematics::PAIR;
use super::layout::PairPlaces;
use super::marker::{Axis, JointFrame};
use super::placed::Placed;
use super::row::{Constraint, Row, rotated};
use nalgebra::{Matrix3, Vector3};

/// The parts of the motion of a pair of bodies, and of their forces and moments: of body 1 and of body 2.
const PLACE: [usize; 2] = [0, 2];
const TURN: [usize; 2] = [1, 3];

/// Blocks of the derivative, forces and moments by places and rotations, in the world frame.
pub(crate) struct JointStiffness([[Matrix3<f64>; 4]; 4]);

impl JointStiffness {
    /// The joint that exerts nothing.
    pub fn zero() -> Self {
        Self([[Matrix3::zeros(); 4]; 4])
    }

    /// Adds a row with this multiplier.
    pub fn add(&mut self, row: &Row, t: f64, [one, two]: &[Placed; 2], multiplier: f64) {
        match row.constraint {
            Constraint::Dot1(first, second) => {
                self.couple(&one.axis(first), &two.axis(second), multiplier);
            }
            Constraint::Angle => {
                let across = rotated(one, row.motion.value(t));
                self.couple(&across, &two.axis(Axis::X), multiplier);
            }
            Constraint::Coordinate(c) => {
                let push = c * multiplier;
                self.0[TURN[0]][TURN[0]] -= product(&one.arm(), &push);
                self.0[TURN[1]][TURN[1]] += product(&two.arm(), &push);
            }
            Constraint::Dot2(axis) => self.slide(&(one.axis(axis) * multiplier), one, two),
            Constraint::Distance => self.pull([one, two], multiplier),
        }
    }

    /// The moments a×b on body 1 and b×a on body 2.
    fn couple(&mut self, a: &Vector3<f64>, b: &Vector3<f64>, multiplier: f64) {
        let one = product(&(a * multiplier), b);
        let two = one.transpose();
        let [first, second] = TURN;
        self.0[first][first] += one;
        self.0[first][second] -= one;
        self.0[second][second] += two;
        self.0[second][first] -= two;
    }

    /// The force a on body 2 and its negative on body 1, which a turns with.
    fn slide(&mut self, a: &Vector3<f64>, one: &Placed, two: &Placed) {
        let (arm, force) = (two.arm(), a.cross_matrix());
        let reach = two.point() - one.origin();
        let [first, second] = TURN;
        self.0[PLACE[0]][first] += force;
        self.0[PLACE[1]][first] -= force;
        self.0[first][PLACE[0]] -= force;
        self.0[first][PLACE[1]] += force;
        self.0[first][first] += product(a, &reach);
        self.0[first][second] -= product(a, &arm);
        self.0[second][first] -= product(&arm, a);
        self.0[second][second] += product(&arm, a);
    }

    /// The force along the line between both points.
    fn pull(&mut self, sides: [&Placed; 2], multiplier: f64) {
        let d = sides[1].point() - sides[0].point();
        let length = d.dot(&d).sqrt();
        let u = d / length;
        // Forces and moments of a force on the point of body 2, its negative on that of body 1: n by 1, s by hat(s).
        let arms = sides.map(|side| side.arm().cross_matrix());
        let across = (Matrix3::identity() - u * u.transpose()) * (multiplier / length);
        for (row, row_sign) in [(0, -1.0), (1, 1.0)] {
            for (column, column_sign) in [(0, -1.0), (1, 1.0)] {
                let block = across * (row_sign * column_sign);
                let turned = block * arms[column];
                self.0[PLACE[row]][PLACE[column]] += block;
                self.0[PLACE[row]][TURN[column]] -= turned;
                self.0[TURN[row]][PLACE[column]] += arms[row] * block;
                self.0[TURN[row]][TURN[column]] -= arms[row] * turned;
            }
            let own = product(&sides[row].arm(), &(u * (multiplier * row_sign)));
            self.0[TURN[row]][TURN[row]] += own;
        }
    }

    /// Subtracts it, with torques and rotations in the frames of these bodies.
    pub fn subtract(&self, sides: &[Placed; 2], places: &PairPlaces, out: &mut [f64]) {
        let rotations = [0, 1].map(|side| sides[side].rotation());
        for side in 0..2 {
            for (part, blocks) in [(0, &self.0[PLACE[side]]), (3, &self.0[TURN[side]])] {
                let mut rows = [[0.0; PAIR]; 3];
                for (column, block) in blocks.iter().enumerate() {
                    let mut block = -block;
                    if column % 2 == 1 {
                        block *= rotations[column / 2];
                    }
                    if part == 3 {
                        block = rotations[side].tr_mul(&block);
                    }
                    for (row, entries) in rows.iter_mut().enumerate() {
                        for axis in 0..3 {
                            entries[3 * column + axis] = block[(row, axis)];
                        }
                    }
                }
                for (row, entries) in rows.iter().enumerate() {
                    places.add(side, part + row, entries, out);
                }
            }
        }
    }
}

/// hat(a) hat(b) = b aᵀ - a·b.
fn product(a: &Vector3<f64>, b: &Vector3<f64>) -> Matrix3<f64> {
    b * a.transpose() - Matrix3::from_diagonal_element(a.dot(b))
}
