//! Dense matrices of a system at one state, and their null spaces.

use super::AnalysisError;
use crate::linalg::{DEPENDENT_ANGLE, Pattern};
use crate::system::{Evaluator, State};
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{ComputeSvdVectors, SvdParams, svd, svd_scratch};
use faer::{Auto, Mat, Par, Spec};

/// What is left of a decomposition is round-off up to so many roundings for each row or column.
const ROUNDINGS: f64 = 16.0;

/// A matrix with values in a pattern, dense.
pub(super) fn dense(pattern: &Pattern, values: &[f64]) -> Mat<f64> {
    let mut matrix = Mat::zeros(pattern.rows(), pattern.cols());
    for (row, column, position) in pattern.iter() {
        matrix[(row, column)] += values[position];
    }
    matrix
}

/// The constraint Jacobian G at a state, all rows.
pub(super) fn constraint_jacobian(
    system: &mut Evaluator,
    state: &State,
) -> Result<Mat<f64>, AnalysisError> {
    let pattern = system.layout().jacobian.clone();
    let mut values = vec![0.0; pattern.nnz()];
    if !values.is_empty() {
        system.constraint_jacobian(&state.point(), &mut values)?;
    }
    Ok(dense(&pattern, &values))
}

/// Orthonormal bases that belong to a matrix, and its pseudo-inverse.
pub(super) struct Subspaces {
    /// Number of independent rows.
    pub rank: usize,
    /// Columns: directions that all rows vanish on.
    pub kernel: Mat<f64>,
    /// Columns: combinations of rows that vanish.
    pub cokernel: Mat<f64>,
    /// The matrix that gives the solution of least norm.
    pub pseudo_inverse: Mat<f64>,
}

impl Subspaces {
    /// By singular values of the rows, each scaled to unit length: rows in metres and rows in radians count alike. Those below
    /// [`DEPENDENT_ANGLE`] times the largest are zero: rows within this angle of each other are dependent.
    pub fn of(matrix: &Mat<f64>) -> Result<Self, AnalysisError> {
        let (rows, columns) = (matrix.nrows(), matrix.ncols());
        let lengths: Vec<f64> = (0..rows)
            .map(|i| matrix.row(i).norm_l2())
            .map(|length| if length > 0.0 { length } else { 1.0 })
            .collect();
        let scaled = Mat::from_fn(rows, columns, |i, j| matrix[(i, j)] / lengths[i]);
        let Singular { left, sizes, right } = Singular::of(&scaled)?;
        let count = rows.min(columns);
        let largest = if count > 0 { sizes[0] } else { 0.0 };
        let rank = (0..count)
            .filter(|&i| sizes[i] > DEPENDENT_ANGLE * largest)
            .count();
        let pseudo_inverse = Mat::from_fn(columns, rows, |i, j| {
            let terms = (0..rank).map(|k| right[(i, k)] * left[(j, k)] / sizes[k]);
            terms.sum::<f64>() / lengths[j]
        });
        Ok(Self {
            rank,
            kernel: right.subcols(rank, columns - rank).to_owned(),
            // Of the scaled rows: those of the rows themselves are scaled the other way round.
            cokernel: Mat::from_fn(rows, rows - rank, |i, k| left[(i, rank + k)] / lengths[i]),
            pseudo_inverse,
        })
    }
}

/// Singular values, falling, with the columns that belong to them on both sides: as many as there are rows, and as many
/// as there are columns.
pub(super) struct Singular {
    pub left: Mat<f64>,
    pub sizes: Vec<f64>,
    pub right: Mat<f64>,
}

impl Singular {
    /// All singular values and vectors, verified: A V = U S with orthonormal U and V.
    ///
    /// Divide and conquer of faer 0.24 returns what is none on some matrices of more than a hundred rows with a wide spread, and its QR
    /// iteration, which is slower, gives up on few matrices that have nothing remarkable. With rows in reverse order, or
    /// transposed, it takes another way.
    pub fn of(matrix: &Mat<f64>) -> Result<Self, AnalysisError> {
        if !matrix.is_all_finite() {
            return Err(AnalysisError::NotFinite);
        }
        let reversed = |matrix: &Mat<f64>| {
            let last = matrix.nrows().saturating_sub(1);
            Mat::from_fn(matrix.nrows(), matrix.ncols(), |i, j| matrix[(last - i, j)])
        };
        Self::directly(matrix, false)
            .or_else(|| Self::directly(matrix, true))
            .or_else(|| {
                let found = Self::directly(&reversed(matrix), true)?;
                let left = reversed(&found.left);
                Some(Self { left, ..found })
            })
            .or_else(|| {
                let found = Self::directly(&matrix.transpose().to_owned(), true)?;
                Some(Self {
                    left: found.right,
                    sizes: found.sizes,
                    right: found.left,
                })
            })
            .ok_or(AnalysisError::Decomposition("singular values"))
    }

    /// By faer's QR iteration, or by divide and conquer where the matrix is large; `None` where what it finds is none.
    fn directly(matrix: &Mat<f64>, iterates: bool) -> Option<Self> {
        let (rows, columns) = (matrix.nrows(), matrix.ncols());
        let automatic = <SvdParams as Auto<f64>>::auto();
        let params = Spec::new(SvdParams {
            recursion_threshold: if iterates {
                usize::MAX
            } else {
                automatic.recursion_threshold
            },
            ..automatic
        });
        let all = ComputeSvdVectors::Full;
        let scratch = svd_scratch::<f64>(rows, columns, all, all, Par::Seq, params);
        let mut sizes = Diag::<f64>::zeros(rows.min(columns));
        let (mut left, mut right) = (Mat::zeros(rows, rows), Mat::zeros(columns, columns));
        svd(
            matrix.as_ref(),
            sizes.as_mut(),
            Some(left.as_mut()),
            Some(right.as_mut()),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            params,
        )
        .ok()?;
        let sizes = sizes.column_vector().iter().copied().collect();
        let found = Self { left, sizes, right };
        found.is_right(matrix).then_some(found)
    }

    /// Whether A V = U S, and the columns of U and V are orthonormal, but for round-off.
    fn is_right(&self, matrix: &Mat<f64>) -> bool {
        let n = matrix.nrows().max(matrix.ncols());
        let round_off = ROUNDINGS * n as f64 * f64::EPSILON;
        let is_orthonormal = |vectors: &Mat<f64>| {
            let products = vectors.transpose() * vectors;
            let off = |i: usize, j: usize| products[(i, j)] - f64::from(u8::from(i == j));
            (0..vectors.ncols()).all(|j| (0..vectors.ncols()).all(|i| off(i, j).abs() <= round_off))
        };
        let mut rest = matrix * &self.right;
        for (k, size) in self.sizes.iter().enumerate() {
            for i in 0..rest.nrows() {
                rest[(i, k)] -= size * self.left[(i, k)];
            }
        }
        rest.norm_l2() <= round_off * matrix.norm_l2()
            && is_orthonormal(&self.left)
            && is_orthonormal(&self.right)
    }
}

/// The largest absolute value and where it stands.
pub(super) fn largest_at(values: impl IntoIterator<Item = f64>) -> (usize, f64) {
    let values = values.into_iter().map(f64::abs).enumerate();
    values.fold((0, 0.0), |best, (index, value)| {
        // A value that is not a number is the worst of all.
        if value.is_nan() || value > best.1 {
            (index, value)
        } else {
            best
        }
    })
}
