//! Eigenvalues and eigenvectors of real matrices without symmetry.

use super::AnalysisError;
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::schur::SchurParams;
use faer::linalg::evd::{ComputeEigenvectors, EvdParams, evd_real, evd_scratch};
use faer::{Auto, Mat, Par, Spec, c64};

/// Residuals A u - s u are round-off up to so many roundings for each row, of the size of A and of u.
const ROUNDINGS: f64 = 256.0;

/// An eigenvalue with its eigenvector; of a conjugate pair the one with Im s > 0.
pub(crate) struct Eigenpair {
    pub value: c64,
    pub vector: Vec<c64>,
}

/// All eigenpairs of a square matrix.
///
/// faer's QR iteration with many shifts goes on without end on some matrices, and none of its iterations says that it has given up.
/// So double shifts are used, of which the number is bounded, and residuals are looked at.
pub(crate) fn eigenpairs(matrix: &Mat<f64>) -> Result<Vec<Eigenpair>, AnalysisError> {
    let failed = AnalysisError::Decomposition("eigenvalues");
    let n = matrix.nrows();
    if !(0..n).all(|j| (0..n).all(|i| matrix[(i, j)].is_finite())) {
        return Err(failed);
    }
    if n == 0 {
        return Ok(Vec::new());
    }
    // Another order of the rows makes another iteration.
    let last = n - 1;
    let reversed = || Mat::from_fn(n, n, |i, j| matrix[(last - i, last - j)]);
    directly(matrix)
        .or_else(|| {
            let mut found = directly(&reversed())?;
            for pair in &mut found {
                pair.vector.reverse();
            }
            Some(found)
        })
        .ok_or(failed)
}

fn directly(matrix: &Mat<f64>) -> Option<Vec<Eigenpair>> {
    let n = matrix.nrows();
    let automatic = <EvdParams as Auto<f64>>::auto();
    let params = EvdParams {
        schur: SchurParams {
            blocking_threshold: usize::MAX,
            ..automatic.schur
        },
        ..automatic
    };
    let params = Spec::new(params);
    let (left, right) = (ComputeEigenvectors::No, ComputeEigenvectors::Yes);
    let scratch = evd_scratch::<f64>(n, left, right, Par::Seq, params);
    let (mut re, mut im) = (Diag::<f64>::zeros(n), Diag::<f64>::zeros(n));
    let mut vectors = Mat::<f64>::zeros(n, n);
    evd_real(
        matrix.as_ref(),
        re.as_mut(),
        im.as_mut(),
        None,
        Some(vectors.as_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        params,
    )
    .ok()?;
    let (re, im) = (re.column_vector(), im.column_vector());
    let mut pairs = Vec::new();
    let mut k = 0;
    while k < n {
        // Columns of a pair are the real and the imaginary part of the vector with Im s > 0.
        let is_pair = im[k] != 0.0;
        let part = |i: usize| if is_pair { vectors[(i, k + 1)] } else { 0.0 };
        let vector = (0..n).map(|i| c64::new(vectors[(i, k)], part(i)));
        pairs.push(Eigenpair {
            value: c64::new(re[k], im[k]),
            vector: vector.collect(),
        });
        k += if is_pair { 2 } else { 1 };
    }
    let bound = ROUNDINGS * f64::EPSILON * n as f64 * matrix.norm_l2();
    pairs
        .iter()
        .all(|pair| pair.residual(matrix) <= bound)
        .then_some(pairs)
}

impl Eigenpair {
    /// |A u - s u| / |u|.
    fn residual(&self, matrix: &Mat<f64>) -> f64 {
        let mut residual: Vec<c64> = self.vector.iter().map(|u| -self.value * u).collect();
        for (j, u) in self.vector.iter().enumerate() {
            for (row, entry) in residual.iter_mut().zip(matrix.col(j).iter()) {
                *row += u * *entry;
            }
        }
        let size = |vector: &[c64]| vector.iter().map(|u| u.norm_sqr()).sum::<f64>().sqrt();
        size(&residual) / size(&self.vector)
    }
}
