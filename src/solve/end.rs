//! The final check of the constraints at the end of a run.

use super::motion::Motion;
use super::{SolveErrorKind, StepControl};
use crate::system::DynamicsError;
use std::fmt;

/// A position row may be off by this much at the end of a run, as a displacement along its gradient relative to one plus the
/// largest coordinate. Methods that solve for the constraints leave far less. Those that drift (index 1 and 2
/// without projection) stay below in any run with a useful result.
const ALLOWED_POSITION: f64 = 1e-2;

/// The same for velocities: formulations of index 3 leave them off the constraints by the error of the scheme.
const ALLOWED_VELOCITY: f64 = 0.1;

/// It is this multiple of the relative and absolute tolerance together, if that is more.
const ALLOWED_TOLERANCES: f64 = 1e3;

/// Constant steps promise no accuracy but an order: positions may be off by the motion, and velocities by the change, of so many steps.
const STEPS: f64 = 10.0;

/// Gradients shorter than this part of the longest are round-off, which no value is measured by.
const VANISHING: f64 = 1e-8;

/// Methods of this index solve for positions and leave their velocities to the scheme.
const POSITIONS_ONLY: u8 = 3;

/// The level of a constraint.
///
/// ```
/// use liedae::integrator::{Mdop5, Projection};
/// use liedae::prelude::*;
/// use liedae::solve::{Level, SolveErrorKind};
///
/// // A bead in a slot that jumps aside by 0.3 m, which a method that integrates accelerations does not see.
/// let mut bead = liedae::model([0.0], [0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0])
///     .constraint(|t, [x]| [x - if t.value() > 0.5 { 0.3 } else { 0.0 }])
///     .build()?;
/// let found = solve(&mut bead, &Mdop5::new(Projection::Never), &Options::adaptive(1.0, 1e-6, 1e-6));
/// let Err(SolveErrorKind::Violated { level, violation, .. }) = found.map_err(|error| error.kind) else {
///     panic!("the bead has been left behind")
/// };
/// assert!(level == Level::Position && (violation - 0.3).abs() < 1e-9);
/// # Ok::<(), liedae::system::StatementError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// g = 0.
    Position,
    /// G v + ∂g/∂t = 0, and b = 0 of velocity rows.
    Velocity,
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Position => "position",
            Self::Velocity => "velocity",
        })
    }
}

/// Evaluates the constraints at all three levels at the last state: they must be finite, and hold at the levels that the method
/// looks after.
pub(super) fn check_end(motion: &mut Motion, control: &StepControl) -> Result<(), SolveErrorKind> {
    let state = &motion.state;
    motion
        .evaluator
        .uncounted(|system| system.check_constants(&state.point()))
        .map_err(DynamicsError::from)?;
    let layout = motion.evaluator.layout();
    let (rows, position_rows) = (layout.rows(), layout.position_rows);
    if rows == 0 {
        return Ok(());
    }
    let mut jacobian = vec![0.0; layout.jacobian.nnz()];
    let (mut positions, mut velocities) = (vec![0.0; position_rows], vec![0.0; rows]);
    let mut bias = vec![0.0; rows];
    motion.evaluator.uncounted(|system| {
        system.with_all_rows(|system| -> Result<(), DynamicsError> {
            let at = state.point();
            system.constraint_jacobian(&at, &mut jacobian)?;
            if position_rows > 0 {
                system.position_constraint(&at, &mut positions)?;
            }
            system.velocity_constraint(&at, &mut velocities)?;
            Ok(system.acceleration_bias(&at, &mut bias)?)
        })
    })?;
    let (tolerance, step) = match control {
        StepControl::Fixed(step) => (0.0, *step),
        StepControl::Adaptive { .. } => {
            // Those of q and v: differential states have units of their own.
            let (relative, absolute) = motion.norm.tolerances();
            let mechanical = 2 * motion.evaluator.layout().dimension();
            let sums = relative
                .iter()
                .zip(absolute)
                .map(|(r, a)| r + a)
                .take(mechanical);
            (sums.fold(0.0, f64::max), 0.0)
        }
    };
    // Relative to 1 + largest, as states are judged everywhere; motion of ten constant steps.
    let bound = |least: f64, values: &[f64], rates: &[f64]| {
        let allowed = least.max(ALLOWED_TOLERANCES * tolerance) * (1.0 + largest(values));
        let change = STEPS * step * largest(rates);
        // An overflow of the rates must not make the bound infinite.
        if change.is_finite() {
            allowed.max(change)
        } else {
            allowed
        }
    };
    // Index 3 leaves velocities of position rows to the scheme; velocity rows are always solved for.
    let first = match motion.integrator.method().index {
        POSITIONS_ONLY => position_rows,
        _ => 0,
    };
    let levels = [
        (
            Level::Position,
            0,
            &positions,
            bound(ALLOWED_POSITION, &state.q, &state.v),
        ),
        (
            Level::Velocity,
            first,
            &velocities,
            bound(ALLOWED_VELOCITY, &state.v, &state.acceleration),
        ),
    ];
    let pattern = &motion.evaluator.layout().jacobian;
    let length_of = |row: usize| -> f64 {
        let entries = &jacobian[pattern.row_range(row)];
        let squares = entries.iter().map(|entry| entry * entry);
        squares.sum::<f64>().sqrt()
    };
    let longest = (0..rows).map(length_of).fold(0.0, f64::max);
    for (level, first, values, bound) in levels {
        for (row, value) in values.iter().enumerate().skip(first) {
            // Value over length of gradient: a displacement, whatever the unit of the row.
            let length = length_of(row).max(VANISHING * longest);
            let violation = if length > 0.0 {
                value.abs() / length
            } else {
                value.abs()
            };
            if violation > bound {
                return Err(SolveErrorKind::Violated {
                    t: state.t,
                    level,
                    row,
                    violation,
                    bound,
                });
            }
        }
    }
    Ok(())
}

fn largest(values: &[f64]) -> f64 {
    values
        .iter()
        .fold(0.0, |max: f64, value| max.max(value.abs()))
}
