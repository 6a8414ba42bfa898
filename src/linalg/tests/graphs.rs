//! Chains, trees, stars and loops of bodies.

use proptest::prelude::*;

use super::support::{METHODS, Problem, Random, Solution, ball_joints, mechanism};
use std::cmp::Ordering;

use crate::linalg::bodies::{self, RightHandSide};
use crate::linalg::system::System;
use crate::linalg::{
    Displacement, ExchangedJacobians, KktError, MatrixVersion, Method, Pattern, VersionedValues,
};

fn check(problem: &Problem, fallbacks: usize) {
    for method in METHODS {
        let s = problem.solve(method).unwrap();
        let error = problem.error(&s, 1e-13);
        let sv = problem.matrix().singular_values();
        assert!(
            error < 1e-7,
            "{method:?} {error:e} {:e} {:e} {}",
            sv.max(),
            sv.min(),
            problem.f.len()
        );
        assert!(s.redundant.is_empty(), "{:?}", s.redundant);
        assert!(s.fallbacks <= fallbacks, "{method:?} {}", s.fallbacks);
    }
}

fn chain(bodies: usize, both_ends: bool) -> Problem {
    let places: Vec<_> = (0..bodies)
        .map(|i| [i as f64, (i as f64).sin(), 0.3 * (2.0 * i as f64).cos()])
        .collect();
    let point = |i: usize| {
        [
            i as f64 - 0.5,
            0.2 * (i as f64).cos(),
            0.4 * (3.0 * i as f64).sin(),
        ]
    };
    let mut joints = vec![(0, None, point(0))];
    joints.extend((1..bodies).map(|i| (i - 1, Some(i), point(i))));
    if both_ends {
        joints.push((bodies - 1, None, point(bodies)));
    }
    ball_joints(&mut Random(7), &places, &joints)
}

#[test]
fn ball_joint_chains() {
    for bodies in [1, 2, 3, 8, 17] {
        check(&chain(bodies, false), 0);
        if bodies > 1 {
            check(&chain(bodies, true), 0);
        }
    }
}

#[test]
fn star() {
    let mut joints: Vec<_> = (1..20).map(|i| (0, Some(i), 3)).collect();
    joints.push((0, None, 2));
    check(&mechanism(&mut Random(3), 20, 6, &joints), 0);
}

#[test]
fn rings_and_ladders() {
    for bodies in [3, 4, 9] {
        let ring: Vec<_> = (0..bodies)
            .map(|i| (i, Some((i + 1) % bodies), 3))
            .collect();
        check(&mechanism(&mut Random(5), bodies, 6, &ring), 0);
    }
    // Loops in a row, each sharing a body with the next.
    let mut joints = vec![(0, None, 3)];
    for l in 0..6 {
        let base = 2 * l;
        joints.extend([
            (base, Some(base + 1), 3),
            (base + 1, Some(base + 2), 3),
            (base, Some(base + 2), 1),
        ]);
    }
    check(&mechanism(&mut Random(6), 13, 6, &joints), 0);
}

#[test]
fn a_joint_that_acts_on_one_body_only() {
    // The pattern promises both bodies, the values use the second only.
    let mut problem = mechanism(&mut Random(8), 3, 6, &[(0, Some(1), 3), (1, Some(2), 3)]);
    for i in 0..3 {
        for k in 0..6 {
            let p = problem.b.position(i, k).unwrap();
            problem.bv[p] = 0.0;
            problem.cv[p] = 0.0;
        }
    }
    problem.consistent(&mut Random(9));
    check(&problem, 1);
}

