//! The inertia, gravity and elasticity of a flexible body in an assembled mechanism.
//!
//! With everything in the frame and x(η) where a point is, its acceleration is
//!
//! ```text
//! a = u' + ω' × x + Σ xᵢ ηᵢ'' + ω × (ω × x) + 2 ω × x' + Σ xᵢⱼ ηᵢ' ηⱼ',   u' = Aᵀ r'',   xᵢ = ∂x/∂ηᵢ,
//! ```
//!
//! and the equations are those of d'Alembert, ∫ a = F, ∫ x × a = τ and ∫ xᵢ·a = Qᵢ - (K η + D η')ᵢ. The integrals over
//! the mass are those of pairs of fields ([`Field`](super::field::Field)). The markers' parts of the inertia are
//! subtracted: those of a body with the mass μ and the inertia j about all axes, at the marker.

use super::flexible::Flexible;
use super::inertia::axial;
use super::statement::Marker;
use crate::kinematics::VELOCITIES;
use liedae::manifold::rotation;
use liedae::scalar::{Dual, Scalar};
use nalgebra::{Matrix3, Vector3};

/// The frame and the modes in motion, with everything that forces depend on.
pub(super) struct Moving<S: Scalar, E, R> {
    pub rotation: Matrix3<S>,
    pub omega: Vector3<S>,
    pub eta: E,
    pub rate: R,
}

/// (tr P - P) a.
fn turned<S: Scalar>(second: &Matrix3<S>, a: &Vector3<S>) -> Vector3<S> {
    a * second.trace() - second * a
}

impl Flexible {
    /// M a in parts by rows, which add up.
    pub(super) fn times<S: Scalar>(
        &self,
        turn: &Matrix3<S>,
        eta: &impl Fn(usize) -> S,
        a: &impl Fn(usize) -> f64,
        mut out: impl FnMut(usize, S),
    ) {
        let three = |first: usize| Vector3::new(a(first), a(first + 1), a(first + 2));
        let (push, spin) = (turn.tr_mul(&three(0).map(S::constant)), three(3));
        let spin = spin.map(S::constant);
        let mode_rate = |mode: usize| S::constant(a(VELOCITIES + mode));
        let model = &self.model;
        let place = model.place(eta);
        let flow = model.flow(eta, mode_rate);
        let mut force = push * S::constant(model.mass()) + spin.cross(&place.whole) + flow.whole;
        let mut torque = place.whole.cross(&push) + axial(&model.with(&place, &flow));
        torque += turned(&model.with(&place, &place), &spin);
        // What each marker's part would accelerate with.
        for marker in &self.markers {
            let [point, turning] = self.marker_rate(marker, eta, &push, &spin, &mode_rate);
            let load = [
                point * S::constant(-marker.mass),
                turning * S::constant(-marker.rotary),
            ];
            let [push, twist] = self.on_modes(marker, eta, load, &mut out);
            force += push;
            torque += twist;
        }
        for (axis, entry) in (turn * force).iter().chain(torque.iter()).enumerate() {
            out(axis, *entry);
        }
        for mode in 0..self.modes() {
            let bend = model.bend(mode, eta);
            let mut row = model.whole_of(mode, &bend).dot(&push);
            row += axial(&model.with_mode(&place, mode, &bend)).dot(&spin);
            row += model.with_mode(&flow, mode, &bend).trace();
            out(VELOCITIES + mode, row);
        }
    }

    /// What a force and a moment at a marker, in the frame, do to the modes; and force and torque at the frame's origin.
    fn on_modes<S: Scalar>(
        &self,
        marker: &Marker,
        eta: &impl Fn(usize) -> S,
        [force, moment]: [Vector3<S>; 2],
        out: &mut impl FnMut(usize, S),
    ) -> [Vector3<S>; 2] {
        let node = &self.model.nodes[marker.node];
        let turn = node.turn(eta);
        for mode in 0..self.modes() {
            let work = node.shape(mode, eta).dot(&force) + node.spin(mode, &turn).dot(&moment);
            out(VELOCITIES + mode, work);
        }
        [force, node.place(eta).cross(&force) + moment]
    }

    /// J w of a marker: velocity of its point and angular velocity, in the frame.
    fn marker_rate<S: Scalar>(
        &self,
        marker: &Marker,
        eta: &impl Fn(usize) -> S,
        push: &Vector3<S>,
        spin: &Vector3<S>,
        rate: &impl Fn(usize) -> S,
    ) -> [Vector3<S>; 2] {
        let node = &self.model.nodes[marker.node];
        let turn = node.turn(eta);
        let mut point = push + spin.cross(&node.place(eta));
        let mut turning = *spin;
        for mode in 0..self.modes() {
            point += node.shape(mode, eta) * rate(mode);
            turning += node.spin(mode, &turn) * rate(mode);
        }
        [point, turning]
    }

