//! `factor` and `solve` allocate nothing on the regular dense and sparse paths, but for what products of blocks keep for each thread.

use crate::counting::calls;
use liedae::linalg::{Blocks, KktSolver, Method, Pattern};

/// Calls of the allocator in ten factorizations and solutions.
fn calls_in_ten(solver: &mut KktSolver, av: &mut [f64], bv: &[f64]) -> usize {
    let (n, m) = (solver.variables(), solver.rows());
    let (f, c) = (vec![1.0; n], vec![0.5; m]);
    let (mut x, mut y) = (vec![0.0; n], vec![0.0; m]);
    let before = calls();
    for _ in 0..10 {
        // The same matrix would not be factorized again.
        av[0] *= 1.001;
        solver.factor(av, bv, bv).unwrap();
        solver.solve(&f, &c, &mut x, &mut y).unwrap();
    }
    calls() - before
}

#[test]
fn factor_and_solve_allocate_nothing() {
    for method in [Method::Dense, Method::Sparse] {
        let bodies = 40;
        let sizes = vec![6; bodies];
        let a = Pattern::block_diagonal(&sizes);
        let joints = bodies - 1;
        let entries = (0..joints).flat_map(|j| {
            (0..3).flat_map(move |i| (6 * j..6 * j + 12).map(move |k| (3 * j + i, k)))
        });
        let b = Pattern::from_entries(3 * joints, 6 * bodies, entries).unwrap();
        let blocks = Blocks {
            variables: sizes,
            rows: vec![3; joints],
        };
        let mut solver = KktSolver::with_method(&a, &b, &b, &blocks, method).unwrap();
        let mut av: Vec<f64> = a
            .iter()
            .map(|(i, j, _)| if i == j { 2.0 } else { 0.1 })
            .collect();
        let bv: Vec<f64> = (0..b.nnz()).map(|k| ((k * k + 1) as f64).sin()).collect();
        if method == Method::Dense {
            // The first product of blocks on a thread asks for its memory.
            solver.factor(&av, &bv, &bv).unwrap();
        }
        let calls = calls_in_ten(&mut solver, &mut av, &bv);
        let counted = (solver.refinements(), solver.fallbacks());
        assert_eq!((calls, counted), (0, (0, 0)), "{method:?}");
    }
}

/// A dense `A` in small blocks is one wide front behind the other.
#[test]
fn wide_fronts_allocate_nothing() {
    let (n, m) = (180, 12);
    let (a, b) = (Pattern::dense(n, n), Pattern::dense(m, n));
    let blocks = Blocks {
        variables: vec![3; n / 3],
        rows: vec![3; m / 3],
    };
    let mut solver = KktSolver::with_method(&a, &b, &b, &blocks, Method::Sparse).unwrap();
    let entry = |(i, j, _): (usize, usize, usize)| {
        if i == j {
            200.0
        } else {
            ((i * j) as f64).cos()
        }
    };
    let mut av: Vec<f64> = a.iter().map(entry).collect();
    let bv: Vec<f64> = (0..b.nnz()).map(|k| ((k * k + 1) as f64).sin()).collect();
    let calls = calls_in_ten(&mut solver, &mut av, &bv);
    assert_eq!((calls, solver.fallbacks()), (0, 0));
    assert_eq!(solver.factorizations(), 10);
}
