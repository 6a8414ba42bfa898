//! Fronts beside single pivots.

use super::*;
use crate::linalg::bodies::RightHandSide;
use crate::linalg::tests::support::{Problem, Random, ball_joints};
use crate::scalar::larger_or_nan;
use nalgebra::DMatrix;
use std::collections::BTreeSet;

/// A net of rods between `count x count` nodes in a bumpy plane, held at one corner. Some joints are stated twice.
fn net(count: usize, twice: &[usize]) -> Problem {
    let mut random = Random(11);
    let nodes: Vec<[f64; 3]> = (0..count * count)
        .map(|node| {
            let [x, y] = [node % count, node / count].map(|place| place as f64);
            [
                x + 0.1 * random.next(),
                y + 0.1 * random.next(),
                random.next(),
            ]
        })
        .collect();
    let mut places = Vec::new();
    let mut at_node = vec![Vec::new(); nodes.len()];
    for node in 0..nodes.len() {
        let to_right = (node % count + 1 < count).then_some(node + 1);
        let upwards = (node + count < nodes.len()).then_some(node + count);
        for other in [to_right, upwards].into_iter().flatten() {
            for end in [node, other] {
                at_node[end].push(places.len());
            }
            places.push(std::array::from_fn(|k| {
                0.5 * (nodes[node][k] + nodes[other][k])
            }));
        }
    }
    let mut joints = vec![(0, None, nodes[0])];
    for (node, bodies) in at_node.iter().enumerate() {
        let others = bodies[1..].iter();
        joints.extend(others.map(|&other| (bodies[0], Some(other), nodes[node])));
    }
    joints.extend(twice.iter().map(|&joint| joints[joint]).collect::<Vec<_>>());
    ball_joints(&mut random, &places, &joints)
}

/// Factors by supernodes and pivot by pivot.
fn both(problem: &Problem) -> [(Elimination, Outcome); 2] {
    let mut system = System::new(&problem.a, &problem.b, &problem.c).expect("sizes fit");
    system
        .load(&problem.av, &problem.bv, &problem.cv)
        .expect("lengths fit");
    [true, false].map(|by_fronts| {
        let mut program = SymbolicFactorization::new(&system, &problem.blocks, Rule::PivotRule);
        assert!(program.supernodes.len() > 1);
        if !by_fronts {
            program.supernodes.clear();
        }
        let mut elimination = Elimination::of(Arc::new(program), system.size());
        let outcome = elimination.factor(&system);
        (elimination, outcome)
    })
}

/// Largest difference, relative to the largest number; NaN if anything is.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, larger_or_nan);
    let size = largest(&mut b.iter().map(|value| value.abs()));
    let pairs = a.iter().zip(b);
    largest(&mut pairs.map(|(a, b)| (a - b).abs())) / size
}

#[test]
fn fronts_have_the_factors_of_single_pivots() {
    let symmetric = net(12, &[]);
    let mut unsymmetric = net(12, &[]);
    let mut random = Random(3);
    for value in unsymmetric.av.iter_mut().chain(&mut unsymmetric.cv) {
        *value += 0.02 * random.next();
    }
    unsymmetric.consistent(&mut random);
    for problem in [&symmetric, &unsymmetric] {
        let [(supernodes, outcome), (pivots, expected)] = both(problem);
        assert_eq!((outcome, expected), (Outcome::Regular, Outcome::Regular));
        assert!(difference(&supernodes.values, &pivots.values) < 1e-11);
        assert!(difference(&supernodes.magnitudes, &pivots.magnitudes) < 1e-11);
        let found = solution(supernodes, problem);
        assert!(difference(&found, &solution(pivots, problem)) < 1e-10);
        let residual = problem.matrix() * nalgebra::DVector::from_vec(found);
        let rhs = [problem.f.clone(), problem.g.clone()].concat();
        assert!(difference(residual.as_slice(), &rhs) < 1e-10);
    }
}

