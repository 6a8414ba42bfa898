//! The symbolic factorization: where every block lives and which updates follow every pivot.

use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;

use super::blocks::{Blocks, owners, starts};
use super::kernels::Panels;
use super::ordering::{Rule, order};
use super::pattern::Pattern;
use super::spans::Scatter;
use super::supernode::Supernode;
use super::system::System;

/// One pivot block. All offsets count values in the one value buffer unless said otherwise. Small numbers are short: there are two of
/// these for each body, read twice in every solution.
///
/// The buffer holds the upper panels of all steps, the last one's first, then the pivot blocks and lower panels, the first one's first:
/// substitutions read what they need in one stream, forward as well as backward.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Pivot block, `size x size`, followed by the lower panel `width x size`, both row-major.
    pub start: usize,
    /// Upper panel, `size x width`, row-major.
    pub upper: usize,
    size: u32,
    width: u32,
    unknown: u32,
    origin: u32,
    /// Later neighbours, as a range of `SymbolicFactorization::links`.
    links: [u32; 2],
    /// First of the updates in `SymbolicFactorization::updates`: one for every pair of later neighbours, row by row. Steps with more than
    /// [`LISTED`] neighbours have [`NONE`].
    updates: u32,
    /// Where the magnitudes of the pivot contributions are kept, for row blocks; [`NONE`] for others.
    magnitude: u32,
    /// First unknown of the later neighbours, where one follows the other without a gap; [`NONE`] otherwise.
    run: u32,
    /// Whether this is a rigid body of which positions and rotations do not act on each other: its pivot block consists of
    /// two blocks of three on the diagonal.
    pub decoupled: bool,
}

/// No such place.
const NONE: u32 = u32::MAX;

impl Step {
    /// Order of the pivot block.
    #[inline]
    pub fn size(&self) -> usize {
        self.size as usize
    }

    /// Total size of the later neighbours.
    #[inline]
    pub fn width(&self) -> usize {
        self.width as usize
    }

    /// First unknown, in elimination order.
    #[inline]
    pub fn unknown(&self) -> usize {
        self.unknown as usize
    }

    /// All of them.
    #[inline]
    pub fn unknowns(&self) -> Range<usize> {
        self.unknown()..self.unknown() + self.size()
    }

    /// First unknown, in the order of the system.
    #[inline]
    pub fn origin(&self) -> usize {
        self.origin as usize
    }

    /// Where the magnitudes of the pivot block are kept, of a row block.
    #[inline]
    pub fn magnitudes(&self) -> Option<Range<usize>> {
        let first = self.magnitude as usize;
        (self.magnitude != NONE).then_some(first..first + self.size() * self.size())
    }

    /// All unknowns of the later neighbours, in elimination order, where one follows the other without a gap.
    #[inline]
    pub fn run(&self) -> Option<Range<usize>> {
        let first = self.run as usize;
        (self.run != NONE).then_some(first..first + self.width())
    }

    #[inline]
    pub fn panels(&self) -> Panels {
        Panels {
            size: self.size(),
            width: self.width(),
            decoupled: self.decoupled,
        }
    }

    /// One past the upper panel.
    #[inline]
    pub fn upper_end(&self) -> usize {
        self.upper + self.size() * self.width()
    }

    pub fn lower(&self) -> usize {
        self.start + self.size() * self.size()
    }

    /// One past the lower panel.
    #[inline]
    pub fn end(&self) -> usize {
        self.lower() + self.size() * self.width()
    }
}

/// A later neighbour of a pivot block. In numbers of 32 bits, which are enough for every system that fits in memory: there
/// are several for each body, read in every factorization and solution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// Step that eliminates the neighbour.
    pub step: u32,
    /// First column in the upper panel, and first row in the lower panel.
    pub column: u32,
    /// Number of unknowns.
    pub size: u32,
    /// First unknown of the neighbour, in elimination order.
    pub unknown: u32,
}

impl Link {
    /// Rows and columns of the neighbour in the panels.
    pub fn columns(&self) -> Range<usize> {
        self.column as usize..(self.column + self.size) as usize
    }
}

/// `target -= lower[rows] * upper[.., columns]` with the rows and columns of two later neighbours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Update {
    /// Where the target block starts, and the distance of its rows.
    pub target: usize,
    pub stride: u32,
    /// Where the magnitudes are kept, if the target is the pivot block of a row block, or [`Update::UNTRACKED`].
    pub tracked: u32,
}

impl Update {
    /// The target needs no magnitudes.
    pub const UNTRACKED: u32 = u32::MAX;
}

/// Up to this many later neighbours the places of all updates are listed: joints in chains and trees have one or two bodies. The
/// lists grow with the square; of the wide supernodes of nets they would take more memory than the matrix, and finding their
/// places is little beside their products.
const LISTED: usize = 4;

