//! Conversion of the numbers in errors to the units of the statement.

use super::SolveErrorKind;
use crate::integrator::StepError;
use crate::linalg::KktError;
use crate::system::{ConsistencyError, DynamicsError, EvaluationError, Evaluator, Layout, Scales};

impl SolveErrorKind {
    /// Numbers of a failure become those of the statement, where the run has units of its own.
    pub(super) fn in_units_of_statement(mut self, evaluator: &Evaluator) -> Self {
        if let Some(scales) = evaluator.scales() {
            convert(&mut self, scales, evaluator.layout());
        }
        self
    }
}

fn convert(kind: &mut SolveErrorKind, scales: &Scales, layout: &Layout) {
    match kind {
        SolveErrorKind::Initial(error) => of_consistency(error, scales),
        SolveErrorKind::Jump { source, .. } => of_consistency(source, scales),
        SolveErrorKind::Step(error) => of_step(error, scales, layout),
        SolveErrorKind::StepTooSmall {
            cause: Some(cause), ..
        }
        | SolveErrorKind::Singular {
            cause: Some(cause), ..
        } => of_step(cause, scales, layout),
        SolveErrorKind::Violated {
            row,
            violation,
            bound,
            ..
        } => {
            for value in [violation, bound] {
                *value = scales.displacement(layout, *row, *value);
            }
        }
        _ => {}
    }
}

fn of_consistency(error: &mut ConsistencyError, scales: &Scales) {
    match error {
        ConsistencyError::Position { rows } | ConsistencyError::Velocity { rows } => {
            for (row, violation) in rows {
                *violation = scales.row_value(*row, *violation);
            }
        }
        ConsistencyError::AsymmetricMass {
            row,
            column,
            value,
            mirrored,
        } => {
            for entry in [value, mirrored] {
                *entry = scales.mass_entry([*row, *column], *entry);
            }
        }
        ConsistencyError::IndefiniteMass { row, pivot } => {
            *pivot = scales.mass_entry([*row, *row], *pivot);
        }
        _ => {}
    }
}

fn of_step(error: &mut StepError, scales: &Scales, layout: &Layout) {
    let StepError::Dynamics(error) = error else {
        return;
    };
    match error {
        DynamicsError::NotImplied { row, violation, .. } => {
            *violation = scales.displacement(layout, *row, *violation);
        }
        DynamicsError::Linear {
            source: KktError::Inconsistent { rows, residual },
            ..
        } => {
            if let Some(&row) = rows.first() {
                *residual = scales.row_value(row, *residual);
            }
        }
        DynamicsError::Evaluation(EvaluationError::ChangingMass {
            row,
            column,
            value,
            other,
        }) => {
            for entry in [value, other] {
                *entry = scales.mass_entry([*row, *column], *entry);
            }
        }
        _ => {}
    }
}
