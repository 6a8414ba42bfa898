//! The vector space R^n: the exponential is the identity and velocities commute.

use std::ops::Add;

use crate::scalar::Scalar;

/// `out = q + u`; the base point may be of plain numbers. All of length n.
#[inline]
pub fn retract<S: Scalar + Add<Q, Output = S>, Q: Copy>(q: &[Q], u: &[S], out: &mut [S]) {
    for ((out, &q), &u) in out.iter_mut().zip(q).zip(u) {
        *out = u + q;
    }
}

/// `u = to - from`. All of length n.
#[inline]
pub fn lift<S: Scalar>(from: &[S], to: &[S], u: &mut [S]) {
    for ((u, &from), &to) in u.iter_mut().zip(from).zip(to) {
        *u = to - from;
    }
}
