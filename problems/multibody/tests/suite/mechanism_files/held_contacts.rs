//! Contacts that joints hold shut carry nothing, and what moreau-jean shows of forces.

use super::dry_friction::{run, system};
use liedae::prelude::*;
use liedae::system::{named_outputs, total_energy};

/// A body of 2 kg on an arm that turns about the vertical, with a sphere on the floor: the joint holds the gap.
const ARM: &str = r#"gravity = [0.0, 0.0, -9.81]
t_end = 0.5
[[bodies]]
name = "arm"
mass = 2.0
inertia = [0.02, 0.02, 0.02]
position = [0.4, 0.0, 0.05]
[[joints]]
name = "pivot"
kind = "revolute"
bodies = ["ground", "arm"]
point = [0.0, 0.0, 0.05]
axis = [0.0, 0.0, 1.0]
[[contacts]]
name = "floor"
restitution = RESTITUTION
friction = FRICTION
surfaces = [{ body = "ground", frame = { in = "world", point = [0.0, 0.0, 0.0], z = [0.0, 0.0, 1.0] }, shape = "half-space" }, { body = "arm", frame = { point = [0.0, 0.0, 0.0] }, shape = { sphere = 0.05 } }]
[[initial]]
joint = "pivot"
angle_rate = 2.3
"#;

#[test]
fn an_arm_turns_on_over_a_floor_that_its_joint_keeps_it_on() {
    for restitution in ["0.0", "0.7"] {
        for friction in ["0.0", "0.6"] {
            let text = ARM.replace("RESTITUTION", restitution);
            let text = text.replace("FRICTION", friction);
            for method in ["hem5", "radau5", "bdf", "generalized-alpha", "moreau-jean"] {
                let mut system = system(&text);
                let start = system.initial_state();
                let before = total_energy(system.as_mut(), &start.point()).expect("an energy");
                let end = run(system.as_mut(), method, 0.5).expect("a run").state;
                let after = total_energy(system.as_mut(), &end.point()).expect("an energy");
                let off = (after - before).abs();
                assert!(off < 1e-4, "{method} {restitution} {friction}: {off:e}");
            }
        }
    }
}

/// A ball of 1 kg that lies on a slope of 0.3 rad or rolls down it.
const BALL: &str = r#"gravity = [2.8990, 0.0, -9.3718]
t_end = 0.5
step = 0.001
[[bodies]]
name = "ball"
mass = 1.0
inertia = [0.004, 0.004, 0.004]
position = [0.0, 0.0, 0.1]
[[contacts]]
name = "slope"
restitution = 0.0
friction = 0.5
surfaces = [{ body = "ground", frame = { in = "world", point = [0.0, 0.0, 0.0], z = [0.0, 0.0, 1.0] }, shape = "half-space" }, { body = "ball", frame = { point = [0.0, 0.0, 0.0] }, shape = { sphere = 0.1 } }]
"#;

#[test]
fn moreau_jean_shows_forces_of_contacts_and_of_friction() {
    let shown = |text: &str, name: &str| -> f64 {
        let mut system = system(text);
        let end = run(system.as_mut(), "moreau-jean", 0.5)
            .expect("a run")
            .state;
        let outputs = named_outputs(system.as_mut(), &end).expect("outputs");
        let found = outputs.into_iter().find(|(known, _)| known == name);
        found.unwrap_or_else(|| panic!("{name}")).1
    };
    // It rolls: friction is 2/7 of the weight along the slope.
    assert!((shown(BALL, "slope.force") - 9.3718).abs() < 1e-9);
    assert!((shown(BALL, "slope.friction") - 2.0 / 7.0 * 2.8990).abs() < 1e-9);
    // A block that slides along a guide.
    let block = r#"gravity = [0.0, 0.0, -10.0]
t_end = 0.5
[[bodies]]
name = "block"
mass = 1.0
inertia = [0.01, 0.01, 0.01]
velocity = [5.0, 0.0, 0.0]
[[joints]]
name = "guide"
kind = "translational"
bodies = ["ground", "block"]
point = [0.0, 0.0, 0.0]
axis = [1.0, 0.0, 0.0]
[[frictions]]
name = "rub"
joint = "guide"
coefficient = 0.2
"#;
    assert!((shown(block, "guide.normal") - 10.0).abs() < 1e-9);
    assert!((shown(block, "guide.friction") + 2.0).abs() < 1e-9);
}
