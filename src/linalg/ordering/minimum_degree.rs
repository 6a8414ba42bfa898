//! The order of minimum degree: next is a block that has the fewest unknowns around it.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::graph::Graph;
use super::ready_queue::ReadyQueue;
use super::{Order, Rule};

/// A list that is so many times as long as another is searched for its numbers instead of walked through.
const MUCH_LONGER: usize = 16;

/// None if the elimination takes more products than `limit`.
pub(super) fn minimum_degree(graph: &Graph, rule: Rule, limit: f64) -> Option<Order> {
    let mut turns = ReadyQueue::new(graph, rule);
    let mut neighbours = Neighbours::new(graph);
    // On equal degree row blocks go first: their pivots are ready, and they end the fill of a body.
    let key = |degree: usize, p: usize| Reverse((degree, p < graph.variables, p));
    let variables = 0..graph.variables;
    let mut heap: BinaryHeap<_> = variables.map(|p| key(neighbours.degree[p], p)).collect();
    let mut order = Order::with_capacity(graph.len());
    let mut products = 0.0;
    loop {
        turns.awaken(|r| heap.push(key(neighbours.degree[r], r)));
        let Some(Reverse((known, _, p))) = heap.pop() else {
            if turns.release(|r| heap.push(key(neighbours.degree[r], r))) {
                continue;
            }
            return Some(order);
        };
        // Entries of the heap are never changed: outdated ones are recognized by their degree.
        if known != neighbours.degree[p] || !turns.take(p) {
            continue;
        }
        let around = neighbours.eliminate(p, &turns);
        products += graph.products(p, &around);
        if products > limit {
            return None;
        }
        for &q in around.iter().filter(|&&q| turns.is_ready(q)) {
            heap.push(key(neighbours.degree[q], q));
        }
        order.push((p, around));
    }
}

/// The neighbours that blocks have at a time.
struct Neighbours<'a> {
    graph: &'a Graph,
    /// Of each block, fill included, ascending. Some may be gone.
    lists: Vec<Vec<usize>>,
    /// Unknowns of the neighbours that are left.
    degree: Vec<usize>,
    /// Of each block: how many blocks its last neighbour left behind, all of them neighbours of each other since.
    left_behind: Vec<usize>,
    joined: Vec<usize>,
}

impl<'a> Neighbours<'a> {
    fn new(graph: &'a Graph) -> Self {
        let lists = graph.adjacent.clone();
        let size = |list: &Vec<usize>| list.iter().map(|&q| graph.sizes[q]).sum();
        Self {
            graph,
            degree: lists.iter().map(size).collect(),
            lists,
            left_behind: vec![0; graph.len()],
            joined: Vec::new(),
        }
    }

    /// The neighbours that a block, whose turn it was, leaves behind. They become neighbours of each other: fill.
    fn eliminate(&mut self, p: usize, turns: &ReadyQueue) -> Vec<usize> {
        let mut around = std::mem::take(&mut self.lists[p]);
        around.retain(|&q| !turns.is_eliminated(q));
        // As many as its last neighbour has left, but for itself: the same ones.
        let are_neighbours = around.len() + 1 == self.left_behind[p];
        for &q in &around {
            self.degree[q] -= self.graph.sizes[p];
            if !are_neighbours {
                self.join(q, &around, turns);
            }
            self.left_behind[q] = around.len();
        }
        around
    }

    /// Makes all of these neighbours of one of them.
    fn join(&mut self, q: usize, around: &[usize], turns: &ReadyQueue) {
        let list = &self.lists[q];
        let has = |r: &usize| *r == q || list.binary_search(r).is_ok();
        if list.len() > MUCH_LONGER * around.len() && around.iter().all(has) {
            return;
        }
        self.joined.clear();
        let (mut old, mut new) = (list.iter().peekable(), around.iter().peekable());
        loop {
            let order = match (old.peek(), new.peek()) {
                (Some(a), Some(b)) => a.cmp(b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            if order.is_gt() {
                let added = new.next().filter(|&&r| r != q);
                self.degree[q] += added.map_or(0, |&r| self.graph.sizes[r]);
                self.joined.extend(added);
            } else {
                if order.is_eq() {
                    new.next();
                }
                self.joined
                    .extend(old.next().filter(|&&r| !turns.is_eliminated(r)));
            }
        }
        std::mem::swap(&mut self.lists[q], &mut self.joined);
    }
}
