//! Inverses of matrices of few unknowns.

use super::cofactors;
use super::lanes::{add_multiple, entry, magnitude, measure, scaled_sizes};
use crate::linalg::lu::parts::{Parts, product, reciprocal};
use crate::linalg::lu::{INVERTIBLE, MOST_GROWTH};
use pulp::Simd;

/// A pivot on the diagonal is good enough if it is this part of the largest one: then nothing changes places.
const PREFERRED: f64 = 0.1;

/// In larger matrices many such pivots would hide how little the last one is.
const MOST_PREFERRED: usize = 8;

/// A square matrix and its inverse, by columns padded with zeros, the parts of a column one after the other.
///
/// Rows stay in place, whichever has the pivot: moving numbers one by one within vectors would let the next vectors wait.
pub(super) struct Inverse<const P: usize> {
    size: usize,
    /// The matrix, then what becomes of it.
    columns: Vec<f64>,
    inverse: Vec<f64>,
    /// Which row has the pivot of each column.
    source: Vec<usize>,
    /// Zero, one, two: the row that each lane of a column belongs to.
    row: Vec<f64>,
    /// Inverse sizes of the rows that have no pivot yet, zero for the others, and the sizes of columns when rows are of unit size.
    scale: Vec<f64>,
    column_size: Vec<f64>,
    /// For a column.
    sizes: Vec<f64>,
    multipliers: Vec<f64>,
}

impl<const P: usize> Inverse<P> {
    /// Memory for matrices of this size with columns of this length.
    pub fn new(size: usize, stride: usize) -> Self {
        let lanes = || vec![0.0; stride];
        Self {
            size,
            columns: vec![0.0; size * P * stride],
            inverse: vec![0.0; size * P * stride],
            source: vec![0; size],
            row: (0..stride).map(|row| row as f64).collect(),
            scale: lanes(),
            column_size: vec![0.0; size],
            sizes: lanes(),
            multipliers: vec![0.0; P * stride],
        }
    }

    /// Whether there is no matrix.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// The matrix, to be overwritten before it is inverted.
    pub fn columns(&mut self) -> &mut [f64] {
        &mut self.columns
    }

    /// Takes a matrix of at most three rows, which stays in registers, and inverts it; false if its determinant is below the part
    /// `doubtful` of the products that it is summed from.
    #[inline(always)]
    pub fn invert_few<const N: usize>(&mut self, rows: &[[Parts<P>; N]; N], doubtful: f64) -> bool {
        let Some(inverse) = cofactors::inverse(rows, doubtful) else {
            return false;
        };
        let out = &mut self.inverse[..N * N * P];
        for (i, row) in inverse.iter().enumerate() {
            for (j, number) in row.iter().enumerate() {
                for (part, value) in number.iter().enumerate() {
                    out[(j * P + part) * N + i] = *value;
                }
            }
        }
        true
    }

    /// Overwrites `b` by the product with the inverse.
    #[inline(always)]
    pub fn multiply<S: Simd>(&mut self, simd: S, stride: usize, b: &mut [&mut [f64]; P]) {
        let size = self.size;
        for at in 0..stride / S::F64_LANES {
            let known = b.each_ref().map(|b| &b[..size]);
            let product = combination(simd, stride, &self.inverse, &known, at);
            for (out, product) in self.multipliers.chunks_exact_mut(stride).zip(product) {
                S::as_mut_simd_f64s(out).0[at] = product;
            }
        }
        for (b, product) in b.iter_mut().zip(self.multipliers.chunks_exact(stride)) {
            // Whole columns where there is room: their length is known.
            if b.len() >= stride {
                b[..stride].copy_from_slice(&product[..stride]);
            } else {
                b[..size].copy_from_slice(&product[..size]);
            }
        }
    }

    /// Vector number `at` of the product of the inverse with `x`, as [`combination`].
    #[inline(always)]
    pub fn product<S: Simd>(
        &self,
        simd: S,
        stride: usize,
        x: &[&[f64]; P],
        at: usize,
    ) -> [S::f64s; P] {
        combination(simd, stride, &self.inverse, x, at)
    }

    /// The product of the inverse of a matrix of at most three rows with numbers, part by part.
    #[inline(always)]
    pub fn multiply_few<const N: usize>(&self, b: [[f64; N]; P]) -> [[f64; N]; P] {
        let inverse = &self.inverse[..N * N * P];
        let mut x = [[0.0; N]; P];
        for j in 0..N {
            let mut known = [0.0; P];
            for (known, b) in known.iter_mut().zip(&b) {
                *known = b[j];
            }
            for i in 0..N {
                let mut number = [0.0; P];
                for (part, number) in number.iter_mut().enumerate() {
                    *number = inverse[(j * P + part) * N + i];
                }
                for (x, term) in x.iter_mut().zip(product(number, known)) {
                    x[i] += term;
                }
            }
        }
        x
    }

