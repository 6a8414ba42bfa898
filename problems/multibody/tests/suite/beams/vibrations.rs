//! Frequencies of beams.

use super::{assert_near, clamped, masses, orders, rest, tip};
use crate::rotating_beam::ROTATING_BEAM;
use liedae::analysis::{Turning, linearize};
use liedae::scalar::Scalar;
use liedae::system::{Evaluator, State, System};
use liedae_multibody::{
    Beam, BodyId, Drive, Joint, Kinematics, Material, Motion, MultibodyBuilder, PairForce,
    RigidBody, Section, Snapshot, Vector3, Wrench,
};
use std::f64::consts::{FRAC_PI_2, TAU};

/// Pushes a body of this mass away from the z-axis, as a frame does that turns about it.
struct Centrifugal {
    mass: f64,
    rate: f64,
}

impl PairForce for Centrifugal {
    fn wrenches<S: Scalar>(&self, _t: f64, [_, body]: &[Kinematics<S>; 2]) -> [Wrench<S>; 2] {
        let strength = self.mass * self.rate * self.rate;
        let (x, y) = (body.position.x * strength, body.position.y * strength);
        let force = Vector3::new(x, y, S::zero());
        let torque = Vector3::zeros();
        [Wrench::zero(), Wrench { force, torque }]
    }
}

/// A beam that turns steadily about its clamped start, in the frame that turns with it.
fn stretched(beam: Beam, rate: f64) -> (State, Vector3<f64>) {
    let mut alone = MultibodyBuilder::new();
    alone.add_beam(beam.clone());
    let masses = masses(&mut alone.build().expect("consistent"));
    let mut mechanism = MultibodyBuilder::new();
    let nodes = clamped(&mut mechanism, beam);
    for (index, (body, mass)) in nodes.bodies().iter().zip(masses).enumerate() {
        let push = Centrifugal { mass, rate };
        mechanism.add_force(format!("{index}"), BodyId::GROUND, *body, push);
    }
    let mut system = mechanism.build().expect("consistent");
    let state = rest(&mut system, 1);
    let end = tip(&system, &state, &nodes);
    (state, end)
}

/// Where its end is.
pub fn spun(beam: Beam, rate: f64) -> Vector3<f64> {
    stretched(beam, rate).1
}

/// Frequencies of a beam that turns about its start, in rad/s: those of flapping out of the plane, and of lagging in it.
fn rotating(beam: Beam, rate: f64) -> [Vec<f64>; 2] {
    let (stretched, _) = stretched(beam.clone(), rate);
    let spin = [0.0, 0.0, rate];
    let mut mechanism = MultibodyBuilder::new();
    let hub = RigidBody::new("hub", 1.0, [1.0; 3]).moving([0.0; 3], spin);
    let hub = mechanism.add_body(hub);
    let nodes = mechanism.add_beam(beam.moving([0.0; 3], spin));
    mechanism.add_joint(Joint::fixed("root", hub, nodes.start(), [0.0; 3]));
    let axle = Joint::revolute("axle", BodyId::GROUND, hub, [0.0; 3], [0.0, 0.0, 1.0]);
    let axle = mechanism.add_joint(axle);
    mechanism.add_drive("motor", axle, Drive::Angle(Motion::linear(0.0, rate)));
    let mut system = mechanism.build().expect("consistent");
    let mut state = system.initial_state();
    state.q[12..].copy_from_slice(&stretched.q);
    let now = Snapshot::new(&system, &state);
    let velocities: Vec<_> = std::iter::once(&hub)
        .chain(nodes.bodies())
        .map(|body| Vector3::from(spin).cross(&now.position(*body)))
        .collect();
    for (v, velocity) in state.v.chunks_mut(6).zip(velocities) {
        v[..3].copy_from_slice(velocity.as_slice());
        v[3..].copy_from_slice(&spin);
    }
    let mut evaluator = Evaluator::new(&mut system);
    let turning = Turning::of(&mut evaluator, &state, spin);
    let linear = linearize(&mut evaluator, &state, turning.as_ref()).expect("steady");
    let mut frequencies = [Vec::new(), Vec::new()];
    for mode in linear.modes().expect("eigenvalues") {
        // By the displacement of the end: z, or y.
        let end = mode.shape.len() - 6;
        let size = |axis: usize| mode.shape[end + axis][0].hypot(mode.shape[end + axis][1]);
        let lags = usize::from(size(1) > size(2));
        if mode.eigenvalue.im > 0.0 {
            frequencies[lags].push(mode.eigenvalue.im);
        }
    }
    frequencies
}

/// The table's unit in rad/s: so slow that round-off of stiffnesses accelerates the state less than what is no steady motion.
const UNIT: f64 = 0.1;

