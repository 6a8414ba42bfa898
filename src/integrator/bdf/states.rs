//! A correction of states whose rates stand alone, x' = d, of small systems: one piece behind the evaluation.

use crate::linalg::{AroundOne, One};
use pulp::Simd;

/// What it reads and writes: vectors of whole columns, zero behind the last unknown.
pub(super) struct Correction<'a> {
    /// F; becomes the correction (α - ∂F/∂y)⁻¹ (F - α y - c).
    pub correction: &'a mut [f64],
    pub y: &'a mut [f64],
    pub constant: &'a [f64],
    pub alpha: f64,
}

impl AroundOne<1> for Correction<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S, one: One<1>) {
        let length = one.stride;
        let correction = &mut self.correction[..length];
        let (y, constant) = (&mut self.y[..length], &self.constant[..length]);
        for at in 0..length {
            correction[at] -= self.alpha * y[at] + constant[at];
        }
        one.solve(simd, [&mut *correction]);
        for at in 0..length {
            y[at] += correction[at];
        }
    }
}
