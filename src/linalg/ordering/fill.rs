//! The fill of a sequence of eliminations, without eliminating.

use super::graph::Graph;
use super::{Candidate, Order};

/// The neighbours that each block has at its turn; none if the elimination takes more products than `limit`.
///
/// A block has the neighbours it starts with, and those of every earlier block of which it is the next neighbour, as far as they
/// come later (George & Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981, ch. 5).
pub(super) fn fill(graph: &Graph, sequence: &[usize], limit: f64) -> Option<Candidate> {
    let mut turn_of = vec![0; graph.len()];
    for (turn, &p) in sequence.iter().enumerate() {
        turn_of[p] = turn;
    }
    let mut order = Order::with_capacity(graph.len());
    // Turns of which a block is the next neighbour.
    let mut before = vec![Vec::new(); graph.len()];
    let mut seen_by = vec![usize::MAX; graph.len()];
    let mut products = 0.0;
    for (turn, &p) in sequence.iter().enumerate() {
        let mut around = Vec::new();
        let inherited = before[p].iter().map(|&earlier: &usize| &order[earlier].1);
        for &q in inherited.chain([&graph.adjacent[p]]).flatten() {
            if turn_of[q] > turn && seen_by[q] != turn {
                seen_by[q] = turn;
                around.push(q);
            }
        }
        products += graph.products(p, &around);
        if products > limit {
            return None;
        }
        if let Some(&next) = around.iter().min_by_key(|&&q| turn_of[q]) {
            before[next].push(turn);
        }
        order.push((p, around));
    }
    Some(Candidate { order, products })
}
