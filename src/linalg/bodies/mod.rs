//! Rigid bodies in chains and trees: Cholesky's elimination of joints, block by block.
//!
//! ```text
//! [ M  -Gᵀ ] [x]   [f]       S = G M⁻¹ Gᵀ = L D Lᵀ
//! [ G   0  ] [y] = [c]       S y = c - G M⁻¹ f,   x = M⁻¹ (f + Gᵀ y)
//! ```
//!
//! M consists of the masses of bodies and is inverted body by body. S has a block for each pair of joints that share a
//! body: in a chain three block diagonals. All blocks are of one size that the compiler knows, and the list of what is done
//! with them is made once. No pivot is searched for: where one is small beside what it is left of, other
//! factorizations decide.

mod kernels;
mod mass;
mod plan;

use self::kernels::{
    dot, dot_and_size, flush, invert, plus_image, product, subtract_image, subtract_product,
    subtract_transposed,
};
use self::mass::{InverseMass, VELOCITIES};
use self::plan::Plan;
use super::blocks::Blocks;
use super::elimination::{TINY_ENTRY, TINY_UNKNOWN};
use super::kkt::TINY;
use super::system::System;

/// The factorization, for joints of any number of rows.
pub(super) trait RigidBodies: Send + Sync {
    /// Factorizes; false where this is not the way: G differs on both sides, a mass is not symmetric positive definite,
    /// or a pivot is doubtful.
    fn factor(&mut self, system: &System) -> bool;

    /// `z = K⁻¹ rhs`.
    fn solve(&mut self, system: &System, rhs: &[f64], z: &mut [f64]);

    /// Whether no pivot of M has lost digits, so that `x = M⁻¹ (f + Gᵀ y)` holds as well as round-off allows and solutions need to be
    /// measured in the rows `G x = c` only. What the pivots of S lose shows there: in a chain of N links some of them are N times
    /// smaller than what they are left of.
    fn is_above_suspicion(&self) -> bool;

    /// `x = M⁻¹ (f + Gᵀ y)`.
    fn balance(&mut self, system: &System, f: &[f64], y: &[f64], x: &mut [f64]);

    /// Corrects a solution by what is left of `G x = c`; `work` has room for x.
    fn refine(&mut self, system: &System, rhs: &[f64], z: &mut [f64], work: &mut [f64]);

    /// Whether `G x = c` holds in each row up to this part of its terms.
    fn constraints_hold(&self, system: &System, rhs: &[f64], z: &[f64], tolerance: f64) -> bool;

    /// Whether `G x = c` holds in each row up to this part of what x is summed from, `M⁻¹ (|f| + |Gᵀ y|)`: in long chains the forces on both
    /// ends of a body are much larger than what they leave of each other. `work` has room for x.
    fn terms_hold(
        &self,
        system: &System,
        rhs: &[f64],
        z: &[f64],
        work: &mut [f64],
        tolerance: f64,
    ) -> bool;
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
        1 => elimination::<1, 2>(system, blocks),
        2 => elimination::<2, 2>(system, blocks),
        3 => elimination::<3, 4>(system, blocks),
        4 => elimination::<4, 4>(system, blocks),
        5 => elimination::<5, 6>(system, blocks),
        6 => elimination::<6, 6>(system, blocks),
        _ => None,
    }
}

fn elimination<const R: usize, const W: usize>(
    system: &System,
    blocks: &Blocks,
) -> Option<Box<dyn RigidBodies>> {
    let plan = Plan::new(system, blocks, VELOCITIES, R)?;
    Some(Box::new(Elimination::<R, W> {
        masses: vec![InverseMass::default(); blocks.variables.len()],
        masses_version: None,
        regular_masses: None,
        moved: [[0.0; W]; VELOCITIES],
        diagonal: vec![[[0.0; W]; R]; plan.joints.len()],
        below: vec![[[0.0; W]; R]; plan.later.len()],
        known: vec![[0.0; W]; plan.joints.len()],
        scaled: Vec::with_capacity(plan.widest()),
        plan,
    }))
}

