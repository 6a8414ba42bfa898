//! The group of rigid motions SE(3): position (3), then rotation matrix (9, row-major).
//!
//! Twists are `(v, omega)`, translation first, both in the body frame: `dp/dt = R v`,
//! `dR/dt = R hat(omega)`. Adjoint operators are block triangular,
//!
//! ```text
//! ad_(v, omega) = [hat(omega)  hat(v)   ]      f(ad) = [f(hat(omega))  D      ]
//!                 [0           hat(omega)]             [0      f(hat(omega))  ]
//! ```
//!
//! where `D` is the derivative of `f(hat(.))` at `omega` in the direction `v` (the principle of
//! transference: screws are rotations over the dual numbers). With `f` of the form
//! `1 + a hat + b(t) hat^2`, `t = |omega|^2`, the product rule gives all couplings.

use super::rotation;
use super::series::{inverse_coefficient_and_slope, stumpff};
use super::vector::{
    cross, difference, dot, negative, part, product, scaled, store, sum, transform,
    transform_transposed, transposed_product,
};
use crate::scalar::Scalar;
use std::ops::{Add, Mul};

/// The identity: position zero, no rotation.
pub const IDENTITY: [f64; 12] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// The motion `a` after `b`: `(p_a + R_a p_b, R_a R_b)`; the first may be of plain numbers.
#[inline]
pub fn compose<S, Q: Copy>(a: &[Q; 12], b: &[S; 12]) -> [S; 12]
where
    S: Scalar + Add<Q, Output = S> + Mul<Q, Output = S>,
{
    let turn: [Q; 9] = part(a, 3);
    let shift = transform(&turn, &part(b, 0));
    let position = std::array::from_fn(|i| shift[i] + a[i]);
    join(&position, &product(&turn, &part(b, 3)))
}

/// `a^-1 b = (R_a^T (p_b - p_a), R_a^T R_b)`.
#[inline]
pub fn relative<S: Scalar>(a: &[S; 12], b: &[S; 12]) -> [S; 12] {
    let turn: [S; 9] = part(a, 3);
    let shift = difference(&part(b, 0), &part(a, 0));
    join(
        &transform_transposed(&turn, &shift),
        &transposed_product(&turn, &part(b, 3)),
    )
}

/// The screw motion with the twist `u = (v, omega)`: position
/// `(1 + c_2 hat(omega) + c_3 hat(omega)^2) v`, rotation `exp(omega)`.
#[inline]
pub fn exp<S: Scalar>(u: &[S; 6]) -> [S; 12] {
    let (v, omega) = split(u);
    // The left differential of the rotation group is the right one of the inverse rotation.
    let position = rotation::dexp(&negative(&omega), &v);
    join(&position, &rotation::exp(&omega))
}

/// The twist of a rigid motion, of rotation angle at most pi.
#[inline]
pub fn log<S: Scalar>(q: &[S; 12]) -> [S; 6] {
    let omega = rotation::log(&part(q, 3));
    // Inverse of `exp`: v = dexp(-ω)⁻¹ p.
    let v = rotation::dexp_inverse(&negative(&omega), &part(q, 0));
    pair(&v, &omega)
}

/// The body twist of `exp(u(t))` when `du/dt = rate`.
#[inline]
pub fn dexp<S: Scalar>(u: &[S; 6], rate: &[S; 6]) -> [S; 6] {
    let (v, omega) = split(u);
    let (rate_v, rate_omega) = split(rate);
    let f = Differential::forward(&omega);
    pair(
        // [f(ω̂) D; 0 f(ω̂)] (v, ω).
        &sum(
            &f.apply(&omega, &rate_v),
            &f.couple(&v, &omega, &rate_omega),
        ),
        &f.apply(&omega, &rate_omega),
    )
}

/// The rate `du/dt` for which `exp(u(t))` has the body twist `velocity`.
///
/// Singular where the angle `|omega|` is a nonzero multiple of 2 pi.
#[inline]
pub fn dexp_inverse<S: Scalar>(u: &[S; 6], velocity: &[S; 6]) -> [S; 6] {
    let (v, omega) = split(u);
    let (velocity_v, velocity_omega) = split(velocity);
    let f = Differential::inverse(&omega);
    pair(
        &sum(
            &f.apply(&omega, &velocity_v),
            &f.couple(&v, &omega, &velocity_omega),
        ),
        &f.apply(&omega, &velocity_omega),
    )
}

/// `dexp(u)^T covector`.
#[inline]
pub fn dexp_transpose<S: Scalar>(u: &[S; 6], covector: &[S; 6]) -> [S; 6] {
    // Transposing the blocks is changing the sign of `u` in them, since hat matrices are skew.
    let (v, omega) = split(u);
    let (v, omega) = (negative(&v), negative(&omega));
    let (force, moment) = split(covector);
    let f = Differential::forward(&omega);
    pair(
        &f.apply(&omega, &force),
        // Transposed blocks: the coupling acts from force to moment.
        &sum(&f.couple(&v, &omega, &force), &f.apply(&omega, &moment)),
    )
}

