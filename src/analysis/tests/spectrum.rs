//! Eigenvalues of matrices without symmetry.

use crate::analysis::AnalysisError;
use crate::analysis::spectrum::{Eigenpair, Spectrum};
use faer::{Mat, c64};

/// Numbers between -1 and 1, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn draw(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn matrix(&mut self, n: usize) -> Mat<f64> {
        Mat::from_fn(n, n, |_, _| self.draw())
    }
}

/// Eigenvalues of a real matrix with both of each pair.
fn values(pairs: &[Eigenpair]) -> Vec<c64> {
    let both = |pair: &Eigenpair| {
        let one = pair.value;
        let count = if one.im == 0.0 { 1 } else { 2 };
        [one, one.conj()].into_iter().take(count)
    };
    pairs.iter().flat_map(both).collect()
}

fn pairs(matrix: &Mat<f64>) -> Vec<Eigenpair> {
    Spectrum::of(matrix).expect("eigenvalues").pairs
}

/// Each satisfies A u = s u, and together they have the trace; the number of eigenvalues.
fn check(matrix: &Mat<f64>, digits: f64) -> usize {
    let pairs = pairs(matrix);
    let (n, size) = (matrix.nrows(), matrix.norm_l2());
    let values = values(&pairs);
    let sum: c64 = values.iter().fold(c64::new(0.0, 0.0), |a, b| a + b);
    let trace: f64 = (0..n).map(|i| matrix[(i, i)]).sum();
    assert!((sum - trace).norm() <= digits * size * n as f64);
    for Eigenpair { value, vector } in &pairs {
        assert!(value.im >= 0.0);
        let length = vector.iter().map(|u| u.norm_sqr()).sum::<f64>().sqrt();
        assert!(length > 0.0 && length.is_finite());
        for i in 0..n {
            let row = vector.iter().enumerate().map(|(j, u)| u * matrix[(i, j)]);
            let image = row.fold(c64::new(0.0, 0.0), |a, b| a + b);
            assert!((image - value * vector[i]).norm() <= digits * size * length);
        }
    }
    values.len()
}

#[test]
fn random_matrices_have_their_eigenpairs() {
    let mut numbers = Numbers(1);
    for n in (1..40).chain([120, 250]) {
        assert_eq!(check(&numbers.matrix(n), 1e-12), n);
    }
}

#[test]
fn badly_scaled_matrices_have_theirs() {
    let mut numbers = Numbers(2);
    for n in [5, 30, 90] {
        let matrix = numbers.matrix(n);
        let scales: Vec<f64> = (0..n)
            .map(|_| 10.0_f64.powf(4.0 * numbers.draw()))
            .collect();
        let scaled = Mat::from_fn(n, n, |i, j| matrix[(i, j)] * scales[i] / scales[j]);
        assert_eq!(check(&scaled, 1e-12), n);
        // The same eigenvalues in other units.
        let sorted = |matrix: &Mat<f64>| {
            let mut values = values(&pairs(matrix));
            values.sort_by(|a, b| (a.re, a.im).partial_cmp(&(b.re, b.im)).expect("numbers"));
            values
        };
        for (a, b) in sorted(&matrix).into_iter().zip(sorted(&scaled)) {
            assert!((a - b).norm() < 1e-11 * a.norm().max(1.0), "{n}: {a} {b}");
        }
    }
    assert_eq!(check(&Mat::zeros(4, 4), 0.0), 4);
    let turn = [[0.0, 2.0], [-2.0, 0.0]];
    let pairs = pairs(&Mat::from_fn(2, 2, |i, j| turn[i][j]));
    let [one, other] = values(&pairs)[..] else {
        panic!("two eigenvalues");
    };
    assert!((one - c64::new(0.0, 2.0)).norm() < 1e-15 && other == one.conj());
}

