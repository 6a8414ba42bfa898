//! Mechanism files on the command line.

mod common;

use common::{json, liedae, number, path, stdout};
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
