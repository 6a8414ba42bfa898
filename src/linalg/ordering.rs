//! Elimination order of the block graph: minimum degree under the rule of `claims`.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::blocks::{Blocks, owners};
use super::claims::{Claims, Verdict};
use super::system::System;

/// Which order to build.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Rule {
    /// Minimum degree over all nodes; row blocks follow the claims.
    Claims,
    /// All variables first: safe for every positive definite `A`, possibly with much fill.
    VariablesFirst,
}

/// Eliminated nodes in order, each with its neighbours at the time of its elimination.
pub(super) type Order = Vec<(usize, Vec<usize>)>;

/// The block graph: variable blocks first, then row blocks.
struct Graph {
    sizes: Vec<usize>,
    adjacent: Vec<BTreeSet<usize>>,
    /// Bipartite part: rows of variable blocks, variables of row blocks.
    neighbours: Vec<Vec<usize>>,
    claimable: Vec<Vec<bool>>,
}

pub(super) fn order(system: &System, blocks: &Blocks, rule: Rule) -> Order {
    let mut graph = build(system, blocks);
    let variables = blocks.variables.len();
    let count = graph.sizes.len();
    let mut degree: Vec<usize> = graph
        .adjacent
        .iter()
        .map(|set| set.iter().map(|&q| graph.sizes[q]).sum())
        .collect();
    let mut claims = Claims::new(variables, &graph.neighbours, &graph.claimable);
    let mut eliminated = vec![false; count];
    // On equal degree row blocks go first: their pivots are ready, and they end the fill of a body.
    let key = |degree: &[usize], p: usize| Reverse((degree[p], p < variables, p));
    let mut heap: BinaryHeap<_> = (0..variables).map(|p| key(&degree, p)).collect();
    let mut ready = vec![true; variables];
    ready.resize(count, false);
    let mut again: Vec<usize> = match rule {
        // Row blocks without any variable are closed from the start.
        Rule::Claims => (variables..count).collect(),
        Rule::VariablesFirst => Vec::new(),
    };
    let mut order = Order::with_capacity(count);
    loop {
        for r in again.drain(..) {
            if !eliminated[r] && !matches!(claims.judge(r), Verdict::Wait | Verdict::Stuck) {
                ready[r] = true;
                heap.push(key(&degree, r));
            }
        }
        let Some(Reverse((known, _, p))) = heap.pop() else {
            if order.len() == count {
                return order;
            }
            // Every variable is gone: the remaining row blocks are safe in any order.
            for r in variables..count {
                if !eliminated[r] {
                    ready[r] = true;
                    heap.push(key(&degree, r));
                }
            }
            continue;
        };
        // Entries of the heap are never changed: outdated ones are recognized by their degree.
        if eliminated[p] || !ready[p] || known != degree[p] {
            continue;
        }
        if p < variables {
            claims.eliminate_variable(p, &mut again);
        } else {
            let all_variables_gone = order.len() >= variables && rule == Rule::VariablesFirst;
            let verdict = if all_variables_gone {
                Verdict::Closed
            } else {
                claims.judge(p)
            };
            if matches!(verdict, Verdict::Wait | Verdict::Stuck) {
                ready[p] = false;
                continue;
            }
            claims.eliminate_row(p, verdict, &mut again);
        }
        // All variables come first: no row block is judged before.
        if rule == Rule::VariablesFirst {
            again.clear();
        }
        eliminated[p] = true;
        // Elimination connects all neighbours with each other: fill.
        let around: Vec<usize> = std::mem::take(&mut graph.adjacent[p]).into_iter().collect();
        for &q in &around {
            graph.adjacent[q].remove(&p);
            degree[q] -= graph.sizes[p];
            for &r in &around {
                if r != q && graph.adjacent[q].insert(r) {
                    degree[q] += graph.sizes[r];
                }
            }
            if ready[q] {
                heap.push(key(&degree, q));
            }
        }
        order.push((p, around));
    }
}

fn build(system: &System, blocks: &Blocks) -> Graph {
    let variables = blocks.variables.len();
    let sizes: Vec<usize> = blocks
        .variables
        .iter()
        .chain(&blocks.rows)
        .copied()
        .collect();
    let owner = owners(&sizes);
    let mut adjacent = vec![BTreeSet::new(); sizes.len()];
    system.for_each(|i, j, _| {
        let (p, q) = (owner[i], owner[j]);
        if p != q {
            adjacent[p].insert(q);
            adjacent[q].insert(p);
        }
    });
    let neighbours: Vec<Vec<usize>> = adjacent
        .iter()
        .enumerate()
        .map(|(p, set)| {
            let other_side = |q: &usize| (*q < variables) != (p < variables);
            set.iter().copied().filter(other_side).collect()
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
    Graph {
        sizes,
        adjacent,
        neighbours,
        claimable,
    }
}

/// Largest matching of the rows with the columns of variable block `v` (augmenting paths).
fn structural_rank(
    pattern: &super::Pattern,
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
