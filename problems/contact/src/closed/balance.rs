//! Forces in contacts and joints that balance at acceleration level, and what they say of each.

use crate::closed::local_dynamics::FreeMotion;
use crate::closed::response::Response;
use crate::closed::support::Supports;
use crate::closed::thresholds::NO_FORCE;
use crate::event_sets::{Closed, along_and_across};
use crate::laws::friction::{Friction, PressedJoint, is_at_limit};
use crate::laws::problem::ContactForces;

/// Contacts whose tangential directions turn, with the new first ones in the former ones.
pub(super) type Turns = Vec<(usize, [f64; 2])>;

/// What friction does in each closed contact and in each joint.
pub(super) struct FrictionLaws {
    pub contacts: Vec<Friction>,
    pub joints: Vec<PressedJoint>,
}

impl FrictionLaws {
    /// A contact in space slides along its first tangential direction.
    pub fn slide_along(&mut self, index: usize) {
        let law = &mut self.contacts[index];
        *law = Friction::Sliding {
            coefficient: law.coefficient(),
            sign: 1.0,
        };
    }

    /// Turns two tangential rows in all that presses joints.
    pub fn turn(&mut self, rows: [usize; 2], direction: [f64; 2]) {
        let supports = self.joints.iter_mut().flat_map(|joint| &mut joint.supports);
        for component in supports.flatten() {
            turn(&mut component.by_force, rows, direction);
        }
    }
}

/// Turns two tangential components, the first one into a direction.
pub(super) fn turn(list: &mut [f64], [first, second]: [usize; 2], direction: [f64; 2]) {
    [list[first], list[second]] = along_and_across(direction, [list[first], list[second]]);
}

/// The solution of the complementarity problem at acceleration level.
///
/// Rows are those of the response. Contacts have their numbers within `closed`.
pub(super) struct Balance<'a> {
    pub closed: &'a [Closed],
    /// Contacts that do not rebound.
    pub resting: Vec<usize>,
    /// Those among which forces were found: without released ones and those that joints hold.
    pub pressed: Vec<usize>,
    /// Those whose forces the motion depends on, and does not determine.
    pub yielding: Vec<usize>,
    /// Those in space that have given way, with their directions in the former ones.
    pub turned: Turns,
    /// Of these, the ones that have lost their force.
    pub released: Vec<usize>,
    pub friction: FrictionLaws,
    pub free: FreeMotion,
    pub forces: ContactForces,
    /// The second tangential rows of contacts in space.
    pub seconds: Vec<Option<usize>>,
    /// What is summed up in the equation of each gap, as a force; zero where no force moves it.
    pub scales: Vec<f64>,
}

