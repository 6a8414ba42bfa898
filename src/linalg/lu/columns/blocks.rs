//! Matrices so large that they are factorized by blocks.

use crate::linalg::lu::MOST_GROWTH;
use crate::linalg::lu::blocked::{BlockedLu, FEWEST_BLOCKED};
use faer::c64;

/// The factors of a matrix of real or complex numbers.
pub(super) enum Blocks {
    Real(BlockedLu<f64>),
    /// With a right-hand side.
    Complex(BlockedLu<c64>, Vec<c64>),
}

impl Blocks {
    /// Memory for matrices of this size and so many parts, if it is large enough.
    pub fn new(size: usize, parts: usize) -> Option<Box<Self>> {
        (size >= FEWEST_BLOCKED).then(|| {
            Box::new(match parts {
                1 => Self::Real(BlockedLu::new(size)),
                _ => Self::Complex(BlockedLu::new(size), vec![c64::new(0.0, 0.0); size]),
            })
        })
    }

    /// Factorizes a matrix by columns, the imaginary part of one behind its real part; false as
    /// [`ColumnSolver::factor_safely`](super::ColumnSolver::factor_safely).
    pub fn factor(&mut self, matrix: &[f64], stride: usize, doubtful: f64) -> bool {
        match self {
            Self::Real(lu) => {
                let (out, length) = lu.matrix();
                let columns = matrix.chunks_exact(stride);
                for (out, column) in out.chunks_exact_mut(length).zip(columns) {
                    for (out, entry) in out.iter_mut().zip(column) {
                        *out = *entry;
                    }
                }
                lu.factor(doubtful, MOST_GROWTH)
            }
            Self::Complex(lu, _) => {
                let (out, length) = lu.matrix();
                let columns = matrix.chunks_exact(2 * stride);
                for (out, column) in out.chunks_exact_mut(length).zip(columns) {
                    let (real, imaginary) = column.split_at(stride);
                    for (out, (re, im)) in out.iter_mut().zip(real.iter().zip(imaginary)) {
                        *out = c64::new(*re, *im);
                    }
                }
                lu.factor(doubtful, MOST_GROWTH)
            }
        }
    }

    /// Overwrites the parts of a right-hand side by those of the solution.
    pub fn solve(&mut self, b: &mut [&mut [f64]]) {
        match (self, b) {
            (Self::Real(lu), [b]) => lu.solve(b),
            (Self::Complex(lu, work), [re, im]) => {
                for (slot, (re, im)) in work.iter_mut().zip(re.iter().zip(im.iter())) {
                    *slot = c64::new(*re, *im);
                }
                lu.solve(work);
                for (slot, (re, im)) in work.iter().zip(re.iter_mut().zip(im.iter_mut())) {
                    (*re, *im) = (slot.re, slot.im);
                }
            }
            _ => {}
        }
    }
}
