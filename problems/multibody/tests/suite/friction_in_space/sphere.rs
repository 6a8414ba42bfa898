//! A ball that slides on a floor and comes to roll.
//!
//! The velocity u of the point of contact keeps its direction while it falls by 7/2 μ g: rolling begins at 2 |u| / (7 μ g).

use super::run::{CLOSE, GRAVITY, distance, moment, run};
use liedae_multibody::{BodyId, MultibodyBuilder, RigidBody, Surface, SurfaceContact};
use nalgebra::Vector3;

const MASS: f64 = 0.4;
const RADIUS: f64 = 0.15;
const FRICTION: f64 = 0.2;

fn ball(velocity: Vector3<f64>, omega: Vector3<f64>) -> MultibodyBuilder {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -GRAVITY]);
    let inertia = 0.4 * MASS * RADIUS * RADIUS;
    let body = RigidBody::new("ball", MASS, [inertia; 3])
        .at([0.0, 0.0, RADIUS])
        .moving(velocity, omega);
    let body = mechanism.add_body(body);
    let floor = Surface::half_space(BodyId::GROUND, [0.0; 3], [0.0, 0.0, 1.0]);
    let contact = SurfaceContact::new("floor", floor, Surface::sphere(body, [0.0; 3], RADIUS));
    mechanism.add_contact(contact.with_friction(FRICTION));
    mechanism
}

fn slides_and_rolls(velocity: [f64; 3], omega: [f64; 3]) {
    let (velocity, omega) = (Vector3::from(velocity), Vector3::from(omega));
    let up = Vector3::z();
    let contact = velocity + omega.cross(&(-RADIUS * up));
    let rolls = 2.0 * contact.norm() / (7.0 * FRICTION * GRAVITY);
    let direction = contact.normalize();
    let end = rolls + 0.3;
    let rolling = velocity - FRICTION * GRAVITY * rolls * direction;
    let spin = omega + 2.5 * FRICTION * GRAVITY / RADIUS * rolls * up.cross(&direction);
    let place = velocity * rolls - 0.5 * FRICTION * GRAVITY * rolls * rolls * direction
        + rolling * (end - rolls)
        + RADIUS * up;
    for method in ["hem5", "mdop5", "dop853", "radau5"] {
        let found = run(ball(velocity, omega), method, end);
        let begins = (moment(&found, "stick") - rolls).abs();
        let state = &found.state;
        let turned = nalgebra::Matrix3::from_row_slice(&state.q[3..12]);
        let found_spin = turned * Vector3::from_column_slice(&state.v[3..6]);
        let errors = [
            begins,
            distance(&state.q[..3], place.as_slice()),
            distance(&state.v[..3], rolling.as_slice()),
            RADIUS * distance(found_spin.as_slice(), spin.as_slice()),
        ];
        println!(
            "{method}: moment, place, velocity, spin {errors:?}, {} steps",
            found.statistics.accepted
        );
        assert!(errors.iter().all(|&error| error < CLOSE), "{method}");
    }
}

#[test]
fn without_spin() {
    slides_and_rolls([3.0, 0.0, 0.0], [0.0; 3]);
}

#[test]
fn with_oblique_spin() {
    slides_and_rolls([1.0, -0.7, 0.0], [12.0, 9.0, 5.0]);
}

/// It spins back so fast that it returns.
#[test]
fn with_backspin() {
    slides_and_rolls([1.0, 0.3, 0.0], [4.0, -30.0, -2.0]);
}
