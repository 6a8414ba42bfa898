//! Mechanisms in motion: friction through a reversal, drives over many turns, counted turns, prescribed coordinates.

use liedae::integrator::MethodOptions;
use liedae::solve::{Options, Solution, solve};
use liedae::system::{State, System, total_energy};
use liedae_contact::contact_system;
use liedae_multibody::{
    BodyId, Drive, Frame, Friction, Joint, Motion, MultibodyBuilder, MultibodySystem, NormalForce,
    RigidBody, Rotation, RotationalSpring, Snapshot, Surface, SurfaceContact,
};
use nalgebra::Vector3;
use std::f64::consts::{PI, TAU};

const G: f64 = 9.81;

fn run(system: &mut MultibodySystem, t_end: f64, tolerance: f64) -> Solution {
    let method = liedae_contact::methods()
        .build("mdop5", &MethodOptions::default())
        .expect("registered");
    solve(
        system,
        method.as_ref(),
        &Options::adaptive(t_end, tolerance, tolerance),
    )
    .expect("integrates")
}

#[test]
fn a_block_that_slides_up_an_incline_turns_round_on_time() {
    // Steeper than the friction angle, so that it comes back: closed form on both branches.
    let (slope, mu, speed) = (0.6_f64, 0.3, 3.0);
    let (sin, cos) = slope.sin_cos();
    let down = Vector3::new(cos, 0.0, -sin);
    for normal in [NormalForce::Full, NormalForce::Component([1.0, 0.0])] {
        let mut mechanism = MultibodyBuilder::new();
        mechanism.gravity([0.0, 0.0, -G]);
        let block = RigidBody::new("block", 2.0, [1.0, 2.0, 2.5]).moving(down * -speed, [0.0; 3]);
        let block = mechanism.add_body(block);
        let guide = Joint::translational("guide", BodyId::GROUND, block, [0.0; 3], down)
            .with_x([sin, 0.0, cos]);
        let guide = mechanism.add_joint(guide);
        mechanism.add_friction(Friction::new("friction", guide, mu, normal).reversing());
        let mut system = mechanism.build().expect("consistent");
        let solution = run(&mut system, 1.5, 1e-10);
        let (up, back) = (G * (sin + mu * cos), G * (sin - mu * cos));
        let turn = speed / up;
        assert_eq!(solution.events.len(), 1, "{:?}", solution.events);
        assert!((solution.events[0].t - turn).abs() < 1e-9);
        let rest = 1.5 - turn;
        let expected = -0.5 * speed * turn + 0.5 * back * rest * rest;
        let position = Snapshot::new(&system, &solution.state).position(block);
        assert!(
            (position - down * expected).norm() < 1e-8,
            "{position} {expected}"
        );
        assert_eq!(solution.state.mode, [1]);
    }
}

#[test]
fn a_driven_crank_turns_fifty_times_and_its_torque_balances_gravity() {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -G]);
    let speed = -2.0 * TAU;
    let velocity = Vector3::new(speed, 0.0, 0.0).cross(&Vector3::new(0.0, 0.5, 0.0));
    let crank = RigidBody::new("crank", 3.0, [0.2, 0.1, 0.2]).at([0.0, 0.5, 0.0]);
    let crank = mechanism.add_body(crank.moving(velocity, [speed, 0.0, 0.0]));
    let pivot = mechanism.add_joint(Joint::revolute(
        "pivot",
        BodyId::GROUND,
        crank,
        [0.0; 3],
        [1.0, 0.0, 0.0],
    ));
    let motor = mechanism.add_drive("motor", pivot, Drive::Angle(Motion::linear(0.0, speed)));
    let mut system = mechanism.build().expect("consistent");
    let t = 25.3;
    let solution = run(&mut system, t, 1e-8);
    let now = Snapshot::new(&system, &solution.state);
    let (sin, cos) = (speed * t).sin_cos();
    assert!((now.position(crank) - Vector3::new(0.0, 0.5 * cos, 0.5 * sin)).norm() < 1e-9);
    assert!(
        (now.effort(motor) - 3.0 * G * 0.5 * cos).abs() < 1e-6,
        "{}",
        now.effort(motor)
    );
    let centripetal = -3.0 * speed * speed * now.position(crank) + Vector3::new(0.0, 0.0, 3.0 * G);
    let force = now.reaction(pivot).expect("exists").force;
    assert!((force - centripetal).norm() < 1e-5, "{force} {centripetal}");
}