/// A beam of 1 m and 1 kg/m that frequencies are small for, so thin that its rotary inertia and its stretching hardly count.
fn thin(count: usize) -> Beam {
    let (bending, rigid) = (UNIT * UNIT, f64::INFINITY);
    let stiffness = [1e6 * bending, rigid, rigid, bending, bending, bending];
    let section = Section::new(stiffness, 1.0, [2e-6, 1e-6, 1e-6]);
    Beam::straight("beam", section, [0.0; 3], [1.0, 0.0, 0.0], count)
}

#[test]
fn rotating_beams_have_their_frequencies() {
    let mut worst = 0.0_f64;
    for (rate, exact) in ROTATING_BEAM {
        let [flap, lag] = rotating(thin(24), rate * UNIT);
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
fn bending_frequencies_have_the_fourth_order_and_published_elements_the_second() {
    let frequencies = |count: usize, published: bool| {
        // Stiffer in the plane, so that no mode is of both directions.
        let section = Section::new([1e3, 1e6, 1e6, 1.0, 1.0, 9.0], 1.0, [2e-5, 1e-5, 1e-5]);
        let mut beam = Beam::straight("beam", section, [0.0; 3], [1.0, 0.0, 0.0], count);
        if published {
            beam = beam.with_constant_strain_energy();
        }
        // Turning about y.
        clamped_frequencies(beam, 4)
    };
    let exact = frequencies(64, false);
    let errors = |mode: usize, published: bool| {
        let part = |count| frequencies(count, published)[mode] / exact[mode] - 1.0;
        [8, 16, 32].map(part).map(f64::abs)
    };
    for (mode, smallest) in [2e-7, 5e-6].into_iter().enumerate() {
        let (own, published) = (errors(mode, false), errors(mode, true));
        assert!(orders(&own)[1] > 4.0 && own[2] < smallest, "{own:?}");
        let slopes = orders(&published);
        assert!(
            slopes.iter().all(|order| (order - 2.0).abs() < 0.15),
            "{published:?}"
        );
        assert!(published[2] > 100.0 * own[2], "{own:?} {published:?}");
    }
}

/// The lowest frequencies in which the end moves this way most, 0 to 5.
pub fn clamped_frequencies(beam: Beam, way: usize) -> Vec<f64> {
    let mut mechanism = MultibodyBuilder::new();
    clamped(&mut mechanism, beam);
    let mut system = mechanism.build().expect("consistent");
    let state = system.initial_state();
    let linear = linearize(&mut Evaluator::new(&mut system), &state, None).expect("at rest");
    let modes = linear.modes().expect("eigenvalues").into_iter();
    let modes = modes.filter(|mode| {
        let end = &mode.shape[mode.shape.len() - 6..];
        let largest = (0..6).max_by(|a, b| end[*a][0].abs().total_cmp(&end[*b][0].abs()));
        largest == Some(way)
    });
    modes.map(|mode| mode.eigenvalue.im).collect()
}

#[test]
fn refinement_of_a_steel_strip_makes_no_frequency_worse() {
    // 1 m, 20 mm by 1 mm: the first two bendings in Hz, of Timoshenko's beam. Nodes hardly resist turning, so that the largest frequency
    // is a million times the first one, and roundings of the stiffness are 1e-5 of the first square.
    let exact = [0.835517, 5.236093];
    let mut before = [f64::INFINITY; 2];
    for count in [8, 16, 32, 64] {
        let section = Section::rectangle(&Material::new(2.1e11, 0.3, 7850.0), [0.02, 1e-3]);
        let beam = Beam::straight("strip", section, [0.0; 3], [1.0, 0.0, 0.0], count);
        let found = clamped_frequencies(beam, 4);
        for (mode, exact) in exact.iter().enumerate() {
            let error = (found[mode] / TAU / exact - 1.0).abs();
            assert!(
                error <= before[mode].max(2e-5),
                "{count}: {error:e} {before:?}"
            );
            before[mode] = error;
        }
    }
    assert!(before.iter().all(|error| *error < 2e-5), "{before:?}");
}

#[test]
fn stretching_and_twisting_are_slower_by_the_square_of_the_elements() {
    // Waves of 10 m/s and 20 m/s.
    let section = || Section::new([100.0, 1e3, 1e3, 4.0, 1.0, 1.0], 1.0, [1e-2, 5e-3, 5e-3]);
    for (way, speed) in [(0, 10.0), (3, 20.0)] {
        let errors = [8, 16, 32].map(|count| {
            let beam = Beam::straight("beam", section(), [0.0; 3], [1.0, 0.0, 0.0], count);
            1.0 - clamped_frequencies(beam, way)[0] / (FRAC_PI_2 * speed)
        });
        // (k h)²/24 with k = π/2.
        assert_near(errors[2], (FRAC_PI_2 / 32.0).powi(2) / 24.0, 0.1);
        assert!(
            orders(&errors)
                .iter()
                .all(|order| (order - 2.0).abs() < 0.3),
            "{errors:?}"
        );
    }
}
