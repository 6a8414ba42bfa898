//! The group of unit quaternions, four numbers, scalar first, with Hamilton's product `i j = k`.
//!
//! It covers the rotations twice; velocities are the same: `dp/dt = p (0, omega)/2` with the body
//! velocity `omega`, and `exp(u) = (cos(a/2), sin(a/2) u/a)`, `a = |u|`. The differential of the
//! exponential is therefore that of [`super::rotation`].

use std::ops::Mul;

use super::series::{arctangent_ratio, half_angle};
use super::vector::dot;
use crate::scalar::Scalar;

/// The unit quaternion one.
pub const IDENTITY: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// Hamilton's product `a b`; the first factor may be of plain numbers.
#[inline]
pub fn product<S: Scalar + Mul<Q, Output = S>, Q: Copy>(a: &[Q; 4], b: &[S; 4]) -> [S; 4] {
    [
        b[0] * a[0] - b[1] * a[1] - b[2] * a[2] - b[3] * a[3],
        b[1] * a[0] + b[0] * a[1] + b[3] * a[2] - b[2] * a[3],
        b[2] * a[0] - b[3] * a[1] + b[0] * a[2] + b[1] * a[3],
        b[3] * a[0] + b[2] * a[1] - b[1] * a[2] + b[0] * a[3],
    ]
}

/// The conjugate: the inverse of a unit quaternion.
#[inline]
pub fn conjugate<S: Scalar>(p: &[S; 4]) -> [S; 4] {
    [p[0], -p[1], -p[2], -p[3]]
}

/// The unit quaternion of the rotation by the vector `u`.
#[inline]
pub fn exp<S: Scalar>(u: &[S; 3]) -> [S; 4] {
    // (cos(a/2), sin(a/2) u/a).
    let (cos, ratio) = half_angle(dot(u, u));
    [cos, u[0] * ratio, u[1] * ratio, u[2] * ratio]
}

/// The rotation vector of a quaternion, the short way: of length at most pi.
///
/// `p` and `-p` are the same rotation and have the same logarithm. The length of `p` does not
/// matter, only its direction.
#[inline]
pub fn log<S: Scalar>(p: &[S; 4]) -> [S; 3] {
    let vector = [p[1], p[2], p[3]];
    let square = dot(&vector, &vector);
    let cos = p[0];
    // tan² of the half angle below 1/25: the series of `arctangent_ratio` reaches as far.
    let factor = if square.value() < 0.04 * cos.value() * cos.value() {
        // Smooth in the square, so derivatives are exact at angle zero. The sign of `cos` cancels
        // out: the vector is taken the short way.
        let inverse = cos.recip();
        arctangent_ratio(square * inverse * inverse) * inverse * 2.0
    } else {
        let sin = square.sqrt();
        // cos < 0: the negative quaternion, so that the angle stays below π.
        if cos.value() < 0.0 {
            -(sin.atan2(-cos) * 2.0 / sin)
        } else {
            sin.atan2(cos) * 2.0 / sin
        }
    };
    [vector[0] * factor, vector[1] * factor, vector[2] * factor]
}

/// The rotation matrix of a unit quaternion, row-major.
#[inline]
pub fn to_rotation<S: Scalar>(p: &[S; 4]) -> [S; 9] {
    let [w, x, y, z] = *p;
    let (dx, dy, dz) = (x * 2.0, y * 2.0, z * 2.0);
    [
        // 1 - 2 (y² + z²) and so on, with the doubled components.
        -(y * dy + z * dz) + 1.0,
        x * dy - w * dz,
        x * dz + w * dy,
        x * dy + w * dz,
        -(z * dz + x * dx) + 1.0,
        y * dz - w * dx,
        x * dz - w * dy,
        y * dz + w * dx,
        -(x * dx + y * dy) + 1.0,
    ]
}

/// A unit quaternion of a rotation matrix (row-major); its negative is the other one.
///
/// Divides by the largest of the four components (Shepperd, J. Guidance and Control 1, 1978),
/// so that it is accurate at every angle.
#[inline]
pub fn from_rotation<S: Scalar>(r: &[S; 9]) -> [S; 4] {
    let (xx, yy, zz) = (r[0], r[4], r[8]);
    // Named by the products of components that they are four times.
    let (wx, wy, wz) = (r[7] - r[5], r[2] - r[6], r[3] - r[1]);
    let (yz, zx, xy) = (r[7] + r[5], r[2] + r[6], r[3] + r[1]);
    let trace = xx + yy + zz;
    let (a, b, c) = (xx.value(), yy.value(), zz.value());
    // Twice the largest component, then the products with the others divided by it.
    if trace.value() >= a.max(b).max(c) {
        // (2 w)² = 1 + trace.
        let d = (trace + 1.0).sqrt();
        let s = (d * 2.0).recip();
        [d * 0.5, wx * s, wy * s, wz * s]
    } else if a >= b && a >= c {
        // (2 x)² = 1 + xx - yy - zz.
        let d = (xx - yy - zz + 1.0).sqrt();
        let s = (d * 2.0).recip();
        [wx * s, d * 0.5, xy * s, zx * s]
    } else if b >= c {
        let d = (yy - zz - xx + 1.0).sqrt();
        let s = (d * 2.0).recip();
        [wy * s, xy * s, d * 0.5, yz * s]
    } else {
        let d = (zz - xx - yy + 1.0).sqrt();
        let s = (d * 2.0).recip();
        [wz * s, zx * s, yz * s, d * 0.5]
    }
}

/// `| |p| - 1 |`; NaN if any entry is not finite.
pub fn defect(p: &[f64; 4]) -> f64 {
    if !p.iter().all(|x| x.is_finite()) {
        return f64::NAN;
    }
    (length(p) - 1.0).abs()
}

/// Scales a quaternion to length one. Zero and non-finite quaternions stay as they are.
pub fn normalize(p: &mut [f64; 4]) {
    let length = length(p);
    // Within rounding nothing is to gain, and the result would never settle.
    if (length - 1.0).abs() <= f64::EPSILON || !length.is_finite() || length == 0.0 {
        return;
    }
    for x in p {
        *x /= length;
    }
}

fn length(p: &[f64; 4]) -> f64 {
    // `hypot`: squares may over- or underflow.
    p[0].hypot(p[1]).hypot(p[2].hypot(p[3]))
}
