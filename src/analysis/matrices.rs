//! Dense matrices of a system at one state, and their null spaces.

use super::AnalysisError;
use crate::linalg::{DEPENDENT_ANGLE, Pattern};
use crate::system::{Evaluator, State};
use faer::Mat;

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
    /// The iteration of faer 0.24 gives up on few matrices that have nothing remarkable. With rows in reverse order, or
    /// transposed, it takes another way.
    pub fn of(matrix: &Mat<f64>) -> Result<Self, AnalysisError> {
        if !matrix.is_all_finite() {
            return Err(AnalysisError::NotFinite);
        }
        let reversed = |matrix: &Mat<f64>| {
            let last = matrix.nrows().saturating_sub(1);
            Mat::from_fn(matrix.nrows(), matrix.ncols(), |i, j| matrix[(last - i, j)])
        };
        Self::directly(matrix)
            .or_else(|| {
                let found = Self::directly(&reversed(matrix))?;
                let left = reversed(&found.left);
                Some(Self { left, ..found })
            })
            .or_else(|| {
                let found = Self::directly(&matrix.transpose().to_owned())?;
                Some(Self {
                    left: found.right,
                    sizes: found.sizes,
                    right: found.left,
                })
            })
            .ok_or(AnalysisError::Decomposition("singular values"))
    }

    fn directly(matrix: &Mat<f64>) -> Option<Self> {
        let svd = matrix.svd().ok()?;
        Some(Self {
            left: svd.U().to_owned(),
            sizes: svd.S().column_vector().iter().copied().collect(),
            right: svd.V().to_owned(),
        })
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
