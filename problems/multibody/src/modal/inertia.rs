//! Integrals over the mass of a flexible body, on which all of its inertia depends.

use liedae::scalar::Scalar;
use nalgebra::{DMatrix, Matrix3, Matrix4, Matrix4x3, Vector3};

/// Moments below this part of the largest are those of a line or a plane.
const THIN: f64 = 1e-13;

/// A piece of the body: where it is, how the modes move and turn it.
#[derive(Clone, Copy)]
pub(super) struct Piece<'a> {
    /// s in m.
    pub position: Vector3<f64>,
    /// Φᵢ by mode, m per unit of the coordinate.
    pub displacements: &'a [Vector3<f64>],
    /// Small rotations ψᵢ by mode; empty where none are known.
    pub rotations: &'a [Vector3<f64>],
    /// Sᵢⱼ, row by row and symmetric; empty where there is none.
    pub second: &'a [Vector3<f64>],
}

/// Moments of the mass: integrals of 1, s and Φ and of their products in pairs, and of S alone and times s.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Moments {
    /// m in kg.
    pub mass: f64,
    /// ∫ s.
    pub first: Vector3<f64>,
    /// ∫ Φᵢ.
    pub first_by: Vec<Vector3<f64>>,
    /// ∫ s sᵀ.
    pub second: Matrix3<f64>,
    /// ∫ s Φⱼᵀ.
    pub cross: Vec<Matrix3<f64>>,
    /// ∫ Φᵢ Φⱼᵀ, row by row.
    pub cross_by: Vec<Matrix3<f64>>,
    /// ∫ Φᵢ·Φⱼ.
    pub modal: DMatrix<f64>,
    /// ∫ Sᵢⱼ and ∫ s Sᵢⱼᵀ, row by row.
    bends: Vec<(Vector3<f64>, Matrix3<f64>)>,
}

/// A displacement c + E s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Affine<S: Scalar = f64> {
    /// c in m.
    pub shift: Vector3<S>,
    /// E.
    pub stretch: Matrix3<S>,
}

impl<S: Scalar> Affine<S> {
    pub fn zero() -> Self {
        Self {
            shift: Vector3::zeros(),
            stretch: Matrix3::zeros(),
        }
    }

    /// Adds another one times a number.
    pub fn add(&mut self, other: &Self, factor: S) {
        self.shift += other.shift * factor;
        self.stretch += other.stretch * factor;
    }
}

impl Moments {
    /// Those of nothing, for so many modes.
    pub fn empty(modes: usize) -> Self {
        Self {
            mass: 0.0,
            first: Vector3::zeros(),
            first_by: vec![Vector3::zeros(); modes],
            second: Matrix3::zeros(),
            cross: vec![Matrix3::zeros(); modes],
            cross_by: vec![Matrix3::zeros(); modes * modes],
            modal: DMatrix::zeros(modes, modes),
            bends: vec![(Vector3::zeros(), Matrix3::zeros()); modes * modes],
        }
    }

    /// The second order of the displacements as far as the rigid motion of the body meets it: the affine fields that have the integrals of
    /// Sᵢⱼ and of s Sᵢⱼᵀ.
    ///
    /// The kinetic energy with them differs from that with S in the third order of η, which linear elasticity leaves
    /// out anyhow. But it is that of a field of velocities, never negative, and integrals of products of four modes are
    /// not needed.
    pub fn bends(&self) -> Option<Vec<Affine>> {
        // In units of the body's own size.
        let size = (self.second.trace() / self.mass).sqrt();
        let mut gram = Matrix4::zeros();
        gram[(0, 0)] = self.mass;
        let first = self.first / size;
        gram.fixed_view_mut::<3, 1>(1, 0).copy_from(&first);
        gram.fixed_view_mut::<1, 3>(0, 1)
            .copy_from(&first.transpose());
        gram.fixed_view_mut::<3, 3>(1, 1)
            .copy_from(&(self.second / (size * size)));
        // A straight line has no extent across itself: nothing can be known, and nothing matters, of strains there.
        let inverse = gram.pseudo_inverse(THIN * gram.amax()).ok()?;
        let affine = |(whole, moment): &(Vector3<f64>, Matrix3<f64>)| {
            let mut known = Matrix4x3::zeros();
            known
                .fixed_view_mut::<1, 3>(0, 0)
                .copy_from(&whole.transpose());
            known
                .fixed_view_mut::<3, 3>(1, 0)
                .copy_from(&(moment / size));
            let fitted = inverse * known;
            Affine {
                shift: fitted.fixed_view::<1, 3>(0, 0).transpose(),
                stretch: fitted.fixed_view::<3, 3>(1, 0).transpose() / size,
            }
        };
        Some(self.bends.iter().map(affine).collect())
    }

