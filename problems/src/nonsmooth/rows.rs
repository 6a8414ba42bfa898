//! Rows of closed contacts.

use super::structure::Structure;
use liedae::system::{EvaluationError, Point, UnilateralConstraints};

/// A level of the constraint rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// G v + ∂g/∂t.
    Velocity,
    /// γ of G v' + γ.
    Bias,
}

/// Rows of contacts: their place, the contact, and whether it is a sliding velocity.
pub(super) fn places(structure: &Structure) -> impl Iterator<Item = (usize, usize, bool)> + '_ {
    let first_normal = structure.layout.position_rows - structure.normals.len();
    let first_stick = structure.layout.rows() - structure.sticks.len();
    let normals = structure.normals.iter().enumerate();
    let sticks = structure.sticks.iter().enumerate();
    normals
        .map(move |(index, &contact)| (first_normal + index, contact, false))
        .chain(sticks.map(move |(index, &contact)| (first_stick + index, contact, true)))
}

/// Writes the rows of contacts at a level into their places.
pub(super) fn evaluate(
    contacts: &mut dyn UnilateralConstraints,
    structure: &Structure,
    level: Level,
    at: &Point,
    out: &mut [f64],
) -> Result<(), EvaluationError> {
    for (row, contact, sliding) in places(structure) {
        out[row] = value(contacts, contact, sliding, level, at)?;
    }
    Ok(())
}

/// One row at a level.
fn value(
    contacts: &mut dyn UnilateralConstraints,
    contact: usize,
    sliding: bool,
    level: Level,
    at: &Point,
) -> Result<f64, EvaluationError> {
    let mut slot = [0.0];
    match (sliding, level) {
        (false, Level::Velocity) => return contacts.gap_rate(contact, at),
        (false, Level::Bias) => return contacts.gap_bias(contact, at),
        (true, Level::Velocity) => contacts.sliding_velocity(contact, at, &mut slot)?,
        (true, Level::Bias) => contacts.sliding_bias(contact, at, &mut slot)?,
    }
    Ok(slot[0])
}
