//! Moments at which redundant contacts give way, against statics.

use super::loaded::{Load, Loaded};
use liedae::integrator::MethodOptions;
use liedae::solve::{EventRecord, Observer, Options, Solution, StepView, solve_observed};
use liedae::system::{output_names, output_values};
use liedae_contact::{Contact, NonsmoothOptions, NonsmoothSystem, with_contacts};
use liedae_multibody::plane::geometry::{DiscOnLine, HalfPlane};
use liedae_multibody::plane::{PlaneBodyData, PlaneJoint, PlaneMechanism, PlanePairing};
use std::f64::consts::FRAC_PI_2;
use std::ops::ControlFlow;

const METHODS: [&str; 3] = ["hem5", "phem56", "dop853"];

const G: f64 = 9.81;
const MASS: f64 = 2.0;
/// Half the length and half the height of a box.
const HALF: [f64; 2] = [0.3, 0.2];

fn body(name: &str, position: [f64; 3], half: [f64; 2]) -> PlaneBodyData {
    PlaneBodyData {
        name: name.to_owned(),
        mass: MASS,
        inertia: MASS * (half[0] * half[0] + half[1] * half[1]) / 3.0,
        position,
        velocity: [0.0; 3],
    }
}

fn law(label: &str, friction: f64) -> Contact {
    let law = Contact::new(label, 0.0);
    if friction > 0.0 {
        law.with_planar_friction(friction)
    } else {
        law
    }
}

fn floor(height: f64) -> HalfPlane {
    HalfPlane::new([0.0, height], [0.0, 1.0]).unwrap()
}

fn point(line: HalfPlane, at: [f64; 2]) -> PlanePairing {
    PlanePairing::DiscOnLine(DiscOnLine::point(line, at).unwrap())
}

/// A box on points at these shares of its half length, with these coefficients of friction.
fn standing(half: [f64; 2], points: &[(f64, f64)], gravity: f64) -> PlaneMechanism {
    let bodies = vec![body("box", [0.0, half[1], 0.0], half)];
    let mut mechanism = PlaneMechanism::new(bodies, [0.0, -gravity]).unwrap();
    for (index, &(share, friction)) in points.iter().enumerate() {
        let pair = point(floor(0.0), [share * half[0], -half[1]]);
        let law = law(&format!("point{index}"), friction);
        mechanism = mechanism.with_contact(law, [None, Some(0)], pair).unwrap();
    }
    mechanism
}

/// Outputs at some moments.
#[derive(Default)]
struct Recorded {
    moments: Vec<f64>,
    values: Vec<Vec<f64>>,
}

impl Observer for Recorded {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        if self.moments.contains(&step.to.t) {
            let state = step.to.clone();
            let system = step.system().system();
            let mut values = vec![f64::NAN; output_names(system).len()];
            output_values(system, &state, &mut values).unwrap();
            self.values.push(values);
        }
        ControlFlow::Continue(())
    }

    fn wants_complete_states(&self) -> bool {
        true
    }
}

struct Run {
    solution: Solution,
    names: Vec<String>,
    values: Vec<Vec<f64>>,
}

impl Run {
    fn new(model: &Loaded, method: &str, end: f64, moments: &[f64]) -> Self {
        let options = NonsmoothOptions::default();
        let mut system = NonsmoothSystem::new(with_contacts(model.clone()), options).unwrap();
        let method = liedae_contact::methods()
            .build(method, &MethodOptions::default())
            .unwrap();
        let mut options = Options::adaptive(end, 1e-10, 1e-10);
        options.stops = moments.to_vec();
        let mut recorded = Recorded {
            moments: moments.to_vec(),
            values: Vec::new(),
        };
        let solution = solve_observed(&mut system, method.as_ref(), &options, &mut recorded);
        let mut solution = solution.unwrap();
        // At the start everything comes to stick.
        solution.events.retain(|event| event.t > 0.0);
        Self {
            solution,
            names: output_names(&mut system).to_vec(),
            values: recorded.values,
        }
    }

