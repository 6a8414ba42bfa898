//! Joints, drives, springs, friction and contacts on flexible bodies.

use super::{METHODS, assert_near, run, soft};
use crate::flexible::four_bar;
use liedae::solve::Options;
use liedae::system::System;
use liedae_contact::{NonsmoothOptions, NonsmoothSystem};
use liedae_multibody::{
    BeamEnds, BodyId, Frame, Joint, JointCoordinate, Material, ModalBeam, ModalBody,
    MultibodyBuilder, MultibodySystem, RigidBody, Rotation3, Section, Snapshot, Surface,
    SurfaceContact, TranslationalSpring, Vector3,
};

/// A four-bar linkage whose coupler bends: modes of pinned ends, joints at markers.
fn flexible(bending: usize) -> (MultibodySystem, BodyId) {
    four_bar(|mechanism, [from, _], velocity| {
        let rubber = Material::new(2e8, 0.4, 1100.0);
        let section = Section::rectangle(&rubber, [0.03, 0.02]).with_retardation(2e-3);
        let coupler = ModalBeam::new(section, 0.8, 8, BeamEnds::Pinned);
        let coupler = coupler.with_bending([0, bending]).with_stretching(1);
        let coupler = ModalBody::new("coupler", coupler.model().expect("a beam"));
        let coupler = coupler.at(from).moving(velocity, [0.0; 3]);
        let coupler = mechanism.add_modal_body(coupler.with_marker(0).with_marker(8));
        [coupler.marker(0), coupler.marker(1)]
    })
}

fn rocker_after(method: &str, bending: usize, tolerance: f64) -> Vector3<f64> {
    let (mut system, rocker) = flexible(bending);
    let options = Options::adaptive(0.5, tolerance, tolerance);
    let end = run(&mut system, method, &options);
    Snapshot::new(&system, &end.state).position(rocker)
}

#[test]
fn every_method_turns_a_four_bar_linkage_with_a_flexible_coupler() {
    let exact = rocker_after("radau5", 2, 1e-9);
    for method in METHODS {
        let time = std::time::Instant::now();
        let error = (rocker_after(method, 2, 1e-5) - exact).norm();
        println!("{method}: {error:.1e} in {:?}", time.elapsed());
        assert!(error < 2e-5, "{method}: {error:e}");
    }
}

/// A spring to a marker is one to the point of the body: in series with the bending of the beam.
#[test]
fn a_spring_and_a_beam_share_a_frequency() {
    let section = Section::new([1e4, 1e9, 1e9, 3.0, 4.0, 4.0], 1e-4, [1e-6; 3]);
    let beam = ModalBeam::new(section, 1.0, 4, BeamEnds::Clamped).with_bending([0, 8]);
    let model = beam.model().expect("a beam");
    let mut mechanism = MultibodyBuilder::new();
    let beam = mechanism.add_modal_body(ModalBody::new("beam", model).with_marker(4));
    mechanism.add_joint(Joint::fixed(
        "clamp",
        BodyId::GROUND,
        beam.frame(),
        [0.0; 3],
    ));
    let ball = RigidBody::new("ball", 2.0, [0.1; 3]).at([1.0, 0.0, -1.0]);
    let ball = mechanism.add_body(ball);
    let z = [0.0, 0.0, 1.0];
    let guide = Joint::translational("guide", BodyId::GROUND, ball, [1.0, 0.0, -1.0], z);
    mechanism.add_joint(guide);
    let ends = [Frame::local_point([0.0; 3]), Frame::local_point([0.0; 3])];
    let spring = TranslationalSpring::new("spring", [beam.marker(0), ball], ends, 20.0, 1.0);
    mechanism.add_spring(spring);
    let mut system = mechanism.build().expect("consistent");
    let state = system.initial_state();
    let mut evaluator = liedae::system::Evaluator::new(&mut system);
    let linear = liedae::analysis::linearize(&mut evaluator, &state, None).expect("at rest");
    let modes = linear.modes().expect("eigenvalues");
    // The beam is 3 E I/L³ = 12 N/m, and hardly weighs anything.
    let expected = (12.0 * 20.0 / 32.0 / 2.0_f64).sqrt();
    assert_near(modes[0].eigenvalue.im, expected, 1e-4);
}

