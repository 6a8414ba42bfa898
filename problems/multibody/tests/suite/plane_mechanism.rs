//! Probes, reactions, force closures and point masses of plane mechanisms: balances of momentum, the same mechanism stated
//! otherwise, and what is refused.

use liedae::integrator::MethodOptions;
use liedae::scalar::Scalar;
use liedae::solve::{Options, solve};
use liedae::system::{
    Automatic, State, System, check_system, output_names, output_values, total_energy,
};
use liedae_contact::Contact;
use liedae_multibody::plane::geometry::{DiscOnLine, HalfPlane};
use liedae_multibody::plane::{
    Motion, PlaneBodyData, PlaneForce, PlaneFriction, PlaneJoint, PlaneMechanism,
    PlaneMechanismError, PlanePairing, PlaneSnapshot, PlaneWrench,
};
use liedae_multibody::{BodyId, Joint, MultibodyBuilder, RigidBody, Snapshot, Vector2};

const G: f64 = 9.81;

type Built = Result<PlaneMechanism, PlaneMechanismError>;

fn body(name: &str, inertia: f64, position: [f64; 3]) -> PlaneBodyData {
    PlaneBodyData {
        name: name.to_owned(),
        mass: 1.0 + inertia,
        inertia,
        position,
        velocity: [0.0; 3],
    }
}

fn run(mechanism: PlaneMechanism, t_end: f64) -> (Automatic<PlaneMechanism>, State) {
    let mut system = Automatic::new(mechanism);
    let method = liedae_contact::methods()
        .build("dop853", &MethodOptions::default())
        .expect("registered");
    let options = Options::adaptive(t_end, 1e-11, 1e-11);
    let end = solve(&mut system, method.as_ref(), &options)
        .expect("integrates")
        .state;
    (system, end)
}

const SPRING: PlaneForce = PlaneForce::Spring {
    points: [(Some(0), [0.0, 0.4]), (Some(2), [0.0, 0.0])],
    stiffness: 30.0,
    damping: 2.0,
    free_length: 0.3,
};

/// A crank, a bar on it, a point mass on a slot of the bar, a wheel geared to the crank.
fn machine() -> Built {
    let bodies = vec![
        body("crank", 0.3, [0.5, 0.0, 0.0]),
        body("bar", 0.5, [1.5, 0.5, 0.0]),
        PlaneBodyData::point_mass("bead", 0.7, [1.7, 0.5], [0.0, 0.0]),
        body("wheel", 0.2, [-2.0, 0.0, 0.0]),
    ];
    let joints = [
        PlaneJoint::Revolute((Some(0), [-0.5, 0.0]), (None, [0.0, 0.0])),
        PlaneJoint::Revolute((Some(0), [0.5, 0.0]), (Some(1), [-0.5, -0.5])),
        PlaneJoint::PointOnLine((Some(2), [0.0, 0.0]), (Some(1), [0.0, 0.0]), [1.0, 0.0]),
        PlaneJoint::Revolute((None, [-2.0, 0.0]), (Some(3), [0.0, 0.0])),
        PlaneJoint::Gear(0, 3, 0.6, 0.0),
        PlaneJoint::Angle(Some(1), None, 0.0),
    ];
    PlaneMechanism::new(bodies, [0.3, -G])?
        .with_joints(joints)?
        .with_forces([SPRING])
}

