//! Coulomb friction on an incline, where everything is known.

use super::super::*;
use super::{Random, difference};
use liedae::system::{
    AccelerationSolver, Evaluator, EventAction, Events, State, System, event_descriptions,
};
use liedae_contact::FrictionJoints;
use nalgebra::Vector3;

const SLOPE: f64 = 0.6;
const G: f64 = 9.81;

/// A block on an incline in the x-z plane, sliding down along (cos, 0, -sin).
fn incline(normal: NormalForce, speed: f64, sideways: f64) -> (MultibodySystem, BodyId, JointId) {
    let (sin, cos) = f64::sin_cos(SLOPE);
    let down = Vector3::new(cos, 0.0, -sin);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, sideways, -G]);
    let block = mechanism.add_body(
        RigidBody::new("block", 2.0, [1.0, 2.0, 2.5])
            .at([0.3, 0.1, 0.7])
            .moving(down * speed, [0.0; 3]),
    );
    let joint = Joint::translational("guide", BodyId::GROUND, block, [0.0; 3], down)
        .with_x([sin, 0.0, cos]);
    let guide = mechanism.add_joint(joint);
    mechanism.add_friction(Friction::new("friction", guide, 0.25, normal).reversing());
    (mechanism.build().expect("consistent"), block, guide)
}

fn solved(system: &mut MultibodySystem) -> State {
    let mut state = system.initial_state();
    let mut solver = AccelerationSolver::new(system.layout()).expect("layout");
    solver
        .complete(&mut Evaluator::new(system), &mut state)
        .expect("regular");
    state
}

#[test]
fn a_block_slides_down_and_up_an_incline() {
    let (sin, cos) = f64::sin_cos(SLOPE);
    for (speed, sign) in [(1.0, 1.0), (-1.0, -1.0), (0.0, 1.0)] {
        let (mut system, block, guide) = incline(NormalForce::Component([1.0, 0.0]), speed, 3.0);
        let state = solved(&mut system);
        let now = Snapshot::new(&system, &state);
        assert!((now.normal_force(0) - 2.0 * G * cos).abs() < 1e-11);
        let expected = Vector3::new(cos, 0.0, -sin) * (G * (sin - sign * 0.25 * cos));
        assert!(
            (now.acceleration(block) - expected).norm() < 1e-12,
            "{}",
            now.acceleration(block)
        );
        let (force, _) = now.reaction(guide).expect("exists").in_first_frame();
        // The joint's z-axis slides: no reaction there. Sideways gravity is held along y of the frame.
        assert!(
            force.z.abs() < 1e-12 && (force.y.abs() - 6.0).abs() < 1e-11,
            "{force}"
        );
    }
}

#[test]
fn the_full_normal_force_counts_both_components() {
    let (sin, cos) = f64::sin_cos(SLOPE);
    let (mut system, block, _) = incline(NormalForce::Full, 1.0, 3.0);
    let state = solved(&mut system);
    let normal = 2.0 * (G * cos).hypot(3.0);
    let now = Snapshot::new(&system, &state);
    assert!((now.normal_force(0) - normal).abs() < 1e-10);
    let along = now.acceleration(block).dot(&Vector3::new(cos, 0.0, -sin));
    assert!((along - (G * sin - 0.25 * normal / 2.0)).abs() < 1e-11);
}

#[test]
fn the_event_is_the_sliding_velocity_and_flips_the_mode() {
    let (mut system, ..) = incline(NormalForce::Full, -2.0, 0.0);
    let mut state = system.initial_state();
    assert_eq!(state.mode, [-1]);
    let mut velocity = [f64::NAN];
    system
        .event_functions(&state.point(), &mut velocity)
        .expect("finite");
    // In the direction of sliding, and with the speed that is none.
    assert!((velocity[0] - 2.0).abs() < 2e-11);
    assert_eq!(event_descriptions(&mut system)[0].kind, "reversal");
    assert_eq!(event_descriptions(&mut system)[0].label, "guide");
    assert_eq!(
        system.handle_events(&[0], &mut state),
        Ok(EventAction::Restart.into())
    );
    assert_eq!(state.mode, [1]);
    assert_eq!(
        system.handle_events(&[3], &mut state),
        Ok(EventAction::Continue.into())
    );
}

