//! A slider on an oblique guide that strikes a rough floor, and jams.
//!
//! It moves along the unit vector a, down and ahead. On the floor it would rebound along -a, against which friction
//! acts with μ N: nothing pushes it back if μ |a_T| > |a_N|. Newton's law with e > 0 then has no solution, and it
//! stops. Impulses along the guide's normal balance each other in any size: what is left of them by round-off is no
//! rebound.

use super::run::{CLOSE, TOLERANCE, distance, moment};
use liedae::integrator::MethodOptions;
use liedae::solve::{Options, Solution, solve};
use liedae_contact::{ContactEvent, NonsmoothOptions, NonsmoothSystem};
use liedae_multibody::{BodyId, Joint, MultibodyBuilder, RigidBody, Surface, SurfaceContact};
use nalgebra::{Unit, Vector3};

const SPEED: f64 = 1.2;
const HEIGHT: f64 = 0.2;
const MASS: f64 = 0.8;
const RADIUS: f64 = 0.05;

fn along(seed: u32) -> Vector3<f64> {
    let turn = f64::from(seed);
    let direction = Vector3::new(turn.cos(), turn.sin(), -0.3 - 0.02 * turn);
    Unit::new_normalize(direction).into_inner()
}

/// Without gravity.
fn strikes(seed: u32, method: &str, options: &Options) -> Solution {
    let along = along(seed);
    let mut mechanism = MultibodyBuilder::new();
    let body = RigidBody::new("slider", MASS, [2e-3, 3e-3, 4e-3])
        .at([0.0, 0.0, RADIUS + HEIGHT])
        .moving(SPEED * along, [0.0; 3]);
    let body = mechanism.add_body(body);
    let start = [0.0, 0.0, RADIUS + HEIGHT];
    mechanism.add_joint(Joint::translational(
        "guide",
        BodyId::GROUND,
        body,
        start,
        along,
    ));
    let floor = Surface::half_space(BodyId::GROUND, [0.0; 3], [0.0, 0.0, 1.0]);
    let ball = Surface::sphere(body, [0.01, -0.02, 0.0], RADIUS);
    let contact = SurfaceContact::new("ball", floor, ball);
    mechanism.add_contact(contact.with_friction(0.7).with_restitution(0.3));
    let inner = mechanism.build().expect("fits");
    let contacts = NonsmoothOptions::default();
    let mut system = NonsmoothSystem::new(inner, contacts).expect("admissible");
    let integrator = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .expect("registered");
    solve(&mut system, integrator.as_ref(), options)
        .unwrap_or_else(|error| panic!("{seed} {method}: {error}"))
}

#[test]
fn a_wedged_slider_stops_where_it_strikes() {
    for seed in 0..12 {
        let strike = HEIGHT / (SPEED * -along(seed).z);
        let way = SPEED * strike * along(seed) + (RADIUS + HEIGHT) * Vector3::z();
        let end = strike + 0.2;
        for method in ["hem5", "mdop5", "radau5"] {
            let found = strikes(seed, method, &Options::adaptive(end, TOLERANCE, TOLERANCE));
            assert!((moment(&found, "impact") - strike).abs() < CLOSE);
            let impact = ContactEvent::of(&found.events[0]).expect("it strikes");
            // In any size, but not in that which round-off would need.
            let most = 1e6 * MASS * SPEED;
            assert!(impact.impulse < most, "{seed} {method}: {}", impact.impulse);
            assert!(distance(&found.state.q[..3], way.as_slice()) < CLOSE);
            assert!(found.state.v.iter().all(|v| v.abs() < CLOSE));
        }
        let found = strikes(seed, "moreau-jean", &Options::fixed(end, 1e-3));
        assert!(distance(&found.state.q[..3], way.as_slice()) < 2e-3 * SPEED);
        assert!(found.state.v.iter().all(|v| v.abs() < CLOSE));
    }
}