    /// All forces in parts by rows, which add up: gravity, elasticity, damping and what is quadratic in velocities.
    pub(super) fn forces<S, E, R>(
        &self,
        moving: &Moving<S, E, R>,
        gravity: &Vector3<f64>,
        mut out: impl FnMut(usize, S),
    ) where
        S: Scalar,
        E: Fn(usize) -> S,
        R: Fn(usize) -> S,
    {
        let Moving {
            rotation: turn,
            omega,
            eta,
            rate,
        } = moving;
        let model = &self.model;
        let two = S::constant(2.0);
        let weight = turn.tr_mul(&gravity.map(S::constant));
        let place = model.place(eta);
        let flow = model.flow(eta, rate);
        let mut curl = model.straight();
        for mode in 0..self.modes() {
            curl.add(&model.bend(mode, rate), rate(mode));
        }
        let curl = model.field(curl, |_| S::zero());
        let spun = omega.cross(&omega.cross(&place.whole)) + omega.cross(&flow.whole) * two;
        let mut force = weight * S::constant(model.mass()) - spun - curl.whole;
        // ∫ x × (ω × x') = tr(∫ x x'ᵀ) ω - ∫ x' xᵀ ω.
        let swing = model.with(&place, &flow).transpose();
        let mut torque = place.whole.cross(&weight) - turned(&swing, omega) * two;
        torque -= omega.cross(&turned(&model.with(&place, &place), omega));
        torque -= axial(&model.with(&place, &curl));
        for marker in &self.markers {
            let [point, turning] = self.marker_bias(marker, moving, &weight);
            let load = [
                point * S::constant(marker.mass),
                turning * S::constant(marker.rotary),
            ];
            let [push, twist] = self.on_modes(marker, eta, load, &mut out);
            force += push;
            torque += twist;
        }
        for (axis, entry) in (turn * force).iter().chain(torque.iter()).enumerate() {
            out(axis, *entry);
        }
        for mode in 0..self.modes() {
            let bend = model.bend(mode, eta);
            let mut row = model.whole_of(mode, &bend).dot(&weight);
            // xᵢ·(ω × (ω × x)) = (ω·x) (ω·xᵢ) - |ω|² x·xᵢ, and xᵢ·(ω × x') = ω·(x' × xᵢ).
            row += omega.dot(&turned(&model.with_mode(&place, mode, &bend), omega));
            row -= omega.dot(&axial(&model.with_mode(&flow, mode, &bend))) * 2.0;
            row -= model.with_mode(&curl, mode, &bend).trace();
            for other in 0..self.modes() {
                row -= eta(other) * model.stiffness[(mode, other)];
                row -= rate(other) * model.damping[(mode, other)];
            }
            out(VELOCITIES + mode, row);
        }
    }

    /// What the acceleration of a marker has beside J w', less gravity, and its angular acceleration; in the frame.
    fn marker_bias<S, E, R>(
        &self,
        marker: &Marker,
        moving: &Moving<S, E, R>,
        weight: &Vector3<S>,
    ) -> [Vector3<S>; 2]
    where
        S: Scalar,
        E: Fn(usize) -> S,
        R: Fn(usize) -> S,
    {
        let node = &self.model.nodes[marker.node];
        let Moving {
            omega, eta, rate, ..
        } = moving;
        let mut flow = Vector3::zeros();
        for mode in 0..self.modes() {
            flow += node.shape(mode, eta) * rate(mode);
        }
        let spun = omega.cross(&omega.cross(&node.place(eta)));
        let point = spun + omega.cross(&flow) * S::constant(2.0) + node.second_rate(rate) - weight;
        // dexp(-θ) θ' and its rate at constant θ'.
        let (turn, turn_rate) = (node.turn(eta), node.turn(rate));
        let turning = [0, 1, 2].map(|axis| Dual::<1, S>::new(turn[axis], [turn_rate[axis]]));
        let constant = turn_rate.map(Dual::from_value);
        let spin: Vector3<Dual<1, S>> = rotation::dexp_transpose(&turning, &constant).into();
        let bias = spin.map(|part| part.gradient[0]);
        [point, bias + omega.cross(&spin.map(|part| part.value))]
    }
}
