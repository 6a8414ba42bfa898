//! Cylinders whose axis is parallel to a plane or perpendicular to it: rollers, wheels, and drums that stand.

use super::run::{GRAVITY, distance};
use liedae::integrator::MethodOptions;
use liedae::solve::{Options, Solution, solve};
use liedae_contact::capturing::MoreauJean;
use liedae_contact::{NonsmoothOptions, NonsmoothSystem};
use liedae_multibody::{
    BodyId, Frame, MultibodyBuilder, RigidBody, Shape, Surface, SurfaceContact,
};
use nalgebra::{Matrix3, Rotation3, Vector3};

const METHODS: [&str; 5] = ["hem5", "radau5", "bdf", "generalized-alpha", "moreau-jean"];
const MASS: f64 = 8.0;
const RADIUS: f64 = 0.3;
const SLOPE: f64 = 0.35;

/// The columns are the cylinder's x-, y- and z-axis: the axis lies along the world's y, without round-off.
const LYING: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]];

/// A uniform cylinder and how it starts.
#[derive(Clone, Copy)]
struct Start {
    half_length: f64,
    axes: Matrix3<f64>,
    height: f64,
    velocity: [f64; 3],
    /// In the world.
    omega: [f64; 3],
    slope: f64,
    friction: Option<f64>,
}

impl Start {
    fn lying() -> Self {
        Self {
            half_length: 0.2,
            axes: Matrix3::from_columns(&LYING.map(Vector3::from)),
            height: RADIUS,
            velocity: [0.0; 3],
            omega: [0.0; 3],
            slope: 0.0,
            friction: Some(0.5),
        }
    }

    fn standing(half_length: f64, friction: f64) -> Self {
        Self {
            half_length,
            axes: Matrix3::identity(),
            height: half_length,
            friction: Some(friction),
            ..Self::lying()
        }
    }

    /// Turned about the world's x-axis, touching the plane with one rim.
    fn tilted(mut self, angle: f64) -> Self {
        self.axes = Rotation3::new(Vector3::x() * angle).into_inner() * self.axes;
        self.height += self.half_length * angle.sin();
        self
    }

    fn mechanism(&self) -> MultibodyBuilder {
        let mut mechanism = MultibodyBuilder::new();
        let (sin, cos) = self.slope.sin_cos();
        mechanism.gravity([GRAVITY * sin, 0.0, -GRAVITY * cos]);
        let along = 0.5 * MASS * RADIUS * RADIUS;
        let across = MASS * (0.25 * RADIUS * RADIUS + self.half_length * self.half_length / 3.0);
        let body = RigidBody::new("cylinder", MASS, [across, across, along])
            .at([0.0, 0.0, self.height])
            .rotated(self.axes)
            .moving(self.velocity, self.axes.tr_mul(&Vector3::from(self.omega)));
        let body = mechanism.add_body(body);
        let shape = Shape::Cylinder {
            radius: RADIUS,
            half_length: self.half_length,
        };
        let mut contact = SurfaceContact::new(
            "plane",
            Surface::half_space(BodyId::GROUND, [0.0; 3], [0.0, 0.0, 1.0]),
            Surface::new(body, Frame::local_point([0.0; 3]), shape),
        );
        contact.friction = self.friction;
        mechanism.add_contact(contact);
        mechanism
    }