    fn output(&self, moment: usize, name: &str) -> f64 {
        let place = self.names.iter().position(|other| other == name);
        self.values[moment][place.unwrap()]
    }

    /// The events are these, at this moment.
    fn expect(&self, t: f64, events: &[(&str, &str)]) {
        let found: Vec<_> = self.solution.events.iter().map(described).collect();
        assert_eq!(found, events, "{:?}", self.solution.events);
        let errors = self.solution.events.iter().map(|event| (event.t - t).abs());
        let worst = errors.fold(0.0, f64::max);
        println!("{events:?} at {t}: error {worst:.1e} s");
        assert!(worst < 1e-9, "{:?} not at {t}", self.solution.events);
    }
}

fn described(event: &EventRecord) -> (&str, &str) {
    (&event.kind, &event.label)
}

/// A force at the centre along the floor that grows by this much per second.
const RATE: f64 = 8.0;

/// T = μ₁ N₁ + μ₂ N₂ with N₂ - N₁ = T h / a, whoever holds what; then the surplus accelerates the box.
#[test]
fn two_corners_slip_when_both_are_at_their_limits() {
    for (first, second) in [(0.4, 0.4), (0.2, 0.6), (0.7, 0.3), (0.05, 0.5)] {
        let model = Loaded {
            mechanism: standing(HALF, &[(-1.0, first), (1.0, second)], G),
            loads: vec![Load::growing(0, RATE)],
        };
        let lever = HALF[1] / (2.0 * HALF[0]);
        let limit = 0.5 * (first + second) * MASS * G / (1.0 - (second - first) * lever);
        let t = limit / RATE;
        for method in METHODS {
            let run = Run::new(&model, method, t + 0.4, &[]);
            run.expect(t, &[("slip", "point0"), ("slip", "point1")]);
            let speed = RATE * 0.4 * 0.4 / (2.0 * MASS);
            assert!((run.solution.state.v[0] - speed).abs() < 1e-8);
        }
    }
}

/// On a floor that is tilted, or in gravity that turns: tan α = μ, and with two coefficients as above.
#[test]
fn a_tilting_floor() {
    for (first, second) in [(0.4, 0.4), (0.1, 0.6)] {
        let turning = |velocity, amplitude, phase| Load {
            amplitude,
            frequency: 0.5,
            phase,
            ..Load::growing(velocity, 0.0)
        };
        let model = Loaded {
            mechanism: standing(HALF, &[(-1.0, first), (1.0, second)], 0.0),
            loads: vec![turning(0, MASS * G, 0.0), turning(1, -MASS * G, FRAC_PI_2)],
        };
        let lever = HALF[1] / (2.0 * HALF[0]);
        let angle = f64::atan(0.5 * (first + second) / (1.0 - (second - first) * lever));
        for method in METHODS {
            let run = Run::new(&model, method, angle / 0.5 + 0.1, &[]);
            run.expect(angle / 0.5, &[("slip", "point0"), ("slip", "point1")]);
        }
    }
}

/// A high box tips about its edge: F h = m g a.
#[test]
fn a_corner_opens_when_the_moment_balance_says_so() {
    let half = [0.1, 0.3];
    let model = Loaded {
        mechanism: standing(half, &[(-1.0, 0.5), (1.0, 0.8)], G),
        loads: vec![Load::growing(0, RATE)],
    };
    let t = MASS * G * half[0] / half[1] / RATE;
    for method in METHODS {
        let run = Run::new(&model, method, t + 0.05, &[]);
        run.expect(t, &[("release", "point0")]);
    }
}

