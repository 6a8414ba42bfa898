//! Orders of chains, nets and odd graphs.

use std::collections::BTreeSet;

use super::joints::{Joints, sequences};
use super::pivot_rule::{PivotRule, Verdict};
use super::*;
use crate::linalg::blocks::starts;
use crate::linalg::tests::support::{Problem, Random, mechanism};
use crate::linalg::{KktSolver, Method, Pattern};

type JointList = Vec<(usize, Option<usize>, usize)>;

const RULES: [Rule; 2] = [Rule::PivotRule, Rule::VariablesFirst];

/// Bodies between the nodes of a lattice, and the joints that hold them together at the nodes. One is held.
fn lattice(sides: [usize; 3]) -> (usize, JointList) {
    let [width, depth, height] = sides;
    let node = |[x, y, z]: [usize; 3]| (z * depth + y) * width + x;
    let mut meeting = vec![Vec::new(); width * depth * height];
    let mut bodies = 0;
    for place in 0..meeting.len() {
        let from = [
            place % width,
            place / width % depth,
            place / (width * depth),
        ];
        for axis in 0..3 {
            let mut to = from;
            to[axis] += 1;
            if to[axis] < sides[axis] {
                meeting[place].push(bodies);
                meeting[node(to)].push(bodies);
                bodies += 1;
            }
        }
    }
    let mut joints = vec![(0, None, 3)];
    for list in &meeting {
        let pairs = list.iter().skip(1).map(|&other| (list[0], Some(other), 3));
        joints.extend(pairs);
    }
    (bodies, joints)
}

fn graph(problem: &Problem) -> Graph {
    let system = System::new(&problem.a, &problem.b, &problem.c).expect("sizes fit");
    Graph::new(&system, &problem.blocks)
}

/// Patterns without values: those of large nets are quickly made.
fn patterns((bodies, joints): &(usize, JointList)) -> (System, Blocks) {
    let blocks = Blocks {
        variables: vec![6; *bodies],
        rows: joints.iter().map(|joint| joint.2).collect(),
    };
    let mut entries = Vec::new();
    let mut rows = 0;
    for &(p, q, size) in joints {
        for body in [p].into_iter().chain(q) {
            let columns = 6 * body..6 * body + 6;
            entries.extend(columns.flat_map(|j| (rows..rows + size).map(move |i| (i, j))));
        }
        rows += size;
    }
    let a = Pattern::block_diagonal(&blocks.variables);
    let b = Pattern::from_entries(rows, 6 * bodies, entries).expect("inside");
    (System::new(&a, &b, &b).expect("sizes fit"), blocks)
}

fn graph_of(net: &(usize, JointList)) -> Graph {
    let (system, blocks) = patterns(net);
    Graph::new(&system, &blocks)
}

/// A body with many joints, whose arms form a ring.
fn wheel(arms: usize) -> (usize, JointList) {
    let spokes = (1..=arms).map(|arm| (0, Some(arm), 3));
    let rim = (1..=arms).map(|arm| (arm, Some(arm % arms + 1), 3));
    (arms + 1, spokes.chain(rim).collect())
}

/// Two nets apart from each other, a body of its own, and a joint that holds a body twice.
fn parts() -> (usize, JointList) {
    let (count, net) = lattice([8, 8, 1]);
    let again = net
        .iter()
        .map(|&(p, q, size)| (p + count, q.map(|q| q + count), size));
    let mut joints: JointList = net.iter().copied().chain(again).collect();
    joints.push((0, None, 3));
    (2 * count + 1, joints)
}

/// A net in which some bodies are coupled by the mass matrix.
fn coupled() -> Problem {
    let (bodies, joints) = lattice([9, 9, 1]);
    let mut problem = mechanism(&mut Random(2), bodies, 6, &joints);
    let mut entries: Vec<_> = problem
        .a
        .iter()
        .map(|(i, j, k)| (i, j, problem.av[k]))
        .collect();
    for body in (0..bodies - 7).step_by(5) {
        let (i, j) = (6 * body, 6 * (body + 7) + 1);
        entries.extend([(i, j, 0.01), (j, i, 0.01)]);
    }
    let places = entries.iter().map(|&(i, j, _)| (i, j));
    let a = Pattern::from_entries(problem.a.rows(), problem.a.cols(), places).expect("inside");
    problem.av = vec![0.0; a.nnz()];
    for (i, j, value) in entries {
        problem.av[a.position(i, j).expect("an entry")] = value;
    }
    problem.a = a;
    problem.consistent(&mut Random(4));
    problem
}

