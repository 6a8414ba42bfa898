//! Points of a flexible body that move with its modes.

use super::inertia::Piece;
use liedae::manifold::rotation;
use liedae::scalar::Scalar;
use nalgebra::{Matrix3, Vector3};

/// A point of a model with what its modes do to it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ModalNode {
    pub position: Vector3<f64>,
    pub displacements: Vec<Vector3<f64>>,
    /// By mode; empty where the node does not turn.
    pub rotations: Vec<Vector3<f64>>,
    /// Symmetric, row by row; empty where there is no foreshortening.
    pub second: Vec<Vector3<f64>>,
}

/// Adds a vector of plain numbers times a number.
pub(super) fn add_scaled<S: Scalar>(sum: &mut Vector3<S>, vector: &Vector3<f64>, factor: S) {
    for axis in 0..3 {
        sum[axis] += factor * vector[axis];
    }
}

impl ModalNode {
    pub(super) fn piece(&self) -> Piece<'_> {
        Piece {
            position: self.position,
            displacements: &self.displacements,
            rotations: &self.rotations,
            second: &self.second,
        }
    }

    fn modes(&self) -> usize {
        self.displacements.len()
    }

    /// u = s + Σ Φᵢ ηᵢ + ½ Σ Sᵢⱼ ηᵢ ηⱼ, in the frame.
    pub fn place<S: Scalar>(&self, eta: &impl Fn(usize) -> S) -> Vector3<S> {
        let mut place = self.position.map(S::constant);
        for mode in 0..self.modes() {
            // Φᵢ + ½ Σ Sᵢⱼ ηⱼ.
            let mut shape = self.displacements[mode].map(S::constant);
            self.add_second(mode, |other| eta(other) * 0.5, &mut shape);
            place += shape * eta(mode);
        }
        place
    }

    /// ∂u/∂ηᵢ = Φᵢ + Σ Sᵢⱼ ηⱼ.
    pub fn shape<S: Scalar>(&self, mode: usize, eta: &impl Fn(usize) -> S) -> Vector3<S> {
        let mut shape = self.displacements[mode].map(S::constant);
        self.add_second(mode, eta, &mut shape);
        shape
    }

    /// Adds Σ Sᵢⱼ bⱼ.
    fn add_second<S: Scalar>(&self, mode: usize, by: impl Fn(usize) -> S, sum: &mut Vector3<S>) {
        let row = self.second.iter().skip(mode * self.modes());
        for (other, second) in row.take(self.modes()).enumerate() {
            // Axes that do not bend together have no foreshortening in common.
            if *second != Vector3::zeros() {
                add_scaled(sum, second, by(other));
            }
        }
    }

    /// Σ Sᵢⱼ bᵢ bⱼ.
    pub fn second_rate<S: Scalar>(&self, rate: &impl Fn(usize) -> S) -> Vector3<S> {
        let mut sum = Vector3::zeros();
        if self.second.is_empty() {
            return sum;
        }
        for mode in 0..self.modes() {
            let mut row = Vector3::zeros();
            self.add_second(mode, rate, &mut row);
            sum += row * rate(mode);
        }
        sum
    }

    /// θ = Σ ψᵢ bᵢ: the rotation vector of the node, or its rate.
    pub fn turn<S: Scalar>(&self, by: &impl Fn(usize) -> S) -> [S; 3] {
        let mut turn = Vector3::zeros();
        for (mode, rotation) in self.rotations.iter().enumerate() {
            add_scaled(&mut turn, rotation, by(mode));
        }
        turn.into()
    }

    /// The angular velocity of the node by the rate of a mode, in the frame.
    pub fn spin<S: Scalar>(&self, mode: usize, turn: &[S; 3]) -> Vector3<S> {
        match self.rotations.get(mode) {
            // exp(θ) dexp(θ) = dexp(-θ), the transpose.
            Some(rotation) => {
                let axis = rotation.map(S::constant).into();
                rotation::dexp_transpose(turn, &axis).into()
            }
            None => Vector3::zeros(),
        }
    }

    /// exp(hat θ).
    pub fn rotation<S: Scalar>(turn: &[S; 3]) -> Matrix3<S> {
        Matrix3::from_row_slice(&rotation::exp(turn))
    }
}
