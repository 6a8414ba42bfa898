//! What goes along with the elimination of joints while their numbers are at hand: halves of solutions, displacements.

use super::factorization::{Companion, Rows};
use super::kernels::{dot, flush, subtract_image};
use super::mass::{InverseMass, VELOCITIES};
use super::plan::Plan;
use crate::linalg::elimination::TINY_UNKNOWN;
use std::ops::Range;

/// Leaves a joint of L y = b behind, whose blocks of later joints these are.
#[inline(always)]
pub(super) fn substitute_forward<const R: usize, const W: usize>(
    plan: &Plan,
    step: usize,
    links: Range<usize>,
    below: &[[[f64; W]; R]],
    y: &mut [f64],
) {
    let row = plan.joints[step].row as usize;
    let mut own = padded::<R, W>(y, row);
    flush(&mut own, TINY_UNKNOWN);
    y[row..row + R].copy_from_slice(&own[..R]);
    for (other, block) in plan.later[links.clone()].iter().zip(&below[links]) {
        subtract_image(&mut y[plan.rows_of(*other as usize, R)], block, &own);
    }
}

/// The first half of a solution: L y = c - C M⁻¹ f.
pub(super) struct Forward<'a> {
    pub f: Option<&'a [[f64; VELOCITIES]]>,
    pub c: &'a [f64],
    pub y: &'a mut [f64],
}

impl<const R: usize, const W: usize> Companion<R, W> for Forward<'_> {
    #[inline(always)]
    fn begin(&mut self, row: u32) {
        let rows = row as usize..row as usize + R;
        self.y[rows.clone()].copy_from_slice(&self.c[rows]);
    }

    #[inline(always)]
    fn visit(&mut self, row: u32, body: u32, rows: Rows<R>, mass: &InverseMass) {
        let Some(f) = self.f else { return };
        let mut x = [0.0; VELOCITIES];
        mass.apply(&f[body as usize], &mut x);
        for (missing, row) in self.y[row as usize..].iter_mut().zip(rows.right) {
            *missing -= dot(row, &x);
        }
    }

    #[inline(always)]
    fn leave(&mut self, plan: &Plan, step: usize, links: Range<usize>, below: &[[[f64; W]; R]]) {
        substitute_forward(plan, step, links, below, self.y);
    }
}

/// Where a step begins to look for its solution: bodies move by M⁻¹ Gᵀ times these impulses.
pub(super) struct Displacing<'a> {
    pub impulse: &'a [f64],
    pub x: &'a mut [[f64; VELOCITIES]],
}

impl<const R: usize, const W: usize> Companion<R, W> for Displacing<'_> {
    #[inline(always)]
    fn visit(&mut self, row: u32, body: u32, rows: Rows<R>, mass: &InverseMass) {
        let mut force = [0.0; VELOCITIES];
        for (y, row) in part::<R>(self.impulse, row as usize).iter().zip(rows.left) {
            for (force, entry) in force.iter_mut().zip(row) {
                *force += y * entry;
            }
        }
        let mut more = [0.0; VELOCITIES];
        mass.apply(&force, &mut more);
        for (x, more) in self.x[body as usize].iter_mut().zip(more) {
            *x += more;
        }
    }
}

/// Some numbers from here on.
#[inline(always)]
pub(super) fn part<const N: usize>(values: &[f64], first: usize) -> [f64; N] {
    let mut out = [0.0; N];
    out.copy_from_slice(&values[first..first + N]);
    out
}

/// As many numbers as a joint has rows, and zeros.
#[inline(always)]
fn padded<const R: usize, const W: usize>(values: &[f64], first: usize) -> [f64; W] {
    let mut out = [0.0; W];
    out[..R].copy_from_slice(&values[first..first + R]);
    out
}
