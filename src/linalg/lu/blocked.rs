//! LU of large dense matrices, by blocks.

use super::{INVERTIBLE, Number};
use crate::linalg::scaling::inverse_power_of_two;
use crate::scalar::larger_or_second;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::lu::partial_pivoting::solve::{solve_in_place, solve_in_place_scratch};
use faer::perm::PermRef;
use faer::traits::ComplexField;
use faer::{ColMut, MatMut, MatRef, Par, Spec};

/// From so many unknowns on blocks pay: column by column a matrix of this size no longer stays in the cache.
pub(crate) const FEWEST_BLOCKED: usize = 192;

/// Numbers that blocks are made of.
pub(crate) trait Blocked: Number + ComplexField {
    /// The number times a real one.
    fn times(self, factor: f64) -> Self;
}

impl Blocked for f64 {
    fn times(self, factor: f64) -> Self {
        self * factor
    }
}

impl Blocked for faer::c64 {
    fn times(self, factor: f64) -> Self {
        Self::new(self.re * factor, self.im * factor)
    }
}

/// `P R A = L U` by faer, with rows brought to unit size by powers of two R, which cost no round-off.
pub(crate) struct BlockedLu<N: Blocked> {
    size: usize,
    /// From one column to the next.
    stride: usize,
    /// The matrix by columns, then its factors.
    matrix: Vec<N>,
    row_scale: Vec<f64>,
    /// Sizes of columns, rows of unit size.
    column_size: Vec<f64>,
    forward: Vec<usize>,
    backward: Vec<usize>,
    memory: MemBuffer,
}

impl<N: Blocked> BlockedLu<N> {
    /// Memory for matrices of this size.
    pub fn new(size: usize) -> Self {
        let stride = stride(size);
        let factoring = lu_in_place_scratch::<usize, N>(size, size, Par::Seq, Spec::default());
        let solving = solve_in_place_scratch::<usize, N>(size, 1, Par::Seq);
        Self {
            size,
            stride,
            matrix: vec![N::zero(); size * stride],
            row_scale: vec![1.0; size],
            column_size: vec![0.0; size],
            forward: (0..size).collect(),
            backward: (0..size).collect(),
            memory: MemBuffer::new(factoring.or(solving)),
        }
    }

    /// The matrix by columns, to be overwritten before it is factorized, and the distance from one column to the next. What is between
    /// columns is not read.
    pub fn matrix(&mut self) -> (&mut [N], usize) {
        (&mut self.matrix, self.stride)
    }

    /// Factorizes the matrix; false if a pivot is below the part `doubtful` of its column, rows and columns brought to unit size, if
    /// entries grow by more than `growth`, or if something is not finite.
    pub fn factor(&mut self, doubtful: f64, growth: f64) -> bool {
        let size = self.size;
        self.row_scale.fill(0.0);
        for column in self.matrix.chunks_exact(self.stride) {
            for (row, entry) in self.row_scale.iter_mut().zip(column) {
                *row = larger_or_second(Number::size(*entry), *row);
            }
        }
        for row in &mut self.row_scale {
            *row = inverse_power_of_two(*row);
        }
        let columns = self.matrix.chunks_exact_mut(self.stride);
        for (largest, column) in self.column_size.iter_mut().zip(columns) {
            *largest = 0.0;
            for (scale, entry) in self.row_scale.iter().zip(column) {
                *entry = entry.times(*scale);
                *largest = larger_or_second(Number::size(*entry), *largest);
            }
        }
        let (matrix, stride) = (&mut self.matrix, self.stride);
        lu_in_place(
            MatMut::from_column_major_slice_with_stride_mut(matrix, size, size, stride),
            &mut self.forward,
            &mut self.backward,
            Par::Seq,
            MemStack::new(&mut self.memory),
            Spec::default(),
        );
        let columns = self.matrix.chunks_exact(stride).zip(&self.column_size);
        // Written so that NaN is a failure.
        columns.enumerate().all(|(k, (column, largest))| {
            let pivot = Number::size(column[k]);
            let upper = &column[..=k];
            pivot > doubtful * largest
                && INVERTIBLE.contains(&pivot)
                && (upper.iter()).all(|entry| Number::size(*entry) <= growth * largest)
        })
    }

    /// Overwrites a right-hand side by the solution.
    pub fn solve(&mut self, b: &mut [N]) {
        for (b, scale) in b.iter_mut().zip(&self.row_scale) {
            *b = b.times(*scale);
        }
        let (size, stride) = (self.size, self.stride);
        let factors = MatRef::from_column_major_slice_with_stride(&self.matrix, size, size, stride);
        solve_in_place(
            factors,
            factors,
            PermRef::new_checked(&self.forward, &self.backward, size),
            ColMut::from_slice_mut(&mut b[..size]).as_mat_mut(),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
    }
}

/// Columns begin at whole cache lines, and not all of them at the same place of a cache.
fn stride(size: usize) -> usize {
    let lines = size.next_multiple_of(8);
    if lines.is_multiple_of(256) {
        lines + 8
    } else {
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::c64;

    /// Numbers between -1 and 1 without a pattern.
    fn numbers() -> impl FnMut() -> f64 {
        let mut seed = 1_u64;
        move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    /// The solution for a matrix by columns whose rows have units of their own.
    fn check<N: Blocked>(size: usize, mut number: impl FnMut() -> N) {
        let unit = |row: usize| 10.0_f64.powi(row as i32 % 7 - 3);
        let columns: Vec<Vec<N>> = (0..size)
            .map(|_| (0..size).map(|row| number().times(unit(row))).collect())
            .collect();
        let x: Vec<N> = (0..size).map(|_| number()).collect();
        let mut b = vec![N::zero(); size];
        for (column, x) in columns.iter().zip(&x) {
            for (b, entry) in b.iter_mut().zip(column) {
                *b += *entry * *x;
            }
        }
        let mut lu = BlockedLu::new(size);
        let (matrix, stride) = lu.matrix();
        for (slot, column) in matrix.chunks_exact_mut(stride).zip(&columns) {
            slot[..size].copy_from_slice(column);
        }
        assert!(lu.factor(1e-12, 1e3));
        lu.solve(&mut b);
        for (b, x) in b.iter().zip(&x) {
            assert!(Number::size(*b - *x) < 1e-9);
        }
    }

    #[test]
    fn real_and_complex_systems_have_their_solutions() {
        for size in [1, 7, 192, 256, 300] {
            let mut number = numbers();
            check(size, &mut number);
            check(size, || c64::new(number(), number()));
        }
    }

    #[test]
    fn dependent_rows_and_numbers_that_are_none_are_doubtful() {
        let mut number = numbers();
        let size = 200;
        let mut lu = BlockedLu::new(size);
        for bad in [0.0, f64::NAN] {
            let (matrix, stride) = lu.matrix();
            for column in matrix.chunks_exact_mut(stride) {
                column.fill_with(&mut number);
                // Row 150 is the sum of two others.
                column[150] = column[3] + column[77];
            }
            matrix[120 * stride + 40] += bad;
            matrix[120 * stride + 150] += bad;
            assert!(!lu.factor(1e-12, 1e3));
        }
    }
}
