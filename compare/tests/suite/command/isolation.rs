//! Methods and problems that come to grief fail their own runs only.

use crate::common::{json, number_of, path};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The example with methods and problems that come to grief, which is built with the tests.
fn misbehaving(arguments: &[&str]) -> (Option<i32>, Value) {
    let binary = Path::new(env!("CARGO_BIN_EXE_liedae"));
    let example = binary.with_file_name("examples").join("misbehaving");
    let output = Command::new(example)
        .args(arguments)
        .arg("--json")
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .expect("the example starts");
    let report = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code(), report)
}

/// Methods and how their runs ended.
fn endings(report: &Value) -> BTreeMap<String, String> {
    let runs = report["results"].as_array().expect("runs").iter();
    let text = |run: &Value, key: &str| run[key].as_str().expect("a text").to_owned();
    runs.map(|run| (text(run, "variant"), text(run, "reason")))
        .collect()
}

#[test]
fn a_panic_is_a_failed_run() {
    let folder = tempfile::tempdir().expect("a directory");
    let out = path(folder.path());
    let (code, report) = misbehaving(&[
        "compare",
        "pendulum",
        "--methods",
        "panics,hem5",
        "--tols",
        "1e-3,1e-5",
        "--out",
        out,
    ]);
    assert_eq!(
        (code, &report["failed"]),
        (Some(0), &Value::from(2)),
        "{report}"
    );
    let endings = endings(&report);
    assert!(
        endings["panics"].starts_with("panicked: index out of bounds"),
        "{endings:?}"
    );
    assert_eq!(endings["hem5"], "");
}

#[cfg(target_os = "linux")]
#[test]
fn methods_that_come_to_grief_fail_alone() {
    let folder = tempfile::tempdir().expect("a directory");
    let out = path(folder.path());
    let (code, report) = misbehaving(&[
        "compare",
        "pendulum",
        "--methods",
        "panics,hangs,devours,quits,hem5",
        "--tols",
        "1e-3",
        "--time-limit",
        "0.1",
        "--isolate",
        "--memory-limit",
        "512",
        "--out",
        out,
    ]);
    assert_eq!(
        (code, &report["failed"]),
        (Some(0), &Value::from(4)),
        "{report}"
    );
    let endings = endings(&report);
    assert!(
        endings["panics"].contains("index out of bounds"),
        "{endings:?}"
    );
    assert!(
        endings["hangs"].contains("had not ended after"),
        "{endings:?}"
    );
    assert!(
        endings["devours"].contains("memory allocation"),
        "{endings:?}"
    );
    assert!(
        endings["quits"].contains("its process ended without an answer"),
        "{endings:?}"
    );
    assert_eq!(endings["hem5"], "");
    // A child measures the same as the process itself.
    let plain = tempfile::tempdir().expect("a directory");
    misbehaving(&[
        "compare",
        "pendulum",
        "--methods",
        "hem5",
        "--tols",
        "1e-3",
        "--out",
        path(plain.path()),
    ]);
    let row = "SELECT status, accepted, force, error_end, error_samples, violation_position FROM runs WHERE variant = 'hem5'";
    assert_eq!(
        json(&["query", out, row]),
        json(&["query", path(plain.path()), row])
    );
}

/// Processes on this machine that sleep as the example's method lets them.
#[cfg(target_os = "linux")]
fn sleepers() -> usize {
    let processes = fs::read_dir("/proc").expect("processes").flatten();
    let sleeps = processes.filter(|process| {
        let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
        line.starts_with(b"sleep\x0086399.25")
    });
    sleeps.count()
}

