//! Flexible bodies with linear modes against closed forms, differences and geometrically exact beams.

mod contacts;
mod derivatives;
mod motions;
mod plain_field;
mod rest;
mod statement;
mod vibrations;

use crate::flexible::{METHODS, assert_near, orders, run};
use liedae::scalar::Scalar;
use liedae_multibody::{
    BeamEnds, Kinematics, ModalBeam, ModalModel, PairForce, Section, Vector3, Wrench,
};

/// A force and a moment that keep their directions in the world.
#[derive(Clone, Copy)]
pub struct DeadLoad {
    /// At the origin of the second body, in N.
    pub force: [f64; 3],
    /// In N m.
    pub moment: [f64; 3],
}

impl PairForce for DeadLoad {
    fn wrenches<S: Scalar>(&self, _t: f64, [_, body]: &[Kinematics<S>; 2]) -> [Wrench<S>; 2] {
        let [force, moment] =
            [self.force, self.moment].map(|load| Vector3::from(load).map(S::constant));
        let wrench = body.force_at(&body.position, &force) + body.torque(&moment);
        [Wrench::zero(), wrench]
    }
}

/// A soft beam of 1.2 m with all kinds of modes, that bends differently in both directions.
pub fn soft(ends: BeamEnds) -> ModalModel {
    let model = soft_beam(ends).model().expect("a beam");
    model.with_retardation(1e-3).expect("positive")
}

/// The same before its reduction, without damping.
pub fn soft_beam(ends: BeamEnds) -> ModalBeam {
    let section = Section::new([900.0, 1e9, 1e9, 3.0, 4.0, 7.0], 1.3, [5e-3, 2e-3, 3e-3]);
    let beam = ModalBeam::new(section, 1.2, 6, ends);
    beam.with_bending([2, 3])
        .with_stretching(1)
        .with_twisting(1)
}
