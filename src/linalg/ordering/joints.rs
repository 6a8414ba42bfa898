//! Orders of joints, by libraries: approximate minimum degree and nested dissection.
//!
//! A body is eliminated just before the first of its joints. The remaining graph is one of joints, in which those of one body are
//! neighbours: that of the Schur complement `G M⁻¹ Gᵀ`. Its separators are joints, and no joint has to wait for a body of another
//! part. Separators with bodies in them fill in more: the joints of such a body wait for it. Bodies with very many joints, and
//! variables that are coupled with others in `A`, have places of their own among the joints.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use feral_metis::CscPattern;

use super::Rule;
use super::graph::Graph;
use super::ready_queue::ReadyQueue;

/// A body with more joints than these is a vertex among them. All of its joints would be neighbours of each other, whose number grows
/// with the square; below this it is not much beside what elimination takes.
const HUB: usize = 32;

/// The graph of joints, with hubs and with variables that are coupled with others.
pub(super) struct Joints {
    /// Blocks that are its vertices.
    pub vertices: Vec<usize>,
    /// Neighbours of all vertices, one list after the other, and where each starts.
    pub neighbours: Vec<i32>,
    starts: Vec<i32>,
}

impl Joints {
    /// None if 32 bits do not suffice to number all neighbours.
    pub fn new(graph: &Graph) -> Option<Self> {
        let stays = |p: usize| {
            let coupled = graph.neighbours[p].len() < graph.adjacent[p].len();
            p >= graph.variables || coupled || graph.adjacent[p].len() > HUB
        };
        let vertices: Vec<usize> = (0..graph.len()).filter(|&p| stays(p)).collect();
        let mut number = vec![None; graph.len()];
        for (vertex, &p) in vertices.iter().enumerate() {
            number[p] = Some(i32::try_from(vertex).ok()?);
        }
        let (mut neighbours, mut starts) = (Vec::new(), vec![0]);
        let mut listed_at = vec![usize::MAX; graph.len()];
        for &p in &vertices {
            let first = neighbours.len();
            listed_at[p] = p;
            let mut list = |q: usize, vertex: i32| {
                if listed_at[q] != p {
                    listed_at[q] = p;
                    neighbours.push(vertex);
                }
            };
            for &q in &graph.adjacent[p] {
                if let Some(vertex) = number[q] {
                    list(q, vertex);
                    continue;
                }
                for &r in &graph.adjacent[q] {
                    if let Some(vertex) = number[r] {
                        list(r, vertex);
                    }
                }
            }
            neighbours[first..].sort_unstable();
            starts.push(i32::try_from(neighbours.len()).ok()?);
        }
        Some(Self {
            vertices,
            neighbours,
            starts,
        })
    }

    /// Places of all blocks, from an order of the vertices: that of a body is the first one of its joints. None if the order does not have
    /// every vertex once.
    fn places(&self, graph: &Graph, order: &[i32]) -> Option<Vec<usize>> {
        if order.len() != self.vertices.len() {
            return None;
        }
        let mut places = vec![None; graph.len()];
        for (place, &vertex) in order.iter().enumerate() {
            let p = *self.vertices.get(usize::try_from(vertex).ok()?)?;
            places[p] = Some(place);
        }
        if self.vertices.iter().any(|&p| places[p].is_none()) {
            return None;
        }
        let place = |p: usize| {
            let first = || graph.adjacent[p].iter().filter_map(|&q| places[q]).min();
            // A body without joints can go at any time.
            places[p].or_else(first).unwrap_or(0)
        };
        Some((0..graph.len()).map(place).collect())
    }
}

/// Sequences of elimination to choose from.
///
/// Approximate minimum degree (Amestoy, Davis & Duff 1996, doi:10.1137/S0895479894278952) fills in less in plane nets, nested dissection
/// (Karypis & Kumar 1998, doi:10.1137/S1064827595287997) in nets that extend in space. Where a library finds no order there is one
/// sequence less to choose from; results do not depend on it.
pub(super) fn sequences(graph: &Graph, rule: Rule) -> Vec<Vec<usize>> {
    let Some(joints) = Joints::new(graph) else {
        return Vec::new();
    };
    let Some(pattern) = CscPattern::new(joints.vertices.len(), &joints.starts, &joints.neighbours)
    else {
        return Vec::new();
    };
    let orders = [
        feral_amd::amd_order(&pattern),
        feral_metis::metis_order(&pattern),
    ];
    let found = orders.into_iter().flatten();
    found
        .filter_map(|order| joints.places(graph, &order))
        .map(|places| sequence(graph, rule, &places))
        .collect()
}

/// All blocks by their places, as far as their turns allow it; bodies before joints of the same place.
fn sequence(graph: &Graph, rule: Rule, places: &[usize]) -> Vec<usize> {
    let mut turns = ReadyQueue::new(graph, rule);
    let key = |p: usize| Reverse((places[p], p >= graph.variables, p));
    let mut heap: BinaryHeap<_> = (0..graph.variables).map(key).collect();
    let mut sequence = Vec::with_capacity(graph.len());
    loop {
        turns.awaken(|r| heap.push(key(r)));
        match heap.pop() {
            Some(Reverse((_, _, p))) if turns.take(p) => sequence.push(p),
            Some(_) => {}
            None if turns.release(|r| heap.push(key(r))) => {}
            None => return sequence,
        }
    }
}