proptest! {
    #[test]
    fn random_trees_and_loops(seed in any::<u64>(), bodies in 1usize..14, extra in 0usize..4) {
        let mut random = Random(seed);
        let mut joints = Vec::new();
        for i in 1..bodies {
            joints.push((random.below(i), Some(i), 1 + random.below(3)));
        }
        for _ in 0..extra.min(bodies - 1) {
            let (p, q) = (random.below(bodies), random.below(bodies));
            if p != q {
                joints.push((p, Some(q), 1));
            }
        }
        let problem = mechanism(&mut random, bodies, 6, &joints);
        for method in METHODS {
            let s = problem.solve(method).unwrap();
            prop_assert!(problem.error(&s, 1e-14) < 1e-6, "{:?}", method);
            prop_assert!(s.redundant.is_empty());
        }
    }

    #[test]
    fn unsymmetric_mechanisms(seed in any::<u64>(), bodies in 2usize..10) {
        let mut random = Random(seed);
        let joints: Vec<_> = (1..bodies).map(|i| (random.below(i), Some(i), 3)).collect();
        let mut problem = mechanism(&mut random, bodies, 6, &joints);
        problem.cv.iter_mut().for_each(|v| *v += 0.05 * random.next());
        problem.av.iter_mut().for_each(|v| *v += 0.05 * random.next());
        problem.consistent(&mut random);
        for method in METHODS {
            let s = problem.solve(method).unwrap();
            prop_assert!(problem.error(&s, 1e-14) < 1e-6, "{:?}", method);
        }
    }

    /// Rows with a Jacobian of their own, masses with derivatives of gyroscopic torques: the elimination of bodies,
    /// below and above the diagonal.
    #[test]
    fn rigid_bodies_without_symmetry(seed in any::<u64>(), bodies in 1usize..12, loops in 0usize..3, spin in 0.0f64..0.09, points in any::<bool>()) {
        let mut random = Random(seed);
        let mut joints = vec![(0, None, 3)];
        // No body has more than a few joints.
        joints.extend((1..bodies).map(|i| (i - 1 - random.below(i.min(2)), Some(i), 3)));
        joints.extend((0..loops.min(bodies / 3)).map(|i| (3 * i, Some(3 * i + 2), 3)));
        let mut problem = mechanism(&mut random, bodies, 6, &joints);
        if points {
            keep_rows_of_points(&mut problem);
        }
        let size = problem.f.len();
        problem.a = rigid_masses(bodies);
        let entry = |(row, column, _): (usize, usize, usize)| match column.cmp(&row) {
            Ordering::Equal => 2.0 + (row % 5) as f64,
            Ordering::Less => 0.3 - spin,
            Ordering::Greater => 0.3 + spin,
        };
        problem.av = problem.a.iter().map(entry).collect();
        problem.cv.iter_mut().for_each(|v| *v += 0.05 * random.next());
        problem.consistent(&mut random);
        let mut system = System::new(&problem.a, &problem.b, &problem.c).unwrap();
        let mut elimination = bodies::new(&system, &problem.blocks).expect("rigid bodies");
        system.load(&problem.av, &problem.bv, &problem.cv).unwrap();
        // Joints between two bodies that have others in common may be redundant, or nearly so.
        prop_assume!(elimination.factor(&system));
        let (mut x, mut y) = (vec![0.0; size], vec![0.0; problem.g.len()]);
        let rhs = RightHandSide { f: Some(&problem.f), c: &problem.g };
        prop_assert!(elimination.solve(&system, rhs, &mut x, &mut y));
        let own = Solution { x, y, redundant: Vec::new(), fallbacks: 0 };
        prop_assert!(problem.error(&own, 1e-14) < 1e-6);
        let solved = problem.solve(Method::Automatic).unwrap();
        prop_assert!(problem.error(&solved, 1e-14) < 1e-6);
        prop_assert_eq!(solved.fallbacks, 0);
        // One Jacobian after two.
        let both = problem.bv.clone();
        system.load(&problem.av, &both, &both).unwrap();
        prop_assert!(elimination.factor(&system));
        problem.cv = both;
        problem.consistent(&mut random);
        let rhs = RightHandSide { f: Some(&problem.f), c: &problem.g };
        let (mut x, mut y) = (own.x, own.y);
        prop_assert!(elimination.solve(&system, rhs, &mut x, &mut y));
        let own = Solution { x, y, redundant: Vec::new(), fallbacks: 0 };
        prop_assert!(problem.error(&own, 1e-14) < 1e-6);
    }
}

/// Where rigid bodies have masses: three on the diagonal, and a tensor of inertia.
fn rigid_masses(bodies: usize) -> Pattern {
    let size = 6 * bodies;
    let entries = (0..size).flat_map(|row| {
        let turning = row - row % 3..row - row % 3 + 3;
        let columns = if row % 6 < 3 { row..row + 1 } else { turning };
        columns.map(move |column| (row, column))
    });
    Pattern::from_entries(size, size, entries).unwrap()
}

