//! A disc on an elastic shaft.

use super::{assert_near, run};
use liedae::analysis::{Turning, linearize};
use liedae::solve::Options;
use liedae::system::{Evaluator, System};
use liedae_multibody::{
    Beam, BodyId, Drive, ForceScalar, Joint, Motion, MultibodyBuilder, MultibodySystem, RigidBody,
    Section, Snapshot, Vector3, Wrench,
};

const MASS: f64 = 1.6;
const STIFFNESS: f64 = 4000.0;
const DAMPING_RATIO: f64 = 0.05;
const ECCENTRICITY: f64 = 1e-4;
/// Frequency at rest in rad/s.
const FREQUENCY: f64 = 50.0;

/// A disc in the middle of a shaft of 1 m with this mass, driven on one side.
fn rotor(rate: f64, eccentricity: f64, shaft: f64, retardation: f64) -> (MultibodySystem, BodyId) {
    // The shaft is clamped on both sides: 192 E I / L³.
    let (bending, rigid) = (STIFFNESS / 192.0, f64::INFINITY);
    let rotary = 1e-2 * shaft;
    let stiffness = [1e5, rigid, rigid, bending, bending, bending];
    let section = Section::new(stiffness, shaft, [2.0 * rotary, rotary, rotary]);
    let section = section.with_retardation(retardation);
    let (x, spin) = ([1.0, 0.0, 0.0], [rate, 0.0, 0.0]);
    let mut mechanism = MultibodyBuilder::new();
    let shaft = Beam::straight("shaft", section, [0.0; 3], x, 4);
    let shaft = mechanism.add_beam(shaft.moving([0.0; 3], spin));
    let middle = shaft.body(2);
    let disc = RigidBody::new("disc", MASS, [2e-2, 1e-2, 1e-2]);
    let disc = disc.at([0.5, eccentricity, 0.0]);
    let disc = mechanism.add_body(disc.moving([0.0, 0.0, rate * eccentricity], spin));
    mechanism.add_joint(Joint::fixed("hub", middle, disc, [0.5, 0.0, 0.0]));
    let left = Joint::revolute("left", BodyId::GROUND, shaft.start(), [0.0; 3], x);
    let left = mechanism.add_joint(left);
    mechanism.add_joint(Joint::cylindrical(
        "right",
        BodyId::GROUND,
        shaft.end(),
        x,
        x,
    ));
    mechanism.add_drive("motor", left, Drive::Angle(Motion::linear(0.0, rate)));
    let damping = 2.0 * DAMPING_RATIO * MASS * FREQUENCY;
    mechanism.add_force_closure("oil", BodyId::GROUND, middle, move |_, [_, shaft]| {
        let force = shaft.velocity * ForceScalar::from_value(-damping);
        let torque = Vector3::zeros();
        [Wrench::zero(), Wrench { force, torque }]
    });
    (mechanism.build().expect("consistent"), middle)
}

#[test]
fn a_laval_rotor_whirls_with_its_amplitude() {
    for ratio in [0.5, 0.9, 1.0, 1.1, 2.0, 4.0] {
        let (mut system, middle) = rotor(ratio * FREQUENCY, ECCENTRICITY, 1e-5, 0.0);
        let end = run(&mut system, "radau5", &Options::adaptive(5.0, 1e-6, 1e-9));
        let now = Snapshot::new(&system, &end.state).position(middle);
        let square = ratio * ratio;
        let response = square / (1.0_f64 - square).hypot(2.0 * DAMPING_RATIO * ratio);
        // exp(-ζ ω t) = 4e-6 of the start is left.
        let (found, exact) = (now.y.hypot(now.z), ECCENTRICITY * response);
        println!(
            "whirls at {ratio}: {found:.6e} m, error {:.1e}",
            found / exact - 1.0
        );
        assert_near(found, exact, 2e-5);
    }
}

#[test]
fn damping_in_the_shaft_makes_it_unstable_above_its_speed() {
    let internal = 0.02;
    let critical = FREQUENCY * (1.0 + DAMPING_RATIO / internal);
    let growth = |shaft: f64, part: f64| {
        let rate = part * critical;
        let (mut system, _) = rotor(rate, 0.0, shaft, 2.0 * internal / FREQUENCY);
        let state = system.initial_state();
        let mut evaluator = Evaluator::new(&mut system);
        let turning = Turning::of(&mut evaluator, &state, [rate, 0.0, 0.0]);
        let linear = linearize(&mut evaluator, &state, turning.as_ref());
        let modes = linear.expect("steady").modes().expect("eigenvalues");
        let growths = modes.iter().map(|mode| mode.eigenvalue.re);
        growths.fold(f64::NEG_INFINITY, f64::max)
    };
    let (mut below, mut above) = (0.98, 1.02);
    // The lighter the shaft, the faster the waves beside which this is slow.
    for shaft in [1e-3, 1e-5] {
        let growths = (growth(shaft, below), growth(shaft, above));
        assert!(growths.0 <= 0.0 && growths.1 > 0.02, "{shaft}: {growths:?}");
    }
    while above - below > 1e-6 {
        let middle = 0.5 * (below + above);
        if growth(1e-3, middle) > 0.0 {
            above = middle;
        } else {
            below = middle;
        }
    }
    println!("damping in the shaft: unstable from {above:.6} of the speed");
}