fn solution(mut elimination: Elimination, problem: &Problem) -> Vec<f64> {
    let (mut x, mut y) = (vec![0.0; problem.f.len()], vec![0.0; problem.g.len()]);
    let rhs = RightHandSide {
        f: Some(&problem.f),
        c: &problem.g,
    };
    assert!(elimination.solve(rhs, &mut x, &mut y));
    [x, y].concat()
}

#[test]
fn redundant_rows_are_found_in_fronts() {
    // Of so many copies, some are eliminated within supernodes.
    let twice: Vec<usize> = (0..380).step_by(8).collect();
    let problem = net(12, &twice);
    let lost = 3 * twice.len();
    let [(mut supernodes, outcome), (mut pivots, expected)] = both(&problem);
    assert_eq!(
        (outcome, expected),
        (Outcome::Deficient, Outcome::Deficient)
    );
    assert_eq!((supernodes.deficiency(), pivots.deficiency()), (lost, lost));
    let is_in_front = |dropped: &&Dropped| {
        let mut all = supernodes.program.supernodes.iter();
        all.any(|supernode| supernode.steps.contains(&dropped.step))
    };
    let in_fronts = supernodes.dropped.iter().filter(is_in_front).count();
    assert!(in_fronts >= 6, "{in_fronts}");
    let matrix = problem.matrix();
    let size = matrix.nrows();
    let mut z = vec![0.0; size];
    for index in 0..lost {
        let dropped = supernodes.null_vector(index, &mut z);
        assert_eq!(dropped, pivots.null_vector(index, &mut vec![0.0; size]));
        let vector = nalgebra::DVector::from_column_slice(&z);
        let image = &matrix * &vector;
        assert!(vector.amax() >= 1.0 && image.amax() < 1e-9 * vector.amax());
    }
}

/// A dense matrix A in blocks of several sizes, with rows of which the last two are the second and the third.
fn dense_blocks(change: impl Fn(&mut DMatrix<f64>)) -> Problem {
    let mut random = Random(5);
    let variables = [1, 2, 3, 5, 6, 12].repeat(5);
    let rows = vec![1, 2, 3, 6, 2];
    let (n, independent) = (variables.iter().sum(), 12);
    let mut a = random.spd(n);
    change(&mut a);
    let b = DMatrix::from_fn(independent, n, |_, _| random.next());
    let b = DMatrix::from_fn(independent + 2, n, |row, column| {
        let copied = if row < independent {
            row
        } else {
            row - independent + 1
        };
        b[(copied, column)]
    });
    let (f, g) = (vec![1.0; n], vec![0.0; b.nrows()]);
    Problem {
        blocks: Blocks { variables, rows },
        ..Problem::dense(&a, &b, &b, f, g)
    }
}

#[test]
fn fronts_have_blocks_of_any_size() {
    let problem = dense_blocks(|_| {});
    let [(supernodes, outcome), (pivots, expected)] = both(&problem);
    assert_eq!(
        (outcome, expected),
        (Outcome::Deficient, Outcome::Deficient)
    );
    assert_eq!((supernodes.deficiency(), pivots.deficiency()), (2, 2));
    let steps = supernodes
        .program
        .supernodes
        .iter()
        .flat_map(|supernode| supernode.steps.clone());
    let sizes: BTreeSet<usize> = steps
        .map(|step| supernodes.program.steps[step].size())
        .collect();
    assert!(sizes.len() > 4, "{sizes:?}");
    // Rows that depend on each other leave round-off behind: factors of variables are compared.
    for step in supernodes
        .program
        .steps
        .iter()
        .filter(|step| step.magnitudes().is_none())
    {
        let [upper, own] = [step.upper..step.upper_end(), step.start..step.end()];
        for range in [upper, own] {
            let pair = [&supernodes, &pivots].map(|factors| &factors.values[range.clone()]);
            assert!(range.is_empty() || difference(pair[0], pair[1]) < 1e-10);
        }
    }
}

#[test]
fn numbers_that_are_none_fail_in_fronts() {
    for value in [f64::NAN, f64::INFINITY] {
        let problem = dense_blocks(|a| a[(120, 120)] = value);
        let [(_, outcome), (_, expected)] = both(&problem);
        assert_eq!((outcome, expected), (Outcome::Failed, Outcome::Failed));
    }
}
