//! Dense LU of small square matrices with solutions from both sides, and the choice of independent columns.

/// `P A = L U` with partial pivoting relative to the size of each row; the memory fits matrices up to a capacity.
///
/// For the square sub-Jacobians of dependent coordinates and for Newton matrices of state-space methods, which are no
/// saddle-point systems and are solved from the left as well as from the right.
#[derive(Clone, Debug)]
pub struct SquareLu {
    size: usize,
    lu: Vec<f64>,
    source: Vec<usize>,
    work: Vec<f64>,
    factorizations: usize,
    solves: usize,
}

impl SquareLu {
    /// Memory for matrices of at most this size.
    pub fn new(capacity: usize) -> Self {
        Self {
            size: 0,
            lu: vec![0.0; capacity * capacity],
            source: vec![0; capacity],
            work: vec![0.0; capacity],
            factorizations: 0,
            solves: 0,
        }
    }

    /// The matrix to be filled in before [`factor`](Self::factor), `size` x `size`, row-major, zeroed.
    ///
    /// # Panics
    /// If `size` is above the capacity.
    pub fn matrix(&mut self, size: usize) -> &mut [f64] {
        self.size = size;
        let matrix = &mut self.lu[..size * size];
        matrix.fill(0.0);
        matrix
    }

    /// Factorizations and solves so far.
    pub fn work(&self) -> (usize, usize) {
        (self.factorizations, self.solves)
    }

    /// Factorizes what [`matrix`](Self::matrix) was filled with; the row of a vanishing pivot if it is singular.
    pub fn factor(&mut self) -> Result<(), usize> {
        let n = self.size;
        self.factorizations += 1;
        let lu = &mut self.lu[..n * n];
        for (i, row) in lu.chunks_exact(n.max(1)).enumerate() {
            self.source[i] = i;
            // Row sizes make the choice of a pivot independent of the units of rows.
            self.work[i] = row.iter().fold(0.0_f64, |max, v| max.max(v.abs()));
        }
        for k in 0..n {
            let (mut pivot_row, mut size) = (k, -1.0);
            for i in k..n {
                let candidate = lu[i * n + k].abs() / self.work[i];
                if candidate > size {
                    (pivot_row, size) = (i, candidate);
                }
            }
            // Written so that NaN counts as singular.
            if !(size > 1e-15 && size.is_finite()) {
                return Err(self.source[pivot_row]);
            }
            let (upper, lower) = lu.split_at_mut((k + 1) * n);
            let row_k = &mut upper[k * n..];
            if pivot_row != k {
                row_k.swap_with_slice(&mut lower[(pivot_row - k - 1) * n..][..n]);
                self.source.swap(k, pivot_row);
                self.work.swap(k, pivot_row);
            }
            let inverse = 1.0 / row_k[k];
            for row in lower.chunks_exact_mut(n) {
                let factor = row[k] * inverse;
                row[k] = factor;
                if factor != 0.0 {
                    for (entry, &upper) in row[k + 1..].iter_mut().zip(&row_k[k + 1..]) {
                        *entry -= factor * upper;
                    }
                }
            }
        }
        Ok(())
    }

    /// Overwrites `b` by A⁻¹ b.
    pub fn solve(&mut self, b: &mut [f64]) {
        let n = self.size;
        self.solves += 1;
        let work = &mut self.work;
        // Forward with P b, backward with U.
        for i in 0..n {
            let row = &self.lu[i * n..(i + 1) * n];
            let sum: f64 = row[..i].iter().zip(work.iter()).map(|(l, w)| l * w).sum();
            work[i] = b[self.source[i]] - sum;
        }
        for i in (0..n).rev() {
            let row = &self.lu[i * n..(i + 1) * n];
            let known: f64 = row[i + 1..]
                .iter()
                .zip(&b[i + 1..])
                .map(|(u, x)| u * x)
                .sum();
            b[i] = (work[i] - known) / row[i];
        }
    }

