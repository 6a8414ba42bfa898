//! Elimination order of the block graph, under the rule of `claims`.
//!
//! In chains, trees and mechanisms with a few loops it is the order of minimum degree. Nets have loops everywhere, and orders differ
//! much in their fill there: of several ones the one with the fewest products is taken.

mod fill;
mod graph;
mod joints;
mod minimum_degree;
mod pivot_rule;
mod ready_queue;
#[cfg(test)]
mod tests;

use super::blocks::Blocks;
use super::system::System;
use fill::fill;
use graph::Graph;
use minimum_degree::minimum_degree;

/// Which order to build.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Rule {
    /// Row blocks follow the claims.
    PivotRule,
    /// All variables first: safe for every positive definite `A`, possibly with much fill.
    VariablesFirst,
}

/// Eliminated nodes in order, each with its neighbours at the time of its elimination.
pub(super) type Order = Vec<(usize, Vec<usize>)>;

/// A part of a mechanism with at least so many independent loops is a net: several orders are compared. A net of 9 × 9 nodes has 64.
/// With fewer loops there is little to gain.
const NET: usize = 64;

pub(super) fn order(system: &System, blocks: &Blocks, rule: Rule) -> Order {
    let graph = Graph::new(system, blocks);
    let (nets, others) = graph.nets(NET);
    if nets.is_empty() {
        return best(&graph, rule, Vec::new());
    }
    // Parts do not know each other: their orders follow each other.
    let mut number = vec![0; graph.len()];
    for blocks in nets.iter().chain([&others]) {
        for (place, &p) in blocks.iter().enumerate() {
            number[p] = place;
        }
    }
    let mut order = Order::with_capacity(graph.len());
    let mut append = |blocks: &[usize], part: Order| {
        order.extend(part.into_iter().map(|(p, mut around)| {
            around.iter_mut().for_each(|q| *q = blocks[*q]);
            (blocks[p], around)
        }));
    };
    for blocks in &nets {
        let net = graph.part(blocks, &number);
        append(blocks, best(&net, rule, joints::sequences(&net, rule)));
    }
    let rest = graph.part(&others, &number);
    append(&others, best(&rest, rule, Vec::new()));
    order
}

/// The order with the fewest products: one of these sequences, or that of minimum degree.
fn best(graph: &Graph, rule: Rule, sequences: Vec<Vec<usize>>) -> Order {
    let (mut fewest, mut best) = (f64::INFINITY, Vec::new());
    for sequence in sequences {
        if let Some(products) = fill(graph, &sequence, fewest, |_, _| ()) {
            (fewest, best) = (products, sequence);
        }
    }
    // The last one: where it has many more products it ends early.
    if let Some(order) = minimum_degree(graph, rule, fewest) {
        return order;
    }
    let mut order = Order::with_capacity(graph.len());
    fill(graph, &best, f64::INFINITY, |p, around| {
        order.push((p, around.to_vec()));
    });
    order
}
