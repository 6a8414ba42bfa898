//! Joints with friction: their laws in the complementarity problems, their statuses, and how they look from outside.

use crate::closed::selection::Selection;
use crate::equations::structure::Statuses;
use crate::laws::friction::{Friction, NormalComponent, PressedJoint};
use crate::laws::problem::ContactForces;
use crate::{FrictionJoint, JointStatus, NonsmoothSystem};

impl NonsmoothSystem {
    /// What friction does in a joint between two events.
    pub(crate) fn friction_of_joint(
        &self,
        joint: usize,
        velocity: f64,
        slipping: bool,
        held: f64,
    ) -> Friction {
        let slipping = slipping && self.equations.statuses.joints[joint].is_sticking();
        let held = if slipping { held } else { 0.0 };
        let threshold = self.options.thresholds.velocity;
        self.limited_joint(joint)
            .between_events(velocity, threshold, held)
    }

    /// The friction law of a joint whose sliding velocity may be any.
    pub(crate) fn limited_joint(&self, joint: usize) -> Friction {
        Friction::of(self.equations.joints[joint].friction)
    }

    /// The laws of all joints in a problem with all rows of the response; `lambda` are the multipliers without forces in
    /// them.
    pub(crate) fn pressed_joints(
        &self,
        friction: &[Friction],
        lambda: &[f64],
    ) -> Vec<PressedJoint> {
        let rows = 0..self.response.free_diagonal.len();
        let law = |(joint, &friction): (&FrictionJoint, &Friction)| PressedJoint {
            friction,
            supports: joint
                .supports
                .iter()
                .map(|support| {
                    let components = (0..support.components.len()).map(|index| NormalComponent {
                        free: support.component(index, lambda),
                        by_force: rows
                            .clone()
                            .map(|row| support.component(index, self.response.reactions_of(row)))
                            .collect(),
                    });
                    components.collect()
                })
                .collect(),
        };
        self.equations
            .joints
            .iter()
            .zip(friction)
            .map(law)
            .collect()
    }

    /// Decides which joints stick and which slide, by the forces at acceleration level. `first` is the row of the
    /// first joint, `threshold` what counts as motion.
    ///
    /// Of joints that hold the same motion the one that can take most beyond its force gets the row; the others keep
    /// the share of their limits that the decision gave them.
    pub(crate) fn settle_joints(
        &self,
        laws: &[PressedJoint],
        forces: &ContactForces,
        (first, threshold): (usize, f64),
        selection: &mut Selection,
        statuses: &mut Statuses,
    ) {
        let size = self.response.free_diagonal.len();
        let still = self.options.thresholds.acceleration;
        let mut sticking = Vec::with_capacity(laws.len());
        let mut slow = Vec::new();
        for (joint, law) in laws.iter().enumerate() {
            let row = first + joint;
            let normal = law.normal_force(&forces.force);
            let (force, motion) = (forces.force[row], forces.motion[row]);
            statuses.shares[joint] = 0.0;
            let limited = matches!(law.friction, Friction::Limited { .. });
            statuses.joints[joint] = match law.friction.sliding(normal, force, motion, threshold) {
                Some(sign) => {
                    if limited && motion.abs() <= still {
                        slow.push((joint, law.friction.coefficient() * normal));
                    }
                    JointStatus::sliding_towards(sign)
                }
                None if law.friction == Friction::None => JointStatus::Free,
                None => {
                    let limit = law.friction.coefficient() * normal;
                    let mobility = self.response.matrix[row * (size + 1)];
                    let reserve = (limit - force.abs()).max(0.0) * mobility.max(0.0).sqrt();
                    sticking.push((joint, reserve, limit));
                    JointStatus::Sticking
                }
            };
        }
        sticking.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut held = Vec::new();
        for (joint, _, limit) in sticking {
            if selection.accept(first + joint).is_err() {
                held.push((joint, limit));
            }
        }
        // Sliding as slow as round-off is none where it follows from what sticks.
        held.extend(
            slow.into_iter()
                .filter(|&(joint, _)| selection.implies(first + joint)),
        );
        for (joint, limit) in held {
            statuses.joints[joint] = JointStatus::StickingRedundantly;
            if limit > 0.0 {
                statuses.shares[joint] = (forces.force[first + joint] / limit).clamp(-1.0, 1.0);
            }
        }
    }

    /// Sets by how much each joint's friction exceeds its limit when it slips.
    pub(crate) fn set_slip_forces(&mut self, laws: &[PressedJoint], force: &[f64], first: usize) {
        let thresholds = self.options.thresholds;
        let size = self.response.free_diagonal.len();
        for (joint, (law, slip)) in laws.iter().zip(&mut self.margins.slip).enumerate() {
            let mobility = self.response.matrix[(first + joint) * (size + 1)];
            let limit = self.equations.joints[joint].friction * law.normal_force(force);
            *slip = thresholds.force_margin(limit, mobility);
        }
    }
}