    /// Inverts the matrix, which is lost; false if a pivot is below the part `doubtful` of its column, rows and columns of unit size, if
    /// rows without a pivot grow much, or something is not finite.
    #[inline(always)]
    pub fn invert<S: Simd>(&mut self, simd: S, stride: usize, doubtful: f64) -> bool {
        let size = self.size;
        let columns = &mut self.columns[..size * P * stride];
        let sizes = (
            &mut self.scale[..],
            &mut self.column_size[..],
            &mut self.sizes[..],
        );
        if !measure::<S, P>(simd, (size, stride), columns, sizes) {
            return false;
        }
        let preferred = if size <= MOST_PREFERRED {
            PREFERRED
        } else {
            1.0
        };
        let multipliers = &mut self.multipliers[..P * stride];
        let (sizes, scale) = (&mut self.sizes[..stride], &mut self.scale[..stride]);
        let mut in_order = true;
        for k in 0..size {
            let column = &columns[k * P * stride..][..P * stride];
            let largest = scaled_sizes::<S, P>(simd, stride, column, (scale, sizes));
            let pivot_row = if sizes[k] >= preferred * largest {
                k
            } else {
                place_of_largest(&sizes[..size])
            };
            let column_size = self.column_size[k];
            let pivot: Parts<P> = entry(column, stride, pivot_row);
            // Written so that NaN counts as doubtful.
            let safe = sizes[pivot_row] > doubtful * column_size
                && largest <= MOST_GROWTH * column_size
                && INVERTIBLE.contains(&magnitude(pivot));
            if !safe {
                return false;
            }
            self.source[k] = pivot_row;
            in_order &= pivot_row == k;
            scale[pivot_row] = 0.0;
            let own = Lane {
                row: &self.row[..stride],
                number: pivot_row as f64,
            };
            let inverse = reciprocal(pivot);
            let own_parts = |part: usize| &column[part * stride..][..stride];
            add_multiple(simd, stride, multipliers, (own_parts, inverse), false);
            let (before, rest) = columns.split_at_mut(k * P * stride);
            let (column, after) = rest.split_at_mut(P * stride);
            // One behind the other: an iterator over both would look each time which of them goes on.
            for others in [before, after] {
                for other in others.chunks_exact_mut(P * stride) {
                    let factor = entry::<P>(other, stride, pivot_row);
                    own.eliminate(simd, stride, other, multipliers, (factor, inverse));
                }
            }
            own.replace(simd, stride, column, multipliers, inverse);
        }
        if in_order {
            std::mem::swap(&mut self.columns, &mut self.inverse);
        } else {
            self.arrange(stride);
        }
        let zero = simd.splat_f64s(0.0);
        let mut zeros = zero;
        for &number in S::as_simd_f64s(&self.inverse).0 {
            zeros = simd.add_f64s(zeros, simd.mul_f64s(zero, number));
        }
        !simd.reduce_sum_f64s(zeros).is_nan()
    }

    /// Rows and columns of the inverse in the order of the unknowns and equations.
    #[inline(always)]
    fn arrange(&mut self, stride: usize) {
        let source = &self.source[..self.size];
        for (column, &equation) in self.columns.chunks_exact(P * stride).zip(source) {
            let out = &mut self.inverse[equation * P * stride..][..P * stride];
            let parts = out
                .chunks_exact_mut(stride)
                .zip(column.chunks_exact(stride));
            for (out, part) in parts {
                let (rows, padding) = out.split_at_mut(source.len());
                for (slot, &row) in rows.iter_mut().zip(source) {
                    *slot = part[row];
                }
                padding.fill(0.0);
            }
        }
    }
}

fn place_of_largest(sizes: &[f64]) -> usize {
    let (mut place, mut largest) = (0, -1.0);
    for (at, &size) in sizes.iter().enumerate() {
        if size > largest {
            (place, largest) = (at, size);
        }
    }
    place
}

/// The lane of a row, in columns.
struct Lane<'a> {
    row: &'a [f64],
    number: f64,
}

