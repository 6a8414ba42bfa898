//! Mechanism files on the command line.

use crate::common::{json, liedae, number, path, stdout};
use liedae::prelude::*;
use liedae_multibody::file::MechanismFile;
use std::fs;
use std::path::PathBuf;

fn example(name: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    root.join("examples/mechanisms").join(name)
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

/// Of the smooth mechanisms in the catalogue positions, velocities and multipliers are the same to the last bit.
#[test]
fn states_are_alike_from_exported_files() {
    for (name, t_end) in [
        ("double-pendulum", 1.0),
        ("four-link", 1.0),
        ("chain", 0.2),
        ("slider-crank", 0.5),
        ("slider-crank:mu=0.25", 0.5),
    ] {
        let text = stdout(&liedae(&["export", name]));
        let file = MechanismFile::read(&text).expect("a file");
        let mut read = file.system(&text).expect("a mechanism");
        let mut parts = name.split(':');
        let entry = liedae_problems::ProblemRegistry::standard().lookup(parts.next().unwrap_or(""));
        let settings: Vec<&str> = parts.collect();
        let mut problem = entry
            .and_then(|entry| entry.build_with(&settings))
            .expect("built");
        for method in ["hem5", "radau5"] {
            let method = liedae_contact::methods()
                .build(method, &MethodOptions::default())
                .expect("a method");
            let options = Options::adaptive(t_end, 1e-7, 1e-7);
            let run = |system: &mut dyn System| {
                let run = solve(system, method.as_ref(), &options).expect("a run");
                let parts = [run.state.q, run.state.v, run.state.lambda].concat();
                let bits: Vec<u64> = parts.into_iter().map(f64::to_bits).collect();
                (run.statistics.accepted, bits)
            };
            assert_eq!(run(&mut read), run(problem.system.as_mut()), "{name}");
        }
    }
}

/// What a run says of itself but for its name, its time and its outputs.
fn account(report: &serde_json::Value) -> String {
    let parts = [
        "status",
        "steps",
        "evaluations",
        "factorizations",
        "solves",
        "newton_iterations",
        "violation",
        "penetration",
        "energy",
        "events",
    ];
    let said = parts.map(|part| format!("{part}: {}", report[part]));
    said.join("\n")
}

/// Every problem is exported, and then runs to the last bit alike, or it is said why not.
#[test]
fn all_problems_are_exported_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, list) = json(&["list", "problems"]);
    let listed = list["problems"].as_array().expect("a list").iter();
    let names = listed.map(|problem| problem["name"].as_str().expect("a name"));
    let more = [
        "slider-crank:mu=0.25",
        "slider-crank:mu=0.25:motion=1",
        "slider-crank:mu=0.25:motion=2",
    ];
    let expected = [
        "double-pendulum",
        "slider-crank",
        "four-link",
        "chain",
        "slider-crank-clearance-3d",
        "box-drop",
        more[0],
        more[1],
        more[2],
    ];
    let mut exported = Vec::new();
    for name in names.chain(more) {
        let output = liedae(&["export", name]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.code() != Some(0) {
            assert_eq!(output.status.code(), Some(2), "{name}: {said}");
            let reasons = [
                "no mechanism in the plane or in space",
                "of a program",
                "has modes",
                "equations of its own",
                "another turn",
            ];
            let is_reason = reasons.iter().any(|reason| said.contains(reason));
            assert!(is_reason, "{name}: {said}");
            continue;
        }
        let place = folder.path().join("exported.toml");
        fs::write(&place, stdout(&output)).expect("written");
        // Others, such as stiff beams, may take many steps.
        let t_end = if expected.contains(&name) {
            "0.5"
        } else {
            "1e-3"
        };
        for method in ["hem5", "half-implicit-euler", "moreau-jean"] {
            let run = |problem: &str| json(&["run", problem, "--method", method, "--t-end", t_end]);
            let (code, own) = run(name);
            let (code_of_file, from_file) = run(path(&place));
            assert_eq!(code, code_of_file, "{name} {method}");
            assert_eq!(account(&own), account(&from_file), "{name} {method}");
            // Outputs of one name are the same: gaps of contacts.
            let values = from_file["outputs"].as_object().into_iter().flatten();
            for (output, value) in values {
                let own = &own["outputs"][output];
                assert!(own.is_null() || own == value, "{name} {method}: {output}");
            }
        }
        exported.push(name);
    }
    // Laws of forces, motions and beams with modes.
    let laws = [
        "bridge-crane",
        "full-car",
        "plane-slider-crank",
        "rotor",
        "spin-up-beam",
        "flexible-manipulator",
        "flexible-scissor",
    ];
    for name in expected.into_iter().chain(laws) {
        assert!(exported.contains(&name), "{name} in {exported:?}");
    }
}

