//! Second derivatives of a mechanism's constraints and of its inertia.

use super::mechanism::MultibodySystem;
use liedae::system::{EvaluationError, Function, Point, SecondDerivatives};

impl SecondDerivatives for MultibodySystem {
    fn geometric_stiffness(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.check_distances(at, Function::GeometricStiffness)?;
        // The mass matrix of rigid bodies is constant in r' and the body's ω.
        out.fill(0.0);
        for body in &self.flexible {
            body.add_stiffness(at, acceleration, out);
        }
        for tie in &self.ties {
            tie.subtract_stiffness(at.q, at.lambda, out);
        }
        for connection in &self.connections {
            connection.subtract_stiffness(at.t, at.q, at.lambda, out);
        }
        Ok(())
    }

    fn velocity_constraint_jacobian(
        &mut self,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.check_distances(at, Function::VelocityConstraintJacobian)?;
        for tie in &self.ties {
            tie.rate_jacobian(at.q, at.v, out);
        }
        for connection in &self.connections {
            connection.rate_jacobian(at.t, at.q, at.v, out);
        }
        self.check_own(at, Function::VelocityConstraintJacobian, |joint| {
            joint.has_finite_entries(out)
        })
    }

    fn acceleration_constraint_jacobian(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.check_distances(at, Function::AccelerationConstraintJacobian)?;
        let arguments = [at.q, at.v, acceleration];
        for tie in &self.ties {
            tie.acceleration_jacobian(arguments, by_position, by_velocity);
        }
        for connection in &self.connections {
            connection.acceleration_jacobian(at.t, arguments, by_position, by_velocity);
        }
        self.check_own(at, Function::AccelerationConstraintJacobian, |joint| {
            joint.has_finite_entries(by_position) && joint.has_finite_entries(by_velocity)
        })
    }
}
