//! Mechanism files: what they make, and what is said of those that are wrong.

mod common;
#[path = "mechanism_files/refusals.rs"]
mod refusals;

use common::{json, liedae, number, path, stdout};
use liedae::prelude::*;
use liedae_multibody::file::MechanismFile;
use liedae_multibody::{
    BodyId, Drive, Frame, Joint, Motion, MultibodyBuilder, MultibodySystem, RigidBody,
    RotationalSpring, TranslationalSpring,
};
use std::fs;
use std::path::PathBuf;

fn example(name: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    root.join("examples/mechanisms").join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(example(name)).expect("an example")
}

/// The slider-crank of the file, by the builder.
fn slider_crank() -> MultibodySystem {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let crank = RigidBody::new("crank", 1.0, [0.001, 0.01, 0.01])
        .at([0.15, 0.0, 0.0])
        .moving([0.0, 0.0, 0.9], [0.0, -6.0, 0.0]);
    let rod = RigidBody::new("rod", 2.0, [0.002, 0.08, 0.08])
        .at([0.65, 0.0, 0.0])
        .moving([0.0, 0.0, 0.9], [0.0, 2.5714285714285716, 0.0]);
    let slider = RigidBody::new("slider", 3.0, [0.01; 3]).at([1.0, 0.0, 0.0]);
    let [crank, rod, slider] = [crank, rod, slider].map(|body| mechanism.add_body(body));
    let down = [0.0, -1.0, 0.0];
    let shaft = mechanism.add_joint(Joint::revolute(
        "shaft",
        BodyId::GROUND,
        crank,
        [0.0; 3],
        down,
    ));
    mechanism.add_joint(Joint::spherical("crank pin", crank, rod, [0.3, 0.0, 0.0]));
    let end = [1.0, 0.0, 0.0];
    let (across, up) = ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    mechanism.add_joint(Joint::universal("piston pin", rod, slider, end, across, up));
    mechanism.add_joint(Joint::translational(
        "guide",
        BodyId::GROUND,
        slider,
        end,
        end,
    ));
    mechanism.add_drive("motor", shaft, Drive::Angle(Motion::linear(0.0, 6.0)));
    let ends = [[2.0, 0.0, 0.0], end].map(Frame::world_point);
    let spring = TranslationalSpring::new("buffer", [BodyId::GROUND, slider], ends, 200.0, 1.1);
    mechanism.add_spring(spring.with_damping(5.0));
    mechanism.build().expect("a slider-crank")
}

fn double_pendulum() -> MultibodySystem {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let [upper, lower] = [("upper", -0.5), ("lower", -1.5)].map(|(name, z)| {
        let bar = RigidBody::new(name, 1.0, [0.083, 0.083, 1e-3]);
        mechanism.add_body(bar.at([0.0, 0.0, z]))
    });
    let axis = [0.0, -1.0, 0.0];
    let pivot = mechanism.add_joint(Joint::revolute(
        "pivot",
        BodyId::GROUND,
        upper,
        [0.0; 3],
        axis,
    ));
    let middle = [0.0, 0.0, -1.0];
    let elbow = mechanism.add_joint(Joint::revolute("elbow", upper, lower, middle, axis));
    let spring = RotationalSpring::new("torsion", elbow, 3.0, 0.0).with_damping(0.1);
    mechanism.add_rotational_spring(spring);
    for (joint, angle, rate) in [(pivot, 0.5, 3.0), (elbow, -0.2, -3.0)] {
        use liedae_multibody::JointCoordinate::Angle;
        mechanism.joint_position(joint, Angle(angle));
        mechanism.joint_rate(joint, Angle(rate));
    }
    mechanism.build().expect("a double pendulum")
}

