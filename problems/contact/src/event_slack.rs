//! Tolerances of event functions after an event: how far forces and velocities may be on the wrong side.

use crate::equations::Equations;
use liedae::system::{EvaluationError, State};

/// Allowances of event functions, which the event before has set.
pub(crate) struct EventSlack {
    /// A force below minus this opens the contact.
    pub release: Vec<f64>,
    /// A joint at the limit of friction slips beyond it by this.
    pub slip: Vec<f64>,
    /// What was left of sliding against the direction that was decided on, in m/s.
    pub backward: Backward,
    /// What the wrapped system's own rows keep from sliding, or move.
    pub prescribed: Prescribed,
}

/// Contacts and joints whose sliding no force changes: the rows of joints and drives prescribe it.
pub(crate) struct Prescribed {
    pub contacts: Vec<bool>,
    pub joints: Vec<bool>,
}

/// Speeds against the direction of sliding: less than the velocity threshold, since what is faster slides on.
pub(crate) struct Backward {
    pub contacts: Vec<f64>,
    pub joints: Vec<f64>,
}

impl EventSlack {
    /// None, for so many contacts and joints.
    pub fn none(contacts: usize, joints: usize) -> Self {
        Self {
            release: vec![0.0; contacts],
            slip: vec![0.0; joints],
            backward: Backward {
                contacts: vec![0.0; contacts],
                joints: vec![0.0; joints],
            },
            prescribed: Prescribed {
                contacts: vec![false; contacts],
                joints: vec![false; joints],
            },
        }
    }

    /// How fast contacts and joints move against the direction in which they are about to slide.
    pub fn note_backward_slides(
        &mut self,
        equations: &mut Equations,
        state: &State,
    ) -> Result<(), EvaluationError> {
        for contact in 0..equations.contacts.len() {
            let backward = match equations.statuses.contacts[contact].sliding() {
                Some(sign) => {
                    let [_, first, second] = equations.velocity_of(contact, &state.point())?;
                    if equations.contacts[contact].is_spatial() {
                        -equations.slides[contact].advance([first, second])
                    } else {
                        -sign * first
                    }
                }
                None => 0.0,
            };
            self.backward.contacts[contact] = backward.max(0.0);
        }
        if equations.joints.is_empty() {
            return Ok(());
        }
        let velocities = equations.joint_velocities(state)?;
        for (joint, velocity) in velocities.into_iter().enumerate() {
            let sign = equations.statuses.joints[joint].sliding().unwrap_or(0.0);
            self.backward.joints[joint] = (-sign * velocity).max(0.0);
        }
        Ok(())
    }
}
