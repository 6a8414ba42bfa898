//! A box between two fingers: eight corners share what holds it, and what slides must not turn it.

use super::dry_friction::{LOCATING, end};
use liedae::system::named_outputs;
use std::fmt::Write;

const G: f64 = 9.81;

/// A box of 1 kg and 0.1 m between fingers that springs press upon it with 20 N each.
fn gripper(friction: f64) -> String {
    let mut text = format!(
        r#"gravity = [0.0, 0.0, {}]
t_end = 0.5
[[bodies]]
name = "box"
mass = 1.0
inertia = [0.0017, 0.0017, 0.0017]
"#,
        -G
    );
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let (x, post, face) = (0.07 * side, 0.2 * side, -0.02 * side);
        write!(
            text,
            r#"[[bodies]]
name = "{name}"
mass = 0.2
inertia = [0.001, 0.001, 0.001]
position = [{x}, 0.0, 0.0]
[[joints]]
name = "slide-{name}"
kind = "translational"
bodies = ["ground", "{name}"]
point = [{x}, 0.0, 0.0]
axis = [1.0, 0.0, 0.0]
[[springs]]
name = "push-{name}"
bodies = ["ground", "{name}"]
points = [[{post}, 0.0, 0.0], [{x}, 0.0, 0.0]]
stiffness = 200.0
free_length = 0.23
damping = 5.0
[[contacts]]
name = "grip-{name}"
friction = {friction}
surfaces = [{{ body = "{name}", frame = {{ point = [{face}, 0.0, 0.0], z = [{:?}, 0.0, 0.0] }}, shape = "half-space" }}, {{ body = "box", frame = {{ point = [0.0, 0.0, 0.0] }}, shape = {{ cuboid = [0.05, 0.05, 0.05] }} }}]
"#,
            -side,
        )
        .expect("memory");
    }
    text
}

/// It falls by what friction of 2 x 20 N leaves of its weight, or is held.
#[test]
fn a_box_is_held_or_slides_down_without_turning() {
    for friction in [0.6, 0.2, 0.05] {
        let acceleration = (G - 40.0 * friction).max(0.0);
        for method in LOCATING.into_iter().chain(["moreau-jean"]) {
            let (mut system, end) = end(&gripper(friction), method, 0.5);
            let off = (end.q[2] + 0.125 * acceleration).abs();
            let turns = end.v[3..6]
                .iter()
                .fold(0.0, |most: f64, v| most.max(v.abs()));
            assert!(
                off < 1e-5 && turns < 1e-6,
                "{method}, {friction}: {off:e} {turns:e}"
            );
            let outputs = named_outputs(system.as_mut(), &end).expect("outputs");
            for name in ["grip-left", "grip-right"] {
                let own = outputs
                    .iter()
                    .filter(|(output, _)| output.starts_with(name));
                let forces = own.filter(|(output, _)| output.ends_with(".force"));
                let forces: Vec<f64> = forces.map(|(_, force)| *force).collect();
                let sum: f64 = forces.iter().sum();
                let most = forces.iter().fold(0.0, |most: f64, force| most.max(*force));
                assert!((sum - 20.0).abs() < 1e-3, "{method}, {friction}: {sum}");
                // Four corners of each face share it.
                assert!(
                    (most - 5.0).abs() < 1e-2,
                    "{method}, {friction}: {forces:?}"
                );
            }
        }
    }
}

/// A box of 1 kg that a hand lifts with the acceleration 40 t: from 20 N of friction on it is left behind.
#[test]
fn a_box_that_is_lifted_too_fast_slides_without_turning() {
    let mut text = gripper(0.5).replace("\"ground\"", "\"palm\"");
    text.push_str(
        r#"[[bodies]]
name = "palm"
mass = 2.0
inertia = [0.01, 0.01, 0.01]
[[joints]]
name = "lift"
kind = "translational"
bodies = ["ground", "palm"]
point = [0.0, 0.0, 0.0]
axis = [0.0, 0.0, 1.0]
[[drives]]
name = "hoist"
joint = "lift"
translation = { polynomial = [0.0, 0.0, 0.0, 6.666666666666667] }
"#,
    );
    let slips = (20.0 - G) / 40.0;
    let left = 0.5 - slips;
    let height =
        40.0 / 6.0 * slips.powi(3) + 20.0 * slips * slips * left + 0.5 * (20.0 - G) * left * left;
    // `generalized-alpha` takes long while eight corners stick; one explicit method stands for all.
    for method in ["mdop5", "radau5", "bdf", "moreau-jean"] {
        let (_, end) = end(&text, method, 0.5);
        let off = (end.q[2] - height).abs();
        let turns = end.v[3..6]
            .iter()
            .fold(0.0, |most: f64, v| most.max(v.abs()));
        assert!(off < 2e-5 && turns < 1e-4, "{method}: {off:e} {turns:e}");
    }
}