#[test]
fn a_file_runs_as_the_same_mechanism_does_to_the_last_bit() {
    for (name, mut built) in [
        ("slider-crank.toml", slider_crank()),
        ("double-pendulum.toml", double_pendulum()),
    ] {
        let text = text(name);
        let file = MechanismFile::read(&text).expect("a file");
        let mut read = file.system(&text).expect("a mechanism");
        let again = file.text().expect("TOML");
        let mut again = MechanismFile::read(&again)
            .and_then(|file| file.system(&again))
            .expect("the same");
        for method in ["hem5", "radau5"] {
            let registry = liedae_contact::methods();
            let method = registry
                .build(method, &MethodOptions::default())
                .expect("a method");
            let options = Options::adaptive(0.5, 1e-7, 1e-7);
            let run = |system: &mut MultibodySystem| {
                let run = solve(system, method.as_ref(), &options).expect("a run");
                let parts = [run.state.q, run.state.v, run.state.lambda].concat();
                let bits: Vec<u64> = parts.into_iter().map(f64::to_bits).collect();
                (run.statistics.accepted, bits)
            };
            let expected = run(&mut built);
            assert_eq!(run(&mut read), expected, "{name}");
            assert_eq!(run(&mut again), expected, "{name}");
        }
    }
}

#[test]
fn commands_take_paths() {
    let crank = example("slider-crank.toml");
    let (code, report) = json(&["run", path(&crank), "--method", "hem5", "--t-end", "0.5"]);
    assert_eq!((code, report["status"].as_str()), (0, Some("done")));
    assert!(number(&report, "/outputs/torque").is_finite());
    // The crank is at 3 rad; the pin is 0.3 m from the shaft and 0.7 m from the slider.
    let (sine, cosine) = 3.0_f64.sin_cos();
    let expected = 0.3 * cosine + (0.49 - (0.3 * sine).powi(2)).sqrt();
    assert!((number(&report, "/outputs/slider") - expected).abs() < 1e-6);
    let ball = example("ball.toml");
    let (code, report) = json(&["run", path(&ball), "--method", "hem5"]);
    assert_eq!(code, 0);
    let impact = &report["events"][0];
    assert_eq!(
        (impact["kind"].as_str(), impact["label"].as_str()),
        (Some("impact"), Some("floor"))
    );
    assert!((number(impact, "/t") - (2.0 * 0.9 / 9.81_f64).sqrt()).abs() < 1e-9);
    let (code, report) = json(&["analyse", path(&crank), "--inverse", "--redundancy"]);
    assert_eq!(code, 0);
    let label = &report["inverse"]["drives"][0]["row"]["label"];
    assert_eq!(label, "joint 'motor' (angle): rotation about the joint's z");
    let (code, _) = json(&["describe", path(&crank)]);
    assert_eq!(code, 0);
    let folder = tempfile::tempdir().expect("a folder");
    let arms = example("double-pendulum.toml");
    let problems = format!("{},pendulum", path(&arms));
    let out = path(folder.path());
    let (code, report) = json(&[
        "compare",
        &problems,
        "--methods",
        "hem5,mdop5",
        "--tols",
        "1e-4,1e-6",
        "--out",
        out,
    ]);
    assert_eq!((code, number(&report, "/failed")), (0, 0.0));
    let output = liedae(&["schema"]);
    let schema: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert!(schema["properties"]["bodies"].is_object());
    assert!(schema["$defs"]["JointEntry"]["properties"]["kind"].is_object());
}

/// What the catalogue has and a file can state: bodies, joints and drives.
#[test]
fn the_catalogues_mechanisms_run_alike_from_their_files() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, t_end) in [
        ("double-pendulum", 1.0),
        ("four-link", 1.0),
        ("chain", 0.2),
        ("slider-crank", 0.5),
    ] {
        let output = liedae(&["export", name]);
        assert_eq!(output.status.code(), Some(0), "{name}");
        let text = stdout(&output);
        let place = folder.path().join(format!("{name}.toml"));
        fs::write(&place, &text).expect("written");
        let file = MechanismFile::read(&text).expect("a file");
        let mut read = file.system(&text).expect("a mechanism");
        let entry = liedae_problems::ProblemRegistry::standard().lookup(name);
        let mut problem = entry
            .and_then(|entry| entry.build_with(&[]))
            .expect("built");
        let method = liedae_contact::methods()
            .build("hem5", &MethodOptions::default())
            .expect("a method");
        let options = Options::adaptive(t_end, 1e-7, 1e-7);
        let run = |system: &mut dyn System| {
            let run = solve(system, method.as_ref(), &options).expect("a run");
            let parts = [run.state.q, run.state.v, run.state.lambda].concat();
            let bits: Vec<u64> = parts.into_iter().map(f64::to_bits).collect();
            (run.statistics.accepted, bits)
        };
        assert_eq!(run(&mut read), run(problem.system.as_mut()), "{name}");
        let (code, _) = json(&["run", path(&place), "--method", "hem5", "--t-end", "0.1"]);
        assert_eq!(code, 0, "{name}");
    }
    for (name, words) in [
        ("slider-crank:mu=0.25", "friction"),
        ("andrews", "no mechanism in space"),
        ("box-drop", "contacts"),
    ] {
        let output = liedae(&["export", name]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(words), "{name}: {said}");
    }
}

