//! Boxes on four corners, which share their forces, and stools on three legs, which share their friction.

use super::run::{CLOSE, GRAVITY, distance, run};
use liedae::scalar::Scalar;
use liedae::solve::{Options, Solution, solve};
use liedae_contact::capturing::MoreauJean;
use liedae_contact::{NonsmoothOptions, NonsmoothSystem};
use liedae_multibody::{
    BodyId, Frame, Kinematics, MultibodyBuilder, PairForce, RigidBody, Shape, Surface,
    SurfaceContact, Wrench,
};
use nalgebra::{Rotation3, Vector3};

const METHODS: [&str; 3] = ["hem5", "mdop5", "radau5"];
const HALF: [f64; 3] = [0.1, 0.15, 0.05];
const FRICTION: f64 = 0.3;
/// Of 1 kg, uniform.
const MOMENTS: [f64; 3] = [0.025 / 3.0, 0.0125 / 3.0, 0.0325 / 3.0];
const WEIGHT: f64 = GRAVITY;

/// A force and a torque about the vertical that grow with time, at the centre of mass.
#[derive(Clone, Copy, Default)]
struct Push {
    force: [f64; 2],
    torque: f64,
}

impl PairForce for Push {
    fn wrenches<S: Scalar>(&self, t: f64, _: &[Kinematics<S>; 2]) -> [Wrench<S>; 2] {
        let at = |rate: f64| S::constant(rate * t);
        let force = Vector3::new(at(self.force[0]), at(self.force[1]), at(0.0));
        let torque = Vector3::new(at(0.0), at(0.0), at(self.torque));
        [Wrench::zero(), Wrench { force, torque }]
    }
}

/// A body of 1 kg that stands on these corners, turned about the vertical.
fn standing(
    corners: Shape,
    (turned, height): (f64, f64),
    velocity: [f64; 2],
    spin: f64,
    push: Push,
) -> MultibodyBuilder {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -GRAVITY]);
    let body = RigidBody::new("box", 1.0, MOMENTS)
        .at([0.0, 0.0, height])
        .rotated(Rotation3::from_axis_angle(&Vector3::z_axis(), turned).into_inner())
        .moving([velocity[0], velocity[1], 0.0], [0.0, 0.0, spin]);
    let body = mechanism.add_body(body);
    let contact = SurfaceContact::new(
        "floor",
        Surface::half_space(BodyId::GROUND, [0.0; 3], [0.0, 0.0, 1.0]),
        Surface::new(body, Frame::local_point([0.0; 3]), corners),
    );
    mechanism.add_contact(contact.with_friction(FRICTION));
    mechanism.add_force("push", BodyId::GROUND, body, push);
    mechanism
}

fn box_on_floor(turned: f64, velocity: [f64; 2], spin: f64, push: Push) -> MultibodyBuilder {
    standing(Shape::Cuboid(HALF), (turned, HALF[2]), velocity, spin, push)
}

fn kinds(found: &Solution) -> Vec<(f64, &str)> {
    let mut kinds: Vec<(f64, &str)> = Vec::new();
    for event in &found.events {
        if !kinds
            .iter()
            .any(|&(t, kind)| kind == event.kind && (t - event.t).abs() < 1e-6)
        {
            kinds.push((event.t, &event.kind));
        }
    }
    kinds
}

#[test]
fn a_box_slides_to_rest() {
    for (turned, velocity) in [(0.0, [1.0, 0.0]), (0.4, [0.6, -0.8])] {
        for method in METHODS {
            let stops = 1.0 / (FRICTION * GRAVITY);
            let sliding = box_on_floor(turned, velocity, 0.0, Push::default());
            let found = run(sliding, method, stops + 0.2);
            let place = velocity.map(|part| 0.5 * part * stops);
            let error = distance(&found.state.q[..2], &place);
            let [(stopped, "stick")] = kinds(&found)[..] else {
                panic!("{method}: {:?}", found.events);
            };
            println!("{method}: {error:e}, {:e}", stopped - stops);
            assert!(error < CLOSE && (stopped - stops).abs() < CLOSE, "{method}");
            assert!(found.state.v.iter().all(|v| v.abs() < 1e-12), "{method}");
        }
    }
}