/// `dexp(u)^-T covector`.
///
/// Exchanging translation and rotation turns `ad_u^T` into `-ad_u`, so every power series in `ad_u` is transposed by a
/// change of sign between two exchanges.
#[inline]
pub fn dexp_inverse_transpose<S: Scalar>(u: &[S; 6], covector: &[S; 6]) -> [S; 6] {
    let (v, omega) = split(u);
    let opposite = pair(&negative(&v), &negative(&omega));
    exchanged(&dexp_inverse(&opposite, &exchanged(covector)))
}

/// `(b, a)` for `(a, b)`.
#[inline]
fn exchanged<S: Scalar>(x: &[S; 6]) -> [S; 6] {
    let (a, b) = split(x);
    pair(&b, &a)
}

/// `ad_a b = (omega_a x v_b + v_a x omega_b, omega_a x omega_b)`.
#[inline]
pub fn bracket<S: Scalar>(a: &[S; 6], b: &[S; 6]) -> [S; 6] {
    let (v_a, omega_a) = split(a);
    let (v_b, omega_b) = split(b);
    pair(
        &sum(&cross(&omega_a, &v_b), &cross(&v_a, &omega_b)),
        &cross(&omega_a, &omega_b),
    )
}

/// `ad_a^T covector = (force x omega_a, force x v_a + moment x omega_a)`.
#[inline]
pub fn bracket_transpose<S: Scalar>(a: &[S; 6], covector: &[S; 6]) -> [S; 6] {
    let (v, omega) = split(a);
    let (force, moment) = split(covector);
    pair(
        &cross(&force, &omega),
        &sum(&cross(&force, &v), &cross(&moment, &omega)),
    )
}

/// The coefficients of `1 + a hat(omega) + b hat(omega)^2` and their derivatives by `|omega|^2`.
struct Differential<S> {
    a: S,
    b: S,
    a_slope: S,
    b_slope: S,
}

impl<S: Scalar> Differential<S> {
    /// `(1 - exp(-ad))/ad`.
    #[inline]
    fn forward(omega: &[S; 3]) -> Self {
        let [_, c2, c3, c4, c5] = stumpff(dot(omega, omega));
        Self {
            // 1 - c₂ ω̂ + c₃ ω̂².
            a: -c2,
            b: c3,
            // d(-c₂)/dt = c₃/2 - c₄, d c₃/dt = (3 c₅ - c₄)/2: the recurrence of `series`.
            a_slope: c3 * 0.5 - c4,
            b_slope: (c5 * 3.0 - c4) * 0.5,
        }
    }

    /// `ad/(1 - exp(-ad))`.
    #[inline]
    fn inverse(omega: &[S; 3]) -> Self {
        let (b, b_slope) = inverse_coefficient_and_slope(dot(omega, omega));
        Self {
            // 1 + ω̂/2 + e ω̂².
            a: S::constant(0.5),
            b,
            a_slope: S::zero(),
            b_slope,
        }
    }

    /// The diagonal block times `x`.
    #[inline]
    fn apply(&self, omega: &[S; 3], x: &[S; 3]) -> [S; 3] {
        let once = cross(omega, x);
        let twice = cross(omega, &once);
        sum(x, &sum(&scaled(&once, self.a), &scaled(&twice, self.b)))
    }

    /// The coupling block, the derivative of [`Self::apply`] by `omega` along `v`, times `x`.
    #[inline]
    fn couple(&self, v: &[S; 3], omega: &[S; 3], x: &[S; 3]) -> [S; 3] {
        // d|ω|²/dω along v is 2 ω·v.
        let growth = dot(omega, v) * 2.0;
        let moved = cross(v, x);
        let once = cross(omega, x);
        let twice = cross(omega, &once);
        // Product rule of ω̂²: ω̂ v̂ + v̂ ω̂.
        let mixed = sum(&cross(omega, &moved), &cross(v, &once));
        sum(
            &sum(&scaled(&moved, self.a), &scaled(&mixed, self.b)),
            &sum(
                &scaled(&once, growth * self.a_slope),
                &scaled(&twice, growth * self.b_slope),
            ),
        )
    }
}

/// Translational and rotational half of a twist.
#[inline]
fn split<S: Scalar>(u: &[S; 6]) -> ([S; 3], [S; 3]) {
    ([u[0], u[1], u[2]], [u[3], u[4], u[5]])
}

#[inline]
fn pair<S: Scalar>(v: &[S; 3], omega: &[S; 3]) -> [S; 6] {
    [v[0], v[1], v[2], omega[0], omega[1], omega[2]]
}

#[inline]
fn join<S: Scalar>(position: &[S; 3], turn: &[S; 9]) -> [S; 12] {
    let mut q = [S::zero(); 12];
    store(&mut q, 0, position);
    store(&mut q, 3, turn);
    q
}
