//! From the mixed problem to a standard one: bilateral rows are eliminated first.

use super::complete_lu::CompleteLu;
use super::error::LcpError;
use super::fit;
use super::scaled::Scaled;
use super::standard::Standard;

/// Coefficients that elimination leaves in a redundant row: pivots are quadratic in the rows of a constraint Jacobian, so this is
/// the root of the rank tolerance.
const NEGLIGIBLE: f64 = 1e-6;

/// What elimination leaves of a coefficient and of a right-hand side that cancel, in scaled units.
const ROUND_OFF: (f64, f64) = (1e-13, 1e-12);

/// Gaussian elimination with complete pivoting within the bilateral rows E and columns,
///
/// ```text
/// M = A_UU - A_UE A_EE^-1 A_EU,   q = b_U - A_UE A_EE^-1 b_E
/// ```
///
/// If pivots run out, rows of E are left over. If nothing but round-off is left in them and in their columns (always so for
/// positive semidefinite A) they are redundant and dropped, or inconsistent. Otherwise (A indefinite) a left-over free
/// variable is split, `z = z+ - z-`, with `w+ = w >= 0`, `w- = -w >= 0`, which keeps the problem equivalent and a semidefinite
/// matrix semidefinite.
#[derive(Default)]
pub(super) struct Reduction {
    pub standard: Standard,
    /// Row of the mixed problem of every unilateral row; split rows of the standard problem come after them.
    pub unilateral: Vec<usize>,
    /// Bilateral rows that depend on the others.
    pub redundant: Vec<usize>,
    /// Rows of `[A b]`.
    work: Vec<f64>,
    rows: Vec<usize>,
    cols: Vec<usize>,
    pivot_rows: Vec<usize>,
    pivot_cols: Vec<usize>,
    kept: Vec<f64>,
}

impl Reduction {
    /// # Errors
    /// [`LcpError::Inconsistent`] with the rows that contradict each other.
    pub fn reduce(
        &mut self,
        problem: &Scaled,
        rank_tolerance: f64,
        consistency: f64,
    ) -> Result<(), LcpError> {
        let n = problem.n;
        let width = n + 1;
        fit(&mut self.work, n * width);
        for (i, row) in self.work.chunks_exact_mut(width).enumerate() {
            row[..n].copy_from_slice(&problem.a[i * n..(i + 1) * n]);
            row[n] = problem.b[i];
        }
        self.unilateral.clear();
        self.unilateral
            .extend((0..n).filter(|&i| !problem.bilateral(i)));
        self.rows.clear();
        self.rows.extend((0..n).filter(|&i| problem.bilateral(i)));
        self.cols.clear();
        self.cols.extend_from_slice(&self.rows);
        self.pivot_rows.clear();
        self.pivot_cols.clear();
        // Complete pivoting within the bilateral rows and columns.
        while let Some((row, col)) = self.largest(width, rank_tolerance) {
            self.eliminate(width, row, col);
        }
        self.redundant.clear();
        // Nothing but round-off is left: rows depend on each other, or contradict.
        if self.left_over(n) <= NEGLIGIBLE {
            self.redundant.extend_from_slice(&self.rows);
            for &row in &self.rows {
                let residual = self.work[row * width + n].abs();
                if residual > consistency {
                    return Err(self.inconsistent(problem, row, residual));
                }
            }
            self.rows.clear();
            self.cols.clear();
        }
        self.build(n);
        Ok(())
    }

    /// Places in `rows` and `cols` of the largest entry that is left, if it exceeds the tolerance.
    fn largest(&self, width: usize, tolerance: f64) -> Option<(usize, usize)> {
        let mut best = None;
        let mut size = tolerance;
        for (k, &i) in self.rows.iter().enumerate() {
            for (l, &j) in self.cols.iter().enumerate() {
                let candidate = self.work[i * width + j].abs();
                if candidate > size {
                    (best, size) = (Some((k, l)), candidate);
                }
            }
        }
        best
    }

    fn eliminate(&mut self, width: usize, row: usize, col: usize) {
        let (i, j) = (self.rows.swap_remove(row), self.cols.swap_remove(col));
        self.pivot_rows.push(i);
        self.pivot_cols.push(j);
        self.kept.clear();
        self.kept
            .extend_from_slice(&self.work[i * width..(i + 1) * width]);
        let inverse = self.kept[j].recip();
        // The Schur complement in all rows that are left.
        for &r in self.rows.iter().chain(&self.unilateral) {
            let target = &mut self.work[r * width..(r + 1) * width];
            let factor = target[j] * inverse;
            if factor != 0.0 {
                for (entry, &pivot) in target.iter_mut().zip(&self.kept) {
                    *entry -= factor * pivot;
                }
            }
        }
    }

