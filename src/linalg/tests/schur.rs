//! Where the Schur complement answers, and where it leaves the answer to others.

use nalgebra::DMatrix;
use proptest::prelude::*;

use super::support::{Problem, Random};
use crate::linalg::KktSolver;
use crate::linalg::bodies::RightHandSide;
use crate::linalg::schur::{Job, SchurComplement};
use crate::linalg::system::System;
use crate::linalg::verify::{Check, GOOD};

/// A problem whose matrix is loaded.
fn system(problem: &Problem) -> System {
    let mut system = System::new(&problem.a, &problem.b, &problem.c).unwrap();
    system.load(&problem.av, &problem.bv, &problem.cv).unwrap();
    system
}

/// What is asked of a problem's matrix, with room for the solution.
fn job<'a>(problem: &'a Problem, z: &'a mut [f64]) -> Job<'a> {
    let (x, y) = z.split_at_mut(problem.f.len());
    let rhs = RightHandSide {
        f: Some(&problem.f),
        c: &problem.g,
    };
    Job { rhs, x, y }
}

/// Solves; the solution and whether it is taken without being measured in all rows, unless the factors are refused.
fn solve(problem: &Problem) -> Option<(Vec<f64>, bool)> {
    let system = system(problem);
    let mut schur = SchurComplement::new(&system)?;
    let mut z = vec![f64::NAN; system.size()];
    schur.factor(&system).then(|| {
        schur.solve(job(problem, &mut z));
        let x = &z[..problem.f.len()];
        let holds = schur.constraints_hold(&problem.g, x, GOOD.componentwise);
        (z, schur.is_above_suspicion() && holds)
    })
}

/// Whether a solution passes the check that it was spared.
fn is_good(problem: &Problem, z: &[f64]) -> bool {
    let system = system(problem);
    let mut check = Check::new(&problem.blocks);
    check.measure(&system, &[&problem.f[..], &problem.g[..]].concat(), z);
    check.passes(&system, z, &GOOD)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    /// Masses and rows over six decades, coupled by forces of any size, with rows as nearly dependent as they come.
    #[test]
    fn what_is_above_suspicion_is_good(seed in any::<u64>(), n in 1usize..34, m in 0usize..33) {
        let mut random = Random(seed);
        let m = m.min(n);
        let scales: Vec<f64> = (0..n).map(|_| 10f64.powf(3.0 * random.next())).collect();
        let spd = random.spd(n);
        let a = DMatrix::from_fn(n, n, |i, j| spd[(i, j)] * scales[i] * scales[j]);
        let tilt = 10f64.powf(-1.0 - random.next());
        let common = random.vector(n);
        let b = DMatrix::from_fn(m, n, |_, j| (common[j] + tilt * random.next()) * scales[j]);
        let shift = if random.next() > 0.0 { 1e-2 } else { 0.0 };
        let c = DMatrix::from_fn(m, n, |i, j| b[(i, j)] + shift * tilt * random.next() * scales[j]);
        let f = (0..n).map(|j| random.next() * scales[j]).collect();
        let g = random.vector(m).iter().map(|g| g * 10f64.powf(3.0 * random.next())).collect();
        let problem = Problem::dense(&a, &b, &c, f, g);
        if let Some((z, true)) = solve(&problem) {
            prop_assert!(is_good(&problem, &z));
        }
    }
}

/// Pairs of variables with masses 1 and a coupling whose square is short of 1 by `gap`, and what else is alone.
fn coupled(gaps: &[f64], alone: usize) -> DMatrix<f64> {
    let n = 2 * gaps.len() + alone;
    let mut a = DMatrix::identity(n, n);
    for (pair, gap) in gaps.iter().enumerate() {
        let coupling = (1.0 - gap).sqrt();
        a[(2 * pair, 2 * pair + 1)] = coupling;
        a[(2 * pair + 1, 2 * pair)] = coupling;
    }
    a
}

