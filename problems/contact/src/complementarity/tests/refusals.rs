//! Errors, and what proves them.

use super::super::RowKind::{Bilateral, Unilateral};
use super::super::{LcpError, LcpMethod, LcpOptions, LcpSolver};
use super::{only, unilateral};

#[test]
fn bad_arguments() {
    let mut solver = LcpSolver::default();
    let found = solver
        .solve(&[1.0; 3], &[0.0; 2], &unilateral(2))
        .unwrap_err();
    let expected = LcpError::Dimension {
        what: "matrix",
        expected: 4,
        found: 3,
    };
    assert_eq!(found, expected);
    assert!(matches!(
        solver.solve(&[1.0; 4], &[0.0; 1], &unilateral(2)),
        Err(LcpError::Dimension { what: "vector", .. })
    ));
    for bad in [f64::NAN, f64::INFINITY] {
        assert!(matches!(
            solver.solve(&[1.0, 0.0, bad, 1.0], &[0.0; 2], &unilateral(2)),
            Err(LcpError::NonFinite {
                which: "matrix",
                row: 1,
                col: 0
            })
        ));
        assert!(matches!(
            solver.solve(&[1.0, 0.0, 0.0, 1.0], &[0.0, bad], &unilateral(2)),
            Err(LcpError::NonFinite {
                which: "vector",
                row: 1,
                ..
            })
        ));
    }
    let empty = solver.solve(&[], &[], &[]).unwrap();
    assert!(empty.z.is_empty() && empty.w.is_empty());
    let options = LcpOptions {
        relaxation: 2.5,
        ..LcpOptions::default()
    };
    let mut refused = LcpSolver::new(options);
    let error = refused.solve(&[1.0], &[1.0], &[Unilateral]);
    assert!(matches!(
        error,
        Err(LcpError::Option {
            option: "relaxation",
            ..
        })
    ));
}

/// Farkas' certificate, checked with the problem's own numbers.
fn assert_proves(matrix: &[f64], vector: &[f64], ray: &[f64], descent: f64) {
    let n = ray.len();
    assert!(descent < 0.0);
    let product: f64 = vector.iter().zip(ray).map(|(b, v)| b * v).sum();
    assert!((product - descent).abs() <= 1e-12 * descent.abs());
    for j in 0..n {
        let column: f64 = (0..n).map(|i| matrix[i * n + j] * ray[i]).sum();
        assert!(ray[j] >= 0.0 && column <= 1e-12, "{j}: {column:e}");
    }
}

/// Two opposite contacts close on a body from both sides, and the gap is too narrow.
#[test]
fn infeasible_problems_come_with_a_ray() {
    let mut solver = LcpSolver::default();
    for (unit, rest) in [(1.0, 0.0), (100.0, 0.3)] {
        let matrix = [
            1.0,
            -unit,
            rest,
            -unit,
            unit * unit,
            -rest * unit,
            rest,
            -rest * unit,
            1.0,
        ];
        let vector = [-1.0, -unit, 0.2];
        let error = solver.solve(&matrix, &vector, &unilateral(3)).unwrap_err();
        let LcpError::Infeasible { ray, descent } = error else {
            panic!("{error:?}");
        };
        assert_proves(&matrix, &vector, &ray, descent);
    }
    let error = solver.solve(&[0.0], &[-1.0], &[Unilateral]).unwrap_err();
    assert!(matches!(error, LcpError::Infeasible { .. }), "{error:?}");
    assert_eq!(solver.statistics().infeasible, 3);
}

/// z = (0, 0) is no solution, z_0 = 1 contradicts row 1, and yet A z + b >= 0 is feasible: no certificate, but the ray.
#[test]
fn a_feasible_problem_without_solution_is_unsolved() {
    let mut solver = LcpSolver::default();
    let matrix = [0.0, 1.0, 0.0, 0.0];
    let error = solver
        .solve(&matrix, &[-1.0, 1.0], &unilateral(2))
        .unwrap_err();
    let LcpError::Unsolved { tried, ray, .. } = error else {
        panic!("{error:?}");
    };
    assert_eq!(tried, LcpMethod::FALLBACKS);
    assert!(ray.is_some());
    let error = only(LcpMethod::GaussSeidel)
        .solve(&matrix, &[-1.0, 1.0], &unilateral(2))
        .unwrap_err();
    assert!(matches!(error, LcpError::Unsolved { tried, ray: None, .. } if tried.len() == 1));
}

#[test]
fn contradicting_bilateral_rows_are_named() {
    let jacobian = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [2.0, 0.0]];
    let matrix: Vec<f64> = (0..16)
        .map(|k| {
            (0..2)
                .map(|c| jacobian[k / 4][c] * jacobian[k % 4][c])
                .sum()
        })
        .collect();
    let kinds = [Bilateral, Bilateral, Unilateral, Bilateral];
    let mut solver = LcpSolver::default();
    let solution = solver
        .solve(&matrix, &[1.0, 1.0, 1.5, 2.0], &kinds)
        .unwrap();
    assert_eq!(solution.redundant_rows.len(), 1);
    let error = solver
        .solve(&matrix, &[1.0, 1.0, 1.0, 2.5], &kinds)
        .unwrap_err();
    assert!(
        matches!(&error, LcpError::Inconsistent { rows, .. } if rows == &[0, 3]),
        "{error:?}"
    );
}
