//! Which closed contacts and sticking joints get rows, by the forces in them.

use crate::ContactStatus;
use crate::closed::balance::Balance;
use crate::closed::guess::Settled;
use crate::closed::joints::{settle_joints, stick_redundantly};
use crate::closed::participants::Hold;
use crate::closed::redundancy::hold_redundantly;
use crate::closed::response::Response;
use crate::closed::selection::Selection;
use crate::equations::rows::TANGENTS;
use crate::equations::structure::Statuses;
use crate::laws::dependence::TAKES_NO_PART;
use crate::laws::friction::Friction;

/// Statuses as far as they are decided, and the rows that belong to them.
pub(super) struct RowChoice<'a> {
    balance: &'a Balance<'a>,
    response: &'a Response,
    selection: Selection<'a>,
    /// Accelerations below this are none.
    still: f64,
    statuses: Statuses,
}

impl<'a> RowChoice<'a> {
    /// Nothing is decided yet: `open` has all contacts open.
    pub fn new(
        balance: &'a Balance<'a>,
        response: &'a Response,
        still: f64,
        open: Statuses,
    ) -> Self {
        Self {
            balance,
            response,
            selection: Selection::new(&response.matrix, &response.free_diagonal),
            still,
            statuses: open,
        }
    }

    /// Decides: first about gaps, then about sliding. What moves faster than `moving` slides where friction is at its
    /// limit.
    pub fn settle(mut self, moving: f64) -> Settled {
        let forces = self.close();
        let first = self.balance.row_of_joint(0);
        let forces_of_joints = &self.balance.forces;
        // Joints before contacts: friction that is no row of a joint changes what presses it, and so its own limit.
        let slow = settle_joints(
            &self.balance.friction.joints,
            forces_of_joints,
            (first, moving, self.still),
            &mut self.selection,
            &mut self.statuses,
        );
        self.stick(moving);
        stick_redundantly(
            &self.balance.friction.joints,
            &slow,
            forces_of_joints,
            first,
            &self.selection,
            &mut self.statuses,
        );
        Settled {
            holds: self.holds(),
            statuses: self.statuses,
            forces,
            motion: self.balance.forces.motion.clone(),
            seconds: self.balance.seconds.clone(),
            reactions: self.balance.reactions(self.response),
            pressed: self.balance.normal_forces_of_joints(),
        }
    }

    /// Gaps: an independent set of those that carry forces gets rows, and of the others what stays closed. Returns the forces,
    /// moved to that set.
    fn close(&mut self) -> Vec<f64> {
        let balance = self.balance;
        let mut forces = balance.forces.force.clone();
        let (yielding, carrying): (Vec<usize>, Vec<usize>) =
            (balance.carrying().into_iter()).partition(|index| balance.yielding.contains(index));
        self.load(&yielding);
        let support = balance.support(self.response, self.still, &carrying, &mut forces);
        for &index in &support {
            // Rows of the support are independent of each other by construction.
            let accepted = self.selection.accept(index).is_ok();
            self.statuses.contacts[balance.closed[index].contact] = if accepted {
                ContactStatus::Closed
            } else {
                ContactStatus::Redundant
            };
        }
        for &index in &balance.resting {
            if !support.contains(&index) && !yielding.contains(&index) {
                let status = self.beside_support(index);
                self.statuses.contacts[balance.closed[index].contact] = status;
            }
        }
        forces
    }

    /// Contacts that yield alike: the most independent gaps get rows, the others shares of their forces.
    fn load(&mut self, yielding: &[usize]) {
        let contact_of = |index: usize| self.balance.closed[index].contact;
        let mut left = yielding.to_vec();
        while let Some((_, best)) = (left.iter().rev())
            .filter_map(|&index| Some((self.selection.independence(index)?, index)))
            .max_by(|a, b| a.0.total_cmp(&b.0))
        {
            if self.selection.accept(best).is_err() {
                break;
            }
            left.retain(|&index| index != best);
        }
        for &index in yielding {
            self.statuses.contacts[contact_of(index)] = ContactStatus::Closed;
        }
        for index in left {
            if let Err(shares) = self.selection.accept(index) {
                let rows = self.selection.rows.iter().zip(shares);
                let rows = rows.filter(|(_, share)| share.abs() > TAKES_NO_PART);
                let load = rows.map(|(&row, share)| (contact_of(row), share));
                self.statuses.loads[contact_of(index)] = load.collect();
            }
        }
    }

