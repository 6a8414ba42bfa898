//! Flexible bodies that move.

use super::{METHODS, assert_near, orders, run, soft};
use crate::derivatives::invariants;
use crate::flexible::{Shadow, spin_up};
use liedae::solve::Options;
use liedae::system::{RatesJacobian, System};
use liedae_multibody::nalgebra::{DMatrix, DVector};
use liedae_multibody::{
    Beam, BeamEnds, BodyId, Drive, Joint, ModalBeam, ModalBody, ModalNodes, Motion,
    MultibodyBuilder, MultibodySystem, Rotation3, Section, Snapshot, Vector3,
};

/// A soft beam that flies and tumbles, in a world that is turned.
fn flying(turn: &Rotation3<f64>) -> (MultibodySystem, ModalNodes) {
    let model = soft(BeamEnds::Free)
        .with_retardation(0.0)
        .expect("positive");
    let own = Rotation3::new(Vector3::new(0.3, -0.2, 1.1));
    let body = ModalBody::new("beam", model).rotated((turn * own).into_inner());
    let body = body.moving(turn * Vector3::new(0.3, -0.2, 1.0), [3.0, 2.0, 5.0]);
    let start = vec![0.03, 0.01, -0.04, 0.01, 0.0, 0.01, 0.3];
    let body = body.deformed(start, vec![0.5, 0.0, 0.0, -0.3, 0.2, 0.0, 1.0]);
    let mut mechanism = MultibodyBuilder::new();
    let beam = mechanism.add_modal_body(body.with_marker(0).with_marker(6));
    (mechanism.build().expect("consistent"), beam)
}

#[test]
fn free_flight_keeps_energy_and_momenta() {
    for (method, part) in [("mdop5", 1e-7), ("radau5", 1e-7), ("bdf", 1e-4)] {
        let (mut system, _) = flying(&Rotation3::identity());
        let start = system.initial_state();
        let (kinetic, potential) = system.energies(&start.point());
        assert!(kinetic > 5.0 && potential > 1.0, "{kinetic} {potential}");
        let before = invariants(&mut system, &start);
        let end = run(&mut system, method, &Options::adaptive(1.0, 1e-8, 1e-8));
        let after = invariants(&mut system, &end.state);
        println!("{method}: energy {:.1e}", after[0] / before[0] - 1.0);
        assert_near(after[0], before[0], part);
        for (before, after) in before.iter().zip(&after).skip(1) {
            let difference = (before - after).abs();
            assert!(difference < 10.0 * part, "{method}: {before} {after}");
        }
    }
}

#[test]
fn the_world_may_be_turned() {
    let turn = Rotation3::new(Vector3::new(-1.2, 0.8, 2.0));
    let ends = [Rotation3::identity(), turn].map(|turn| {
        let (mut system, beam) = flying(&turn);
        let end = run(&mut system, "radau5", &Options::adaptive(0.5, 1e-9, 1e-9));
        let now = Snapshot::new(&system, &end.state);
        let coordinates = now.modal_coordinates(&beam).to_vec();
        (turn.inverse() * now.position(beam.marker(1)), coordinates)
    });
    assert!((ends[0].0 - ends[1].0).norm() < 1e-7);
    for (one, two) in ends[0].1.iter().zip(&ends[1].1) {
        assert!((one - two).abs() < 1e-7, "{one} {two}");
    }
}

/// A pendulum of 1 m that bends a little as it falls from level, by either kind of beam: where its end is after 0.5 s.
fn fallen(stiffness: f64, modal: bool) -> Vector3<f64> {
    let section = Section::new(
        [
            1e5,
            f64::INFINITY,
            f64::INFINITY,
            10.0,
            stiffness,
            stiffness,
        ],
        1.0,
        [2e-5, 1e-5, 1e-5],
    );
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let (start, end) = if modal {
        let beam = ModalBeam::new(section, 1.0, 10, BeamEnds::Clamped).with_bending([0, 6]);
        let model = beam.with_stretching(5).model().expect("a beam");
        let beam = mechanism.add_modal_body(ModalBody::new("beam", model).with_marker(10));
        (beam.frame(), beam.marker(0))
    } else {
        let beam = Beam::straight("beam", section, [0.0; 3], [1.0, 0.0, 0.0], 24);
        let beam = mechanism.add_beam(beam);
        (beam.start(), beam.end())
    };
    let hinge = Joint::revolute("hinge", BodyId::GROUND, start, [0.0; 3], [0.0, 1.0, 0.0]);
    mechanism.add_joint(hinge);
    let mut system = mechanism.build().expect("consistent");
    let run = run(&mut system, "radau5", &Options::adaptive(0.5, 1e-7, 1e-7));
    Snapshot::new(&system, &run.state).position(end)
}

/// The error is of the second order in the deflection: what small deflections leave out.
#[test]
fn small_deflections_are_those_of_exact_beams() {
    let rigid = fallen(1e4, true);
    let differences = [5.0, 20.0].map(|stiffness| {
        let [modal, exact] = [true, false].map(|modal| fallen(stiffness, modal));
        let deflection = (exact - rigid).norm();
        println!(
            "E I {stiffness}: deflection {deflection:.3e}, difference {:.3e}",
            (modal - exact).norm()
        );
        assert!(
            (modal - exact).norm() < 0.05 * deflection,
            "{modal} {exact}"
        );
        (modal - exact).norm()
    });
    assert!(differences[1] < 0.3 * differences[0], "{differences:?}");
}