/// Sliding velocity, row and bias between two moving bodies, against central differences.
fn check_between_moving_bodies(
    joint: impl Fn([BodyId; 2], Vector3<f64>) -> Joint,
    rubs: impl Fn(&mut MultibodyBuilder, JointId),
) {
    let mut random = Random::new(11);
    let mut mechanism = MultibodyBuilder::new();
    let one = mechanism.add_body(random.body("one"));
    let two = mechanism.add_body(random.body("two"));
    let joint = mechanism.add_joint(joint([one, two], random.unit()));
    rubs(&mut mechanism, joint);
    let mut system = mechanism.build_unchecked().expect("assembles");
    let state = system.initial_state();
    assert_eq!((state.z.len(), state.mode.len()), (0, 0));
    assert!(event_descriptions(&mut system).is_empty());

    const STEP: f64 = 1e-6;
    let dimension = state.v.len();
    let mut row = vec![f64::NAN; dimension];
    system
        .joint_jacobian(0, &state.point(), &mut row)
        .expect("regular");
    let velocity = |system: &mut MultibodySystem, state: &State| {
        system.joint_velocity(0, &state.point()).expect("finite")
    };
    let slopes: Vec<f64> = (0..dimension)
        .map(|index| {
            let [up, down] = [STEP, -STEP].map(|by| {
                let mut other = state.clone();
                other.v[index] += by;
                velocity(&mut system, &other)
            });
            (up - down) / (2.0 * STEP)
        })
        .collect();
    assert!(difference(&row, &slopes) < 1e-8);
    let [up, down] = [STEP, -STEP].map(|time| {
        let mut other = state.clone();
        let displacement: Vec<f64> = state.v.iter().map(|v| time * v).collect();
        let space = &system.layout().space;
        space.retract(&state.q, &displacement, &mut other.q);
        velocity(&mut system, &other)
    });
    let bias = system.joint_bias(0, &state.point()).expect("finite");
    let expected = (up - down) / (2.0 * STEP);
    assert!(bias.abs() > 1e-3 && (bias - expected).abs() < 1e-6 * (1.0 + expected.abs()));
    assert!(system.joint_bias(1, &state.point()).is_err());
}

#[test]
fn a_guide_that_may_stick() {
    check_between_moving_bodies(
        |[one, two], axis| Joint::translational("guide", one, two, [0.2, 0.4, -0.1], axis),
        |mechanism, guide| {
            mechanism.add_friction(Friction::new("friction", guide, 0.3, NormalForce::Full));
        },
    );
}

#[test]
fn a_bearing() {
    check_between_moving_bodies(
        |[one, two], axis| Joint::revolute("bearing", one, two, [0.2, 0.4, -0.1], axis),
        |mechanism, bearing| {
            mechanism.add_bearing_friction(BearingFriction::new("friction", bearing, 0.3, 0.7));
        },
    );
}

/// What presses two bearings is their reaction, wherever the axis points.
#[test]
fn the_force_in_two_bearings_is_what_holds_them() {
    let (span, collar, radius) = (0.4, 0.05, 0.02);
    let mut random = Random::new(5);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([1.0, -2.0, -G]);
    let axis = random.unit();
    let body = RigidBody::new("body", 2.0, [0.3, 0.4, 0.5]).at([0.3, -0.2, 0.5]);
    let body = mechanism.add_body(body);
    let joint = Joint::revolute("axle", BodyId::GROUND, body, [0.2, 0.4, -0.1], axis);
    let joint = mechanism.add_joint(joint);
    let rubs = BearingFriction::new("rubs", joint, 0.3, radius);
    mechanism.add_bearing_friction(rubs.with_span(span).with_collar(collar));
    let mut system = mechanism.build().expect("consistent");
    let state = solved(&mut system);
    let reaction = Snapshot::new(&system, &state)
        .reaction(joint)
        .expect("exists");
    let (force, torque) = (reaction.force, reaction.torque);
    let thrust = force.dot(&axis);
    let across = force - axis * thrust;
    // Half a span along the axis each; F_a + F_b and (L/2) z × (F_a - F_b) are the reaction.
    let couple = torque.cross(&axis) / span;
    let pressed = (across / 2.0 + couple).norm() + (across / 2.0 - couple).norm();
    let expected = pressed + thrust.abs() * collar / radius;
    let found = system.friction_joints()[0].normal_force(&state.lambda);
    assert!(couple.norm() > 1.0 && (found - expected).abs() < 1e-11 * expected);
}
