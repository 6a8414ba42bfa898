//! The elimination program: where every block lives and which updates follow every pivot.

use super::blocks::{Blocks, owners};
use super::ordering::{Rule, order};
use super::spans::Scatter;
use super::system::System;

/// One pivot block. All offsets count values in the one value buffer unless said otherwise.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// Order of the pivot block.
    pub size: usize,
    /// First unknown, in elimination order.
    pub unknown: usize,
    /// Total size of the later neighbours.
    pub width: usize,
    /// Pivot block, `size x size`, followed by the upper panel `size x width`, followed by the
    /// lower panel `width x size`, all row-major.
    pub start: usize,
    /// One past the lower panel.
    pub end: usize,
    /// Later neighbours, as a range of `Program::links`.
    pub links: (usize, usize),
    /// Updates, as a range of `Program::updates`.
    pub updates: (usize, usize),
    /// For row blocks, where the magnitudes of their pivot contributions are kept.
    pub magnitude: Option<usize>,
}

impl Step {
    pub fn upper(&self) -> usize {
        self.start + self.size * self.size
    }

    pub fn lower(&self) -> usize {
        self.upper() + self.size * self.width
    }
}

/// A later neighbour of a pivot block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// Step that eliminates the neighbour.
    pub step: usize,
    /// First column in the upper panel, and first row in the lower panel.
    pub column: usize,
    /// Number of unknowns.
    pub size: usize,
    /// First unknown of the neighbour, in elimination order.
    pub unknown: usize,
}

/// `target -= lower[row..row + rows] * upper[.., column..column + columns]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Update {
    pub row: usize,
    pub rows: usize,
    pub column: usize,
    pub columns: usize,
    /// Where the target block starts, and the distance of its rows.
    pub target: usize,
    pub stride: usize,
    /// Where to keep the magnitudes, if the target is the pivot block of a row block.
    pub magnitude: Option<usize>,
}

/// The symbolic factorization.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub steps: Vec<Step>,
    pub links: Vec<Link>,
    pub updates: Vec<Update>,
    /// Position of every unknown in elimination order.
    pub position: Vec<usize>,
    /// Where the values of `A`, `B` and `C` go.
    pub a: Scatter,
    pub b: Scatter,
    pub c: Scatter,
    /// Lengths of the value buffer and the magnitude buffer.
    pub values: usize,
    pub magnitudes: usize,
}

impl Program {
    pub fn new(system: &System, blocks: &Blocks, rule: Rule) -> Self {
        let order = order(system, blocks, rule);
        let sizes: Vec<usize> = blocks
            .variables
            .iter()
            .chain(&blocks.rows)
            .copied()
            .collect();
        let variables = blocks.variables.len();
        let mut step_of = vec![0; sizes.len()];
        let mut unknown_of = vec![0; sizes.len()];
        let mut unknown = 0;
        for (s, &(p, _)) in order.iter().enumerate() {
            step_of[p] = s;
            unknown_of[p] = unknown;
            unknown += sizes[p];
        }
        let mut program = Self {
            steps: Vec::with_capacity(order.len()),
            links: Vec::new(),
            updates: Vec::new(),
            position: Vec::with_capacity(unknown),
            a: Scatter::new(&[]),
            b: Scatter::new(&[]),
            c: Scatter::new(&[]),
            values: 0,
            magnitudes: 0,
        };
        // Neighbours in the order of their elimination: links are searched by step.
        for (p, mut around) in order {
            around.sort_unstable_by_key(|&q| step_of[q]);
            let first_link = program.links.len();
            let mut width = 0;
            for q in around {
                program.links.push(Link {
                    step: step_of[q],
                    column: width,
                    size: sizes[q],
                    unknown: unknown_of[q],
                });
                width += sizes[q];
            }
            let size = sizes[p];
            // Pivot, upper panel, lower panel.
            let start = program.values;
            program.values += size * (size + 2 * width);
            // Only row blocks may be redundant: only their pivots need the sizes of their terms.
            let magnitude = (p >= variables).then_some(program.magnitudes);
            if p >= variables {
                program.magnitudes += size * size;
            }
            program.steps.push(Step {
                size,
                unknown: unknown_of[p],
                width,
                start,
                end: program.values,
                links: (first_link, program.links.len()),
                updates: (0, 0),
                magnitude,
            });
        }
        program.schedule_updates();
        for (p, &size) in sizes.iter().enumerate() {
            program.position.extend(unknown_of[p]..unknown_of[p] + size);
        }
        program.map_entries(system, &owners(&sizes), &step_of);
        program
    }

    fn schedule_updates(&mut self) {
        for s in 0..self.steps.len() {
            let first = self.updates.len();
            let (begin, end) = self.steps[s].links;
            // Every pair of later neighbours gets a product of the panels.
            for i in begin..end {
                for j in begin..end {
                    let (row, column) = (self.links[i], self.links[j]);
                    let (target, stride) = self.block(row.step, column.step);
                    let diagonal = row.step == column.step;
                    self.updates.push(Update {
                        row: row.column,
                        rows: row.size,
                        column: column.column,
                        columns: column.size,
                        target,
                        stride,
                        magnitude: if diagonal {
                            self.steps[row.step].magnitude
                        } else {
                            None
                        },
                    });
                }
            }
            self.steps[s].updates = (first, self.updates.len());
        }
    }

    /// Where the diagonal entry of an unknown goes.
    pub fn diagonal(&self, unknown: usize) -> usize {
        let position = self.position[unknown];
        let after = self.steps.partition_point(|step| step.unknown <= position);
        // Steps without unknowns share their first one with the next step, which is the one after them.
        let step = &self.steps[after.saturating_sub(1)];
        step.start + (position - step.unknown) * (step.size + 1)
    }

    /// First value and row distance of the block of equations `row` and unknowns `column`.
    fn block(&self, row: usize, column: usize) -> (usize, usize) {
        // A block lies in the panels of whichever of both is eliminated first.
        let early = &self.steps[row.min(column)];
        if row == column {
            return (early.start, early.size);
        }
        let later = row.max(column);
        let links = &self.links[early.links.0..early.links.1];
        // The elimination graph contains every edge asked for, so the fallback index is not used.
        let found = links
            .binary_search_by_key(&later, |l| l.step)
            .unwrap_or_default();
        let offset = links.get(found).map_or(0, |l| l.column);
        if row < column {
            (early.upper() + offset, early.width)
        } else {
            (early.lower() + offset * early.size, early.size)
        }
    }

    fn map_entries(&mut self, system: &System, owner: &[usize], step_of: &[usize]) {
        let mut targets = Vec::new();
        system.for_each(|i, j, _| {
            let (row, column) = (step_of[owner[i]], step_of[owner[j]]);
            let (start, stride) = self.block(row, column);
            let local_row = self.position[i] - self.steps[row].unknown;
            let local_column = self.position[j] - self.steps[column].unknown;
            targets.push(start + local_row * stride + local_column);
        });
        let (a, rest) = targets.split_at(system.a.nnz());
        let (b, c) = rest.split_at(system.b.nnz());
        (self.a, self.b, self.c) = (Scatter::new(a), Scatter::new(b), Scatter::new(c));
    }
}
