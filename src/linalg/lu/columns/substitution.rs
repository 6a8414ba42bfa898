//! Solutions with the factors of a matrix.

use super::Factors;
use super::lanes::{entry, subtract};
use crate::linalg::lu::parts::{Parts, product};
use pulp::Simd;

/// Triangular factors beside a right-hand side.
///
/// The next unknown is found by itself, before all equations have been changed: the vectors would let it wait twice as long.
pub(super) struct Substitution<'a, const P: usize> {
    lower: &'a [f64],
    upper: &'a [f64],
    inverse_pivot: &'a [Parts<P>],
    work: &'a mut [f64],
    /// What is left of the right-hand side of the next unknown.
    next: Parts<P>,
}

impl<const P: usize> Substitution<'_, P> {
    /// Takes what unknown `k`, not the last one, is out of the equations below.
    #[inline(always)]
    pub fn forward<S: Simd>(&mut self, simd: S, k: usize, stride: usize) {
        let column = &self.lower[k * P * stride..][..P * stride];
        self.eliminate(simd, stride, column, (self.next, k + 1));
    }

    /// Finds unknown `k` and takes it out of the equations above.
    #[inline(always)]
    pub fn backward<S: Simd>(
        &mut self,
        simd: S,
        (k, stride): (usize, usize),
        b: &mut [&mut [f64]; P],
    ) {
        let known = product(self.next, self.inverse_pivot[k]);
        for (b, value) in b.iter_mut().zip(known) {
            b[k] = value;
        }
        if k > 0 {
            let column = &self.upper[k * P * stride..][..P * stride];
            self.eliminate(simd, stride, column, (known, k - 1));
        }
    }

    #[inline(always)]
    fn eliminate<S: Simd>(
        &mut self,
        simd: S,
        stride: usize,
        column: &[f64],
        (known, next): (Parts<P>, usize),
    ) {
        let mut ahead: Parts<P> = entry(self.work, stride, next);
        let change = product(entry(column, stride, next), known);
        subtract_number(&mut ahead, change);
        subtract(simd, stride, self.work, column, known);
        self.next = ahead;
    }
}

impl<const P: usize> Factors<P> {
    /// The right-hand side in the order of the pivots.
    #[inline(always)]
    pub(super) fn begin<'a>(
        &'a mut self,
        (size, stride): (usize, usize),
        b: &[&mut [f64]; P],
    ) -> Substitution<'a, P> {
        let work = &mut self.work[..P * stride];
        for (work, b) in work.chunks_exact_mut(stride).zip(b) {
            let b = &b[..size];
            for (slot, &source) in work.iter_mut().zip(&self.source[..size]) {
                *slot = b[source];
            }
        }
        Substitution {
            lower: &self.lower[..size * P * stride],
            upper: &self.upper[..size * P * stride],
            inverse_pivot: &self.inverse_pivot[..size],
            next: entry(work, stride, 0),
            work,
        }
    }
}

#[inline(always)]
fn subtract_number<const P: usize>(number: &mut Parts<P>, change: Parts<P>) {
    for (number, change) in number.iter_mut().zip(change) {
        *number -= change;
    }
}
