//! Numeric block LU along an elimination program.

mod solution;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::blocks::Blocks;
use super::invert::Inverter;
use super::kernels::{flush, subtract_block, subtract_block_tracked};
use super::ordering::Rule;
use super::supernode::{Supernode, Workspace};
use super::symbolic::{Link, Step, SymbolicFactorization, Update};
use super::system::System;

/// How a factorization ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Outcome {
    /// Every pivot block was regular.
    Regular,
    /// Row blocks lost pivots; see [`Elimination::null_vectors`].
    Deficient,
    /// A variable block was singular or something overflowed.
    Failed,
}

/// A multiplier without pivot: its null vector inside its own pivot block.
struct Dropped {
    step: usize,
    local: Vec<f64>,
    column: usize,
}

/// Block LU with explicitly inverted pivot blocks.
///
/// Afterwards the pivot block holds its inverse `D⁻¹`, the upper panel `D⁻¹ U`, the lower panel
/// stays as it was when its pivot was reached.
pub(super) struct Elimination {
    program: Arc<SymbolicFactorization>,
    values: Vec<f64>,
    magnitudes: Vec<f64>,
    inverter: Inverter,
    panel: Vec<f64>,
    /// L D⁻¹ U of one step.
    product: Vec<f64>,
    work: Vec<f64>,
    pivot: Vec<f64>,
    /// What one step adds to, or takes from, its later neighbours; unknowns of a supernode and of its later neighbours.
    later: Vec<f64>,
    supernode: Workspace,
    dropped: Vec<Dropped>,
}

/// Along a chain, round-off between directions that are decoupled in exact arithmetic shrinks from link to link by a
/// power of the machine precision. Below these sizes it is set to zero: it means nothing, and products of such numbers
/// are denormal, with arithmetic that is a hundred times slower.
pub(super) const TINY_ENTRY: f64 = 1e-100;
pub(super) const TINY_UNKNOWN: f64 = 1e-150;

/// L D⁻¹ U of one step.
struct Products<'a> {
    values: &'a [f64],
    width: usize,
}

impl Products<'_> {
    /// Subtracts the block of two later neighbours from its target.
    #[inline]
    fn subtract(
        &self,
        [row, column]: [&Link; 2],
        update: Update,
        target: &mut [f64],
        magnitudes: &mut [f64],
    ) {
        let rows = self.values[row.column as usize * self.width..].chunks_exact(self.width);
        let rows = rows.take(row.size as usize);
        let rows = rows.map(|row| &row[column.columns()]);
        let stride = update.stride as usize;
        if update.tracked == Update::UNTRACKED {
            subtract_block(rows, target, stride);
        } else {
            let kept = &mut magnitudes[update.tracked as usize..];
            subtract_block_tracked(rows, target, stride, kept);
        }
    }
}

/// Inverts a pivot block, and remembers what it lacks; false for a variable block that lacks anything.
fn invert(
    inverter: &mut Inverter,
    (number, step): (usize, &Step),
    pivot: &mut [f64],
    magnitudes: &[f64],
    dropped: &mut Vec<Dropped>,
) -> bool {
    let magnitude = step.magnitudes().map(|kept| &magnitudes[kept]);
    // Pivots of row blocks are sums that may cancel: their rank is judged by the terms.
    let rank = if step.decoupled {
        inverter.invert_decoupled(pivot)
    } else {
        inverter.invert(step.size(), pivot, magnitude)
    };
    if rank == step.size() {
        return true;
    }
    // A variable block is no sum of a kind that redundancy explains: it must be regular.
    if magnitude.is_none() {
        return false;
    }
    inverter.null_vectors(step.size(), rank, |column, local| {
        dropped.push(Dropped {
            step: number,
            local,
            column,
        });
    });
    true
}

impl Elimination {
    pub fn new(system: &System, blocks: &Blocks, rule: Rule) -> Self {
        Self::of(
            SymbolicFactorization::shared(system, blocks, rule),
            system.size(),
        )
    }

    /// The elimination by a program for so many unknowns.
    fn of(program: Arc<SymbolicFactorization>, unknowns: usize) -> Self {
        let largest = |of: fn(&Step) -> usize| program.steps.iter().map(of).max().unwrap_or(0);
        let (size, width) = (largest(Step::size), largest(Step::width));
        let panel = largest(|s| s.size() * s.width());
        let reached = program.supernodes.iter().map(Supernode::unknowns);
        Self {
            values: vec![0.0; program.values],
            magnitudes: vec![0.0; program.magnitudes],
            inverter: Inverter::new(size),
            panel: vec![0.0; panel],
            product: vec![0.0; width * width],
            work: vec![0.0; unknowns],
            pivot: vec![0.0; size],
            later: vec![0.0; reached.fold(width, usize::max)],
            supernode: Workspace::new(&program.supernodes),
            dropped: Vec::new(),
            program,
        }
    }

    /// Pivot blocks and panels of all steps.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// Estimated time of a factorization and a solution, fitted to benches/kkt.rs. It decides between dense and sparse where systems
    /// are small: nets that wide supernodes make faster have more unknowns.
    pub fn nanoseconds(&self) -> f64 {
        let step = |step: &Step| {
            let (s, w) = (step.size() as f64, step.width() as f64);
            // Larger blocks are inverted with complete pivoting.
            let inversion = if step.size() <= 6 {
                s * s * s
            } else {
                3.0 * s * s * s
            };
            100.0 + 0.6 * (inversion + s * w * (s + w))
        };
        let steps: f64 = self.program.steps.iter().map(step).sum();
        steps + 30.0 * self.program.pairs as f64
    }

