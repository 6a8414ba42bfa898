//! Frequencies of flexible bodies.

use super::{assert_near, orders};
use crate::rotating_beam::ROTATING_BEAM;
use liedae::analysis::{Turning, linearize};
use liedae::system::{Evaluator, System};
use liedae_multibody::{
    BeamEnds, BodyId, Drive, Joint, ModalBeam, ModalBody, Motion, MultibodyBuilder, Section,
    Vector3,
};
use std::f64::consts::PI;

/// A beam of 1 m and 1 kg/m whose frequencies are these numbers times 0.1 rad/s, so thin that its rotary inertia hardly counts.
fn thin(elements: usize, ends: BeamEnds) -> ModalBeam {
    let bending = UNIT * UNIT;
    let section = Section::new(
        [1e3, 1e9, 1e9, 1.0, bending, bending],
        1.0,
        [2e-8, 1e-8, 1e-8],
    );
    ModalBeam::new(section, 1.0, elements, ends)
}

const UNIT: f64 = 0.1;

#[test]
fn beams_have_the_frequencies_of_their_ends() {
    let clamped = [
        1.875_104_068_711_961,
        4.694_091_132_974_175,
        7.854_757_438_237_613,
    ];
    let free = [
        4.730_040_744_862_704,
        7.853_204_624_095_838,
        10.995_607_838_001_671,
    ];
    let pinned = [PI, 2.0 * PI, 3.0 * PI];
    for (ends, roots) in [
        (BeamEnds::Clamped, clamped),
        (BeamEnds::Free, free),
        (BeamEnds::Pinned, pinned),
    ] {
        let errors = [4, 8, 16].map(|elements| {
            let beam = thin(elements, ends).with_bending([1, 1]);
            let [y, z, ..] = beam.frequencies().expect("a beam");
            assert_eq!((y.len(), z.len()), (1, 1));
            (y[0] / UNIT / roots[0].powi(2) - 1.0).abs()
        });
        // ω² is too large by the part (k h)⁴/720.
        assert_near(errors[1], (roots[0] / 8.0).powi(4) / 1440.0, 0.15);
        assert!(orders(&errors)[0] > 3.7 && errors[2] < 1e-5, "{errors:?}");
        let beam = thin(32, ends).with_bending([3, 0]);
        let [y, ..] = beam.frequencies().expect("a beam");
        for (found, root) in y.iter().zip(roots) {
            assert_near(found / UNIT, root * root, 1e-5);
        }
    }
}

/// Frequencies of a beam that turns about its clamped start, in rad/s: those of flapping out of the plane, and of lagging in it.
fn rotating(beam: &ModalBeam, rate: f64) -> [Vec<f64>; 2] {
    let model = beam.model().expect("a beam");
    let spin = [0.0, 0.0, rate];
    let mut mechanism = MultibodyBuilder::new();
    let body = ModalBody::new("beam", model).moving([0.0; 3], spin);
    let beam = mechanism.add_modal_body(body.with_marker(20));
    let axle = Joint::revolute(
        "axle",
        BodyId::GROUND,
        beam.frame(),
        [0.0; 3],
        [0.0, 0.0, 1.0],
    );
    let axle = mechanism.add_joint(axle);
    mechanism.add_drive("motor", axle, Drive::Angle(Motion::linear(0.0, rate)));
    let mut system = mechanism.build().expect("consistent");
    let state = system.initial_state();
    let mut evaluator = Evaluator::new(&mut system);
    let turning = Turning::of(&mut evaluator, &state, spin);
    let linear = linearize(&mut evaluator, &state, turning.as_ref()).expect("steady");
    let mut frequencies = [Vec::new(), Vec::new()];
    for mode in linear.modes().expect("eigenvalues") {
        // By the displacement of the marker, the second body: z, or y.
        let size = |axis: usize| mode.shape[6 + axis][0].hypot(mode.shape[6 + axis][1]);
        let lags = usize::from(size(1) > size(2));
        if mode.eigenvalue.im > 0.0 {
            frequencies[lags].push(mode.eigenvalue.im);
        }
    }
    frequencies
}

#[test]
fn rotating_beams_have_their_frequencies() {
    let beam = thin(20, BeamEnds::Clamped).with_bending([12, 12]);
    let mut worst = 0.0_f64;
    for (rate, exact) in ROTATING_BEAM {
        let [flap, lag] = rotating(&beam, rate * UNIT);
        for (mode, exact) in exact.into_iter().enumerate() {
            // In the plane the centrifugal force helps less: ω² - Ω².
            for found in [flap[mode] / UNIT, (lag[mode] / UNIT).hypot(rate)] {
                assert_near(found, exact, 1e-4);
                worst = worst.max((found / exact - 1.0).abs());
            }
        }
    }
    println!("rotating beams: worst part {worst:.2e}");
}

