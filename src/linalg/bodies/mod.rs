//! Rigid bodies in chains and trees: Cholesky's elimination of joints, block by block.
//!
//! ```text
//! [ M  -Gᵀ ] [x]   [f]       S = G M⁻¹ Gᵀ = L D Lᵀ
//! [ G   0  ] [y] = [c]       S y = c - G M⁻¹ f,   x = M⁻¹ (f + Gᵀ y)
//! ```
//!
//! Where forces and rows have a Jacobian each, B and C, or M has the derivatives of gyroscopic torques, S = C M⁻¹ Bᵀ is
//! not symmetric, and has blocks above the diagonal as well.
//!
//! M consists of the masses of bodies and is inverted body by body. S has a block for each pair of joints that share a
//! body: in a chain three block diagonals. All blocks are of one size that the compiler knows, and the list of what is done
//! with them is made once. No pivot is searched for: where one is small beside what it is left of, other
//! factorizations decide.

mod entries;
mod factorization;
mod fused;
mod kernels;
mod mass;
mod measurement;
mod plan;
mod solution;

use self::entries::{Moved, POINT, VELOCITIES};
use self::mass::{InverseMass, InverseMasses, Quality};
use self::plan::{Plan, Touch};
use super::blocks::Blocks;
use super::system::System;
use crate::memory::{AHEAD, fetch};

/// Forces, none where they are in balance, and what is asked of the rows of G.
#[derive(Clone, Copy, Default)]
pub(super) struct RightHandSide<'a> {
    pub f: Option<&'a [f64]>,
    pub c: &'a [f64],
}

/// `x = h v + M⁻¹ (h² f + Gᵀ y)`: where velocities, forces and multipliers times h² lead to in a step.
#[derive(Clone, Copy)]
pub(crate) struct Displacement<'a> {
    pub h: f64,
    pub velocity: &'a [f64],
    pub forces: &'a [f64],
    pub impulse: &'a [f64],
}

/// What a solution is seen to be on the way.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub is_finite: bool,
    /// Whether it has something in every body and every joint.
    pub moves_all: bool,
    /// Whether its rows, `C x = c`, hold.
    pub holds: bool,
}

/// Which part of its terms a row of `C x = c` may miss.
#[derive(Clone, Copy)]
pub(super) struct Allowed {
    /// Of `|c| + |C| |x|`, or of `NEIGHBOURS` times the largest such sum in the joint.
    pub constraint: f64,
    /// A share of the terms of x, `M⁻¹ (|f| + |Bᵀ y|)`: in long chains the forces on both ends of a body are much larger than
    /// their sum.
    pub terms: f64,
}

/// The factorization, for joints of any number of rows. Matrices of long chains do not fit into caches: all work on a block is
/// done while it is in cache.
pub(super) trait RigidBodies: Send + Sync {
    /// Factorizes; false where this is not the way: rows have no entries, a mass is not positive definite or far from symmetric,
    /// or a pivot is doubtful, as it is wherever a value is not finite.
    fn factor(&mut self, system: &System) -> bool;

    /// Factorizes for one Jacobian and symmetric masses, and finds where a step begins to look for its solution while
    /// the blocks of G are at hand.
    fn factor_and_displace(&mut self, system: &System, step: Displacement, x: &mut [f64]) -> bool;

    /// The solution, and whether it is finite.
    fn solve(&mut self, system: &System, rhs: RightHandSide, x: &mut [f64], y: &mut [f64]) -> bool;

    /// The solution, measured in the rows `C x = c`: each may miss its terms by one of these parts.
    fn solve_and_measure(
        &mut self,
        system: &System,
        rhs: RightHandSide,
        x_y: [&mut [f64]; 2],
        allowed: Allowed,
    ) -> Seen;

    /// Whether no pivot of M has lost digits, so that `x = M⁻¹ (f + Bᵀ y)` holds as well as round-off allows and solutions need to be
    /// measured in the rows `C x = c` only. What the pivots of S lose shows there: in a chain of N links some of them are N times
    /// smaller than what they are left of.
    fn is_above_suspicion(&self) -> bool;

    /// The displacement of a step.
    fn displace(&self, system: &System, step: Displacement, x: &mut [f64]);

    /// Corrects the solution that has just been found not to hold by what is left of `C x = c`, and measures it again. The last list has
    /// room for the correction of y.
    fn refine(
        &mut self,
        system: &System,
        rhs: RightHandSide,
        x_y_work: [&mut [f64]; 3],
        allowed: Allowed,
    ) -> Seen;
}