/// Replaced text, the line that the error names, a part of its field, a part of its words.
type Mistake = (
    &'static str,
    &'static str,
    usize,
    &'static str,
    &'static str,
);

const MISTAKES: [Mistake; 30] = [
    ("t_end = 2.0", "", 0, "the file", "missing field `t_end`"),
    ("t_end = 2.0", "t_end = -1.0", 4, "t_end", "after the start"),
    ("t_end = 2.0", "t_end = nan", 4, "t_end", "finite"),
    ("t_end = 2.0", "t_end = \"soon\"", 4, "t_end", "expected"),
    (
        "t_end = 2.0",
        "t_end = 2.0\nstep = 0.0",
        5,
        "step",
        "positive",
    ),
    ("t_end = 2.0", "t_end = ", 4, "t_end", ""),
    ("t_end = 2.0", "t_ende = 2.0", 4, "t_ende", "unknown field"),
    (
        "gravity = [0.0, 0.0, -9.81]",
        "gravity = [0.0, -9.81]",
        3,
        "gravity",
        "length",
    ),
    (
        "gravity = [0.0, 0.0, -9.81]",
        "gravity = [inf, 0.0, 0.0]",
        0,
        "",
        "not finite",
    ),
    ("mass = 1.0\n", "", 6, "bodies[0]", "missing field `mass`"),
    (
        "mass = 1.0",
        "mass = 0.0",
        8,
        "bodies[0].mass",
        "must be positive",
    ),
    (
        "mass = 1.0",
        "mass = nan",
        8,
        "bodies[0].mass",
        "must be positive",
    ),
    (
        "mass = 1.0",
        "mass = \"1 kg\"",
        8,
        "bodies[0].mass",
        "expected",
    ),
    (
        "name = \"rod\"",
        "name = \"crank\"",
        15,
        "bodies[1].name",
        "already",
    ),
    (
        "name = \"rod\"",
        "name = \"ground\"",
        15,
        "bodies[1].name",
        "the world",
    ),
    (
        "inertia = [0.001, 0.01, 0.01]",
        "inertia = [0.001, 0.01]",
        9,
        "bodies[0].inertia",
        "three principal moments",
    ),
    (
        "inertia = [0.001, 0.01, 0.01]",
        "inertia = [0.1, 0.01, 0.01]",
        9,
        "bodies[0].inertia",
        "the largest exceeds",
    ),
    (
        "inertia = [0.001, 0.01, 0.01]",
        "inertia = [-0.001, 0.01, 0.01]",
        9,
        "bodies[0].inertia",
        "positive definite",
    ),
    (
        "position = [0.15, 0.0, 0.0]",
        "position = [0.15, 0.0, 0.0]\nrotation = [[1, 0, 0], [0, 2, 0], [0, 0, 1]]",
        11,
        "bodies[0].rotation",
        "not in SO(3)",
    ),
    (
        "position = [0.15, 0.0, 0.0]",
        "position = [0.2, 0.0, 0.0]",
        0,
        "joints[",
        "violate joint",
    ),
    (
        "bodies = [\"ground\", \"crank\"]",
        "bodies = [\"ground\", \"crnk\"]",
        31,
        "joints[0].bodies",
        "no body `crnk`",
    ),
    (
        "bodies = [\"ground\", \"crank\"]",
        "bodies = [\"crank\", \"crank\"]",
        31,
        "joints[0].bodies",
        "with itself",
    ),
    (
        "bodies = [\"ground\", \"crank\"]",
        "bodies = [\"crank\"]",
        31,
        "joints[0].bodies",
        "length",
    ),
    (
        "kind = \"revolute\"",
        "kind = \"hinge\"",
        30,
        "joints[0].kind",
        "unknown variant",
    ),
    (
        "axis = [0.0, -1.0, 0.0]",
        "axis = [0.0, -2.0, 0.0]",
        33,
        "joints[0].axis",
        "unit vector",
    ),
    (
        "axis = [0.0, -1.0, 0.0]\n",
        "",
        28,
        "joints[0].axis",
        "needs `axis`",
    ),
    (
        "joint = \"shaft\"",
        "joint = \"axle\"",
        58,
        "drives[0].joint",
        "no joint `axle`",
    ),
    (
        "angle = { polynomial",
        "translation = { polynomial",
        58,
        "drives[0].joint",
        "does not fit",
    ),
    (
        "quantity = \"effort\"",
        "quantity = \"x\"",
        77,
        "outputs[1].quantity",
        "expected of a joint",
    ),
    (
        "body = \"slider\"\nquantity",
        "quantity",
        69,
        "outputs[0].body",
        "one of `body` and `joint`",
    ),
];

