//! Joints that rub, as the layer above locates their events, and what it is to locate.

use super::connection::Connection;
use super::friction::Slide;
use super::mechanism::MultibodySystem;
use liedae::system::{EvaluationError, EventHandling, EventReport, Function, Point, State};
use liedae_contact::{Contacts, FrictionJoint, FrictionJoints, UnilateralConstraints};

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

impl Contacts for MultibodySystem {
    fn unilateral(&mut self) -> Option<&mut dyn UnilateralConstraints> {
        if self.contacts.places.is_empty() {
            None
        } else {
            Some(self)
        }
    }

    fn joint_friction(&mut self) -> Option<&mut dyn FrictionJoints> {
        (!self.guides.is_empty()).then_some(self)
    }

    fn prepare_with_contacts(
        &mut self,
        _state: &mut State,
        _events: EventHandling,
    ) -> Result<Vec<EventReport>, EvaluationError> {
        Ok(Vec::new())
    }
}
