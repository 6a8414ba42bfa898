//! Beams in absolute nodal coordinates in closed loops and with contacts.

use super::{METHODS, run};
use crate::flexible::four_bar;
use liedae::solve::Options;
use liedae::system::System;
use liedae_contact::{NonsmoothOptions, NonsmoothSystem};
use liedae_multibody::{
    AncfBeam, BodyId, Joint, Material, MultibodyBuilder, RigidBody, Section, Snapshot, Surface,
    SurfaceContact, Vector3,
};

/// A four-bar linkage whose coupler bends: where the rocker is after 0.1 s.
fn rocker_after(method: &str, tolerance: f64) -> Vector3<f64> {
    let (mut system, rocker) = four_bar(|mechanism, [from, to], velocity| {
        let rubber = Material::new(2e7, 0.4, 1100.0);
        let section = Section::rectangle(&rubber, [0.04, 0.04]).with_retardation(2e-3);
        let coupler = AncfBeam::shear_deformable("coupler", section, from, to, 2);
        let coupler = coupler.moving(velocity, [0.0; 3]);
        let coupler = mechanism.add_ancf_beam(coupler.with_marker(0).with_marker(4));
        [coupler.marker(0), coupler.marker(1)]
    });
    let end = run(
        &mut system,
        method,
        &Options::adaptive(0.1, tolerance, tolerance),
    );
    Snapshot::new(&system, &end.state).position(rocker)
}

#[test]
fn every_method_turns_a_four_bar_linkage_with_a_flexible_coupler() {
    let exact = rocker_after("radau5", 1e-9);
    assert!(
        (exact - Vector3::new(0.8, 0.0, 0.0)).norm() > 0.02,
        "{exact}"
    );
    for method in METHODS {
        let error = (rocker_after(method, 1e-5) - exact).norm();
        assert!(error < 1e-5, "{method}: {error:e}");
    }
}

/// A cable with a ball at each end falls level onto the floor; events, and the coordinates at the end.
fn fallen(method: &str, tolerance: f64) -> (usize, Vec<f64>) {
    let rubber = Material::new(5e6, 0.4, 1100.0);
    let section = Section::circle(&rubber, 0.01).with_retardation(1e-3);
    let cable = AncfBeam::cable("cable", section, [0.0, 0.0, 0.11], [1.0, 0.0, 0.11], 4);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let cable = mechanism.add_ancf_beam(cable.with_marker(0).with_marker(4));
    for (name, marker, x) in [("left", 0, 0.0), ("right", 1, 1.0)] {
        let ball = mechanism.add_body(RigidBody::new(name, 0.2, [1e-4; 3]).at([x, 0.0, 0.11]));
        let clip = Joint::fixed(
            format!("clip {name}"),
            cable.marker(marker),
            ball,
            [x, 0.0, 0.11],
        );
        mechanism.add_joint(clip);
        let floor = Surface::half_space(BodyId::GROUND, [0.0; 3], [0.0, 0.0, 1.0]);
        let round = Surface::sphere(ball, [0.0; 3], 0.05);
        mechanism.add_contact(SurfaceContact::new(format!("floor {name}"), floor, round));
    }
    let system = mechanism.build().expect("consistent");
    let options = NonsmoothOptions::default();
    let mut system = NonsmoothSystem::new(system, options).expect("has contacts");
    let end = run(
        &mut system,
        method,
        &Options::adaptive(0.2, tolerance, tolerance),
    );
    let first = system.layout().space.coordinates() - 5 * 6;
    (end.events.len(), end.state.q[first..].to_vec())
}

#[test]
fn a_cable_between_two_balls_falls_and_sags() {
    let (events, exact) = fallen("radau5", 1e-9);
    // Both balls touch at once and stay; the cable goes on until its tension lifts neither.
    assert!(events >= 2 && exact[2 * 6 + 2] < 0.04, "{events} {exact:?}");
    for method in METHODS {
        let (count, found) = fallen(method, 1e-5);
        let errors = found.iter().zip(&exact).map(|(a, b)| (a - b).abs());
        let error = errors.fold(0.0, f64::max);
        assert_eq!(count, events, "{method}");
        // Of the first order: the error goes with the root of the tolerance.
        let bound = if method == "half-implicit" {
            1e-2
        } else {
            1e-5
        };
        assert!(error < bound, "{method}: {error:e}");
    }
}