/// m v' = F - μ m g along the motion as long as it slides, with F = k t: to rest, and away again.
#[test]
fn a_box_comes_to_rest_and_is_pushed_away() {
    let (speed, rate, end) = (0.5, 8.0, 0.6);
    let brake = FRICTION * GRAVITY;
    let velocity = |t: f64| speed - brake * t + 0.5 * rate * t * t;
    let (mut low, mut high) = (0.0, brake / rate);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if velocity(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let (rests, slips) = (low, brake / rate);
    let path = speed * rests - 0.5 * brake * rests.powi(2) + rate * rests.powi(3) / 6.0;
    let path = path + rate * (end - slips).powi(3) / 6.0;
    let away = 0.5 * rate * (end - slips).powi(2);
    for direction in [[1.0, 0.0], [0.28, -0.96]] {
        for method in METHODS {
            let along = |length: f64| direction.map(|part| part * length);
            let push = Push {
                force: along(rate),
                torque: 0.0,
            };
            let found = run(box_on_floor(0.4, along(speed), 0.0, push), method, end);
            let [(rested, "stick"), (slipped, "release" | "slip")] = kinds(&found)[..] else {
                panic!("{method}: {:?}", found.events);
            };
            let errors = [
                distance(&found.state.q[..2], &along(path)),
                distance(&found.state.v[..2], &along(away)),
                (rested - rests).abs(),
                (slipped - slips).abs(),
            ];
            println!("{method}: {errors:?}, {} steps", found.statistics.accepted);
            assert!(errors.iter().all(|&error| error < CLOSE), "{method}");
        }
    }
}

/// All corners are as far from the centre: they hold a torque of μ m g r, whatever each carries.
#[test]
fn a_box_is_twisted_away() {
    let lever = HALF[0].hypot(HALF[1]);
    let (limit, rate) = (FRICTION * WEIGHT * lever, 1.0);
    let (slips, end) = (limit / rate, limit / rate + 0.2);
    let spin = 0.5 * rate * (end - slips).powi(2) / MOMENTS[2];
    for method in METHODS {
        let push = Push {
            force: [0.0; 2],
            torque: rate,
        };
        let found = run(box_on_floor(0.4, [0.0; 2], 0.0, push), method, end);
        println!(
            "{method}: {:?}, {} steps",
            found.events, found.statistics.accepted
        );
        let slipped = kinds(&found)[0].0;
        let errors = [(slipped - slips).abs(), (found.state.v[5] - spin).abs()];
        println!("{method}: {errors:?}");
        assert!(errors.iter().all(|&error| error < CLOSE), "{method}");
    }
}

/// Three legs carry what statics says, so that friction is unique in whatever way they slide; when they stick they share it.
#[test]
fn stools_agree_with_the_capturing_scheme() {
    let legs = [[0.15, 0.02], [-0.1, 0.12], [-0.06, -0.14]];
    for (velocity, spin, push) in [
        ([0.5, 0.2], 3.0, Push::default()),
        (
            [0.2, -0.1],
            -2.0,
            Push {
                force: [5.0, 3.0],
                torque: 0.2,
            },
        ),
        (
            [0.0, 0.0],
            0.0,
            Push {
                force: [-2.0, 4.0],
                torque: -0.4,
            },
        ),
    ] {
        let stool = || {
            let corners = legs.map(|[x, y]| [x, y, -0.05]).to_vec();
            standing(Shape::Points(corners), (0.2, 0.05), velocity, spin, push)
        };
        let end = 0.8;
        let found = METHODS.map(|method| {
            let found = run(stool(), method, end);
            println!(
                "{method}: {:?}, {} steps",
                kinds(&found),
                found.statistics.accepted
            );
            found.state
        });
        for state in &found[1..] {
            let error = distance(&state.q, &found[0].q);
            println!("{error:e}");
            assert!(error < 1e-7, "{error:e}");
        }
        let errors = [1e-3, 2.5e-4].map(|step| {
            let inner = stool().build().expect("fits");
            let mut system =
                NonsmoothSystem::new(inner, NonsmoothOptions::default()).expect("admissible");
            let options = Options::fixed(end, step);
            let captured = solve(&mut system, &MoreauJean::default(), &options).expect("runs");
            distance(&captured.state.q, &found[0].q)
        });
        println!("moreau-jean: {errors:?}");
        assert!(
            errors[1] < 1e-3 && errors[1] < 0.6 * errors[0],
            "{errors:?}"
        );
    }
}
