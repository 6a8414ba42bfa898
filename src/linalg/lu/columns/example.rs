//! A matrix and vectors for tests of jobs that contain a solution.

use super::{ColumnSolver, Inverted, column_length};

/// A factorized matrix of this size.
pub(crate) fn example_solver(size: usize, inverted: Inverted) -> ColumnSolver<1> {
    let columns = (0..size).flat_map(|column| example_column(size, 50 * column));
    let matrix: Vec<f64> = columns.collect();
    let mut solver = ColumnSolver::new(size, inverted);
    assert!(solver.factor_shifted([9.0], &matrix, 1e-8), "{size}");
    solver
}

/// Numbers of both signs, zero behind the last unknown; other ones for another `first`.
pub(crate) fn example_column(size: usize, first: usize) -> Vec<f64> {
    let number = |k: usize| ((k * 7919) % 1009) as f64 / 370.0 - 1.3;
    let mut column: Vec<f64> = (0..size).map(|at| number(first + at)).collect();
    column.resize(column_length(size), 0.0);
    column
}