/// Large forces that constraints bear: divided by A before they cancel, they would leave the first variable three digits, and its row
/// of forces is not measured.
#[test]
fn forces_cancel_before_masses_divide_them() {
    let a = DMatrix::from_row_slice(2, 2, &[1.0, 1.0, 1.0, 1.0 + 1.0 / 512.0]);
    let c = DMatrix::from_row_slice(1, 2, &[0.0, 1.0]);
    let problem = |b: &DMatrix<f64>| Problem::dense(&a, b, &c, vec![1.1, 1e10], vec![0.0]);
    let one = problem(&c);
    let (z, good) = solve(&one).unwrap();
    assert!(good && is_good(&one, &z), "{z:?}");
    approx::assert_relative_eq!(z[0], 1.1, max_relative = 1e-12);
    // With two matrices it is the constraint row that shows it.
    let (z, good) = solve(&problem(&(&c * 1.5))).unwrap();
    assert!(!good && z[1].abs() > 1e-4, "{z:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    /// The same for masses that nearly depend on each other, and rows with few entries that bear forces over ten decades.
    #[test]
    fn what_is_above_suspicion_is_good_with_coupled_masses(seed in any::<u64>(), pairs in 1usize..5, alone in 0usize..4, m in 1usize..8, one in any::<bool>()) {
        let mut random = Random(seed);
        let gaps: Vec<f64> = (0..pairs).map(|_| 10f64.powf(-1.5 + 1.5 * random.next())).collect();
        let a = coupled(&gaps, alone);
        let n = a.nrows();
        let m = m.min(n - 1);
        let mut sparse = || DMatrix::from_fn(m, n, |i, j| {
            let near = j == i || j == i + 1;
            if near || random.next() > 0.8 { random.next() } else { 0.0 }
        });
        let b = sparse();
        let c = if one { b.clone() } else { &b + sparse() * 0.1 };
        let mut size = || random.next() * 10f64.powf(5.0 * random.next());
        let f = (0..n).map(|_| size()).collect();
        let g = (0..m).map(|_| size()).collect();
        let problem = Problem::dense(&a, &b, &c, f, g);
        if let Some((z, true)) = solve(&problem) {
            prop_assert!(is_good(&problem, &z));
        }
    }
}

proptest! {
    /// Steps that are repeated meet factors that are there already, and must give the same bits.
    #[test]
    fn solutions_do_not_depend_on_when_the_matrix_was_factorized(seed in any::<u64>(), n in 1usize..12, m in 0usize..12, one in any::<bool>()) {
        let mut random = Random(seed);
        let m = m.min(n);
        let mut row = || (0..m * n).map(|_| random.next()).collect::<Vec<f64>>();
        let b = DMatrix::from_row_slice(m, n, &row());
        let c = if one { b.clone() } else { &b + DMatrix::from_row_slice(m, n, &row()) * 0.1 };
        let (f, g) = (random.vector(n), random.vector(m));
        let problem = Problem::dense(&random.spd(n), &b, &c, f, g);
        let system = system(&problem);
        let mut schur = SchurComplement::new(&system).unwrap();
        let (mut together, mut apart) = (vec![0.0; n + m], vec![0.0; n + m]);
        let tolerance = GOOD.componentwise;
        let solved = schur.factor_and_solve(&system, job(&problem, &mut together), tolerance);
        if let Some(good) = solved {
            schur.solve(job(&problem, &mut apart));
            prop_assert_eq!(&together, &apart);
            let holds = schur.constraints_hold(&problem.g, &together[..n], tolerance);
            prop_assert_eq!(good, schur.is_above_suspicion() && holds);
            prop_assert!(schur.factor(&system));
            schur.solve(job(&problem, &mut apart));
            prop_assert_eq!(&together, &apart);
        }
    }
}

/// Four right-hand sides at a time, and each of them alone.
#[test]
fn four_solutions_are_those_of_single_right_hand_sides() {
    let mut random = Random(11);
    for (m, one) in [1, 2, 3, 6, 7, 8, 20, 32]
        .into_iter()
        .flat_map(|m| [(m, true), (m, false)])
    {
        let n = m + 3;
        let b = DMatrix::from_fn(m, n, |_, _| random.next());
        let c = b.map(|entry| entry + if one { 0.0 } else { 1e-3 * random.next() });
        let problem = Problem::dense(&random.spd(n), &b, &c, vec![0.0; n], vec![0.0; m]);
        let mut solver =
            KktSolver::new(&problem.a, &problem.b, &problem.c, &problem.blocks).unwrap();
        solver
            .factor(&problem.av, &problem.bv, &problem.cv)
            .unwrap();
        let asked: Vec<[f64; 4]> = (0..m).map(|_| [(); 4].map(|()| random.next())).collect();
        let scale: Vec<f64> = (0..m).map(|_| 1.0 + 0.5 * random.next()).collect();
        let (mut x, mut y) = (vec![[f64::NAN; 4]; n], vec![[f64::NAN; 4]; m]);
        let mut alone = y.clone();
        assert!(
            solver.solve_four_constraints((&asked, &scale), None, &mut alone),
            "{m} rows"
        );
        assert!(!solver.is_proven(), "{m} rows");
        assert!(
            solver.solve_four_constraints((&asked, &scale), Some(&mut x), &mut y),
            "{m} rows"
        );
        assert!(solver.is_proven(), "{m} rows");
        assert_eq!(alone, y);
        for lane in 0..4 {
            let rows = asked.iter().zip(&scale);
            let one: Vec<f64> = rows.map(|(asked, scale)| asked[lane] * scale).collect();
            let (mut one_x, mut one_y) = (vec![0.0; n], vec![0.0; m]);
            solver
                .solve_constraints_again(&one, &mut one_x, &mut one_y)
                .unwrap();
            for (y, scale) in one_y.iter_mut().zip(&scale) {
                *y *= scale;
            }
            let size = |list: &[f64]| list.iter().fold(1e-3, |size: f64, x| size.max(x.abs()));
            for (four, one) in [(&x, &one_x), (&y, &one_y)] {
                let limit = 1e-8 * size(one);
                for (four, one) in four.iter().zip(one) {
                    assert!(
                        (four[lane] - one).abs() <= limit,
                        "{m} rows: {} {one}",
                        four[lane]
                    );
                }
            }
        }
        // What is not finite, and what does not fit, is left to others.
        let mut strange = asked.clone();
        strange[m - 1][2] = f64::NAN;
        for x in [None, Some(&mut x[..])] {
            assert!(!solver.solve_four_constraints((&strange, &scale), x, &mut y));
        }
        for (asked, scale) in [(&asked[1..], &scale[..]), (&asked, &scale[1..])] {
            assert!(!solver.solve_four_constraints((asked, scale), Some(&mut x), &mut y));
        }
    }
}

/// The measure of a solution sees each number that is wrong, and each that is none, wherever it stands.
#[test]
fn solutions_that_are_wrong_or_not_finite_do_not_hold() {
    let mut random = Random(5);
    let sizes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 24, 31, 32];
    for (m, one) in sizes.into_iter().flat_map(|m| [(m, true), (m, false)]) {
        let n = m + 3;
        // The last variable is in no row: nothing but zero times it tells that it is not finite.
        let mut b = DMatrix::from_fn(m, n, |_, _| random.next());
        b.column_mut(n - 1).fill(0.0);
        let c = if one { b.clone() } else { &b * 1.1 };
        let problem = Problem::dense(&random.spd(n), &b, &c, random.vector(n), random.vector(m));
        let system = system(&problem);
        let mut schur = SchurComplement::new(&system).unwrap();
        let mut z = vec![0.0; n + m];
        let good = schur.factor_and_solve(&system, job(&problem, &mut z), 1e-9);
        assert_eq!(good, Some(true));
        let (x, _) = z.split_at(n);
        let holds = |c: &[f64], x: &[f64]| schur.constraints_hold(c, x, 1e-9);
        assert!(holds(&problem.g, x), "{m} rows");
        for strange in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for at in 0..n {
                let mut x = x.to_vec();
                x[at] = strange;
                assert!(!holds(&problem.g, &x), "{strange} at {at} of {m} rows");
            }
        }
        for change in [f64::NAN, f64::INFINITY, 1e-3] {
            for at in 0..m {
                let mut c = problem.g.clone();
                c[at] += change;
                assert!(!holds(&c, x), "{change} in row {at} of {m}");
            }
        }
    }
}

