//! Bearings that rub: dry friction about the axis of revolute joints, by the reactions that they carry.

use super::run::{CLOSE, GRAVITY, distance, moment, run};
use liedae::integrator::MethodOptions;
use liedae::scalar::Scalar;
use liedae::solve::{Options, Solution, solve};
use liedae::system::System;
use liedae_contact::capturing::MoreauJean;
use liedae_contact::{NonsmoothOptions, NonsmoothSystem};
use liedae_multibody::{
    AssemblyError, BearingFriction, BodyId, Drive, ForceScalar, Frame, Joint, JointKind, Motion,
    MultibodyBuilder, RigidBody, Surface, SurfaceContact, Wrench,
};
use nalgebra::{Matrix3, Rotation3, Vector3};

const METHODS: [&str; 4] = ["hem5", "mdop5", "dop853", "radau5"];

const MASS: f64 = 3.0;
/// About the axis, and across it.
const INERTIA: [f64; 2] = [0.05, 0.03];
const FRICTION: f64 = 0.3;
const RADIUS: f64 = 0.02;

/// At this angle above the horizontal, in the plane of x and z.
fn inclined(angle: f64) -> Vector3<f64> {
    Vector3::new(angle.cos(), 0.0, angle.sin())
}

fn start(gravity: f64) -> MultibodyBuilder {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -gravity]);
    mechanism
}

/// A wheel at the origin that turns about its own z.
fn wheel(axis: Vector3<f64>, turn: Vector3<f64>) -> RigidBody {
    let rotation = Rotation3::rotation_between(&Vector3::z(), &axis).expect("not opposite");
    RigidBody::new("wheel", MASS, [INERTIA[1], INERTIA[1], INERTIA[0]])
        .rotated(rotation.into_inner())
        .moving([0.0; 3], rotation.inverse() * turn)
}

/// A wheel in a bearing of the ground; with a torque about its axis.
fn on_the_ground(
    angle: f64,
    speed: f64,
    torque: impl Fn(f64) -> f64 + Send + Sync + 'static,
    rubs: impl Fn(BearingFriction) -> BearingFriction,
) -> MultibodyBuilder {
    let mut mechanism = start(GRAVITY);
    let axis = inclined(angle);
    let wheel = mechanism.add_body(wheel(axis, speed * axis));
    let axle = Joint::revolute("axle", BodyId::GROUND, wheel, [0.0; 3], axis);
    let axle = mechanism.add_joint(axle);
    mechanism.add_bearing_friction(rubs(BearingFriction::new("rubs", axle, FRICTION, RADIUS)));
    mechanism.add_force_closure("torque", BodyId::GROUND, wheel, move |t, _| {
        let along = Vector3::new(0.0, 0.0, torque(t)).map(ForceScalar::constant);
        let force = Vector3::zeros();
        [
            Wrench::zero(),
            Wrench {
                force,
                torque: along,
            },
        ]
    });
    mechanism
}

/// By which angle the first body has turned since the start, of less than half a turn.
fn turned(mechanism: MultibodyBuilder, found: &Solution) -> f64 {
    let rotation = |q: &[f64]| Matrix3::from_row_slice(&q[3..12]);
    let start = mechanism.build().expect("fits").initial_state();
    let between = rotation(&start.q).transpose() * rotation(&found.state.q);
    Rotation3::from_matrix_unchecked(between).angle()
}

fn speed(found: &Solution, body: usize) -> f64 {
    found.state.v[6 * body + 5]
}

/// It slows down by (μ / I) (r N + R T), with the weight's parts N across the axis and T along it.
#[test]
fn a_wheel_stops_in_its_bearing() {
    const COLLAR: f64 = 0.03;
    let spin = 2.0;
    for (angle, collar) in [(0.0, 0.0), (0.7, 0.0), (0.7, COLLAR)] {
        let pressed = RADIUS * f64::cos(angle) + collar * f64::sin(angle);
        let slowing = FRICTION * MASS * GRAVITY * pressed / INERTIA[0];
        let stops = spin / slowing;
        for method in METHODS {
            let wheel =
                |speed| on_the_ground(angle, speed, |_| 0.0, |rubs| rubs.with_collar(collar));
            let halfway = run(wheel(spin), method, 0.5 * stops);
            let found = run(wheel(spin), method, stops + 0.5);
            let errors = [
                (moment(&found, "stick") - stops).abs(),
                speed(&found, 0).abs(),
                (speed(&halfway, 0) - 0.5 * spin).abs(),
                (turned(wheel(0.0), &found) - 0.5 * spin * stops).abs(),
            ];
            println!("{method} at {angle}: stops at {stops:.3} s, {errors:?}");
            assert!(errors.iter().all(|&error| error < CLOSE), "{method}");
        }
    }
}

