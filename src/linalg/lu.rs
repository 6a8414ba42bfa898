//! Dense LU of small square matrices with solutions from both sides, and the choice of independent columns.

mod blocked;
mod columns;
mod parts;

use crate::scalar::larger_or_second;
pub(crate) use blocked::{BlockedLu, FEWEST_BLOCKED};
pub(crate) use columns::{
    AroundBoth, ColumnSolver, FusedSolve, Inverted, One, Pair, SaddleShape, SaddleSolver,
    around_both, column_length, slices, solve_both,
};
#[cfg(test)]
pub(crate) use columns::{example_column, example_solver};
use faer::c64;
use num_traits::NumAssign;
pub(crate) use parts::{Parts, product, reciprocal};

/// What matrices are made of: real or complex numbers.
///
/// ```
/// use liedae::linalg::{Number, SquareLu};
///
/// /// The solution of a x = b, of real or of complex numbers.
/// fn quotient<N: Number>(a: N, b: N) -> Option<N> {
///     let mut lu = SquareLu::<N>::new(1);
///     lu.matrix(1)[0] = a;
///     lu.factor().ok()?;
///     let mut x = [b];
///     lu.solve(&mut x);
///     Some(x[0])
/// }
/// assert_eq!(quotient(-4.0, 2.0), Some(-0.5));
/// assert_eq!((-4.0_f64).size(), 4.0);
/// ```
pub trait Number: Copy + NumAssign {
    /// A norm of the number, by which pivots are chosen.
    fn size(self) -> f64;
}

impl Number for f64 {
    fn size(self) -> f64 {
        self.abs()
    }
}

impl Number for c64 {
    /// |Re| + |Im|, which needs no root.
    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }
}

/// Entries of the factors that are this much larger than the matrix, rows brought to unit size, have lost as many digits.
const MOST_GROWTH: f64 = 1e3;

/// Pivots that can be inverted without loss: complex ones are squared on the way.
const INVERTIBLE: std::ops::Range<f64> = 1e-140..1e140;

/// `P A = L U` with partial pivoting relative to the size of each row; the memory fits matrices up to a capacity.
///
/// For the square sub-Jacobians of dependent coordinates and for Newton matrices, which are no saddle-point systems or need no
/// decision about their rank. Entries are real, or complex: half the effort of the real system of twice the size.
///
/// ```
/// use liedae::linalg::SquareLu;
///
/// // Two forces by two equations: F₁ + F₂ = 10, 2 F₁ - F₂ = 2.
/// let mut lu = SquareLu::new(2);
/// lu.matrix(2).copy_from_slice(&[1.0, 1.0, 2.0, -1.0]);
/// assert_eq!(lu.factor(), Ok(()));
/// let mut forces = [10.0, 2.0];
/// lu.solve(&mut forces);
/// assert!((forces[0] - 4.0_f64).abs() < 1e-14 && (forces[1] - 6.0).abs() < 1e-14);
/// ```
#[derive(Clone, Debug)]
pub struct SquareLu<N = f64> {
    size: usize,
    lu: Vec<N>,
    source: Vec<usize>,
    /// Inverse sizes of the rows, and the sizes of columns when rows are of unit size.
    scale: Vec<f64>,
    columns: Vec<f64>,
    inverse_pivot: Vec<N>,
    work: Vec<N>,
    factorizations: usize,
    solves: usize,
}

/// Rows that are substituted at a time.
const GROUP: usize = 4;

/// sums - rows x.
#[inline(always)]
fn subtract_products<N: Number, const K: usize>(
    mut sums: [N; K],
    rows: [&[N]; K],
    x: &[N],
) -> [N; K] {
    let rows = rows.map(|row| &row[..x.len()]);
    for (at, &x) in x.iter().enumerate() {
        for (sum, row) in sums.iter_mut().zip(&rows) {
            *sum -= row[at] * x;
        }
    }
    sums
}

/// Calls with the size, which the compiler knows where it is so small that loops would cost more than what is in them.
macro_rules! by_size {
    ($size:expr, |$n:ident| $call:expr) => {
        match $size {
            1 => {
                let $n = 1;
                $call
            }
            2 => {
                let $n = 2;
                $call
            }
            3 => {
                let $n = 3;
                $call
            }
            $n => $call,
        }
    };
}

impl<N: Number> SquareLu<N> {
    /// Memory for matrices of at most this size.
    pub fn new(capacity: usize) -> Self {
        Self {
            size: 0,
            lu: vec![N::zero(); capacity * capacity],
            source: vec![0; capacity],
            scale: vec![0.0; capacity],
            columns: vec![0.0; capacity],
            inverse_pivot: vec![N::zero(); capacity],
            work: vec![N::zero(); capacity],
            factorizations: 0,
            solves: 0,
        }
    }