/// A soft beam falls onto a floor with a foot at its end and bounces: momentum and energy fit.
#[test]
fn a_flexible_body_bounces() {
    let build = || {
        let model = soft(BeamEnds::Free)
            .with_retardation(0.0)
            .expect("positive");
        let body = ModalBody::new("beam", model).at([0.0, 0.0, 0.05]);
        let body = body.moving([0.3, 0.0, -1.0], [0.0; 3]);
        let mut mechanism = MultibodyBuilder::new();
        let beam = mechanism.add_modal_body(body.with_marker(0).with_marker(6));
        let floor = Surface::half_space(BodyId::GROUND, [0.0; 3], [0.0, 0.0, 1.0]);
        let foot = Surface::sphere(beam.marker(1), [0.0; 3], 0.02);
        let bounce = SurfaceContact::new("floor", floor, foot).with_restitution(1.0);
        mechanism.add_contact(bounce);
        mechanism.build().expect("consistent")
    };
    let (energy, momentum) = {
        let system = build();
        let (kinetic, potential) = system.energies(&system.initial_state().point());
        (kinetic + potential, 0.3 * 1.3 * 1.2)
    };
    for method in ["hem5", "radau5"] {
        let mut system = NonsmoothSystem::new(build(), NonsmoothOptions::default()).expect("fits");
        let end = run(&mut system, method, &Options::adaptive(0.05, 1e-8, 1e-8));
        let kinds: Vec<&str> = end.events.iter().map(|event| &*event.kind).collect();
        assert!(kinds.contains(&"impact"), "{kinds:?}");
        assert_near(end.events[0].t, 0.03, 1e-7);
        let plain = build();
        let (kinetic, potential) = plain.energies(&end.state.point());
        assert_near(kinetic + potential, energy, 1e-6);
        let spatial = plain.spatial().expect("it is in space");
        // Nothing holds it along the floor.
        assert_near(
            spatial.momentum(&end.state.point()).linear[0],
            momentum,
            1e-7,
        );
    }
}

/// Joint coordinates move a body in its shape.
#[test]
fn joint_coordinates_move_a_bent_body() {
    let mut mechanism = MultibodyBuilder::new();
    let start = vec![0.0, 0.0, 0.05, 0.01, 0.0, 0.002, 0.1];
    let body = ModalBody::new("beam", soft(BeamEnds::Clamped)).with_marker(6);
    let beam = mechanism.add_modal_body(body.deformed(start.clone(), vec![0.0; 7]));
    let y = [0.0, 1.0, 0.0];
    let hinge = Joint::revolute("hinge", BodyId::GROUND, beam.frame(), [0.0; 3], y);
    let hinge = mechanism.add_joint(hinge);
    mechanism.joint_position(hinge, JointCoordinate::Angle(0.7));
    mechanism.joint_rate(hinge, JointCoordinate::Angle(2.0));
    let system = mechanism.build().expect("consistent");
    let state = system.initial_state();
    let now = Snapshot::new(&system, &state);
    assert_eq!(now.modal_coordinates(&beam), start);
    assert!((now.rotation(beam.frame())[(0, 2)].asin() - 0.7).abs() < 1e-12);
    assert!((now.omega(beam.frame()).y - 2.0).abs() < 1e-12);
    let turned = now
        .rotation(beam.frame())
        .tr_mul(&now.position(beam.marker(0)));
    assert!(turned.z > 0.02 && turned.x < 1.2, "{turned}");
}

/// A body that deforms at the start is where its joint says, and as fast as if it had been stated there.
#[test]
fn joint_coordinates_move_a_body_that_deforms() {
    let shape = vec![0.03, 0.01, 0.05, 0.01, 0.0, 0.002, 0.1];
    let rates = vec![0.5, -0.2, 0.3, -0.3, 0.2, 0.1, 1.0];
    let (angle, spin) = (0.7, 2.0);
    let y = Vector3::new(0.0, 1.0, 0.0);
    let bent = || {
        let body = ModalBody::new("beam", soft(BeamEnds::Clamped));
        let body = body.with_marker(3).with_marker(6);
        body.deformed(shape.clone(), rates.clone())
    };
    let end = |mechanism: &mut MultibodyBuilder, body: ModalBody| {
        let beam = mechanism.add_modal_body(body);
        let hinge = Joint::revolute("hinge", BodyId::GROUND, beam.frame(), [0.0; 3], y);
        mechanism.add_joint(hinge)
    };
    let mut moved = MultibodyBuilder::new();
    let hinge = end(&mut moved, bent());
    moved.joint_position(hinge, JointCoordinate::Angle(angle));
    moved.joint_rate(hinge, JointCoordinate::Angle(spin));
    let mut stated = MultibodyBuilder::new();
    let turned = bent().rotated(Rotation3::new(y * angle).into_inner());
    end(&mut stated, turned.moving([0.0; 3], y * spin));
    let [moved, stated] =
        [moved, stated].map(|mechanism| mechanism.build().expect("consistent").initial_state());
    for (found, expected) in [(&moved.q, &stated.q), (&moved.v, &stated.v)] {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }
}
