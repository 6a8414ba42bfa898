//! The rotation group SO(3), as matrices of nine numbers in row-major order.
//!
//! Velocities are body-fixed: `dR/dt = R hat(omega)`. With `t = |u|^2` and the Stumpff functions
//! `c_1 = sin(a)/a`, `c_2 = (1 - cos(a))/a^2`, `c_3 = (a - sin(a))/a^3`, `a = |u|` (see e.g.
//! Iserles, Munthe-Kaas, Norsett, Zanna, Lie-group methods, Acta Numerica 2000):
//!
//! ```text
//! exp(u)           = 1 + c_1 hat(u) + c_2 hat(u)^2
//! dexp(u)          = 1 - c_2 hat(u) + c_3 hat(u)^2
//! dexp_inverse(u)  = 1 + 1/2 hat(u) + e hat(u)^2,   e = (1 - (a/2) cot(a/2))/a^2
//! ```

use super::quaternion;
use super::series::{inverse_coefficient, stumpff};
use super::vector::{cross, dot, negative, scaled, sum};
use crate::scalar::{Scalar, larger_or_nan};

/// The identity matrix.
pub const IDENTITY: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// A rotation matrix this close to orthogonal is as good as rounding allows.
const ROUNDING: f64 = 2e-15;

/// The skew matrix with `hat(u) x = u x x`, row-major.
#[inline]
pub fn hat<S: Scalar>(u: &[S; 3]) -> [S; 9] {
    let o = S::zero();
    [o, -u[2], u[1], u[2], o, -u[0], -u[1], u[0], o]
}

/// The vector of the skew part of a matrix: the inverse of [`hat`] on skew matrices.
#[inline]
pub fn vee<S: Scalar>(m: &[S; 9]) -> [S; 3] {
    [
        (m[7] - m[5]) * 0.5,
        (m[2] - m[6]) * 0.5,
        (m[3] - m[1]) * 0.5,
    ]
}

/// The rotation by the vector `u`, of angle `|u|`: Rodrigues' formula.
#[inline]
pub fn exp<S: Scalar>(u: &[S; 3]) -> [S; 9] {
    // 1 + c₁ û + c₂ û², with û² = u uᵀ - |u|² written out.
    let [c1, c2] = stumpff(dot(u, u));
    let [x, y, z] = *u;
    let (xx, yy, zz) = (c2 * x * x, c2 * y * y, c2 * z * z);
    let (xy, yz, zx) = (c2 * x * y, c2 * y * z, c2 * z * x);
    let (x, y, z) = (c1 * x, c1 * y, c1 * z);
    [
        -(yy + zz) + 1.0,
        xy - z,
        zx + y,
        xy + z,
        -(zz + xx) + 1.0,
        yz - x,
        zx - y,
        yz + x,
        -(xx + yy) + 1.0,
    ]
}

/// The rotation vector of a rotation matrix, of length at most pi.
///
/// Goes through the quaternion, which is accurate at every angle, also near zero and pi. At pi
/// itself the two possible vectors differ in sign and either may result.
#[inline]
pub fn log<S: Scalar>(r: &[S; 9]) -> [S; 3] {
    quaternion::log(&quaternion::from_rotation(r))
}

/// The body velocity of `exp(u(t))` when `du/dt = rate`.
#[inline]
pub fn dexp<S: Scalar>(u: &[S; 3], rate: &[S; 3]) -> [S; 3] {
    let [_, c2, c3] = stumpff(dot(u, u));
    // 1 - c₂ û + c₃ û².
    let once = cross(u, rate);
    let twice = cross(u, &once);
    sum(rate, &sum(&scaled(&once, -c2), &scaled(&twice, c3)))
}

/// The rate `du/dt` for which `exp(u(t))` has the body velocity `velocity`.
///
/// Singular where `|u|` is a nonzero multiple of 2 pi: there the exponential loses rank.
#[inline]
pub fn dexp_inverse<S: Scalar>(u: &[S; 3], velocity: &[S; 3]) -> [S; 3] {
    let e = inverse_coefficient(dot(u, u));
    // 1 + û/2 + e û².
    let once = cross(u, velocity);
    let twice = cross(u, &once);
    sum(
        velocity,
        &sum(&scaled(&once, S::constant(0.5)), &scaled(&twice, e)),
    )
}