/// A torque that grows holds still up to μ r W, and turns it from then on.
#[test]
fn a_wheel_sticks_under_a_small_torque() {
    let growth = 0.4;
    let limit = FRICTION * RADIUS * MASS * GRAVITY;
    let slips = limit / growth;
    let end = slips + 0.3;
    let turning = growth * (end - slips).powi(2) / (2.0 * INERTIA[0]);
    let way = growth * (end - slips).powi(3) / (6.0 * INERTIA[0]);
    for method in METHODS {
        let wheel = || on_the_ground(0.0, 0.0, move |t| growth * t, |rubs| rubs);
        let before = run(wheel(), method, 0.99 * slips);
        assert!(before.events.is_empty() && before.state.v.iter().all(|v| v.abs() < 1e-12));
        let found = run(wheel(), method, end);
        let errors = [
            (moment(&found, "slip") - slips).abs(),
            (speed(&found, 0) - turning).abs(),
            (turned(wheel(), &found) - way).abs(),
        ];
        println!("{method}: {errors:?}");
        assert!(
            errors.iter().all(|&error| error < CLOSE),
            "{method}: {errors:?}"
        );
    }
}

/// A flywheel in two bearings of an arm that turns about the vertical with Ω, its axis at an angle β above the horizontal.
///
/// With the spin s = ω + Ω sin β its angular momentum changes by the moment M = Ω cos β (I s - J Ω sin β) about the horizontal across its
/// axis: the bearings carry W cos β / 2 ± M / L, and the collar W sin β. With 2 |M| / L above W cos β their sum is 2 |M| / L, and
/// I s' = -μ (2 r M / L + R W sin β) is linear.
#[test]
fn a_gyrating_flywheel_presses_its_bearings() {
    let (beta, turning, spin) = (0.5_f64, 6.0, 60.0);
    let (span, collar) = (0.1, 0.01);
    let (sin, cos) = beta.sin_cos();
    let weight = MASS * GRAVITY;
    let fall = 2.0 * RADIUS * FRICTION * turning * cos / span;
    let thrust = FRICTION * collar * weight * sin;
    // s' = -k (s - s∞).
    let rate = fall;
    let limit = INERTIA[1] * turning * sin / INERTIA[0] - thrust / (INERTIA[0] * fall);
    let end = 0.5;
    let first = spin + turning * sin;
    let spin_at = |t: f64| limit + (first - limit) * (-rate * t).exp();
    let moment = |s: f64| turning * cos * (INERTIA[0] * s - INERTIA[1] * turning * sin);
    assert!(2.0 * moment(spin_at(end)) / span > weight * cos);
    let axis = inclined(beta);
    for method in METHODS {
        let mut mechanism = start(GRAVITY);
        let arm = RigidBody::new("arm", 1.0, [0.1; 3]).moving([0.0; 3], [0.0, 0.0, turning]);
        let arm = mechanism.add_body(arm);
        let turn = turning * Vector3::z() + spin * axis;
        let flywheel = mechanism.add_body(wheel(axis, turn));
        let post = Joint::revolute("post", BodyId::GROUND, arm, [0.0; 3], [0.0, 0.0, 1.0]);
        let post = mechanism.add_joint(post);
        mechanism.add_drive("turning", post, Drive::Angle(Motion::linear(0.0, turning)));
        let axle = Joint::revolute("axle", arm, flywheel, [0.0; 3], axis);
        let axle = mechanism.add_joint(axle);
        let rubs = BearingFriction::new("rubs", axle, FRICTION, RADIUS);
        mechanism.add_bearing_friction(rubs.with_span(span).with_collar(collar));
        let found = run(mechanism, method, end);
        assert!(found.events.is_empty(), "{:?}", found.events);
        // About its own axis, in the world, as Ω is.
        let error = (speed(&found, 1) - spin_at(end)).abs();
        println!("{method}: spin {:.3} rad/s, {error:e}", spin_at(end));
        assert!(error < CLOSE, "{method}: {error:e}");
    }
}