#[test]
fn a_wound_up_spring_unwinds_through_many_turns() {
    let mut mechanism = MultibodyBuilder::new();
    let wheel = mechanism
        .add_body(RigidBody::new("wheel", 1.0, [1.0, 1.0, 2.0]).moving([0.0; 3], [0.0, 0.0, 60.0]));
    let axle = mechanism.add_joint(Joint::revolute(
        "axle",
        BodyId::GROUND,
        wheel,
        [0.0; 3],
        [0.0, 0.0, 1.0],
    ));
    mechanism.add_rotational_spring(RotationalSpring::new("spring", axle, 8.0, 0.0));
    let mut system = mechanism.build().expect("consistent");
    let start = system.initial_state();
    let before = total_energy(&mut system, &start.point()).expect("known");
    // Natural frequency 2 rad/s, amplitude 30 rad: nearly five turns each way.
    let solution = run(&mut system, 7.0, 1e-10);
    assert!(
        (solution.state.x[0] - 30.0 * (2.0_f64 * 7.0).sin()).abs() < 1e-6,
        "{}",
        solution.state.x[0]
    );
    assert!((solution.state.v[5] - 60.0 * (2.0_f64 * 7.0).cos()).abs() < 1e-6);
    let after = total_energy(&mut system, &solution.state.point()).expect("known");
    assert!((after - before).abs() < 1e-6 * before, "{before} {after}");
}

/// The torque about z of an unmoved state.
fn torque(system: &mut MultibodySystem, state: &State) -> f64 {
    let mut rates = vec![f64::NAN; system.layout().rate_count()];
    system.rates(&state.point(), &mut rates).expect("finite");
    rates[5]
}

/// A wheel of 2 kg m² on an axle of the world with a spring of 8 N m/rad.
fn wound(free_angle: f64, actuator: bool) -> MultibodySystem {
    let mut mechanism = MultibodyBuilder::new();
    let wheel = mechanism.add_body(RigidBody::new("wheel", 1.0, [1.0, 1.0, 2.0]));
    let axis = [0.0, 0.0, 1.0];
    let axle = Joint::revolute("axle", BodyId::GROUND, wheel, [0.0; 3], axis);
    let axle = mechanism.add_joint(axle);
    let spring = RotationalSpring::new("spring", axle, 8.0, free_angle);
    mechanism.add_rotational_spring(if actuator {
        spring.with_actuator(|_, angle, _| angle * 1000.0)
    } else {
        spring
    });
    mechanism.build().expect("consistent")
}

#[test]
fn a_spring_whose_free_angle_is_turns_away_is_wound_up_at_assembly() {
    for free_angle in [-10.0, 4.0, 100.0] {
        let mut system = wound(free_angle, false);
        let start = system.initial_state();
        assert_eq!(start.x, [0.0]);
        assert_eq!(torque(&mut system, &start), 8.0 * free_angle);
        let energy = total_energy(&mut system, &start.point()).expect("known");
        assert!((energy - 4.0 * free_angle * free_angle).abs() < 1e-9);
        // The actuator sees the angle of the assembly as well.
        let mut actuated = wound(free_angle, true);
        assert_eq!(torque(&mut actuated, &start), 8.0 * free_angle);
        // It swings about the free angle with 2 rad/s: ten radians either way are three turns.
        let solution = run(&mut system, 2.3, 1e-10);
        let angle = free_angle * (1.0 - (2.0_f64 * 2.3).cos());
        let error = (solution.state.x[0] - angle).abs();
        assert!(error < 1e-6, "{free_angle}: {error:e}");
        let found = torque(&mut system, &solution.state);
        assert!((found - 8.0 * (free_angle - angle)).abs() < 1e-5, "{found}");
    }
    // Euler parameters hand on the same state.
    let system = wound(-10.0, false).with_rotation(Rotation::EulerParameters);
    let mut system = system.expect("expressible");
    let method = liedae_contact::methods()
        .build("mdop5", &MethodOptions::default())
        .expect("registered");
    let options = Options::adaptive(2.3, 1e-10, 1e-10);
    let solution = solve(system.as_mut(), method.as_ref(), &options).expect("integrates");
    let angle = -10.0 * (1.0 - (2.0_f64 * 2.3).cos());
    assert!((solution.state.x[0] - angle).abs() < 1e-6);
}

