//! Beams in absolute nodal coordinates that move.

use super::{KINDS, Kind, METHODS, assert_near, run};
use crate::derivatives::invariants;
use crate::flexible::{Shadow, spin_up};
use liedae::solve::Options;
use liedae::system::System;
use liedae_multibody::{
    Beam, BodyId, Drive, Joint, Material, Motion, MultibodyBuilder, MultibodySystem, RigidBody,
    Section, Snapshot, Vector3,
};

/// A strip of rubber that flies, tumbles and is bent.
fn flying(kind: Kind, retardation: f64) -> MultibodySystem {
    let section = Section::rectangle(&Material::new(5e6, 0.4, 1100.0), [0.05, 0.05]);
    let section = section.with_retardation(retardation);
    let count = if kind == Kind::Cable { 6 } else { 4 };
    let beam = kind.beam(section, 1.0, count);
    let straight = beam.reference();
    let width = straight.len() / beam.nodes();
    let mut start = straight.clone();
    for node in start.chunks_exact_mut(width) {
        // An arc of 0.8 rad about y.
        let (sine, cosine) = (0.8 * node[0]).sin_cos();
        node[0] = sine / 0.8;
        node[2] = (cosine - 1.0) / 0.8;
        match kind {
            Kind::Cable => node[3..6].copy_from_slice(&[cosine, 0.0, -sine]),
            Kind::Shear => node[6..9].copy_from_slice(&[sine, 0.0, cosine]),
        }
    }
    let (velocity, omega) = (Vector3::new(0.3, -0.2, 1.0), Vector3::new(3.0, 2.0, 5.0));
    let rates = start.chunks_exact(width).flat_map(|node| {
        node.chunks_exact(3)
            .enumerate()
            .flat_map(|(index, vector)| {
                let turned = omega.cross(&Vector3::from_column_slice(vector));
                let rate = if index == 0 {
                    velocity + turned
                } else {
                    turned
                };
                <[f64; 3]>::from(rate)
            })
    });
    let rates = rates.collect();
    let beam = beam.starting_at(start, rates);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.add_ancf_beam(beam.with_marker(0).with_marker(4));
    mechanism.build().expect("consistent")
}

#[test]
fn free_flight_keeps_energy_and_momenta() {
    for kind in KINDS {
        for (method, part) in [("mdop5", 1e-6), ("radau5", 1e-6), ("bdf", 1e-4)] {
            let mut system = flying(kind, 0.0);
            let start = system.initial_state();
            let (kinetic, potential) = system.energies(&start.point());
            assert!(kinetic > 9.0 && potential > 0.5, "{kinetic} {potential}");
            let before = invariants(&mut system, &start);
            let end = run(&mut system, method, &Options::adaptive(0.05, 1e-8, 1e-8));
            let after = invariants(&mut system, &end.state);
            assert_near(after[0], before[0], part);
            for (before, after) in before.iter().zip(&after).skip(1) {
                assert!(
                    (before - after).abs() < 1e-9,
                    "{kind:?} {method}: {before} {after}"
                );
            }
        }
    }
}

/// Viscosity is internal, too: it takes energy and leaves momenta.
#[test]
fn viscosity_leaves_momenta() {
    for kind in KINDS {
        let mut system = flying(kind, 1e-3);
        let start = system.initial_state();
        let before = invariants(&mut system, &start);
        let end = run(&mut system, "radau5", &Options::adaptive(0.1, 1e-8, 1e-8));
        let after = invariants(&mut system, &end.state);
        assert!(
            after[0] < before[0] - 1e-3,
            "{kind:?}: {before:?} {after:?}"
        );
        for (before, after) in before.iter().zip(&after).skip(1) {
            assert!((before - after).abs() < 1e-6, "{kind:?}: {before} {after}");
        }
    }
}

/// A rod of rubber on a hinge, 1 m long and 1 cm thick, released from level (cf. Hante, Tumiotto and Arnold 2022,
/// doi:10.1007/s11044-021-09807-8): where its end is after some time.
fn swung(
    kind: Option<Kind>,
    count: usize,
    t_end: f64,
    method: &str,
    tolerance: f64,
) -> Vector3<f64> {
    let section = Section::circle(&Material::new(5e6, 0.5, 1100.0), 0.005);
    let section = section.with_viscosity([0.1, 0.1, 0.1, 2e-4, 2e-4, 2e-4]);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let (from, to, y) = ([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    let [start, end] = match kind {
        None => {
            let nodes = mechanism.add_beam(Beam::straight("rod", section, from, to, count));
            [nodes.start(), nodes.end()]
        }
        Some(kind) => {
            let beam = kind.beam(section, 1.0, count);
            let nodes = mechanism.add_ancf_beam(beam.with_marker(0).with_marker(kind.last(count)));
            [nodes.marker(0), nodes.marker(1)]
        }
    };
    mechanism.add_joint(Joint::revolute("hinge", BodyId::GROUND, start, from, y));
    let mut system = mechanism.build().expect("consistent");
    let end_state = run(
        &mut system,
        method,
        &Options::adaptive(t_end, tolerance, tolerance),
    )
    .state;
    Snapshot::new(&system, &end_state).position(end)
}

#[test]
fn a_rubber_pendulum_swings_as_the_geometrically_exact_one() {
    let exact = swung(None, 48, 0.5, "radau5", 1e-7);
    for kind in KINDS {
        let errors =
            [4, 8, 16].map(|count| (swung(Some(kind), count, 0.5, "radau5", 1e-7) - exact).norm());
        // The models agree up to what strains change of the section.
        assert!(
            errors[0] < 1e-3 && errors[1] < 1e-4 && errors[2] < 1e-4,
            "{kind:?} {errors:?}"
        );
    }
}

#[test]
fn every_method_swings_a_rubber_pendulum() {
    for kind in KINDS {
        let exact = swung(Some(kind), 2, 0.02, "radau5", 1e-9);
        for method in METHODS {
            let error = (swung(Some(kind), 2, 0.02, method, 1e-5) - exact).norm();
            assert!(error < 3e-4, "{kind:?} {method}: {error:e}");
        }
    }
}

#[test]
fn a_beam_spins_up() {
    let stiffness = [2.8e7, 1e7, 1e7, 1.4e4, 1.4e4, 1.4e4];
    let section = Section::new(stiffness, 1.2, [1.2e-3, 6e-4, 6e-4]);
    for kind in KINDS {
        let from = [0.0; 3];
        let count = if kind == Kind::Cable { 8 } else { 4 };
        let beam = kind.beam(section.clone(), 10.0, count);
        let mut mechanism = MultibodyBuilder::new();
        let hub = mechanism.add_body(RigidBody::new("hub", 1.0, [1.0; 3]));
        let nodes = mechanism.add_ancf_beam(beam.with_marker(0).with_marker(8));
        mechanism.add_joint(Joint::fixed("root", hub, nodes.marker(0), from));
        let axle = Joint::revolute("axle", BodyId::GROUND, hub, from, [0.0, 0.0, 1.0]);
        let axle = mechanism.add_joint(axle);
        mechanism.add_drive("motor", axle, Drive::Angle(Motion::custom(spin_up)));
        mechanism.time_event(15.0);
        let mut system = mechanism.build().expect("consistent");
        let shadow = Shadow::follow(&mut system, nodes.marker(1));
        // The steady extension is ρ A Ω² L³ / (3 E A).
        shadow.check(&format!("{kind:?}"), 3e-4, (5.142_857e-4, 2e-3));
    }
}
