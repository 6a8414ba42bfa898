//! The factors of a matrix.

use super::lanes::{entry, magnitude, measure_column, scaled_sizes, split_column, subtract};
use super::{Assembly, Factors};
use crate::linalg::dense::larger;
use crate::linalg::lu::parts::{Parts, product, reciprocal};
use crate::linalg::lu::{INVERTIBLE, MOST_GROWTH};
use pulp::Simd;

impl<const P: usize> Factors<P> {
    /// Σ factor · matrix.
    #[inline(always)]
    pub(super) fn assemble<S: Simd>(
        &mut self,
        simd: S,
        (size, stride): (usize, usize),
        sum: &[(Parts<P>, &[f64])],
    ) {
        let matrix = &mut self.upper[..size * P * stride];
        if sum.is_empty() {
            matrix.fill(0.0);
        }
        for (number, &(factors, values)) in sum.iter().enumerate() {
            let columns = matrix.chunks_exact_mut(P * stride);
            for (column, values) in columns.zip(values.chunks_exact(stride)) {
                let values = S::as_simd_f64s(values).0;
                for (part, factor) in column.chunks_exact_mut(stride).zip(factors) {
                    let factor = simd.splat_f64s(factor);
                    let part = S::as_mut_simd_f64s(part).0;
                    for (slot, &value) in part.iter_mut().zip(values) {
                        let term = simd.mul_f64s(factor, value);
                        *slot = if number == 0 {
                            term
                        } else {
                            simd.add_f64s(*slot, term)
                        };
                    }
                }
            }
        }
    }

    /// α I + A.
    #[inline(always)]
    pub(super) fn shift(
        &mut self,
        (size, stride): (usize, usize),
        alpha: Parts<P>,
        matrix: &[f64],
    ) {
        let columns = self.upper[..size * P * stride].chunks_exact_mut(P * stride);
        for (at, (column, values)) in columns.zip(matrix.chunks_exact(stride)).enumerate() {
            let (real, rest) = column.split_at_mut(stride);
            real.copy_from_slice(values);
            rest.fill(0.0);
            for (part, alpha) in column.chunks_exact_mut(stride).zip(alpha) {
                part[at] += alpha;
            }
        }
    }

    /// Leaves the factors in place of the matrix; false as [`ColumnLu::factor_safely`].
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

    /// Makes and factorizes a matrix of very few unknowns, where lists and lanes would cost more than what is done with them.
    #[inline(always)]
    pub(super) fn factor_in_registers<const N: usize>(
        &mut self,
        assembly: &Assembly<P>,
        doubtful: f64,
    ) -> bool {
        let mut rows = assembly.rows::<N>();
        let (mut scale, mut column_size, mut source) = ([0.0; N], [0.0; N], [0; N]);
        // NaN where something is not finite, or a row consists of zeros.
        let mut zeros = 0.0;
        for i in 0..N {
            let mut largest = 0.0;
            for number in rows[i] {
                largest = larger(magnitude(number), largest);
                zeros += 0.0 * magnitude(number);
            }
            (scale[i], source[i]) = (1.0 / largest, i);
            for (number, column_size) in rows[i].into_iter().zip(&mut column_size) {
                let scaled = magnitude(number) * scale[i];
                *column_size = larger(scaled, *column_size);
                zeros += 0.0 * scaled;
            }
        }
        if zeros.is_nan() {
            return false;
        }
        for k in 0..N {
            let (mut pivot_row, mut largest) = (k, -1.0);
            let mut bounded = true;
            for i in 0..N {
                let candidate = magnitude(rows[i][k]) * scale[i];
                // Written so that NaN is a failure.
                bounded &= candidate <= MOST_GROWTH * column_size[k];
                if i >= k && candidate > largest {
                    (pivot_row, largest) = (i, candidate);
                }
            }
            let pivot = rows[pivot_row][k];
            let safe = bounded
                && largest > doubtful * column_size[k]
                && INVERTIBLE.contains(&magnitude(pivot));
            if !safe {
                return false;
            }
            rows.swap(k, pivot_row);
            scale.swap(k, pivot_row);
            source.swap(k, pivot_row);
            let inverse = reciprocal(pivot);
            self.inverse_pivot[k] = inverse;
            let upper = rows[k];
            for row in &mut rows[k + 1..] {
                let factor = product(row[k], inverse);
                row[k] = factor;
                for (entry, upper) in row[k + 1..].iter_mut().zip(&upper[k + 1..]) {
                    for (entry, change) in entry.iter_mut().zip(product(factor, *upper)) {
                        *entry -= change;
                    }
                }
            }
        }
        self.source[..N].copy_from_slice(&source);
        for j in 0..N {
            for part in 0..P {
                for (i, row) in rows.iter().enumerate() {
                    let (at, value) = ((j * P + part) * N + i, row[j][part]);
                    self.upper[at] = if i < j { value } else { 0.0 };
                    self.lower[at] = if i > j { value } else { 0.0 };
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

impl<const P: usize> Assembly<'_, P> {
    /// The matrix by rows.
    #[inline(always)]
    fn rows<const N: usize>(&self) -> [[Parts<P>; N]; N] {
        let mut rows = [[[0.0; P]; N]; N];
        match self {
            Self::Sum(sum) => {
                for (factor, matrix) in *sum {
                    let matrix = &matrix[..N * N];
                    for (i, row) in rows.iter_mut().enumerate() {
                        for (j, number) in row.iter_mut().enumerate() {
                            for (part, factor) in number.iter_mut().zip(factor) {
                                *part += factor * matrix[j * N + i];
                            }
                        }
                    }
                }
            }
            Self::Shifted(alpha, matrix) => {
                let matrix = &matrix[..N * N];
                for (i, row) in rows.iter_mut().enumerate() {
                    for (j, number) in row.iter_mut().enumerate() {
                        number[0] = matrix[j * N + i];
                    }
                    for (part, alpha) in row[i].iter_mut().zip(alpha) {
                        *part += alpha;
                    }
                }
            }
        }
        rows
    }
}