    /// Adds what a mass m between two pieces contributes, an entry of a consistent mass matrix; m = m₁₁ of one piece is its own mass.
    pub fn add(&mut self, mass: f64, one: &Piece, two: &Piece) {
        let modes = self.first_by.len();
        self.mass += mass;
        self.first += two.position * mass;
        self.second += one.position * two.position.transpose() * mass;
        for j in 0..modes {
            let moved = two.displacements[j] * mass;
            self.first_by[j] += moved;
            self.cross[j] += one.position * moved.transpose();
            for i in 0..modes {
                let place = i * modes + j;
                self.cross_by[place] += one.displacements[i] * moved.transpose();
                self.modal[(i, j)] += one.displacements[i].dot(&moved);
                if let Some(second) = two.second.get(place) {
                    self.bends[place].0 += second * mass;
                    self.bends[place].1 += one.position * second.transpose() * mass;
                }
            }
        }
    }

    /// Adds the inertia of a piece about its own centre, kg m²: its points o move with ψ × o, and with ½ (ψᵢ×(ψⱼ×o) + ψⱼ×(ψᵢ×o)) in the
    /// second order.
    pub fn add_rotary(&mut self, tensor: &Matrix3<f64>, piece: &Piece) {
        // ∫ o oᵀ.
        let spread = Matrix3::identity() * (0.5 * tensor.trace()) - tensor;
        self.second += spread;
        let modes = self.first_by.len();
        let turns: Vec<_> = piece
            .rotations
            .iter()
            .map(nalgebra::Matrix::cross_matrix)
            .collect();
        for (j, two) in turns.iter().enumerate() {
            self.cross[j] += spread * two.transpose();
            for (i, one) in turns.iter().enumerate() {
                let place = i * modes + j;
                let product = one * spread * two.transpose();
                let second = (one * two + two * one) * 0.5;
                self.cross_by[place] += product;
                self.bends[place].1 += spread * second.transpose();
                self.modal[(i, j)] += product.trace();
            }
        }
    }

    /// The inertia tensor tr(P) - P of second moments P.
    pub fn tensor(second: &Matrix3<f64>) -> Matrix3<f64> {
        Matrix3::identity() * second.trace() - second
    }

    /// Whether all of it is finite.
    pub fn is_finite(&self) -> bool {
        let bends = self.bends.iter();
        let vectors = self
            .first_by
            .iter()
            .chain(bends.clone().map(|bend| &bend.0));
        let matrices = self.cross.iter().chain(&self.cross_by);
        let matrices = matrices.chain(bends.map(|bend| &bend.1));
        self.mass.is_finite()
            && self.first.iter().all(|part| part.is_finite())
            && self.second.iter().all(|part| part.is_finite())
            && vectors.flatten().all(|part| part.is_finite())
            && matrices.flatten().all(|part| part.is_finite())
            && self.modal.iter().all(|part| part.is_finite())
    }

    /// The mass matrix of the frame, in itself, and the modes without deformation: displacement, rotation, modes.
    pub fn matrix(&self) -> DMatrix<f64> {
        let modes = self.first_by.len();
        let mut matrix = DMatrix::zeros(6 + modes, 6 + modes);
        for axis in 0..3 {
            matrix[(axis, axis)] = self.mass;
        }
        let arm = self.first.cross_matrix();
        matrix.view_mut((0, 3), (3, 3)).copy_from(&-arm);
        matrix.view_mut((3, 0), (3, 3)).copy_from(&arm);
        let tensor = Self::tensor(&self.second);
        matrix.view_mut((3, 3), (3, 3)).copy_from(&tensor);
        for mode in 0..modes {
            let column = [self.first_by[mode], axial(&self.cross[mode])];
            for (part, column) in column.iter().enumerate() {
                for axis in 0..3 {
                    matrix[(3 * part + axis, 6 + mode)] = column[axis];
                    matrix[(6 + mode, 3 * part + axis)] = column[axis];
                }
            }
        }
        matrix
            .view_mut((6, 6), (modes, modes))
            .copy_from(&self.modal);
        matrix
    }
}

/// ∫ x × Φ of ∫ x Φᵀ.
pub(super) fn axial<S: Scalar>(matrix: &Matrix3<S>) -> Vector3<S> {
    Vector3::new(
        matrix[(1, 2)] - matrix[(2, 1)],
        matrix[(2, 0)] - matrix[(0, 2)],
        matrix[(0, 1)] - matrix[(1, 0)],
    )
}
