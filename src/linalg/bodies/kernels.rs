//! Products of small blocks whose sizes the compiler knows.

use crate::linalg::schur::{DOUBTFUL, SUSPICIOUS};

/// `aᵀ b`, in two lanes.
#[inline(always)]
pub(super) fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    let (pairs_of_a, rest_of_a) = a.as_chunks::<2>();
    let (pairs_of_b, rest_of_b) = b.as_chunks::<2>();
    let mut sums = [-0.0; 2];
    for (a, b) in pairs_of_a.iter().zip(pairs_of_b) {
        for lane in 0..2 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest = rest_of_a.iter().zip(rest_of_b).map(|(a, b)| a * b);
    rest.fold(sums[0] + sums[1], |sum, term| sum + term)
}

/// `aᵀ b`, and the sum of the sizes of its terms.
#[inline(always)]
pub(super) fn dot_and_size<const N: usize>(a: &[f64; N], b: &[f64; N]) -> (f64, f64) {
    let mut terms = *a;
    for (term, b) in terms.iter_mut().zip(b) {
        *term *= b;
    }
    let ones = [1.0; N];
    (dot(&terms, &ones), dot(&terms.map(f64::abs), &ones))
}

/// `sum + Σ x_k lines_k`, lane by lane.
#[inline(always)]
pub(super) fn plus_image<const W: usize, const N: usize>(
    mut sum: [f64; W],
    x: &[f64; N],
    lines: &[[f64; W]; N],
) -> [f64; W] {
    for k in 0..N {
        for lane in 0..W {
            sum[lane] += x[k] * lines[k][lane];
        }
    }
    sum
}

/// `aᵀ`.
#[inline(always)]
pub(super) fn transposed<const R: usize, const W: usize>(a: &[[f64; W]; R]) -> [[f64; W]; R] {
    let mut out = [[0.0; W]; R];
    for i in 0..R {
        for k in 0..R {
            out[k][i] = a[i][k];
        }
    }
    out
}

/// `a b`.
#[inline(always)]
pub(super) fn product<const R: usize, const W: usize>(
    a: &[[f64; W]; R],
    b: &[[f64; W]; R],
) -> [[f64; W]; R] {
    let mut out = [[-0.0; W]; R];
    for i in 0..R {
        for k in 0..R {
            for lane in 0..W {
                out[i][lane] += a[i][k] * b[k][lane];
            }
        }
    }
    out
}

/// `target -= a bᵀ`.
#[inline(always)]
pub(super) fn subtract_product<const R: usize, const W: usize>(
    target: &mut [[f64; W]; R],
    a: &[[f64; W]; R],
    b: &[[f64; W]; R],
) {
    let turned = transposed(b);
    for i in 0..R {
        for k in 0..R {
            for lane in 0..W {
                target[i][lane] -= a[i][k] * turned[k][lane];
            }
        }
    }
}

/// `y -= a x`.
#[inline(always)]
pub(super) fn subtract_image<const R: usize, const W: usize>(
    y: &mut [f64],
    a: &[[f64; W]; R],
    x: &[f64; W],
) {
    for (y, row) in y.iter_mut().zip(a) {
        *y -= dot(row, x);
    }
}

/// `y -= aᵀ x`.
#[inline(always)]
pub(super) fn subtract_transposed<const R: usize, const W: usize>(
    y: &mut [f64; W],
    a: &[[f64; W]; R],
    x: &[f64; R],
) {
    for k in 0..R {
        for lane in 0..W {
            y[lane] -= a[k][lane] * x[k];
        }
    }
}

/// Sets what is smaller than `tiny` to zero.
#[inline(always)]
pub(super) fn flush<const W: usize>(values: &mut [f64; W], tiny: f64) {
    for value in values {
        *value = if value.abs() < tiny { 0.0 } else { *value };
    }
}

/// Replaces a block that is symmetric positive definite, or nearly so, by its inverse, by elimination without
/// exchanges, and tells whether no pivot is suspicious beside what it is left of, which `whole` says for each; `None`
/// where one is doubtful. Lanes beyond the last row stay zero.
#[inline(always)]
pub(super) fn invert<const R: usize, const W: usize>(
    m: &mut [[f64; W]; R],
    whole: &[f64; W],
) -> Option<bool> {
    let mut regular = true;
    for k in 0..R {
        let pivot = m[k][k];
        // Written so that NaN is doubtful.
        if !(pivot > 0.0 && pivot > DOUBTFUL * whole[k] && whole[k] < f64::INFINITY) {
            return None;
        }
        regular &= pivot > SUSPICIOUS * whole[k];
        let inverse = 1.0 / pivot;
        m[k][k] = 1.0;
        for entry in &mut m[k] {
            *entry *= inverse;
        }
        let own = m[k];
        for (i, other) in m.iter_mut().enumerate() {
            if i == k {
                continue;
            }
            let factor = other[k];
            other[k] = -0.0;
            for lane in 0..W {
                other[lane] -= factor * own[lane];
            }
        }
    }
    Some(regular)
}
