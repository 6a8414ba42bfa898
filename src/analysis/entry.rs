//! Rows and components by name.

use crate::system::Evaluator;
use serde::Serialize;
use std::fmt;

/// A constraint row, a velocity or another variable that an analysis speaks of, with the name that the system has for it.
///
/// ```
/// use liedae::analysis::{Entry, EntryKind};
///
/// let mut entry = Entry { kind: EntryKind::Row, index: 7, label: None };
/// assert_eq!(entry.to_string(), "constraint row 7");
/// entry.label = Some("joint 'elbow' (revolute): displacement along y".to_owned());
/// assert_eq!(entry.to_string(), "joint 'elbow' (revolute): displacement along y (row 7)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// What it is.
    pub kind: EntryKind,
    /// Its number among those of its kind, counted from 0.
    pub index: usize,
    /// Its name, where the system has [labels](crate::system::Labels).
    pub label: Option<String>,
}

/// What an [`Entry`] is one of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntryKind {
    /// Constraint rows.
    Row,
    /// Velocities.
    Velocity,
    /// Differential states.
    DifferentialState,
    /// Algebraic variables.
    AlgebraicVariable,
}

impl Entry {
    /// An entry of a system with its name.
    pub fn of(system: &mut Evaluator, kind: EntryKind, index: usize) -> Self {
        let labels = system.system().labels();
        let label = labels.and_then(|labels| match kind {
            EntryKind::Row => labels.row(index),
            EntryKind::Velocity => labels.velocity(index),
            EntryKind::DifferentialState => labels.differential_state(index),
            EntryKind::AlgebraicVariable => labels.algebraic_variable(index),
        });
        Self { kind, index, label }
    }

    /// A constraint row.
    pub(super) fn row(system: &mut Evaluator, index: usize) -> Self {
        Self::of(system, EntryKind::Row, index)
    }

    /// The variable whose rate stands here among velocities, differential states and algebraic residuals.
    pub(super) fn of_rate(system: &mut Evaluator, index: usize) -> Self {
        let layout = system.layout();
        let (velocities, differential) = (layout.dimension(), layout.differential);
        match index {
            v if v < velocities => Self::of(system, EntryKind::Velocity, v),
            x if x < velocities + differential => {
                Self::of(system, EntryKind::DifferentialState, x - velocities)
            }
            z => Self::of(
                system,
                EntryKind::AlgebraicVariable,
                z - velocities - differential,
            ),
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, short) = match self.kind {
            EntryKind::Row => ("constraint row", "row"),
            EntryKind::Velocity => ("velocity", "velocity"),
            EntryKind::DifferentialState => ("differential state", "state"),
            EntryKind::AlgebraicVariable => ("algebraic variable", "variable"),
        };
        let index = self.index;
        match &self.label {
            Some(label) => write!(formatter, "{label} ({short} {index})"),
            None => write!(formatter, "{kind} {index}"),
        }
    }
}