/// Normal forces on three points are not unique: the middle one, the roughest, carries as much as it can.
#[test]
fn three_points_choose_who_carries() {
    let (rough, smooth) = (0.6, 0.2);
    let model = Loaded {
        mechanism: standing(HALF, &[(-1.0, smooth), (1.0, smooth), (0.0, rough)], G),
        loads: vec![Load::growing(0, RATE)],
    };
    // N of the leading point is F h / a, the middle one has the rest.
    let limit = rough * MASS * G / (1.0 + (rough - smooth) * HALF[1] / HALF[0]);
    for method in METHODS {
        let run = Run::new(&model, method, limit / RATE + 0.1, &[]);
        let slips = |event: &&EventRecord| event.kind == "slip";
        let first = run.solution.events.iter().find(slips).unwrap();
        assert!(
            (first.t - limit / RATE).abs() < 1e-9,
            "{:?}",
            run.solution.events
        );
        let at_once = |event: &EventRecord| event.t == first.t;
        assert!(
            run.solution.events.iter().all(at_once),
            "{:?}",
            run.solution.events
        );
        assert!(run.solution.state.v[0] > 0.0);
    }
}

/// Three points without friction under a growing torque: two open together, when all weight is on the third.
#[test]
fn a_load_that_wanders_over_three_points() {
    let model = Loaded {
        mechanism: standing(HALF, &[(-1.0, 0.0), (0.2, 0.0), (1.0, 0.0)], G),
        loads: vec![Load::growing(2, -RATE)],
    };
    let t = MASS * G * HALF[0] / RATE;
    for method in METHODS {
        let run = Run::new(&model, method, t + 0.05, &[0.5 * t]);
        run.expect(t, &[("release", "point0"), ("release", "point1")]);
        let force = |index: usize| run.output(0, &format!("point{index}.force"));
        let sum: f64 = (0..3).map(force).sum();
        assert!((sum - MASS * G).abs() < 1e-9 && (0..3).all(|index| force(index) >= -1e-12));
    }
}

/// Of all admissible splits the one of least norm is reported: halves, until the weaker corner is at its limit.
#[test]
fn reported_friction() {
    let (first, second) = (0.05, 0.5);
    let model = Loaded {
        mechanism: standing(HALF, &[(-1.0, first), (1.0, second)], G),
        loads: vec![Load::growing(0, RATE)],
    };
    let moments = [0.0625, 0.25, 0.5];
    let run = Run::new(&model, "hem5", 0.5, &moments);
    assert!(run.solution.events.is_empty());
    for (moment, t) in moments.into_iter().enumerate() {
        let force = RATE * t;
        let shift = force * HALF[1] / (2.0 * HALF[0]);
        let normals = [0.5 * MASS * G - shift, 0.5 * MASS * G + shift];
        let held = (0.5 * force).min(first * normals[0]);
        let frictions = [-held, held - force];
        for index in 0..2 {
            let normal = run.output(moment, &format!("point{index}.force"));
            let friction = run.output(moment, &format!("point{index}.friction"));
            assert!((normal - normals[index]).abs() < 1e-9, "{t}: {normal}");
            assert!(
                (friction - frictions[index]).abs() < 1e-9,
                "{t}: {friction}"
            );
        }
    }
}

