//! Sliders on two pads: breakaway, jamming, and joints that share a load.

use super::runs::{G, body, guided, output, rubbing, run, tight, wrap};
use liedae_contact::{Contact, JointStatus};
use liedae_multibody::plane::geometry::{DiscOnLine, HalfPlane};
use liedae_multibody::plane::{
    PlaneForce, PlaneFriction, PlaneJoint, PlaneMechanism, PlanePairing,
};

pub const MU: f64 = 0.4;
pub const MASS: f64 = 2.0;
pub const LENGTH: f64 = 0.2;

/// A slider of length l, pulled along at a height.
pub fn pulled(force: f64, height: f64, speed: f64) -> PlaneMechanism {
    let pull = PlaneForce::Constant((Some(0), [0.0, height]), [force, 0.0]);
    rubbing(
        guided(MASS, [0.0, speed], 0.0, [pull]),
        MU,
        PlaneFriction::TwoPads {
            line: 0,
            angle: 1,
            length: LENGTH,
        },
    )
}

fn status(mechanism: PlaneMechanism) -> JointStatus {
    let mut system = wrap(mechanism).unwrap();
    run(&mut system, "hem5", &tight(1e-3));
    system.joint_statuses()[0]
}

/// The pads press with m g / 2 ± P a / l, together max(m g, 2 P a / l).
#[test]
fn a_drawer_moves_or_jams() {
    let weight = MASS * G;
    let critical = LENGTH / (2.0 * MU);
    for sign in [1.0, -1.0] {
        let moving = if sign > 0.0 {
            JointStatus::SlidingForward
        } else {
            JointStatus::SlidingBackward
        };
        for height in [0.0, 0.5 * critical, 0.99 * critical, -0.5 * critical] {
            let at = |share: f64| status(pulled(sign * share * MU * weight, height, 0.0));
            assert_eq!(at(0.999), JointStatus::Sticking);
            assert_eq!(at(1.001), moving);
        }
        // Pulled too far from the guide, the harder it is pulled, the harder it jams.
        for share in [0.5, 2.0, 100.0] {
            let found = status(pulled(sign * share * MU * weight, 1.01 * critical, 0.0));
            assert_eq!(found, JointStatus::Sticking);
        }
    }
}

/// Sliding with the centre of mass so high that friction itself tilts the slider: no friction force balances it.
#[test]
fn self_locking_while_sliding_is_an_error() {
    let slider = |height: f64| {
        let pads = PlaneFriction::TwoPads {
            line: 0,
            angle: 1,
            length: LENGTH,
        };
        wrap(rubbing(guided(MASS, [0.0, 1.0], height, []), MU, pads))
    };
    let critical = LENGTH / (2.0 * MU);
    let words = slider(1.05 * critical).err().unwrap().to_string();
    assert!(words.contains("self-locking"), "{words}");
    // Below, both pads stay on their flank, and friction is μ m g.
    let mut system = slider(0.95 * critical).unwrap();
    let solution = run(&mut system, "hem5", &tight(0.1));
    assert!((solution.state.v[0] - (1.0 - MU * G * 0.1)).abs() < 1e-9);
}

/// A ball that rests on the slider presses the guide, too: the forces of contacts and joints are decided together.
#[test]
fn a_load_on_top_presses_the_guide() {
    const LOAD: f64 = 3.0;
    let pulled = |share: f64| {
        let limit = MU * (MASS + LOAD) * G;
        let slider = body("slider", MASS, [0.0; 3], [0.0; 3]);
        let ball = body("ball", LOAD, [0.0, 0.1, 0.0], [0.0; 3]);
        let joints = [
            PlaneJoint::PointOnLine((Some(0), [0.0; 2]), (None, [0.0; 2]), [1.0, 0.0]),
            PlaneJoint::Angle(Some(0), None, 0.0),
        ];
        let pull = PlaneForce::Constant((Some(0), [0.0, 0.0]), [share * limit, 0.0]);
        let top = HalfPlane::new([0.0, 0.1], [0.0, 1.0]).unwrap();
        let top = PlanePairing::DiscOnLine(DiscOnLine::point(top, [0.0, 0.0]).unwrap());
        let mechanism = PlaneMechanism::new(vec![slider, ball], [0.0, -G])
            .unwrap()
            .with_joints(joints)
            .unwrap()
            .with_forces([pull])
            .unwrap()
            .with_contact(Contact::new("top", 0.0), [Some(0), Some(1)], top)
            .unwrap();
        let mut system = wrap(rubbing(mechanism, MU, PlaneFriction::Guide(0))).unwrap();
        let solution = run(&mut system, "hem5", &tight(0.1));
        let normal = output(&mut system, &solution, "guide.normal");
        assert!((normal - (MASS + LOAD) * G).abs() < 1e-9, "{normal}");
        (solution.state.v[0] - (share - 1.0).max(0.0) * limit / MASS * 0.1).abs()
    };
    for share in [-0.999, 0.5, 0.999, 1.001, 2.0] {
        assert!(pulled(share) < 1e-9);
    }
}

/// Two guides hold the same motion: the load is what both can carry, and no more.
#[test]
fn joints_share_what_one_cannot_hold() {
    let twice = |force: f64| {
        let pull = PlaneForce::Constant((Some(0), [0.0, 0.0]), [force, 0.0]);
        let mechanism = guided(MASS, [0.0, 0.0], 0.0, [pull]);
        let first = mechanism.with_friction("first", MU, PlaneFriction::Guide(0));
        let second = first
            .unwrap()
            .with_friction("second", 0.5 * MU, PlaneFriction::Guide(0));
        let mut system = wrap(second.unwrap()).unwrap();
        let solution = run(&mut system, "hem5", &tight(0.1));
        assert!(solution.events.len() < 10, "{:?}", solution.events);
        solution.state.v[0]
    };
    let limit = 1.5 * MU * MASS * G;
    for sign in [1.0, -1.0] {
        for share in [0.3, 0.8, 0.999] {
            assert!(twice(sign * share * limit).abs() < 1e-10);
        }
        let found = twice(sign * 1.2 * limit);
        assert!(
            (found - sign * 0.2 * limit / MASS * 0.1).abs() < 1e-9,
            "{found}"
        );
    }
}
