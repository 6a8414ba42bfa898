//! Fields of displacements over a body, and the integrals of their products over its mass.

use super::inertia::Affine;
use super::model::ModalModel;
use super::node::add_scaled;
use liedae::scalar::Scalar;
use nalgebra::{Matrix3, Vector3};

/// A field of the second order of the displacements.
pub(super) struct Second<S: Scalar> {
    /// As an affine field.
    pub affine: Affine<S>,
    /// At the samples of a model that has them.
    pub sampled: Vec<Vector3<S>>,
}

impl<S: Scalar> Second<S> {
    /// Adds another one times a number.
    pub fn add(&mut self, other: &Self, factor: S) {
        self.affine.add(&other.affine, factor);
        for (sum, part) in self.sampled.iter_mut().zip(&other.sampled) {
            *sum += part * factor;
        }
    }
}

/// A field f = c + E s + Σ φᵢ Φᵢ, with ∫ f and ∫ f sᵀ; at samples, where a model has them, with any second order.
pub(super) struct Field<S: Scalar, P> {
    affine: Affine<S>,
    by_mode: P,
    /// ∫ f.
    pub whole: Vector3<S>,
    /// ∫ f sᵀ; unused with samples.
    moment: Matrix3<S>,
    /// f at the samples.
    sampled: Vec<Vector3<S>>,
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
    /// No second order.
    pub(super) fn straight<S: Scalar>(&self) -> Second<S> {
        Second {
            affine: Affine::zero(),
            sampled: vec![Vector3::zeros(); self.samples.len()],
        }
    }

    /// Σⱼ bⱼ times the second order of modes i and j: what mode i adds to its displacement beside Φᵢ.
    pub(super) fn bend<S: Scalar>(&self, mode: usize, by: &impl Fn(usize) -> S) -> Second<S> {
        let mut sum = self.straight();
        let row = mode * self.modes()..(mode + 1) * self.modes();
        for (other, bend) in self.bends[row.clone()].iter().enumerate() {
            if bend.shift != Vector3::zeros() || bend.stretch != Matrix3::zeros() {
                add_scaled(&mut sum.affine.shift, &bend.shift, by(other));
                add_matrix(&mut sum.affine.stretch, &bend.stretch, by(other));
            }
        }
        for (slot, sample) in sum.sampled.iter_mut().zip(&self.samples) {
            for (other, second) in sample.second[row.clone()].iter().enumerate() {
                if *second != Vector3::zeros() {
                    add_scaled(slot, second, by(other));
                }
            }
        }
        sum
    }

    /// A field with its integrals.
    pub(super) fn field<S: Scalar, P: Fn(usize) -> S>(
        &self,
        Second { affine, sampled }: Second<S>,
        by_mode: P,
    ) -> Field<S, P> {
        let mut field = Field {
            affine,
            by_mode,
            whole: Vector3::zeros(),
            moment: Matrix3::zeros(),
            sampled,
        };
        if self.samples.is_empty() {
            self.integrate(&mut field);
            return field;
        }
        let Affine { shift, stretch } = field.affine;
        for (value, sample) in field.sampled.iter_mut().zip(&self.samples) {
            *value += shift * S::constant(sample.one) + stretch * sample.position.map(S::constant);
            for (mode, moved) in sample.displacements.iter().enumerate() {
                add_scaled(value, moved, (field.by_mode)(mode));
            }
            field.whole += *value * S::constant(sample.one);
        }
        field
    }

    /// ∫ f and ∫ f sᵀ by the moments of the mass.
    fn integrate<S: Scalar, P: Fn(usize) -> S>(&self, field: &mut Field<S, P>) {
        let (moments, affine) = (&self.moments, &field.affine);
        let first = moments.first.map(S::constant);
        field.whole = affine.shift * S::constant(moments.mass) + affine.stretch * first;
        field.moment = affine.shift * first.transpose();
        field.moment += product(&affine.stretch, &moments.second);
        for mode in 0..self.modes() {
            let factor = (field.by_mode)(mode);
            add_scaled(&mut field.whole, &moments.first_by[mode], factor);
            add_matrix(&mut field.moment, &moments.cross[mode].transpose(), factor);
        }
    }

    /// Where the points are: x = s + Σ Φᵢ ηᵢ and the second order.
    pub(super) fn place<S: Scalar, P: Fn(usize) -> S>(&self, eta: P) -> Field<S, P> {
        let mut second = self.straight();
        second.affine.stretch = Matrix3::identity();
        for mode in 0..self.modes() {
            second.add(&self.bend(mode, &eta), eta(mode) * 0.5);
        }
        self.field(second, eta)
    }

    /// How the points move in the frame by rates b of the modes: Σ ∂x/∂ηᵢ bᵢ.
    pub(super) fn flow<S: Scalar, P: Fn(usize) -> S>(
        &self,
        eta: &impl Fn(usize) -> S,
        rate: P,
    ) -> Field<S, P> {
        let mut second = self.straight();
        for mode in 0..self.modes() {
            second.add(&self.bend(mode, eta), rate(mode));
        }
        self.field(second, rate)
    }

    /// ∫ ∂x/∂ηᵢ, with the second order of the mode.
    pub(super) fn whole_of<S: Scalar>(&self, mode: usize, bend: &Second<S>) -> Vector3<S> {
        let (moments, affine) = (&self.moments, &bend.affine);
        let mut whole = affine.shift * S::constant(moments.mass);
        whole += affine.stretch * moments.first.map(S::constant);
        whole += moments.first_by[mode].map(S::constant);
        for (second, sample) in bend.sampled.iter().zip(&self.samples) {
            whole += second * S::constant(sample.one);
        }
        whole
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
        bend: &Second<S>,
    ) -> Matrix3<S> {
        if self.samples.is_empty() {
            let affine = field.whole * bend.affine.shift.transpose();
            let affine = affine + field.moment * bend.affine.stretch.transpose();
            return affine + self.against(field, mode);
        }
        let mut sum = Matrix3::zeros();
        let seconds = bend.sampled.iter().zip(&self.samples);
        for (value, (second, sample)) in field.sampled.iter().zip(seconds) {
            let moved = second + sample.displacements[mode].map(S::constant);
            sum += value * moved.transpose();
        }
        sum
    }

    /// ∫ f gᵀ.
    pub(super) fn with<S, P, Q>(&self, one: &Field<S, P>, two: &Field<S, Q>) -> Matrix3<S>
    where
        S: Scalar,
        P: Fn(usize) -> S,
        Q: Fn(usize) -> S,
    {
        if !self.samples.is_empty() {
            let pairs = one.sampled.iter().zip(&two.sampled);
            return pairs.fold(Matrix3::zeros(), |sum, (one, two)| {
                sum + one * two.transpose()
            });
        }
        let mut sum = one.whole * two.affine.shift.transpose();
        sum += one.moment * two.affine.stretch.transpose();
        for mode in 0..self.modes() {
            sum += self.against(one, mode) * (two.by_mode)(mode);
        }
        sum
    }
}
