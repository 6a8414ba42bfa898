//! Rows of closed contacts and sticking joints.

use crate::ContactSystem;
use crate::equations::structure::Structure;
use crate::equations::wrapped::{contacts_of, joints_of};
use crate::event_sets::along_and_across;
use liedae::system::{EvaluationError, Point};
use std::ops::Range;

/// A level of the constraint rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// G v + ∂g/∂t.
    Velocity,
    /// γ of G v' + γ.
    Bias,
}

/// The two tangential directions of a contact in space, each by its parts along both.
pub(crate) const TANGENTS: [[f64; 2]; 2] = [[1.0, 0.0], [0.0, 1.0]];

/// One of the two tangential directions of a contact in space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tangent {
    /// Which one.
    pub index: usize,
    /// A unit vector in the directions that the model gives.
    pub direction: [f64; 2],
}

/// What a row says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Quantity {
    /// The gap of a contact.
    Gap(usize),
    /// The sliding velocities of a contact.
    Sliding(usize),
    /// The sliding velocity of a contact in space along a direction.
    Tangent(usize, Tangent),
    /// The sliding velocity of a joint.
    Joint(usize),
}

impl Quantity {
    /// Writes its values at a level, one for each of its rows.
    pub fn values(
        self,
        system: &mut ContactSystem,
        level: Level,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let value = match (self, level) {
            (Self::Gap(contact), Level::Velocity) => {
                contacts_of(system, at.t)?.gap_rate(contact, at)?
            }
            (Self::Gap(contact), Level::Bias) => {
                contacts_of(system, at.t)?.gap_bias(contact, at)?
            }
            (Self::Joint(joint), Level::Velocity) => {
                joints_of(system, at.t)?.joint_velocity(joint, at)?
            }
            (Self::Joint(joint), Level::Bias) => joints_of(system, at.t)?.joint_bias(joint, at)?,
            (Self::Tangent(contact, Tangent { direction, .. }), level) => {
                let mut both = [0.0; 2];
                Self::Sliding(contact).values(system, level, at, &mut both)?;
                along_and_across(direction, both)[0]
            }
            (Self::Sliding(contact), Level::Velocity) => {
                return contacts_of(system, at.t)?.sliding_velocity(contact, at, out);
            }
            (Self::Sliding(contact), Level::Bias) => {
                return contacts_of(system, at.t)?.sliding_bias(contact, at, out);
            }
        };
        out.fill(value);
        Ok(())
    }

    /// Its value at a level, if it has one row only.
    pub fn value(
        self,
        system: &mut ContactSystem,
        level: Level,
        at: &Point,
    ) -> Result<f64, EvaluationError> {
        let mut slot = [0.0];
        self.values(system, level, at, &mut slot)?;
        Ok(slot[0])
    }

    /// How many rows of memory [`jacobian`](Self::jacobian) takes for so many rows.
    pub fn memory(self, rows: usize) -> usize {
        match self {
            Self::Tangent(..) => 2,
            _ => rows,
        }
    }

    /// Its rows of the constraint Jacobian, one after the other.
    pub fn jacobian(
        self,
        system: &mut ContactSystem,
        at: &Point,
        rows: &mut [f64],
    ) -> Result<(), EvaluationError> {
        match self {
            Self::Gap(contact) => contacts_of(system, at.t)?.gap_jacobian(contact, at, rows),
            Self::Sliding(contact) => {
                contacts_of(system, at.t)?.sliding_jacobian(contact, at, rows)
            }
            Self::Tangent(contact, Tangent { direction, .. }) => {
                contacts_of(system, at.t)?.sliding_jacobian(contact, at, rows)?;
                let (first, second) = rows.split_at_mut(rows.len() / 2);
                for (entry, other) in first.iter_mut().zip(second) {
                    *entry = direction[0] * *entry + direction[1] * *other;
                }
                Ok(())
            }
            Self::Joint(joint) => joints_of(system, at.t)?.joint_jacobian(joint, at, rows),
        }
    }
}

/// Rows of contacts and joints: their places and what they say.
pub(crate) fn places(structure: &Structure) -> impl Iterator<Item = (Range<usize>, Quantity)> + '_ {
    let normals = normals(structure);
    let normals = normals.map(|(row, contact)| (row..row + 1, Quantity::Gap(contact)));
    normals.chain(sticking(structure))
}

/// Rows of gaps, and their contacts.
pub(crate) fn normals(structure: &Structure) -> impl Iterator<Item = (usize, usize)> + '_ {
    (structure.first_normal()..).zip(structure.normals.iter().copied())
}

/// Rows of sticking contacts and joints.
pub(crate) fn sticking(
    structure: &Structure,
) -> impl Iterator<Item = (Range<usize>, Quantity)> + '_ {
    let sticks = structure.sticks.iter();
    let sticks = sticks.map(|stick| {
        let quantity = match stick.only {
            Some(direction) => Quantity::Tangent(
                stick.contact,
                Tangent {
                    index: 0,
                    direction,
                },
            ),
            None => Quantity::Sliding(stick.contact),
        };
        (stick.rows.clone(), quantity)
    });
    let joints = (structure.first_joint_stick()..).zip(&structure.joint_sticks);
    let joints = joints.map(|(row, &joint)| (row..row + 1, Quantity::Joint(joint)));
    sticks.chain(joints)
}

/// Writes the rows of contacts and joints at a level into their places.
pub(crate) fn evaluate(
    system: &mut ContactSystem,
    structure: &Structure,
    level: Level,
    at: &Point,
    out: &mut [f64],
) -> Result<(), EvaluationError> {
    for (rows, quantity) in places(structure) {
        quantity.values(system, level, at, &mut out[rows])?;
    }
    Ok(())
}
