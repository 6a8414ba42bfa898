//! Rows of closed contacts and sticking joints.

use crate::ContactSystem;
use crate::equations::structure::Structure;
use crate::equations::wrapped::{contacts_of, joints_of};
use liedae::system::{EvaluationError, Point};

/// A level of the constraint rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// G v + ∂g/∂t.
    Velocity,
    /// γ of G v' + γ.
    Bias,
}

/// What a row says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// The gap of a contact.
    Gap(usize),
    /// The sliding velocity of a contact.
    Sliding(usize),
    /// The sliding velocity of a joint.
    Joint(usize),
}

impl Quantity {
    /// Its value at a level.
    pub fn value(
        self,
        system: &mut ContactSystem,
        level: Level,
        at: &Point,
    ) -> Result<f64, EvaluationError> {
        let mut slot = [0.0];
        match (self, level) {
            (Self::Gap(contact), Level::Velocity) => {
                return contacts_of(system, at.t)?.gap_rate(contact, at);
            }
            (Self::Gap(contact), Level::Bias) => {
                return contacts_of(system, at.t)?.gap_bias(contact, at);
            }
            (Self::Joint(joint), Level::Velocity) => {
                return joints_of(system, at.t)?.joint_velocity(joint, at);
            }
            (Self::Joint(joint), Level::Bias) => {
                return joints_of(system, at.t)?.joint_bias(joint, at);
            }
            (Self::Sliding(contact), Level::Velocity) => {
                contacts_of(system, at.t)?.sliding_velocity(contact, at, &mut slot)?;
            }
            (Self::Sliding(contact), Level::Bias) => {
                contacts_of(system, at.t)?.sliding_bias(contact, at, &mut slot)?;
            }
        }
        Ok(slot[0])
    }

    /// Its row of the constraint Jacobian.
    pub fn jacobian(
        self,
        system: &mut ContactSystem,
        at: &Point,
        row: &mut [f64],
    ) -> Result<(), EvaluationError> {
        match self {
            Self::Gap(contact) => contacts_of(system, at.t)?.gap_jacobian(contact, at, row),
            Self::Sliding(contact) => contacts_of(system, at.t)?.sliding_jacobian(contact, at, row),
            Self::Joint(joint) => joints_of(system, at.t)?.joint_jacobian(joint, at, row),
        }
    }
}

/// Rows of contacts and joints: their place and what they say.
pub(crate) fn places(structure: &Structure) -> impl Iterator<Item = (usize, Quantity)> + '_ {
    let first_normal = structure.layout.position_rows - structure.normals.len();
    let normals = structure
        .normals
        .iter()
        .map(|&contact| Quantity::Gap(contact));
    let sticks = structure
        .sticks
        .iter()
        .map(|&contact| Quantity::Sliding(contact));
    let joints = structure
        .joint_sticks
        .iter()
        .map(|&joint| Quantity::Joint(joint));
    let sticks = (structure.first_stick()..).zip(sticks.chain(joints));
    (first_normal..).zip(normals).chain(sticks)
}

/// Writes the rows of contacts and joints at a level into their places.
pub(crate) fn evaluate(
    system: &mut ContactSystem,
    structure: &Structure,
    level: Level,
    at: &Point,
    out: &mut [f64],
) -> Result<(), EvaluationError> {
    for (row, quantity) in places(structure) {
        out[row] = quantity.value(system, level, at)?;
    }
    Ok(())
}