    pub fn factor(&mut self, system: &System) -> Outcome {
        self.assemble(system);
        self.dropped.clear();
        let program = Arc::clone(&self.program);
        let mut supernodes = program.supernodes.iter().peekable();
        let mut number = 0;
        while number < program.steps.len() {
            let (end, is_regular) =
                match supernodes.next_if(|supernode| supernode.steps.start == number) {
                    Some(supernode) => (
                        supernode.steps.end,
                        self.eliminate_front(&program, supernode),
                    ),
                    None => (number + 1, self.eliminate(&program, number)),
                };
            if !is_regular {
                return Outcome::Failed;
            }
            number = end;
        }
        if self.dropped.is_empty() {
            Outcome::Regular
        } else {
            Outcome::Deficient
        }
    }

    /// Eliminates one pivot; false where it has none.
    fn eliminate(&mut self, program: &SymbolicFactorization, number: usize) -> bool {
        let step = &program.steps[number];
        let (later_uppers, rest) = self.values.split_at_mut(step.upper);
        let (upper, rest) = rest.split_at_mut(step.upper_end() - step.upper);
        let (head, later) = rest.split_at_mut(step.end() - step.upper_end());
        let own = &mut head[step.start - step.upper_end()..];
        let (pivot, lower) = own.split_at_mut(step.size() * step.size());
        let (inverter, dropped) = (&mut self.inverter, &mut self.dropped);
        if !invert(inverter, (number, step), pivot, &self.magnitudes, dropped) {
            return false;
        }
        let part = step.panels();
        // Upper panel: D⁻¹ U; and L D⁻¹ U for all neighbours at once.
        let product = &mut self.product[..step.width() * step.width()];
        for part in [&mut *pivot, &mut *lower] {
            flush(part, TINY_ENTRY);
        }
        part.multiply(pivot, upper, &mut self.panel);
        flush(upper, TINY_ENTRY);
        part.products(lower, upper, product);
        // Schur complement: target -= L D⁻¹ U, block by block.
        let products = Products {
            values: product,
            width: step.width(),
        };
        let magnitudes = &mut self.magnitudes;
        program.for_each_update(step, |[row, column], update| {
            let target = match update.target.checked_sub(step.end()) {
                Some(target) => &mut later[target..],
                None => &mut later_uppers[update.target..],
            };
            products.subtract([row, column], update, target, magnitudes);
        });
        true
    }

    /// Eliminates the pivots of a supernode; false where one has none.
    fn eliminate_front(&mut self, program: &SymbolicFactorization, supernode: &Supernode) -> bool {
        let steps = &program.steps[supernode.steps.clone()];
        self.supernode.load(supernode, &program.steps, &self.values);
        for (index, step) in steps.iter().enumerate() {
            let number = supernode.steps.start + index;
            let pivot = &mut self.values[step.start..step.lower()];
            self.supernode.pivot(supernode, step, pivot);
            let (inverter, dropped) = (&mut self.inverter, &mut self.dropped);
            if !invert(inverter, (number, step), pivot, &self.magnitudes, dropped) {
                return false;
            }
            flush(pivot, TINY_ENTRY);
            self.supernode.eliminate(supernode, step, pivot, TINY_ENTRY);
            for later in &steps[index + 1..] {
                if let Some(kept) = later.magnitudes() {
                    let kept = &mut self.magnitudes[kept];
                    self.supernode
                        .measure_within(supernode, [step, later], kept);
                }
            }
        }
        self.supernode
            .give(supernode, &program.steps, &mut self.values);
        let Some(last) = steps.last() else {
            return true;
        };
        for link in program.links(last) {
            if let Some(kept) = program.steps[link.step as usize].magnitudes() {
                for step in steps {
                    let kept = &mut self.magnitudes[kept.clone()];
                    (self.supernode).measure_behind(supernode, step, link.columns(), kept);
                }
            }
        }
        let width = last.width();
        let product = &mut self.product[..width * width];
        self.supernode.product(product);
        let products = Products {
            values: product,
            width,
        };
        let (values, magnitudes) = (&mut self.values, &mut self.magnitudes);
        program.for_each_update(last, |pair, update| {
            // What the pivots of the supernode have added up to has been measured term by term.
            let update = Update {
                tracked: Update::UNTRACKED,
                ..update
            };
            let target = &mut values[update.target..];
            products.subtract(pair, update, target, magnitudes);
        });
        true
    }

    fn assemble(&mut self, system: &System) {
        self.values.fill(0.0);
        self.magnitudes.fill(0.0);
        let values = &mut self.values;
        self.program.a.copy(&system.a_values, values);
        self.program.b.copy_negated(&system.b_values, values);
        self.program.c.copy(system.c_values(), values);
        // 0 x + 1 y = 0 in place of a row without entries.
        for row in &system.idle {
            values[self.program.diagonal(system.n + row)] = 1.0;
        }
    }

    /// Number of multipliers without pivot.
    pub fn deficiency(&self) -> usize {
        self.dropped.len()
    }

    /// Writes null vector number `index` of `K` into `z`; returns its unknown, in original numbers.
    pub fn null_vector(&mut self, index: usize, z: &mut [f64]) -> Option<usize> {
        let dropped = self.dropped.get(index)?;
        let number = dropped.step;
        let step = &self.program.steps[number];
        self.work.fill(0.0);
        // K z = 0 with z = 1 at the dropped unknown: inside its block, then backwards through earlier steps.
        self.work[step.unknown()..step.unknown() + step.size()].copy_from_slice(&dropped.local);
        let wanted = step.unknown() + dropped.column;
        self.back_substitute(number);
        for step in &self.program.steps {
            let own = step.origin()..step.origin() + step.size();
            z[own].copy_from_slice(&self.work[step.unknowns()]);
        }
        self.program
            .position
            .iter()
            .position(|&p| p as usize == wanted)
    }
}