/// A cylinder in a groove, its walls' normals at the angle β from the vertical, under a growing torque M. It slips on both
/// walls at M = μ m g R / ((1 + μ²) cos β), or rolls up one if μ > tan β, when M = m g R sin β.
#[test]
fn a_cylinder_in_a_groove() {
    let radius = 0.25;
    for (friction, angle) in [(0.3, 0.7), (0.6, 0.9), (0.5, 0.3), (0.9, 0.6)] {
        let bodies = vec![body("cylinder", [0.0; 3], [radius, radius])];
        let mut mechanism = PlaneMechanism::new(bodies, [0.0, -G]).unwrap();
        for (label, side) in [("left", 1.0), ("right", -1.0)] {
            let normal = [side * f64::sin(angle), f64::cos(angle)];
            let at = normal.map(|entry| -radius * entry);
            let line = HalfPlane::new(at, normal).unwrap();
            let pair = PlanePairing::DiscOnLine(DiscOnLine::new(line, [0.0; 2], radius).unwrap());
            let law = law(label, friction);
            mechanism = mechanism.with_contact(law, [None, Some(0)], pair).unwrap();
        }
        let model = Loaded {
            mechanism,
            loads: vec![Load::growing(2, RATE)],
        };
        let rolls = friction > f64::tan(angle);
        let moment = MASS * G * radius;
        let limit = if rolls {
            moment * angle.sin()
        } else {
            moment * friction / ((1.0 + friction * friction) * angle.cos())
        };
        for method in METHODS {
            let run = Run::new(&model, method, limit / RATE + 0.02, &[]);
            // A counterclockwise torque makes it climb on the left.
            if rolls {
                run.expect(limit / RATE, &[("release", "right")]);
            } else {
                run.expect(limit / RATE, &[("slip", "left"), ("slip", "right")]);
            }
        }
    }
}

/// Two boxes on top of each other, pulled at the upper one: each pair of corners holds together.
#[test]
fn the_weaker_joint_of_a_stack() {
    for (below, above, slipping) in [(0.15, 0.4, "lower"), (0.5, 0.3, "upper")] {
        let bodies = vec![
            body("lower", [0.0, 0.1, 0.0], [0.4, 0.1]),
            body("upper", [0.0, 0.3, 0.0], [0.3, 0.1]),
        ];
        let mut mechanism = PlaneMechanism::new(bodies, [0.0, -G]).unwrap();
        for (side, name) in [(-1.0, "left"), (1.0, "right")] {
            let low = point(floor(0.0), [0.4 * side, -0.1]);
            let high = point(floor(0.1), [0.3 * side, -0.1]);
            mechanism = mechanism
                .with_contact(law(&format!("lower-{name}"), below), [None, Some(0)], low)
                .unwrap()
                .with_contact(
                    law(&format!("upper-{name}"), above),
                    [Some(0), Some(1)],
                    high,
                )
                .unwrap();
        }
        let model = Loaded {
            mechanism,
            loads: vec![Load::growing(3, RATE)],
        };
        let limit = if slipping == "lower" {
            below * 2.0 * MASS * G
        } else {
            above * MASS * G
        };
        for method in METHODS {
            let run = Run::new(&model, method, limit / RATE + 0.02, &[]);
            let labels = ["left", "right"].map(|side| format!("{slipping}-{side}"));
            run.expect(limit / RATE, &[("slip", &labels[0]), ("slip", &labels[1])]);
        }
    }
}

/// A beam on a hinge that lies on one point, pressed onto it by a torque that falls: friction and hinge hold against each
/// other in any way, and the smallest is reported.
#[test]
fn a_hinge_and_a_contact() {
    let bodies = vec![body("beam", [0.0, 0.05, 0.0], [0.4, 0.05])];
    let mechanism = PlaneMechanism::new(bodies, [0.0, -G])
        .unwrap()
        .with_joints([PlaneJoint::Revolute(
            (Some(0), [0.0, 0.0]),
            (None, [0.0, 0.05]),
        )])
        .unwrap()
        .with_contact(
            law("end", 0.4),
            [None, Some(0)],
            point(floor(0.0), [0.4, -0.05]),
        )
        .unwrap();
    let model = Loaded {
        mechanism,
        loads: vec![Load {
            amplitude: -4.0,
            phase: FRAC_PI_2,
            ..Load::growing(2, RATE)
        }],
    };
    for method in METHODS {
        let run = Run::new(&model, method, 0.55, &[0.25]);
        run.expect(0.5, &[("release", "end")]);
        let normal = run.output(0, "end.force");
        // The friction has a lever about the hinge as well: N 0.4 - T 0.05 is the moment.
        let friction = run.output(0, "end.friction");
        let lever = 0.4 * 0.4 + 0.05 * 0.05;
        assert!((normal - 2.0 * 0.4 / lever).abs() < 1e-9, "{normal}");
        assert!(
            (friction.abs() - 2.0 * 0.05 / lever).abs() < 1e-9,
            "{friction}"
        );
    }
}