/// Leaves rows of joints the entries that those of a point have: one for the velocity along their own axis, and three
/// for the rotation.
fn keep_rows_of_points(problem: &mut Problem) {
    let is_kept =
        |&(row, column, _): &(usize, usize, usize)| column % 6 >= 3 || column % 6 == row % 3;
    let kept: Vec<_> = problem.b.iter().filter(is_kept).collect();
    let (rows, columns) = (problem.b.rows(), problem.a.rows());
    let entries = kept.iter().map(|&(row, column, _)| (row, column));
    let pattern = Pattern::from_entries(rows, columns, entries).unwrap();
    for values in [&mut problem.bv, &mut problem.cv] {
        *values = kept.iter().map(|&(.., place)| values[place]).collect();
    }
    (problem.b, problem.c) = (pattern.clone(), pattern);
}

/// Four entries for a body mean what six with two zeros do.
#[test]
fn rows_of_points_are_rows_with_zeros() {
    for seed in 1..20 {
        let mut random = Random(seed);
        let joints: Vec<_> = (0..9)
            .map(|body| (body, (body > 0).then(|| random.below(body)), 3))
            .collect();
        // The last body is free.
        let mut short = mechanism(&mut random, 10, 6, &joints);
        let size = short.f.len();
        short.a = rigid_masses(10);
        short.av = (short.a.iter())
            .map(|(row, column, _)| {
                if row == column {
                    2.0 + (row % 5) as f64
                } else {
                    0.3
                }
            })
            .collect();
        let long_pattern = short.b.clone();
        keep_rows_of_points(&mut short);
        let mut long_values = vec![0.0; long_pattern.nnz()];
        for (row, column, place) in short.b.iter() {
            let long = long_pattern.position(row, column).expect("an entry");
            long_values[long] = short.bv[place];
        }
        let rhs = RightHandSide {
            f: Some(&short.f),
            c: &short.g,
        };
        let step = Displacement {
            h: 0.1,
            velocity: &short.f,
            forces: &random.vector(size),
            impulse: &random.vector(short.g.len()),
        };
        let mut found = Vec::new();
        for (pattern, values) in [(&short.b, &short.bv), (&long_pattern, &long_values)] {
            let mut system = System::new(&short.a, pattern, pattern).unwrap();
            let mut elimination = bodies::new(&system, &short.blocks).expect("rigid bodies");
            system.load(&short.av, values, values).unwrap();
            let (mut x, mut y) = (vec![0.0; size], vec![0.0; short.g.len()]);
            let mut moved = vec![0.0; size];
            // Twice: nothing is left of the first time.
            for _ in 0..2 {
                moved.fill(f64::NAN);
                assert!(elimination.factor_and_displace(&system, step, &mut moved));
            }
            let mut again = vec![0.0; size];
            elimination.displace(&system, step, &mut again);
            moved
                .iter_mut()
                .zip(&again)
                .for_each(|(moved, again)| assert!((*moved - again).abs() < 1e-14));
            assert!(elimination.solve(&system, rhs, &mut x, &mut y));
            found.push([x, y, moved].concat());
        }
        let largest = found[0]
            .iter()
            .fold(1.0, |most: f64, value| most.max(value.abs()));
        for (short, long) in found[0].iter().zip(&found[1]) {
            assert!(
                (short - long).abs() < 1e-10 * largest,
                "seed {seed}: {short} {long}"
            );
        }
    }
}

/// Tensors far from symmetric may let numbers grow without a search for pivots: other factorizations serve.
#[test]
fn masses_far_from_symmetric_are_left_to_others() {
    let mut problem = mechanism(&mut Random(7), 4, 6, &[(0, None, 3), (0, Some(1), 3)]);
    problem.a = rigid_masses(4);
    for (skew, serves) in [(0.04, true), (0.4, false), (f64::NAN, false)] {
        let entry = |(row, column, _): (usize, usize, usize)| match column.cmp(&row) {
            Ordering::Equal => 1.0,
            Ordering::Less => -skew,
            Ordering::Greater => skew,
        };
        problem.av = problem.a.iter().map(entry).collect();
        let mut system = System::new(&problem.a, &problem.b, &problem.c).unwrap();
        let mut elimination = bodies::new(&system, &problem.blocks).expect("rigid bodies");
        system.load(&problem.av, &problem.bv, &problem.bv).unwrap();
        assert_eq!(elimination.factor(&system), serves);
        if skew.is_finite() {
            problem.consistent(&mut Random(8));
            let solved = problem.solve(Method::Automatic).unwrap();
            assert!(problem.error(&solved, 1e-14) < 1e-6);
        }
    }
}

