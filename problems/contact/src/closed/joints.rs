//! Which joints stick and which slide.

use crate::JointStatus;
use crate::closed::selection::Selection;
use crate::equations::structure::{HeldFriction, Statuses};
use crate::laws::friction::{Friction, PressedJoint};
use crate::laws::problem::ContactForces;

/// Friction that raises its own limit by more than this part of itself has no limit to follow: at 1 there is none.
const RAISED: f64 = 0.5;

/// Decides which joints stick and which slide, by the forces at acceleration level. `first` is the row of the
/// first joint, `threshold` what counts as motion where friction is at its limit, below `still` nothing moves. Returns joints that
/// slide as slowly as that, with their limits, for [`stop_slow_joints`].
///
/// Of joints that hold the same motion the one that can take most beyond its force gets the row; the others keep
/// the share of their limits that the decision gave them.
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
        statuses.shares[joint] = HeldFriction::default();
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
        if let Err(shares) = selection.accept(first + joint) {
            held.push((joint, normal, shares));
        }
    }
    for (joint, normal, shares) in held {
        let by = selection.rows.iter().copied().zip(shares);
        stick_redundantly(
            &laws[joint],
            (joint, first + joint),
            by,
            (normal, forces),
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
        if let Some(shares) = selection.dependence(first + joint) {
            let by = selection.rows.iter().copied().zip(shares);
            stick_redundantly(
                &laws[joint],
                (joint, first + joint),
                by,
                (normal, forces),
                statuses,
            );
        }
    }
}

/// Friction of a joint that other rows hold, by these forces in them for one of its own, keeps its share of the limit μ Σ |N|, which
/// follows the reactions; but its force, where its share could raise that limit by as much as it is itself, and there were none.
fn stick_redundantly(
    law: &PressedJoint,
    (joint, row): (usize, usize),
    by: impl Iterator<Item = (usize, f64)> + Clone,
    (normal, forces): (f64, &ContactForces),
    statuses: &mut Statuses,
) {
    statuses.joints[joint] = JointStatus::StickingRedundantly;
    let coefficient = law.friction.coefficient();
    let limit = coefficient * normal;
    if limit > 0.0 {
        let share = (forces.force[row] / limit).clamp(-1.0, 1.0);
        // What holds it no longer takes what its own friction takes.
        let split = std::iter::once((row, 1.0)).chain(by.map(|(row, share)| (row, -share)));
        let raised = share.abs() * coefficient * law.pressed_by(split);
        statuses.shares[joint] = HeldFriction {
            share,
            normal: (raised > RAISED).then_some(normal),
        };
    }
}
