//! Fields of displacements over a body, and the integrals of their products over its mass.

use super::inertia::Affine;
use super::model::ModalModel;
use super::node::add_scaled;
use liedae::scalar::Scalar;
use nalgebra::{Matrix3, Vector3};

/// A field f = c + E s + Σ φᵢ Φᵢ, with ∫ f and ∫ f sᵀ.
pub(super) struct Field<S: Scalar, P> {
    pub affine: Affine<S>,
    pub by_mode: P,
    /// ∫ f.
    pub whole: Vector3<S>,
    /// ∫ f sᵀ.
    moment: Matrix3<S>,
}

/// Adds a matrix of plain numbers times a number.
fn add_matrix<S: Scalar>(sum: &mut Matrix3<S>, matrix: &Matrix3<f64>, factor: S) {
    for (sum, entry) in sum.iter_mut().zip(matrix.iter()) {
        *sum += factor * *entry;
    }
}

/// A matrix with derivatives times one without.
fn product<S: Scalar>(left: &Matrix3<S>, right: &Matrix3<f64>) -> Matrix3<S> {
    left * right.map(S::constant)
}

impl ModalModel {
    /// Σⱼ bⱼ times the second order of modes i and j: what mode i adds to its displacement beside Φᵢ.
    pub(super) fn bend<S: Scalar>(&self, mode: usize, by: &impl Fn(usize) -> S) -> Affine<S> {
        let mut sum = Affine::zero();
        let modes = self.modes();
        for (other, bend) in self.bends[mode * modes..][..modes].iter().enumerate() {
            if bend.shift != Vector3::zeros() || bend.stretch != Matrix3::zeros() {
                add_scaled(&mut sum.shift, &bend.shift, by(other));
                add_matrix(&mut sum.stretch, &bend.stretch, by(other));
            }
        }
        sum
    }

    /// A field with its integrals.
    pub(super) fn field<S: Scalar, P: Fn(usize) -> S>(
        &self,
        affine: Affine<S>,
        by_mode: P,
    ) -> Field<S, P> {
        let moments = &self.moments;
        let first = moments.first.map(S::constant);
        let mut whole = affine.shift * S::constant(moments.mass) + affine.stretch * first;
        let mut moment = affine.shift * first.transpose();
        moment += product(&affine.stretch, &moments.second);
        for mode in 0..self.modes() {
            let factor = by_mode(mode);
            add_scaled(&mut whole, &moments.first_by[mode], factor);
            add_matrix(&mut moment, &moments.cross[mode].transpose(), factor);
        }
        Field {
            affine,
            by_mode,
            whole,
            moment,
        }
    }

    /// Where the points are: x = s + Σ Φᵢ ηᵢ and the second order.
    pub(super) fn place<S: Scalar, P: Fn(usize) -> S>(&self, eta: P) -> Field<S, P> {
        let mut affine = Affine::zero();
        affine.stretch = Matrix3::identity();
        for mode in 0..self.modes() {
            affine.add(&self.bend(mode, &eta), eta(mode) * 0.5);
        }
        self.field(affine, eta)
    }

    /// How the points move in the frame by rates b of the modes: Σ ∂x/∂ηᵢ bᵢ.
    pub(super) fn flow<S: Scalar, P: Fn(usize) -> S>(
        &self,
        eta: &impl Fn(usize) -> S,
        rate: P,
    ) -> Field<S, P> {
        let mut affine = Affine::zero();
        for mode in 0..self.modes() {
            affine.add(&self.bend(mode, eta), rate(mode));
        }
        self.field(affine, rate)
    }

    /// ∫ ∂x/∂ηᵢ, with the second order of the mode.
    pub(super) fn whole_of<S: Scalar>(&self, mode: usize, bend: &Affine<S>) -> Vector3<S> {
        let moments = &self.moments;
        let affine = bend.shift * S::constant(moments.mass);
        let first = moments.first.map(S::constant);
        affine + bend.stretch * first + moments.first_by[mode].map(S::constant)
    }

    /// ∫ f Φᵢᵀ.
    fn against<S: Scalar, P: Fn(usize) -> S>(
        &self,
        field: &Field<S, P>,
        mode: usize,
    ) -> Matrix3<S> {
        let moments = &self.moments;
        let first = moments.first_by[mode].map(S::constant);
        let mut sum = field.affine.shift * first.transpose();
        sum += product(&field.affine.stretch, &moments.cross[mode]);
        let column = moments.cross_by.iter().skip(mode);
        for (other, matrix) in column.step_by(self.modes()).enumerate() {
            add_matrix(&mut sum, matrix, (field.by_mode)(other));
        }
        sum
    }

    /// ∫ f (∂x/∂ηᵢ)ᵀ, with the second order of the mode.
    pub(super) fn with_mode<S: Scalar, P: Fn(usize) -> S>(
        &self,
        field: &Field<S, P>,
        mode: usize,
        bend: &Affine<S>,
    ) -> Matrix3<S> {
        let affine = field.whole * bend.shift.transpose();
        affine + field.moment * bend.stretch.transpose() + self.against(field, mode)
    }

    /// ∫ f gᵀ.
    pub(super) fn with<S, P, Q>(&self, one: &Field<S, P>, two: &Field<S, Q>) -> Matrix3<S>
    where
        S: Scalar,
        P: Fn(usize) -> S,
        Q: Fn(usize) -> S,
    {
        let mut sum = one.whole * two.affine.shift.transpose();
        sum += one.moment * two.affine.stretch.transpose();
        for mode in 0..self.modes() {
            sum += self.against(one, mode) * (two.by_mode)(mode);
        }
        sum
    }
}