#[test]
fn a_beam_spins_up() {
    let stiffness = [2.8e7, 1e9, 1e9, 1.4e4, 1.4e4, 1.4e4];
    let section = Section::new(stiffness, 1.2, [1.2e-3, 6e-4, 6e-4]);
    let beam = ModalBeam::new(section, 10.0, 10, BeamEnds::Clamped);
    let model = beam
        .with_bending([4, 0])
        .with_stretching(4)
        .model()
        .expect("a beam");
    let mut mechanism = MultibodyBuilder::new();
    let beam = mechanism.add_modal_body(ModalBody::new("beam", model).with_marker(10));
    let axle = Joint::revolute(
        "axle",
        BodyId::GROUND,
        beam.frame(),
        [0.0; 3],
        [0.0, 0.0, 1.0],
    );
    let axle = mechanism.add_joint(axle);
    mechanism.add_drive("motor", axle, Drive::Angle(Motion::custom(spin_up)));
    mechanism.time_event(15.0);
    let mut system = mechanism.build().expect("consistent");
    let shadow = Shadow::follow(&mut system, beam.marker(0));
    // The steady extension is ρ A Ω² L³ / (3 E A).
    shadow.check("modes", 5e-3, (5.142_857e-4, 5e-3));
}

/// In steady rotation the end is where u'' = -a² (x + u) says, a² = ρ Ω²/E: at tan(a L)/a.
#[test]
fn the_steady_extension_is_that_of_the_bar() {
    let (rate, length) = (6.0_f64, 10.0);
    let a = rate * (1.2_f64 / 2.8e7).sqrt();
    let exact = (a * length).tan() / a - length;
    let stiffness = [2.8e7, 1e9, 1e9, 1.4e4, 1.4e4, 1.4e4];
    let section = Section::new(stiffness, 1.2, [1.2e-3, 6e-4, 6e-4]);
    let errors = [4, 8, 16].map(|elements| {
        let beam = ModalBeam::new(section.clone(), length, elements, BeamEnds::Clamped);
        let beam = beam.with_bending([1, 0]).with_stretching(elements);
        let body = ModalBody::new("beam", beam.model().expect("a beam"));
        let body = body.moving([0.0; 3], [0.0, 0.0, rate]);
        let mut mechanism = MultibodyBuilder::new();
        mechanism.add_modal_body(body.clone());
        let mut system = mechanism.build().expect("consistent");
        // Forces on the modes are linear in the coordinates: one step of Newton's method.
        let mut state = system.initial_state();
        let mut rates = vec![0.0; system.layout().dimension()];
        let mut slopes = RatesJacobian::new(system.layout());
        system.rates(&state.point(), &mut rates).expect("finite");
        system
            .rates_jacobian(&state.point(), &mut slopes)
            .expect("finite");
        let modes = rates.len() - 6;
        let mut matrix = DMatrix::zeros(modes, modes);
        for (row, column, place) in system.layout().rates.iter() {
            if row >= 6 && column >= 6 {
                matrix[(row - 6, column - 6)] = slopes.by_position[place];
            }
        }
        let forces = DVector::from_column_slice(&rates[6..]);
        let found = matrix.lu().solve(&-forces).expect("regular");
        state.q[12..].copy_from_slice(found.as_slice());
        system.rates(&state.point(), &mut rates).expect("finite");
        assert!(
            rates[6..].iter().all(|force| force.abs() < 1e-9),
            "{rates:?}"
        );
        let mut mechanism = MultibodyBuilder::new();
        let body = body.with_marker(elements);
        let body = body.deformed(found.as_slice().to_vec(), vec![0.0; modes]);
        let beam = mechanism.add_modal_body(body);
        let system = mechanism.build().expect("consistent");
        let state = system.initial_state();
        let tip = Snapshot::new(&system, &state).position(beam.marker(0)).x;
        (tip - length) / exact - 1.0
    });
    println!("steady extension by 4, 8, 16 elements: {errors:?}");
    assert!(
        orders(&errors)
            .iter()
            .all(|order| (order - 2.0).abs() < 0.2),
        "{errors:?}"
    );
    assert!(errors[2].abs() < 1e-6, "{errors:?}");
}

/// A flexible pendulum by all methods.
#[test]
fn every_method_swings_a_flexible_pendulum() {
    let swing = |method: &str, tolerance: f64| {
        let mut mechanism = MultibodyBuilder::new();
        mechanism.gravity([0.0, 0.0, -9.81]);
        let body = ModalBody::new("beam", soft(BeamEnds::Pinned));
        let beam = mechanism.add_modal_body(body.with_marker(0).with_marker(6));
        let y = [0.0, 1.0, 0.0];
        mechanism.add_joint(Joint::revolute(
            "hinge",
            BodyId::GROUND,
            beam.marker(0),
            [0.0; 3],
            y,
        ));
        let mut system = mechanism.build().expect("consistent");
        let end = run(
            &mut system,
            method,
            &Options::adaptive(0.3, tolerance, tolerance),
        );
        Snapshot::new(&system, &end.state).position(beam.marker(1))
    };
    let exact = swing("radau5", 1e-9);
    assert!(exact.z < -0.02, "{exact}");
    for method in METHODS {
        let error = (swing(method, 1e-5) - exact).norm();
        println!("{method}: {error:.1e}");
        // Of the first order: the error goes with the root of the tolerance.
        let bound = if method == "half-implicit" {
            3e-3
        } else {
            2e-6
        };
        assert!(error < bound, "{method}: {error:e}");
    }
}
