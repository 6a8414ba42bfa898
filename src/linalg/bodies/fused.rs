//! Forward substitution, and displacements that are found with the elimination of joints, while its data are in cache.

use super::entries::{VELOCITIES, add_forces};
use super::factorization::Companion;
use super::kernels::{flush, subtract_image};
use super::mass::InverseMass;
use super::plan::Plan;
use super::{Displacement, blocks_of};
use crate::linalg::elimination::TINY_UNKNOWN;
use crate::memory::fetch;
use std::ops::Range;

/// Forward substitution for one joint of L y = b: subtracts its contributions from later joints, by these blocks.
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

/// Where a step begins to look for its solution.
pub(super) struct Displacing<'a> {
    pub step: Displacement<'a>,
    pub x: &'a mut [[f64; VELOCITIES]],
    /// Which bodies have been visited; none at first.
    pub visited: &'a mut [bool],
}

/// h v + h² M⁻¹ f: where a body goes that has no joints.
#[inline(always)]
pub(super) fn moved_freely(
    step: &Displacement,
    body: usize,
    mass: &InverseMass,
) -> [f64; VELOCITIES] {
    let h = step.h;
    let of_body = |list| -> [f64; VELOCITIES] { blocks_of(list)[body] };
    let (f, v) = (of_body(step.forces), of_body(step.velocity));
    let mut x = [0.0; VELOCITIES];
    mass.apply(&f.map(|f| h * h * f), &mut x);
    for (x, v) in x.iter_mut().zip(v) {
        *x += h * v;
    }
    x
}

impl<const N: usize, const R: usize> Companion<N, R> for Displacing<'_> {
    #[inline(always)]
    fn ask(&self, body: u32) {
        let body = body as usize;
        fetch(blocks_of::<VELOCITIES>(self.step.forces), body, 1);
        fetch(blocks_of::<VELOCITIES>(self.step.velocity), body, 1);
        fetch(self.x, body, 1);
    }

    #[inline(always)]
    fn visit(&mut self, row: u32, body: u32, rows: [&[f64; N]; R], mass: &InverseMass) {
        let body = body as usize;
        if !std::mem::replace(&mut self.visited[body], true) {
            self.x[body] = moved_freely(&self.step, body, mass);
        }
        let mut force = [0.0; VELOCITIES];
        let impulse = part::<R>(self.step.impulse, row as usize);
        add_forces(&mut force, rows, &impulse, |term| term);
        let mut more = [0.0; VELOCITIES];
        mass.apply(&force, &mut more);
        for (x, more) in self.x[body].iter_mut().zip(more) {
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
