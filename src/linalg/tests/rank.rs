//! Redundant, contradicting, singular and massless systems.

use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

use super::support::{METHODS, Problem, Random, ball_joints, mechanism};
use crate::linalg::{Blocks, KktError, KktSolver, Method, Pattern};

/// Appends to `b` combinations of its rows.
fn with_combinations(random: &mut Random, b: &DMatrix<f64>, extra: usize) -> DMatrix<f64> {
    let m = b.nrows();
    let mix = DMatrix::from_fn(m + extra, m, |i, j| {
        if i < m {
            f64::from(i == j)
        } else {
            random.next()
        }
    });
    mix * b
}

proptest! {
    #[test]
    fn combinations_of_rows(seed in any::<u64>(), n in 2usize..10, m in 1usize..5, extra in 1usize..4) {
        let mut random = Random(seed);
        let m = m.min(n);
        let a = random.spd(n);
        let b = DMatrix::from_fn(m, n, |i, j| random.next() + if i == j { 3.0 } else { 0.0 });
        let b = with_combinations(&mut random, &b, extra);
        let mut problem = Problem::dense(&a, &b, &b, vec![], vec![]);
        problem.consistent(&mut random);
        for method in METHODS {
            let s = problem.solve(method).unwrap();
            prop_assert_eq!(s.redundant.len(), extra);
            prop_assert!(problem.error(&s, 1e-10) < 1e-8, "{:?}", method);
        }
    }

    #[test]
    fn scaled_duplicates(seed in any::<u64>(), n in 2usize..10, power in -8.0f64..8.0) {
        let mut random = Random(seed);
        let m = (n / 2).max(1);
        let a = random.spd(n);
        let b = DMatrix::from_fn(m, n, |i, j| random.next() + if i == j { 3.0 } else { 0.0 });
        let scale = 10f64.powf(power);
        let both = DMatrix::from_fn(m + 1, n, |i, j| if i < m { b[(i, j)] } else { scale * b[(0, j)] });
        let mut problem = Problem::dense(&a, &both, &both, vec![], vec![]);
        problem.consistent(&mut random);
        // The regular system gives x and the first multiplier; the rule then splits the multiplier.
        let mut regular = Problem::dense(&a, &b, &b, problem.f.clone(), problem.g[..m].to_vec());
        if scale > 1.0 {
            regular.g[0] = problem.g[m] / scale;
        }
        let z = DVector::from_vec(regular.oracle(1e-15));
        for method in METHODS {
            let s = problem.solve(method).unwrap();
            prop_assert_eq!(s.redundant.len(), 1);
            let size = z.amax().max(1.0);
            for j in 0..n {
                prop_assert!((s.x[j] - z[j]).abs() < 1e-7 * size, "{:?} {} {}", method, s.x[j], z[j]);
            }
            let share = z[n] / (1.0 + scale * scale);
            prop_assert!((s.y[0] - share).abs() < 1e-7 * size);
            prop_assert!((s.y[m] - share * scale).abs() < 1e-7 * size);
        }
    }

    #[test]
    fn contradictions_are_named(seed in any::<u64>(), n in 3usize..10) {
        let mut random = Random(seed);
        let a = random.spd(n);
        let b = DMatrix::from_fn(2, n, |i, j| random.next() + if i == j { 3.0 } else { 0.0 });
        let b = DMatrix::from_fn(3, n, |i, j| b[(i.min(1), j)]);
        let problem = Problem::dense(&a, &b, &b, random.vector(n), vec![0.3, 1.0, 2.0]);
        for method in METHODS {
            match problem.solve(method) {
                Err(KktError::Inconsistent { rows, residual }) => {
                    prop_assert!(!rows.is_empty() && rows.iter().all(|&i| i >= 1), "{:?}", rows);
                    prop_assert!(residual > 0.4);
                }
                other => prop_assert!(false, "{:?} {:?}", method, other.map(|s| s.x)),
            }
        }
    }

    #[test]
    fn massless_coordinates(seed in any::<u64>(), n in 2usize..10) {
        let mut random = Random(seed);
        let mut a = random.spd(n);
        a.row_mut(n - 1).fill(0.0);
        a.column_mut(n - 1).fill(0.0);
        let b = DMatrix::from_fn(1, n, |_, j| if j == n - 1 { 2.0 } else { random.next() });
        let mut problem = Problem::dense(&a, &b, &b, vec![], vec![]);
        problem.consistent(&mut random);
        for method in METHODS {
            let s = problem.solve(method).unwrap();
            let error = problem.error(&s, 1e-14);
            prop_assert!(error < 1e-9, "{:?} {:e} {:?} {:?} {:?}", method, error, s.x, s.y, problem.oracle(1e-14));
        }
        // Without a hold the massless coordinate is undetermined.
        let b = DMatrix::from_fn(1, n, |_, j| if j == n - 1 { 0.0 } else { 1.0 });
        let problem = Problem::dense(&a, &b, &b, vec![0.0; n], vec![0.0]);
        for method in METHODS {
            match problem.solve(method) {
                Err(KktError::Singular { variables, .. }) => prop_assert_eq!(variables, vec![n - 1]),
                other => prop_assert!(false, "{:?}", other.map(|s| s.x)),
            }
        }
    }
}