/// Nobody waits for what a method has left behind, nothing of it is left, and what it prints takes no memory.
#[cfg(target_os = "linux")]
#[test]
fn what_methods_leave_behind_ends_with_them() {
    let folder = tempfile::tempdir().expect("a directory");
    let (code, report) = misbehaving(&[
        "compare",
        "pendulum",
        "--methods",
        "prints,spawns",
        "--tols",
        "1e-3",
        "--time-limit",
        "0.1",
        "--isolate",
        "--out",
        path(folder.path()),
    ]);
    assert_eq!((code, &report["failed"]), (Some(0), &Value::from(1)));
    let endings = endings(&report);
    assert!(
        endings["prints"].contains("had not ended after"),
        "{endings:?}"
    );
    // The method goes on and is done, although what it has started holds its streams open for a day.
    assert_eq!(endings["spawns"], "");
    assert_eq!(sleepers(), 0);
}

/// Problems and how the runs of `hem5` on them ended; where their references come from.
fn endings_by_problem(report: &Value) -> BTreeMap<String, [String; 2]> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let sources: BTreeMap<String, String> = (report["references"].as_array().expect("a list"))
        .iter()
        .map(|line| (text(&line["problem"]), text(&line["source"])))
        .collect();
    let runs = report["results"].as_array().expect("runs").iter();
    let ending = |run: &Value| {
        let problem = text(&run["problem"]);
        let source = sources[&problem].clone();
        (problem, [text(&run["reason"]), source])
    };
    runs.map(ending).collect()
}

/// A problem of somebody's crate that comes to grief when it is built, looked at or solved fails its own runs only.
#[cfg(target_os = "linux")]
#[test]
fn problems_that_come_to_grief_fail_alone() {
    let folder = tempfile::tempdir().expect("a directory");
    let out = path(folder.path());
    let problems = "panics-built,hangs-built,devours-built,panics-solved,devours-solved,newton-cradle:n=5:t_end=0.2";
    let arguments = [
        "compare",
        problems,
        "--methods",
        "hem5,half-implicit",
        "--tols",
        "1e-3",
        "--time-limit",
        "0.1",
        "--isolate",
        "--memory-limit",
        "256",
        "--out",
        out,
    ];
    let (code, report) = misbehaving(&arguments);
    // Three variants each.
    assert_eq!((code, &report["runs"]), (Some(0), &Value::from(18)));
    assert_eq!(report["failed"], 15);
    let found = endings_by_problem(&report);
    let reason = |problem: &str| found[problem][0].as_str();
    let says = |problem: &str, words: &str| {
        let [reason, source] = &found[problem];
        assert!(reason.contains(words), "{problem}: {reason}");
        assert!(source.starts_with("none: "), "{problem}: {source}");
    };
    says("panics-built", "index out of bounds");
    says("hangs-built", "had not ended after");
    says("devours-built", "memory allocation");
    says("panics-solved", "index out of bounds");
    says("devours-solved", "memory allocation");
    let whole = "newton-cradle:n=5:t_end=0.2";
    assert_eq!(reason(whole), "");
    assert!(found[whole][1].contains("the two agree"), "{found:?}");
    assert_eq!(number_of(folder.path(), "SELECT count(*) FROM runs"), 18);
    // A parameter that does not fit is found before anything runs, in a child as here.
    let wrong = ["compare", "chain:n=0", "--methods", "hem5", "--out", out];
    assert_eq!(misbehaving(&wrong).0, Some(2));
    assert_eq!(
        misbehaving(&[wrong.as_slice(), &["--isolate"]].concat()).0,
        Some(2)
    );
}

/// Without children a panic is a failed run, too, wherever a problem panics.
#[test]
fn a_problem_that_panics_is_a_failed_run() {
    let folder = tempfile::tempdir().expect("a directory");
    let (code, report) = misbehaving(&[
        "compare",
        "panics-built,panics-solved,pendulum",
        "--methods",
        "hem5",
        "--tols",
        "1e-3",
        "--out",
        path(folder.path()),
    ]);
    assert_eq!((code, &report["failed"]), (Some(0), &Value::from(2)));
    let found = endings_by_problem(&report);
    assert!(found["panics-built"][0].contains("panicked: index out of bounds"));
    assert!(found["panics-solved"][0].contains("panicked: index out of bounds"));
    assert_eq!(found["pendulum"][0], "");
}