    /// The matrix to be filled in before [`factor`](Self::factor), `size` x `size`, row-major, zeroed.
    ///
    /// # Panics
    /// If `size` is above the capacity.
    pub fn matrix(&mut self, size: usize) -> &mut [N] {
        let matrix = self.matrix_to_overwrite(size);
        matrix.fill(N::zero());
        matrix
    }

    /// The same, with whatever was there before: every entry has to be written.
    ///
    /// # Panics
    /// If `size` is above the capacity.
    pub fn matrix_to_overwrite(&mut self, size: usize) -> &mut [N] {
        self.size = size;
        &mut self.lu[..size * size]
    }

    /// Factorizations and solves so far.
    pub fn work(&self) -> (usize, usize) {
        (self.factorizations, self.solves)
    }

    /// Factorizes what [`matrix`](Self::matrix) was filled with; the row of a vanishing pivot if it is singular.
    pub fn factor(&mut self) -> Result<(), usize> {
        let n = self.size;
        self.measure_rows(n);
        // Pivots in rows of unit size, whatever the units of columns.
        self.columns[..n].fill(1.0);
        self.eliminate(n, 1e-15)
    }

    /// The same; false if a pivot is below this part of its column, rows and columns brought to unit size, or if entries grow so
    /// much that solutions lose digits. What passes needs no check of its solutions.
    pub fn factor_safely(&mut self, doubtful: f64) -> bool {
        by_size!(self.size, |n| self.factor_safely_at(n, doubtful))
    }

    #[inline(always)]
    fn factor_safely_at(&mut self, n: usize, doubtful: f64) -> bool {
        self.measure_rows(n);
        self.columns[..n].fill(0.0);
        for (i, scale) in self.scale[..n].iter().enumerate() {
            let row = &self.lu[i * n..(i + 1) * n];
            for (column, entry) in self.columns.iter_mut().zip(row) {
                *column = larger_or_second(entry.size() * scale, *column);
            }
        }
        if self.eliminate(n, doubtful).is_err() {
            return false;
        }
        // Columns of U beside those of A, rows of unit size: `scale` has moved with its rows.
        let mut small = true;
        for (k, scale) in self.scale[..n].iter().enumerate() {
            small &= INVERTIBLE.contains(&self.lu[k * n + k].size());
            let upper = self.lu[k * n + k..(k + 1) * n].iter();
            for (entry, column) in upper.zip(&self.columns[k..n]) {
                // Written so that NaN is a failure.
                small &= entry.size() * scale <= MOST_GROWTH * column;
            }
        }
        small
    }

    /// Row sizes make the choice of a pivot independent of the units of rows.
    #[inline(always)]
    fn measure_rows(&mut self, n: usize) {
        self.factorizations += 1;
        let lists = self.source[..n].iter_mut().zip(&mut self.scale[..n]);
        for (i, (source, scale)) in lists.enumerate() {
            *source = i;
            let row = self.lu[i * n..(i + 1) * n].iter();
            *scale = 1.0 / row.fold(0.0, |max, entry| larger_or_second(entry.size(), max));
        }
    }

    #[inline(always)]
    fn eliminate(&mut self, n: usize, smallest: f64) -> Result<(), usize> {
        let (lu, scale) = (&mut self.lu[..n * n], &mut self.scale[..n]);
        for k in 0..n {
            let (mut pivot_row, mut size) = (k, -1.0);
            for i in k..n {
                let candidate = lu[i * n + k].size() * scale[i];
                if candidate > size {
                    (pivot_row, size) = (i, candidate);
                }
            }
            // Written so that NaN counts as singular.
            if !(size > smallest * self.columns[k] && size < f64::INFINITY) {
                return Err(self.source[pivot_row]);
            }
            let (upper, lower) = lu.split_at_mut((k + 1) * n);
            let row_k = &mut upper[k * n..];
            if pivot_row != k {
                row_k.swap_with_slice(&mut lower[(pivot_row - k - 1) * n..][..n]);
                self.source.swap(k, pivot_row);
                scale.swap(k, pivot_row);
            }
            let (head, tail) = row_k.split_at(k + 1);
            let inverse = N::one() / head[k];
            self.inverse_pivot[k] = inverse;
            for below in 0..n - k - 1 {
                let row = &mut lower[below * n + k..(below + 1) * n];
                let (first, rest) = row.split_at_mut(1);
                let factor = first[0] * inverse;
                first[0] = factor;
                if !factor.is_zero() {
                    for (entry, &upper) in rest.iter_mut().zip(tail) {
                        *entry -= factor * upper;
                    }
                }
            }
        }
        Ok(())
    }

    /// Overwrites `b` by A⁻¹ b.
    pub fn solve(&mut self, b: &mut [N]) {
        self.solves += 1;
        by_size!(self.size, |n| self.substitute(n, b))
    }

