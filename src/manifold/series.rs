//! The scalar functions of the squared angle behind exponentials and their differentials.
//!
//! The Stumpff functions `c_k(t) = sum_j (-t)^j / (2j + k)!` with `t = |u|^2` satisfy
//!
//! ```text
//! c_1 = sin(a)/a,  c_2 = (1 - cos(a))/a^2,  c_3 = (a - sin(a))/a^3,   a = sqrt(t)
//! c_k = 1/k! - t c_{k+2},                   d c_k/dt = (k c_{k+2} - c_{k+1})/2
//! ```
//!
//! (Stumpff, Himmelsmechanik I, 1959). As power series in the *squared* angle they are smooth at
//! zero, where the angle itself is not: derivative numbers stay exact there.

use crate::scalar::Scalar;

/// Below this squared angle the power series is used, above it the closed form. Large enough that
/// the closed forms, which divide differences by `t`, do not cancel, also when differentiated.
pub(super) const SERIES_LIMIT: f64 = 4.0;

/// `1/k!`.
const INVERSE_FACTORIAL: [f64; 40] = {
    let mut table = [1.0; 40];
    let mut factorial = 1.0;
    let mut k = 1;
    while k < 40 {
        factorial *= k as f64;
        table[k] = 1.0 / factorial;
        k += 1;
    }
    table
};

/// How many terms give double precision, also in the second derivative by `t`. Five terms make
/// derivatives at `t = |u|^2 = 0` exact up to order nine in `u`.
#[inline]
fn terms(t: f64) -> usize {
    if t < 1e-5 {
        5
    } else if t < 1e-2 {
        7
    } else if t < 0.3 {
        9
    } else {
        14
    }
}

/// The power series of `c_k`.
#[inline]
fn series<S: Scalar>(k: usize, t: S) -> S {
    // With the number of terms known to the compiler no loop is left.
    match terms(t.value()) {
        5 => horner::<5, S>(k, t),
        7 => horner::<7, S>(k, t),
        9 => horner::<9, S>(k, t),
        _ => horner::<14, S>(k, t),
    }
}

/// So many terms of the power series of `c_k`, by Horner's scheme.
#[inline(always)]
fn horner<const COUNT: usize, S: Scalar>(k: usize, t: S) -> S {
    let mut sum = S::constant(INVERSE_FACTORIAL[2 * (COUNT - 1) + k]);
    for j in (0..COUNT - 1).rev() {
        // Σ (-t)^j / (2j + k)!, from the smallest term up.
        sum = -(sum * t) + INVERSE_FACTORIAL[2 * j + k];
    }
    sum
}

/// `[c_1, ..., c_N]` at the squared angle `t`, for `2 <= N <= 8`.
#[inline]
pub(super) fn stumpff<const N: usize, S: Scalar>(t: S) -> [S; N] {
    if t.value() < SERIES_LIMIT {
        stumpff_series(t)
    } else {
        stumpff_closed(t)
    }
}

/// Series for the two highest functions, then the downward recurrence, which does not cancel.
#[inline]
pub(super) fn stumpff_series<const N: usize, S: Scalar>(t: S) -> [S; N] {
    let mut c = [S::zero(); N];
    c[N - 1] = series(N, t);
    c[N - 2] = series(N - 1, t);
    for k in (1..N - 1).rev() {
        // c_k = 1/k! - t c_{k+2}.
        c[k - 1] = -(t * c[k + 1]) + INVERSE_FACTORIAL[k];
    }
    c
}

/// Sine and cosine, then the upward recurrence.
#[inline]
pub(super) fn stumpff_closed<const N: usize, S: Scalar>(t: S) -> [S; N] {
    let angle = t.sqrt();
    // The half angle avoids the cancellation of `1 - cos` near whole turns.
    let (sin, cos) = (angle * 0.5).sin_cos();
    let mut c = [S::zero(); N];
    // c₁ = 2 sin(a/2) cos(a/2) / a, c₂ = 2 sin²(a/2) / a².
    c[0] = sin * cos * 2.0 / angle;
    c[1] = sin * sin * 2.0 / t;
    for k in 3..=N {
        // c_k = (1/(k-2)! - c_{k-2}) / t.
        c[k - 1] = (-c[k - 3] + INVERSE_FACTORIAL[k - 2]) / t;
    }
    c
}

/// `cos(a/2)` and `sin(a/2)/a` for `t = a^2`: the unit quaternion of a rotation by `a`.
#[inline]
pub(super) fn half_angle<S: Scalar>(t: S) -> (S, S) {
    let quarter = t * 0.25;
    if quarter.value() < SERIES_LIMIT {
        let [c1, c2] = stumpff_series(quarter);
        // cos(a/2) = 1 - t/4 c₂(t/4), sin(a/2)/a = c₁(t/4)/2.
        (-(quarter * c2) + 1.0, c1 * 0.5)
    } else {
        let angle = t.sqrt();
        let (sin, cos) = (angle * 0.5).sin_cos();
        (cos, sin / angle)
    }
}

/// The coefficient `e(t) = (1 - (a/2) cot(a/2))/a^2 = 1/12 + t/720 + ...` of the inverse
/// differential. Infinite at whole turns `a = 2 pi n`, `n > 0`.
#[inline]
pub(super) fn inverse_coefficient<S: Scalar>(t: S) -> S {
    if t.value() < SERIES_LIMIT {
        // (1 - (a/2) cot(a/2))/t = -c_2'/c_2, without the difference of nearly equal numbers.
        let [_, c2, c3, c4] = stumpff_series(t);
        (c3 * 0.5 - c4) / c2
    } else {
        let [c1, c2] = stumpff_closed(t);
        // (a/2) cot(a/2) = c₁/(2 c₂).
        (-(c1 * 0.5 / c2) + 1.0) / t
    }
}

/// `e(t)` of [`inverse_coefficient`] and its derivative by `t`.
#[inline]
pub(super) fn inverse_coefficient_and_slope<S: Scalar>(t: S) -> (S, S) {
    if t.value() < SERIES_LIMIT {
        let [_, c2, c3, c4, c5, c6] = stumpff_series(t);
        let e = (c3 * 0.5 - c4) / c2;
        // Quotient rule with c_3' - 2 c_4' = 5/2 c_5 - c_4/2 - 4 c_6 and c_2'/c_2 = -e.
        let slope = (c5 * 2.5 - c4 * 0.5 - c6 * 4.0) * 0.5 / c2 + e * e;
        (e, slope)
    } else {
        let [c1, c2] = stumpff_closed(t);
        let g = c1 * 0.5 / c2;
        let e = (-g + 1.0) / t;
        // e' = (g/2 + 1/(4 c₂) - 1)/t², g = (a/2) cot(a/2).
        let slope = (c2.recip() * 0.25 + g * 0.5 - 1.0) / (t * t);
        (e, slope)
    }
}

/// `atan(r)/r` as a function of `x = r^2`, for `0 <= x <= 1/25`.
#[inline]
pub(super) fn arctangent_ratio<S: Scalar>(x: S) -> S {
    // x ≤ 1/25: fifteen terms leave 1e-21.
    let count: i32 = if x.value() < 1e-6 { 5 } else { 15 };
    let mut sum = S::constant(1.0 / f64::from(2 * count - 1));
    for j in (0..count - 1).rev() {
        sum = -(sum * x) + 1.0 / f64::from(2 * j + 1);
    }
    sum
}