/// Blocks of any size, also of none; rows on up to four bodies, with other entries in C than in B; some bodies coupled in A.
fn random_graph(seed: u64) -> Graph {
    let mut random = Random(seed);
    let mut sizes = |count: usize, below: usize| -> Vec<usize> {
        (0..count).map(|_| random.below(below)).collect()
    };
    let blocks = Blocks {
        variables: sizes(30, 8),
        rows: sizes(45, 5),
    };
    let (columns, rows) = (starts(&blocks.variables), starts(&blocks.rows));
    let (n, m) = (
        blocks.variables.iter().sum(),
        blocks.rows.iter().sum::<usize>(),
    );
    let mut jacobian = || {
        let mut entries = Vec::new();
        for (row, &size) in rows.iter().zip(&blocks.rows) {
            for _ in 0..random.below(4) {
                let body = random.below(columns.len());
                for _ in 0..blocks.variables[body] * size {
                    let i = row + random.below(size);
                    entries.push((i, columns[body] + random.below(blocks.variables[body])));
                }
            }
        }
        Pattern::from_entries(m, n, entries).expect("inside")
    };
    let (b, c) = (jacobian(), jacobian());
    let mut entries: Vec<(usize, usize)> = (0..n).map(|i| (i, i)).collect();
    entries.extend((0..3).map(|_| (random.below(n), random.below(n))));
    let a = Pattern::from_entries(n, n, entries).expect("inside");
    let system = System::new(&a, &b, &c).expect("sizes fit");
    Graph::new(&system, &blocks)
}

/// Elimination as its definition has it: the neighbours that are left become neighbours of each other.
struct Naive<'a> {
    graph: &'a Graph,
    adjacent: Vec<BTreeSet<usize>>,
}

impl<'a> Naive<'a> {
    fn new(graph: &'a Graph) -> Self {
        let sets = graph.adjacent.iter();
        let adjacent = sets.map(|list| list.iter().copied().collect()).collect();
        Self { graph, adjacent }
    }

    fn degree(&self, p: usize) -> usize {
        self.adjacent[p].iter().map(|&q| self.graph.sizes[q]).sum()
    }

    fn eliminate(&mut self, p: usize) -> Vec<usize> {
        let around = std::mem::take(&mut self.adjacent[p]);
        for &q in &around {
            self.adjacent[q].extend(&around);
            self.adjacent[q].retain(|&r| r != p && r != q);
        }
        around.into_iter().collect()
    }
}

/// Minimum degree under the claims, without what makes it fast.
fn naive_minimum_degree(graph: &Graph, rule: Rule) -> Order {
    let mut left = Naive::new(graph);
    let variables = graph.variables;
    let mut claims = PivotRule::new(variables, &graph.neighbours, &graph.claimable);
    let mut gone = vec![false; graph.len()];
    let mut ready: Vec<bool> = (0..graph.len()).map(|p| p < variables).collect();
    let mut again: Vec<usize> = (variables..graph.len()).collect();
    let mut order = Order::new();
    let waits = |verdict| matches!(verdict, Verdict::Wait | Verdict::Stuck);
    while order.len() < graph.len() {
        for r in std::mem::take(&mut again) {
            if rule == Rule::PivotRule && !gone[r] && !waits(claims.judge(r)) {
                ready[r] = true;
            }
        }
        let least = (0..graph.len()).filter(|&p| ready[p] && !gone[p]);
        let Some(p) = least.min_by_key(|&p| (left.degree(p), p < variables, p)) else {
            ready.fill(true);
            continue;
        };
        if p < variables {
            claims.eliminate_variable(p, &mut again);
        } else {
            let verdict = match rule {
                Rule::PivotRule => claims.judge(p),
                Rule::VariablesFirst => Verdict::Closed,
            };
            ready[p] = !waits(verdict);
            if waits(verdict) {
                continue;
            }
            claims.eliminate_row(p, verdict, &mut again);
        }
        gone[p] = true;
        order.push((p, left.eliminate(p)));
    }
    order
}

fn products(graph: &Graph, order: &Order) -> f64 {
    let each = order.iter().map(|(p, around)| graph.products(*p, around));
    each.sum()
}

/// Sizes of the nets, and how many blocks belong to none.
fn nets_of(net: &(usize, JointList), least: usize) -> (Vec<usize>, usize) {
    let (nets, others) = graph_of(net).nets(least);
    (nets.iter().map(Vec::len).collect(), others.len())
}

