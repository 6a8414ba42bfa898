//! A block in a guide: on a spring, and under the impact of a ball.

use super::runs::{G, METHODS, body, guided, kinds, located, output, rubbing, run, tight, wrap};
use liedae::integrator::MethodOptions;
use liedae::solve::solve;
use liedae_contact::{Contact, JointStatus, with_contacts};
use liedae_multibody::plane::geometry::{DiscOnLine, HalfPlane};
use liedae_multibody::plane::{
    PlaneForce, PlaneFriction, PlaneJoint, PlaneMechanism, PlanePairing,
};
use std::f64::consts::PI;

pub const MU: f64 = 0.3;
const STIFFNESS: f64 = 100.0;
const START: f64 = 0.2;

pub fn on_spring() -> PlaneMechanism {
    let spring = PlaneForce::Spring {
        points: [(None, [-1.0, 0.0]), (Some(0), [0.0, 0.0])],
        stiffness: STIFFNESS,
        damping: 0.0,
        free_length: 1.0,
    };
    rubbing(
        guided(1.0, [START, 0.0], 0.0, [spring]),
        MU,
        PlaneFriction::Guide(0),
    )
}

/// Every half period the deflection shrinks by 2 μ m g / k, until friction holds.
pub fn expected() -> (Vec<(&'static str, f64)>, f64) {
    let loss = 2.0 * MU * G / STIFFNESS;
    let (mut x, mut events, mut half_periods) = (START, Vec::new(), 0);
    while STIFFNESS * x.abs() > MU * G {
        x = -x.signum() * (x.abs() - loss);
        half_periods += 1;
        let kind = if STIFFNESS * x.abs() > MU * G {
            "reversal"
        } else {
            "stick"
        };
        events.push((kind, f64::from(half_periods) * PI / STIFFNESS.sqrt()));
    }
    (events, x)
}

#[test]
fn a_block_on_a_spring_stops_where_friction_holds_it() {
    let (events, x) = expected();
    assert_eq!(events.len(), 3);
    for method in METHODS {
        let mut system = wrap(on_spring()).unwrap();
        let solution = run(&mut system, method, &tight(2.0));
        assert_eq!(
            kinds(&solution.events),
            events.iter().map(|event| event.0).collect::<Vec<_>>()
        );
        let mut worst = 0.0_f64;
        for (event, (_, t)) in solution.events.iter().zip(&events) {
            assert_eq!(event.label, "guide");
            worst = worst.max((event.t - t).abs());
        }
        let place = (solution.state.q[0] - x).abs();
        println!("{method}: moments within {worst:.1e} s, place within {place:.1e} m");
        assert!(worst < 1e-9 && place < 1e-9);
        assert_eq!(system.joint_statuses(), [JointStatus::Sticking]);
        let held = output(&mut system, &solution, "guide.friction");
        assert!((held - STIFFNESS * x).abs() < 1e-7, "{held}");
        assert!((output(&mut system, &solution, "guide.normal") - G).abs() < 1e-10);
    }
}

#[test]
fn every_method_that_locates_events_runs_it() {
    let (events, x) = expected();
    for (method, options) in located(1.2, 1e-3) {
        let mut system = wrap(on_spring()).unwrap();
        let solution = run(&mut system, method, &options);
        let place = (solution.state.q[0] - x).abs();
        println!(
            "{method}: {} steps, place within {place:.1e} m",
            solution.statistics.accepted
        );
        assert_eq!(
            kinds(&solution.events),
            events.iter().map(|event| event.0).collect::<Vec<_>>(),
            "{method}"
        );
        assert!(place < 1e-2, "{method}: {place}");
    }
}

#[test]
fn methods_that_would_neglect_it_say_so() {
    let mut bare = with_contacts(on_spring());
    let method = liedae_contact::methods()
        .build("hem5", &MethodOptions::default())
        .unwrap();
    let error = solve(&mut bare, method.as_ref(), &tight(1.0)).unwrap_err();
    assert!(
        error.to_string().contains("joints that may stick"),
        "{error}"
    );
}

/// A ball falls onto the sliding block: the impulse P = m (1 + e) u of the contact presses the guide, whose friction
/// takes the impulse μ P from the block.
#[test]
fn impacts_press_the_guide() {
    const MASS: f64 = 2.0;
    const BALL: f64 = 0.5;
    const E: f64 = 0.4;
    const DROP: f64 = 0.5;
    for (speed, sticks) in [(2.0, false), (-2.0, false), (1.05, true)] {
        let ball = body("ball", BALL, [0.3, 0.1 + DROP, 0.0], [0.0; 3]);
        let block = body("block", MASS, [0.0; 3], [speed, 0.0, 0.0]);
        let joints = [
            PlaneJoint::PointOnLine((Some(0), [0.0; 2]), (None, [0.0; 2]), [1.0, 0.0]),
            PlaneJoint::Angle(Some(0), None, 0.0),
        ];
        let top = HalfPlane::new([0.0, 0.1], [0.0, 1.0]).unwrap();
        let top = PlanePairing::DiscOnLine(DiscOnLine::point(top, [0.0, 0.0]).unwrap());
        let mechanism = PlaneMechanism::new(vec![block, ball], [0.0, -G])
            .unwrap()
            .with_joints(joints)
            .unwrap()
            .with_contact(Contact::new("top", E), [Some(0), Some(1)], top)
            .unwrap();
        let mut system = wrap(rubbing(mechanism, MU, PlaneFriction::Guide(0))).unwrap();
        let t = (2.0 * DROP / G).sqrt();
        let after = 0.01;
        let solution = run(&mut system, "hem5", &tight(t + after));
        let impulse = BALL * (1.0 + E) * G * t;
        let slowed = speed.abs() - MU * (G * (t + after) + impulse / MASS);
        assert_eq!(solution.events[0].kind, "impact");
        if sticks {
            assert!(slowed < 0.0);
            assert_eq!(kinds(&solution.events), ["impact", "stick"]);
            assert_eq!(solution.events[1].t, solution.events[0].t);
            assert!(solution.state.v[0].abs() < 1e-12);
        } else {
            let expected = speed.signum() * slowed;
            let found = solution.state.v[0];
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    }
}