#[test]
fn reactions_balance_what_moves() {
    let mechanism = machine().expect("a mechanism");
    let (_, end) = run(mechanism.clone(), 0.4);
    let now = PlaneSnapshot::new(&mechanism, &end);
    let force = |first: [f64; 2]| Vector2::from(first);
    let tension = {
        let (a, b) = (now.point(Some(0), [0.0, 0.4]), now.position(Some(2)));
        let along = (b - a).normalize();
        let rate = along.dot(&(now.velocity(Some(2)) - now.point_velocity(Some(0), [0.0, 0.4])));
        along * (30.0 * ((b - a).norm() - 0.3) + 2.0 * rate)
    };
    let masses = [1.3, 1.5, 0.7, 1.2];
    let inertias = [0.3, 0.5, 0.7, 0.2];
    let joints = [
        [Some(0), None],
        [Some(0), Some(1)],
        [Some(2), Some(1)],
        [None, Some(3)],
        [Some(0), Some(3)],
        [Some(1), None],
    ];
    for body in 0..4 {
        let centre = now.position(Some(body));
        let mut push = force([0.3, -G]) * masses[body];
        let mut torque = 0.0;
        if body == 0 {
            let arm = now.point(Some(0), [0.0, 0.4]) - centre;
            push += tension;
            torque += arm.x * tension.y - arm.y * tension.x;
        } else if body == 2 {
            push -= tension;
        }
        for (joint, sides) in joints.into_iter().enumerate() {
            let exerted = [now.counter_reaction(joint), now.reaction(joint)];
            for (side, reaction) in sides.into_iter().zip(exerted) {
                if side == Some(body) {
                    let reaction = reaction.expect("exists").about(&centre);
                    push += reaction.force;
                    torque += reaction.torque;
                }
            }
        }
        let rest = push - now.acceleration(Some(body)) * masses[body];
        assert!(rest.norm() < 1e-9, "{body}: {rest}");
        let rest = torque - now.angular_acceleration(Some(body)) * inertias[body];
        assert!(rest.abs() < 1e-9, "{body}: {rest}");
    }
    // What joints exert on the ground is the opposite, at the joint's point.
    let (support, pin) = (
        now.reaction(0).expect("exists"),
        now.counter_reaction(0).expect("exists"),
    );
    assert!((support.force + pin.force).norm() < 1e-12 && support.torque.abs() < 1e-9);
    assert!(support.point.norm() < 1e-9 && pin.torque.abs() < 1e-12);
    assert!(now.reaction(6).is_none() && now.effort(6).is_nan() && now.multipliers(6).is_empty());
    assert_eq!(now.effort(4), now.multipliers(4)[0]);
    assert_eq!(now.angle(Some(2)), 0.0);
    let mut system = Automatic::new(mechanism.clone());
    let (kinetic, potential) = now.energies();
    let energy = total_energy(&mut system, &end.point()).expect("known");
    assert!((kinetic + potential - energy).abs() < 1e-12);
    assert!(now.position(Some(9)).x.is_nan() && now.acceleration(Some(9)).x.is_nan());
    assert_eq!((now.time(), now.state().q.len()), (0.4, 12));
    let tip = now.point_acceleration(Some(0), [-0.5, 0.0]);
    assert!(tip.norm() < 1e-8, "the pivot rests: {tip}");
}

#[test]
fn a_pendulum_has_the_reactions_of_the_one_in_space() {
    let bar = body("bar", 0.4, [1.0, 0.0, 0.0]);
    let pivot = PlaneJoint::Revolute((None, [0.0, 0.0]), (Some(0), [-1.0, 0.0]));
    let mechanism: PlaneMechanism = PlaneMechanism::new(vec![bar], [0.0, -G])
        .and_then(|mechanism| mechanism.with_joints([pivot]))
        .and_then(|mechanism| {
            mechanism.with_probe("fx", |now| now.reaction(0).map_or(f64::NAN, |r| r.force.x))
        })
        .and_then(|mechanism| {
            mechanism.with_probe("height", |now| now.point(Some(0), [1.0, 0.0]).y)
        })
        .expect("a mechanism");
    let (mut system, end) = run(mechanism.clone(), 0.7);
    assert_eq!(output_names(&mut system), ["fx", "height"]);
    let mut outputs = [0.0; 2];
    output_values(&mut system, &end, &mut outputs).expect("finite");

    let mut spatial = MultibodyBuilder::new();
    spatial.gravity([0.0, -G, 0.0]);
    let bar = spatial.add_body(RigidBody::new("bar", 1.4, [0.4; 3]).at([1.0, 0.0, 0.0]));
    let joint = spatial.add_joint(Joint::revolute(
        "pivot",
        BodyId::GROUND,
        bar,
        [0.0; 3],
        [0.0, 0.0, 1.0],
    ));
    let mut spatial = spatial.build().expect("consistent");
    let method = liedae_contact::methods()
        .build("dop853", &MethodOptions::default())
        .expect("registered");
    let options = Options::adaptive(0.7, 1e-11, 1e-11);
    let there = solve(&mut spatial, method.as_ref(), &options)
        .expect("integrates")
        .state;
    let there = Snapshot::new(&spatial, &there);
    let expected = there.reaction(joint).expect("exists").force;
    assert!(
        (outputs[0] - expected.x).abs() < 1e-7,
        "{} {expected}",
        outputs[0]
    );
    assert!((outputs[1] - there.point(bar, [1.0, 0.0, 0.0]).y).abs() < 1e-8);
    let found = PlaneSnapshot::new(&mechanism, &end)
        .reaction(0)
        .expect("exists");
    assert!((found.force.y - expected.y).abs() < 1e-7);
}

