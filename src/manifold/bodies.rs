//! Rigid bodies: R³ and SO(3) in turn, in long lists.

use super::rotation;
use super::vector::{part, product, store};
use crate::memory::{AHEAD, fetch};
use crate::scalar::Scalar;
use std::ops::{Add, Mul, Range};

/// Coordinates and dimension of a rigid body, of which the first three are its place.
pub(super) const BODY: (usize, usize) = (12, 6);

/// Bodies are moved so many at a time, counted in velocities. All that a sweep reads of them stays in the first-level
/// cache. What it reads of the next ones is asked for at once, and comes while these are moved.
pub(crate) const PART: usize = AHEAD * BODY.1;

/// Moves the bodies with these velocities by their increments; q and `out` are those of all bodies. Where these are now.
pub(crate) fn move_part<'a>(
    own: Range<usize>,
    q: &[f64],
    u: &[f64],
    out: &'a mut [f64],
) -> &'a [f64] {
    debug_assert_eq!(u.len(), own.len());
    let [first, end] = [own.start, own.end].map(|velocity| velocity / BODY.1 * BODY.0);
    let out = &mut out[first..];
    move_bodies(&q[first..], u, out);
    &out[..end - first]
}

/// [`Manifold::retract`](super::Manifold::retract) for rigid bodies: as many as there are increments.
#[inline]
pub(super) fn move_bodies<S, Q: Copy>(q: &[Q], u: &[S], out: &mut [S])
where
    S: Scalar + Add<Q, Output = S> + Mul<Q, Output = S>,
{
    let (q, _) = q.as_chunks::<{ BODY.0 }>();
    let (u, _) = u.as_chunks::<{ BODY.1 }>();
    let (out, _) = out.as_chunks_mut::<{ BODY.0 }>();
    for index in 0..out.len().min(q.len()).min(u.len()) {
        fetch(out, index + AHEAD, 1);
        fetch(q, index + AHEAD, 1);
        fetch(u, index + AHEAD, 1);
        let (out, q, u) = (&mut out[index], &q[index], &u[index]);
        let step = rotation::exp(&part(u, 3));
        store(out, 0, &[u[0] + q[0], u[1] + q[1], u[2] + q[2]]);
        store(out, 3, &product(&part(q, 3), &step));
    }
}

/// [`Manifold::dexp_inverse`](super::Manifold::dexp_inverse) for rigid bodies: as many as are given.
#[inline]
pub(crate) fn dexp_inverse<S: Scalar>(u: &[S], velocity: &[S], rate: &mut [S]) {
    debug_assert!(u.len() == velocity.len() && u.len() == rate.len());
    let (u, _) = u.as_chunks::<{ BODY.1 }>();
    let (velocity, _) = velocity.as_chunks::<{ BODY.1 }>();
    let (rate, _) = rate.as_chunks_mut::<{ BODY.1 }>();
    for ((rate, u), velocity) in rate.iter_mut().zip(u).zip(velocity) {
        let turning = rotation::dexp_inverse(&part(u, 3), &part(velocity, 3));
        *rate = *velocity;
        store(rate, 3, &turning);
    }
}

/// [`Manifold::normalize`](super::Manifold::normalize) of the bodies with these velocities.
pub(super) fn normalize_bodies(own: Range<usize>, q: &mut [f64]) {
    let (bodies, _) = q.as_chunks_mut::<{ BODY.0 }>();
    for index in own.start / BODY.1..own.end / BODY.1 {
        fetch(bodies, index + AHEAD, 1);
        if let Some(r) = bodies[index][3..].first_chunk_mut() {
            rotation::normalize(r);
        }
    }
}
