//! Whether rows that are left out of a step hold all the same.

use super::thresholds::{SHARED, TOLERATED, TOLERATED_CONSTANT};
use crate::control::ErrorNorm;
use crate::system::{DynamicsError, Evaluator, Layout, Point, State};

/// Violations of all rows at both ends of a step.
pub(super) struct Violation {
    /// Position level, then velocity level, as displacements.
    before: Vec<f64>,
    after: Vec<f64>,
    jacobian: Vec<f64>,
    /// A displacement along the gradient of one row, and nothing in the other parts.
    along: Vec<f64>,
    still: Vec<f64>,
    unchanged: Vec<f64>,
}

impl Violation {
    pub fn new(layout: &Layout) -> Self {
        let (rows, n) = (layout.rows(), layout.dimension());
        Self {
            before: vec![0.0; layout.position_rows + rows],
            after: vec![0.0; layout.position_rows + rows],
            jacobian: vec![0.0; layout.jacobian.nnz()],
            along: vec![0.0; n],
            still: vec![0.0; n],
            unchanged: vec![0.0; layout.differential],
        }
    }

    /// Looks at how well the rows hold at the start of a step.
    pub fn look(&mut self, system: &mut Evaluator, at: &Point) -> Result<(), DynamicsError> {
        displacements(&mut self.jacobian, &mut self.before, system, at)
    }

    /// Whether the rows left out of a step hold at its end as well as can be expected.
    pub fn check(
        &mut self,
        system: &mut Evaluator,
        left_out: &[usize],
        [from, to]: [&State; 2],
        norm: &mut ErrorNorm,
    ) -> Result<(), DynamicsError> {
        if left_out.is_empty() {
            return Ok(());
        }
        displacements(&mut self.jacobian, &mut self.after, system, &to.point())?;
        norm.weigh(from, to);
        let layout = system.layout();
        let (position_rows, rows) = (layout.position_rows, layout.rows());
        let levels = [
            (0..position_rows, 0, &to.q),
            (0..rows, position_rows, &to.v),
        ];
        for (number, (rows, first, sizes)) in levels.into_iter().enumerate() {
            let held = rows
                .clone()
                .filter(|row| left_out.binary_search(row).is_err());
            // What held rows violate as well is the method's, not that of the rows.
            let shared = held.map(|row| self.after[first + row]).fold(0.0, f64::max);
            let largest = sizes
                .iter()
                .fold(0.0, |max: f64, value| max.max(value.abs()));
            for &row in left_out.iter().filter(|row| rows.contains(row)) {
                // Only what has grown within the step: a drift of before is nobody's fault now.
                let violation = (self.after[first + row] - self.before[first + row]).max(0.0);
                if violation <= SHARED * shared {
                    continue;
                }
                let size = if norm.is_binding() {
                    // With tolerances: a displacement along the gradient, in the norm of the error test.
                    let range = layout.jacobian.row_range(row);
                    let gradient = layout.jacobian.row(row).iter().zip(&self.jacobian[range]);
                    displace(&mut self.along, gradient, violation);
                    let [q, v] = if number == 0 {
                        [&self.along, &self.still]
                    } else {
                        [&self.still, &self.along]
                    };
                    norm.root_mean_square(q, v, &self.unchanged) / TOLERATED
                } else {
                    violation / (TOLERATED_CONSTANT * (1.0 + largest))
                };
                // Written so that NaN is a violation.
                if size.is_nan() || size > 1.0 {
                    return Err(DynamicsError::NotImplied {
                        t: to.t,
                        row,
                        violation: self.after[first + row],
                    });
                }
            }
        }
        Ok(())
    }
}

/// Violations of all rows as displacements, value over length of gradient.
fn displacements(
    jacobian: &mut [f64],
    out: &mut [f64],
    system: &mut Evaluator,
    at: &Point,
) -> Result<(), DynamicsError> {
    let position_rows = system.layout().position_rows;
    let (positions, velocities) = out.split_at_mut(position_rows);
    system.with_all_rows(|system| {
        system.constraint_jacobian(at, jacobian)?;
        if position_rows > 0 {
            system.position_constraint(at, positions)?;
        }
        system.velocity_constraint(at, velocities)
    })?;
    let pattern = &system.layout().jacobian;
    for (row, velocity) in velocities.iter_mut().enumerate() {
        let squares = jacobian[pattern.row_range(row)]
            .iter()
            .map(|entry| entry * entry);
        let length = squares.sum::<f64>().sqrt();
        let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
        *velocity = velocity.abs() * scale;
        if let Some(position) = positions.get_mut(row) {
            *position = position.abs() * scale;
        }
    }
    Ok(())
}

/// Writes the displacement of this length along a gradient, given as columns and entries.
fn displace<'a>(
    out: &mut [f64],
    gradient: impl Iterator<Item = (&'a usize, &'a f64)> + Clone,
    length: f64,
) {
    out.fill(0.0);
    let squares = gradient.clone().map(|(_, entry)| entry * entry);
    let norm = squares.sum::<f64>().sqrt();
    for (&column, entry) in gradient {
        out[column] = length * entry / norm;
    }
}