    fn run(&self, method: &str, end: f64) -> Solution {
        let inner = self.mechanism().build().expect("fits");
        let mut system =
            NonsmoothSystem::new(inner, NonsmoothOptions::default()).expect("admissible");
        let solution = if method == "moreau-jean" {
            let options = Options::fixed(end, 5e-4);
            solve(&mut system, &MoreauJean::default(), &options)
        } else {
            let integrator = liedae_contact::methods()
                .build(method, &MethodOptions::default())
                .expect("registered");
            let tolerance = if method == "generalized-alpha" {
                1e-5
            } else {
                1e-8
            };
            let options = Options::adaptive(end, tolerance, tolerance);
            solve(&mut system, integrator.as_ref(), &options)
        };
        solution.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Runs with every method and compares position and velocity at the end, and the direction of the axis.
    fn ends(&self, end: f64, position: [f64; 3], velocity: [f64; 3], tolerance: f64) {
        for method in METHODS {
            let state = self.run(method, end).state;
            let axis = [5, 8, 11].map(|entry| state.q[entry]);
            let errors = [
                distance(&state.q[..3], &position),
                distance(&state.v[..3], &velocity),
                distance(&axis, self.axes.column(2).as_slice()),
            ];
            println!("{method}: {errors:?}");
            // `moreau-jean` has order one, and forces begin within a step.
            let tolerance = match method {
                "moreau-jean" => 1e-3,
                "generalized-alpha" => tolerance.max(1e-6),
                _ => tolerance,
            };
            assert!(errors.iter().all(|&error| error < tolerance), "{method}");
        }
    }
}

/// With I = m r²/2 friction takes a third of the slope's pull: a = 2/3 g sin α.
#[test]
fn rolls_down_a_slope() {
    for tilt in [0.0, 1e-12, 1e-6] {
        let start = Start {
            slope: SLOPE,
            ..Start::lying()
        };
        let acceleration = 2.0 / 3.0 * GRAVITY * SLOPE.sin();
        let place = [0.5 * acceleration, 0.0, RADIUS];
        let tolerance = 1e-8 + 10.0 * tilt;
        start
            .tilted(tilt)
            .ends(1.0, place, [acceleration, 0.0, 0.0], tolerance);
    }
}

#[test]
fn lies_at_rest() {
    for friction in [None, Some(0.5)] {
        let start = Start {
            friction,
            ..Start::lying()
        };
        start.ends(0.5, [0.0, 0.0, RADIUS], [0.0; 3], 1e-10);
    }
}

#[test]
fn lands_and_lies() {
    for friction in [None, Some(0.5)] {
        let start = Start {
            friction,
            height: RADIUS + 0.01,
            ..Start::lying()
        };
        start.ends(0.3, [0.0, 0.0, RADIUS], [0.0; 3], 1e-10);
    }
}

/// A disc of no length, upright: it rolls on, and it keeps its speed.
#[test]
fn an_upright_wheel_rolls_straight() {
    let start = Start {
        half_length: 0.0,
        velocity: [2.0, 0.0, 0.0],
        omega: [0.0, 2.0 / RADIUS, 0.0],
        ..Start::lying()
    };
    start.ends(1.0, [2.0, 0.0, RADIUS], [2.0, 0.0, 0.0], 1e-8);
}

/// A drum that stands slides to rest after v²/(2 μ g). Friction moves the normal force by μ times the height of the centre
/// of mass, within the feet.
#[test]
fn a_standing_drum_slides_to_rest() {
    for half_length in [0.15, 0.35] {
        let (speed, friction) = (1.0, 0.5);
        let start = Start {
            velocity: [speed, 0.0, 0.0],
            ..Start::standing(half_length, friction)
        };
        let path = speed * speed / (2.0 * friction * GRAVITY);
        start.ends(0.4, [path, 0.0, half_length], [0.0; 3], 1e-8);
    }
}

/// Friction moves the normal force out of the square of the feet, by 0.75 radii: the drum slides on feet and rim.
#[test]
fn a_drum_slides_on_feet_and_rim() {
    let (speed, friction) = (1.0, 0.5);
    for direction in [[1.0, 0.0], [0.8, -0.6]] {
        let [x, y] = direction.map(|part| part * speed);
        let start = Start {
            velocity: [x, y, 0.0],
            ..Start::standing(0.45, friction)
        };
        let path = speed * speed / (2.0 * friction * GRAVITY);
        let place = [path * direction[0], path * direction[1], 0.45];
        for method in METHODS {
            let state = start.run(method, 0.4).state;
            let errors = [
                distance(&state.q[..3], &place),
                distance(&state.v, &[0.0; 6]),
                1.0 - state.q[11],
            ];
            println!("{method}: {errors:?}");
            assert!(errors.iter().all(|&error| error < 1e-3), "{method}");
        }
    }
}

/// A drum that spins on its face is braked by the feet.
#[test]
fn a_spinning_drum_stops() {
    for method in METHODS {
        let start = Start {
            omega: [0.0, 0.0, 5.0],
            ..Start::standing(0.15, 0.5)
        };
        // φ'' = -μ m g 0.9 r / I.
        let brake = 0.5 * GRAVITY * 0.9 * 2.0 / RADIUS;
        let state = start.run(method, 0.1).state;
        let spin = state.v[5];
        println!("{method}: {spin} {}", 5.0 - 0.1 * brake);
        assert!((spin - (5.0 - 0.1 * brake)).abs() < 1e-3, "{method}");
    }
}

#[test]
fn a_drum_lands_on_its_face() {
    let start = Start {
        height: 0.16,
        ..Start::standing(0.15, 0.5)
    };
    start.ends(0.3, [0.0, 0.0, 0.15], [0.0; 3], 1e-9);
}

/// On a slope of 40° a drum that is too tall tips over the rim: m g (h sin α - r cos α) = (I + m (r² + h²)) φ''.
#[test]
fn a_tall_drum_tips_over_its_rim() {
    let (height, slope) = (0.6, 0.7_f64);
    let start = Start {
        slope,
        ..Start::standing(height, 2.0)
    };
    let across = 0.25 * RADIUS * RADIUS + height * height / 3.0;
    let about_rim = across + RADIUS * RADIUS + height * height;
    let moment = |angle: f64| {
        let slope = slope + angle;
        GRAVITY * (height * slope.sin() - RADIUS * slope.cos())
    };
    // φ'^2/2 is what the moment has done.
    let work = |angle: f64| {
        let potential = |angle: f64| {
            let slope = slope + angle;
            -GRAVITY * (height * slope.cos() + RADIUS * slope.sin())
        };
        potential(angle) - potential(0.0)
    };
    let acceleration = moment(0.0) / about_rim;
    for method in ["hem5", "radau5", "bdf"] {
        let state = start.run(method, 0.2).state;
        let angle = state.q[5].atan2(state.q[11]);
        let rate = state.v[4];
        let energy = 0.5 * rate * rate - work(angle) / about_rim;
        println!("{method}: {angle} {rate} {energy:e}");
        assert!(
            energy.abs() < 1e-6 && angle > 0.5 * acceleration * 0.04,
            "{method}"
        );
    }
}
