//! Joints that rub, as the layer above locates their events.

use super::connection::Connection;
use super::friction::Slide;
use super::mechanism::MultibodySystem;
use liedae::system::{EvaluationError, Function, Point};
use liedae_contact::{FrictionJoint, FrictionJoints};

impl MultibodySystem {
    fn guide(&self, joint: usize, at: &Point) -> Result<&Slide, EvaluationError> {
        let guides = &self.guides;
        guides.get(joint).ok_or_else(|| EvaluationError::Failed {
            function: Function::VelocityConstraint,
            t: at.t,
            reason: format!(
                "there is no joint {joint} that may stick: there are {}",
                guides.len()
            ),
        })
    }
}

impl FrictionJoints for MultibodySystem {
    fn friction_joints(&self) -> &[FrictionJoint] {
        &self.guide_laws
    }

    fn joint_velocity(&mut self, joint: usize, at: &Point) -> Result<f64, EvaluationError> {
        let guide = self.guide(joint, at)?;
        Ok(guide.velocity(&Self::pair(&guide.bodies, at)))
    }

    fn joint_jacobian(
        &mut self,
        joint: usize,
        at: &Point,
        row: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let guide = self.guide(joint, at)?;
        row.fill(0.0);
        let wrenches = guide.unit_wrenches(&Self::pair(&guide.bodies, at));
        for (wrench, body) in wrenches.iter().zip(guide.bodies) {
            wrench.add_to(body, row);
        }
        Ok(())
    }

    fn joint_bias(&mut self, joint: usize, at: &Point) -> Result<f64, EvaluationError> {
        let guide = self.guide(joint, at)?;
        let bodies = Self::pair(&guide.bodies, at);
        let spins = Connection::spins(&bodies);
        Ok(Slide::row().bias(at.t, &guide.sides(&bodies), &spins))
    }
}
