//! The wrapped system behind the whole one: its arguments, its contacts and its joints.

use crate::equations::structure::Structure;
use crate::{Contact, ContactSystem, Contacts, FrictionJoints, UnilateralConstraints, failed};
use liedae::system::{EvaluationError, Point};

impl Structure {
    /// The arguments of the wrapped system; `lambda` is memory for its multipliers.
    #[inline]
    pub fn inner_point<'a>(&self, at: &Point<'a>, lambda: &'a mut [f64]) -> Point<'a> {
        for (slot, &row) in lambda.iter_mut().zip(&self.inner_rows) {
            *slot = at.lambda.get(row).copied().unwrap_or(0.0);
        }
        Point {
            z: at.z.get(..self.inner_algebraic).unwrap_or(at.z),
            mode: at.mode.get(..self.inner_modes).unwrap_or(at.mode),
            lambda,
            ..*at
        }
    }
}

/// The contacts of a system that has some.
#[inline]
pub(crate) fn contacts_of(
    system: &mut ContactSystem,
    t: f64,
) -> Result<&mut dyn UnilateralConstraints, EvaluationError> {
    system
        .unilateral()
        .ok_or_else(|| failed(t, "the system has no contacts any more"))
}

/// The joints with friction of a system that has some.
pub(crate) fn joints_of(
    system: &mut ContactSystem,
    t: f64,
) -> Result<&mut dyn FrictionJoints, EvaluationError> {
    system
        .joint_friction()
        .ok_or_else(|| failed(t, "the system has no joints with friction any more"))
}

/// The gap, unless it is not finite: that error names the contact.
#[inline]
pub(crate) fn finite_gap(gap: f64, contact: &Contact, t: f64) -> Result<f64, EvaluationError> {
    if gap.is_finite() {
        Ok(gap)
    } else {
        Err(infinite_gap(gap, contact, t))
    }
}

#[cold]
fn infinite_gap(gap: f64, contact: &Contact, t: f64) -> EvaluationError {
    let label = &contact.label;
    failed(t, format!("the gap of contact `{label}` is {gap}"))
}
