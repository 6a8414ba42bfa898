//! Derivatives of beams in absolute nodal coordinates against differences, and their forces against Lagrange's equations.

use crate::derivatives::{check_first, check_lagrange, check_levels, check_second, disturbed};
use liedae::system::State;
use liedae_multibody::{
    AncfBeam, BodyId, Joint, MultibodyBuilder, MultibodySystem, RigidBody, Section,
};

/// A soft beam of two elements.
fn soft(cable: bool, viscous: bool) -> AncfBeam {
    let section = Section::new(
        [9.0, 7.0, 6.0, 3.0, 4.0, if cable { 4.0 } else { 7.0 }],
        1.3,
        [0.5, 0.2, 0.3],
    );
    let section = if viscous {
        section.with_retardation(0.3)
    } else {
        section
    };
    let (from, to) = ([0.3, -0.5, 0.2], [1.2, 0.4, 0.9]);
    if cable {
        AncfBeam::cable("beam", section, from, to, 2)
    } else {
        AncfBeam::shear_deformable("beam", section, from, to, 2)
    }
}

/// The same bent, and in motion.
fn bent(cable: bool, viscous: bool) -> AncfBeam {
    let beam = soft(cable, viscous);
    let start = beam.reference().into_iter().enumerate();
    let start: Vec<f64> = start
        .map(|(k, q)| q + 0.07 * (1.7 * k as f64 + 0.4).sin())
        .collect();
    let rates = (0..start.len())
        .map(|k| 0.6 * (2.1 * k as f64).cos())
        .collect();
    beam.starting_at(start, rates)
}

/// It carries a ball, and no row is satisfied.
fn tangled(cable: bool) -> (MultibodySystem, State) {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([1.0, -2.0, -9.0]);
    let beam = mechanism.add_ancf_beam(bent(cable, true).with_marker(0).with_marker(2));
    let ball = mechanism.add_body(RigidBody::new("ball", 0.7, [0.1, 0.2, 0.15]));
    mechanism.add_joint(Joint::spherical("hook", beam.marker(1), ball, [0.0; 3]));
    mechanism.add_joint(Joint::fixed(
        "clamp",
        BodyId::GROUND,
        beam.marker(0),
        [0.0; 3],
    ));
    let system = mechanism.build_unchecked().expect("laid out");
    let state = disturbed(&system);
    (system, state)
}

#[test]
fn rows_and_forces_have_their_derivatives() {
    for cable in [true, false] {
        let (system, state) = tangled(cable);
        check_first(system, &state);
    }
}

#[test]
fn levels_of_rows_follow_each_other_in_time() {
    for cable in [true, false] {
        let (system, state) = tangled(cable);
        check_levels(system, &state);
    }
}

#[test]
fn second_derivatives_agree_with_differences() {
    for cable in [true, false] {
        let (system, state) = tangled(cable);
        check_second(system, &state);
    }
}

#[test]
fn forces_are_those_of_lagrange() {
    for cable in [true, false] {
        let mut mechanism = MultibodyBuilder::new();
        mechanism.gravity([1.0, -2.0, -9.0]);
        mechanism.add_ancf_beam(bent(cable, false).with_marker(0).with_marker(2));
        check_lagrange(mechanism.build().expect("consistent"), 2);
    }
}
