//! The queue of blocks that are ready for elimination, as every ordering uses it.

use super::Rule;
use super::graph::Graph;
use super::pivot_rule::{PivotRule, Verdict};

/// Which blocks have been eliminated, and which may be eliminated next.
pub(super) struct ReadyQueue<'a> {
    rule: Rule,
    variables: usize,
    claims: PivotRule<'a>,
    /// Whether the block is in the queue, unless it is eliminated. Row blocks that wait are not.
    ready: Vec<bool>,
    /// Row blocks to judge again.
    again: Vec<usize>,
}

impl<'a> ReadyQueue<'a> {
    /// All blocks of variables are ready.
    pub fn new(graph: &'a Graph, rule: Rule) -> Self {
        let (variables, count) = (graph.variables, graph.len());
        let mut ready = vec![true; variables];
        ready.resize(count, false);
        Self {
            rule,
            variables,
            claims: PivotRule::new(variables, &graph.neighbours, &graph.claimable),
            ready,
            again: match rule {
                // Row blocks without any variable are closed from the start.
                Rule::PivotRule => (variables..count).collect(),
                Rule::VariablesFirst => Vec::new(),
            },
        }
    }

    /// Hands over the row blocks that have become ready.
    pub fn awaken(&mut self, mut queue: impl FnMut(usize)) {
        for r in self.again.drain(..) {
            // Judged even if it is in the queue: what it says of its neighbours may lock others.
            if !self.claims.is_eliminated(r)
                && !matches!(self.claims.judge(r), Verdict::Wait | Verdict::Stuck)
                && !std::mem::replace(&mut self.ready[r], true)
            {
                queue(r);
            }
        }
    }

    /// Queues the remaining row blocks, for when the queue is empty: all variables are eliminated then, and the rows are safe in any
    /// order. False if no block remains.
    pub fn release(&mut self, mut queue: impl FnMut(usize)) -> bool {
        let mut any = false;
        for r in self.variables..self.ready.len() {
            if !self.claims.is_eliminated(r) {
                self.ready[r] = true;
                any = true;
                queue(r);
            }
        }
        any
    }

    pub fn is_eliminated(&self, p: usize) -> bool {
        self.claims.is_eliminated(p)
    }

    /// Whether a block belongs into the queue again where its rank has changed.
    pub fn is_ready(&self, p: usize) -> bool {
        self.ready[p] && !self.is_eliminated(p)
    }

    /// Eliminates a block, unless it must wait or is gone.
    pub fn take(&mut self, p: usize) -> bool {
        if !self.is_ready(p) {
            return false;
        }
        if p < self.variables {
            self.claims.eliminate_variable(p, &mut self.again);
        } else {
            let verdict = match self.rule {
                Rule::VariablesFirst => Verdict::Closed,
                Rule::PivotRule => self.claims.judge(p),
            };
            if matches!(verdict, Verdict::Wait | Verdict::Stuck) {
                self.ready[p] = false;
                return false;
            }
            self.claims.eliminate_row(p, verdict, &mut self.again);
        }
        // No row block is judged before all variables are gone.
        if self.rule == Rule::VariablesFirst {
            self.again.clear();
        }
        true
    }
}
