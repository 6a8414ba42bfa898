//! Derivatives of flexible bodies against differences, and their forces against Lagrange's equations.

use super::soft;
use crate::derivatives::{check_first, check_lagrange, check_levels, check_second, disturbed};
use liedae::system::State;
use liedae_multibody::{
    BeamEnds, BodyId, Joint, ModalBody, MultibodyBuilder, MultibodySystem, RigidBody, Rotation3,
    Vector3,
};

/// A soft beam that turns, swings and carries a ball, in a state far from straight that satisfies no row.
fn tangled() -> (MultibodySystem, State) {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([1.0, -2.0, -9.0]);
    let turn = Rotation3::new(Vector3::new(0.4, -1.1, 0.7)).into_inner();
    let body = ModalBody::new("beam", soft(BeamEnds::Clamped));
    let body = body.at([0.3, -0.5, 0.2]).rotated(turn);
    let body = body.moving([0.7, 0.1, -0.9], [1.5, -2.0, 0.8]);
    let wave = |scale: f64| (0..7).map(move |mode| scale * (1.7 * f64::from(mode) + 0.4).sin());
    let body = body.deformed(wave(0.2).collect(), wave(-1.3).collect());
    let beam = mechanism.add_modal_body(body.with_marker(6).with_marker(3));
    let ball = mechanism.add_body(RigidBody::new("ball", 0.7, [0.1, 0.2, 0.15]));
    mechanism.add_joint(Joint::spherical("hook", beam.marker(0), ball, [0.0; 3]));
    mechanism.add_joint(Joint::fixed(
        "clamp",
        BodyId::GROUND,
        beam.frame(),
        [0.0; 3],
    ));
    let system = mechanism.build_unchecked().expect("laid out");
    let state = disturbed(&system);
    (system, state)
}

#[test]
fn rows_and_forces_have_their_derivatives() {
    let (system, state) = tangled();
    check_first(system, &state);
}

#[test]
fn levels_of_rows_follow_each_other_in_time() {
    let (system, state) = tangled();
    check_levels(system, &state);
}

#[test]
fn second_derivatives_agree_with_differences() {
    let (system, state) = tangled();
    check_second(system, &state);
}

#[test]
fn forces_are_those_of_lagrange() {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([1.0, -2.0, -9.0]);
    let turn = Rotation3::new(Vector3::new(0.4, -1.1, 0.7)).into_inner();
    let model = soft(BeamEnds::Free)
        .with_retardation(0.0)
        .expect("positive");
    let body = ModalBody::new("beam", model)
        .at([0.3, -0.5, 0.2])
        .rotated(turn);
    let body = body.moving([0.7, 0.1, -0.9], [1.5, -2.0, 0.8]);
    let wave = |scale: f64| (0..7).map(move |mode| scale * (1.7 * f64::from(mode) + 0.4).sin());
    let body = body.deformed(wave(0.2).collect(), wave(-1.3).collect());
    mechanism.add_modal_body(body.with_marker(6).with_marker(2));
    let system = mechanism.build().expect("consistent");
    check_lagrange(system, 3);
}