/// A disc of 1 kg m² on a wire of 0.1 N m/rad, at rest angle with this speed.
fn disc(speed: f64, wire: impl Fn(RotationalSpring) -> RotationalSpring) -> MultibodySystem {
    let mut mechanism = MultibodyBuilder::new();
    let disc = RigidBody::new("disc", 1.0, [0.5, 0.5, 1.0]).moving([0.0; 3], [0.0, 0.0, speed]);
    let disc = mechanism.add_body(disc);
    let axis = [0.0, 0.0, 1.0];
    let axle = Joint::revolute("axle", BodyId::GROUND, disc, [0.0; 3], axis);
    let axle = mechanism.add_joint(axle);
    mechanism.add_rotational_spring(wire(RotationalSpring::new("wire", axle, 0.1, 0.0)));
    mechanism.build().expect("consistent")
}

#[test]
fn every_method_remembers_the_turns_of_a_spring() {
    // Two and a half turns each way: φ = (5 / ω) sin ω t.
    let frequency = 0.1_f64.sqrt();
    let expected = 5.0 * (frequency * 30.0).cos();
    for entry in liedae_contact::methods() {
        let name = entry.method.name;
        let method = liedae_contact::methods()
            .build(name, &MethodOptions::default())
            .expect("registered");
        let options = if entry.method.is_adaptive() {
            Options::adaptive(30.0, 1e-8, 1e-8)
        } else {
            Options::fixed(30.0, 1e-3)
        };
        let solution = solve(&mut disc(5.0, |wire| wire), method.as_ref(), &options);
        let solution = solution.unwrap_or_else(|error| panic!("{name}: {error}"));
        let error = (solution.state.v[5] - expected).abs();
        assert!(error < 2e-2, "{name}: {error:e}");
        assert!(solution.events.is_empty(), "{name}: {:?}", solution.events);
    }
}

#[test]
fn turns_are_remembered_over_thousands_of_them_on_a_carrier_that_tumbles() {
    // The axle is that of a body that tumbles freely: rotations in space do not commute. The soft spring hardly matters.
    let mut mechanism = MultibodyBuilder::new();
    let carrier = RigidBody::new("carrier", 1.0, [1.0, 2.0, 2.5]).moving([0.0; 3], [0.3, 2.0, 0.1]);
    let carrier = mechanism.add_body(carrier);
    let wheel = RigidBody::new("wheel", 1.0, [0.01, 0.01, 0.015]);
    let wheel = mechanism.add_body(wheel.moving([0.0; 3], [0.3, 2.0, 200.1]));
    let axis = [0.0, 0.0, 1.0];
    let axle = mechanism.add_joint(Joint::revolute("axle", carrier, wheel, [0.0; 3], axis));
    mechanism.add_rotational_spring(RotationalSpring::new("wire", axle, 1e-9, 0.0));
    let mut system = mechanism.build().expect("consistent");
    for tolerance in [1e-4, 1e-7] {
        let solution = run(&mut system, 100.0, tolerance);
        // What is followed is the angle itself but for whole turns; half a turn would be forgotten.
        let state = &solution.state;
        let now = Snapshot::new(&system, state);
        let frames = [carrier, wheel].map(|body| now.rotation(body));
        let between = frames[0].transpose() * frames[1];
        let principal = between[(1, 0)].atan2(between[(0, 0)]);
        let off = (state.x[0] - principal).rem_euclid(TAU);
        let off = off.min(TAU - off);
        assert!(state.x[0] > 1.9e4 && off < 0.1, "{tolerance:e}: {off}");
    }
}

