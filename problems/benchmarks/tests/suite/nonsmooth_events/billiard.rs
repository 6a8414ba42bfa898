//! Reflections in a box.

use liedae::integrator::MethodOptions;
use liedae::solve::{Options, Silent, solve, solve_from};
use liedae::system::{State, System};
use liedae_contact::{Contact, NonsmoothOptions, NonsmoothSystem, with_contacts};
use liedae_multibody::plane::geometry::{DiscOnLine, HalfPlane};
use liedae_multibody::plane::{PlaneBodyData, PlaneMechanism, PlanePairing};

type Mechanism = PlaneMechanism<PlanePairing>;

/// A point in a box without gravity: 1000 impacts by reflection, there and back again.
#[test]
fn billiard_of_a_thousand_impacts() {
    let (sides, velocity) = ([1.0, 0.7], [1.0, 0.618_033_988_749_894_9]);
    let start = [0.3, 0.2];
    let ball = PlaneBodyData {
        name: "ball".to_owned(),
        mass: 2.0,
        inertia: 1.0,
        position: [start[0], start[1], 0.0],
        velocity: [velocity[0], velocity[1], 0.0],
    };
    let mut mechanism = Mechanism::new(vec![ball], [0.0, 0.0]).unwrap();
    for (label, point, normal) in [
        ("left", [0.0, 0.0], [1.0, 0.0]),
        ("right", [sides[0], 0.0], [-1.0, 0.0]),
        ("low", [0.0, 0.0], [0.0, 1.0]),
        ("high", [0.0, sides[1]], [0.0, -1.0]),
    ] {
        let line = HalfPlane::new(point, normal).unwrap();
        let pair = PlanePairing::DiscOnLine(DiscOnLine::point(line, [0.0, 0.0]).unwrap());
        mechanism = mechanism
            .with_contact(Contact::new(label, 1.0), [None, Some(0)], pair)
            .unwrap();
    }
    let mut expected = Vec::new();
    for axis in 0..2 {
        for count in 0..700 {
            expected.push((sides[axis] * f64::from(count + 1) - start[axis]) / velocity[axis]);
        }
    }
    expected.sort_by(f64::total_cmp);
    let end = 0.5 * (expected[999] + expected[1000]);
    let mut system =
        NonsmoothSystem::new(with_contacts(mechanism), NonsmoothOptions::default()).unwrap();
    let method = liedae_contact::methods()
        .build("hem5", &MethodOptions::default())
        .unwrap();
    let solution = solve(
        &mut system,
        method.as_ref(),
        &Options::adaptive(end, 1e-10, 1e-10),
    )
    .unwrap();
    assert_eq!(solution.events.len(), 1000);
    let worst = solution
        .events
        .iter()
        .zip(&expected)
        .map(|(event, t)| (event.t - t).abs())
        .fold(0.0, f64::max);
    assert!(worst < 1e-9);
    let v = &solution.state.v;
    assert!((v[0].abs() - velocity[0]).abs() < 1e-12 && (v[1].abs() - velocity[1]).abs() < 1e-12);

    let back = State {
        t: 0.0,
        v: v.iter().map(|v| -v).collect(),
        q: solution.state.q.clone(),
        ..system.initial_state()
    };
    let back = solve_from(
        &mut system,
        method.as_ref(),
        back,
        &Options::adaptive(end, 1e-10, 1e-10),
        &mut Silent,
    )
    .unwrap();
    assert_eq!(back.events.len(), 1000);
    assert!((back.state.q[0] - start[0]).abs() < 1e-9 && (back.state.q[1] - start[1]).abs() < 1e-9);
}
