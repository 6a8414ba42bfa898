//! Orders of chains, nets and odd graphs.

use std::collections::BTreeSet;

use super::joints::{Joints, sequences};
use super::*;
use crate::linalg::tests::support::{Problem, Random, mechanism};
use crate::linalg::{KktSolver, Method, Pattern};

type JointList = Vec<(usize, Option<usize>, usize)>;

const RULES: [Rule; 2] = [Rule::Claims, Rule::VariablesFirst];

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

#[test]
fn loops_are_those_that_joints_close() {
    let chain: JointList = (0..9).map(|body| (body, Some(body + 1), 3)).collect();
    assert_eq!(graph_of(&(10, chain.clone())).loops(), 0);
    let ring = chain.iter().copied().chain([(9, Some(0), 3)]);
    assert_eq!(graph_of(&(10, ring.collect())).loops(), 1);
    // A joint with the ground closes no loop of blocks.
    let held = chain.iter().copied().chain([(0, None, 3), (9, None, 3)]);
    assert_eq!(graph_of(&(10, held.collect())).loops(), 0);
    // Every square of a net is a loop.
    assert_eq!(graph_of(&lattice([5, 4, 1])).loops(), 12);
    assert_eq!(graph_of(&parts()).loops(), 2 * 49);
    assert_eq!(graph_of(&(0, Vec::new())).loops(), 0);
}

#[test]
fn fill_is_that_of_elimination() {
    let shapes = [lattice([9, 7, 1]), lattice([4, 4, 4]), wheel(40), parts()];
    let graphs = shapes.iter().map(graph_of).chain([graph(&coupled())]);
    for graph in graphs {
        for rule in RULES {
            let eliminated = minimum_degree(&graph, rule, f64::INFINITY).expect("no limit");
            let sequence: Vec<usize> = eliminated.order.iter().map(|&(p, _)| p).collect();
            let found = fill(&graph, &sequence, f64::INFINITY).expect("no limit");
            let close = (found.products / eliminated.products - 1.0).abs() < 1e-12;
            assert!(close, "{} {}", found.products, eliminated.products);
            for ((p, mut around), (expected, neighbours)) in
                found.order.into_iter().zip(eliminated.order)
            {
                around.sort_unstable();
                assert_eq!((p, around), (expected, neighbours));
            }
            assert!(fill(&graph, &sequence, 0.99 * found.products).is_none());
            assert!(minimum_degree(&graph, rule, 0.99 * found.products).is_none());
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
    for graph in graphs {
        for rule in RULES {
            let found = sequences(&graph, rule);
            assert_eq!(found.len(), 2);
            for sequence in found {
                let all: BTreeSet<usize> = sequence.iter().copied().collect();
                assert_eq!((sequence.len(), all.len()), (graph.len(), graph.len()));
                let mut turns = turns::Turns::new(&graph, rule);
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
    // In the plane, in space, and where no loop pays for a comparison.
    let chain: JointList = (0..99).map(|body| (body, Some(body + 1), 3)).collect();
    let shapes = [lattice([24, 24, 1]), lattice([8, 8, 8]), (100, chain)];
    let best = shapes.map(|net| {
        let (system, blocks) = patterns(&net);
        let graph = Graph::new(&system, &blocks);
        let by_joints = sequences(&graph, Rule::Claims)
            .into_iter()
            .map(|sequence| fill(&graph, &sequence, f64::INFINITY));
        let by_degree = minimum_degree(&graph, Rule::Claims, f64::INFINITY);
        let candidates: Vec<f64> = by_joints
            .chain([by_degree])
            .map(|candidate| candidate.expect("no limit").products)
            .collect();
        let taken = order(&system, &blocks, Rule::Claims);
        let products: f64 = taken
            .iter()
            .map(|(p, around)| graph.products(*p, around))
            .sum();
        let close = |candidate: &f64| (products / candidate - 1.0).abs() < 1e-12;
        assert!(candidates.iter().all(|&other| products < 1.0001 * other));
        // With loops everywhere, minimum degree takes half as much again.
        assert!(
            graph.loops() < NET || candidates[2] > 1.5 * products,
            "{candidates:?}"
        );
        candidates.iter().position(close)
    });
    // Approximate minimum degree and nested dissection of joints, minimum degree of bodies and joints.
    assert_eq!(best, [Some(0), Some(1), Some(2)]);
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
    for problem in shapes {
        assert!(graph(&problem).loops() >= NET);
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
