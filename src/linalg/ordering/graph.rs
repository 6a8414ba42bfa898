//! The block graph: which blocks of the matrix meet.

use std::ops::Range;

use crate::linalg::Pattern;
use crate::linalg::blocks::{Blocks, owners, starts};
use crate::linalg::system::System;

/// Blocks of variables first, then blocks of rows.
pub(super) struct Graph {
    pub sizes: Vec<usize>,
    /// Blocks of variables.
    pub variables: usize,
    /// Neighbours of each block, ascending.
    pub adjacent: Vec<Vec<usize>>,
    /// Bipartite part: rows of variable blocks, variables of row blocks.
    pub neighbours: Vec<Vec<usize>>,
    /// For every row block, whether it may claim its neighbours of the same index.
    pub claimable: Vec<Vec<bool>>,
}

impl Graph {
    pub fn new(system: &System, blocks: &Blocks) -> Self {
        let variables = blocks.variables.len();
        let sizes = blocks.sizes();
        let owner = owners(&sizes);
        let starts = starts(&sizes);
        let mut adjacent = vec![Vec::new(); sizes.len()];
        system.for_each(|i, j, _| {
            let (p, q) = (owner[i], owner[j]);
            // Entries of one block come one after the other.
            if p != q && adjacent[p].last() != Some(&q) {
                adjacent[p].push(q);
                adjacent[q].push(p);
            }
        });
        for list in &mut adjacent {
            list.sort_unstable();
            list.dedup();
        }
        let neighbours: Vec<Vec<usize>> = adjacent
            .iter()
            .enumerate()
            .map(|(p, list)| {
                let other_side = |q: &usize| (*q < variables) != (p < variables);
                list.iter().copied().filter(other_side).collect()
            })
            .collect();
        // A claim needs rows that can be matched with the variables of one block in B and in C.
        let n: usize = blocks.variables.iter().sum();
        let claimable = (variables..sizes.len()).map(|r| {
            let (first, size) = (starts[r] - n, sizes[r]);
            let rows = first..first + size;
            let fits = |&v: &usize| {
                let columns = starts[v]..starts[v] + sizes[v];
                [&system.b, &system.c]
                    .iter()
                    .all(|pattern| structural_rank(pattern, rows.clone(), columns.clone()) == size)
            };
            neighbours[r].iter().map(fits).collect()
        });
        let claimable = claimable.collect();
        Self {
            sizes,
            variables,
            adjacent,
            neighbours,
            claimable,
        }
    }

    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Blocks of every connected part that has so many independent loops at least; then those of all other parts together. All lists
    /// are ascending. A part with one edge less than blocks is a chain or a tree: every further edge closes a loop.
    pub fn nets(&self, least: usize) -> (Vec<Vec<usize>>, Vec<usize>) {
        let mut seen = vec![false; self.len()];
        let (mut nets, mut others) = (Vec::new(), Vec::new());
        for start in 0..self.len() {
            if seen[start] {
                continue;
            }
            seen[start] = true;
            let (mut part, mut ends) = (vec![start], 0);
            let mut next = 0;
            while let Some(&p) = part.get(next) {
                next += 1;
                ends += self.adjacent[p].len();
                for &q in &self.adjacent[p] {
                    if !seen[q] {
                        seen[q] = true;
                        part.push(q);
                    }
                }
            }
            if ends / 2 + 1 >= part.len() + least {
                part.sort_unstable();
                nets.push(part);
            } else {
                others.append(&mut part);
            }
        }
        others.sort_unstable();
        (nets, others)
    }

    /// The graph of some blocks, an ascending list, that have no neighbours among the others. Each block's `number` is its place there.
    pub fn part(&self, blocks: &[usize], number: &[usize]) -> Self {
        let lists = |lists: &[Vec<usize>]| -> Vec<Vec<usize>> {
            let of = |&p: &usize| lists[p].iter().map(|&q| number[q]).collect();
            blocks.iter().map(of).collect()
        };
        let rows = blocks.iter().filter(|&&p| p >= self.variables);
        Self {
            sizes: blocks.iter().map(|&p| self.sizes[p]).collect(),
            variables: blocks.partition_point(|&p| p < self.variables),
            adjacent: lists(&self.adjacent),
            neighbours: lists(&self.neighbours),
            claimable: rows
                .map(|&r| self.claimable[r - self.variables].clone())
                .collect(),
        }
    }

    /// About how many products the elimination of a block costs that has these neighbours at that time.
    pub fn products(&self, p: usize, around: &[usize]) -> f64 {
        let size = self.sizes[p] as f64;
        let width = around.iter().map(|&q| self.sizes[q]).sum::<usize>() as f64;
        // The inverse of the pivot block, its products with one panel, and the products of both panels.
        size * (size * size + size * width + width * width)
    }
}

/// Largest matching of some rows with some columns (augmenting paths).
fn structural_rank(pattern: &Pattern, rows: Range<usize>, columns: Range<usize>) -> usize {
    let within = |i: usize| {
        let row = pattern.row(i);
        let place = |column: usize| row.partition_point(|&j| j < column);
        &row[place(columns.start)..place(columns.end)]
    };
    let candidates: Vec<&[usize]> = rows.map(within).collect();
    let mut matched: Vec<(usize, usize)> = Vec::new();
    fn augment(
        row: usize,
        candidates: &[&[usize]],
        seen: &mut Vec<usize>,
        matched: &mut Vec<(usize, usize)>,
    ) -> bool {
        for &column in candidates[row] {
            if seen.contains(&column) {
                continue;
            }
            seen.push(column);
            match matched.iter().position(|&(_, c)| c == column) {
                None => {
                    matched.push((row, column));
                    return true;
                }
                Some(k) => {
                    let other = matched[k].0;
                    if augment(other, candidates, seen, matched) {
                        // `other` found a new partner; its old one is free for `row`.
                        if let Some(k) = matched.iter().position(|&pair| pair == (other, column)) {
                            matched[k].0 = row;
                        }
                        return true;
                    }
                }
            }
        }
        false
    }
    (0..candidates.len())
        .filter(|&row| augment(row, &candidates, &mut Vec::new(), &mut matched))
        .count()
}
