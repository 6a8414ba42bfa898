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
/// slide as slowly as that, with their normal forces, for [`stick_redundantly`].
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
        statuses.held[joint] = HeldFriction::default();
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
    stick_redundantly(laws, &held, forces, first, selection, statuses);
    slow
}

/// Joints that others hold, among these with their normal forces: their sliding follows from the rows that have been accepted. Sliding as
/// slow as round-off is none there, either.
///
/// Friction keeps its share of the limit μ Σ |N|, which follows the reactions; but its force, where its share could raise that limit by more
/// than half of itself: by as much as it is itself, and there were none.
pub(crate) fn stick_redundantly(
    laws: &[PressedJoint],
    joints: &[(usize, f64)],
    forces: &ContactForces,
    first: usize,
    selection: &Selection,
    statuses: &mut Statuses,
) {
    for &(joint, normal) in joints {
        let row = first + joint;
        let Some(by) = selection.dependence(row) else {
            continue;
        };
        statuses.joints[joint] = JointStatus::StickingRedundantly;
        let law = &laws[joint];
        let coefficient = law.friction.coefficient();
        let limit = coefficient * normal;
        if limit > 0.0 {
            let share = (forces.force[row] / limit).clamp(-1.0, 1.0);
            // What holds it no longer takes what its own friction takes.
            let held = selection.rows.iter().zip(by).map(|(&row, by)| (row, -by));
            let raised = law.pressed_by(std::iter::once((row, 1.0)).chain(held));
            statuses.held[joint] = HeldFriction {
                share,
                normal: (share.abs() * coefficient * raised > RAISED).then_some(normal),
            };
        }
    }
}
