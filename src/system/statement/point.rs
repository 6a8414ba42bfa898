//! Where a system is evaluated: a moment, a configuration, velocities, further states and multipliers.

use crate::linalg::all_finite;
use crate::manifold::Manifold;
use serde::Serialize;

/// The arguments of every function of a system, borrowed.
///
/// Slices that a system does not use are empty. Lengths: `q` has the coordinates of the configuration space,
/// `v` its dimension, `x` the differential states, `z` the algebraic variables, `lambda` the constraint rows
/// (position rows first, then velocity rows), `mode` the discrete modes.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a, S = f64> {
    /// Time in s.
    pub t: S,
    /// Configuration, an element of the Lie group.
    pub q: &'a [S],
    /// Velocity, an element of the Lie algebra: q' = q · hat(v).
    pub v: &'a [S],
    /// Differential states beside the mechanics: E x' = d.
    pub x: &'a [S],
    /// Algebraic variables: 0 = a.
    pub z: &'a [S],
    /// Lagrange multipliers, M v' = f + Gᵀ λ. Only algebraic rows and outputs may depend on them.
    pub lambda: &'a [S],
    /// Discrete modes, changed by events only (stick or slip, the sign of a sliding velocity).
    pub mode: &'a [i32],
}

/// The state of a system at one moment, owned; what a step starts from and ends in.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct State {
    /// Time in s.
    pub t: f64,
    /// Configuration, see [`Point::q`].
    pub q: Vec<f64>,
    /// Velocity, see [`Point::v`].
    pub v: Vec<f64>,
    /// Differential states, see [`Point::x`].
    pub x: Vec<f64>,
    /// Algebraic variables, see [`Point::z`].
    pub z: Vec<f64>,
    /// Multipliers, see [`Point::lambda`].
    pub lambda: Vec<f64>,
    /// The rate v' of the velocity.
    pub acceleration: Vec<f64>,
    /// Discrete modes, see [`Point::mode`].
    pub mode: Vec<i32>,
}

impl State {
    /// A state of the given sizes: the identity of the group, at rest, everything else zero.
    pub fn new(space: &Manifold, rows: usize, differential: usize, algebraic: usize) -> Self {
        let mut q = vec![0.0; space.coordinates()];
        space.identity(&mut q);
        Self {
            t: 0.0,
            q,
            v: vec![0.0; space.dimension()],
            x: vec![0.0; differential],
            z: vec![0.0; algebraic],
            lambda: vec![0.0; rows],
            acceleration: vec![0.0; space.dimension()],
            mode: Vec::new(),
        }
    }

    /// The state as arguments of the system's functions.
    pub fn point(&self) -> Point<'_> {
        Point {
            t: self.t,
            q: &self.q,
            v: &self.v,
            x: &self.x,
            z: &self.z,
            lambda: &self.lambda,
            mode: &self.mode,
        }
    }

    /// Copies `other` into this state without allocating. The sizes must agree.
    pub fn copy_from(&mut self, other: &Self) {
        self.t = other.t;
        let parts = [
            (&mut self.q, &other.q),
            (&mut self.v, &other.v),
            (&mut self.x, &other.x),
            (&mut self.z, &other.z),
            (&mut self.lambda, &other.lambda),
            (&mut self.acceleration, &other.acceleration),
        ];
        for (own, other) in parts {
            copy_part(own, other);
        }
        copy_part(&mut self.mode, &other.mode);
    }

    /// Whether every number of the state is finite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        // Most states lack some parts.
        let finite = |part: &[f64]| part.is_empty() || all_finite(part);
        self.t.is_finite()
            && finite(&self.q)
            && finite(&self.v)
            && finite(&self.x)
            && finite(&self.z)
            && finite(&self.lambda)
            && finite(&self.acceleration)
    }
}

/// Fills a list with zeros: a short one without a call, which takes longer than the zeros.
#[inline]
pub(crate) fn clear(list: &mut [f64]) {
    fn known<const N: usize>(list: &mut [f64]) {
        if let Some(list) = list.first_chunk_mut::<N>() {
            *list = [0.0; N];
        }
    }
    /// The first numbers and the last ones, which may be the same.
    fn both_ends<const N: usize>(list: &mut [f64]) {
        known::<N>(list);
        if let Some(list) = list.last_chunk_mut::<N>() {
            *list = [0.0; N];
        }
    }
    match list.len() {
        0 => {}
        1 => known::<1>(list),
        2 => known::<2>(list),
        3 => known::<3>(list),
        4 => known::<4>(list),
        5 => known::<5>(list),
        6 => known::<6>(list),
        7 => known::<7>(list),
        8 => known::<8>(list),
        9..=16 => both_ends::<8>(list),
        17..=32 => both_ends::<16>(list),
        _ => list.fill(0.0),
    }
}

/// Copies a part of a state. Most states lack some of them: nothing is called for these.
pub(crate) fn copy_part<T: Copy>(to: &mut [T], from: &[T]) {
    if to.len() + from.len() > 0 {
        to.copy_from_slice(from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_any_length_are_cleared_whole() {
        for length in 0..40 {
            let mut list = vec![f64::NAN; length];
            clear(&mut list);
            assert_eq!(list, vec![0.0; length]);
        }
    }
}
