//! The order of minimum degree: next is a block that has the fewest unknowns around it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::graph::Graph;
use super::turns::Turns;
use super::{Candidate, Order, Rule};

/// None if the elimination takes more products than `limit`.
pub(super) fn minimum_degree(graph: &Graph, rule: Rule, limit: f64) -> Option<Candidate> {
    let mut turns = Turns::new(graph, rule);
    // Neighbours that are left, fill included, ascending.
    let mut adjacent = graph.adjacent.clone();
    let size_of = |list: &[usize]| list.iter().map(|&q| graph.sizes[q]).sum::<usize>();
    let mut degree: Vec<usize> = adjacent.iter().map(|list| size_of(list)).collect();
    // On equal degree row blocks go first: their pivots are ready, and they end the fill of a body.
    let key = |degree: &[usize], p: usize| Reverse((degree[p], p < graph.variables, p));
    let mut heap: BinaryHeap<_> = (0..graph.variables).map(|p| key(&degree, p)).collect();
    let mut order = Order::with_capacity(graph.len());
    let mut products = 0.0;
    let mut merged = Vec::new();
    // All blocks that are left, once they are neighbours of each other.
    let mut clique: Option<Vec<usize>> = None;
    loop {
        turns.awaken(|r| heap.push(key(&degree, r)));
        let Some(Reverse((known, _, p))) = heap.pop() else {
            if turns.release(|r| heap.push(key(&degree, r))) {
                continue;
            }
            return Some(Candidate { order, products });
        };
        // Entries of the heap are never changed: outdated ones are recognized by their degree.
        if known != degree[p] || !turns.take(p) {
            continue;
        }
        let around = match &mut clique {
            Some(left) => {
                left.retain(|&q| q != p);
                left.clone()
            }
            None => std::mem::take(&mut adjacent[p]),
        };
        products += graph.products(p, &around);
        if products > limit {
            return None;
        }
        // Elimination connects all neighbours with each other: fill.
        if clique.is_none() {
            let all = around.len() == turns.left();
            let total = size_of(&around);
            for &q in &around {
                if all {
                    // Of a clique, degrees fall by the same number at each elimination: their order stays.
                    degree[q] = total - graph.sizes[q];
                } else {
                    merge(&adjacent[q], &around, [p, q], &mut merged);
                    std::mem::swap(&mut adjacent[q], &mut merged);
                    degree[q] = size_of(&adjacent[q]);
                }
                if turns.is_ready(q) {
                    heap.push(key(&degree, q));
                }
            }
            clique = all.then(|| around.clone());
        }
        order.push((p, around));
    }
}

/// Both ascending lists in one, without two numbers.
fn merge(a: &[usize], b: &[usize], without: [usize; 2], merged: &mut Vec<usize>) {
    merged.clear();
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let next = match (a.peek(), b.peek()) {
            (Some(x), Some(y)) if x < y => a.next(),
            (Some(x), Some(y)) if x == y => {
                a.next();
                b.next()
            }
            (_, Some(_)) => b.next(),
            (Some(_), None) => a.next(),
            (None, None) => return,
        };
        merged.extend(next.filter(|next| !without.contains(next)));
    }
}