/// `dexp(u)^T covector`. Since `hat(u)` is skew, this is `dexp(-u)`.
#[inline]
pub fn dexp_transpose<S: Scalar>(u: &[S; 3], covector: &[S; 3]) -> [S; 3] {
    dexp(&negative(u), covector)
}

/// `dexp(u)^-T covector`. Since `hat(u)` is skew, this is `dexp(-u)^-1`.
#[inline]
pub fn dexp_inverse_transpose<S: Scalar>(u: &[S; 3], covector: &[S; 3]) -> [S; 3] {
    dexp_inverse(&negative(u), covector)
}

/// `ad_a b = a x b`.
#[inline]
pub fn bracket<S: Scalar>(a: &[S; 3], b: &[S; 3]) -> [S; 3] {
    cross(a, b)
}

/// `ad_a^T covector = covector x a`.
#[inline]
pub fn bracket_transpose<S: Scalar>(a: &[S; 3], covector: &[S; 3]) -> [S; 3] {
    cross(covector, a)
}

/// The largest entry of `|R^T R - 1|`, or two (the distance between the halves of the orthogonal
/// group) for a reflection. NaN if any entry is not finite.
pub fn defect(r: &[f64; 9]) -> f64 {
    // `max` would lose NaN.
    if !r.iter().all(|x| x.is_finite()) {
        return f64::NAN;
    }
    let largest = largest(&gram_defect(r));
    // A reflection is orthogonal, too, but no rotation.
    if determinant(r) > 0.0 {
        largest
    } else {
        largest.max(2.0)
    }
}

/// The largest size of an entry; NaN stays.
fn largest(matrix: &[f64; 9]) -> f64 {
    matrix.iter().map(|x| x.abs()).fold(0.0, larger_or_nan)
}

/// Replaces a matrix by the nearest rotation, its orthogonal polar factor.
///
/// Newton's iteration for the polar decomposition (Higham, Functions of Matrices, 2008, chapter 8),
/// inverse-free once close: one or two steps for the drift of an integration, none if there is no
/// drift. Matrices that are not finite or of determinant zero or less have no nearest rotation
/// and stop the iteration; [`defect`] tells.
pub fn normalize(r: &mut [f64; 9]) {
    // Newton's iteration halves large singular values and then converges quadratically: the bound
    // only ends hopeless cases.
    for _ in 0..100 {
        // Most matrices are orthogonal: that costs no branch for each number, and a reflection stays what it is.
        let defect = largest(&gram_defect(r));
        if defect <= ROUNDING {
            return;
        }
        let determinant = determinant(r);
        // Written so that NaN stops the iteration.
        if !(determinant > 0.0 && defect < f64::INFINITY) {
            return;
        }
        // Close by, Schulz' step converges quadratically without an inverse; far off it may diverge.
        let improved = if defect < 0.1 {
            schulz_step(r)
        } else {
            // Newton: (R + R⁻ᵀ)/2, R⁻ᵀ = cofactors / determinant.
            let cofactors = cofactors(r);
            std::array::from_fn(|k| 0.5 * (r[k] + cofactors[k] / determinant))
        };
        // Rounding may keep the last digit from settling.
        if defect < 1e-13 {
            *r = improved;
            return;
        }
        *r = improved;
    }
}

/// `R + R (1 - R^T R)/2`.
fn schulz_step(r: &[f64; 9]) -> [f64; 9] {
    let excess = gram_defect(r);
    let correction = super::vector::product(r, &excess);
    std::array::from_fn(|k| r[k] - 0.5 * correction[k])
}

/// `R^T R - 1`.
fn gram_defect(r: &[f64; 9]) -> [f64; 9] {
    let gram = super::vector::transposed_product(r, r);
    std::array::from_fn(|k| gram[k] - IDENTITY[k])
}

/// The matrix of cofactors: the inverse transposed times the determinant.
fn cofactors(r: &[f64; 9]) -> [f64; 9] {
    let rows = [[r[0], r[1], r[2]], [r[3], r[4], r[5]], [r[6], r[7], r[8]]];
    let x = cross(&rows[1], &rows[2]);
    let y = cross(&rows[2], &rows[0]);
    let z = cross(&rows[0], &rows[1]);
    [x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]]
}

fn determinant(r: &[f64; 9]) -> f64 {
    let c = cofactors(r);
    r[0] * c[0] + r[1] * c[1] + r[2] * c[2]
}
