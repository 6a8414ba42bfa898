//! Order conditions of Runge-Kutta methods by rooted trees (Hairer, Nørsett, Wanner I, II.2).

/// A rooted tree: the list of the subtrees at its root.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct Tree(Vec<Tree>);

impl Tree {
    /// Number of vertices.
    pub fn order(&self) -> usize {
        1 + self.0.iter().map(Self::order).sum::<usize>()
    }

    fn density(&self) -> f64 {
        self.0.iter().map(Self::density).product::<f64>() * self.order() as f64
    }

    fn stage_weights<const S: usize>(&self, a: &[[f64; S]; S]) -> [f64; S] {
        self.0.iter().fold([1.0; S], |weights, subtree| {
            let inner = subtree.stage_weights(a);
            std::array::from_fn(|i| {
                weights[i] * a[i].iter().zip(inner).map(|(a, w)| a * w).sum::<f64>()
            })
        })
    }
}

/// All rooted trees up to an order: every tree of order n arises by grafting a vertex onto one of order n - 1.
pub fn rooted_trees(order: usize) -> Vec<Tree> {
    let mut all = vec![Tree(Vec::new())];
    let mut last = all.clone();
    for _ in 1..order {
        let mut next: Vec<Tree> = Vec::new();
        for tree in last.iter().flat_map(grafted) {
            if !next.contains(&tree) {
                next.push(tree);
            }
        }
        all.extend(next.iter().cloned());
        last = next;
    }
    all
}

fn grafted(tree: &Tree) -> Vec<Tree> {
    let sorted = |mut subtrees: Vec<Tree>| {
        subtrees.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        Tree(subtrees)
    };
    let mut results = vec![sorted([tree.0.clone(), vec![Tree(Vec::new())]].concat())];
    for (index, subtree) in tree.0.iter().enumerate() {
        for replacement in grafted(subtree) {
            let mut subtrees = tree.0.clone();
            subtrees[index] = replacement;
            results.push(sorted(subtrees));
        }
    }
    results
}

/// How far weights `b` over stages `a` are from satisfying the condition of a tree.
pub fn residual<const S: usize>(a: &[[f64; S]; S], b: &[f64; S], tree: &Tree) -> f64 {
    let sum: f64 = tree
        .stage_weights(a)
        .iter()
        .zip(b)
        .map(|(weight, b)| weight * b)
        .sum();
    (sum - 1.0 / tree.density()).abs()
}

#[test]
fn the_number_of_rooted_trees_is_known() {
    let counts: Vec<usize> = (1..=6)
        .map(|order| {
            rooted_trees(6)
                .iter()
                .filter(|tree| tree.order() == order)
                .count()
        })
        .collect();
    assert_eq!(counts, [1, 1, 2, 4, 9, 20]);
}
