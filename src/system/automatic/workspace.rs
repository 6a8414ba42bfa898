//! Memory for evaluations of a model with some scalar.

use crate::manifold::Manifold;
use crate::scalar::Scalar;
use crate::system::{Layout, Model, Point};

/// Directions differentiated in one sweep: wide enough for a rigid body, narrow enough for registers.
pub(in crate::system) const CHUNK: usize = 6;

/// Arguments and result of one evaluation with the scalar `S`.
pub(in crate::system) struct Workspace<S> {
    pub t: S,
    pub q: Vec<S>,
    pub v: Vec<S>,
    pub x: Vec<S>,
    pub z: Vec<S>,
    pub lambda: Vec<S>,
    pub displacement: Vec<S>,
    pub out: Vec<S>,
}

impl<S: Scalar> Workspace<S> {
    pub fn new(layout: &Layout) -> Self {
        let zero = S::constant(0.0);
        Self {
            t: zero,
            q: vec![zero; layout.space.coordinates()],
            v: vec![zero; layout.dimension()],
            x: vec![zero; layout.differential],
            z: vec![zero; layout.algebraic],
            lambda: vec![zero; layout.rows()],
            displacement: vec![zero; layout.dimension()],
            out: vec![zero; layout.rate_count().max(layout.rows())],
        }
    }

    pub fn load(&mut self, at: &Point) {
        self.t = S::constant(at.t);
        let copies = [
            (&mut self.q, at.q),
            (&mut self.v, at.v),
            (&mut self.x, at.x),
            (&mut self.z, at.z),
            (&mut self.lambda, at.lambda),
        ];
        for (target, source) in copies {
            for (to, &from) in target.iter_mut().zip(source) {
                *to = S::constant(from);
            }
        }
        self.displacement.fill(S::constant(0.0));
    }

    pub fn displace(&mut self, space: &Manifold, q: &[f64]) {
        space.displace(q, &self.displacement, &mut self.q);
    }

    /// The arguments as a point.
    pub fn point<'a>(&'a self, mode: &'a [i32]) -> Point<'a, S> {
        Point {
            t: self.t,
            q: &self.q,
            v: &self.v,
            x: &self.x,
            z: &self.z,
            lambda: &self.lambda,
            mode,
        }
    }

    /// The arguments as a point, beside the zeroed result.
    pub fn split<'a>(&'a mut self, mode: &'a [i32]) -> (Point<'a, S>, &'a mut [S]) {
        self.out.fill(S::constant(0.0));
        let point = Point {
            t: self.t,
            q: &self.q,
            v: &self.v,
            x: &self.x,
            z: &self.z,
            lambda: &self.lambda,
            mode,
        };
        (point, &mut self.out)
    }
}

pub(in crate::system) fn evaluate_rates<M: Model, S: Scalar>(
    model: &M,
    layout: &Layout,
    at: &Point<S>,
    out: &mut [S],
) {
    let (force, rest) = out.split_at_mut(layout.dimension());
    let (rate, residual) = rest.split_at_mut(layout.differential);
    model.force(at, force);
    model.differential_rate(at, rate);
    model.algebraic_residual(at, &mut residual[..layout.algebraic]);
}
