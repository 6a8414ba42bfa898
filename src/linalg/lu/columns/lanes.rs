//! Vectorized operations on a column of real or complex numbers.

use crate::linalg::lu::parts::Parts;
use pulp::Simd;
use std::ops::{Deref, Range};

/// A part of each list. (In long functions `map` of an array would become a call.)
#[inline(always)]
pub(crate) fn slices<const P: usize>(
    lists: &[impl Deref<Target = [f64]>; P],
    range: Range<usize>,
) -> [&[f64]; P] {
    let mut slices: [&[f64]; P] = [&[]; P];
    for (slice, list) in slices.iter_mut().zip(lists) {
        let whole: &[f64] = list;
        *slice = &whole[range.clone()];
    }
    slices
}

/// The size of a number, as [`Number::size`](crate::linalg::Number::size).
#[inline(always)]
pub(super) fn magnitude<const P: usize>(number: Parts<P>) -> f64 {
    let mut sum = 0.0;
    for part in number {
        sum += part.abs();
    }
    sum
}

/// The number in a row of a column.
#[inline(always)]
pub(super) fn entry<const P: usize>(column: &[f64], stride: usize, row: usize) -> Parts<P> {
    let mut parts = [0.0; P];
    for (part, values) in parts.iter_mut().zip(column.chunks_exact(stride)) {
        *part = values[row];
    }
    parts
}

/// Sizes of the numbers of a column, as [`Number::size`](crate::linalg::Number::size).
#[inline(always)]
pub(super) fn measure_column<S: Simd, const P: usize>(
    simd: S,
    stride: usize,
    column: &[f64],
    sizes: &mut [f64],
) {
    let sizes = S::as_mut_simd_f64s(&mut sizes[..stride]).0;
    for (part, values) in column.chunks_exact(stride).enumerate() {
        let values = S::as_simd_f64s(values).0;
        for (slot, &value) in sizes.iter_mut().zip(values) {
            let size = simd.abs_f64s(value);
            *slot = if part == 0 {
                size
            } else {
                simd.add_f64s(*slot, size)
            };
        }
    }
}

/// Sizes of the numbers of a column, rows scaled, and the largest of them; NaN if one is not finite.
#[inline(always)]
pub(super) fn scaled_sizes<S: Simd, const P: usize>(
    simd: S,
    stride: usize,
    column: &[f64],
    (scale, sizes): (&[f64], &mut [f64]),
) -> f64 {
    measure_column::<S, P>(simd, stride, column, sizes);
    let zero = simd.splat_f64s(0.0);
    let (mut largest, mut zeros) = (zero, zero);
    let sizes = S::as_mut_simd_f64s(&mut sizes[..stride]).0.iter_mut();
    for (size, &scale) in sizes.zip(S::as_simd_f64s(&scale[..stride]).0) {
        *size = simd.mul_f64s(*size, scale);
        largest = simd.max_f64s(largest, *size);
        zeros = simd.add_f64s(zeros, simd.mul_f64s(zero, *size));
    }
    // What is not finite makes zeros NaN, whatever the maximum does with it.
    simd.reduce_max_f64s(largest) + simd.reduce_sum_f64s(zeros)
}

/// `y -= column x`, with the roundings of the numbers' own products.
#[inline(always)]
pub(super) fn subtract<S: Simd, const P: usize>(
    simd: S,
    stride: usize,
    y: &mut [f64],
    column: &[f64],
    x: Parts<P>,
) {
    let (y, y_imaginary) = y[..P * stride].split_at_mut(stride);
    let (real, imaginary) = column[..P * stride].split_at(stride);
    let y = S::as_mut_simd_f64s(y).0;
    let real = S::as_simd_f64s(real).0;
    match x[..] {
        [x, x_imaginary] => {
            let (x, xi) = (simd.splat_f64s(x), simd.splat_f64s(x_imaginary));
            let y_imaginary = S::as_mut_simd_f64s(y_imaginary).0;
            let numbers = real.iter().zip(S::as_simd_f64s(imaginary).0);
            for ((y, yi), (&a, &ai)) in y.iter_mut().zip(y_imaginary).zip(numbers) {
                let change = simd.sub_f64s(simd.mul_f64s(a, x), simd.mul_f64s(ai, xi));
                let turned = simd.add_f64s(simd.mul_f64s(a, xi), simd.mul_f64s(ai, x));
                *y = simd.sub_f64s(*y, change);
                *yi = simd.sub_f64s(*yi, turned);
            }
        }
        _ => {
            let x = simd.splat_f64s(x[0]);
            for (y, &a) in y.iter_mut().zip(real) {
                *y = simd.sub_f64s(*y, simd.mul_f64s(a, x));
            }
        }
    }
}

/// Bits that select lanes of a column: those above a row, and those below it.
///
/// Selected by comparison, numbers that are replaced by zero would be written under a mask by the compiler, which takes some processors ten
/// times as long as a whole vector.
pub(super) struct LaneMasks {
    /// All bits, none, and all bits again, as many numbers each as a column has.
    bits: Vec<f64>,
}

impl LaneMasks {
    pub fn new(stride: usize) -> Self {
        let part = |bits| std::iter::repeat_n(f64::from_bits(bits), stride);
        Self {
            bits: part(u64::MAX)
                .chain(part(0))
                .chain(part(u64::MAX))
                .collect(),
        }
    }

    #[inline(always)]
    fn above(&self, row: usize, stride: usize) -> &[f64] {
        &self.bits[stride - row..][..stride]
    }

    #[inline(always)]
    fn below(&self, row: usize, stride: usize) -> &[f64] {
        &self.bits[2 * stride - 1 - row..][..stride]
    }
}