#[test]
fn a_closure_is_the_force_that_it_states() {
    let stated = machine().expect("a mechanism");
    let bodies = || {
        vec![
            body("crank", 0.3, [0.5, 0.0, 0.0]),
            body("bead", 0.2, [1.7, 0.5, 0.3]),
        ]
    };
    let pivot = [PlaneJoint::Revolute(
        (Some(0), [-0.5, 0.0]),
        (None, [0.0, 0.0]),
    )];
    let spring = PlaneForce::Spring {
        points: [(Some(0), [0.0, 0.4]), (Some(1), [0.1, 0.2])],
        stiffness: 30.0,
        damping: 2.0,
        free_length: 0.3,
    };
    let plain: PlaneMechanism = PlaneMechanism::new(bodies(), [0.0, -G])
        .and_then(|m| m.with_joints(pivot))
        .expect("fits");
    let built_in = plain.clone().with_forces([spring]).expect("fits");
    let closure = plain
        .with_force_closure("spring", [Some(0), Some(1)], |_t, [one, two]| {
            let (a, b) = (one.point([0.0, 0.4]), two.point([0.1, 0.2]));
            let d = b - a;
            let length = d.dot(&d).sqrt();
            let along = d.map(|part| part / length);
            let rate = along.dot(&(two.velocity_at(&b) - one.velocity_at(&a)));
            let tension = along * ((length - 0.3) * 30.0 + rate * 2.0);
            [one.force_at(&a, &tension), two.force_at(&b, &-tension)]
        })
        .expect("fits");
    let ((mut expected, one), (mut found, two)) = (run(built_in, 0.5), run(closure, 0.5));
    for (a, b) in one.q.iter().chain(&one.v).zip(two.q.iter().chain(&two.v)) {
        assert!((a - b).abs() < 1e-10, "{a} {b}");
    }
    // All derivatives, of the closure and of point masses too.
    for system in [&mut expected, &mut found, &mut Automatic::new(stated)] {
        let mut state = system.initial_state();
        for (index, v) in state.v.iter_mut().enumerate() {
            *v = if index == 8 {
                0.0
            } else {
                0.3 - 0.2 * index as f64
            };
        }
        let report = check_system(system, &state).expect("can be checked");
        assert!(report.faults.is_empty(), "{:?}", report.faults);
    }
}

#[test]
fn a_point_mass_at_the_tip_adds_its_moment_of_inertia() {
    // A bar on a pivot with a point mass at its end, and the one body that both make together.
    let (mass, tip) = (1.4, 0.6);
    let bar = body("bar", 0.4, [1.0, 0.0, 0.0]);
    let bead = PlaneBodyData::point_mass("bead", tip, [2.0, 0.0], [0.0, 0.0]);
    let joints = [
        PlaneJoint::Revolute((Some(0), [-1.0, 0.0]), (None, [0.0, 0.0])),
        PlaneJoint::Revolute((Some(1), [0.0, 0.0]), (Some(0), [1.0, 0.0])),
    ];
    let two: PlaneMechanism = PlaneMechanism::new(vec![bar, bead], [0.0, -G])
        .and_then(|m| m.with_joints(joints))
        .expect("fits");
    let centre = (mass + 2.0 * tip) / (mass + tip);
    let inertia = 0.4 + mass * (centre - 1.0).powi(2) + tip * (2.0 - centre).powi(2);
    let together = PlaneBodyData {
        mass: mass + tip,
        ..body("together", inertia, [centre, 0.0, 0.0])
    };
    let pivot = [PlaneJoint::Revolute(
        (Some(0), [-centre, 0.0]),
        (None, [0.0, 0.0]),
    )];
    let one: PlaneMechanism = PlaneMechanism::new(vec![together], [0.0, -G])
        .and_then(|m| m.with_joints(pivot))
        .expect("fits");
    let ((_, two), (_, one)) = (run(two, 1.3), run(one, 1.3));
    assert!(
        (two.q[2] - one.q[2]).abs() < 1e-9,
        "{} {}",
        two.q[2],
        one.q[2]
    );
    assert_eq!((two.q[5], two.v[5]), (0.0, 0.0));
}