    #[inline(always)]
    fn substitute(&mut self, n: usize, b: &mut [N]) {
        let (lu, work, b) = (&self.lu[..n * n], &mut self.work[..n], &mut b[..n]);
        let row = |i: usize| &lu[i * n..(i + 1) * n];
        let tail = n % GROUP;
        // Forward with P b, in groups of rows, which share what they read and need not wait for each other.
        for start in (0..n - tail).step_by(GROUP) {
            let (known, rest) = work.split_at_mut(start);
            let rows: [&[N]; GROUP] = std::array::from_fn(|k| row(start + k));
            let right = std::array::from_fn(|k| b[self.source[start + k]]);
            let mut sums = subtract_products(right, rows.map(|row| &row[..start]), known);
            for k in 0..GROUP {
                for near in 0..k {
                    sums[k] -= rows[k][start + near] * sums[near];
                }
            }
            rest[..GROUP].copy_from_slice(&sums);
        }
        for i in n - tail..n {
            let (known, rest) = work.split_at_mut(i);
            [rest[0]] = subtract_products([b[self.source[i]]], [&row(i)[..i]], known);
        }
        // Backward with U.
        for (i, &inverse) in self.inverse_pivot[..n].iter().enumerate().rev() {
            let (head, done) = b.split_at_mut(i + 1);
            let [sum] = subtract_products([work[i]], [&row(i)[i + 1..]], done);
            head[i] = sum * inverse;
        }
    }

    /// Overwrites `b` by A⁻ᵀ b.
    pub fn solve_transpose(&mut self, b: &mut [N]) {
        let n = self.size;
        self.solves += 1;
        let work = &mut self.work[..n];
        work.copy_from_slice(&b[..n]);
        // Uᵀ first, then Lᵀ, then the permutation back: A⁻ᵀ = Pᵀ L⁻ᵀ U⁻ᵀ.
        for k in 0..n {
            let row = &self.lu[k * n..(k + 1) * n];
            work[k] *= self.inverse_pivot[k];
            let known = work[k];
            for (rest, &u) in work[k + 1..].iter_mut().zip(&row[k + 1..]) {
                *rest -= u * known;
            }
        }
        for k in (0..n).rev() {
            let row = &self.lu[k * n..(k + 1) * n];
            let (head, tail) = work.split_at_mut(k);
            for (rest, &l) in head.iter_mut().zip(&row[..k]) {
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
        lu.matrix(2).copy_from_slice(&[1.0, f64::NAN, 0.5, 1.0]);
        assert!(lu.factor().is_err());
    }

    #[test]
    fn complex_systems_have_complex_solutions() {
        let i = c64::new(0.0, 1.0);
        let one = c64::new(1.0, 0.0);
        let a = [i * 2.0, one * 3.0, one - i, one * 1e-3 + i];
        let x = [one * 0.5 + i, one * -2.0];
        let mut lu = SquareLu::new(2);
        lu.matrix(2).copy_from_slice(&a);
        assert!(lu.factor_safely(1e-12));
        let mut b = [a[0] * x[0] + a[1] * x[1], a[2] * x[0] + a[3] * x[1]];
        lu.solve(&mut b);
        assert!((b[0] - x[0]).size() + (b[1] - x[1]).size() < 1e-14);
    }

    #[test]
    fn complex_pivots_that_cannot_be_squared_are_doubtful() {
        for unit in [1e-160, 1e-155, 1e155, 1e160] {
            let a = [
                c64::new(2.0, 0.0),
                c64::new(0.0, 1.0),
                c64::new(1.0, 1.0),
                c64::new(3.0, 0.0),
            ];
            let mut lu = SquareLu::new(2);
            lu.matrix(2).copy_from_slice(&a.map(|entry| entry * unit));
            assert!(!lu.factor_safely(1e-10), "{unit:e}");
        }
    }

    #[test]
    fn safe_factors_are_told_from_doubtful_ones() {
        let mut lu = SquareLu::new(24);
        // Units of rows and columns do not matter.
        lu.matrix(2).copy_from_slice(&[1e-9, 2e5, 1e-12, -3e2]);
        assert!(lu.factor_safely(1e-10));
        // Dependent up to 1e-11.
        lu.matrix(2).copy_from_slice(&[1.0, 2.0, 1.0, 2.0 + 1e-11]);
        assert!(!lu.factor_safely(1e-10));
        lu.matrix(2).copy_from_slice(&[1.0, f64::NAN, 0.5, 1.0]);
        assert!(!lu.factor_safely(1e-10));
        // Wilkinson's matrix doubles its last column with every pivot.
        let matrix = lu.matrix(24);
        for row in 0..24 {
            matrix[24 * row..24 * row + row].fill(-1.0);
            matrix[25 * row] = 1.0;
            matrix[24 * row + 23] = 1.0;
        }
        assert!(!lu.factor_safely(1e-10));
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
