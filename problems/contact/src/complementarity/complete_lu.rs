//! LU factorization with complete pivoting of small dense matrices, which reveals rank and null space.

use super::fit;

/// `P F Q = L U` of a rows x cols matrix, `U` upper trapezoidal with `rank` rows.
#[derive(Default)]
pub(super) struct CompleteLu {
    rows: usize,
    cols: usize,
    rank: usize,
    lu: Vec<f64>,
    /// Row and column of the matrix at each place of the factors.
    row: Vec<usize>,
    col: Vec<usize>,
    work: Vec<f64>,
}

impl CompleteLu {
    /// Factorizes the matrix with these entries; pivots up to `tolerance` (absolute) count as zero. Returns the rank.
    pub fn factor(
        &mut self,
        rows: usize,
        cols: usize,
        entry: impl Fn(usize, usize) -> f64,
        tolerance: f64,
    ) -> usize {
        (self.rows, self.cols) = (rows, cols);
        self.row.clear();
        self.row.extend(0..rows);
        self.col.clear();
        self.col.extend(0..cols);
        self.lu.clear();
        for i in 0..rows {
            self.lu.extend((0..cols).map(|j| entry(i, j)));
        }
        self.rank = 0;
        while self.rank < rows.min(cols) {
            let k = self.rank;
            // Complete pivoting: the largest entry of all that is left.
            let (mut pivot_row, mut size) = (k, -1.0);
            for i in k..rows {
                let row = &self.lu[i * cols + k..(i + 1) * cols];
                let candidate = row.iter().fold(0.0_f64, |max, v| max.max(v.abs()));
                if candidate > size {
                    (pivot_row, size) = (i, candidate);
                }
            }
            // The largest is zero but for round-off: so is everything else.
            if size.is_nan() || size <= tolerance {
                break;
            }
            let row = &self.lu[pivot_row * cols + k..(pivot_row + 1) * cols];
            let offset = row.iter().position(|v| v.abs() == size).unwrap_or(0);
            self.exchange(pivot_row, k + offset);
            self.eliminate();
            self.rank += 1;
        }
        self.rank
    }

    fn exchange(&mut self, pivot_row: usize, pivot_col: usize) {
        let (k, cols) = (self.rank, self.cols);
        if pivot_row != k {
            let (upper, lower) = self.lu.split_at_mut(pivot_row * cols);
            upper[k * cols..(k + 1) * cols].swap_with_slice(&mut lower[..cols]);
            self.row.swap(k, pivot_row);
        }
        if pivot_col != k {
            for row in self.lu.chunks_exact_mut(cols) {
                row.swap(k, pivot_col);
            }
            self.col.swap(k, pivot_col);
        }
    }

    fn eliminate(&mut self) {
        let (k, cols) = (self.rank, self.cols);
        let (upper, lower) = self.lu.split_at_mut((k + 1) * cols);
        let pivot_row = &upper[k * cols + k..];
        let inverse = pivot_row[0].recip();
        for row in lower.chunks_exact_mut(cols) {
            let factor = row[k] * inverse;
            row[k] = factor;
            if factor != 0.0 {
                for (entry, &pivot) in row[k + 1..].iter_mut().zip(&pivot_row[1..]) {
                    *entry -= factor * pivot;
                }
            }
        }
    }

    /// Dimension of the null space.
    pub fn nullity(&self) -> usize {
        self.cols - self.rank
    }

    /// Basic solution of `F x = rhs`: unknowns without a pivot are zero, equations without one are ignored.
    pub fn solve(&mut self, rhs: &[f64], x: &mut [f64]) {
        let (cols, rank) = (self.cols, self.rank);
        fit(&mut self.work, rank);
        // Forward with L, for the equations with a pivot alone.
        for i in 0..rank {
            let row = &self.lu[i * cols..i * cols + i];
            let sum: f64 = row.iter().zip(&self.work).map(|(l, y)| l * y).sum();
            self.work[i] = rhs[self.row[i]] - sum;
        }
        self.substitute_back();
        x[..cols].fill(0.0);
        for (&value, &col) in self.work.iter().zip(&self.col) {
            x[col] = value;
        }
    }

    /// Basis vector `index < nullity` of the null space; not normalized.
    pub fn null_vector(&mut self, index: usize, x: &mut [f64]) {
        let (cols, rank) = (self.cols, self.rank);
        // U₁₁ x = -u: the column without pivot, expressed by those with one.
        self.work.clear();
        self.work
            .extend((0..rank).map(|i| -self.lu[i * cols + rank + index]));
        self.substitute_back();
        x[..cols].fill(0.0);
        for (&value, &col) in self.work.iter().zip(&self.col) {
            x[col] = value;
        }
        x[self.col[rank + index]] = 1.0;
    }

    fn substitute_back(&mut self) {
        let cols = self.cols;
        for i in (0..self.rank).rev() {
            let row = &self.lu[i * cols + i..i * cols + self.rank];
            let sum: f64 = row[1..]
                .iter()
                .zip(&self.work[i + 1..])
                .map(|(u, x)| u * x)
                .sum();
            self.work[i] = (self.work[i] - sum) / row[0];
        }
    }
}