/// A plane body on two rows that are `angle` from each other.
fn body_on_two_rows(angle: f64) -> Problem {
    let a = DMatrix::from_diagonal_element(3, 3, 2.0);
    let b = DMatrix::from_row_slice(2, 3, &[1.0, 0.0, 0.0, angle.cos(), angle.sin(), 0.0]);
    Problem::dense(&a, &b, &b, vec![1.0, -3.0, 0.5], vec![0.3, 0.1])
}

#[test]
fn rows_that_are_nearly_dependent_are_left_to_others() {
    assert!(matches!(solve(&body_on_two_rows(0.1)), Some((_, true))));
    assert!(matches!(solve(&body_on_two_rows(1e-3)), Some((_, false))));
    assert!(solve(&body_on_two_rows(1e-5)).is_none());
    assert!(solve(&body_on_two_rows(0.0)).is_none());
}

/// Without forces nothing has to be eliminated from the rows, if there are any: the same as with forces that are zero.
#[test]
fn no_forces_are_forces_of_zero() {
    let without_rows = || {
        let mass = DMatrix::from_diagonal_element(3, 3, 2.0);
        let none = DMatrix::zeros(0, 3);
        Problem::dense(&mass, &none, &none, vec![0.0; 3], Vec::new())
    };
    for problem in [body_on_two_rows(0.1), body_on_two_rows(1.0), without_rows()] {
        let problem = Problem {
            f: vec![0.0; 3],
            ..problem
        };
        let system = system(&problem);
        let mut schur = SchurComplement::new(&system).unwrap();
        assert!(schur.factor(&system));
        let (mut none, mut zero) = (vec![f64::NAN; system.size()], vec![0.0; system.size()]);
        schur.solve(job(&problem, &mut zero));
        let mut without = job(&problem, &mut none);
        without.rhs.f = None;
        schur.solve(without);
        assert_eq!(none, zero);
    }
}

