//! The displacement field of a flexible body at points of its mass, for integrals of products of any order.

use super::inertia::Piece;
use super::model::ModalError;
use nalgebra::{Matrix3, Vector3};

/// An eigenvalue that is negative by this part of the trace is zero but for round-off.
const ROUND_OFF: f64 = 1e-12;

/// A part of the mass with the field there, all of it times the root of the mass: ∫ f gᵀ is the sum of f gᵀ over all samples.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sample {
    /// The factor itself in √kg; zero where the mass lies in pairs about a centre, whose first moment is zero.
    pub one: f64,
    /// s.
    pub position: Vector3<f64>,
    /// Φᵢ by mode.
    pub displacements: Vec<Vector3<f64>>,
    /// Sᵢⱼ, row by row.
    pub second: Vec<Vector3<f64>>,
}

impl Sample {
    /// The sum of these pieces, each times a factor in √kg.
    pub fn of<'p>(modes: usize, parts: impl Iterator<Item = (f64, Piece<'p>)>) -> Self {
        let mut sum = Self {
            one: 0.0,
            position: Vector3::zeros(),
            displacements: vec![Vector3::zeros(); modes],
            second: vec![Vector3::zeros(); modes * modes],
        };
        for (factor, piece) in parts {
            sum.one += factor;
            sum.position += piece.position * factor;
            for (slot, moved) in sum.displacements.iter_mut().zip(piece.displacements) {
                *slot += moved * factor;
            }
            for (slot, second) in sum.second.iter_mut().zip(piece.second) {
                *slot += second * factor;
            }
        }
        sum
    }

    /// The inertia of a piece about its own centre, kg m², as three pairs of masses along its principal axes, which turn with the piece as
    /// in [`Moments::add_rotary`](super::inertia::Moments::add_rotary).
    ///
    /// # Errors
    /// No distribution of mass has such a tensor.
    pub fn of_rotary(tensor: &Matrix3<f64>, piece: &Piece) -> Result<[Self; 3], ModalError> {
        // ∫ o oᵀ.
        let spread = Matrix3::identity() * (0.5 * tensor.trace()) - tensor;
        let eigen = spread.symmetric_eigen();
        let smallest = eigen.eigenvalues.min();
        if smallest < -ROUND_OFF * tensor.trace() {
            return Err(ModalError::NotPositive {
                matrix: "second moment of a section or node",
                smallest,
                should: "positive or zero: no moment of inertia exceeds the sum of the other two",
            });
        }
        let modes = piece.displacements.len();
        // Without rotations nothing turns.
        let turn = |mode: usize| piece.rotations.get(mode).copied().unwrap_or_default();
        Ok([0, 1, 2].map(|axis| {
            let arm = eigen.eigenvectors.column(axis) * eigen.eigenvalues[axis].max(0.0).sqrt();
            let turned = |mode: usize| turn(mode).cross(&arm);
            let twice = |place: usize| {
                let (i, j) = (place / modes, place % modes);
                (turn(i).cross(&turned(j)) + turn(j).cross(&turned(i))) * 0.5
            };
            Self {
                one: 0.0,
                position: arm,
                displacements: (0..modes).map(turned).collect(),
                second: (0..modes * modes).map(twice).collect(),
            }
        }))
    }
}