/// Leaves in a column what is above row `k`, and makes multipliers of what is below.
#[inline(always)]
pub(super) fn split_column<S: Simd, const P: usize>(
    simd: S,
    (masks, k, stride): (&LaneMasks, usize, usize),
    column: &mut [f64],
    inverse: Parts<P>,
    multipliers: &mut [f64],
) {
    let above = S::as_simd_f64s(masks.above(k, stride)).0;
    let below = S::as_simd_f64s(masks.below(k, stride)).0;
    let masks = above.iter().zip(below);
    let (real, imaginary) = column[..P * stride].split_at_mut(stride);
    let (factor, factor_imaginary) = multipliers[..P * stride].split_at_mut(stride);
    let (real, factor) = (S::as_mut_simd_f64s(real).0, S::as_mut_simd_f64s(factor).0);
    match inverse[..] {
        [x, x_imaginary] => {
            let (x, xi) = (simd.splat_f64s(x), simd.splat_f64s(x_imaginary));
            let imaginary = S::as_mut_simd_f64s(imaginary).0.iter_mut();
            let factor_imaginary = S::as_mut_simd_f64s(factor_imaginary).0.iter_mut();
            let numbers = real.iter_mut().zip(imaginary);
            let factors = factor.iter_mut().zip(factor_imaginary);
            for (((a, ai), (f, fi)), (&above, &below)) in numbers.zip(factors).zip(masks) {
                let product = simd.sub_f64s(simd.mul_f64s(*a, x), simd.mul_f64s(*ai, xi));
                let turned = simd.add_f64s(simd.mul_f64s(*a, xi), simd.mul_f64s(*ai, x));
                *f = simd.and_f64s(below, product);
                *fi = simd.and_f64s(below, turned);
                *a = simd.and_f64s(above, *a);
                *ai = simd.and_f64s(above, *ai);
            }
        }
        _ => {
            let x = simd.splat_f64s(inverse[0]);
            for ((a, f), (&above, &below)) in real.iter_mut().zip(factor).zip(masks) {
                *f = simd.and_f64s(below, simd.mul_f64s(*a, x));
                *a = simd.and_f64s(above, *a);
            }
        }
    }
}

/// `out = column factor`, or plus what `out` has been.
#[inline(always)]
pub(super) fn add_multiple<'a, S: Simd, const P: usize>(
    simd: S,
    stride: usize,
    out: &mut [f64],
    (column, factor): (impl Fn(usize) -> &'a [f64], Parts<P>),
    added: bool,
) {
    let sum = |old, term| {
        if added {
            simd.add_f64s(old, term)
        } else {
            term
        }
    };
    let (out, out_imaginary) = out[..P * stride].split_at_mut(stride);
    let (out, real) = (
        S::as_mut_simd_f64s(out).0,
        S::as_simd_f64s(&column(0)[..stride]).0,
    );
    match factor[..] {
        [x, x_imaginary] => {
            let (x, xi) = (simd.splat_f64s(x), simd.splat_f64s(x_imaginary));
            let out_imaginary = S::as_mut_simd_f64s(out_imaginary).0;
            let imaginary = S::as_simd_f64s(&column(1)[..stride]).0;
            let numbers = real.iter().zip(imaginary);
            for ((out, out_imaginary), (&a, &ai)) in out.iter_mut().zip(out_imaginary).zip(numbers)
            {
                let product = simd.sub_f64s(simd.mul_f64s(a, x), simd.mul_f64s(ai, xi));
                let turned = simd.add_f64s(simd.mul_f64s(a, xi), simd.mul_f64s(ai, x));
                *out = sum(*out, product);
                *out_imaginary = sum(*out_imaginary, turned);
            }
        }
        _ => {
            let x = simd.splat_f64s(factor[0]);
            for (out, &a) in out.iter_mut().zip(real) {
                *out = sum(*out, simd.mul_f64s(a, x));
            }
        }
    }
}

/// Inverse sizes of the rows of a matrix, and sizes of its columns when rows are of unit size, into the first two lists; false if
/// something is not finite. The last list is for a column.
#[inline(always)]
pub(super) fn measure<S: Simd, const P: usize>(
    simd: S,
    (size, stride): (usize, usize),
    matrix: &[f64],
    (scale, column_size, sizes): (&mut [f64], &mut [f64], &mut [f64]),
) -> bool {
    let (scale, sizes) = (&mut scale[..stride], &mut sizes[..stride]);
    scale.fill(0.0);
    let zero = simd.splat_f64s(0.0);
    let mut zeros = zero;
    for column in matrix.chunks_exact(P * stride) {
        measure_column::<S, P>(simd, stride, column, sizes);
        let largest = S::as_mut_simd_f64s(scale).0;
        for (largest, &size) in largest.iter_mut().zip(S::as_simd_f64s(sizes).0) {
            *largest = simd.max_f64s(*largest, size);
            // NaN where something is not finite: comparisons alone would not see it everywhere.
            zeros = simd.add_f64s(zeros, simd.mul_f64s(zero, size));
        }
    }
    if simd.reduce_sum_f64s(zeros).is_nan() {
        return false;
    }
    // Lanes behind the last row are not measured.
    let (rows, padding) = scale.split_at_mut(size);
    for row in rows {
        *row = 1.0 / *row;
    }
    padding.fill(0.0);
    for (column, slot) in matrix.chunks_exact(P * stride).zip(column_size) {
        *slot = scaled_sizes::<S, P>(simd, stride, column, (scale, sizes));
    }
    true
}

/// The first numbers of a list, by value: lists that are written may be lists that are read, for all the compiler knows.
#[inline(always)]
pub(super) fn read<const N: usize>(list: &[f64]) -> [f64; N] {
    let mut numbers = [0.0; N];
    numbers.copy_from_slice(&list[..N]);
    numbers
}