    /// A resting contact that carries no force, or whose force others carry.
    fn beside_support(&mut self, index: usize) -> ContactStatus {
        let balance = self.balance;
        let (carries, released) = (balance.carries(index), &balance.released);
        let stays =
            carries || (balance.forces.motion[index] <= self.still && !released.contains(&index));
        // Contacts that have lost their force together with a released one, as the corners of an edge that lifts,
        // would each hold down the others in turn if they got its row.
        let idle = !carries && !released.is_empty();
        if !stays {
            ContactStatus::Separating
        } else if self.selection.implies(index) {
            ContactStatus::Redundant
        } else if idle || self.selection.accept(index).is_err() {
            ContactStatus::Separating
        } else {
            ContactStatus::Closed
        }
    }

    /// Contacts with a row or a load: whether they stick or slide.
    fn stick(&mut self, moving: f64) {
        let balance = self.balance;
        let Statuses {
            contacts: statuses,
            only,
            ..
        } = &mut self.statuses;
        let mut slow = Vec::new();
        for &index in &balance.resting {
            let contact = balance.closed[index].contact;
            if statuses[contact] != ContactStatus::Closed {
                continue;
            }
            let (row, law) = (balance.tangential(index), balance.friction.contacts[index]);
            let limited = matches!(law, Friction::Limited { .. });
            statuses[contact] = match balance.sliding(index, moving) {
                Some(sign) if limited && balance.forces.motion[row].abs() <= self.still => {
                    slow.push((contact, row, sign));
                    continue;
                }
                Some(sign) => ContactStatus::sliding_towards(sign),
                None if law == Friction::None => ContactStatus::Closed,
                None => {
                    let mut rows: Vec<(usize, usize)> =
                        balance.holding(index).enumerate().collect();
                    // Where one of them can have a row only, the stronger one has it.
                    let strength = |row: usize| self.selection.independence(row).unwrap_or(0.0);
                    if let [(_, first), (_, second)] = rows[..]
                        && strength(second) > strength(first)
                    {
                        rows.reverse();
                    }
                    let independent: Vec<usize> = rows
                        .iter()
                        .filter(|&&(_, row)| self.selection.accept(row).is_ok())
                        .map(|&(direction, _)| direction)
                        .collect();
                    let partly = independent.len() < rows.len();
                    // In the present directions.
                    let held = independent.first().filter(|_| partly);
                    only[contact] = held.map(|&direction| TANGENTS[direction]);
                    match independent.is_empty() {
                        true => ContactStatus::StickingRedundantly,
                        false => ContactStatus::Sticking,
                    }
                }
            };
        }
        // Sliding that slow may be round-off: what follows from rows that stick does not slide.
        for (contact, row, sign) in slow {
            statuses[contact] = if self.selection.implies(row) {
                ContactStatus::StickingRedundantly
            } else {
                ContactStatus::sliding_towards(sign)
            };
        }
    }

    /// How closed contacts without rows of their own hold.
    fn holds(&self) -> Vec<Option<Hold>> {
        let balance = self.balance;
        let hold = |index: usize| {
            let contact = balance.closed[index].contact;
            if self.statuses.contacts[contact] != ContactStatus::Redundant {
                return None;
            }
            let row = balance.tangential(index);
            let motion = (balance.forces.motion[row], self.still);
            let law = balance.friction.contacts[index];
            let mut rows = balance.holding(index);
            hold_redundantly(law, motion, rows.all(|row| self.selection.implies(row)))
        };
        (0..balance.closed.len()).map(hold).collect()
    }
}