fn pair() -> PlaneMechanism {
    let bead = PlaneBodyData::point_mass("bead", 1.0, [0.0, 1.0], [0.0, 0.0]);
    PlaneMechanism::new(vec![bead, body("bar", 1.0, [0.0; 3])], [0.0; 2]).expect("fits")
}

#[test]
fn nothing_may_turn_a_point_mass() {
    let turned = |built: Built| match built {
        Err(PlaneMechanismError::PointMass { body: 0, what }) => assert!(!what.is_empty()),
        other => panic!("{other:?}"),
    };
    let (bead, edge, bar) = (
        (Some(0), [0.0; 2]),
        (Some(0), [0.1, 0.0]),
        (Some(1), [0.5, 0.0]),
    );
    for joint in [
        PlaneJoint::Revolute(edge, bar),
        PlaneJoint::Revolute(bar, edge),
        PlaneJoint::PointOnLine(bar, bead, [1.0, 0.0]),
        PlaneJoint::Angle(Some(1), Some(0), 0.0),
        PlaneJoint::Gear(0, 1, 1.0, 0.0),
    ] {
        turned(pair().with_joints([joint]));
    }
    for joint in [
        PlaneJoint::Revolute(bead, bar),
        PlaneJoint::PointOnLine(bead, bar, [1.0, 0.0]),
    ] {
        assert!(pair().with_joints([joint]).is_ok());
    }
    for force in [
        PlaneForce::Torque([None, Some(0)], 1.0),
        PlaneForce::Constant(edge, [1.0, 0.0]),
    ] {
        turned(pair().with_forces([force]));
    }
    let pin = PlaneFriction::Pin {
        joint: 0,
        radius: 0.1,
    };
    let pinned = pair()
        .with_joints([PlaneJoint::Revolute(bead, bar)])
        .expect("fits");
    turned(pinned.with_friction("pin", 0.1, pin));
    let floor = |local: [f64; 2]| {
        let floor = HalfPlane::new([0.0, 0.0], [0.0, 1.0]).expect("a half plane");
        let shapes = PlanePairing::DiscOnLine(DiscOnLine::point(floor, local).expect("a point"));
        pair().with_contact(Contact::new("floor", 0.0), [None, Some(0)], shapes)
    };
    assert!(floor([0.0, 0.0]).is_ok());
    turned(floor([0.1, 0.0]));
    let pushed = |arm: f64| {
        pair().with_force_closure("push", [None, Some(0)], move |t, [_, bead]| {
            let along = Vector2::new(bead.omega * 0.0 + 1.0, bead.omega * 0.0);
            let point = bead.position + Vector2::new(bead.angle * 0.0, bead.angle * 0.0 + arm + t);
            [PlaneWrench::zero(), bead.force_at(&point, &along)]
        })
    };
    turned(pushed(0.1));
    // Later a torque makes the force fail.
    let mut system = Automatic::new(pushed(0.0).expect("no torque at the start"));
    let mut state = system.initial_state();
    let mut rates = [0.0; 6];
    system.rates(&state.point(), &mut rates).expect("evaluates");
    assert!(rates.iter().all(|rate| rate.is_finite()));
    state.t = 1.0;
    system.rates(&state.point(), &mut rates).expect("evaluates");
    assert!(rates[2].is_nan());
    let mut spinning = PlaneBodyData::point_mass("bead", 1.0, [0.0; 2], [0.0; 2]);
    spinning.velocity[2] = 1.0;
    let built: Built = PlaneMechanism::new(vec![spinning], [0.0; 2]);
    assert!(matches!(
        built,
        Err(PlaneMechanismError::Body { value: 1.0, .. })
    ));
}

#[test]
fn names_and_bodies_are_checked() {
    let zero = |_t: f64, _: &[_; 2]| [PlaneWrench::zero(); 2];
    let twice = pair()
        .with_force_closure("a", [None, Some(1)], zero)
        .and_then(|m| m.with_force_closure("a", [None, Some(1)], zero));
    assert!(matches!(
        twice,
        Err(PlaneMechanismError::DuplicateName { kind: "force", .. })
    ));
    let unknown = pair().with_force_closure("a", [None, Some(2)], zero);
    assert!(matches!(
        unknown,
        Err(PlaneMechanismError::UnknownBody { body: 2, .. })
    ));
    let twice = pair()
        .with_probe("a", |_| 0.0)
        .and_then(|m| m.with_probe("a", |_| 0.0));
    assert!(matches!(
        twice,
        Err(PlaneMechanismError::DuplicateName { kind: "probe", .. })
    ));
    for inertia in [-1.0, f64::NAN, f64::INFINITY] {
        let built: Built = PlaneMechanism::new(vec![body("b", inertia, [0.0; 3])], [0.0; 2]);
        assert!(matches!(built, Err(PlaneMechanismError::Body { .. })));
    }
}