/// S = L D Lᵀ for joints of `R` rows, which are filled up with zeros to a width of pairs: compilers make vectors of these.
struct Elimination<const R: usize, const W: usize> {
    plan: Plan,
    masses: Vec<InverseMass>,
    /// Which values of A `masses` was made of.
    masses_version: Option<u64>,
    /// Whether no pivot of a mass is suspicious, where `masses` is up to date.
    regular_masses: Option<bool>,
    /// M⁻¹ Gᵀ of one body and joint.
    moved: [[f64; W]; VELOCITIES],
    /// D⁻¹, in the order of elimination.
    diagonal: Vec<[[f64; W]; R]>,
    /// Blocks of L below the diagonal, column by column.
    below: Vec<[[f64; W]; R]>,
    /// What is known of y during a solution, in the order of elimination.
    known: Vec<[f64; W]>,
    /// The blocks of L of one joint, until all products with those of S have been made.
    scaled: Vec<[[f64; W]; R]>,
}

/// The velocities of all bodies, or the blocks of the rows of G, one after the other.
#[inline(always)]
fn blocks_of(values: &[f64]) -> &[[f64; VELOCITIES]] {
    values.as_chunks().0
}

/// The next `R` numbers, filled up with zeros.
#[inline(always)]
fn padded<const R: usize, const W: usize>(values: &[f64]) -> [f64; W] {
    let mut out = [0.0; W];
    out[..R].copy_from_slice(&values[..R]);
    out
}

/// The velocities of all bodies, to be changed.
#[inline(always)]
fn bodies_of(x: &mut [f64]) -> impl Iterator<Item = &mut [f64; VELOCITIES]> {
    x.as_chunks_mut().0.iter_mut()
}

/// The block of a body in the rows of a joint.
#[inline(always)]
fn rows_of<const R: usize>(
    g: &[[f64; VELOCITIES]],
    first: u32,
    stride: u32,
) -> [&[f64; VELOCITIES]; R] {
    std::array::from_fn(|row| &g[first as usize + row * stride as usize])
}

impl<const R: usize, const W: usize> Elimination<R, W> {
    /// S = G M⁻¹ Gᵀ, its diagonal and what is below.
    fn assemble(&mut self, g: &[[f64; VELOCITIES]]) {
        let plan = &self.plan;
        self.below.fill([[-0.0; W]; R]);
        let mut shared = 0;
        for ((joint, edges), diagonal) in plan.with_edges().zip(&mut self.diagonal) {
            *diagonal = [[-0.0; W]; R];
            for edge in edges {
                let rows = rows_of::<R>(g, edge.block, joint.stride);
                self.masses[edge.body as usize].apply_to_rows(rows, &mut self.moved);
                for (sum, row) in diagonal.iter_mut().zip(rows) {
                    *sum = plus_image(*sum, row, &self.moved);
                }
                let others = shared..edge.shared as usize;
                shared = others.end;
                for other in &plan.shared[others] {
                    let rows = rows_of::<R>(g, other.block, other.stride);
                    for (sum, row) in self.below[other.target as usize].iter_mut().zip(rows) {
                        *sum = plus_image(*sum, row, &self.moved);
                    }
                }
            }
        }
    }

    /// S = L D Lᵀ; false if a pivot is doubtful.
    fn eliminate(&mut self) -> bool {
        let plan = &self.plan;
        // The diagonal of S as assembled: what pivots are compared with.
        for (whole, block) in self.known.iter_mut().zip(&self.diagonal) {
            for row in 0..R {
                whole[row] = block[row][row];
            }
        }
        let (mut first, mut updates) = (0, &plan.updates[..]);
        for (step, joint) in plan.joints.iter().enumerate() {
            if invert(&mut self.diagonal[step], &self.known[step]).is_none() {
                return false;
            }
            for line in &mut self.diagonal[step] {
                flush(line, TINY_ENTRY);
            }
            let inverse = self.diagonal[step];
            let own = first..joint.later as usize;
            first = own.end;
            if let [other] = plan.later[own.clone()] {
                // In a chain: nothing else is changed.
                let block = &mut self.below[own.start];
                let scaled = product(block, &inverse);
                subtract_product(&mut self.diagonal[other as usize], &scaled, block);
                *block = scaled;
                continue;
            }
            self.scaled.clear();
            let blocks = &self.below[own.clone()];
            self.scaled
                .extend(blocks.iter().map(|block| product(block, &inverse)));
            for (index, early) in own.clone().enumerate() {
                let right = self.below[early];
                let other = plan.later[early] as usize;
                subtract_product(&mut self.diagonal[other], &self.scaled[index], &right);
                let pairs;
                (pairs, updates) = updates.split_at(own.end - early - 1);
                for (&target, left) in pairs.iter().zip(&self.scaled[index + 1..]) {
                    subtract_product(&mut self.below[target as usize], left, &right);
                }
            }
            self.below[own].copy_from_slice(&self.scaled);
        }
        true
    }
}

