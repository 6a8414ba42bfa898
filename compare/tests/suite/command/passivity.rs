//! The energy of systems to which nothing adds any: a rise beyond errors is said.

use crate::common::{json, keys, liedae, number, path, stdout};
use std::fs;

/// A pendulum of two bodies in space that starts from rest, with a damper.
const PENDULUM: &str = r#"
gravity = [0.0, 0.0, -9.81]
t_end = 2.0
[[bodies]]
name = "upper"
mass = 1.0
inertia = [0.02, 0.02, 0.01]
position = [0.5, 0.0, 0.0]
[[bodies]]
name = "lower"
mass = 0.5
inertia = [0.01, 0.01, 0.01]
position = [1.0, 0.3, 0.0]
[[joints]]
name = "hook"
kind = "revolute"
bodies = ["ground", "upper"]
point = [0.0, 0.0, 0.0]
axis = [0.0, 1.0, 0.0]
[[joints]]
name = "elbow"
kind = "spherical"
bodies = ["upper", "lower"]
point = [1.0, 0.0, 0.0]
[[rotational_springs]]
name = "brake"
joint = "hook"
stiffness = 1.0
damping = 0.01
"#;

fn file(name: &str, text: &str) -> std::path::PathBuf {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("passivity");
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(name);
    fs::write(&file, text).expect("written");
    file
}

#[test]
fn good_runs_of_a_passive_mechanism_are_not_warned_of() {
    let file = file("good.toml", PENDULUM);
    for more in [
        &["--method", "hem5"][..],
        &["--method", "radau5", "--rtol", "1e-8"],
        &["--method", "half-implicit", "--step", "1e-3"],
        &["--method", "moreau-jean", "--step", "1e-3"],
    ] {
        let (code, report) = json(&[&["run", path(&file)], more].concat());
        assert_eq!(code, 0, "{report}");
        let rise = &report["energy"]["rise"];
        assert_eq!(keys(rise), ["explained", "from", "rise", "to"]);
        assert!(
            number(rise, "/rise") <= number(rise, "/explained"),
            "{more:?}: {rise}"
        );
    }
}

#[test]
fn steps_that_are_too_long_are_found_by_the_energy() {
    let file = file("long.toml", PENDULUM);
    let arguments = [
        "run",
        path(&file),
        "--method",
        "half-implicit",
        "--step",
        "0.02",
        "--check",
    ];
    let (_, report) = json(&arguments);
    let rise = &report["energy"]["rise"];
    assert!(
        number(rise, "/rise") > number(rise, "/explained"),
        "{report}"
    );
    assert_eq!(report["check"]["good"], false);
    let words = stdout(&liedae(&arguments));
    assert!(words.contains("although nothing drives"), "{words}");
}

#[test]
fn what_is_driven_is_not_judged() {
    let driven = format!(
        "{PENDULUM}[[drives]]\nname = \"motor\"\njoint = \"hook\"\nangle = {{ polynomial = [0.0, 0.0, 1.0] }}\n"
    );
    let file = file("driven.toml", &driven);
    let (code, report) = json(&["run", path(&file), "--method", "hem5"]);
    assert_eq!(code, 0, "{report}");
    assert!(report["energy"]["rise"].is_null(), "{report}");
}
