//! Assembly of a matrix from a sum of matrices, or from a matrix and a shift of its diagonal.

use crate::linalg::lu::parts::Parts;
use pulp::Simd;

/// The terms of a matrix, by padded columns.
pub(super) enum Assembly<'a, const P: usize> {
    /// A sum of matrices times numbers.
    Sum(&'a [(Parts<P>, &'a [f64])]),
    /// A number on the diagonal beside a matrix.
    Shifted(Parts<P>, &'a [f64]),
}

impl<const P: usize> Assembly<'_, P> {
    /// Writes the matrix.
    #[inline(always)]
    pub(super) fn write<S: Simd>(
        &self,
        simd: S,
        (size, stride): (usize, usize),
        matrix: &mut [f64],
    ) {
        let matrix = &mut matrix[..size * P * stride];
        match *self {
            Self::Sum(sum) => add_up(simd, stride, sum, matrix),
            Self::Shifted(alpha, values) => shift(stride, alpha, values, matrix),
        }
    }

    /// The matrix by rows.
    #[inline(always)]
    pub(super) fn rows<const N: usize>(&self) -> [[Parts<P>; N]; N] {
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

/// Σ factor · matrix.
#[inline(always)]
pub(super) fn add_up<S: Simd, const P: usize>(
    simd: S,
    stride: usize,
    sum: &[(Parts<P>, &[f64])],
    matrix: &mut [f64],
) {
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
fn shift<const P: usize>(stride: usize, alpha: Parts<P>, matrix: &[f64], out: &mut [f64]) {
    let columns = out.chunks_exact_mut(P * stride);
    for (at, (column, values)) in columns.zip(matrix.chunks_exact(stride)).enumerate() {
        let (real, rest) = column.split_at_mut(stride);
        real.copy_from_slice(values);
        rest.fill(0.0);
        for (part, alpha) in column.chunks_exact_mut(stride).zip(alpha) {
            part[at] += alpha;
        }
    }
}