/// The slope of a root is infinite where it begins, and the force is not: methods that ask for the force only go on.
#[test]
fn a_force_closure_may_have_an_infinite_slope() {
    let mass = PlaneBodyData::point_mass("mass", 2.0, [0.0, 0.0], [1.0, 0.0]);
    let mechanism: PlaneMechanism = PlaneMechanism::new(vec![mass], [0.0, 0.0])
        .unwrap()
        .with_force_closure("root", [None, Some(0)], |_t, [_, mass]| {
            let pull = mass.position.x.sqrt() * -3.0;
            let force = nalgebra::Vector2::new(pull, pull * 0.0);
            [PlaneWrench::zero(), mass.force_at(&mass.position, &force)]
        })
        .unwrap();
    let mut system = Automatic::new(mechanism);
    let state = system.initial_state();
    let mut force = [0.0; 3];
    system.rates(&state.point(), &mut force).unwrap();
    assert_eq!(force, [0.0; 3]);
}

/// Sun, planet and carrier in a ring that is the ground: angles as Willis' equation has them, torques in balance on every body.
#[test]
fn wheels_on_a_carrier_share_their_torques() {
    let (torque, arm, inertias) = (2.0, 0.7, [0.3, 0.2, 0.9]);
    let bodies = vec![
        body("sun", inertias[0], [0.0, 0.0, 0.2]),
        body("planet", inertias[1], [arm, 0.0, 0.0]),
        body("carrier", inertias[2], [0.0; 3]),
    ];
    let mesh = |wheels, ratio, offset| PlaneJoint::PlanetGear {
        wheels,
        carrier: 2,
        ratio,
        offset,
    };
    let joints = [
        PlaneJoint::Revolute((Some(0), [0.0; 2]), (None, [0.0; 2])),
        PlaneJoint::Revolute((Some(2), [0.0; 2]), (None, [0.0; 2])),
        PlaneJoint::Revolute((Some(1), [0.0; 2]), (Some(2), [arm, 0.0])),
        // Radii 0.4, 0.3 and 1.
        mesh([Some(0), Some(1)], 0.3 / 0.4, 0.2),
        mesh([Some(1), None], -1.0 / 0.3, 0.0),
    ];
    let built: Built = PlaneMechanism::new(bodies, [0.0, 0.0])
        .and_then(|mechanism| mechanism.with_joints(joints))
        .and_then(|mechanism| mechanism.with_forces([PlaneForce::Torque([Some(0), None], torque)]));
    let mechanism = built.expect("a mechanism");
    let (mut system, end) = run(mechanism.clone(), 0.8);
    let now = PlaneSnapshot::new(&mechanism, &end);
    let (sun, planet) = (1.0 + 1.0 / 0.4, 1.0 - 1.0 / 0.3);
    let inertia = inertias[0] * sun * sun
        + (inertias[1] * planet * planet + (1.0 + inertias[1]) * arm * arm)
        + inertias[2];
    let angle = 0.5 * torque * sun / inertia * 0.8 * 0.8;
    for (body, ratio, start) in [(0, sun, 0.2), (1, planet, 0.0), (2, 1.0, 0.0)] {
        let found = now.angle(Some(body)) - start;
        assert!((found - ratio * angle).abs() < 1e-9, "{body}: {found}");
    }
    // Every body's torques about its centre, from each joint at its sides.
    let sides = [
        [Some(0), None],
        [Some(2), None],
        [Some(1), Some(2)],
        [Some(0), Some(1)],
        [Some(1), None],
    ];
    for (body, inertia) in inertias.into_iter().enumerate() {
        let centre = now.position(Some(body));
        let mut sum = if body == 0 { torque } else { 0.0 };
        for (joint, bodies) in sides.into_iter().enumerate() {
            let exerted = [now.counter_reaction(joint), now.reaction(joint)];
            for (side, reaction) in bodies.into_iter().zip(exerted) {
                if side == Some(body) {
                    sum += reaction.expect("exists").about(&centre).torque;
                }
            }
            if body == 2 {
                let carried = now.reaction_on_carrier(joint);
                sum += carried.map_or(0.0, |reaction| reaction.torque);
            }
        }
        let rest = sum - now.angular_acceleration(Some(body)) * inertia;
        assert!(rest.abs() < 1e-9, "{body}: {rest}");
    }
    // A mesh turns nobody as a whole: planet, carrier and ring.
    let parts = [
        now.counter_reaction(4),
        now.reaction(4),
        now.reaction_on_carrier(4),
    ];
    let [planet, ring, carrier] = parts.map(|part| part.expect("exists").torque);
    assert!((planet + ring + carrier).abs() < 1e-12 && ring.abs() > 0.1);
    assert!(now.reaction_on_carrier(0).is_none());
    let report = check_system(&mut system, &end).expect("checks");
    assert!(report.faults.is_empty(), "{:?}", report.faults);
}