impl Lane<'_> {
    /// Takes a multiple of the pivot row out of the other rows of a column, and divides its own number by the pivot.
    #[inline(always)]
    fn eliminate<S: Simd, const P: usize>(
        &self,
        simd: S,
        stride: usize,
        column: &mut [f64],
        multipliers: &[f64],
        (factor, inverse): (Parts<P>, Parts<P>),
    ) {
        let own = product(factor, inverse);
        let number = simd.splat_f64s(self.number);
        let (y, y_imaginary) = column[..P * stride].split_at_mut(stride);
        let (real, imaginary) = multipliers[..P * stride].split_at(stride);
        let rows = S::as_simd_f64s(self.row).0;
        let numbers = S::as_mut_simd_f64s(y).0.iter_mut().zip(rows);
        let real = S::as_simd_f64s(real).0;
        match (&factor[..], &own[..]) {
            (&[x, x_imaginary], &[own, own_imaginary]) => {
                let (x, xi) = (simd.splat_f64s(x), simd.splat_f64s(x_imaginary));
                let (own, own_imaginary) = (simd.splat_f64s(own), simd.splat_f64s(own_imaginary));
                let factors = real.iter().zip(S::as_simd_f64s(imaginary).0);
                let imaginary = S::as_mut_simd_f64s(y_imaginary).0.iter_mut();
                for (((y, row), yi), (&a, &ai)) in numbers.zip(imaginary).zip(factors) {
                    let change = simd.sub_f64s(simd.mul_f64s(a, x), simd.mul_f64s(ai, xi));
                    let turned = simd.add_f64s(simd.mul_f64s(a, xi), simd.mul_f64s(ai, x));
                    let is_own = simd.equal_f64s(*row, number);
                    *y = simd.select_f64s(is_own, own, simd.sub_f64s(*y, change));
                    *yi = simd.select_f64s(is_own, own_imaginary, simd.sub_f64s(*yi, turned));
                }
            }
            (x, own) => {
                let (x, own) = (simd.splat_f64s(x[0]), simd.splat_f64s(own[0]));
                for ((y, row), &a) in numbers.zip(real) {
                    let is_own = simd.equal_f64s(*row, number);
                    let rest = simd.sub_f64s(*y, simd.mul_f64s(a, x));
                    *y = simd.select_f64s(is_own, own, rest);
                }
            }
        }
    }

    /// What stands in the column of the pivot: that of the inverse.
    #[inline(always)]
    fn replace<S: Simd, const P: usize>(
        &self,
        simd: S,
        stride: usize,
        column: &mut [f64],
        multipliers: &[f64],
        inverse: Parts<P>,
    ) {
        let number = simd.splat_f64s(self.number);
        let rows = S::as_simd_f64s(self.row).0;
        let parts = column
            .chunks_exact_mut(stride)
            .zip(multipliers.chunks_exact(stride));
        for ((part, multipliers), own) in parts.zip(inverse) {
            let own = simd.splat_f64s(own);
            let multipliers = S::as_simd_f64s(multipliers).0;
            let slots = S::as_mut_simd_f64s(part).0.iter_mut();
            for ((slot, row), &multiplier) in slots.zip(rows).zip(multipliers) {
                let is_own = simd.equal_f64s(*row, number);
                *slot = simd.select_f64s(is_own, own, simd.neg_f64s(multiplier));
            }
        }
    }
}

/// Vector number `at` of the sum of columns times numbers.
#[inline(always)]
pub(super) fn combination<S: Simd, const P: usize>(
    simd: S,
    stride: usize,
    columns: &[f64],
    x: &[&[f64]; P],
    at: usize,
) -> [S::f64s; P] {
    let mut sums = [simd.splat_f64s(0.0); P];
    let columns = columns.chunks_exact(P * stride);
    match (&mut sums[..], &x[..]) {
        ([sum, sum_imaginary], [x, x_imaginary]) => {
            for ((column, &x), &xi) in columns.zip(*x).zip(*x_imaginary) {
                let (real, imaginary) = column.split_at(stride);
                let a = S::as_simd_f64s(real).0[at];
                let ai = S::as_simd_f64s(imaginary).0[at];
                let (x, xi) = (simd.splat_f64s(x), simd.splat_f64s(xi));
                let product = simd.sub_f64s(simd.mul_f64s(a, x), simd.mul_f64s(ai, xi));
                let turned = simd.add_f64s(simd.mul_f64s(a, xi), simd.mul_f64s(ai, x));
                *sum = simd.add_f64s(*sum, product);
                *sum_imaginary = simd.add_f64s(*sum_imaginary, turned);
            }
        }
        (sums, x) => {
            for (column, &x) in columns.zip(x[0]) {
                let a = S::as_simd_f64s(column).0[at];
                sums[0] = simd.add_f64s(sums[0], simd.mul_f64s(simd.splat_f64s(x), a));
            }
        }
    }
    sums
}
