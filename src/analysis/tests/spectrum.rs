//! Eigenvalues of matrices without symmetry.

use crate::analysis::AnalysisError;
use crate::analysis::spectrum::{Eigenpair, eigenpairs};
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

/// Each satisfies A u = s u, and together they have the trace.
fn check(matrix: &Mat<f64>, digits: f64) {
    let pairs = eigenpairs(matrix).expect("eigenvalues");
    let (n, size) = (matrix.nrows(), matrix.norm_l2());
    let values = values(&pairs);
    assert_eq!(values.len(), n);
    let sum: c64 = values.into_iter().fold(c64::new(0.0, 0.0), |a, b| a + b);
    let trace: f64 = (0..n).map(|i| matrix[(i, i)]).sum();
    assert!((sum - trace).norm() <= digits * size * n as f64);
    for Eigenpair { value, vector } in &pairs {
        assert!(value.im >= 0.0);
        let length = vector.iter().map(|u| u.norm_sqr()).sum::<f64>().sqrt();
        for i in 0..n {
            let row = vector.iter().enumerate().map(|(j, u)| u * matrix[(i, j)]);
            let image = row.fold(c64::new(0.0, 0.0), |a, b| a + b);
            assert!((image - value * vector[i]).norm() <= digits * size * length);
        }
    }
}

#[test]
fn random_matrices_have_their_eigenpairs() {
    let mut numbers = Numbers(1);
    for n in (1..40).chain([120, 250]) {
        check(&numbers.matrix(n), 1e-12);
    }
}

#[test]
fn badly_scaled_and_defective_matrices_have_theirs() {
    let mut numbers = Numbers(2);
    for n in [5, 30, 90] {
        let matrix = numbers.matrix(n);
        let scales: Vec<f64> = (0..n)
            .map(|_| 10.0_f64.powf(4.0 * numbers.draw()))
            .collect();
        let scaled = Mat::from_fn(n, n, |i, j| matrix[(i, j)] * scales[i] / scales[j]);
        check(&scaled, 1e-12);
    }
    check(
        &Mat::from_fn(6, 6, |i, j| f64::from(u8::from(j == i + 1))),
        1e-15,
    );
    check(&Mat::zeros(4, 4), 0.0);
    let turn = [[0.0, 2.0], [-2.0, 0.0]];
    let pairs = eigenpairs(&Mat::from_fn(2, 2, |i, j| turn[i][j])).expect("a pair");
    let [one, other] = values(&pairs)[..] else {
        panic!("two eigenvalues");
    };
    assert!((one - c64::new(0.0, 2.0)).norm() < 1e-15 && other == one.conj());
}

#[test]
fn what_is_no_number_is_refused() {
    assert!(eigenpairs(&Mat::zeros(0, 0)).is_ok_and(|pairs| pairs.is_empty()));
    for bad in [f64::NAN, f64::INFINITY] {
        let matrix = Mat::from_fn(3, 3, |i, j| if i == j { bad } else { 1.0 });
        let refused = eigenpairs(&matrix).err();
        assert!(matches!(refused, Some(AnalysisError::Decomposition(_))));
    }
}