    /// Overwrites `b` by A⁻ᵀ b.
    pub fn solve_transpose(&mut self, b: &mut [f64]) {
        let n = self.size;
        self.solves += 1;
        let work = &mut self.work[..n];
        work.copy_from_slice(&b[..n]);
        // Uᵀ first, then Lᵀ, then the permutation back: A⁻ᵀ = Pᵀ L⁻ᵀ U⁻ᵀ.
        for k in 0..n {
            let row = &self.lu[k * n..(k + 1) * n];
            work[k] /= row[k];
            let known = work[k];
            for (rest, u) in work[k + 1..].iter_mut().zip(&row[k + 1..]) {
                *rest -= u * known;
            }
        }
        for k in (0..n).rev() {
            let row = &self.lu[k * n..(k + 1) * n];
            let (head, tail) = work.split_at_mut(k);
            for (rest, l) in head.iter_mut().zip(&row[..k]) {
                *rest -= l * tail[0];
            }
        }
        for (&source, &value) in self.source.iter().zip(work.iter()) {
            b[source] = value;
        }
    }
}

/// Gaussian elimination with row and column exchanges on a row-major matrix of `columns` columns, which is destroyed.
///
/// Returns the rank. `row_order` and `column_order` begin with the rows and columns of the pivots; pivots below
/// `tolerance` of the unit row size count as zero.
pub(crate) fn full_pivoting(
    matrix: &mut [f64],
    columns: usize,
    tolerance: f64,
    row_order: &mut [usize],
    column_order: &mut [usize],
) -> usize {
    let rows = row_order.len();
    for (index, slot) in row_order.iter_mut().enumerate() {
        *slot = index;
    }
    for (index, slot) in column_order.iter_mut().enumerate() {
        *slot = index;
    }
    // Unit rows: a pivot is the sine of an angle, not a number with a unit.
    for row in matrix.chunks_exact_mut(columns.max(1)) {
        let size = row.iter().map(|v| v * v).sum::<f64>().sqrt();
        if size > 0.0 {
            for entry in row {
                *entry /= size;
            }
        }
    }
    for k in 0..rows.min(columns) {
        let (mut best, mut size) = ((k, k), 0.0_f64);
        for i in k..rows {
            for j in k..columns {
                let candidate = matrix[row_order[i] * columns + column_order[j]].abs();
                if candidate > size {
                    (best, size) = ((i, j), candidate);
                }
            }
        }
        // The largest entry left is below the tolerance: so is everything that is left.
        if size <= tolerance {
            return k;
        }
        row_order.swap(k, best.0);
        column_order.swap(k, best.1);
        let pivot_row = row_order[k] * columns;
        let pivot = matrix[pivot_row + column_order[k]];
        for &row in &row_order[k + 1..] {
            let factor = matrix[row * columns + column_order[k]] / pivot;
            if factor != 0.0 {
                for &column in &column_order[k..] {
                    matrix[row * columns + column] -= factor * matrix[pivot_row + column];
                }
            }
        }
    }
    rows.min(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solutions_from_both_sides() {
        let a = [0.0, 2.0, 1.0, 1.0, -1.0, 3.0, 4.0, 0.5, 1e-3];
        let mut lu = SquareLu::new(5);
        lu.matrix(3).copy_from_slice(&a);
        lu.factor().unwrap();
        let x = [1.0, -2.0, 0.25];
        let mut b: Vec<f64> = (0..3)
            .map(|i| (0..3).map(|j| a[3 * i + j] * x[j]).sum())
            .collect();
        lu.solve(&mut b);
        let mut c: Vec<f64> = (0..3)
            .map(|j| (0..3).map(|i| a[3 * i + j] * x[i]).sum())
            .collect();
        lu.solve_transpose(&mut c);
        for i in 0..3 {
            assert!((b[i] - x[i]).abs() < 1e-14, "{b:?}");
            assert!((c[i] - x[i]).abs() < 1e-14, "{c:?}");
        }
        lu.matrix(2).copy_from_slice(&[1.0, 2.0, 0.5, 1.0]);
        assert!(lu.factor().is_err());
    }

    #[test]
    fn redundant_rows_and_independent_columns_come_last() {
        // Row 2 = row 0 + row 1; column 1 is the weakest.
        let mut matrix = [5.0, 0.0, 1.0, 0.0, 0.01, 3.0, 5.0, 0.01, 4.0];
        let (mut rows, mut columns) = ([0; 3], [0; 3]);
        let rank = full_pivoting(&mut matrix, 3, 1e-6, &mut rows, &mut columns);
        assert_eq!(rank, 2);
        assert_eq!(columns[2], 1);
    }
}
