//! Vectors and matrices of three, as plain arrays.

use std::ops::Mul;

use crate::scalar::Scalar;

/// `a . b`.
#[inline]
pub(super) fn dot<S: Scalar>(a: &[S; 3], b: &[S; 3]) -> S {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a x b`.
#[inline]
pub(super) fn cross<S: Scalar>(a: &[S; 3], b: &[S; 3]) -> [S; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// `a + b`.
#[inline]
pub(super) fn sum<S: Scalar>(a: &[S; 3], b: &[S; 3]) -> [S; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a - b`.
#[inline]
pub(super) fn difference<S: Scalar>(a: &[S; 3], b: &[S; 3]) -> [S; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `-a`.
#[inline]
pub(super) fn negative<S: Scalar>(a: &[S; 3]) -> [S; 3] {
    [-a[0], -a[1], -a[2]]
}

/// `a s`.
#[inline]
pub(super) fn scaled<S: Scalar>(a: &[S; 3], s: S) -> [S; 3] {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// `m x` for a row-major matrix, whose entries may be plain numbers.
#[inline]
pub(super) fn transform<S: Scalar + Mul<Q, Output = S>, Q: Copy>(m: &[Q; 9], x: &[S; 3]) -> [S; 3] {
    std::array::from_fn(|i| x[0] * m[3 * i] + x[1] * m[3 * i + 1] + x[2] * m[3 * i + 2])
}

/// `m^T x` for a row-major matrix.
#[inline]
pub(super) fn transform_transposed<S: Scalar>(m: &[S; 9], x: &[S; 3]) -> [S; 3] {
    std::array::from_fn(|i| m[i] * x[0] + m[3 + i] * x[1] + m[6 + i] * x[2])
}

/// `a b` for row-major matrices, the first of which may be of plain numbers.
#[inline]
pub(super) fn product<S: Scalar + Mul<Q, Output = S>, Q: Copy>(a: &[Q; 9], b: &[S; 9]) -> [S; 9] {
    std::array::from_fn(|k| {
        let (row, column) = (3 * (k / 3), k % 3);
        b[column] * a[row] + b[3 + column] * a[row + 1] + b[6 + column] * a[row + 2]
    })
}

/// `a^T b` for row-major matrices.
#[inline]
pub(super) fn transposed_product<S: Scalar>(a: &[S; 9], b: &[S; 9]) -> [S; 9] {
    std::array::from_fn(|k| {
        let (row, column) = (k / 3, k % 3);
        a[row] * b[column] + a[3 + row] * b[3 + column] + a[6 + row] * b[6 + column]
    })
}

/// The `N` entries of `slice` from `offset` on.
#[inline]
pub(super) fn part<const N: usize, S: Copy>(slice: &[S], offset: usize) -> [S; N] {
    let slice = &slice[offset..offset + N];
    std::array::from_fn(|i| slice[i])
}

/// Overwrites the entries of `slice` from `offset` on.
#[inline]
pub(super) fn store<const N: usize, S: Copy>(slice: &mut [S], offset: usize, values: &[S; N]) {
    slice[offset..offset + N].copy_from_slice(values);
}