/// The symbolic factorization.
#[derive(Debug)]
pub(super) struct SymbolicFactorization {
    /// What it was made for, beside the pattern of `A`.
    made_for: (Pattern, Pattern, Blocks, Rule),
    pub steps: Vec<Step>,
    pub links: Vec<Link>,
    updates: Vec<Update>,
    /// Steps that are eliminated together.
    pub supernodes: Vec<Supernode>,
    /// Pairs of later neighbours of all steps.
    pub pairs: usize,
    /// Position of every unknown in elimination order.
    pub position: Vec<u32>,
    /// Where the values of `A`, `B` and `C` go.
    pub a: Scatter,
    pub b: Scatter,
    pub c: Scatter,
    /// Lengths of the value buffer and the magnitude buffer.
    pub values: usize,
    pub magnitudes: usize,
}

impl SymbolicFactorization {
    /// The program of a system, made anew unless another solver has it.
    pub fn shared(system: &System, blocks: &Blocks, rule: Rule) -> Arc<Self> {
        let fits = |program: &Self| {
            let (b, c, its_blocks, its_rule) = &program.made_for;
            *its_rule == rule && *b == system.b && *c == system.c && its_blocks == blocks
        };
        let make = || Ok::<_, Infallible>(Self::new(system, blocks, rule));
        let Ok(program) = system.a.programs().get(fits, make);
        program
    }

    /// Made anew.
    pub fn new(system: &System, blocks: &Blocks, rule: Rule) -> Self {
        let order = order(system, blocks, rule);
        let sizes = blocks.sizes();
        let variables = blocks.variables.len();
        let mut step_of = vec![0; sizes.len()];
        let mut unknown_of = vec![0; sizes.len()];
        let origins = starts(&sizes);
        let mut unknown = 0;
        for (s, &(p, _)) in order.iter().enumerate() {
            step_of[p] = s;
            unknown_of[p] = unknown;
            unknown += sizes[p];
        }
        let links = order.iter().map(|(_, around)| around.len());
        let panel = |(p, around): &(usize, Vec<usize>)| {
            sizes[*p] * around.iter().map(|&q| sizes[q]).sum::<usize>()
        };
        let mut upper: usize = order.iter().map(panel).sum();
        let mut program = Self {
            made_for: (system.b.clone(), system.c.clone(), blocks.clone(), rule),
            steps: Vec::with_capacity(order.len()),
            updates: Vec::with_capacity(
                links
                    .clone()
                    .filter(|&count| count <= LISTED)
                    .map(|count| count * count)
                    .sum(),
            ),
            supernodes: Vec::new(),
            pairs: 0,
            links: Vec::with_capacity(links.sum()),
            position: Vec::with_capacity(unknown),
            a: Scatter::default(),
            b: Scatter::default(),
            c: Scatter::default(),
            values: upper,
            magnitudes: 0,
        };
        // Neighbours in the order of their elimination: links are searched by step.
        for (p, mut around) in order {
            around.sort_unstable_by_key(|&q| step_of[q]);
            let first_link = program.links.len();
            let (mut width, mut run) = (0, NONE);
            for q in around {
                program.links.push(Link {
                    step: step_of[q] as u32,
                    column: width as u32,
                    size: sizes[q] as u32,
                    unknown: unknown_of[q] as u32,
                });
                width += sizes[q];
            }
            if let [first, .., last] | [first @ last] = &program.links[first_link..]
                && (last.unknown + last.size - first.unknown) as usize == width
            {
                run = first.unknown;
            }
            let size = sizes[p];
            upper -= size * width;
            let start = program.values;
            program.values += size * (size + width);
            // Only row blocks may be redundant: only their pivots need the sizes of their terms.
            let mut magnitude = NONE;
            if p >= variables {
                magnitude = program.magnitudes as u32;
                program.magnitudes += size * size;
            }
            program.steps.push(Step {
                start,
                upper,
                size: size as u32,
                width: width as u32,
                unknown: unknown_of[p] as u32,
                origin: origins[p] as u32,
                links: [first_link, program.links.len()].map(|link| link as u32),
                updates: NONE,
                magnitude,
                run,
                decoupled: size == 6 && p < variables,
            });
        }
        program.schedule_updates();
        for (p, &size) in sizes.iter().enumerate() {
            let own = unknown_of[p]..unknown_of[p] + size;
            program.position.extend(own.map(|unknown| unknown as u32));
        }
        program.map_entries(system, &owners(&sizes), &step_of);
        program.supernodes = Supernode::all(&program.steps, |step| program.links(step));
        program
    }

