//! When a joint may be eliminated: the bookkeeping that keeps its pivot regular.
//!
//! A row block starts with a zero pivot. Once variable blocks around it are eliminated its pivot is
//! the Schur complement `-C A^-1 B^T` over those variables, and it is regular if the rows
//! eliminated so far are independent *on the variables eliminated so far*. Counting freedoms is
//! not enough (two ball joints on one body are 6 rows of rank 5). The rule used here:
//!
//! - a row block *claims* one eliminated neighbour that has at least as many (structurally
//!   matchable) variables as the block has rows; if either no earlier row block touches that
//!   neighbour, or the block touches no neighbour claimed earlier, the claimed parts form a block
//!   triangular matrix, so independence of each claimed part implies independence of all;
//! - or the row block closes a loop: all variables its component of eliminated nodes touches are
//!   eliminated, so a singular pivot can only be a truly redundant row.
//!
//! A row block that waits to close a loop *locks* its component: no other row block may reach out
//! of it meanwhile, since waiting blocks accumulate fill.

/// Answer for one row block.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Verdict {
    /// May be eliminated now, claiming this variable block.
    Claim(usize),
    /// May be eliminated now; its loop is closed.
    Closed,
    /// Wait for another elimination.
    Wait,
    /// Wait until the component is closed.
    Stuck,
}

/// Components of eliminated nodes and the claims made in them.
pub(super) struct PivotRule<'a> {
    /// Number of variable blocks; nodes beyond are row blocks.
    variables: usize,
    /// Original neighbours: rows of a variable block, variables of a row block.
    neighbours: &'a [Vec<usize>],
    /// For every row block, whether it may claim its neighbours of the same index.
    claimable: &'a [Vec<bool>],
    eliminated: Vec<bool>,
    claimed: Vec<bool>,
    /// Eliminated row blocks that touch a variable block.
    touched: Vec<usize>,
    parent: Vec<usize>,
    /// Per component: edges from eliminated rows to variables not yet eliminated.
    open: Vec<usize>,
    /// Per component: waiting row blocks that want it closed, and row blocks locked out.
    stuck: Vec<Vec<usize>>,
    locked: Vec<Vec<usize>>,
}

impl<'a> PivotRule<'a> {
    pub fn new(variables: usize, neighbours: &'a [Vec<usize>], claimable: &'a [Vec<bool>]) -> Self {
        let count = neighbours.len();
        Self {
            variables,
            neighbours,
            claimable,
            eliminated: vec![false; count],
            claimed: vec![false; count],
            touched: vec![0; count],
            parent: (0..count).collect(),
            open: vec![0; count],
            stuck: vec![Vec::new(); count],
            locked: vec![Vec::new(); count],
        }
    }

    pub fn is_eliminated(&self, node: usize) -> bool {
        self.eliminated[node]
    }

    fn find(&mut self, mut node: usize) -> usize {
        while self.parent[node] != node {
            // Path halving keeps the trees flat.
            self.parent[node] = self.parent[self.parent[node]];
            node = self.parent[node];
        }
        node
    }

    /// Joins two components; lists move from the shorter to the longer side.
    fn join(&mut self, a: usize, b: usize) {
        let (mut a, mut b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        let weight = |s: &Self, r: usize| s.stuck[r].len() + s.locked[r].len();
        if weight(self, a) < weight(self, b) {
            std::mem::swap(&mut a, &mut b);
        }
        self.parent[b] = a;
        self.open[a] += self.open[b];
        let (stuck, locked) = (
            std::mem::take(&mut self.stuck[b]),
            std::mem::take(&mut self.locked[b]),
        );
        self.stuck[a].extend(stuck);
        self.locked[a].extend(locked);
    }

    /// Whether row block `r` may be eliminated now; registers it where it has to wait.
    pub fn judge(&mut self, r: usize) -> Verdict {
        let neighbours = &self.neighbours[r];
        let waiting = neighbours.iter().any(|&v| !self.eliminated[v]);
        let fresh = !neighbours.iter().any(|&v| self.claimed[v]);
        let claimable = &self.claimable[r - self.variables];
        let claim = neighbours.iter().zip(claimable).find(|&(&v, &fits)| {
            fits && self.eliminated[v] && !self.claimed[v] && (fresh || self.touched[v] == 0)
        });
        if let Some((&body, _)) = claim {
            if waiting && let Some(root) = self.locking_component(r) {
                self.locked[root].push(r);
                return Verdict::Wait;
            }
            return Verdict::Claim(body);
        }
        // Without a claim, only a closed loop makes the pivot as regular as it gets.
        if waiting {
            return Verdict::Wait;
        }
        let mut closed = true;
        for &v in neighbours {
            let root = self.find(v);
            if self.open[root] > 0 {
                closed = false;
                if !self.stuck[root].contains(&r) {
                    self.stuck[root].push(r);
                }
            }
        }
        if closed {
            Verdict::Closed
        } else {
            Verdict::Stuck
        }
    }

    /// A component next to `r` in which another row block waits for closure.
    fn locking_component(&mut self, r: usize) -> Option<usize> {
        for &v in self.neighbours[r].iter() {
            if !self.eliminated[v] {
                continue;
            }
            let root = self.find(v);
            let mut stuck = std::mem::take(&mut self.stuck[root]);
            stuck.retain(|&s| !self.eliminated[s]);
            let locks = stuck.iter().any(|&s| s != r);
            self.stuck[root] = stuck;
            if locks {
                return Some(root);
            }
        }
        None
    }

    /// Records the elimination of a variable block; appends row blocks to judge again.
    pub fn eliminate_variable(&mut self, v: usize, again: &mut Vec<usize>) {
        self.eliminated[v] = true;
        for &r in &self.neighbours[v] {
            if self.eliminated[r] {
                self.join(v, r);
                let root = self.find(v);
                // The edge from the eliminated row to this variable is no longer open.
                self.open[root] = self.open[root].saturating_sub(1);
            } else {
                again.push(r);
            }
        }
        self.settle(v, again);
    }

    /// Records the elimination of a row block; appends row blocks to judge again.
    pub fn eliminate_row(&mut self, r: usize, verdict: Verdict, again: &mut Vec<usize>) {
        if let Verdict::Claim(body) = verdict {
            self.claimed[body] = true;
        }
        self.eliminated[r] = true;
        let mut open = 0;
        for &v in &self.neighbours[r] {
            self.touched[v] += 1;
            if self.eliminated[v] {
                self.join(r, v);
            } else {
                open += 1;
            }
        }
        let root = self.find(r);
        self.open[root] += open;
        self.settle(r, again);
    }

    /// Wakes the row blocks that wait for the component of `node`.
    fn settle(&mut self, node: usize, again: &mut Vec<usize>) {
        let root = self.find(node);
        if self.open[root] == 0 {
            // Stuck ones stay registered: `locking_component` drops those that have been eliminated.
            again.append(&mut self.stuck[root].clone());
        }
        again.append(&mut self.locked[root]);
    }
}
