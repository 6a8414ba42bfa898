//! Two Jacobians: S = C M⁻¹ Bᵀ = L D U, the same blocks as those of one Jacobian, twice.
//!
//! Half-explicit methods put the Jacobian of the next stage into the rows. S is then all but symmetric, so that pivots are judged, and may be
//! trusted, as those of a symmetric matrix are.

use super::kernels::{flush, invert, plus_image, product, subtract_product, transposed};
use super::mass::VELOCITIES;
use super::{Cursor, Elimination, blocks_of, rows_of};
use crate::linalg::elimination::TINY_ENTRY;
use crate::linalg::system::System;

/// The blocks of B and of C.
#[derive(Clone, Copy)]
pub(super) struct Jacobians<'a> {
    pub left: &'a [[f64; VELOCITIES]],
    pub right: &'a [[f64; VELOCITIES]],
}

impl<'a> Jacobians<'a> {
    pub fn of(system: &'a System) -> Self {
        Self {
            left: blocks_of(&system.b_values),
            right: blocks_of(system.c_values()),
        }
    }
}

impl<const R: usize, const W: usize> Elimination<R, W> {
    /// The next joint's blocks of S, on the diagonal, below, and transposed those above.
    #[inline(always)]
    fn assemble_two(&mut self, Jacobians { left, right }: Jacobians, done: &mut Cursor) {
        let plan = &self.plan;
        let (step, joint) = (done.joints, plan.joints[done.joints]);
        let edges = done.edges..joint.edges as usize;
        let later = done.later..joint.later as usize;
        (done.joints, done.edges, done.later) = (step + 1, edges.end, later.end);
        self.below[later.clone()].fill([[-0.0; W]; R]);
        self.above[later].fill([[-0.0; W]; R]);
        let mut diagonal = [[-0.0; W]; R];
        for edge in &plan.edges[edges] {
            let mass = &self.masses[edge.body as usize];
            let own_rows = rows_of::<R>(right, edge.block, joint.stride);
            mass.apply_to_rows(
                rows_of::<R>(left, edge.block, joint.stride),
                &mut self.moved,
            );
            for (sum, row) in diagonal.iter_mut().zip(own_rows) {
                *sum = plus_image(*sum, row, &self.moved);
            }
            let others = done.shared..edge.shared as usize;
            done.shared = others.end;
            if others.is_empty() {
                continue;
            }
            // M⁻¹ Cᵀ of this joint, whose products with rows of B are the blocks above.
            let mut turned = [[0.0; W]; VELOCITIES];
            mass.apply_to_rows(own_rows, &mut turned);
            for other in &plan.shared[others] {
                let target = other.target as usize;
                let rows = rows_of::<R>(right, other.block, other.stride);
                for (sum, row) in self.below[target].iter_mut().zip(rows) {
                    *sum = plus_image(*sum, row, &self.moved);
                }
                let rows = rows_of::<R>(left, other.block, other.stride);
                for (sum, row) in self.above[target].iter_mut().zip(rows) {
                    *sum = plus_image(*sum, row, &turned);
                }
            }
        }
        let wholes = self.known[step].iter_mut().zip(&diagonal);
        for (row, (whole, line)) in wholes.enumerate() {
            *whole = line[row];
        }
        self.diagonal[step] = diagonal;
    }

    /// S = L D U; false if a pivot is doubtful. Afterwards `below` is L, `above` Uᵀ, and `diagonal` the transposed of D⁻¹.
    pub(super) fn eliminate_two(&mut self, jacobians: Jacobians) -> bool {
        self.above.resize(self.below.len(), [[0.0; W]; R]);
        let (mut first, mut update) = (0, 0);
        let mut assembled = Cursor::default();
        for step in 0..self.plan.joints.len() {
            let own = first..self.plan.joints[step].later as usize;
            first = own.end;
            let reach = self.plan.reach(step, own.clone());
            while assembled.joints <= reach {
                self.assemble_two(jacobians, &mut assembled);
            }
            let plan = &self.plan;
            if invert(&mut self.diagonal[step], &self.known[step]).is_none() {
                return false;
            }
            for line in &mut self.diagonal[step] {
                flush(line, TINY_ENTRY);
            }
            let inverse = self.diagonal[step];
            let turned = transposed(&inverse);
            self.diagonal[step] = turned;
            self.scaled.clear();
            let blocks = &self.below[own.clone()];
            self.scaled
                .extend(blocks.iter().map(|block| product(block, &inverse)));
            for (index, early) in own.clone().enumerate() {
                let right = self.above[early];
                let other = plan.later[early] as usize;
                subtract_product(&mut self.diagonal[other], &self.scaled[index], &right);
                let pairs = update..update + own.end - early - 1;
                update = pairs.end;
                let late = self.scaled[index + 1..].iter().zip(early + 1..own.end);
                for (&target, (left, late)) in plan.updates[pairs].iter().zip(late) {
                    subtract_product(&mut self.below[target as usize], left, &right);
                    let above = self.above[late];
                    let target = &mut self.above[target as usize];
                    subtract_product(target, &above, &self.scaled[index]);
                }
            }
            for above in &mut self.above[own.clone()] {
                *above = product(above, &turned);
            }
            self.below[own].copy_from_slice(&self.scaled);
        }
        true
    }
}