#[test]
fn nets_are_parts_with_many_loops() {
    let chain: JointList = (0..9).map(|body| (body, Some(body + 1), 3)).collect();
    assert_eq!(nets_of(&(10, chain.clone()), 0), (vec![19], 0));
    assert_eq!(nets_of(&(10, chain.clone()), 1), (vec![], 19));
    let ring = chain.iter().copied().chain([(9, Some(0), 3)]).collect();
    assert_eq!(nets_of(&(10, ring), 1), (vec![20], 0));
    // A joint with the ground closes no loop of blocks.
    let held = chain.into_iter().chain([(0, None, 3), (9, None, 3)]);
    assert_eq!(nets_of(&(10, held.collect()), 1), (vec![], 21));
    // Every square of a net is a loop.
    let blocks = graph_of(&lattice([5, 4, 1])).len();
    assert_eq!(nets_of(&lattice([5, 4, 1]), 12), (vec![blocks], 0));
    assert_eq!(nets_of(&lattice([5, 4, 1]), 13), (vec![], blocks));
    // Two nets of 49 squares, one with a joint more, and a body.
    let count = graph_of(&lattice([8, 8, 1])).len();
    assert_eq!(nets_of(&parts(), 49), (vec![count + 1, count], 1));
    assert_eq!(nets_of(&parts(), 50), (vec![], 2 * count + 2));
    assert_eq!(nets_of(&(0, Vec::new()), 0), (vec![], 0));
}

#[test]
fn minimum_degree_is_that_of_its_definition() {
    let shapes = [lattice([7, 6, 1]), lattice([3, 3, 3]), wheel(40), parts()];
    let graphs = shapes.iter().map(graph_of).chain([graph(&coupled())]);
    for graph in graphs.chain((1..200).map(random_graph)) {
        for rule in RULES {
            let expected = naive_minimum_degree(&graph, rule);
            let found = minimum_degree(&graph, rule, f64::INFINITY).expect("no limit");
            assert!(found == expected);
            let products = products(&graph, &expected);
            assert!(products == 0.0 || minimum_degree(&graph, rule, 0.99 * products).is_none());
        }
    }
}

#[test]
fn stars_are_not_walked_through_for_every_arm() {
    // Each arm would take 100,000 numbers otherwise: half a minute.
    let arms = 100_000;
    let spokes = (1..=arms).map(|arm| (0, Some(arm), 3));
    let graph = graph_of(&(arms + 1, spokes.collect()));
    let order = minimum_degree(&graph, Rule::PivotRule, f64::INFINITY).expect("no limit");
    assert!(order.iter().all(|(_, around)| around.len() <= 1));
}

#[test]
fn fill_is_that_of_elimination() {
    let shapes = [lattice([9, 7, 1]), lattice([4, 4, 4]), wheel(40), parts()];
    let graphs = shapes.iter().map(graph_of).chain([graph(&coupled())]);
    for (seed, graph) in (1..).zip(graphs.chain((1..200).map(random_graph))) {
        let mut random = Random(seed);
        let mut shuffled: Vec<usize> = (0..graph.len()).collect();
        for last in (1..shuffled.len()).rev() {
            shuffled.swap(last, random.below(last + 1));
        }
        let mut all = sequences(&graph, Rule::PivotRule);
        all.push(shuffled);
        for sequence in all {
            let mut naive = Naive::new(&graph);
            let mut expected = 0.0;
            let products = fill(&graph, &sequence, f64::INFINITY, |p, around| {
                let mut around = around.to_vec();
                around.sort_unstable();
                assert_eq!(around, naive.eliminate(p));
                expected += graph.products(p, &around);
            });
            assert_eq!(products, Some(expected));
            let less = fill(&graph, &sequence, 0.99 * expected, |_, _| ());
            assert!(less.is_none() || expected == 0.0);
        }
    }
}

#[test]
fn sequences_have_every_block_once_and_respect_turns() {
    let shapes = [
        lattice([12, 9, 1]),
        lattice([5, 5, 5]),
        wheel(400),
        parts(),
        (3, Vec::new()),
        (0, Vec::new()),
    ];
    let graphs = shapes.iter().map(graph_of).chain([graph(&coupled())]);
    for graph in graphs.chain((1..200).map(random_graph)) {
        for rule in RULES {
            let found = sequences(&graph, rule);
            assert_eq!(found.len(), 2);
            for sequence in found {
                let all: BTreeSet<usize> = sequence.iter().copied().collect();
                assert_eq!((sequence.len(), all.len()), (graph.len(), graph.len()));
                let mut turns = ready_queue::ReadyQueue::new(&graph, rule);
                for p in sequence {
                    turns.awaken(|_| ());
                    assert!(turns.take(p) || turns.release(|_| ()) && turns.take(p));
                }
            }
        }
    }
}

