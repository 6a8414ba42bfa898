//! Flexible bodies whose inertia has the displacements as they are.

use super::{assert_near, orders, run, soft_beam};
use crate::derivatives::{check_first, check_lagrange, check_second, disturbed};
use liedae::solve::Options;
use liedae::system::{System, total_energy};
use liedae_multibody::{
    BeamEnds, ModalBeam, ModalBody, ModalData, ModalModel, MultibodyBuilder, MultibodySystem,
    NodalMass, Section,
};

/// A body in flight that turns and deforms, with a marker at its second node.
fn flying(model: ModalModel, deflection: f64) -> MultibodySystem {
    let modes = model.modes() as u32;
    let wave = |scale: f64| (0..modes).map(move |mode| scale * (1.7 * f64::from(mode) + 0.4).sin());
    let body = ModalBody::new("body", model).moving([0.7, 0.1, -0.9], [1.5, -2.0, 0.8]);
    let body = body.deformed(wave(deflection).collect(), wave(-1.3).collect());
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([1.0, -2.0, -9.0]);
    mechanism.add_modal_body(body.with_marker(1));
    mechanism.build().expect("consistent")
}

fn energy(model: ModalModel, deflection: f64) -> f64 {
    let mut system = flying(model, deflection);
    let start = system.initial_state();
    total_energy(&mut system, &start.point()).expect("a mechanism")
}

#[test]
fn derivatives_and_forces_fit() {
    let model = || {
        let beam = soft_beam(BeamEnds::Clamped).with_plain_field();
        beam.model().expect("a beam")
    };
    let system = flying(model(), 0.2);
    let state = disturbed(&system);
    check_first(system, &state);
    let system = flying(model(), 0.2);
    check_second(system, &state);
    check_lagrange(flying(model(), 0.2), 2);
}

/// Without a second order both inertias are the same but for that of the sections, 1e-7 here. With it the energies differ by products of
/// two deflections and two rates.
#[test]
fn the_affine_fit_differs_at_higher_order() {
    let rotary = [2e-7, 1e-7, 1e-7];
    let thin = Section::new([900.0, 1e9, 1e9, 3.0, 4.0, 7.0], 1.3, rotary);
    let straight = ModalBeam::new(thin, 1.2, 6, BeamEnds::Free).with_bending([2, 3]);
    let beams = [straight.clone().without_foreshortening(), straight];
    let difference = |beam: &ModalBeam, deflection: f64| {
        let [fitted, plain] = [beam.clone(), beam.clone().with_plain_field()];
        let [fitted, plain] = [fitted, plain].map(|beam| beam.model().expect("a beam"));
        (energy(fitted, deflection) - energy(plain, deflection)).abs()
    };
    let [linear, bending] = beams;
    let size = energy(linear.model().expect("a beam"), 0.2);
    let error = difference(&linear, 0.2);
    println!("{error:e} of {size}");
    assert!(error < 1e-7 * size);
    let errors = [0.04, 0.02, 0.01].map(|deflection| difference(&bending, deflection));
    println!("{errors:?}");
    assert!(errors[0] > 1e-5, "{errors:?}");
    assert!(
        orders(&errors).iter().all(|order| *order > 1.8),
        "{errors:?}"
    );
}

/// Point masses on a bar move as the field says, whether nodes are lumped or consistent.
#[test]
fn data_have_the_energy_of_their_field() {
    let eta = 0.3;
    let data = |mass| ModalData {
        nodes: vec![[0.0; 3], [0.5, 0.0, 0.1], [1.0, 0.2, 0.0]],
        mass,
        rotary: vec![[[0.02, 0.0, 0.0], [0.0, 0.03, 0.0], [0.0, 0.0, 0.04]]; 3],
        modes: vec![vec![[0.0; 3], [0.0, 0.3, 0.0], [0.0, 1.0, 0.0]]],
        rotations: Vec::new(),
        foreshortening: vec![vec![vec![[0.0; 3], [-0.1, 0.0, 0.0], [-0.8, 0.0, 0.0]]]],
        stiffness: vec![vec![0.0]],
        damping: Vec::new(),
    };
    let mut mechanism = MultibodyBuilder::new();
    let lumped = data(NodalMass::Lumped(vec![1.0, 2.0, 3.0]));
    let model = lumped.plain_field_model().expect("fits");
    let body = ModalBody::new("bar", model).deformed(vec![eta], vec![2.0]);
    mechanism.add_modal_body(body);
    let mut system = mechanism.build().expect("consistent");
    let start = system.initial_state();
    let found = total_energy(&mut system, &start.point()).expect("a mechanism");
    // Φ η' + S η η' of the second and the third node.
    let speed = |across: f64, along: f64| (across * 2.0).powi(2) + (along * eta * 2.0).powi(2);
    assert_near(found, speed(0.3, -0.1) + 1.5 * speed(1.0, -0.8), 1e-13);
    let diagonal = [1.0, 2.0, 3.0].iter().enumerate();
    let rows = diagonal.map(|(row, mass)| {
        let mut entries = vec![0.0; 3];
        entries[row] = *mass;
        entries
    });
    let consistent = data(NodalMass::Consistent(rows.collect()));
    let [one, two] = [&lumped, &consistent].map(|data| data.plain_field_model().expect("fits"));
    assert_near(energy(one, 0.2), energy(two, 0.2), 1e-13);
}

/// Sections whose inertia about one axis exceeds the sum of the other two cannot be made of mass.
#[test]
fn inertia_that_nothing_has_is_refused() {
    let section = Section::new([900.0, 1e9, 1e9, 3.0, 4.0, 7.0], 1.3, [9e-3, 2e-3, 3e-3]);
    let beam = ModalBeam::new(section, 1.2, 6, BeamEnds::Clamped);
    assert!(beam.model().is_ok());
    assert!(beam.with_plain_field().model().is_err());
}

/// A beam that tumbles freely keeps its energy.
#[test]
fn free_flight_keeps_its_energy() {
    let model = soft_beam(BeamEnds::Clamped).with_plain_field().model();
    let mut system = flying(model.expect("a beam"), 0.05);
    let start = system.initial_state();
    let before = total_energy(&mut system, &start.point()).expect("a mechanism");
    let options = Options::adaptive(0.5, 1e-10, 1e-10);
    let end = run(&mut system, "dop853", &options).state;
    let after = total_energy(&mut system, &end.point()).expect("a mechanism");
    assert_near(after, before, 1e-8);
}
