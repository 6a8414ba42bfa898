//! Storage layouts of small matrices.

use super::Unknowns;
use crate::linalg::{KktError, SaddleShape};
use crate::system::Layout;

/// The storage layout of a matrix.
pub(super) enum Form {
    /// All of them, columns of [`column_length`](crate::linalg::column_length).
    Dense,
    /// Those of a saddle-point matrix with small groups of velocities, without -Gᵀ, which is a list of its own.
    Saddle(SaddleShape),
}

/// The storage place of an entry.
pub(super) enum Place {
    /// In the list of the matrix.
    Matrix(usize),
    /// In the list of Gᵀ.
    Transposed(usize),
}

impl Form {
    /// For the matrices of a layout. With further states or corrections they are dense.
    pub fn new(layout: &Layout, unknowns: &Unknowns) -> Result<Self, KktError> {
        let alone = layout.dimension() + layout.rows() == unknowns.matrix_size();
        if !alone {
            return Ok(Self::Dense);
        }
        // It has masses and derivatives of forces, too.
        let coupled = unknowns.stiffness_pattern(layout)?;
        let shape = SaddleShape::new(coupled.entries(), &layout.jacobian);
        Ok(shape.map_or(Self::Dense, Self::Saddle))
    }

    /// The shape of a saddle-point matrix.
    pub fn saddle(&self) -> Option<&SaddleShape> {
        match self {
            Self::Dense => None,
            Self::Saddle(shape) => Some(shape),
        }
    }

    /// How long a vector of a matrix of this size is, with what vectors of a processor's width need behind it.
    pub fn vector_length(&self, size: usize) -> usize {
        self.saddle().map_or(size, SaddleShape::vector_length)
    }
}
