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
        for columns in self.rubbed[joint].chunks(CHUNK) {
            self.dual.load(at);
            for (direction, &column) in columns.iter().enumerate() {
                self.dual.v[column].gradient[direction] = 1.0;
            }
            let (point, _) = self.dual.split(at.mode);
            let velocity = self.smooth.model().joint_velocity(joint, &point);
            for (&column, entry) in columns.iter().zip(velocity.gradient) {
                row[column] = entry;
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
