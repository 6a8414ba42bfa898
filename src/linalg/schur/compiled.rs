//! Kernels that are compiled for several processors, with vectors of their width.
//!
//! No product is fused with a sum, and no order of sums depends on the width: results are the same everywhere. (Closures would do, but are
//! not always compiled for the processor.)

use super::Job;
use super::measurement::Rows;
use super::structure::Structure;
use super::wide::Wide;
use pulp::{Simd, WithSimd};

/// Factorizes S.
pub(super) struct Complement<'a, const W: usize> {
    pub numbers: &'a mut Wide<W>,
    pub structure: &'a Structure,
}

impl<const W: usize> WithSimd for Complement<'_, W> {
    type Output = bool;
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        self.numbers.complement(simd, self.structure, None)
    }
}

/// Factorizes S and solves, and measures the rows of the solution.
pub(super) struct FirstSolution<'a, const W: usize> {
    pub numbers: &'a mut Wide<W>,
    pub structure: &'a Structure,
    pub job: Job<'a>,
    pub tolerance: f64,
}

impl<const W: usize> WithSimd for FirstSolution<'_, W> {
    type Output = Option<bool>;
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Option<bool> {
        let Self {
            numbers,
            structure,
            job: Job { rhs, x, y },
            tolerance,
        } = self;
        let job = Job { rhs, x: &mut *x, y };
        if !numbers.complement(simd, structure, Some(job)) {
            return None;
        }
        let rows = Rows {
            numbers,
            c: rhs.c,
            x,
            allowed: tolerance,
        };
        Some(rows.numbers.regular && rows.with_simd(simd))
    }
}

/// Solves by factors that are known.
pub(super) struct Solution<'a, const W: usize> {
    pub numbers: &'a mut Wide<W>,
    pub structure: &'a Structure,
    pub job: Job<'a>,
}

impl<const W: usize> WithSimd for Solution<'_, W> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        (self.numbers).solve_with_rows(simd, self.structure, self.job);
    }
}