#[test]
fn a_large_star_stays_linear() {
    let joints: Vec<_> = (1..2000).map(|i| (0, Some(i), 3)).collect();
    let mut problem = mechanism(&mut Random(4), 2, 6, &[(0, Some(1), 3)]);
    // The dense oracle is too large; the solver verifies itself.
    let big = sparse_star(&joints, &mut problem);
    big.solve(Method::Sparse).unwrap();
}

/// A star with copies of one joint's values, without dense right-hand sides.
fn sparse_star(joints: &[(usize, Option<usize>, usize)], one: &mut Problem) -> Problem {
    let bodies = joints.len() + 1;
    let sizes = vec![6; bodies];
    let mut entries = Vec::new();
    for (number, &(p, q, rows)) in joints.iter().enumerate() {
        for i in 0..rows {
            for body in std::iter::once(p).chain(q) {
                entries.extend((0..6).map(|k| (3 * number + i, 6 * body + k)));
            }
        }
    }
    let a = crate::linalg::Pattern::block_diagonal(&sizes);
    let b = crate::linalg::Pattern::from_entries(3 * joints.len(), 6 * bodies, entries).unwrap();
    let bv: Vec<f64> = one.bv.iter().copied().cycle().take(b.nnz()).collect();
    Problem {
        av: one.av[..36].iter().copied().cycle().take(a.nnz()).collect(),
        cv: bv.clone(),
        c: b.clone(),
        f: vec![1.0; a.rows()],
        g: vec![0.5; b.rows()],
        blocks: crate::linalg::Blocks {
            variables: sizes,
            rows: vec![3; joints.len()],
        },
        a,
        b,
        bv,
    }
}

/// One Jacobian that changes places with the one before, in turn with others, the same again and one that fails.
#[test]
fn a_symmetric_matrix_may_be_exchanged() {
    let problem = chain(8, false);
    let other: Vec<f64> = problem.bv.iter().map(|value| 1.5 * value).collect();
    let bad: Vec<f64> = other.iter().map(|value| f64::NAN * value).collect();
    let (mut exchanges, mut copies) = (
        problem.solver(Method::Automatic),
        problem.solver(Method::Automatic),
    );
    let mut list = problem.bv.clone();
    for (g, is_new) in [
        (&problem.bv, true),
        (&other, true),
        (&other, false),
        (&bad, true),
        (&problem.bv, true),
        (&problem.bv, false),
    ] {
        list.copy_from_slice(g);
        let before = exchanges.factorizations();
        let factored = exchanges.factor_symmetric(&problem.av, &mut list);
        if g.iter().any(|value| value.is_nan()) {
            assert!(matches!(factored, Err(KktError::NonFinite { .. })));
            continue;
        }
        factored.unwrap();
        assert_eq!(exchanges.factorizations() > before, is_new);
        assert_eq!(exchanges.jacobian(), g);
        // An equal list in another place is no other matrix.
        let (before, twin) = (exchanges.factorizations(), g.clone());
        exchanges.factor(&problem.av, g, &twin).unwrap();
        assert_eq!(exchanges.factorizations(), before);
        copies.factor(&problem.av, g, g).unwrap();
        let [one, two] = [&mut exchanges, &mut copies].map(|solver| {
            let (mut x, mut y) = (vec![0.0; problem.f.len()], vec![0.0; problem.g.len()]);
            (solver.solve(&problem.f, &problem.g, &mut x, &mut y)).unwrap();
            (x, y)
        });
        assert_eq!(one, two);
    }
    // Two Jacobians are not taken for one of them.
    copies.factor(&problem.av, &problem.bv, &other).unwrap();
    let before = copies.factorizations();
    copies
        .factor(&problem.av, &problem.bv, &problem.bv)
        .unwrap();
    assert!(copies.factorizations() > before);
}

