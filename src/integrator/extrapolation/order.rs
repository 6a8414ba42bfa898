//! Order control of extrapolation: the target row of the tableau, and when to abandon a step.

use super::rows::{ROWS, cost, substeps};

/// Rows that a target may be; the one after the target must exist.
const TARGETS: std::ops::RangeInclusive<usize> = 2..=ROWS - 1;

/// What follows from a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Decision {
    /// Compute another row.
    GoOn,
    /// End the step here, with an error and its order for the next step size.
    End { error: f64, order: f64 },
}

/// Aims at the row of least work per unit step (Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I,
/// II.9), and decides row by row whether a step is finished, hopeless, or to be continued.
#[derive(Clone)]
pub(super) struct OrderChoice {
    target: usize,
    /// The errors of the rows of this step; that of the first row is not known.
    errors: [f64; ROWS + 1],
    first: bool,
    rejected: bool,
}

/// The difference T_kk - T_k-1,k-1 behaves like h to this power.
pub(super) fn error_order(row: usize) -> f64 {
    2.0 * row as f64 - 1.0
}

impl OrderChoice {
    /// Starts in the middle; the first step takes as many rows as it needs.
    pub fn new() -> Self {
        Self {
            target: 4,
            errors: [f64::NAN; ROWS + 1],
            first: true,
            rejected: false,
        }
    }

    /// Step size per size of this step that row `row` recommends, up to a constant factor.
    fn growth(&self, row: usize) -> f64 {
        // 1e-16 keeps an estimate of zero from asking for an infinite step.
        self.errors[row].max(1e-16).powf(-1.0 / error_order(row))
    }

    /// Work per unit step.
    fn work(&self, row: usize) -> f64 {
        cost(row) / self.growth(row)
    }

    /// Judges the error of row `row`, from 2 on.
    pub fn judge(&mut self, row: usize, error: f64) -> Decision {
        self.errors[row] = error;
        // The convergence window of II.9: rows target - 1 to target + 1. A first step ends at any row.
        if error <= 1.0 && (self.first || row + 1 >= self.target) {
            return self.accept(row);
        }
        let last = if self.first { ROWS } else { self.target + 1 };
        // What the rows up to the last one would still gain.
        // Each row divides the error by about (n_next / n_1)² (II.9, convergence monitor).
        let gain: f64 = (row + 1..=last)
            .map(|next| (substeps(next) as f64 / substeps(1) as f64).powi(2))
            .product();
        let in_window = row + 1 >= self.target;
        // Errors that grow from row to row: the step is beyond the convergence of the table.
        let diverges = row > 2 && error >= (4.0 * self.errors[row - 1]).max(1.0);
        if row >= last || !error.is_finite() || diverges || (in_window && error > gain) {
            return self.reject(row);
        }
        Decision::GoOn
    }

    fn accept(&mut self, row: usize) -> Decision {
        let mut next = row;
        // More rows than planned: judge by the row that was planned to be the last.
        if row > self.target {
            next = row - 1;
            if next > 2 && self.work(next - 1) < 0.8 * self.work(next) {
                next -= 1;
            }
            if self.work(row) < 0.9 * self.work(next) {
                next = row;
            }
        } else if row > 2 {
            if self.work(row - 1) < 0.8 * self.work(row) {
                next = row - 1;
            } else if self.work(row) < 0.9 * self.work(row - 1) {
                next = row + 1;
            }
        } else {
            // Row 2 has no smaller neighbour to compare its work with.
            next = 3;
        }
        // After a rejection the order may not rise at once (II.9).
        if self.rejected {
            next = next.min(row);
        }
        self.target = next.clamp(*TARGETS.start(), *TARGETS.end());
        (self.first, self.rejected) = (false, false);
        self.outlook(row)
    }

    fn reject(&mut self, row: usize) -> Decision {
        // Repeat with the row of least work among those computed; their errors are all that is known.
        let cheapest = (2..=row).min_by(|&a, &b| self.work(a).total_cmp(&self.work(b)));
        let highest = (*TARGETS.end()).min(row);
        self.target = cheapest.unwrap_or(2).clamp(*TARGETS.start(), highest);
        self.rejected = true;
        self.outlook(row)
    }

    /// The error of a step of the same size at the target's order; one row more than there are costs in proportion.
    fn outlook(&self, row: usize) -> Decision {
        let order = error_order(self.target);
        let known = self.target.min(row);
        // Target k + 1 was not computed: H_{k+1} = H_k A_{k+1} / A_k (II.9).
        let growth = self.growth(known) * cost(self.target) / cost(known);
        Decision::End {
            // An error that makes the controller's error^(-1/order) this growth.
            error: growth.powf(-order),
            order,
        }
    }
}