/// The symbolic phase; `None` where bodies are not rigid bodies in space, joints have different numbers of rows or do not form trees.
pub(super) fn new(system: &System, blocks: &Blocks) -> Option<Box<dyn RigidBodies>> {
    let rows = *blocks.rows.first()?;
    if system.b != system.c
        || blocks.variables.iter().any(|&size| size != VELOCITIES)
        || blocks.rows.iter().any(|&size| size != rows)
        || !InverseMass::fits(&system.a)
    {
        return None;
    }
    match rows {
        1 => elimination::<6, 1, 2>(system, blocks),
        2 => elimination::<6, 2, 2>(system, blocks),
        3 => elimination::<POINT, 3, 3>(system, blocks)
            .or_else(|| elimination::<6, 3, 4>(system, blocks)),
        4 => elimination::<6, 4, 4>(system, blocks),
        5 => elimination::<6, 5, 6>(system, blocks),
        6 => elimination::<6, 6, 6>(system, blocks),
        _ => None,
    }
}

fn elimination<const N: usize, const R: usize, const W: usize>(
    system: &System,
    blocks: &Blocks,
) -> Option<Box<dyn RigidBodies>> {
    const { assert!(entries::are_entries(N, R)) };
    let plan = Plan::new::<N>(system, blocks, R)?;
    Some(Box::new(Elimination::<N, R, W> {
        masses: InverseMasses::new(blocks.variables.len()),
        masses_version: None,
        quality: None,
        moved: Moved::ZERO,
        diagonal: vec![[[0.0; W]; R]; plan.joints.len()],
        below: vec![[[0.0; W]; R]; plan.later.len()],
        above: Vec::with_capacity(plan.later.len()),
        is_symmetric: true,
        whole: vec![[0.0; W]; plan.joints.len()],
        scaled: Vec::with_capacity(plan.widest()),
        needs_terms: false,
        visited: vec![false; blocks.variables.len()],
        plan,
    }))
}

/// S = L D Lᵀ, or L D U, for joints of `R` rows with `N` entries for each of their bodies. Rows of blocks are filled up with
/// zeros to a width of `W`.
struct Elimination<const N: usize, const R: usize, const W: usize> {
    plan: Plan,
    masses: InverseMasses,
    /// Which values of A `masses` was made of.
    masses_version: Option<u64>,
    /// What the masses are like, where `masses` is up to date.
    quality: Option<Quality>,
    /// M⁻¹ Gᵀ of one body and joint.
    moved: Moved<W>,
    /// Bodies that have got a displacement.
    visited: Vec<bool>,
    /// Whether the last solution was not good enough beside the terms of its rows alone.
    needs_terms: bool,
    /// D⁻¹, transposed, in the order of elimination.
    diagonal: Vec<[[f64; W]; R]>,
    /// Blocks of L below the diagonal, column by column.
    below: Vec<[[f64; W]; R]>,
    /// Those of Uᵀ, where S is not symmetric: empty until there are some.
    above: Vec<[[f64; W]; R]>,
    /// Whether S is symmetric: there is one Jacobian, and masses are symmetric.
    is_symmetric: bool,
    /// The diagonal of S as assembled, in the order of elimination: what pivots are compared with.
    whole: Vec<[f64; W]>,
    /// The blocks of L of one joint, until all products with those of S have been made.
    scaled: Vec<[[f64; W]; R]>,
}

/// The velocities of all bodies, or the blocks of the rows of G, one after the other.
#[inline(always)]
fn blocks_of<const N: usize>(values: &[f64]) -> &[[f64; N]] {
    values.as_chunks().0
}

/// The block of a body in the rows of a joint.
#[inline(always)]
fn rows_of<const N: usize, const R: usize>(
    g: &[[f64; N]],
    first: u32,
    stride: u32,
) -> [&[f64; N]; R] {
    std::array::from_fn(|row| &g[first as usize + row * stride as usize])
}

/// Asks for the rows of a joint between two bodies, from this block on.
#[inline(always)]
fn fetch_rows<const N: usize, const R: usize>(g: &[[f64; N]], first: usize) {
    fetch(g, first, 2 * R);
}

/// Asks for the rows of the joint that is eliminated a few steps later: that behind the one `AHEAD`, whose edges end
/// where its own begin.
#[inline(always)]
fn fetch_rows_ahead<const N: usize, const R: usize>(plan: &Plan, g: &[[f64; N]], step: usize) {
    if let Some(joint) = plan.joints.get(step + AHEAD)
        && let Some(edge) = plan.edges.get(joint.edges as usize)
    {
        fetch_rows::<N, R>(g, edge.block as usize);
    }
}

/// Asks for the rows of a later body, while these are the joints of the one at hand. In a chain they lie so much
/// further; elsewhere this asks in vain.
#[inline(always)]
fn fetch_rows_of_later_body<const N: usize, const R: usize>(g: &[[f64; N]], joints: &[Touch]) {
    if let Some(joint) = joints.last() {
        fetch_rows::<N, R>(g, joint.block as usize + AHEAD * 2 * R);
    }
}
