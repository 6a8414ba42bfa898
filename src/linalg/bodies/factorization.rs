//! S = C M⁻¹ Bᵀ = L D U, joint by joint.
//!
//! With one Jacobian and symmetric masses S is symmetric and U = Lᵀ. Half-explicit methods have two, rows are those of
//! the next stage; implicit ones add derivatives of forces to the masses. Blocks above the diagonal then stand beside
//! those below, transposed. S is all but symmetric, so that pivots are judged, and may be trusted, as those of a
//! symmetric matrix are.

use super::kernels::{flush, invert, product, subtract_product, transposed};
use super::mass::InverseMass;
use super::{Elimination, blocks_of, fetch_rows_ahead, rows_of};
use crate::linalg::elimination::TINY_ENTRY;
use crate::linalg::system::System;
use crate::memory::{AHEAD, fetch};

/// The blocks of B and of C.
#[derive(Clone, Copy)]
pub(super) struct Jacobians<'a, const N: usize> {
    pub left: &'a [[f64; N]],
    pub right: &'a [[f64; N]],
}

impl<'a, const N: usize> Jacobians<'a, N> {
    pub fn of(system: &'a System) -> Self {
        Self {
            left: blocks_of(&system.b_values),
            right: blocks_of(system.c_values()),
        }
    }
}

/// What goes along with an elimination while its numbers are at hand.
pub(super) trait Companion<const N: usize, const R: usize> {
    /// This body is going to be visited a few joints later.
    #[inline(always)]
    fn ask(&self, _body: u32) {}

    /// A joint, by its first row, and one of its bodies: its number, the rows of B, and the inverse mass.
    #[inline(always)]
    fn visit(&mut self, _row: u32, _body: u32, _rows: [&[f64; N]; R], _mass: &InverseMass) {}
}

/// Nothing goes along.
pub(super) struct Alone;

impl<const N: usize, const R: usize> Companion<N, R> for Alone {}

/// How far S has been assembled.
#[derive(Default)]
struct Cursor {
    joints: usize,
    edges: usize,
    shared: usize,
    later: usize,
}

/// How far the elimination has come.
#[derive(Default)]
struct Progress {
    first: usize,
    update: usize,
    assembled: Cursor,
}

impl<const N: usize, const R: usize, const W: usize> Elimination<N, R, W> {
    /// The next joint's blocks of S, on the diagonal, below, and those above unless S is symmetric.
    #[inline(always)]
    fn assemble<const SYMMETRIC: bool>(
        &mut self,
        g: Jacobians<N>,
        done: &mut Cursor,
        companion: &mut impl Companion<N, R>,
    ) {
        let plan = &self.plan;
        let (step, joint) = (done.joints, plan.joints[done.joints]);
        let edges = done.edges..joint.edges as usize;
        let later = done.later..joint.later as usize;
        (done.joints, done.edges, done.later) = (step + 1, edges.end, later.end);
        if !SYMMETRIC {
            self.above[later.clone()].fill([[-0.0; W]; R]);
        }
        self.below[later].fill([[-0.0; W]; R]);
        let mut diagonal = [[-0.0; W]; R];
        fetch_rows_ahead::<N, R>(plan, g.left, step);
        fetch(&self.diagonal, step + AHEAD, 1);
        fetch(&self.below, done.later + AHEAD, 1);
        if !SYMMETRIC {
            fetch_rows_ahead::<N, R>(plan, g.right, step);
            fetch(&self.above, done.later + AHEAD, 1);
        }
        if let Some(edge) = plan.edges.get(done.edges + 2 * AHEAD) {
            companion.ask(edge.body);
        }
        for edge in &plan.edges[edges] {
            let mass = self.masses.of(edge.body as usize);
            let left = rows_of::<N, R>(g.left, edge.block, joint.stride);
            let right = if SYMMETRIC {
                left
            } else {
                rows_of::<N, R>(g.right, edge.block, joint.stride)
            };
            mass.apply_to_rows(left, &mut self.moved);
            companion.visit(joint.row, edge.body, left, mass);
            self.moved.add_products(right, &mut diagonal);
            let others = done.shared..edge.shared as usize;
            done.shared = others.end;
            for other in &plan.shared[others.clone()] {
                let rows = rows_of::<N, R>(g.right, other.block, other.stride);
                self.moved
                    .add_products(rows, &mut self.below[other.target as usize]);
            }
            if SYMMETRIC || others.is_empty() {
                continue;
            }
            mass.apply_transposed_to_rows(right, &mut self.moved);
            for other in &plan.shared[others] {
                let rows = rows_of::<N, R>(g.left, other.block, other.stride);
                self.moved
                    .add_products(rows, &mut self.above[other.target as usize]);
            }
        }
        let wholes = self.whole[step].iter_mut().zip(&diagonal);
        for (row, (whole, line)) in wholes.enumerate() {
            *whole = line[row];
        }
        self.diagonal[step] = diagonal;
    }

