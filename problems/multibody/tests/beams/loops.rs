//! Beams in closed loops.

use super::{METHODS, run};
use liedae::solve::Options;
use liedae_multibody::{
    Beam, BodyId, Drive, Joint, Material, Motion, MultibodyBuilder, MultibodySystem, RigidBody,
    Section, Snapshot, Vector3,
};

/// A four-bar linkage whose crank turns with 4 rad/s and whose coupler bends.
fn four_bar() -> (MultibodySystem, BodyId) {
    let (y, rate) = ([0.0, 1.0, 0.0], 4.0);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    // Crank of 0.2 m and rocker of 0.4 m stand upright, the coupler is level: all of it moves like its ends.
    let crank = RigidBody::new("crank", 0.5, [1e-2; 3]).at([0.0, 0.0, 0.1]);
    let crank = mechanism.add_body(crank.moving([0.1 * rate, 0.0, 0.0], [0.0, rate, 0.0]));
    let rubber = Material::new(2e7, 0.4, 1100.0);
    let section = Section::rectangle(&rubber, [0.03, 0.02]).with_retardation(2e-3);
    let coupler = Beam::straight("coupler", section, [0.0, 0.0, 0.2], [0.8, 0.0, 0.2], 6);
    let coupler = mechanism.add_beam(coupler.moving([0.2 * rate, 0.0, 0.0], [0.0; 3]));
    let rocker = RigidBody::new("rocker", 0.5, [1e-2; 3]).at([0.8, 0.0, 0.0]);
    let spin = 0.5 * rate;
    let rocker = rocker.moving([0.2 * spin, 0.0, 0.0], [0.0, spin, 0.0]);
    let rocker = mechanism.add_body(rocker);
    let (head, joint) = ([0.0, 0.0, 0.2], [0.8, 0.0, 0.2]);
    let pivot = Joint::revolute("pivot", BodyId::GROUND, crank, [0.0; 3], y);
    let pivot = mechanism.add_joint(pivot);
    mechanism.add_joint(Joint::revolute("head", crank, coupler.start(), head, y));
    mechanism.add_joint(Joint::revolute("joint", coupler.end(), rocker, joint, y));
    mechanism.add_joint(Joint::revolute(
        "foot",
        BodyId::GROUND,
        rocker,
        [0.8, 0.0, -0.2],
        y,
    ));
    mechanism.add_drive("motor", pivot, Drive::Angle(Motion::linear(0.0, rate)));
    (mechanism.build().expect("consistent"), rocker)
}

fn rocker_after(method: &str, tolerance: f64) -> Vector3<f64> {
    let (mut system, rocker) = four_bar();
    let end = run(
        &mut system,
        method,
        &Options::adaptive(1.0, tolerance, tolerance),
    );
    Snapshot::new(&system, &end.state).position(rocker)
}

#[test]
fn every_method_turns_a_four_bar_linkage_with_a_flexible_coupler() {
    let exact = rocker_after("radau5", 1e-9);
    // A rigid coupler would hold the rocker elsewhere.
    assert!((exact - Vector3::new(0.8, 0.0, 0.0)).norm() > 0.05);
    for method in METHODS {
        let error = (rocker_after(method, 1e-5) - exact).norm();
        assert!(error < 1e-5, "{method}: {error:e}");
    }
}