    fn schedule_updates(&mut self) {
        for s in 0..self.steps.len() {
            let [begin, end] = self.steps[s].links.map(|link| link as usize);
            let count = end - begin;
            self.pairs += count * count;
            // What others leave in a pivot block couples all of it.
            for i in begin..end {
                let row = self.links[i].step as usize;
                self.steps[row].decoupled = false;
            }
            if count > LISTED {
                continue;
            }
            self.steps[s].updates = self.updates.len() as u32;
            // Every pair of later neighbours gets a product of the panels.
            for i in begin..end {
                for j in begin..end {
                    let [row, column] = [i, j].map(|link| self.links[link].step as usize);
                    let (target, stride) = self.block(row, column);
                    let tracked = if row == column {
                        self.steps[row].magnitude
                    } else {
                        Update::UNTRACKED
                    };
                    self.updates.push(Update {
                        target,
                        stride: stride as u32,
                        tracked,
                    });
                }
            }
        }
    }

    /// Calls `visit` with every pair of later neighbours of a step and the place of their block.
    #[inline]
    pub fn for_each_update(&self, step: &Step, mut visit: impl FnMut([&Link; 2], Update)) {
        let links = self.links(step);
        if step.updates != NONE {
            let mut updates = self.updates[step.updates as usize..].iter();
            for row in links {
                for (column, update) in links.iter().zip(&mut updates) {
                    visit([row, column], *update);
                }
            }
            return;
        }
        for (index, early) in links.iter().enumerate() {
            let own = &self.steps[early.step as usize];
            visit(
                [early, early],
                Update {
                    target: own.start,
                    stride: own.size,
                    tracked: own.magnitude,
                },
            );
            // Its neighbours contain the later ones of this step, both in the order of elimination.
            let mut places = self.links(own).iter();
            for late in &links[index + 1..] {
                let Some(place) = places.find(|place| place.step == late.step) else {
                    break;
                };
                let column = place.column as usize;
                let right = Update {
                    target: own.upper + column,
                    stride: own.width,
                    tracked: Update::UNTRACKED,
                };
                visit([early, late], right);
                let below = Update {
                    target: own.lower() + column * own.size(),
                    stride: own.size,
                    tracked: Update::UNTRACKED,
                };
                visit([late, early], below);
            }
        }
    }

    /// One past the last unknown that a step changes, in elimination order.
    #[inline]
    pub fn reach(&self, step: &Step) -> usize {
        // Neighbours stand in the order of their elimination.
        let last = self.links(step).last();
        last.map_or(step.unknowns().end, |link| {
            (link.unknown + link.size) as usize
        })
    }

    /// The later neighbours of a step.
    #[inline]
    pub fn links(&self, step: &Step) -> &[Link] {
        &self.links[step.links[0] as usize..step.links[1] as usize]
    }

    /// Where the diagonal entry of an unknown goes.
    pub fn diagonal(&self, unknown: usize) -> usize {
        let position = self.position[unknown] as usize;
        let after = self
            .steps
            .partition_point(|step| step.unknown() <= position);
        // Steps without unknowns share their first one with the next step, which is the one after them.
        let step = &self.steps[after.saturating_sub(1)];
        step.start + (position - step.unknown()) * (step.size() + 1)
    }

    /// First value and row distance of the block of equations `row` and unknowns `column`.
    fn block(&self, row: usize, column: usize) -> (usize, usize) {
        // A block lies in the panels of whichever of both is eliminated first.
        let early = &self.steps[row.min(column)];
        if row == column {
            return (early.start, early.size());
        }
        let later = row.max(column);
        let links = self.links(early);
        // The elimination graph contains every edge asked for, so the fallback index is not used.
        let found = links
            .binary_search_by_key(&later, |l| l.step as usize)
            .unwrap_or_default();
        let offset = links.get(found).map_or(0, |l| l.column as usize);
        if row < column {
            (early.upper + offset, early.width())
        } else {
            (early.lower() + offset * early.size(), early.size())
        }
    }

    fn map_entries(&mut self, system: &System, owner: &[usize], step_of: &[usize]) {
        let counts = [system.a.nnz(), system.b.nnz(), system.c.nnz()];
        let mut parts = counts.map(Vec::with_capacity);
        let mut number = 0;
        let ends = [counts[0], counts[0] + counts[1]];
        system.for_each(|i, j, _| {
            let (row, column) = (step_of[owner[i]], step_of[owner[j]]);
            let (start, stride) = self.block(row, column);
            let local_row = self.position[i] as usize - self.steps[row].unknown();
            let local_column = self.position[j] as usize - self.steps[column].unknown();
            if row == column && (local_row < 3) != (local_column < 3) {
                self.steps[row].decoupled = false;
            }
            let part = usize::from(number >= ends[0]) + usize::from(number >= ends[1]);
            parts[part].push(start + local_row * stride + local_column);
            number += 1;
        });
        [self.a, self.b, self.c] = parts.map(|targets| Scatter::new(&targets));
    }
}