#[test]
fn a_spring_that_wraps_says_when_its_torque_jumps() {
    let frequency = 0.1_f64.sqrt();
    for name in ["hem5", "mdop5", "radau5", "bdf", "generalized-alpha"] {
        let method = liedae_contact::methods()
            .build(name, &MethodOptions::default())
            .expect("registered");
        for direction in [1.0, -1.0] {
            let mut system = disc(direction * 5.0, RotationalSpring::wrapping);
            let start = system.initial_state();
            let before = total_energy(&mut system, &start.point()).expect("known");
            let options = if method.method().is_adaptive() {
                Options::adaptive(3.0, 1e-9, 1e-9)
            } else {
                Options::fixed(3.0, 1e-3)
            };
            let solution = solve(&mut system, method.as_ref(), &options).expect("integrates");
            // Pulled back for half a turn and on for the next one, alike from turn to turn.
            let half = (frequency * PI / 5.0).asin() / frequency;
            let expected = [half, 3.0 * half];
            assert_eq!(solution.events.len(), 2, "{name}: {:?}", solution.events);
            for (event, moment) in solution.events.iter().zip(expected) {
                assert_eq!(
                    (event.kind.as_str(), event.label.as_str()),
                    ("wrap", "wire")
                );
                assert!((event.t - moment).abs() < 1e-4, "{name}: {}", event.t);
            }
            assert_eq!(solution.state.mode, [2 * direction as i32]);
            let after = total_energy(&mut system, &solution.state.point()).expect("known");
            assert!((after - before).abs() < 1e-3, "{name}: {before} {after}");
        }
    }
}

#[test]
fn a_damper_about_an_axis_needs_no_turns() {
    // ω' = -ω / 10 s.
    let mut system = disc(5.0, |wire| RotationalSpring {
        stiffness: 0.0,
        damping: 0.1,
        ..wire
    });
    assert_eq!(system.layout().differential, 0);
    let solution = run(&mut system, 30.0, 1e-9);
    assert!((solution.state.v[5] - 5.0 * (-3.0_f64).exp()).abs() < 1e-6);
}

#[test]
fn a_body_is_carried_by_prescribed_coordinates_and_a_driven_distance() {
    // A ball on a winch rope: the rope pulls with m (g + a), the coordinates hold it sideways.
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -G]);
    let amplitude = 0.3;
    let length = Motion::harmonic(2.0, amplitude, 3.0, 0.0);
    let ball = RigidBody::new("ball", 1.5, [0.1; 3]).at([0.0, 0.0, -2.0]);
    let ball = mechanism.add_body(ball.moving([0.5, 0.0, -3.0 * amplitude], [0.0, 0.0, 4.0]));
    let winch = Joint::distance_drive(
        "winch",
        ball,
        BodyId::GROUND,
        [0.0, 0.0, -2.0],
        [0.0; 3],
        length,
    );
    let winch = mechanism.add_joint(winch);
    let centre = Frame::local_point([0.0; 3]);
    mechanism.add_joint(Joint::point_coordinate(
        "y",
        ball,
        centre,
        [0.0, 1.0, 0.0],
        0.0,
    ));
    let across = mechanism.add_joint(Joint::point_coordinate(
        "x",
        ball,
        centre,
        [1.0, 0.0, 0.0],
        Motion::linear(0.0, 0.5),
    ));
    let mut system = mechanism.build().expect("consistent");
    let t: f64 = 1.7;
    let solution = run(&mut system, t, 1e-10);
    let now = Snapshot::new(&system, &solution.state);
    let (x, rope) = (0.5 * t, 2.0 + amplitude * (3.0 * t).sin());
    let z = -(rope * rope - x * x).sqrt();
    assert!((now.position(ball) - Vector3::new(x, 0.0, z)).norm() < 1e-9);
    // The vertical balance gives the tension, the horizontal one the force of the coordinate.
    let rate = 3.0 * amplitude * (3.0 * t).cos();
    let curvature = -9.0 * amplitude * (3.0 * t).sin();
    let z_rate = (rope * rate - 0.5 * x) / z;
    let z_bend = (rate * rate + rope * curvature - 0.25 - z_rate * z_rate) / z;
    let tension = 1.5 * (z_bend + G) * rope / -z;
    assert!(
        (now.effort(winch) + tension).abs() < 1e-6,
        "{} {tension}",
        now.effort(winch)
    );
    assert!((now.effort(across) - tension * x / rope).abs() < 1e-6);
    assert!((now.omega(ball) - Vector3::new(0.0, 0.0, 4.0)).norm() < 1e-12);
}