    /// Largest coefficient in left-over rows and columns.
    fn left_over(&self, n: usize) -> f64 {
        let entry = |i: usize, j: usize| self.work[i * (n + 1) + j].abs();
        let mut size = 0.0_f64;
        for &i in &self.rows {
            for &j in self.cols.iter().chain(&self.unilateral) {
                size = size.max(entry(i, j));
            }
        }
        for &j in &self.cols {
            for &i in &self.unilateral {
                size = size.max(entry(i, j));
            }
        }
        size
    }

    /// The solution of the mixed problem that belongs to one of the standard problem: `z`, of its length. Free variables of
    /// dropped rows are zero.
    pub fn expand(&self, standard: &[f64], z: &mut [f64]) {
        let width = z.len() + 1;
        z.fill(0.0);
        let (unilateral, split) = standard.split_at(self.unilateral.len());
        for (&i, value) in self.unilateral.iter().zip(unilateral) {
            z[i] = *value;
        }
        // z = z⁺ - z⁻.
        for (&j, pair) in self.cols.iter().zip(split.chunks_exact(2)) {
            z[j] = pair[0] - pair[1];
        }
        // Back through the pivots, the last one first.
        let pivots = self.pivot_rows.iter().zip(&self.pivot_cols);
        for (k, (&i, &j)) in pivots.enumerate().rev() {
            let row = &self.work[i * width..(i + 1) * width];
            let before = &self.pivot_cols[..k];
            // What elimination left in the columns of earlier pivots is no part of the row.
            let terms = row.iter().zip(z.iter()).enumerate();
            let known: f64 = terms
                .filter(|(column, (_, value))| **value != 0.0 && !before.contains(column))
                .map(|(_, (entry, value))| entry * value)
                .sum();
            z[j] = -(row[width - 1] + known) / row[j];
        }
    }

    /// Names the rows: those of the combination `y`, `y^T A = 0`, `y_row = 1`.
    fn inconsistent(&self, problem: &Scaled, row: usize, residual: f64) -> LcpError {
        let (n, rank) = (problem.n, self.pivot_rows.len());
        // A_EEᵀ y = -a_row: the combination of pivot rows that cancels this one.
        let mut lu = CompleteLu::default();
        lu.factor(
            rank,
            rank,
            |k, l| problem.a[self.pivot_rows[l] * n + self.pivot_cols[k]],
            0.0,
        );
        let rhs: Vec<f64> = self
            .pivot_cols
            .iter()
            .map(|&col| -problem.a[row * n + col])
            .collect();
        let mut y = vec![0.0; rank];
        lu.solve(&rhs, &mut y);
        let mut rows: Vec<usize> = self
            .pivot_rows
            .iter()
            .zip(&y)
            .filter(|(_, y)| y.abs() > NEGLIGIBLE)
            .map(|(&row, _)| row)
            .collect();
        rows.push(row);
        rows.sort_unstable();
        LcpError::Inconsistent { rows, residual }
    }

    fn build(&mut self, n: usize) {
        let (width, u, pairs) = (n + 1, self.unilateral.len(), self.rows.len());
        let m = u + 2 * pairs;
        // Where bilateral rows hold everything, nothing but round-off is left, on which a method could not pivot.
        let (small, small_rhs) = if self.pivot_rows.is_empty() {
            (0.0, 0.0)
        } else {
            ROUND_OFF
        };
        let flushed = |value: f64, limit: f64| if value.abs() <= limit { 0.0 } else { value };
        self.standard.m = m;
        self.standard.matrix.clear();
        self.standard.vector.clear();
        for r in 0..m {
            let (i, row_sign) = signed(r, u, &self.unilateral, &self.rows);
            let source = &self.work[i * width..(i + 1) * width];
            for c in 0..m {
                let (j, col_sign) = signed(c, u, &self.unilateral, &self.cols);
                let value = flushed(source[j], small);
                self.standard.matrix.push(row_sign * col_sign * value);
            }
            let value = flushed(source[n], small_rhs);
            self.standard.vector.push(row_sign * value);
        }
    }
}

/// Index in the mixed problem and sign of row or column `r` of the standard problem.
fn signed(r: usize, u: usize, unilateral: &[usize], split: &[usize]) -> (usize, f64) {
    if r < u {
        (unilateral[r], 1.0)
    } else {
        let sign = if (r - u).is_multiple_of(2) { 1.0 } else { -1.0 };
        (split[(r - u) / 2], sign)
    }
}
