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

    /// The solution for a right-hand side of very few numbers, part by part.
    #[inline(always)]
    pub(super) fn substitute_in_registers<const N: usize>(
        &self,
        b: [[f64; N]; P],
    ) -> [[f64; N]; P] {
        let (lower, upper) = (&self.lower[..N * P * N], &self.upper[..N * P * N]);
        let (source, inverse_pivot) = (&self.source[..N], &self.inverse_pivot[..N]);
        let mut x = [[0.0; P]; N];
        for (x, &source) in x.iter_mut().zip(source) {
            for (x, b) in x.iter_mut().zip(&b) {
                *x = b[source];
            }
        }
        for k in 0..N {
            let known = x[k];
            for (i, x) in x.iter_mut().enumerate().skip(k + 1) {
                subtract_number(x, product(entry(&lower[k * P * N..][..P * N], N, i), known));
            }
        }
        let mut solution = b;
        for k in (0..N).rev() {
            let known = product(x[k], inverse_pivot[k]);
            for (solution, known) in solution.iter_mut().zip(known) {
                solution[k] = known;
            }
            for (i, x) in x.iter_mut().enumerate().take(k) {
                subtract_number(x, product(entry(&upper[k * P * N..][..P * N], N, i), known));
            }
        }
        solution
    }
}

#[inline(always)]
fn subtract_number<const P: usize>(number: &mut Parts<P>, change: Parts<P>) {
    for (number, change) in number.iter_mut().zip(change) {
        *number -= change;
    }
}
