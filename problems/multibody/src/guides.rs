//! Joints with friction as the contact layer sees them: sliding velocities, unit wrenches and reactions.

use super::bearing::Bearing;
use super::friction::Slide;
use super::kinematics::{Kinematics, Wrench};
use super::mechanism::MultibodySystem;
use liedae::system::{EvaluationError, EventHandling, EventReport, Function, Point, State};
use liedae_contact::{Contacts, FrictionJoint, FrictionJoints, UnilateralConstraints};

/// How a joint that may stick moves.
#[derive(Clone, Debug)]
pub(crate) enum Guide {
    /// Along its axis.
    Slides(Slide),
    /// About its axis.
    Turns(Bearing),
}

impl Guide {
    fn bodies(&self) -> &[Option<usize>; 2] {
        match self {
            Self::Slides(slide) => &slide.bodies,
            Self::Turns(bearing) => &bearing.bodies,
        }
    }

    fn velocity(&self, bodies: &[Kinematics; 2]) -> f64 {
        match self {
            Self::Slides(slide) => slide.velocity(bodies),
            Self::Turns(bearing) => bearing.velocity(bodies),
        }
    }

    fn unit_wrenches(&self, bodies: &[Kinematics; 2]) -> [Wrench; 2] {
        match self {
            Self::Slides(slide) => slide.unit_wrenches(bodies),
            Self::Turns(bearing) => bearing.unit_wrenches(bodies),
        }
    }

    fn bias(&self, t: f64, bodies: &[Kinematics; 2]) -> f64 {
        match self {
            Self::Slides(slide) => slide.bias(t, bodies),
            Self::Turns(bearing) => bearing.bias(bodies),
        }
    }
}

impl MultibodySystem {
    fn guide(&self, joint: usize, at: &Point) -> Result<&Guide, EvaluationError> {
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
        Ok(guide.velocity(&Self::pair(guide.bodies(), at)))
    }

    fn joint_jacobian(
        &mut self,
        joint: usize,
        at: &Point,
        row: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let guide = self.guide(joint, at)?;
        row.fill(0.0);
        let bodies = *guide.bodies();
        let wrenches = guide.unit_wrenches(&Self::pair(&bodies, at));
        for (wrench, body) in wrenches.iter().zip(bodies) {
            wrench.add_to(body, row);
        }
        Ok(())
    }

    fn joint_bias(&mut self, joint: usize, at: &Point) -> Result<f64, EvaluationError> {
        let guide = self.guide(joint, at)?;
        Ok(guide.bias(at.t, &Self::pair(guide.bodies(), at)))
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
