//! Forces, the rows of joints and their Jacobian at one point, in one pass over all bodies and joints.
//!
//! In chains of ten thousand links each pass of its own would read all poses, velocities and joints from memory.

use super::balance::fall;
use super::ball_joint::BallJoint;
use super::kinematics::VELOCITIES;
use super::mechanism::MultibodySystem;
use super::row_entries::POINT_ENTRIES;
use liedae::system::{EvaluationError, Point, System, Wanted};

impl MultibodySystem {
    /// See [`System::at_point`]: for rigid bodies with ball joints, where rows at one level are wanted, with G or forces or both.
    pub(crate) fn write_at_point(
        &mut self,
        at: &Point,
        wanted: &mut Wanted,
    ) -> Result<bool, EvaluationError> {
        let Wanted {
            mass,
            rates,
            jacobian,
            velocity_constraint,
            acceleration_bias,
        } = wanted;
        let is_shared = jacobian.is_some() || rates.is_some() && self.falls_freely();
        let has_rows = velocity_constraint.is_some() != acceleration_bias.is_some();
        if !(is_shared && has_rows && self.consists_of_balls()) {
            return Ok(false);
        }
        if let Some(mass) = mass {
            self.mass_matrix(at, mass)?;
        }
        let mut forces: &mut [f64] = &mut [];
        if let Some(rates) = rates {
            if self.falls_freely() {
                forces = rates;
            } else {
                self.rates(at, rates)?;
            }
        }
        let jacobian = jacobian.as_deref_mut();
        if let Some(rows) = velocity_constraint {
            self.write_rows(at, forces, jacobian, |ball| ball.rate(at.q, at.v, rows));
        } else if let Some(rows) = acceleration_bias {
            self.write_rows(at, forces, jacobian, |ball| ball.bias(at.q, at.v, rows));
        }
        Ok(true)
    }

    /// Writes the forces on bodies in free fall, as far as this list reaches, the rows of G where they are wanted, and other rows of
    /// each joint.
    #[inline]
    fn write_rows(
        &self,
        at: &Point,
        forces: &mut [f64],
        mut jacobian: Option<&mut [f64]>,
        mut write: impl FnMut(&BallJoint),
    ) {
        let moving =
            at.v.as_chunks::<VELOCITIES>()
                .0
                .iter()
                .zip(self.masses.iter());
        let forces = forces.as_chunks_mut::<VELOCITIES>().0;
        let mut bodies = forces.iter_mut().zip(moving);
        // Bodies when a joint first reaches them, while their numbers are at hand.
        let mut fall_to = |count: usize| {
            for (forces, (v, body)) in bodies.by_ref().take(count) {
                *forces = fall(body, &self.gravity, v);
            }
        };
        let mut reached = 0;
        for (ball, ahead) in self.balls_and_ahead() {
            if let Some(ahead) = ahead {
                if let Some(jacobian) = &jacobian {
                    ahead.fetch_entries::<POINT_ENTRIES>(jacobian);
                }
                ahead.fetch_motion(at.q, at.v);
            }
            let end = ball.end();
            fall_to(end.saturating_sub(reached));
            reached = reached.max(end);
            if let Some(jacobian) = &mut jacobian {
                ball.jacobian::<POINT_ENTRIES>(at.q, jacobian);
            }
            write(ball);
        }
        fall_to(self.bodies.len());
    }
}
