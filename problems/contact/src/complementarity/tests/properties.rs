//! Properties of solutions of arbitrary problems.

use proptest::prelude::*;

use super::super::{LcpMethod, LcpOptions, LcpSolver, RowKind};

/// A = B B^T + skew: monotone, non-symmetric if `skew` is not zero.
fn monotone(n: usize, rank: usize, entries: &[f64], skew: f64) -> Vec<f64> {
    let mut matrix = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            matrix[i * n + j] = (0..rank)
                .map(|k| entries[i * 8 + k] * entries[j * 8 + k])
                .sum::<f64>()
                + skew * (entries[i * 8 + j] - entries[j * 8 + i]);
        }
    }
    matrix
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Monotone problems with b = w - A z are solvable; any solution has signs, complementarity and a small residual.
    #[test]
    fn monotone_problems_are_solved(
        n in 1usize..8,
        rank in 1usize..8,
        entries in prop::collection::vec(-1.0f64..1.0, 64),
        skew in prop::sample::select(vec![0.0, 0.0, 1.0]),
        chosen in prop::collection::vec((0usize..4, 0.1f64..2.0), 8),
        first in prop::sample::select(LcpMethod::ALL.to_vec()),
    ) {
        let matrix = monotone(n, rank, &entries, skew);
        let (mut z, mut w, mut kinds) = (vec![0.0; n], vec![0.0; n], vec![RowKind::Unilateral; n]);
        for i in 0..n {
            match chosen[i] {
                (0, size) => z[i] = size,
                (1, size) => w[i] = size,
                (2, size) => {
                    z[i] = size - 1.0;
                    kinds[i] = RowKind::Bilateral;
                }
                _ => {}
            }
        }
        let row = |i: usize, z: &[f64]| (0..n).map(|j| matrix[i * n + j] * z[j]).sum::<f64>();
        let vector: Vec<f64> = (0..n).map(|i| w[i] - row(i, &z)).collect();
        let mut solver = LcpSolver::new(LcpOptions { first, ..LcpOptions::default() });
        let solution = solver.solve(&matrix, &vector, &kinds).unwrap();
        for i in 0..n {
            let (z, w) = (solution.z[i], solution.w[i]);
            if kinds[i] == RowKind::Bilateral {
                prop_assert_eq!(w, 0.0);
            } else {
                prop_assert!(z >= 0.0 && w >= 0.0 && z * w == 0.0);
            }
            let size = solution.z.iter().fold(10.0_f64, |max, z| max.max(z.abs()));
            prop_assert!((w - vector[i] - row(i, &solution.z)).abs() < 1e-9 * size);
        }
    }

    /// Scaling rows and columns by units, and b by any factor, scales the solution.
    #[test]
    fn units_do_not_matter(
        entries in prop::collection::vec(-1.0f64..1.0, 64),
        b in prop::collection::vec(-1.0f64..1.0, 5),
        exponents in prop::collection::vec(-12i32..12, 5),
        factor in -30i32..30,
    ) {
        let n = 5;
        let kinds = [RowKind::Unilateral; 5];
        let mut matrix = monotone(n, 7, &entries, 0.0);
        for i in 0..n {
            matrix[i * n + i] += 0.1;
        }
        let mut solver = LcpSolver::default();
        let plain = solver.solve(&matrix, &b, &kinds).unwrap().clone();
        let unit = |i: usize| 2f64.powi(exponents[i]);
        let scaled: Vec<f64> = (0..n * n).map(|k| matrix[k] * unit(k / n) * unit(k % n)).collect();
        let factor = 2f64.powi(factor);
        let b: Vec<f64> = (0..n).map(|i| b[i] * unit(i) * factor).collect();
        let solution = solver.solve(&scaled, &b, &kinds).unwrap();
        for i in 0..n {
            let expected = plain.z[i] * factor / unit(i);
            prop_assert!((solution.z[i] - expected).abs() <= 1e-12 * (expected + factor / unit(i)));
        }
    }
}
