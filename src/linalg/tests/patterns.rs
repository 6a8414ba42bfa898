//! Patterns against dense matrices.

use proptest::prelude::*;

use super::support::Random;
use crate::linalg::{Blocks, KktError, Pattern};

proptest! {
    #[test]
    fn products(seed in any::<u64>(), rows in 0usize..8, cols in 0usize..8, count in 0usize..30) {
        let mut random = Random(seed);
        let count = if rows * cols == 0 { 0 } else { count };
        let entries: Vec<_> = (0..count).map(|_| (random.below(rows), random.below(cols))).collect();
        let pattern = Pattern::from_entries(rows, cols, entries.iter().copied()).unwrap();
        let values = random.vector(pattern.nnz());
        let mut full = vec![0.0; rows * cols];
        pattern.to_dense_into(&values, &mut full);
        prop_assert_eq!(pattern.iter().len(), pattern.nnz());
        for (i, j, k) in pattern.iter() {
            prop_assert_eq!(pattern.position(i, j), Some(k));
            prop_assert_eq!(full[i * cols + j], values[k]);
            prop_assert!(entries.contains(&(i, j)));
        }
        let x = random.vector(cols);
        let (mut y, mut z) = (vec![1.0; rows], vec![0.0; rows]);
        pattern.multiply(&values, &x, &mut z);
        pattern.multiply_add(&values, -2.0, &x, &mut y);
        for i in 0..rows {
            let sum: f64 = (0..cols).map(|j| full[i * cols + j] * x[j]).sum();
            prop_assert!((z[i] - sum).abs() < 1e-13);
            prop_assert!((y[i] - 1.0 + 2.0 * sum).abs() < 1e-13);
        }
        let mut t = vec![0.0; cols];
        pattern.multiply_transpose_add(&values, 3.0, &z, &mut t);
        for j in 0..cols {
            let sum: f64 = (0..rows).map(|i| full[i * cols + j] * z[i]).sum();
            prop_assert!((t[j] - 3.0 * sum).abs() < 1e-12);
        }
        let view = pattern.view(&values).unwrap();
        prop_assert_eq!(view.nnz(), pattern.nnz());
        prop_assert!(view.iter().all(|(&v, (i, j))| v == full[i * cols + j]));
    }
}

#[test]
fn special_patterns() {
    let blocks = Pattern::block_diagonal(&[2, 0, 1]);
    assert_eq!(
        blocks,
        Pattern::from_entries(3, 3, [(2, 2), (0, 1), (1, 0), (0, 0), (1, 1), (0, 1)]).unwrap()
    );
    assert_eq!(
        Pattern::diagonal(2),
        Pattern::from_entries(2, 2, [(0, 0), (1, 1)]).unwrap()
    );
    assert_eq!(Pattern::dense(2, 3).row(1), [0, 1, 2]);
    assert_eq!(Pattern::empty(2, 3).nnz(), 0);
    assert!(Pattern::dense(2, 3).row(9).is_empty());
    let error = Pattern::from_entries(1, 1, [(0, 1)]).unwrap_err();
    assert!(matches!(
        error,
        KktError::EntryOutside { row: 0, col: 1, .. }
    ));
}

#[test]
fn blocks_are_detected() {
    let a = Pattern::block_diagonal(&[3, 6, 3]);
    let b = Pattern::from_entries(
        5,
        12,
        [
            (0, 0),
            (0, 4),
            (1, 2),
            (1, 8),
            (2, 4),
            (2, 9),
            (3, 5),
            (3, 10),
            (4, 11),
        ],
    )
    .unwrap();
    let blocks = Blocks::detect(&a, &b, &b);
    assert_eq!(blocks.variables, [3, 6, 3]);
    assert_eq!(blocks.rows, [2, 2, 1]);
}
