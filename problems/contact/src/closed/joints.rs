//! Which joints stick and which slide.

use crate::JointStatus;
use crate::closed::selection::Selection;
use crate::equations::structure::Statuses;
use crate::laws::friction::{Friction, PressedJoint};
use crate::laws::problem::ContactForces;

/// Decides which joints stick and which slide, by the forces at acceleration level. `first` is the row of the
/// first joint, `threshold` what counts as motion where friction is at its limit, below `still` nothing moves. Returns joints that
/// slide as slowly as that, with their limits, for [`stop_slow_joints`].
///
/// Of joints that hold the same motion the one that can take most beyond its force gets the row; the others keep
/// the friction that the decision gave them.
pub(crate) fn settle_joints(
    laws: &[PressedJoint],
    forces: &ContactForces,
    (first, threshold, still): (usize, f64, f64),
    selection: &mut Selection,
    statuses: &mut Statuses,
) -> Vec<(usize, f64)> {
    let mut sticking = Vec::with_capacity(laws.len());
    let mut slow = Vec::new();
    for (joint, law) in laws.iter().enumerate() {
        let row = first + joint;
        let normal = law.normal_force(&forces.force);
        let (force, motion) = (forces.force[row], forces.motion[row]);
        statuses.shares[joint] = [0.0; 2];
        let limited = matches!(law.friction, Friction::Limited { .. });
        statuses.joints[joint] = match law.friction.sliding(normal, force, motion, threshold) {
            Some(sign) => {
                if limited && motion.abs() <= still {
                    slow.push((joint, normal));
                }
                JointStatus::sliding_towards(sign)
            }
            None if law.friction == Friction::None => JointStatus::Free,
            None => {
                let limit = law.friction.coefficient() * normal;
                let mobility = selection.mobility(row);
                let reserve = (limit - force.abs()).max(0.0) * mobility.max(0.0).sqrt();
                sticking.push((joint, reserve, normal));
                JointStatus::Sticking
            }
        };
    }
    sticking.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut held = Vec::new();
    for (joint, _, normal) in sticking {
        if selection.accept(first + joint).is_err() {
            held.push((joint, normal));
        }
    }
    for &(joint, normal) in &held {
        let limit = laws[joint].friction.coefficient() * normal;
        stick_redundantly(
            joint,
            normal,
            (forces.force[first + joint], limit),
            statuses,
        );
    }
    slow
}

/// Sliding as slow as round-off is none where it follows from what sticks.
pub(crate) fn stop_slow_joints(
    laws: &[PressedJoint],
    slow: &[(usize, f64)],
    forces: &ContactForces,
    first: usize,
    selection: &Selection,
    statuses: &mut Statuses,
) {
    for &(joint, normal) in slow {
        if selection.implies(first + joint) {
            let limit = laws[joint].friction.coefficient() * normal;
            stick_redundantly(
                joint,
                normal,
                (forces.force[first + joint], limit),
                statuses,
            );
        }
    }
}

fn stick_redundantly(
    joint: usize,
    normal: f64,
    (force, limit): (f64, f64),
    statuses: &mut Statuses,
) {
    statuses.joints[joint] = JointStatus::StickingRedundantly;
    if limit > 0.0 {
        statuses.shares[joint] = [normal, (force / limit).clamp(-1.0, 1.0)];
    }
}
