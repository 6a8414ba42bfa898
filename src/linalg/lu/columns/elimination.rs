//! The factors of a matrix.

use super::Factors;
use super::lanes::{entry, magnitude, measure_column, scaled_sizes, split_column, subtract};
use crate::linalg::lu::parts::{Parts, reciprocal};
use crate::linalg::lu::{INVERTIBLE, MOST_GROWTH};
use pulp::Simd;

impl<const P: usize> Factors<P> {
    /// Leaves the factors in place of the matrix; false as [`ColumnSolver::factor_safely`].
    #[inline(always)]
    pub(super) fn eliminate<S: Simd>(
        &mut self,
        simd: S,
        (size, stride): (usize, usize),
        doubtful: f64,
    ) -> bool {
        if !self.measure(simd, size, stride) {
            return false;
        }
        let upper = &mut self.upper[..size * P * stride];
        let lower = &mut self.lower[..size * P * stride];
        let (sizes, scale) = (&mut self.sizes[..stride], &mut self.scale[..stride]);
        for k in 0..size {
            let column = &upper[k * P * stride..][..P * stride];
            // Rows of unit size. Above the pivot the column is that of U.
            let most = scaled_sizes::<S, P>(simd, stride, column, (scale, sizes));
            let (mut pivot_row, mut largest) = (k, -1.0);
            for (below, &candidate) in sizes[k..size].iter().enumerate() {
                if candidate > largest {
                    (pivot_row, largest) = (k + below, candidate);
                }
            }
            // Written so that NaN counts as doubtful.
            let column_size = self.column_size[k];
            if !(largest > doubtful * column_size && most <= MOST_GROWTH * column_size) {
                return false;
            }
            if pivot_row != k {
                let columns = upper[k * P * stride..].chunks_exact_mut(stride);
                let earlier = lower[..k * P * stride].chunks_exact_mut(stride);
                for column in columns.chain(earlier) {
                    column.swap(k, pivot_row);
                }
                self.source.swap(k, pivot_row);
                scale.swap(k, pivot_row);
            }
            let (column, rest) = upper[k * P * stride..].split_at_mut(P * stride);
            let pivot: Parts<P> = entry(column, stride, k);
            if !INVERTIBLE.contains(&magnitude(pivot)) {
                return false;
            }
            let inverse = reciprocal(pivot);
            self.inverse_pivot[k] = inverse;
            let multipliers = &mut lower[k * P * stride..][..P * stride];
            split_column(simd, (&self.row[..stride], k), column, inverse, multipliers);
            for column in rest.chunks_exact_mut(P * stride) {
                let factor = entry::<P>(column, stride, k);
                if factor != [0.0; P] {
                    subtract(simd, stride, column, multipliers, factor);
                }
            }
        }
        true
    }

    /// Sizes of rows, and those of columns when rows are of unit size; false if something is not finite.
    #[inline(always)]
    fn measure<S: Simd>(&mut self, simd: S, size: usize, stride: usize) -> bool {
        let upper = &self.upper[..size * P * stride];
        let (sizes, scale) = (&mut self.sizes[..stride], &mut self.scale[..stride]);
        scale.fill(0.0);
        let mut zeros = simd.splat_f64s(0.0);
        for column in upper.chunks_exact(P * stride) {
            measure_column::<S, P>(simd, stride, column, sizes);
            let largest = S::as_mut_simd_f64s(scale).0;
            for (largest, &size) in largest.iter_mut().zip(S::as_simd_f64s(sizes).0) {
                *largest = simd.max_f64s(*largest, size);
                // NaN where something is not finite: comparisons alone would not see it everywhere.
                zeros = simd.add_f64s(zeros, simd.mul_f64s(simd.splat_f64s(0.0), size));
            }
        }
        if simd.reduce_sum_f64s(zeros).is_nan() {
            return false;
        }
        for (row, (scale, source)) in scale.iter_mut().zip(&mut self.source).enumerate() {
            *source = row;
            // Lanes behind the last row are not measured.
            *scale = if row < size { 1.0 / *scale } else { 0.0 };
        }
        let columns = upper.chunks_exact(P * stride);
        for (column, slot) in columns.zip(&mut self.column_size) {
            *slot = scaled_sizes::<S, P>(simd, stride, column, (scale, sizes));
        }
        true
    }
}