/// Values that change places with those of the matrix before give the same solutions, and come back after an error.
#[test]
fn values_that_are_exchanged_are_those_that_are_copied() {
    let problem = chain(8, false);
    let other: Vec<f64> = problem.cv.iter().map(|value| 1.5 * value).collect();
    let (mut x, mut y) = (vec![0.0; problem.f.len()], vec![0.0; problem.g.len()]);
    let (mut own_x, mut own_y) = (x.clone(), y.clone());
    let right_hand_side = [&problem.f[..], &problem.g[..]];
    let (mut copies, mut exchanges) = (
        problem.solver(Method::Automatic),
        problem.solver(Method::Automatic),
    );
    let mut expect = |b: &[f64], c: &[f64], x: &mut [f64], y: &mut [f64]| {
        copies
            .factor_and_solve([&problem.av, b, c], right_hand_side, x, y)
            .unwrap();
    };
    let mut a = VersionedValues::new(problem.av.len());
    a.written().copy_from_slice(&problem.av);
    let (mut left, mut right) = (problem.bv.clone(), other.clone());
    let mut two = ExchangedJacobians::Two(&mut left, &mut right);
    exchanges
        .exchange_and_solve(&mut a, &mut two, right_hand_side, &mut x, &mut y)
        .unwrap();
    expect(&problem.bv, &other, &mut own_x, &mut own_y);
    assert_eq!((&x, &y), (&own_x, &own_y));
    // The right one becomes the left one of the next matrix, as in half-explicit methods.
    exchanges.take_right_jacobian(&mut left);
    assert_eq!(left, other);
    right.copy_from_slice(&problem.cv);
    a.written().copy_from_slice(&problem.av);
    let mut two = ExchangedJacobians::Two(&mut left, &mut right);
    exchanges
        .exchange_and_solve(&mut a, &mut two, right_hand_side, &mut x, &mut y)
        .unwrap();
    expect(&other, &problem.cv, &mut own_x, &mut own_y);
    assert_eq!((&x, &y), (&own_x, &own_y));
    // One for both.
    left.copy_from_slice(&problem.bv);
    a.written().copy_from_slice(&problem.av);
    let mut one = ExchangedJacobians::One(&mut left);
    exchanges
        .exchange_and_solve(&mut a, &mut one, right_hand_side, &mut x, &mut y)
        .unwrap();
    expect(&problem.bv, &problem.bv, &mut own_x, &mut own_y);
    assert_eq!((&x, &y), (&own_x, &own_y));
    // What is not finite is found in the lists of the caller.
    left.copy_from_slice(&other);
    left[3] = f64::NAN;
    let mut one = ExchangedJacobians::One(&mut left);
    let refused = exchanges.exchange_and_solve(&mut a, &mut one, right_hand_side, &mut x, &mut y);
    assert!(matches!(
        refused,
        Err(KktError::NonFinite { which: "B", .. })
    ));
    assert!(left[3].is_nan() && left[4] == other[4]);
}

/// Constant masses are told apart by their numbers, wherever they have been exchanged to.
#[test]
fn numbered_masses_are_recognized_in_both_places() {
    let problem = chain(5, false);
    let right_hand_side = [&problem.f[..], &problem.g[..]];
    let heavier: Vec<f64> = problem.av.iter().map(|value| 2.0 * value).collect();
    let numbers = [MatrixVersion::new(), MatrixVersion::new()];
    let mut exchanges = problem.solver(Method::Automatic);
    let mut mass = VersionedValues::new(problem.av.len());
    let (mut x, mut y) = (vec![0.0; problem.f.len()], vec![0.0; problem.g.len()]);
    for (round, which) in [0, 0, 1, 0, 1, 1, 0].into_iter().enumerate() {
        let values = [&problem.av, &heavier][which];
        // As the owner of a constant matrix does: what has its number is left alone.
        if mass.number != Some(numbers[which]) {
            mass.written().copy_from_slice(values);
            mass.number = Some(numbers[which]);
        }
        assert_eq!(&mass.values, values, "round {round}");
        let mut jacobian: Vec<f64> = problem.bv.clone();
        jacobian[0] += 0.01 * round as f64;
        let matrix = [values, &jacobian.clone(), &jacobian.clone()].map(Vec::clone);
        let mut one = ExchangedJacobians::One(&mut jacobian);
        (exchanges.exchange_and_solve(&mut mass, &mut one, right_hand_side, &mut x, &mut y))
            .unwrap();
        let (mut own_x, mut own_y) = (x.clone(), y.clone());
        let mut fresh = problem.solver(Method::Automatic);
        let [a, b, c] = &matrix;
        (fresh.factor_and_solve([a, b, c], right_hand_side, &mut own_x, &mut own_y)).unwrap();
        let error = |one: &[f64], other: &[f64]| {
            let terms = one
                .iter()
                .zip(other)
                .map(|(one, other)| (one - other).abs());
            terms.fold(0.0, f64::max)
        };
        assert!(
            error(&x, &own_x) < 1e-9 && error(&y, &own_y) < 1e-9,
            "round {round}"
        );
    }
}