/// A pendulum about an inclined axis: an angle and its rate.
struct Pendulum {
    length: f64,
    /// Parts of gravity across the axis and along it.
    gravity: [f64; 2],
    inertia: f64,
    collar: f64,
}

impl Pendulum {
    /// The acceleration while it turns in the direction of `sign`: I θ'' = -m g L sin θ - sign μ (r N + R T), where N has the parts
    /// m (L θ'² + g cos θ) and m (L θ'' + g sin θ); the iteration is a contraction for light friction.
    fn acceleration(&self, [angle, rate]: [f64; 2], sign: f64) -> f64 {
        let (sin, cos) = angle.sin_cos();
        let [across, along] = self.gravity;
        let mut found = 0.0;
        for _ in 0..60 {
            let centripetal = self.length * rate * rate + across * cos;
            let press = centripetal.hypot(self.length * found + across * sin);
            let friction = FRICTION * MASS * (RADIUS * press + self.collar * along);
            found = (-MASS * across * self.length * sin - sign * friction) / self.inertia;
        }
        found
    }

    fn step(&self, now: [f64; 2], h: f64, sign: f64) -> [f64; 2] {
        let rates = |now: [f64; 2]| [now[1], self.acceleration(now, sign)];
        let ahead = |by: f64, rates: [f64; 2]| [now[0] + by * rates[0], now[1] + by * rates[1]];
        let one = rates(now);
        let two = rates(ahead(0.5 * h, one));
        let three = rates(ahead(0.5 * h, two));
        let four = rates(ahead(h, three));
        [0, 1].map(|k| now[k] + h / 6.0 * (one[k] + 2.0 * two[k] + 2.0 * three[k] + four[k]))
    }

    /// When it turns back for the first times, where, until it sticks.
    fn turns(&self, angle: f64) -> Vec<[f64; 2]> {
        const STEP: f64 = 2e-4;
        let (mut t, mut now) = (0.0, [angle, 0.0]);
        let mut found = Vec::new();
        loop {
            let sign = -now[0].signum();
            if self.acceleration([now[0], 0.0], sign) * sign <= 0.0 {
                return found;
            }
            let mut next = self.step(now, STEP, sign);
            while next[1] * sign > 0.0 {
                (t, now) = (t + STEP, next);
                next = self.step(now, STEP, sign);
            }
            // Newton's method for the rest of the step.
            let mut rest = 0.5 * STEP;
            for _ in 0..20 {
                next = self.step(now, rest, sign);
                rest -= next[1] / self.acceleration(next, sign);
            }
            (t, now) = (t + rest, [next[0], 0.0]);
            found.push([t, now[0]]);
        }
    }

    fn mechanism(&self, tilt: f64, angle: f64) -> MultibodyBuilder {
        let mut mechanism = start(GRAVITY);
        let axis = inclined(tilt);
        // Hanging down, turned by the angle.
        let down = Vector3::y().cross(&axis);
        let arm = Rotation3::from_axis_angle(&nalgebra::Unit::new_normalize(axis), angle) * down;
        let inertia = self.inertia - MASS * self.length * self.length;
        let body = wheel(axis, Vector3::zeros()).at(self.length * arm);
        let body = mechanism.add_body(RigidBody {
            inertia: Matrix3::from_diagonal(&Vector3::new(0.7, 0.7, 1.0)) * inertia,
            ..body
        });
        let pivot = mechanism.add_joint(Joint::revolute(
            "pivot",
            BodyId::GROUND,
            body,
            [0.0; 3],
            axis,
        ));
        let rubs = BearingFriction::new("rubs", pivot, FRICTION, RADIUS);
        mechanism.add_bearing_friction(rubs.with_collar(self.collar));
        mechanism
    }
}

