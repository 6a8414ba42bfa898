//! `LcpSolver::solve` allocates nothing after a problem of the largest size, with every method, redundant rows included.

use crate::counting::calls;
use liedae_contact::complementarity::{LcpMethod, LcpOptions, LcpSolver, RowKind, Uniqueness};

/// Contacts of a plate: J has three columns, so that every four rows are dependent.
fn plate(n: usize, bilateral: usize) -> (Vec<f64>, Vec<f64>, Vec<RowKind>) {
    let row = |i: usize| [1.0, (3.0 * i as f64).sin(), (5.0 * i as f64).cos()];
    let product = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let matrix = (0..n * n)
        .map(|k| product(row(k / n), row(k % n)))
        .collect();
    let vector = (0..n).map(|i| product(row(i), [-1.0, 0.7, -0.8])).collect();
    let kind = |i| {
        if i < bilateral {
            RowKind::Bilateral
        } else {
            RowKind::Unilateral
        }
    };
    (matrix, vector, (0..n).map(kind).collect())
}

#[test]
fn solve_allocates_nothing_after_warm_up() {
    for first in LcpMethod::ALL {
        let mut solver = LcpSolver::new(LcpOptions {
            first,
            ..LcpOptions::default()
        });
        let problems = [plate(24, 0), plate(24, 5), plate(10, 0), plate(3, 1)];
        for (matrix, vector, kinds) in &problems {
            solver.solve(matrix, vector, kinds).unwrap();
        }
        let before = calls();
        for _ in 0..10 {
            for (matrix, vector, kinds) in &problems {
                solver.solve(matrix, vector, kinds).unwrap();
            }
        }
        let calls = calls() - before;
        assert_eq!(calls, 0, "{first:?}");
        let (matrix, vector, kinds) = &problems[0];
        let solution = solver.solve(matrix, vector, kinds).unwrap();
        assert_eq!(solution.uniqueness, Uniqueness::LeastNorm);
    }
}
