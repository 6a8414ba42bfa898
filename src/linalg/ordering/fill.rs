//! The fill of a sequence of eliminations, without eliminating.

use super::graph::Graph;

/// Visits all blocks of a sequence with the neighbours that each has at its turn; how many products that takes, or none if it is more
/// than `limit`.
///
/// A block has the neighbours it starts with, and those of its children in the elimination tree, as far as they come later. Its children
/// are the blocks of which it is the first later neighbour (George & Liu, Computer Solution of Large Sparse Positive Definite
/// Systems, 1981, ch. 5).
pub(super) fn fill(
    graph: &Graph,
    sequence: &[usize],
    limit: f64,
    mut visit: impl FnMut(usize, &[usize]),
) -> Option<f64> {
    let mut turn_of = vec![0; graph.len()];
    for (turn, &p) in sequence.iter().enumerate() {
        turn_of[p] = turn;
    }
    // The neighbours of each child, until its parent has taken them.
    let mut of_children: Vec<Vec<Vec<usize>>> = vec![Vec::new(); graph.len()];
    let mut seen_at = vec![usize::MAX; graph.len()];
    let mut products = 0.0;
    for (turn, &p) in sequence.iter().enumerate() {
        let mut around = Vec::new();
        let inherited = std::mem::take(&mut of_children[p]);
        for &q in inherited.iter().chain([&graph.adjacent[p]]).flatten() {
            if turn_of[q] > turn && seen_at[q] != turn {
                seen_at[q] = turn;
                around.push(q);
            }
        }
        products += graph.products(p, &around);
        if products > limit {
            return None;
        }
        visit(p, &around);
        if let Some(&parent) = around.iter().min_by_key(|&&q| turn_of[q]) {
            of_children[parent].push(around);
        }
    }
    Some(products)
}
