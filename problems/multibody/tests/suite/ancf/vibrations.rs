//! Frequencies of beams in absolute nodal coordinates.

use super::{Kind, clamped, orders};
use liedae::analysis::linearize;
use liedae::system::{Evaluator, System};
use liedae_multibody::{AncfBeam, Beam, BodyId, Joint, MultibodyBuilder, Section};
use std::f64::consts::FRAC_PI_2;

/// Frequencies of a clamped beam at rest, in rad/s, growing.
fn frequencies(beam: AncfBeam) -> Vec<f64> {
    let mut mechanism = MultibodyBuilder::new();
    clamped(&mut mechanism, beam);
    let mut system = mechanism.build().expect("consistent");
    let state = system.initial_state();
    let linear = linearize(&mut Evaluator::new(&mut system), &state, None).expect("at rest");
    let modes = linear.modes().expect("eigenvalues").into_iter();
    modes
        .map(|mode| mode.eigenvalue.im)
        .filter(|frequency| *frequency > 1e-3)
        .collect()
}

/// The frequency that is closest to this one.
fn closest(all: &[f64], wanted: f64) -> f64 {
    let distance = |frequency: &f64| (frequency - wanted).abs();
    let found = all
        .iter()
        .min_by(|a, b| distance(a).total_cmp(&distance(b)));
    *found.expect("there is one")
}

/// A thin cable of 1 m whose lowest frequencies of bending are 3.516 rad/s, 22.03 rad/s and so on.
fn thin(count: usize) -> AncfBeam {
    let section = Section::new([1e6, 1e6, 1e6, 1.0, 1.0, 1.0], 1.0, [2e-7, 1e-7, 1e-7]);
    Kind::Cable.beam(section, 1.0, count)
}

#[test]
fn thin_cables_have_the_frequencies_of_euler_and_bernoulli() {
    for exact in [3.516015, 22.034492] {
        let error = |count: usize| closest(&frequencies(thin(count)), exact) / exact - 1.0;
        let errors = [4, 8, 16].map(error);
        let slopes = orders(&errors.map(f64::abs));
        println!("Cable, bending at {exact}: {errors:?} {slopes:.1?}");
        let falls = slopes.iter().all(|order| *order > 3.2);
        assert!(
            falls && errors[2].abs() < 1e-5,
            "{exact}: {errors:?} {slopes:?}"
        );
    }
}

#[test]
fn beams_stretch_and_twist_with_the_speeds_of_their_waves() {
    // Waves of 10 m/s and 20 m/s.
    let section = || Section::new([100.0, 1e6, 1e6, 4.0, 30.0, 30.0], 1.0, [1e-2, 5e-3, 5e-3]);
    for (kind, speed) in [
        (Kind::Cable, 10.0),
        (Kind::Shear, 10.0),
        (Kind::Shear, 20.0),
    ] {
        let exact = FRAC_PI_2 * speed;
        let errors = [4, 8, 16].map(|count| {
            closest(&frequencies(kind.beam(section(), 1.0, count)), exact) / exact - 1.0
        });
        let slopes = orders(&errors.map(f64::abs));
        println!("{kind:?}, waves of {speed} m/s: {errors:?} {slopes:.1?}");
        let limits = if speed < 15.0 {
            slopes.iter().all(|order| *order > 3.2)
        } else {
            true
        };
        assert!(
            limits && errors[0].abs() < 3e-5 && errors[2].abs() < 3e-6,
            "{kind:?} {speed} m/s: {errors:?} {slopes:?}"
        );
    }
}

/// With unequal rotary inertia, shear and bending, the lowest frequencies are those of the geometrically exact beam.
#[test]
fn flat_beams_swing_as_geometrically_exact_ones() {
    let section = || Section::new([4e3, 2e3, 1e3, 8.0, 9.0, 30.0], 1.0, [0.05, 0.01, 0.04]);
    let (from, to) = ([0.0; 3], [1.0, 0.0, 0.0]);
    let found = frequencies(Kind::Shear.beam(section(), 1.0, 16));
    let mut mechanism = MultibodyBuilder::new();
    let nodes = mechanism.add_beam(Beam::straight("beam", section(), from, to, 48));
    mechanism.add_joint(Joint::fixed("clamp", BodyId::GROUND, nodes.start(), from));
    let mut system = mechanism.build().expect("consistent");
    let state = system.initial_state();
    let linear = linearize(&mut Evaluator::new(&mut system), &state, None).expect("at rest");
    let modes = linear.modes().expect("eigenvalues").into_iter();
    let exact: Vec<f64> = modes
        .map(|mode| mode.eigenvalue.im)
        .filter(|im| *im > 1e-3)
        .collect();
    for (found, exact) in found.iter().zip(&exact).take(2) {
        println!("Shear, bending: {:.1e}", found / exact - 1.0);
        assert!((found / exact - 1.0).abs() < 1e-5, "{found} {exact}");
    }
}
