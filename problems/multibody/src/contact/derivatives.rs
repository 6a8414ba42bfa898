//! Derivatives of contact rows by the twelve directions in which two bodies move.

use super::touch::Place;
use crate::Kinematics;
use crate::kinematics::{PAIR, VELOCITIES};
use liedae::scalar::{Dual, Scalar, Taylor2};
use nalgebra::{Matrix3, Vector3};

type Gradient = Dual<PAIR>;

/// Accelerations of two bodies: r'' in the world, ω' in the body frame.
type Accelerations = [[f64; VELOCITIES]; 2];

impl Place {
    /// The first of each body's columns among those that the contact acts on, in increasing order of bodies.
    fn columns(&self) -> [Option<usize>; 2] {
        match self.bodies {
            [Some(first), Some(second)] if first < second => [Some(0), Some(VELOCITIES)],
            [Some(first), Some(second)] if first > second => [Some(VELOCITIES), Some(0)],
            bodies => bodies.map(|body| body.map(|_| 0)),
        }
    }

    /// How many columns there are.
    fn count(&self) -> usize {
        match self.bodies {
            [Some(first), Some(second)] if first != second => PAIR,
            [None, None] => 0,
            _ => VELOCITIES,
        }
    }

    /// Adds a gradient by the motions of both bodies to the columns of one row.
    fn write(&self, gradient: &[f64; PAIR], row: &mut [f64]) {
        let halves = gradient.chunks_exact(VELOCITIES);
        for (first, half) in self.columns().into_iter().zip(halves) {
            let Some(first) = first else { continue };
            for (slot, value) in row[first..first + VELOCITIES].iter_mut().zip(half) {
                *slot += value;
            }
        }
    }

    /// ∂(G_Nᵀ λ_N + G_Tᵀ λ_T)/∂q: how the wrenches of the contact force turn.
    pub fn force_stiffness(&self, bodies: &[Kinematics; 2], forces: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let displaced = displaced(bodies);
        let touch = self.touch(&displaced);
        let directions = std::iter::once(&touch.normal).chain(&touch.tangents);
        let mut force: Vector3<Gradient> = Vector3::zeros();
        // F = λ_N n + λ_T t with constant λ: what turns are the directions and the points.
        for (direction, &size) in directions.zip(forces) {
            force += direction * Gradient::constant(size);
        }
        let columns = self.columns();
        let signs = [-1.0, 1.0].map(Gradient::constant);
        for (side, sign) in signs.into_iter().enumerate() {
            let Some(first) = columns[side] else { continue };
            let wrench = displaced[side].force_at(&touch.points[side], &(force * sign));
            let rows = out.chunks_exact_mut(self.count());
            for (index, row) in rows.skip(first).take(VELOCITIES).enumerate() {
                self.write(&wrench.entry(index).gradient, row);
            }
        }
    }

    /// ∂(G_N v)/∂q and ∂g_T'/∂q.
    pub fn velocity_gradients(&self, bodies: &[Kinematics; 2], out: &mut [f64]) {
        let displaced = displaced(bodies);
        let touch = self.touch(&displaced);
        // ġ = n · (v₂ - v₁) at the closest points.
        let rate = touch.normal.dot(&touch.relative_velocity(&displaced));
        let [first, second] = touch.sliding_velocity(&displaced);
        self.write_rows([rate, first, second], out);
    }

    /// ∂(G a + γ)/∂q and ∂γ/∂v.
    pub fn acceleration_gradients(
        &self,
        bodies: &[Kinematics; 2],
        accelerations: &Accelerations,
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    ) {
        let faster = [bodies[0].accelerated(0), bodies[1].accelerated(VELOCITIES)];
        for (bodies, out) in [(displaced(bodies), by_position), (faster, by_velocity)] {
            // Along the motion the gap has G a + γ as second derivative, sliding G_T a + γ_T as first.
            let moving = [0, 1].map(|side| along(&bodies[side], &accelerations[side]));
            let touch = self.touch(&moving);
            let [first, second] = touch.sliding_velocity(&moving);
            self.write_rows([touch.gap.second, first.first, second.first], out);
        }
    }

    /// Writes as many rows as there is place for.
    fn write_rows(&self, values: [Gradient; 3], out: &mut [f64]) {
        out.fill(0.0);
        for (row, value) in out.chunks_exact_mut(self.count().max(1)).zip(values) {
            self.write(&value.gradient, row);
        }
    }
}

/// Both bodies displaced by the twelve parameters of a pair.
fn displaced(bodies: &[Kinematics; 2]) -> [Kinematics<Gradient>; 2] {
    [bodies[0].displaced(0), bodies[1].displaced(VELOCITIES)]
}

/// The body along its motion with these accelerations: r + s r' + s²/2 r'', A exp(s hat ω + s²/2 hat ω').
pub(super) fn along<S: Scalar>(
    body: &Kinematics<S>,
    acceleration: &[f64; VELOCITIES],
) -> Kinematics<Taylor2<S>> {
    let [linear, angular] =
        [0, 3].map(|first| Vector3::from_fn(|axis, _| S::constant(acceleration[first + axis])));
    let spin = hat(&body.omega);
    let first = body.rotation * spin;
    let second = first * spin + body.rotation * hat(&angular);
    let zero = S::constant(0.0);
    Kinematics {
        position: Vector3::from_fn(|axis, _| {
            Taylor2::new(body.position[axis], body.velocity[axis], linear[axis])
        }),
        rotation: Matrix3::from_fn(|row, column| {
            let at = (row, column);
            Taylor2::new(body.rotation[at], first[at], second[at])
        }),
        velocity: Vector3::from_fn(|axis, _| Taylor2::new(body.velocity[axis], linear[axis], zero)),
        omega: Vector3::from_fn(|axis, _| Taylor2::new(body.omega[axis], angular[axis], zero)),
    }
}

/// The matrix of the vector product from the left.
fn hat<S: Scalar>(vector: &Vector3<S>) -> Matrix3<S> {
    let (zero, [x, y, z]) = (S::constant(0.0), [vector.x, vector.y, vector.z]);
    Matrix3::new(zero, -z, y, z, zero, -x, -y, x, zero)
}