/// It swings, turns back and comes to rest askew.
#[test]
fn a_pendulum_in_a_rubbing_bearing() {
    let (tilt, angle) = (0.4, 1.0);
    let pendulum = Pendulum {
        length: 0.2,
        gravity: [GRAVITY * f64::cos(tilt), GRAVITY * f64::sin(tilt)],
        inertia: MASS * 0.2 * 0.2 + INERTIA[0],
        collar: 0.04,
    };
    let turns = pendulum.turns(angle);
    let last = turns[turns.len() - 1];
    assert!(turns.len() > 3 && last[1].abs() > 1e-3, "{turns:?}");
    for method in METHODS {
        let found = run(pendulum.mechanism(tilt, angle), method, last[0] + 0.3);
        let moments: Vec<f64> = found.events.iter().map(|event| event.t).collect();
        let times: Vec<f64> = turns.iter().map(|turn| turn[0]).collect();
        let kinds: Vec<&str> = found
            .events
            .iter()
            .map(|event| event.kind.as_str())
            .collect();
        let place = (turned(pendulum.mechanism(tilt, angle), &found) - (angle - last[1])).abs();
        println!(
            "{method}: {kinds:?}, {:e}, {place:e}",
            distance(&moments, &times)
        );
        assert!(distance(&moments, &times) < CLOSE && place < CLOSE);
        assert_eq!(kinds.last(), Some(&"stick"));
    }
    // The capturing scheme is of first order.
    let away = |h: f64| {
        let inner = pendulum.mechanism(tilt, angle).build().expect("fits");
        let mut system = NonsmoothSystem::new(inner, NonsmoothOptions::default()).expect("fits");
        let options = Options::fixed(last[0] + 0.3, h);
        let found = solve(&mut system, &MoreauJean::default(), &options).expect("runs");
        (turned(pendulum.mechanism(tilt, angle), &found) - (angle - last[1])).abs()
    };
    let errors = [away(1e-3), away(1e-4)];
    println!("moreau-jean: {errors:?}");
    assert!(errors[0] < 1e-2 && errors[1] < 0.3 * errors[0]);
}

/// An arm that lies on the floor with its tip, at 0.6 m from a bearing that rubs, with forces in the pivot and at the tip.
fn lying_arm(
    rough: f64,
    forces: impl Fn(f64) -> [Vector3<f64>; 2] + Clone + Send + Sync + 'static,
) -> MultibodyBuilder {
    const BALL: f64 = 0.03;
    let mut mechanism = start(GRAVITY);
    let arm = RigidBody::new("arm", MASS, [0.01, 0.1, 0.1]).at([CENTRE, 0.0, 0.0]);
    let arm = mechanism.add_body(arm);
    let y = [0.0, 1.0, 0.0];
    let pivot = Joint::revolute("pivot", BodyId::GROUND, arm, [0.0; 3], y);
    let pivot = mechanism.add_joint(pivot);
    mechanism.add_bearing_friction(BearingFriction::new("rubs", pivot, FRICTION, JOURNAL));
    let floor = Surface::half_space(BodyId::GROUND, [0.0, 0.0, -BALL], [0.0, 0.0, 1.0]);
    let ball = Surface::sphere(arm, [LENGTH - CENTRE, 0.0, 0.0], BALL);
    let tip = SurfaceContact::new("tip", floor, ball);
    mechanism.add_contact(match rough > 0.0 {
        true => tip.with_friction(rough),
        false => tip,
    });
    for (at, name) in ["pull", "lift"].into_iter().enumerate() {
        let forces = forces.clone();
        mechanism.add_force_closure(name, BodyId::GROUND, arm, move |t, [_, arm]| {
            let force = forces(t)[at].map(ForceScalar::constant);
            let point = Vector3::new([0.0, LENGTH][at], 0.0, 0.0).map(ForceScalar::constant);
            [Wrench::zero(), arm.force_at(&point, &force)]
        });
    }
    mechanism
}

/// Where the arm has its centre, its tip, and the radius of its journal.
const CENTRE: f64 = 0.3;
const LENGTH: f64 = 0.6;
const JOURNAL: f64 = 0.05;

