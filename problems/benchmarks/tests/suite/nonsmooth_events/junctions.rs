//! Curves made of pieces: a closed contact passes from one to the next at an event of its own.

use crate::common::build as problem;
use liedae::integrator::MethodOptions;
use liedae::solve::{Options, Solution, solve};
use std::f64::consts::{FRAC_PI_2, PI};

/// Polar angles of the joints between the cam's arcs: dwell and nose, nose and flank.
const JOINTS: [f64; 2] = [PI / 9.0, 0.520_468_152_423_561_1];

fn run(method: &str, rpm: &str, end: f64) -> Solution {
    let mut cam = problem("cam-follower", &[rpm]);
    let method = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .unwrap();
    let options = Options::adaptive(end, 1e-10, 1e-10);
    solve(cam.system.as_mut(), method.as_ref(), &options).unwrap()
}

fn normals(solution: &Solution) -> Vec<f64> {
    let events = solution.events.iter();
    let normals = events.filter(|event| event.kind == "normal" && event.label == "cam");
    normals.map(|event| event.t).collect()
}

/// The slow cam is followed all the time; the angle of the cam says when the point passes a joint.
#[test]
fn a_slow_cam_has_its_joints_passed_in_time() {
    let rate = 2.0 * PI;
    let expected = [JOINTS[1], JOINTS[0], -JOINTS[0], -JOINTS[1], -FRAC_PI_2]
        .map(|angle| (FRAC_PI_2 - angle) / rate);
    for method in ["hem5", "mdop5", "dop853", "phem56"] {
        let solution = run(method, "rpm=60", 0.9);
        let mut found = normals(&solution);
        // It begins at a joint.
        found.retain(|&t| t > 1e-9);
        assert_eq!(found.len(), expected.len(), "{method} {found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found - expected).abs() < 1e-11,
                "{method} {found} {expected}"
            );
        }
        assert!(solution.events.iter().all(|event| event.kind == "normal"));
    }
}

/// The fast one throws its follower off at the joint, where the acceleration that it asks for jumps.
#[test]
fn a_fast_cam_loses_its_follower_at_a_joint() {
    let joint = (FRAC_PI_2 - JOINTS[1]) / (358.0 * PI / 30.0);
    for method in ["hem5", "mdop5", "dop853", "phem56"] {
        let solution = run(method, "rpm=358", 0.03);
        let release = solution.events.iter().find(|event| event.kind == "release");
        assert!((release.unwrap().t - joint).abs() < 1e-11, "{method}");
        assert!((normals(&solution).last().unwrap() - joint).abs() < 1e-11);
    }
}