#[test]
fn more_rows_than_variables() {
    let mut random = Random(11);
    let a = random.spd(3);
    let b = DMatrix::from_fn(7, 3, |_, _| random.next());
    let mut problem = Problem::dense(&a, &b, &b, vec![], vec![]);
    problem.consistent(&mut random);
    for method in METHODS {
        let s = problem.solve(method).unwrap();
        assert_eq!(s.redundant.len(), 4);
        assert!(problem.error(&s, 1e-10) < 1e-9);
    }
}

#[test]
fn zero_rows() {
    let mut random = Random(12);
    let a = random.spd(4);
    let b = DMatrix::from_fn(3, 4, |i, _| if i == 1 { 0.0 } else { random.next() });
    let mut problem = Problem::dense(&a, &b, &b, vec![], vec![]);
    problem.consistent(&mut random);
    for method in METHODS {
        let s = problem.solve(method).unwrap();
        assert_eq!(s.redundant, [1]);
        assert_eq!(s.y[1], 0.0);
        assert!(problem.error(&s, 1e-10) < 1e-10);
    }
}

#[test]
fn duplicated_joints_in_a_chain() {
    let places: Vec<_> = (0..10).map(|i| [i as f64, 0.0, 0.1 * i as f64]).collect();
    let mut joints = vec![(0, None, [-0.5, 0.0, 0.0])];
    for i in 1..10 {
        let point = [i as f64 - 0.5, 0.3, 0.0];
        joints.push((i - 1, Some(i), point));
        if i % 3 == 0 {
            joints.push((i - 1, Some(i), point));
        }
    }
    let problem = ball_joints(&mut Random(13), &places, &joints);
    for method in METHODS {
        let s = problem.solve(method).unwrap();
        assert_eq!(s.redundant.len(), 9);
        assert!(
            problem.error(&s, 1e-11) < 1e-8,
            "{method:?} {}",
            problem.error(&s, 1e-11)
        );
    }
}

#[test]
fn a_redundant_loop_stays_sparse() {
    // Three ball joints between two bodies: 9 rows, of which rigid contact takes 6.
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let joints: Vec<_> = points.iter().map(|&p| (0, Some(1), p)).collect();
    let problem = ball_joints(
        &mut Random(14),
        &[[0.3, 0.2, 1.0], [0.1, 0.7, -1.0]],
        &joints,
    );
    let s = problem.solve(Method::Sparse).unwrap();
    assert_eq!(s.redundant.len(), 3);
    assert_eq!(s.fallbacks, 0);
    assert!(problem.error(&s, 1e-11) < 1e-9);
}

#[test]
fn different_ranks_of_b_and_c_are_reported() {
    let mut random = Random(15);
    let a = random.spd(4);
    let full = DMatrix::from_fn(2, 4, |_, _| random.next());
    let half = DMatrix::from_fn(2, 4, |_, j| full[(0, j)]);
    let (f, g) = (random.vector(4), random.vector(2));
    for method in METHODS {
        // C deficient: x is not determined.
        let error = Problem::dense(&a, &full, &half, f.clone(), g.clone()).solve(method);
        assert!(
            matches!(error, Err(KktError::Singular { .. })),
            "{:?}",
            error.map(|s| s.x)
        );
        // B deficient: the constraints need forces that B cannot give.
        let error = Problem::dense(&a, &half, &full, f.clone(), g.clone()).solve(method);
        assert!(
            matches!(error, Err(KktError::Inconsistent { .. })),
            "{:?}",
            error.map(|s| s.x)
        );
    }
}

#[test]
fn both_jacobians_deficient_and_different() {
    let mut random = Random(16);
    let a = random.spd(6);
    let b = DMatrix::from_fn(3, 6, |_, _| random.next());
    let c = &b + DMatrix::from_fn(3, 6, |_, _| 0.1 * random.next());
    let (b, c) = (
        with_combinations(&mut random, &b, 1),
        with_combinations(&mut random, &c, 1),
    );
    let mut problem = Problem::dense(&a, &b, &c, vec![], vec![]);
    problem.consistent(&mut random);
    for method in METHODS {
        let s = problem.solve(method).unwrap();
        assert_eq!(s.redundant.len(), 1);
        assert!(problem.error(&s, 1e-10) < 1e-9);
    }
}