/// Without symmetry one good solution says nothing about the next: here multipliers cancel in one of them, up to eight digits.
#[test]
fn solutions_with_two_jacobians_are_measured_again() {
    let one = DMatrix::identity(2, 2);
    let turned = DMatrix::from_row_slice(2, 2, &[1.0, 1e8, -1e8, 1.0]);
    let (mut x, mut y) = ([0.0; 2], [0.0; 2]);
    let problem = Problem::dense(&one, &one, &turned, vec![0.0; 2], vec![0.0, 1.0]);
    let mut solver = KktSolver::new(&problem.a, &problem.b, &problem.c, &problem.blocks).unwrap();
    let [a, b, c] = [&problem.av, &problem.bv, &problem.cv];
    solver.factor(a, b, c).unwrap();
    for asked in [[0.0, 1.0], [1.0, 1.0]] {
        solver
            .solve_constraints_again(&asked, &mut x, &mut y)
            .unwrap();
        for (row, asked) in turned.row_iter().zip(asked) {
            let terms = [row[0] * x[0], row[1] * x[1]];
            assert!((terms[0] + terms[1] - asked).abs() < 1e-12, "{terms:?}");
        }
    }
}

#[test]
fn forces_that_constraints_take_up_arouse_suspicion() {
    // What is left of 1e8 m/s² in rows that ask for 0.3 and 0.1 m/s².
    let mut problem = body_on_two_rows(1.0);
    problem.f = vec![1e8, 1e8, 0.0];
    assert!(matches!(solve(&problem), Some((_, false))));
    assert!(problem.solve(crate::linalg::Method::Automatic).is_ok());
}

#[test]
fn only_symmetric_positive_definite_matrices_are_taken() {
    let mut unsymmetric = body_on_two_rows(1.0);
    unsymmetric.av[1] = 0.1;
    let mut indefinite = body_on_two_rows(1.0);
    indefinite.av[0] = -2.0;
    let mut singular = body_on_two_rows(1.0);
    singular.av[8] = 0.0;
    for problem in [unsymmetric, indefinite, singular] {
        assert!(solve(&problem).is_none());
        // The solver has other ways, where there is a solution.
        let solved = problem.solve(crate::linalg::Method::Automatic);
        let dense = problem.solve(crate::linalg::Method::Dense);
        assert_eq!(solved.is_ok(), dense.is_ok());
    }
}

#[test]
fn asymmetry_is_told_whatever_the_units() {
    for unit in [1e-170, 1e-150, 1.0, 1e150, 1e156, 1e160] {
        let a = DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 0.5, 2.0]) * unit;
        let none = DMatrix::zeros(0, 2);
        let problem = Problem::dense(&a, &none, &none, vec![unit, 0.0], vec![]);
        assert!(solve(&problem).is_none(), "{unit:e}");
    }
    // A coupling below what is taken for symmetric shows where nothing else is.
    let a = DMatrix::from_row_slice(2, 2, &[1.0, 5e-15, 0.0, 1.0]);
    let none = DMatrix::zeros(0, 2);
    let problem = Problem::dense(&a, &none, &none, vec![0.0, 1.0], vec![]);
    assert!(!matches!(solve(&problem), Some((_, true))));
}

#[test]
fn sides_that_are_orthogonal_in_the_metric_of_masses_are_singular() {
    let a = DMatrix::from_row_slice(2, 2, &[2.0, 0.3, 0.3, 2.0]);
    let b = DMatrix::from_row_slice(1, 2, &[0.7, 1.3]);
    // A⁻¹ bᵀ but for a factor.
    let w = [2.0 * 0.7 - 0.3 * 1.3, 2.0 * 1.3 - 0.3 * 0.7];
    for angle in [1e-13, 1e-14, 1e-15, 1e-16] {
        let c = DMatrix::from_row_slice(1, 2, &[w[1] + angle * w[0], angle * w[1] - w[0]]);
        let problem = Problem::dense(&a, &b, &c, vec![1.0, 2.0], vec![0.5]);
        assert!(solve(&problem).is_none(), "{angle:e}");
        let solved = problem.solve(crate::linalg::Method::Automatic);
        assert!(solved.is_err(), "{angle:e}");
    }
}