#[test]
fn the_order_with_the_fewest_products_is_taken() {
    // In the plane, in space, and all bodies with all others.
    let pairs = |body: usize| (0..body).map(move |other| (body, Some(other), 3));
    let all = (40, (0..40).flat_map(pairs).collect());
    let best = [lattice([24, 24, 1]), lattice([8, 8, 8]), all].map(|net| {
        let (system, blocks) = patterns(&net);
        let graph = Graph::new(&system, &blocks);
        let by_joints = sequences(&graph, Rule::PivotRule)
            .into_iter()
            .map(|sequence| fill(&graph, &sequence, f64::INFINITY, |_, _| ()));
        let by_degree = minimum_degree(&graph, Rule::PivotRule, f64::INFINITY);
        let by_degree = by_degree.map(|order| products(&graph, &order));
        let candidates: Vec<f64> = by_joints.chain([by_degree]).flatten().collect();
        let taken = products(&graph, &order(&system, &blocks, Rule::PivotRule));
        assert!(
            candidates.iter().all(|&other| taken <= other),
            "{candidates:?}"
        );
        candidates.iter().position(|&candidate| candidate == taken)
    });
    // Approximate minimum degree and nested dissection of joints, minimum degree of bodies and joints.
    assert_eq!(best, [Some(0), Some(1), Some(2)]);
}

#[test]
fn parts_are_ordered_one_after_the_other() {
    let (count, net) = lattice([10, 10, 1]);
    // A chain beside the net, stated before it and behind it.
    let chain = |body: usize| (count + body, Some(count + body + 1), 3);
    let mut joints: JointList = (0..5).map(chain).collect();
    joints.extend(net);
    joints.extend((5..9).map(chain));
    let (system, blocks) = patterns(&(count + 10, joints));
    let graph = Graph::new(&system, &blocks);
    for rule in RULES {
        let order = order(&system, &blocks, rule);
        let mut naive = Naive::new(&graph);
        for (p, mut around) in order.iter().cloned() {
            around.sort_unstable();
            assert_eq!(around, naive.eliminate(p));
        }
        let blocks: BTreeSet<usize> = order.iter().map(|(p, _)| *p).collect();
        assert_eq!((order.len(), blocks.len()), (graph.len(), graph.len()));
    }
}

#[test]
fn hubs_do_not_make_their_joints_neighbours() {
    // 2,000 joints of one body would be four million pairs.
    let joints = Joints::new(&graph_of(&wheel(2000))).expect("few neighbours");
    assert_eq!(joints.vertices.len(), 4000 + 1);
    // Each spoke has the hub and two joints of the rim, each joint of the rim two others and two spokes; and back from the hub.
    assert_eq!(joints.neighbours.len(), 2000 * (3 + 4 + 1));
}

#[test]
fn nets_are_solved_without_falling_back() {
    let (bodies, joints) = lattice([13, 11, 1]);
    let shapes = [
        mechanism(&mut Random(3), bodies, 6, &joints),
        mechanism(&mut Random(3), wheel(70).0, 6, &wheel(70).1),
        coupled(),
    ];
    for (number, problem) in shapes.into_iter().enumerate() {
        let graph = graph(&problem);
        assert_eq!(graph.nets(NET).0.len(), 1);
        let system = System::new(&problem.a, &problem.b, &problem.c).expect("sizes fit");
        let taken = order(&system, &problem.blocks, Rule::PivotRule);
        let by_degree = minimum_degree(&graph, Rule::PivotRule, f64::INFINITY);
        // The first one is solved with an order of a library, the others with that of minimum degree.
        assert_eq!(by_degree == Some(taken), number > 0);
        let (a, b, c) = (&problem.a, &problem.b, &problem.c);
        let mut solver =
            KktSolver::with_method(a, b, c, &problem.blocks, Method::Sparse).expect("sizes fit");
        solver
            .factor(&problem.av, &problem.bv, &problem.cv)
            .expect("regular");
        let (mut x, mut y) = (vec![0.0; problem.f.len()], vec![0.0; problem.g.len()]);
        solver
            .solve(&problem.f, &problem.g, &mut x, &mut y)
            .expect("regular");
        assert_eq!(solver.fallbacks(), 0);
        assert!(solver.redundant_rows().is_empty());
        let z = nalgebra::DVector::from_vec([x, y].concat());
        let rhs = nalgebra::DVector::from_vec([problem.f.clone(), problem.g.clone()].concat());
        let error = (problem.matrix() * z - &rhs).amax();
        assert!(error <= 1e-9 * rhs.amax(), "{error:e}");
    }
}