/// A cart of three wheels in a row on a slope: each wheel rolls, and their loads are linear in the place.
#[test]
fn wheels_of_a_cart_in_the_plane_all_roll() {
    let (slope, radius, inertia) = (0.3_f64, 0.1, 0.01);
    let (chassis, wheel) = (10.0, 1.0);
    let gravity = [G * slope.sin(), -G * slope.cos()];
    let places = [-0.5, 0.1, 0.6];
    let one = |name: &str, mass, inertia, position| PlaneBodyData {
        name: name.to_owned(),
        mass,
        inertia,
        position,
        velocity: [0.0; 3],
    };
    let mut bodies = vec![one("chassis", chassis, 2.0, [0.0, radius, 0.0])];
    let wheels = places.map(|x| one(&format!("wheel{x}"), wheel, inertia, [x, radius, 0.0]));
    bodies.extend(wheels);
    let joints = (0..3).map(|index| {
        let on_chassis = (Some(0), [places[index], 0.0]);
        PlaneJoint::Revolute(on_chassis, (Some(index + 1), [0.0, 0.0]))
    });
    let mut mechanism = PlaneMechanism::new(bodies, gravity).unwrap();
    mechanism = mechanism.with_joints(joints.collect::<Vec<_>>()).unwrap();
    for index in 0..3 {
        let pair = DiscOnLine::new(floor(0.0), [0.0, 0.0], radius).unwrap();
        let bodies = [None, Some(index + 1)];
        let law = law(&format!("tyre{index}"), 0.9);
        mechanism = mechanism
            .with_contact(law, bodies, PlanePairing::DiscOnLine(pair))
            .unwrap();
    }
    let mass = chassis + 3.0 * wheel;
    let turns = inertia / (radius * radius);
    let acceleration = mass * gravity[0] / (mass + 3.0 * turns);
    // About the chassis' centre, at the height of the axles, friction and what turns the wheels act: loads a + b x with these sums.
    let friction = turns * acceleration;
    let moment = -wheel * G * slope.cos() * -places.iter().sum::<f64>();
    let [first, second] =
        [1, 2].map(|power| places.iter().map(|x: &f64| x.powi(power)).sum::<f64>());
    let weight = mass * G * slope.cos();
    let determinant = 3.0 * second - first * first;
    let a = (weight * second - moment * first) / determinant;
    let b = (3.0 * moment - first * weight) / determinant;
    for method in ["hem5", "dop853", "radau5", "bdf", "generalized-alpha"] {
        let options = NonsmoothOptions::default();
        let mut system = NonsmoothSystem::new(with_contacts(mechanism.clone()), options).unwrap();
        let registry = liedae_contact::methods();
        let method_of = registry.build(method, &MethodOptions::default()).unwrap();
        let mut recorded = Recorded {
            moments: vec![1.0],
            ..Recorded::default()
        };
        let options = Options::adaptive(1.0, 1e-8, 1e-8);
        let end = solve_observed(&mut system, method_of.as_ref(), &options, &mut recorded).unwrap();
        let speed = end.state.v[0];
        assert!((speed - acceleration).abs() < 1e-6, "{method}: {speed}");
        let names = output_names(&mut system).to_vec();
        let values = recorded.values.last().unwrap();
        for (index, x) in places.into_iter().enumerate() {
            for (what, expected) in [("force", a + b * x), ("friction", -friction)] {
                let name = format!("tyre{index}.{what}");
                let slot = names.iter().position(|other| *other == name).unwrap();
                let found = values[slot];
                assert!(
                    (found - expected).abs() < 1e-4,
                    "{method} {name}: {found} {expected}"
                );
            }
        }
    }
}