/// Tanks in series, each emptied into the next one: one eigenvalue, n times, with one eigenvector.
#[test]
fn chains_of_lags_have_their_only_eigenvalue() {
    let mut numbers = Numbers(3);
    for n in [2, 6, 12, 13, 14, 24, 40, 80] {
        let mut order: Vec<usize> = (0..n).collect();
        for k in (1..n).rev() {
            order.swap(k, ((numbers.draw() + 1.0) / 2.0 * k as f64) as usize);
        }
        for order in [(0..n).collect(), (0..n).rev().collect(), order] {
            let lag = |i: usize, j: usize| {
                if i == j {
                    -3.0
                } else {
                    f64::from(u8::from(i == j + 1)) * 3.0
                }
            };
            let matrix = Mat::from_fn(n, n, |i, j| lag(order[i], order[j]));
            assert_eq!(check(&matrix, 1e-13), n);
            let values = values(&pairs(&matrix));
            assert!(
                values.iter().all(|s| *s == c64::new(-3.0, 0.0)),
                "{values:?}"
            );
        }
    }
}

#[test]
fn triangular_matrices_have_their_diagonal() {
    for (n, below) in [(20, 1.0), (50, 1.0), (30, 2.0)] {
        let diagonal = |i: usize| -1.0 - 0.01 * i as f64;
        let matrix = Mat::from_fn(n, n, |i, j| match i.checked_sub(j) {
            Some(0) => diagonal(i),
            Some(1) => below,
            _ => 0.0,
        });
        let mut found: Vec<f64> = values(&pairs(&matrix)).iter().map(|s| s.re).collect();
        found.sort_by(|a, b| b.total_cmp(a));
        let expected: Vec<f64> = (0..n).map(diagonal).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn zeros_are_exact_and_have_all_their_vectors() {
    // A chain of integrators has one vector, however long it is.
    let matrix = Mat::from_fn(6, 6, |i, j| f64::from(u8::from(j == i + 1)));
    assert_eq!(check(&matrix, 1e-15), 1);
    // Chains of 1, 2 and 3 beside eigenvalues that are not zero, in a frame without a meaning.
    let mut numbers = Numbers(4);
    let (frame, others) = (numbers.matrix(10), [-2.0, 1e-3, 5.0, -1e3]);
    let form = Mat::from_fn(10, 10, |i, j| {
        let chained = [(1, 2), (3, 4), (4, 5)].contains(&(i, j));
        let other = if i == j && i >= 6 { others[i - 6] } else { 0.0 };
        f64::from(u8::from(chained)) + other
    });
    let inverse =
        faer::linalg::solvers::Solve::solve(&frame.partial_piv_lu(), &Mat::identity(10, 10));
    let matrix = &frame * form * inverse;
    assert_eq!(check(&matrix, 1e-12), 7);
    let mut found: Vec<f64> = values(&pairs(&matrix)).iter().map(|s| s.re).collect();
    found.sort_by(|a, b| a.total_cmp(b));
    for (found, expected) in found.iter().zip([-1e3, -2.0, 0.0, 0.0, 0.0, 1e-3, 5.0]) {
        assert!((found - expected).abs() < 1e-11 * 1e3, "{found} {expected}");
    }
    assert_eq!(found.iter().filter(|&&value| value == 0.0).count(), 3);
}

#[test]
fn large_and_small_numbers_are_as_good_as_others() {
    let matrix = Numbers(5).matrix(4);
    let expected = values(&pairs(&matrix));
    for exponent in [-300, -160, -80, -16, 16, 80, 160, 290] {
        let scale = 10.0_f64.powi(exponent);
        let scaled = Mat::from_fn(4, 4, |i, j| matrix[(i, j)] * scale);
        for (found, expected) in values(&pairs(&scaled)).into_iter().zip(&expected) {
            let near = c64::new(found.re / scale, found.im / scale) - expected;
            assert!(near.norm() < 1e-13 * expected.norm(), "{exponent}");
        }
    }
}

#[test]
fn what_is_no_number_is_refused() {
    assert!(Spectrum::of(&Mat::zeros(0, 0)).is_ok_and(|spectrum| spectrum.pairs.is_empty()));
    for bad in [f64::NAN, f64::INFINITY] {
        let matrix = Mat::from_fn(3, 3, |i, j| if i == j { bad } else { 1.0 });
        let refused = Spectrum::of(&matrix).err();
        assert!(matches!(refused, Some(AnalysisError::NotFinite)));
    }
}