/// A force F lifts the tip of the arm with the weight W. Floor and bearing share the load in any way, so that the floor
/// carries nothing when the bearing is at its limit: F L - W c = μ r (W - F).
#[test]
fn a_bearing_and_a_floor_hold_an_arm_together() {
    const GROWTH: f64 = 20.0;
    let (weight, grip) = (MASS * GRAVITY, FRICTION * JOURNAL);
    let slips = weight * (CENTRE + grip) / (LENGTH + grip) / GROWTH;
    // Without the bearing the tip is free as soon as F L = W c.
    assert!(slips > 1.02 * weight * CENTRE / LENGTH / GROWTH);
    let lift = |t: f64| [Vector3::zeros(), Vector3::z() * GROWTH * t];
    for rough in [0.0, 0.5] {
        for method in METHODS {
            let found = run(lying_arm(rough, lift), method, slips + 0.05);
            let late = found.events.iter().map(|event| (event.t - slips).abs());
            let late: Vec<f64> = late.collect();
            println!("{method}, {rough}: {:?}, {late:?}", found.events);
            assert!(moment(&found, "slip") > 0.0 && moment(&found, "release") > 0.0);
            assert!(late.iter().all(|&late| late < CLOSE), "{late:?}");
            assert!(found.state.v[2] > 1e-3);
        }
    }
}

/// What presses the bearing turns by two turns, and is large enough at any time: it holds, though not along the
/// direction in which it pressed at first.
#[test]
fn a_load_that_turns_is_held() {
    const PULL: f64 = 200.0;
    let weight = MASS * GRAVITY;
    let lift = 1.1 * weight * CENTRE / LENGTH;
    let moment = lift * LENGTH - weight * CENTRE;
    assert!(moment < FRICTION * JOURNAL * (PULL - weight));
    let forces = move |t: f64| {
        let (sin, cos) = (4.0 * std::f64::consts::PI * t).sin_cos();
        [
            Vector3::new(PULL * cos, 0.0, PULL * sin),
            Vector3::z() * lift,
        ]
    };
    for method in METHODS {
        let found = run(lying_arm(0.5, forces), method, 1.0);
        assert!(found.events.is_empty(), "{:?}", found.events);
        assert!(found.state.v.iter().all(|v| v.abs() < 1e-12), "{method}");
    }
}

/// Bearings are those of revolute joints, and their numbers are lengths.
#[test]
fn what_is_no_bearing_is_refused() {
    let build = |kind: JointKind, change: &dyn Fn(&mut BearingFriction)| {
        let mut mechanism = start(GRAVITY);
        let body = mechanism.add_body(wheel(Vector3::x(), Vector3::zeros()));
        let frames = [Frame::world([0.0; 3], [1.0, 0.0, 0.0]); 2];
        let joint = Joint::new("joint", kind, BodyId::GROUND, body, frames);
        let joint = mechanism.add_joint(joint);
        let mut rubs = BearingFriction::new("rubs", joint, FRICTION, RADIUS);
        change(&mut rubs);
        mechanism.add_bearing_friction(rubs);
        mechanism.build().err()
    };
    assert_eq!(build(JointKind::Revolute, &|_| ()), None);
    for kind in [
        JointKind::Spherical,
        JointKind::Cylindrical,
        JointKind::Translational,
    ] {
        let error = build(kind, &|_| ());
        assert!(
            matches!(error, Some(AssemblyError::JointKind { .. })),
            "{error:?}"
        );
    }
    let wrong: [&dyn Fn(&mut BearingFriction); 6] = [
        &|rubs| rubs.coefficient = -0.1,
        &|rubs| rubs.radius = 0.0,
        &|rubs| rubs.radius = f64::NAN,
        &|rubs| rubs.span = Some(0.0),
        &|rubs| rubs.span = Some(f64::INFINITY),
        &|rubs| rubs.collar = -0.01,
    ];
    for change in wrong {
        let error = build(JointKind::Revolute, change);
        assert!(
            matches!(error, Some(AssemblyError::Coefficient { .. })),
            "{error:?}"
        );
    }
}

/// Nobody looks after a bearing that rubs without the layer for it.
#[test]
fn other_methods_refuse_it() {
    let mut system = on_the_ground(0.0, 1.0, |_| 0.0, |rubs| rubs)
        .build()
        .expect("fits");
    let method = liedae_contact::methods()
        .build("radau5", &MethodOptions::default())
        .expect("registered");
    let found = solve(
        &mut system,
        method.as_ref(),
        &Options::adaptive(0.1, 1e-6, 1e-6),
    );
    assert!(found.is_err());
}
