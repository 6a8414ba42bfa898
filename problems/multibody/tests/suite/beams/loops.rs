//! Beams in closed loops.

use super::{METHODS, run};
use crate::flexible::four_bar;
use liedae::solve::Options;
use liedae_multibody::{Beam, BodyId, Material, MultibodySystem, Section, Snapshot, Vector3};

/// A four-bar linkage whose coupler bends.
fn flexible() -> (MultibodySystem, BodyId) {
    four_bar(|mechanism, [from, to], velocity| {
        let rubber = Material::new(2e7, 0.4, 1100.0);
        let section = Section::rectangle(&rubber, [0.03, 0.02]).with_retardation(2e-3);
        let coupler = Beam::straight("coupler", section, from, to, 6);
        let coupler = mechanism.add_beam(coupler.moving(velocity, [0.0; 3]));
        [coupler.start(), coupler.end()]
    })
}

fn rocker_after(method: &str, tolerance: f64) -> Vector3<f64> {
    let (mut system, rocker) = flexible();
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
