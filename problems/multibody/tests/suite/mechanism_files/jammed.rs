//! Two balls on a floor between two walls, one upon the other: with enough friction they brace each other by forces of any size.

use super::dry_friction::{LOCATING, end};
use std::fmt::Write;

/// Balls of 1 kg with the radii 0.04 m and 0.03 m in a slot of 0.12 m; the upper one begins with this velocity.
fn slot(friction: f64, gravity: f64, velocity: f64) -> String {
    let mut text = format!("gravity = [0.0, 0.0, {:?}]\nt_end = 0.3\n", -gravity);
    // Their centres are 0.05 m apart across the slot.
    let height = 0.04 + f64::sqrt(0.07 * 0.07 - 0.05 * 0.05);
    for (name, inertia, x, z, speed) in [
        ("lower", 6.4e-4, -0.02, 0.04, 0.0),
        ("upper", 3.6e-4, 0.03, height, velocity),
    ] {
        write!(
            text,
            r#"[[bodies]]
name = "{name}"
mass = 1.0
inertia = [{inertia:?}, {inertia:?}, {inertia:?}]
position = [{x:?}, 0.0, {z:?}]
velocity = [0.0, 0.0, {speed:?}]
"#
        )
        .expect("memory");
    }
    let ball = |name: &str, radius: f64| {
        format!(
            r#"{{ body = "{name}", frame = {{ point = [0.0, 0.0, 0.0] }}, shape = {{ sphere = {radius} }} }}"#
        )
    };
    let plane = |point: f64, z: &str| {
        format!(
            r#"{{ body = "ground", frame = {{ in = "world", point = [{point:?}, 0.0, 0.0], z = {z} }}, shape = "half-space" }}"#
        )
    };
    let (lower, upper) = (ball("lower", 0.04), ball("upper", 0.03));
    for (name, first, second) in [
        ("floor", plane(0.0, "[0.0, 0.0, 1.0]"), lower.clone()),
        ("left", plane(-0.06, "[1.0, 0.0, 0.0]"), lower.clone()),
        ("right", plane(0.06, "[-1.0, 0.0, 0.0]"), upper.clone()),
        ("balls", lower, upper),
    ] {
        write!(
            text,
            "[[contacts]]\nname = \"{name}\"\nfriction = {friction:?}\nsurfaces = [{first}, {second}]\n"
        )
        .expect("memory");
    }
    text
}

/// The margin of such forces has no bound but that of the contact that they do not press, and without gravity there are no forces at all.
#[test]
fn balls_that_brace_each_other_rest() {
    for (friction, gravity) in [(0.45, 9.81), (0.5, 9.81), (0.8, 9.81), (0.5, 0.0)] {
        for method in LOCATING.into_iter().chain(["mdop5", "moreau-jean"]) {
            let (_, state) = end(&slot(friction, gravity, 0.0), method, 0.3);
            let speed = state.v.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
            let moved = (state.q[2] - 0.04).abs().max((state.q[0] + 0.02).abs());
            assert!(
                speed < 1e-9 && moved < 1e-9,
                "{method}, {friction}, {gravity}: {speed:e} {moved:e}"
            );
        }
    }
}

/// Struck from above the upper ball comes to rest where it is.
#[test]
fn balls_that_are_struck_brace_each_other() {
    for method in LOCATING.into_iter().chain(["mdop5", "moreau-jean"]) {
        let (_, state) = end(&slot(0.8, 9.81, -0.5), method, 0.3);
        let speed = state.v.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        assert!(speed < 1e-9, "{method}: {speed:e}");
    }
}