#[test]
fn mistakes_are_named_with_their_line_and_field() {
    let right = text("slider-crank.toml");
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("model.toml");
    let mut wrong = Vec::new();
    for (from, to, line, field, words) in MISTAKES {
        assert!(right.contains(from), "{from}");
        let text = right.replacen(from, to, 1);
        let made = MechanismFile::read(&text).and_then(|file| file.system(&text).map(|_| ()));
        let Err(error) = made else {
            wrong.push(format!("{to:?} is taken"));
            continue;
        };
        let fits = (line == 0 || error.line == line)
            && error.field.contains(field)
            && error.reason.contains(words);
        if !fits {
            wrong.push(format!(
                "{to:?}: {error} instead of line {line}, {field}: {words}"
            ));
        }
        fs::write(&place, &text).expect("written");
        let output = liedae(&["run", path(&place), "--method", "hem5"]);
        assert_eq!(output.status.code(), Some(2), "{to}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("model.toml: line "), "{said}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_no_file_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("model.toml");
    let run = || liedae(&["run", path(&place), "--method", "hem5"]);
    let refused = |words: &str| {
        let output = run();
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(words), "{}", &said[..said.len().min(500)]);
    };
    refused("cannot read");
    // 10 MB of what is no text, then of what is.
    let garbage: Vec<u8> = (0..10_000_000_u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    fs::write(&place, &garbage).expect("written");
    refused("it is no text");
    let letters: Vec<u8> = garbage.iter().map(|byte| b' ' + byte % 95).collect();
    fs::write(&place, letters).expect("written");
    refused("model.toml: line 1");
    fs::write(&place, "").expect("written");
    refused("missing field");
    fs::create_dir(folder.path().join("folder.toml")).expect("a folder");
    let output = liedae(&[
        "run",
        path(&folder.path().join("folder.toml")),
        "--method",
        "hem5",
    ]);
    assert_eq!(output.status.code(), Some(2));
}

/// Texts with bytes changed, doubled and left out: an error or a mechanism, never a panic.
#[test]
fn changed_texts_do_no_harm() {
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below.max(1) as u64) as usize
    };
    let texts = ["slider-crank.toml", "ball.toml", "double-pendulum.toml"].map(text);
    let signs = b"[]{}=\",.-0159einfa#\n ";
    let mut refused = 0;
    for round in 0..3000 {
        let mut bytes = texts[round % texts.len()].clone().into_bytes();
        for _ in 0..1 + random(4) {
            let at = random(bytes.len());
            match random(4) {
                0 => bytes[at] = signs[random(signs.len())],
                1 => bytes.insert(at, signs[random(signs.len())]),
                2 => {
                    let end = (at + 1 + random(40)).min(bytes.len());
                    bytes.drain(at..end);
                }
                _ => {
                    let end = (at + 1 + random(80)).min(bytes.len());
                    let part = bytes[at..end].to_vec();
                    let to = random(bytes.len());
                    bytes.splice(to..to, part);
                }
            }
        }
        let text = String::from_utf8(bytes).expect("ASCII");
        let made = MechanismFile::read(&text).and_then(|file| file.system(&text).map(|_| ()));
        if let Err(error) = made {
            refused += 1;
            let lines = text.lines().count() + 1;
            assert!(error.line >= 1 && error.line <= lines, "{error}");
        }
    }
    assert!(refused > 1500, "{refused}");
}