impl Balance<'_> {
    /// Whether a contact carries more than round-off.
    pub fn carries(&self, index: usize) -> bool {
        self.forces.force[index] > NO_FORCE * self.scales[index]
    }

    /// Resting contacts that carry a force.
    pub fn carrying(&self) -> Vec<usize> {
        let resting = self.resting.iter().copied();
        resting.filter(|&index| self.carries(index)).collect()
    }

    /// The row of the sliding velocity of a contact.
    pub fn tangential(&self, index: usize) -> usize {
        self.closed.len() + index
    }

    /// The rows in which friction may hold a contact.
    pub fn holding(&self, index: usize) -> impl Iterator<Item = usize> + use<> {
        let second = match self.friction.contacts[index] {
            Friction::Cone { .. } => self.seconds[index],
            _ => None,
        };
        [Some(self.tangential(index)), second].into_iter().flatten()
    }

    /// The row of a joint.
    pub fn row_of_joint(&self, joint: usize) -> usize {
        2 * self.closed.len() + joint
    }

    /// Turns the tangential directions of contacts in space that begin to slide, and lets them slide along the first one.
    /// Returns these contacts, with their directions in the present ones.
    pub fn begin_in_space(&mut self, threshold: f64) -> Turns {
        let mut turned = Vec::new();
        for place in 0..self.resting.len() {
            let index = self.resting[place];
            let (first, Some(second)) = (self.tangential(index), self.seconds[index]) else {
                continue;
            };
            let law = self.friction.contacts[index];
            let ContactForces { force, motion } = &self.forces;
            let both = |list: &[f64]| [list[first], list[second]];
            let Some(direction) = law.beginning(force[index], both(force), both(motion), threshold)
            else {
                continue;
            };
            self.turn(index, direction);
            self.friction.slide_along(index);
            turned.push((index, direction));
        }
        turned
    }

    /// Turns the tangential directions of contacts in space that stick back to those that the model gives, in which they get rows; the first
    /// one along the motion of those that joints let move in one direction only, so that friction has no part across it.
    /// Returns these contacts, with their first directions in the present ones.
    pub fn hold_as_given(&mut self, response: &Response) -> Turns {
        let mut turned = Vec::new();
        for place in 0..self.resting.len() {
            let index = self.resting[place];
            let [c, s] = self.closed[index].direction;
            let sticks = matches!(self.friction.contacts[index], Friction::Cone { .. });
            if !sticks {
                continue;
            }
            let first = response.only_direction(index).unwrap_or([c, -s]);
            if first != [1.0, 0.0] {
                self.turn(index, first);
                turned.push((index, first));
            }
        }
        turned
    }

    fn turn(&mut self, index: usize, direction: [f64; 2]) {
        let Some(second) = self.seconds[index] else {
            return;
        };
        let rows = [self.tangential(index), second];
        for list in [
            &mut self.free.motion,
            &mut self.forces.force,
            &mut self.forces.motion,
        ] {
            turn(list, rows, direction);
        }
        self.friction.turn(rows, direction);
    }

    /// The sign with which a contact slides, where what is above `threshold` moves.
    pub fn sliding(&self, index: usize, threshold: f64) -> Option<f64> {
        let row = self.tangential(index);
        let (normal, force) = (self.forces.force[index], self.forces.force[row]);
        self.friction.contacts[index].sliding(normal, force, self.forces.motion[row], threshold)
    }

    /// As [`sliding`](Self::sliding), of a joint.
    pub fn sliding_of_joint(&self, joint: usize, threshold: f64) -> Option<f64> {
        let (law, row) = (&self.friction.joints[joint], self.row_of_joint(joint));
        let normal = law.normal_force(&self.forces.force);
        let (force, motion) = (self.forces.force[row], self.forces.motion[row]);
        law.friction.sliding(normal, force, motion, threshold)
    }

    /// Whether friction of a joint has reached this limit.
    pub fn is_at_limit(&self, joint: usize, limit: f64) -> bool {
        let friction = self.forces.force[self.row_of_joint(joint)];
        friction != 0.0 && is_at_limit(friction, limit)
    }

    /// μ s of contacts that slide in the direction s, zero for others.
    pub fn slopes(&self, threshold: f64) -> Vec<f64> {
        let slope = |index: usize| {
            let coefficient = self.friction.contacts[index].coefficient();
            let sign = self.sliding(index, threshold);
            sign.map_or(0.0, |sign| coefficient * sign.signum())
        };
        (0..self.closed.len()).map(slope).collect()
    }

    /// Whether a contact is in space and slides, or begins to, faster than the threshold.
    pub fn slides_in_space(&self, index: usize, threshold: f64) -> bool {
        let Some(second) = self.seconds[index] else {
            return false;
        };
        let ContactForces { force, motion } = &self.forces;
        let both = |list: &[f64]| [list[self.tangential(index)], list[second]];
        let law = self.friction.contacts[index];
        let begins = law.beginning(force[index], both(force), both(motion), threshold);
        begins.is_some() || matches!(law, Friction::Sliding { .. })
    }

    /// Moves normal forces of these contacts to independent rows among them, which are returned.
    pub fn support(
        &self,
        response: &Response,
        still: f64,
        carrying: &[usize],
        forces: &mut [f64],
    ) -> Vec<usize> {
        let supports = Supports {
            matrix: &response.matrix,
            scale: &response.free_diagonal,
            slopes: &self.slopes(still),
            sticks: &self.held(carrying, still),
        };
        supports.independent(forces, carrying)
    }

    /// The rows in which friction holds one of these contacts, or a joint.
    pub fn held(&self, contacts: &[usize], threshold: f64) -> Vec<usize> {
        let laws = &self.friction;
        let contacts = contacts.iter().copied().filter(|&index| {
            laws.contacts[index] != Friction::None && self.sliding(index, threshold).is_none()
        });
        let joints = (0..laws.joints.len()).filter(|&joint| {
            laws.joints[joint].friction != Friction::None
                && self.sliding_of_joint(joint, threshold).is_none()
        });
        contacts
            .flat_map(|index| self.holding(index))
            .chain(joints.map(|joint| self.row_of_joint(joint)))
            .collect()
    }

    /// Normal forces of all joints with friction.
    pub fn normal_forces_of_joints(&self) -> Vec<f64> {
        let laws = self.friction.joints.iter();
        laws.map(|law| law.normal_force(&self.forces.force))
            .collect()
    }

    /// Multipliers of the wrapped system's rows.
    pub fn reactions(&self, response: &Response) -> Vec<f64> {
        let mut reactions = self.free.lambda.clone();
        for (row, force) in self.forces.force.iter().enumerate() {
            let unit = response.reactions_of(row);
            for (reaction, unit) in reactions.iter_mut().zip(unit) {
                *reaction += force * unit;
            }
        }
        reactions
    }
}