impl<const R: usize, const W: usize> Elimination<R, W> {
    /// What is known of y: c - G x, or c where x is zero.
    fn load(&mut self, g: &[[f64; VELOCITIES]], c: &[f64], x: Option<&[f64]>) {
        for ((joint, edges), known) in self.plan.with_edges().zip(&mut self.known) {
            *known = padded::<R, W>(&c[joint.row as usize..]);
            let Some(x) = x.map(blocks_of) else { continue };
            for edge in edges {
                let rows = rows_of::<R>(g, edge.block, joint.stride);
                let x = &x[edge.body as usize];
                for (known, row) in known.iter_mut().zip(rows) {
                    *known -= dot(row, x);
                }
            }
        }
    }

    /// y = S⁻¹ of what is known.
    fn substitute(&mut self) {
        let plan = &self.plan;
        let mut first = 0;
        for (step, joint) in plan.joints.iter().enumerate() {
            flush(&mut self.known[step], TINY_UNKNOWN);
            let own = self.known[step];
            let links = first..joint.later as usize;
            first = links.end;
            for (other, block) in plan.later[links.clone()].iter().zip(&self.below[links]) {
                subtract_image(&mut self.known[*other as usize], block, &own);
            }
        }
        let mut last = plan.later.len();
        for step in (0..plan.joints.len()).rev() {
            let first = match step {
                0 => 0,
                _ => plan.joints[step - 1].later as usize,
            };
            let own = self.known[step].first_chunk().copied();
            let mut own = plus_image([-0.0; W], &own.unwrap_or([0.0; R]), &self.diagonal[step]);
            let links = first..last;
            last = first;
            for (other, block) in plan.later[links.clone()].iter().zip(&self.below[links]) {
                subtract_transposed(&mut own, block, &self.known[*other as usize]);
            }
            flush(&mut own, TINY_UNKNOWN);
            self.known[step] = own;
        }
    }

    /// `forces += Gᵀ y`.
    fn add_forces(&self, g: &[[f64; VELOCITIES]], forces: &mut [f64]) {
        let forces = forces.as_chunks_mut::<VELOCITIES>().0;
        for ((joint, edges), y) in self.plan.with_edges().zip(&self.known) {
            for edge in edges {
                let forces = &mut forces[edge.body as usize];
                let mut sum = *forces;
                for (y, row) in y.iter().zip(rows_of::<R>(g, edge.block, joint.stride)) {
                    for (sum, entry) in sum.iter_mut().zip(row) {
                        *sum += y * entry;
                    }
                }
                *forces = sum;
            }
        }
    }
}

impl<const R: usize, const W: usize> RigidBodies for Elimination<R, W> {
    fn factor(&mut self, system: &System) -> bool {
        if self.masses_version != Some(system.a_version) {
            self.masses_version = Some(system.a_version);
            self.regular_masses = None;
        }
        if !system.one_jacobian || !system.idle.is_empty() {
            return false;
        }
        // Masses seldom change.
        if self.regular_masses.is_none() {
            self.regular_masses = InverseMass::load(&system.a_values, &mut self.masses);
        }
        if self.regular_masses.is_none() {
            return false;
        }
        self.assemble(blocks_of(&system.b_values));
        self.eliminate()
    }

    fn is_above_suspicion(&self) -> bool {
        self.regular_masses == Some(true)
    }

    fn balance(&mut self, system: &System, f: &[f64], y: &[f64], x: &mut [f64]) {
        for (joint, known) in self.plan.joints.iter().zip(&mut self.known) {
            *known = padded::<R, W>(&y[joint.row as usize..]);
        }
        x.copy_from_slice(f);
        self.add_forces(blocks_of(&system.b_values), x);
        for (x, mass) in bodies_of(x).zip(&self.masses) {
            mass.apply(&x.clone(), x);
        }
    }

