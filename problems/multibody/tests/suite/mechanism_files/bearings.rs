//! Bearings that rub: the same in a file and in a program, and mistakes in them.

use super::bits_of_run;
use super::refusals::{BENCH, refused};
use liedae_contact::{NonsmoothOptions, NonsmoothSystem};
use liedae_multibody::file::MechanismFile;
use liedae_multibody::{
    BearingFriction, BodyId, Joint, MultibodyBuilder, MultibodySystem, RigidBody,
};

/// A flywheel on an arm; the arm hangs in a pair of bearings and comes to rest there.
const FLYWHEEL: &str = r#"gravity = [0.0, 0.0, -9.81]
t_end = 2.0

[[bodies]]
name = "arm"
mass = 1.5
inertia = [0.02, 0.03, 0.04]
position = [0.3, 0.0, 0.0]

[[bodies]]
name = "flywheel"
mass = 2.0
inertia = [0.02, 0.01, 0.01]
position = [0.6, 0.0, 0.0]
angular_velocity = [40.0, 0.0, 0.0]

[[joints]]
name = "pivot"
kind = "revolute"
bodies = ["ground", "arm"]
point = [0.0, 0.0, 0.0]
axis = [0.0, 1.0, 0.0]

[[joints]]
name = "axle"
kind = "revolute"
bodies = ["arm", "flywheel"]
point = [0.6, 0.0, 0.0]
axis = [1.0, 0.0, 0.0]

[[bearings]]
name = "pair"
joint = "pivot"
coefficient = 0.3
radius = 0.05
span = 0.2

[[bearings]]
name = "thrust"
joint = "axle"
coefficient = 0.1
radius = 0.01
collar = 0.02
"#;

fn flywheel() -> MultibodySystem {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let arm = RigidBody::new("arm", 1.5, [0.02, 0.03, 0.04]).at([0.3, 0.0, 0.0]);
    let arm = mechanism.add_body(arm);
    let flywheel = RigidBody::new("flywheel", 2.0, [0.02, 0.01, 0.01])
        .at([0.6, 0.0, 0.0])
        .moving([0.0; 3], [40.0, 0.0, 0.0]);
    let flywheel = mechanism.add_body(flywheel);
    let ground = BodyId::GROUND;
    let pivot = Joint::revolute("pivot", ground, arm, [0.0; 3], [0.0, 1.0, 0.0]);
    let pivot = mechanism.add_joint(pivot);
    let axle = Joint::revolute("axle", arm, flywheel, [0.6, 0.0, 0.0], [1.0, 0.0, 0.0]);
    let axle = mechanism.add_joint(axle);
    mechanism.add_bearing_friction(BearingFriction::new("pair", pivot, 0.3, 0.05).with_span(0.2));
    let thrust = BearingFriction::new("thrust", axle, 0.1, 0.01).with_collar(0.02);
    mechanism.add_bearing_friction(thrust);
    mechanism.build().expect("a mechanism")
}

fn read(text: &str) -> MultibodySystem {
    MechanismFile::read(text)
        .and_then(|file| file.system(text))
        .unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

#[test]
fn files_and_programs_state_the_same_bearings() {
    let text = flywheel().file(2.0).expect("a file").text().expect("TOML");
    let file = MechanismFile::read(&text).expect("a file");
    assert_eq!((file.bearings.len(), file.frictions.len()), (2, 0));
    for method in ["hem5", "radau5"] {
        let runs = [flywheel(), read(FLYWHEEL), read(&text)].map(|system| {
            let options = NonsmoothOptions::default();
            let mut system = NonsmoothSystem::new(system, options).expect("admissible");
            bits_of_run(&mut system, method, 2.0)
        });
        assert_eq!(runs[0], runs[1], "{method}");
        assert_eq!(runs[0], runs[2], "{method}");
    }
    // They do rub.
    let smooth = FLYWHEEL.split("[[bearings]]").next().expect("a part");
    let without = bits_of_run(&mut read(smooth), "radau5", 2.0);
    let options = NonsmoothOptions::default();
    let mut rubs = NonsmoothSystem::new(flywheel(), options).expect("admissible");
    assert_ne!(bits_of_run(&mut rubs, "radau5", 2.0).1, without.1);
}

#[test]
fn mistakes_in_bearings_have_a_place() {
    let first_line = FLYWHEEL
        .lines()
        .position(|line| line == "[[bearings]]")
        .expect("a table")
        + 1;
    for (from, to, after, key, words) in [
        (
            "coefficient = 0.3",
            "coefficient = -0.3",
            3,
            "coefficient",
            "-0.3",
        ),
        (
            "coefficient = 0.3",
            "coefficient = nan",
            3,
            "coefficient",
            "not finite",
        ),
        (
            "coefficient = 0.3\n",
            "",
            0,
            "",
            "missing field `coefficient`",
        ),
        ("radius = 0.05", "radius = 0.0", 4, "radius", "journal"),
        ("radius = 0.05", "radius = inf", 4, "radius", "not finite"),
        (
            "radius = 0.05",
            "radius = \"wide\"",
            4,
            "radius",
            "expected",
        ),
        ("span = 0.2", "span = 0.0", 5, "span", "distance"),
        ("span = 0.2", "span = -0.2", 5, "span", "distance"),
        ("span = 0.2", "spam = 0.2", 5, "spam", "unknown field"),
        ("span = 0.2", "collar = -0.1", 5, "collar", "collar"),
        (
            "joint = \"pivot\"\ncoeff",
            "joint = \"shaft\"\ncoeff",
            2,
            "joint",
            "`axle`, `pivot`",
        ),
        ("name = \"thrust\"", "name = \"pair\"", 8, "name", "pair"),
    ] {
        let error = refused(&FLYWHEEL.replacen(from, to, 1));
        let table = if key == "name" { 1 } else { 0 };
        let field = match key {
            "" => format!("bearings[{table}]"),
            key => format!("bearings[{table}].{key}"),
        };
        assert_eq!(
            (error.line, &error.field),
            (first_line + after, &field),
            "{error}"
        );
        assert!(error.reason.contains(words), "{error}");
    }
}

/// Only revolute joints have bearings.
#[test]
fn bearings_are_those_of_revolute_joints() {
    let bearing =
        "[[bearings]]\nname = \"rubs\"\njoint = \"arm\"\ncoefficient = 0.1\nradius = 0.1\n";
    let text = format!("{BENCH}{bearing}");
    read(&text);
    for kind in ["cylindrical", "translational"] {
        let error = refused(&text.replacen("\"revolute\"", &format!("\"{kind}\""), 1));
        assert_eq!(error.field, "bearings[0].joint", "{error}");
    }
}

/// Friction takes energy, and thresholds of what counts as rest have a use.
#[test]
fn bearings_rub_and_may_stick() {
    let kept = FLYWHEEL.replacen("t_end = 2.0", "t_end = 2.0\nkeeps_energy = true", 1);
    let error = refused(&kept);
    assert_eq!((error.line, error.field.as_str()), (3, "keeps_energy"));
    assert!(error.reason.contains("friction `pair`"), "{error}");
    read(
        &kept
            .replace("coefficient = 0.3", "coefficient = 0.0")
            .replace("coefficient = 0.1", "coefficient = 0.0"),
    );
    let thresholds = "t_end = 2.0\nthresholds = { velocity = 1e-8 }";
    let stated = FLYWHEEL.replacen("t_end = 2.0", thresholds, 1);
    read(&stated);
    let smooth = stated.split("[[bearings]]").next().expect("a part");
    assert_eq!(refused(smooth).field, "thresholds");
}
