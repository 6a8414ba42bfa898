//! The shear-deformable beam: strains of a line with a frame at each of its points, which the gradients r_y and r_z span.
//!
//! ```text
//! e₁ ~ r_y × r_z,   e₃ ~ r_z,   e₂ = e₃ × e₁;    a = e₂·r_y,   b = e₃·r_y,   c = |r_z|
//! Γ = (e₁·r' - 1, e₂·r', e₃·r')
//! κ = (-e₂·r_z'/c, e₁·r_z'/c, b e₁·r_z'/(a c) - e₁·r_y'/a)
//! E = ((r_y² - 1)/2, (r_z² - 1)/2, r_y·r_z)
//! ```
//!
//! κ is the rotation of the frame along the axis, in its own axes; displacements δr_y and δr_z turn it by δφ in the
//! same way. E are the changes of the section, which stay small.

use super::station::Strained;
use liedae::scalar::Scalar;
use nalgebra::Vector3;

/// The vectors r', r_y, r_z, r_y' and r_z'.
pub(super) const VECTORS: usize = 5;

/// Γ, κ and E.
pub(super) const STRAINS: usize = 9;

pub(super) struct Shear;

/// The frame of a section.
struct Frame<S: Scalar> {
    axes: [Vector3<S>; 3],
    a: S,
    b: S,
    c: S,
}

impl<S: Scalar> Frame<S> {
    fn new(along_y: &Vector3<S>, along_z: &Vector3<S>) -> Self {
        let c = along_z.dot(along_z).sqrt();
        let third = along_z * c.recip();
        let normal = along_y.cross(along_z);
        let first = normal * normal.dot(&normal).sqrt().recip();
        let second = third.cross(&first);
        Self {
            a: second.dot(along_y),
            b: third.dot(along_y),
            c,
            axes: [first, second, third],
        }
    }
}

impl Strained<VECTORS, STRAINS> for Shear {
    fn strains<S: Scalar>([line, y, z, y_rate, z_rate]: &[Vector3<S>; VECTORS]) -> [S; STRAINS] {
        let Frame { axes, a, b, c } = Frame::new(y, z);
        let [e1, e2, e3] = axes;
        let half = S::constant(0.5);
        [
            e1.dot(line) - S::one(),
            e2.dot(line),
            e3.dot(line),
            -e2.dot(z_rate) / c,
            e1.dot(z_rate) / c,
            e1.dot(z_rate) * b / (a * c) - e1.dot(y_rate) / a,
            (y.dot(y) - S::one()) * half,
            (z.dot(z) - S::one()) * half,
            y.dot(z),
        ]
    }

    fn pull<S: Scalar>(
        [line, y, z, y_rate, z_rate]: &[Vector3<S>; VECTORS],
        forces: &[S; STRAINS],
    ) -> [Vector3<S>; VECTORS] {
        let Frame { axes, a, b, c } = Frame::new(y, z);
        let [e1, e2, e3] = axes;
        let [n1, n2, n3, m1, m2, m3, p, r, s] = *forces;
        let (per_a, per_c) = (a.recip(), c.recip());
        let lean = b * per_a * per_c;
        let push = e1 * n1 + e2 * n2 + e3 * n3;
        // κ by r_y' and r_z' at a frame that stays.
        let on_y_rate = e1 * (-m3 * per_a);
        let on_z_rate = e2 * (-m1 * per_c) + e1 * (m2 * per_c + m3 * lean);
        // κ by a, b and c.
        let (u, v) = (e1.dot(z_rate), e1.dot(y_rate));
        let by_a = m3 * per_a * (v * per_a - u * lean);
        let by_b = m3 * u * per_a * per_c;
        let by_c = per_c * (m1 * e2.dot(z_rate) * per_c - m2 * u * per_c - m3 * u * lean);
        // What turning the frame does: e × δφ of each of its vectors, and a and b in which it turns against r_y.
        let turning = push.cross(line) + on_y_rate.cross(y_rate) + on_z_rate.cross(z_rate);
        let turning = [
            e1.dot(&turning) + by_a * b - by_b * a,
            e2.dot(&turning),
            e3.dot(&turning),
        ];
        let on_y = e1 * (-turning[2] * per_a) + e2 * by_a + e3 * by_b + y * p + z * s;
        let on_z = e2 * (-turning[0] * per_c)
            + e1 * (turning[1] * per_c + turning[2] * lean)
            + e3 * by_c
            + z * r
            + y * s;
        [push, on_y, on_z, on_y_rate, on_z_rate]
    }
}