    fn solve(&mut self, system: &System, rhs: &[f64], z: &mut [f64]) {
        let g = blocks_of(&system.b_values);
        let ((f, c), (x, y)) = (rhs.split_at(system.n), z.split_at_mut(system.n));
        // Corrections of an iteration whose balance of momentum holds leave it alone.
        if f.iter().all(|f| *f == 0.0) {
            self.load(g, c, None);
        } else {
            for ((x, f), mass) in bodies_of(x).zip(blocks_of(f)).zip(&self.masses) {
                mass.apply(f, x);
            }
            self.load(g, c, Some(x));
        }
        self.substitute();
        for (joint, known) in self.plan.joints.iter().zip(&self.known) {
            let first = joint.row as usize;
            y[first..first + R].copy_from_slice(&known[..R]);
        }
        x.copy_from_slice(f);
        self.add_forces(g, x);
        for (x, mass) in bodies_of(x).zip(&self.masses) {
            mass.apply(&x.clone(), x);
        }
    }

    fn refine(&mut self, system: &System, rhs: &[f64], z: &mut [f64], work: &mut [f64]) {
        let g = blocks_of(&system.b_values);
        let (c, (x, y)) = (&rhs[system.n..], z.split_at_mut(system.n));
        self.load(g, c, Some(x));
        self.substitute();
        for (joint, known) in self.plan.joints.iter().zip(&self.known) {
            let first = joint.row as usize;
            for (y, known) in y[first..first + R].iter_mut().zip(known) {
                *y += known;
            }
        }
        let forces = &mut work[..system.n];
        forces.fill(0.0);
        self.add_forces(g, forces);
        for ((x, forces), mass) in bodies_of(x).zip(blocks_of(forces)).zip(&self.masses) {
            let mut change = [0.0; VELOCITIES];
            mass.apply(forces, &mut change);
            for (x, change) in x.iter_mut().zip(change) {
                *x += change;
            }
        }
    }

    fn constraints_hold(&self, system: &System, rhs: &[f64], z: &[f64], tolerance: f64) -> bool {
        let (g, x) = (blocks_of(&system.b_values), blocks_of(&z[..system.n]));
        let c = &rhs[system.n..];
        let mut holds = true;
        for (joint, edges) in self.plan.with_edges() {
            let mut left: [_; R] = std::array::from_fn(|row| c[joint.row as usize + row]);
            let mut sizes = left.map(f64::abs);
            for edge in edges {
                let rows = rows_of::<R>(g, edge.block, joint.stride);
                let x = &x[edge.body as usize];
                for ((left, size), row) in left.iter_mut().zip(&mut sizes).zip(rows) {
                    let (sum, magnitude) = dot_and_size(row, x);
                    *left -= sum;
                    *size += magnitude;
                }
            }
            for (left, size) in left.iter().zip(&sizes) {
                // Written so that NaN and overflow do not hold.
                holds &= left.abs() <= tolerance * size + TINY && *size < f64::INFINITY;
            }
        }
        holds
    }

    fn terms_hold(
        &self,
        system: &System,
        rhs: &[f64],
        z: &[f64],
        work: &mut [f64],
        tolerance: f64,
    ) -> bool {
        let g = blocks_of(&system.b_values);
        let ((f, c), (x, y)) = (rhs.split_at(system.n), z.split_at(system.n));
        let sizes = work[..system.n].as_chunks_mut::<VELOCITIES>().0;
        for (size, f) in sizes.iter_mut().zip(blocks_of(f)) {
            *size = f.map(f64::abs);
        }
        for (joint, edges) in self.plan.with_edges() {
            let y = &y[joint.row as usize..];
            for edge in edges {
                let size = &mut sizes[edge.body as usize];
                for (y, row) in y.iter().zip(rows_of::<R>(g, edge.block, joint.stride)) {
                    for (size, entry) in size.iter_mut().zip(row) {
                        *size += (y * entry).abs();
                    }
                }
            }
        }
        for (size, mass) in sizes.iter_mut().zip(&self.masses) {
            *size = mass.bound(size);
        }
        let x = blocks_of(x);
        self.plan.with_edges().all(|(joint, edges)| {
            (0..R).all(|row| {
                let right = c[joint.row as usize + row];
                let (mut left, mut whole) = (right, right.abs());
                for edge in edges {
                    let own = rows_of::<R>(g, edge.block, joint.stride)[row];
                    left -= dot(own, &x[edge.body as usize]);
                    whole += dot(&own.map(f64::abs), &sizes[edge.body as usize]);
                }
                // Written so that NaN and overflow do not hold.
                left.abs() <= tolerance * whole + TINY && whole < f64::INFINITY
            })
        })
    }
}
