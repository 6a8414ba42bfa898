//! The block graph: which blocks of the matrix meet.

use crate::linalg::Pattern;
use crate::linalg::blocks::{Blocks, owners};
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
        let sizes: Vec<usize> = blocks
            .variables
            .iter()
            .chain(&blocks.rows)
            .copied()
            .collect();
        let owner = owners(&sizes);
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
        let mut claimable = Vec::with_capacity(blocks.rows.len());
        let mut first = 0;
        for (r, &size) in blocks.rows.iter().enumerate() {
            let fits = |&v: &usize| {
                [&system.b, &system.c]
                    .iter()
                    .all(|pattern| structural_rank(pattern, first..first + size, v, &owner) == size)
            };
            claimable.push(neighbours[variables + r].iter().map(fits).collect());
            first += size;
        }
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

    /// Independent loops: so many edges could go, and what was connected still would be. None in a chain or a tree.
    pub fn loops(&self) -> usize {
        let edges = self.adjacent.iter().map(Vec::len).sum::<usize>() / 2;
        let mut seen = vec![false; self.len()];
        let (mut components, mut next) = (0, Vec::new());
        for start in 0..self.len() {
            if seen[start] {
                continue;
            }
            components += 1;
            seen[start] = true;
            next.push(start);
            while let Some(p) = next.pop() {
                for &q in &self.adjacent[p] {
                    if !seen[q] {
                        seen[q] = true;
                        next.push(q);
                    }
                }
            }
        }
        edges + components - self.len()
    }

    /// About how many products the elimination of a block costs that has these neighbours at that time.
    pub fn products(&self, p: usize, around: &[usize]) -> f64 {
        let size = self.sizes[p] as f64;
        let width = around.iter().map(|&q| self.sizes[q]).sum::<usize>() as f64;
        // The inverse of the pivot block, its products with one panel, and the products of both panels.
        size * (size * size + size * width + width * width)
    }
}

/// Largest matching of the rows with the columns of variable block `v` (augmenting paths).
fn structural_rank(
    pattern: &Pattern,
    rows: std::ops::Range<usize>,
    v: usize,
    owner: &[usize],
) -> usize {
    let candidates: Vec<Vec<usize>> = rows
        .map(|i| {
            pattern
                .row(i)
                .iter()
                .copied()
                .filter(|&j| owner[j] == v)
                .collect()
        })
        .collect();
    let mut matched: Vec<(usize, usize)> = Vec::new();
    fn augment(
        row: usize,
        candidates: &[Vec<usize>],
        seen: &mut Vec<usize>,
        matched: &mut Vec<(usize, usize)>,
    ) -> bool {
        for &column in &candidates[row] {
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
