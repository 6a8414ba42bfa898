//! The factors of a matrix.

use super::Factors;
use super::lanes::{entry, magnitude, measure, scaled_sizes, split_column, subtract};
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
        let upper = &mut self.upper[..size * P * stride];
        let sizes = (
            &mut self.scale[..],
            &mut self.column_size[..],
            &mut self.sizes[..],
        );
        if !measure::<S, P>(simd, (size, stride), upper, sizes) {
            return false;
        }
        for (row, source) in self.source.iter_mut().enumerate() {
            *source = row;
        }
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
            let lanes = (&self.masks, k, stride);
            split_column(simd, lanes, column, inverse, multipliers);
            for column in rest.chunks_exact_mut(P * stride) {
                let factor = entry::<P>(column, stride, k);
                if factor != [0.0; P] {
                    subtract(simd, stride, column, multipliers, factor);
                }
            }
        }
        true
    }
}