/// A bead is drawn outwards along a rod that turns freely: the angular momentum stays, and the drive holds m l ω².
#[test]
fn a_slide_drive_moves_along_a_line_that_turns() {
    let (mass, rate, t) = (0.7, 0.5, 0.8);
    let mut rod = body("rod", 0.3, [0.0; 3]);
    rod.velocity[2] = 2.0;
    let bead = PlaneBodyData::point_mass("bead", mass, [1.0, 0.0], [rate, 2.0]);
    let (point, line) = ((Some(1), [0.0; 2]), (Some(0), [0.0; 2]));
    let along = [1.0, 0.0];
    let motion = Motion::Uniform { start: 1.0, rate };
    let joints = [
        PlaneJoint::Revolute(line, (None, [0.0; 2])),
        PlaneJoint::PointOnLine(point, line, along),
        PlaneJoint::SlideDrive(point, line, along, motion),
    ];
    let built: Built = PlaneMechanism::new(vec![rod, bead], [0.0, 0.0])
        .and_then(|mechanism| mechanism.with_joints(joints));
    let mechanism = built.expect("a mechanism");
    let (mut system, end) = run(mechanism.clone(), t);
    let now = PlaneSnapshot::new(&mechanism, &end);
    let length = 1.0 + rate * t;
    let omega = 2.0 * (0.3 + mass) / (0.3 + mass * length * length);
    assert!((now.position(Some(1)).norm() - length).abs() < 1e-9);
    assert!((now.omega(Some(0)) - omega).abs() < 1e-9);
    let pull = -mass * length * omega * omega;
    assert!((now.effort(2) - pull).abs() < 1e-8, "{}", now.effort(2));
    let held = now.counter_reaction(2).expect("exists");
    assert!((held.point - now.position(Some(1))).norm() < 1e-12);
    let report = check_system(&mut system, &end).expect("checks");
    assert!(report.faults.is_empty(), "{:?}", report.faults);
}

/// Torques that end at moments of their own, one of them before the start: ω is their impulse, to round-off of exact steps.
#[test]
fn torques_end_at_their_moments() {
    let torques = [(2.0, 0.5), (5.0, -1.0), (1.0, 0.25)];
    let pivot = PlaneJoint::Revolute((Some(0), [0.0; 2]), (None, [0.0; 2]));
    let forces = torques.map(|(torque, end)| PlaneForce::TorqueUntil([Some(0), None], torque, end));
    let built: Built = PlaneMechanism::new(vec![body("wheel", 0.4, [0.0; 3])], [0.0, 0.0])
        .and_then(|mechanism| mechanism.with_joints([pivot]))
        .and_then(|mechanism| mechanism.with_forces(forces));
    let mechanism = built.expect("a mechanism");
    let impulse = 2.0 * 0.5 + 0.25;
    let turn = 2.0 * 0.5 * (1.0 - 0.25) + 0.25 * (1.0 - 0.125);
    for method in ["dop853", "radau5", "hem5", "generalized-alpha"] {
        let mut system = Automatic::new(mechanism.clone());
        assert_eq!(system.initial_state().mode, [0, 1, 0]);
        let integrator = liedae_contact::methods()
            .build(method, &MethodOptions::default())
            .expect("registered");
        let options = Options::adaptive(1.0, 1e-9, 1e-9);
        let run = solve(&mut system, integrator.as_ref(), &options).expect("integrates");
        assert_eq!(run.state.mode, [1, 1, 1]);
        let error = (run.state.v[2] - impulse / 0.4).abs();
        assert!(error < 1e-11, "{method}: {error:e}");
        let error = (run.state.q[2] - turn / 0.4).abs();
        assert!(error < 1e-7, "{method}: {error:e}");
    }
}
