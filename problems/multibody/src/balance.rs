//! The balance of forces and the rows of joints at an iterate, in one pass over all bodies and joints.
//!
//! A step that keeps its matrix needs neither M nor G: in chains of ten thousand links both would go to memory and come back.

use super::ball_joint::BallJoint;
use super::kinematics::VELOCITIES;
use super::masses::Mass;
use super::mechanism::MultibodySystem;
use super::row_entries::{POINT_ENTRIES, RowEntries};
use liedae::system::{Balance, EvaluationError, Point, System};
use nalgebra::{Matrix3, Vector3};

/// Forces and torque of a body, and its velocities or accelerations.
type Six = [f64; VELOCITIES];

/// The part of a velocity or an acceleration that turns.
#[inline]
fn turning(v: &Six) -> Vector3<f64> {
    Vector3::new(v[3], v[4], v[5])
}

impl MultibodySystem {
    /// Whether rigid bodies and ball joints are all that has rows or inertia, and nothing has states of its own.
    pub(crate) fn consists_of_balls(&self) -> bool {
        self.others.is_empty()
            && self.row_entries == RowEntries::Points
            && self.ties.is_empty()
            && self.layout.dimension() == VELOCITIES * self.bodies.len()
            && self.layout.differential + self.layout.algebraic == 0
    }

    /// Whether gravity and gyroscopic torques are all forces.
    pub(crate) fn falls_freely(&self) -> bool {
        self.forces.is_empty()
            && self.beams.is_empty()
            && self.torsions.is_empty()
            && self.state_forces.is_empty()
    }

    /// See [`System::balance`].
    pub(crate) fn write_balance(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        wanted: &mut Balance,
    ) -> Result<bool, EvaluationError> {
        let only_positions = wanted.velocity.is_none() && wanted.acceleration.is_none();
        if !only_positions || !self.consists_of_balls() {
            return Ok(false);
        }
        let free = self.falls_freely();
        if !free {
            match (&mut wanted.forces, &mut wanted.sizes) {
                (Some(forces), Some(sizes)) => {
                    self.rates(at, forces)?;
                    sizes.copy_from_slice(forces);
                }
                (Some(list), None) | (None, Some(list)) => self.rates(at, list)?,
                (None, None) => {}
            }
        }
        let forces = blocks(&mut wanted.forces);
        let sizes = blocks(&mut wanted.sizes);
        let velocities = at.v.as_chunks::<VELOCITIES>().0;
        let accelerations = acceleration.as_chunks::<VELOCITIES>().0;
        let moving = velocities.iter().zip(accelerations);
        let mut bodies = self.masses.iter().zip(moving).enumerate();
        // Bodies when a joint first reaches them, while their numbers are at hand.
        let mut reached = 0;
        let mut reach = |end: usize, forces: &mut [Six], sizes: &mut [Six]| {
            while reached < end {
                let Some((body, (mass, (v, acceleration)))) = bodies.next() else {
                    break;
                };
                if let Some(out) = forces.get_mut(body) {
                    if free {
                        *out = fall(mass, &self.gravity, v);
                    }
                    resist(mass, acceleration, out);
                }
                if let Some(out) = sizes.get_mut(body) {
                    if free {
                        *out = fall(mass, &self.gravity, v);
                    }
                    *out = out.map(f64::abs);
                }
                reached = body + 1;
            }
        };
        for (ball, ahead) in self.balls_and_ahead() {
            if let Some(ahead) = ahead {
                ahead.fetch_motion(at.q, &[]);
                if let Some(out) = &wanted.jacobian {
                    ahead.fetch_entries::<POINT_ENTRIES>(out);
                }
            }
            reach(ball.end(), forces, sizes);
            ball.balance(at, forces, sizes);
            if let Some((out, factor)) = &mut wanted.position {
                ball.residual(at.q, *factor, out);
            }
            if let Some(out) = &mut wanted.jacobian {
                ball.jacobian::<POINT_ENTRIES>(at.q, out);
            }
        }
        reach(self.bodies.len(), forces, sizes);
        Ok(true)
    }
}

/// A list of forces by bodies; none if it is not wanted.
fn blocks<'a>(list: &'a mut Option<&mut [f64]>) -> &'a mut [Six] {
    list.as_deref_mut().unwrap_or_default().as_chunks_mut().0
}

/// m g, and J ω × ω: the torque in the frame that turns with the body.
#[inline]
pub(crate) fn fall(body: &Mass, gravity: &Vector3<f64>, v: &Six) -> Six {
    let omega = turning(v);
    let (push, torque) = (gravity * body.mass, (body.inertia * omega).cross(&omega));
    [push.x, push.y, push.z, torque.x, torque.y, torque.z]
}

/// ∂(J ω × ω)/∂ω = hat(J ω) - hat(ω) J.
#[inline]
pub(crate) fn gyroscopic_slope(body: &Mass, v: &Six) -> Matrix3<f64> {
    let omega = turning(v);
    (body.inertia * omega).cross_matrix() - omega.cross_matrix() * body.inertia
}

/// Sets numbers to zero, unless all are from the last time on: what is not written need not go to memory.
pub(crate) fn clear(list: &mut [f64]) {
    let (chunks, rest) = list.as_chunks::<8>();
    let bits = |numbers: &[f64]| {
        numbers
            .iter()
            .fold(0, |bits, number| bits | number.to_bits())
    };
    if chunks.iter().any(|chunk| bits(chunk) != 0) || bits(rest) != 0 {
        list.fill(0.0);
    }
}

/// Subtracts M a.
#[inline]
fn resist(body: &Mass, acceleration: &Six, forces: &mut Six) {
    let torque = body.inertia * turning(acceleration);
    for axis in 0..3 {
        forces[axis] -= body.mass * acceleration[axis];
        forces[3 + axis] -= torque[axis];
    }
}

impl BallJoint {
    /// Adds Gᵀ λ to the forces of both bodies, and its absolute values to their sizes, as far as these lists reach.
    #[inline]
    fn balance(&self, at: &Point, forces: &mut [Six], sizes: &mut [Six]) {
        for side in 0..2 {
            let Some((body, reaction)) = self.reaction(side, at) else {
                continue;
            };
            if let Some(out) = forces.get_mut(body) {
                for (out, part) in out.iter_mut().zip(reaction) {
                    *out += part;
                }
            }
            if let Some(out) = sizes.get_mut(body) {
                for (out, part) in out.iter_mut().zip(reaction) {
                    *out += part.abs();
                }
            }
        }
    }
}