#[test]
fn frequencies_of_rotating_beams_converge_in_the_number_of_modes() {
    let (rate, exact) = ROTATING_BEAM[10];
    let errors = [1, 2, 4, 8, 12].map(|modes| {
        let beam = thin(20, BeamEnds::Clamped).with_bending([modes, modes]);
        rotating(&beam, rate * UNIT)[0][0] / UNIT / exact[0] - 1.0
    });
    println!("by 1, 2, 4, 8, 12 modes: {errors:?}");
    // From above, as a Ritz method does.
    assert!(
        errors
            .windows(2)
            .all(|pair| pair[0] > pair[1] && pair[1] > -1e-6),
        "{errors:?}"
    );
    assert!(errors[0] > 1e-3 && errors[4] < 2e-5, "{errors:?}");
}

#[test]
fn without_foreshortening_fast_rotation_is_unstable_in_the_plane() {
    let beam = thin(20, BeamEnds::Clamped).with_bending([4, 4]);
    let [_, with] = rotating(&beam, 6.0 * UNIT);
    let [flap, without] = rotating(&beam.clone().without_foreshortening(), 6.0 * UNIT);
    assert_eq!(with.len(), 4);
    // The slowest frequency, 3.516, is below the rate: the mode grows.
    assert_eq!(without.len(), 3);
    assert_near(flap[0] / UNIT, 3.516015, 1e-4);
}

/// A free beam is as fast as a clamped one that is free to move: six motions are rigid.
#[test]
fn a_free_body_has_six_rigid_motions_and_its_own_frequencies() {
    // Not so thin that the zero of its spin drowns in round-off.
    let bending = UNIT * UNIT;
    let section = Section::new(
        [1e3, 1e9, 1e9, 1.0, bending, bending],
        1.0,
        [2e-6, 1e-6, 1e-6],
    );
    let beam = ModalBeam::new(section, 1.0, 20, BeamEnds::Free).with_bending([2, 2]);
    let model = beam.model().expect("a beam");
    let mut mechanism = MultibodyBuilder::new();
    mechanism.add_modal_body(ModalBody::new("beam", model).with_marker(0).with_marker(7));
    let mut system = mechanism.build().expect("consistent");
    let state = system.initial_state();
    let linear = linearize(&mut Evaluator::new(&mut system), &state, None).expect("at rest");
    let modes = linear.modes().expect("eigenvalues");
    let found: Vec<f64> = modes.iter().map(|mode| mode.eigenvalue.im).collect();
    assert_eq!(found.len(), 10, "{found:?}");
    assert!(found[..6].iter().all(|rate| *rate < 1e-5), "{found:?}");
    for (pair, root) in found[6..]
        .chunks(2)
        .zip([4.730_040_744_862_704_f64, 7.853_204_624_095_838])
    {
        for found in pair {
            assert_near(found / UNIT, root * root, 1e-4);
        }
    }
}

/// A clamped beam as a free body whose start is fixed at a marker: with all modes of the elements the same frequencies.
#[test]
fn joints_at_markers_clamp_a_free_body() {
    let elements = 4;
    let clamped = thin(elements, BeamEnds::Clamped).with_bending([0, 3]);
    let [_, expected, ..] = clamped.frequencies().expect("a beam");
    let free = thin(elements, BeamEnds::Free).with_bending([0, 2 * elements]);
    let mut mechanism = MultibodyBuilder::new();
    let model = free.model().expect("a beam");
    let turn = Vector3::new(0.3, -0.2, 0.9);
    let turn = liedae_multibody::Rotation3::new(turn).into_inner();
    let body = ModalBody::new("beam", model).rotated(turn);
    let beam = mechanism.add_modal_body(body.with_marker(0));
    mechanism.add_joint(Joint::fixed(
        "clamp",
        BodyId::GROUND,
        beam.marker(0),
        [0.0; 3],
    ));
    let mut system = mechanism.build().expect("consistent");
    let state = system.initial_state();
    let linear = linearize(&mut Evaluator::new(&mut system), &state, None).expect("at rest");
    let modes = linear.modes().expect("eigenvalues");
    assert_eq!(modes.len(), 2 * elements);
    for (mode, expected) in modes.iter().zip(expected) {
        assert_near(mode.eigenvalue.im, expected, 1e-8);
    }
}