#[test]
fn outputs_that_are_left_out_are_named() {
    let output = liedae(&["export", "double-pendulum"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("theta1, theta2"), "{said}");
    // A file states all of its own.
    let crank = example("slider-crank.toml");
    let output = liedae(&["export", path(&crank)]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
    let (text, original) = (
        stdout(&output),
        fs::read_to_string(crank).expect("an example"),
    );
    // What a file says of itself is kept.
    let [read, first] = [&text, &original].map(|text| MechanismFile::read(text).expect("a file"));
    assert!(!first.title.is_empty());
    assert_eq!(
        (read.name, read.title, read.step),
        (first.name, first.title, first.step)
    );
    let outputs = |text: &str| {
        let file = MechanismFile::read(text).expect("a file");
        let mut system = file.system(text).expect("a mechanism");
        let state = system.initial_state();
        let outputs = named_outputs(&mut system, &state).expect("outputs");
        outputs
            .into_iter()
            .map(|(name, value)| (name, value.to_bits()))
            .collect::<Vec<_>>()
    };
    assert_eq!(outputs(&text), outputs(&original));
}

#[test]
fn mistakes_are_said_with_the_file_and_the_line() {
    let right = fs::read_to_string(example("slider-crank.toml")).expect("an example");
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("model.toml");
    for (from, to, line) in [
        ("t_end = 2.0", "t_end = ", 4),
        ("mass = 1.0", "mass = 0.0", 8),
        (
            "bodies = [\"ground\", \"crank\"]",
            "bodies = [\"ground\", \"crnk\"]",
            31,
        ),
    ] {
        fs::write(&place, right.replacen(from, to, 1)).expect("written");
        let output = liedae(&["run", path(&place), "--method", "hem5"]);
        assert_eq!(output.status.code(), Some(2), "{to}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(&format!("model.toml: line {line}")), "{said}");
    }
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

/// A robot runs by its path, and as the mechanism file that it is converted to.
#[test]
fn robots_run_and_are_converted() {
    let arm = example("arm.urdf");
    let run = |place: &str| liedae(&["run", place, "--method", "hem5", "--t-end", "0.2", "--json"]);
    let own = run(path(&arm));
    assert_eq!(own.status.code(), Some(0));
    let said = String::from_utf8_lossy(&own.stderr).into_owned();
    for words in [
        "gravity",
        "limits: joints move beyond them: shoulder, slide",
        "collision",
    ] {
        assert_eq!(said.matches(words).count(), 1, "{said}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("arm.toml");
    fs::write(&place, stdout(&liedae(&["export", path(&arm)]))).expect("written");
    let converted = run(path(&place));
    let report =
        |output| -> serde_json::Value { serde_json::from_str(&stdout(output)).expect("JSON") };
    let (own, converted) = (report(&own), report(&converted));
    assert_eq!(account(&own), account(&converted));
    assert_eq!(own["outputs"], converted["outputs"]);
    assert!(number(&own, "/outputs/forearm.vz").abs() > 0.1);
    let place = folder.path().join("robot.urdf");
    fs::write(&place, "<robot name=\"r\"></robot>").expect("written");
    let output = run(path(&place));
    assert_eq!(output.status.code(), Some(2));
    let shown = stdout(&output) + &String::from_utf8_lossy(&output.stderr);
    assert!(shown.contains("robot.urdf: there are no links"), "{shown}");
}