#[test]
fn redundancy_comes_and_goes() {
    let mut problem = mechanism(&mut Random(17), 2, 6, &[(0, Some(1), 3), (0, Some(1), 3)]);
    let regular = problem.bv.clone();
    let half = regular.len() / 2;
    problem.bv.copy_within(..half, half);
    for method in METHODS {
        let mut solver = problem.solver(method);
        solver
            .factor(&problem.av, &problem.bv, &problem.bv)
            .unwrap();
        assert_eq!((solver.redundant_rows().len(), solver.rank()), (3, 3));
        solver.factor(&problem.av, &regular, &regular).unwrap();
        assert_eq!((solver.redundant_rows().len(), solver.rank()), (0, 6));
    }
}

/// A row of masses, every second one missing and held by a constraint to its neighbour: larger than the robust path
/// takes, and singular in every block that lacks its mass.
fn half_massless(n: usize, held: bool) -> (KktSolver, Vec<f64>, Vec<f64>) {
    let a = Pattern::diagonal(n);
    let m = n / 2;
    let entries = (0..m).flat_map(|i| [(i, 2 * i), (i, 2 * i + 1)]);
    let g = Pattern::from_entries(m, n, entries).unwrap();
    let blocks = Blocks::unstructured(n, m);
    let solver = KktSolver::new(&a, &g, &g, &blocks).unwrap();
    let mass = (0..n)
        .map(|i| if i % 2 == 0 { 1.0 + i as f64 } else { 0.0 })
        .collect();
    let hold = if held { -1.0 } else { 0.0 };
    let jacobian = (0..2 * m)
        .map(|k| if k % 2 == 0 { 1.0 } else { hold })
        .collect();
    (solver, mass, jacobian)
}

#[test]
fn large_massless_systems_are_solved_by_partial_pivoting() {
    let n = 2000;
    let (mut solver, mass, jacobian) = half_massless(n, true);
    solver.factor(&mass, &jacobian, &jacobian).unwrap();
    let (mut x, mut y) = (vec![0.0; n], vec![0.0; n / 2]);
    solver
        .solve(&vec![1.0; n], &vec![0.0; n / 2], &mut x, &mut y)
        .unwrap();
    for pair in 0..n / 2 {
        // Both coordinates move together: two forces on the one mass.
        let expected = 2.0 / (1.0 + 2.0 * pair as f64);
        assert!(
            (x[2 * pair] - expected).abs() < 1e-12 && (x[2 * pair + 1] - expected).abs() < 1e-12
        );
        assert!((y[pair] - 1.0).abs() < 1e-12);
    }
}

#[test]
fn large_singular_systems_are_errors() {
    let n = 2000;
    let (mut solver, mass, jacobian) = half_massless(n, false);
    let (mut x, mut y) = (vec![0.0; n], vec![0.0; n / 2]);
    let solved = solver
        .factor(&mass, &jacobian, &jacobian)
        .and_then(|()| solver.solve(&vec![1.0; n], &vec![0.0; n / 2], &mut x, &mut y));
    assert!(solved.is_err());
}

/// Rows left out of both Jacobians: their multipliers are zero, the others those of the system without them, on the regular
/// path.
#[test]
fn rows_without_entries_need_no_rank_decision() {
    let mut random = Random(29);
    let mut problem = mechanism(&mut random, 2, 6, &[(0, Some(1), 3), (0, Some(1), 2)]);
    let whole = [problem.bv.clone(), problem.cv.clone()];
    (problem.f, problem.g) = (random.vector(12), random.vector(5));
    let left_out = [1, 4];
    for &row in &left_out {
        let range = problem.b.row_range(row);
        problem.bv[range.clone()].fill(0.0);
        problem.cv[range].fill(0.0);
        problem.g[row] = 0.0;
    }
    for method in METHODS {
        let mut solver = problem.solver(method);
        let (mut x, mut y) = (vec![0.0; solver.variables()], vec![f64::NAN; solver.rows()]);
        for round in 0..2 {
            solver
                .factor(&problem.av, &problem.bv, &problem.cv)
                .unwrap();
            solver
                .solve(&problem.f, &problem.g, &mut x, &mut y)
                .unwrap();
            assert_eq!(solver.redundant_rows(), left_out, "{method:?} {round}");
            assert!(left_out.iter().all(|&row| y[row] == 0.0), "{y:?}");
            assert!(y.iter().any(|&multiplier| multiplier != 0.0));
        }
        let mut contradiction = problem.g.clone();
        contradiction[4] = 1.0;
        let refused = solver.solve(&problem.f, &contradiction, &mut x, &mut y);
        assert!(
            matches!(&refused, Err(KktError::Inconsistent { rows, .. }) if rows == &[4]),
            "{refused:?}"
        );
        // All rows come back.
        solver.factor(&problem.av, &whole[0], &whole[1]).unwrap();
        assert!(solver.redundant_rows().is_empty());
    }
}
