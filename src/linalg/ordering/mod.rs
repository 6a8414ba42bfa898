//! Elimination order of the block graph, under the rule of `claims`.
//!
//! In chains, trees and mechanisms with a few loops it is the order of minimum degree. Nets have loops everywhere, and orders differ
//! much in their fill there: of several ones the one with the fewest products is taken.

mod claims;
mod fill;
mod graph;
mod joints;
mod minimum_degree;
#[cfg(test)]
mod tests;
mod turns;

use super::blocks::Blocks;
use super::system::System;
use fill::fill;
use graph::Graph;
use minimum_degree::minimum_degree;

/// Which order to build.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Rule {
    /// Row blocks follow the claims.
    Claims,
    /// All variables first: safe for every positive definite `A`, possibly with much fill.
    VariablesFirst,
}

/// Eliminated nodes in order, each with its neighbours at the time of its elimination.
pub(super) type Order = Vec<(usize, Vec<usize>)>;

/// An order, and about how many products it takes.
struct Candidate {
    order: Order,
    products: f64,
}

/// From so many independent loops on several orders are compared.
const NET: usize = 64;

pub(super) fn order(system: &System, blocks: &Blocks, rule: Rule) -> Order {
    let graph = Graph::new(system, blocks);
    let sequences = if graph.loops() < NET {
        Vec::new()
    } else {
        joints::sequences(&graph, rule)
    };
    let mut best = Candidate {
        order: Order::new(),
        products: f64::INFINITY,
    };
    for sequence in sequences {
        best = fill(&graph, &sequence, best.products).unwrap_or(best);
    }
    // The last one, since it takes longest where there is much fill, and ends as soon as it is not the best.
    minimum_degree(&graph, rule, best.products)
        .unwrap_or(best)
        .order
}