    /// Factorizes S; false if a pivot is doubtful. Blocks are assembled when an elimination first reaches them.
    #[inline(always)]
    pub(super) fn eliminate<const SYMMETRIC: bool>(
        &mut self,
        g: Jacobians<N>,
        companion: &mut impl Companion<N, R>,
    ) -> bool {
        if !SYMMETRIC {
            self.above.resize(self.below.len(), [[0.0; W]; R]);
        }
        let mut done = Progress::default();
        let count = self.plan.joints.len();
        // Chains are eliminated from both ends by turns: each has instructions of its own, so that processors see two
        // sequences of addresses.
        for pair in 0..count / 2 {
            if !self.eliminate_one::<SYMMETRIC>(g, 2 * pair, &mut done, companion)
                || !self.eliminate_one::<SYMMETRIC>(g, 2 * pair + 1, &mut done, companion)
            {
                return false;
            }
        }
        count.is_multiple_of(2)
            || self.eliminate_one::<SYMMETRIC>(g, count - 1, &mut done, companion)
    }

    /// Eliminates a joint; false if a pivot is doubtful.
    #[inline(always)]
    fn eliminate_one<const SYMMETRIC: bool>(
        &mut self,
        g: Jacobians<N>,
        step: usize,
        done: &mut Progress,
        companion: &mut impl Companion<N, R>,
    ) -> bool {
        let own = done.first..self.plan.joints[step].later as usize;
        done.first = own.end;
        let reach = self.plan.reach(step, own.clone());
        while done.assembled.joints <= reach {
            self.assemble::<SYMMETRIC>(g, &mut done.assembled, companion);
        }
        let plan = &self.plan;
        if invert(&mut self.diagonal[step], &self.whole[step]).is_none() {
            return false;
        }
        for line in &mut self.diagonal[step] {
            flush(line, TINY_ENTRY);
        }
        let inverse = self.diagonal[step];
        if !SYMMETRIC {
            self.diagonal[step] = transposed(&inverse);
        }
        if let [other] = plan.later[own.clone()] {
            // In a chain: nothing else is changed.
            let block = &mut self.below[own.start];
            let scaled = product(block, &inverse);
            let right = if SYMMETRIC {
                &*block
            } else {
                &self.above[own.start]
            };
            subtract_product(&mut self.diagonal[other as usize], &scaled, right);
            *block = scaled;
        } else {
            self.scaled.clear();
            let blocks = &self.below[own.clone()];
            self.scaled
                .extend(blocks.iter().map(|block| product(block, &inverse)));
            for (index, early) in own.clone().enumerate() {
                let right = if SYMMETRIC {
                    self.below[early]
                } else {
                    self.above[early]
                };
                let other = plan.later[early] as usize;
                subtract_product(&mut self.diagonal[other], &self.scaled[index], &right);
                let pairs = done.update..done.update + own.end - early - 1;
                done.update = pairs.end;
                let late = self.scaled[index + 1..].iter().zip(early + 1..own.end);
                for (&target, (left, late)) in plan.updates[pairs].iter().zip(late) {
                    let target = target as usize;
                    subtract_product(&mut self.below[target], left, &right);
                    if !SYMMETRIC {
                        let above = self.above[late];
                        subtract_product(&mut self.above[target], &above, &self.scaled[index]);
                    }
                }
            }
            self.below[own.clone()].copy_from_slice(&self.scaled);
        }
        if !SYMMETRIC {
            for above in &mut self.above[own] {
                *above = product(above, &self.diagonal[step]);
            }
        }
        true
    }
}
