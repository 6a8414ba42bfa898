//! Forces of contacts and joints where pivoting finds none, or cannot be asked: the methods of the event-capturing scheme.

use crate::capturing::{self, ContactLaw, ImpactSolver};
use crate::laws::friction::{Friction, PressedJoint};
use crate::laws::problem::{ContactForces, ContactProblem};

/// What slides is given this many times the largest motion of all, in its direction: no force of the problem turns it round,
/// but one that grows without bound.
const SLIDES: f64 = 1e3;

/// What slides has been stopped below this share of that motion.
const STOPPED: f64 = 1e-3;

impl ContactProblem<'_> {
    /// Solves the problem of joints that rub and of cones of friction by the [`ImpactSolver`], in which the friction of
    /// joints keeps the limits that their reactions set, iterate by iterate. Such a problem always has a solution if
    /// nothing slides and W is positive definite: with given limits friction is unique, continuous in them and bounded,
    /// and Brouwer's theorem gives a fixed point. Pivoting may miss it, since |N| makes the problem neither monotone
    /// nor copositive.
    ///
    /// `None` if there is none, as where sliding locks itself, or none is found.
    pub(crate) fn by_limits(&self) -> Option<ContactForces> {
        let (contacts, joints) = (self.friction.len(), self.joints.len());
        let hopeless = joints == 0 && !self.has_cones();
        if hopeless || self.floor.iter().any(|&least| least != 0.0) {
            return None;
        }
        let size = self.free.len();
        let largest = self.free.iter().fold(0.0_f64, |most, a| most.max(a.abs()));
        let slides = SLIDES * if largest > 0.0 { largest } else { 1.0 };
        let mut rows = Vec::with_capacity(size);
        let mut laws = Vec::with_capacity(contacts);
        for (contact, friction) in self.friction.iter().enumerate() {
            rows.push(contact);
            let second = self.seconds.get(contact).copied().flatten();
            let tangents = match (friction, second) {
                (Friction::None, _) => 0,
                (Friction::Cone { .. }, Some(second)) => {
                    rows.extend([contacts + contact, second]);
                    2
                }
                _ => {
                    rows.push(contacts + contact);
                    1
                }
            };
            laws.push(ContactLaw {
                least_velocity: 0.0,
                friction: friction.coefficient(),
                tangents,
            });
        }
        rows.extend(2 * contacts..2 * contacts + joints);
        let law_of = |row: usize| match row.checked_sub(2 * contacts) {
            Some(joint) => (self.joints.get(joint)).map_or(Friction::None, |law| law.friction),
            None if row >= contacts => self.friction[row - contacts],
            None => Friction::None,
        };
        // Sliding as a motion that goes on.
        let push = |row: usize| match law_of(row) {
            Friction::Sliding { sign, .. } => sign * slides,
            _ => 0.0,
        };
        let velocity: Vec<f64> = rows.iter().map(|&row| self.free[row] + push(row)).collect();
        let entries = rows.iter().flat_map(|&row| {
            let columns = rows.iter();
            columns.map(move |&column| self.response[row * size + column])
        });
        let delassus: Vec<f64> = entries.collect();
        let joint_law = |law: &PressedJoint| capturing::JointLaw {
            friction: law.friction.coefficient(),
            reversal: 0.0,
            supports: law.supports.iter().map(Vec::len).collect(),
        };
        let joint_laws: Vec<_> = self.joints.iter().map(joint_law).collect();
        let mut normals = Vec::new();
        let supports = self.joints.iter().flat_map(|law| &law.supports);
        for component in supports.flatten() {
            normals.push(component.free);
            normals.extend(rows.iter().map(|&row| component.by_force[row]));
        }
        let joints = capturing::Joints {
            laws: &joint_laws,
            normals: &normals,
        };
        let mut found = vec![0.0; rows.len()];
        ImpactSolver::default()
            .solve_with_joints(&laws, joints, &delassus, &velocity, &mut found)
            .ok()?;
        let mut force = vec![0.0; size];
        for (&row, &value) in rows.iter().zip(&found) {
            force[row] = value;
        }
        let forces = ContactForces::of(self.response, self.free, force);
        // What slid must still slide: otherwise friction had the wrong sign.
        let goes_on = rows.iter().all(|&row| match law_of(row) {
            Friction::Sliding { sign, .. } => sign * forces.motion[row] + slides > STOPPED * slides,
            _ => true,
        });
        goes_on.then_some(forces)
    }
}
