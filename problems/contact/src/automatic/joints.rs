//! The joints with friction of a model, with derivatives by forward-mode duals.

use super::AutomaticContacts;
use crate::{ContactModel, FrictionJoint, FrictionJoints};
use liedae::system::derivatives::CHUNK;
use liedae::system::{EvaluationError, Point, System};

impl<M: ContactModel> FrictionJoints for AutomaticContacts<M> {
    fn friction_joints(&self) -> &[FrictionJoint] {
        &self.friction_joints
    }

    fn joint_velocity(&mut self, joint: usize, at: &Point) -> Result<f64, EvaluationError> {
        Ok(self.smooth.model().joint_velocity(joint, at))
    }

    fn joint_jacobian(
        &mut self,
        joint: usize,
        at: &Point,
        row: &mut [f64],
    ) -> Result<(), EvaluationError> {
        row.fill(0.0);
        let acts = self.friction_joints.get(joint);
        let velocities = acts.and_then(|joint| joint.velocities.as_deref());
        let count = velocities.map_or(row.len(), <[usize]>::len);
        let column = |index: usize| velocities.map_or(index, |list| list[index]);
        for first in (0..count).step_by(CHUNK) {
            let chunk = first..(first + CHUNK).min(count);
            self.dual.load(at);
            for index in chunk.clone() {
                self.dual.v[column(index)].gradient[index - first] = 1.0;
            }
            let (point, _) = self.dual.split(at.mode);
            let velocity = self.smooth.model().joint_velocity(joint, &point);
            for index in chunk {
                row[column(index)] = velocity.gradient[index - first];
            }
        }
        Ok(())
    }

    fn joint_bias(&mut self, joint: usize, at: &Point) -> Result<f64, EvaluationError> {
        self.curve.follow(&self.smooth.layout().space, at);
        let (point, _) = self.curve.split(at.mode);
        Ok(self.smooth.model().joint_velocity(joint, &point).first)
    }
}