#[test]
fn a_duplicated_joint_changes_no_motion_and_shares_its_reaction() {
    let bar = |copies: usize| {
        let mut mechanism = MultibodyBuilder::new();
        mechanism.gravity([0.0, 0.0, -G]);
        let bar = RigidBody::new("bar", 2.0, [0.01, 0.2, 0.2]).at([0.5, 0.0, 0.0]);
        let bar = mechanism.add_body(bar);
        for copy in 0..copies {
            let name = format!("pivot {copy}");
            let axis = [0.0, 1.0, 0.0];
            mechanism.add_joint(Joint::revolute(name, BodyId::GROUND, bar, [0.0; 3], axis));
        }
        mechanism.build().expect("consistent")
    };
    assert_eq!(bar(3).describe().degrees_of_freedom, 6 - 15);
    for entry in liedae_contact::methods() {
        let mut results = Vec::new();
        for copies in [1, 3] {
            let mut system = bar(copies);
            let method = liedae_contact::methods()
                .build(entry.method.name, &MethodOptions::default())
                .expect("registered");
            let solution = solve(&mut system, method.as_ref(), &Options::fixed(0.5, 1e-3))
                .expect("integrates");
            results.push(solution.state);
        }
        let [single, triple] = &results[..] else {
            panic!("two runs");
        };
        for (a, b) in single.q.iter().zip(&triple.q) {
            assert!((a - b).abs() < 1e-8, "{}: {a} and {b}", entry.method.name);
        }
        for (index, multiplier) in triple.lambda.iter().enumerate() {
            let third = single.lambda[index % single.lambda.len()] / 3.0;
            assert!(
                (multiplier - third).abs() < 1e-5,
                "{}: {multiplier} for {third}",
                entry.method.name
            );
        }
    }
}

/// A ball above a floor: run as it is, the floor would not be there.
#[test]
fn a_mechanism_with_contacts_does_not_run_bare() {
    let build = || {
        let mut mechanism = MultibodyBuilder::new();
        let ball = RigidBody::new("ball", 1.0, [0.4e-2; 3]).at([0.0, 0.0, 1.0]);
        let ball = mechanism.add_body(ball);
        let floor = Surface::half_space(BodyId::GROUND, [0.0; 3], [0.0, 0.0, 1.0]);
        let sphere = Surface::sphere(ball, [0.0; 3], 0.1);
        mechanism.add_contact(SurfaceContact::new("floor", floor, sphere));
        mechanism.build().expect("assembled")
    };
    for name in ["hem5", "moreau-jean"] {
        let method = liedae_contact::methods()
            .build(name, &MethodOptions::default())
            .expect("registered");
        let error = solve(&mut build(), &method, &Options::fixed(0.1, 1e-2)).unwrap_err();
        assert!(error.to_string().contains("nobody looks after"), "{error}");
    }
    let method = liedae_contact::capturing::MoreauJean::default();
    let mut system = contact_system(build());
    assert!(solve(&mut system, &method, &Options::fixed(0.1, 1e-2)).is_ok());

    // The mechanism is reached below, once wrapped or twice.
    for system in [
        contact_system(build()),
        contact_system(contact_system(build())),
    ] {
        assert!(system.0.get::<MultibodySystem>().is_some());
        assert!(system.0.get::<String>().is_none());
    }
}
