//! Programs of other people in comparisons: they are measured like methods, and those that come to grief fail alone.

use crate::common::{json, liedae, stdout};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The example `foreign_program`, which `cargo test` builds.
fn program() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_liedae"))
        .with_file_name("examples")
        .join("foreign_program")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A comparison with a program named classic; exit code and answer.
fn compare(
    out: &Path,
    program: &Path,
    problems: &str,
    methods: &str,
    more: &[&str],
) -> (i32, Value) {
    let references = out.with_extension("references");
    let program = format!("classic={}", text(program));
    let arguments = [
        "compare",
        problems,
        "--methods",
        methods,
        "--program",
        &program,
        "--out",
        text(out),
        "--references",
        text(&references),
    ];
    json(&[&arguments[..], more].concat())
}

fn results(answer: &Value) -> &Vec<Value> {
    answer["results"].as_array().expect("results")
}

#[test]
fn a_program_is_measured_like_a_method() {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("report");
    let tolerances = ["--tols", "1e-4,1e-7", "--keep-samples"];
    // Stars without constraints, a mechanism whose multipliers are outputs, and one that is driven.
    let problems = "pleiades,pendulum,haddouni-slider-crank";
    let (code, answer) = compare(&out, &program(), problems, "dopri5,classic", &tolerances);
    assert_eq!(code, 0, "{answer}");
    assert_eq!(results(&answer).len(), 12);
    let said = "classic: the classical method, version 4";
    assert_eq!(answer["provenance"][0]["programs"][0], said, "{answer}");
    let page = fs::read_to_string(out.join("report.html")).expect("a report");
    assert!(page.contains(said), "the version is not in the report");
    for row in results(&answer) {
        assert_eq!(row["status"], "done", "{row}");
        // Constraints drift off in a form without them: a tolerance is no bound.
        let bound = if row["tolerance"] == 1e-4 { 0.5 } else { 5e-3 };
        let is_small = |key: &str| row[key].as_f64().is_some_and(|error| error < bound);
        assert!(is_small("error_end"), "{row}");
        // The stars have a reference at the end only.
        assert!(
            row["problem"] == "pleiades" || is_small("error_samples"),
            "{row}"
        );
        assert!(
            row["accepted"].as_u64() > Some(5) && row["force"].as_u64() > Some(50),
            "{row}"
        );
        assert!(row["cpu_s"].as_f64() > Some(0.0), "{row}");
    }
    // Twelve evaluations for a step with its halves, one at the start: outputs and multipliers of reports cost nothing.
    let program = results(&answer)
        .iter()
        .filter(|row| row["variant"] == "classic");
    for row in program {
        let [accepted, rejected, force] =
            ["accepted", "rejected", "force"].map(|key| row[key].as_u64().expect("counted"));
        assert_eq!(force, 12 * (accepted + rejected) + 1, "{row}");
    }
    let (_, samples) = json(&[
        "query",
        text(&out),
        "SELECT count(*) AS n FROM samples JOIN runs ON run = runs.id WHERE variant = 'classic'",
    ]);
    assert!(samples[0]["n"].as_u64() > Some(100), "{samples}");
}

#[test]
fn programs_that_come_to_grief_fail_alone() {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("report");
    let faults = [
        ("dies", "exit status: 7: there is no more to be had"),
        ("prints", "does it write other words to stdout?"),
        ("nan", "is not finite"),
        ("early", "its state by `last` is at t = 0 instead of 10"),
        ("silent", "it was done without a state at the end"),
        ("short", "comes with 8 bytes instead of 5 numbers"),
        ("backwards", "its CPU time is -1 s after"),
        ("wrong", "there is no such fault"),
    ];
    let names = faults.map(|(fault, _)| format!("classic:fault={fault}"));
    let methods = format!("hem5,classic,{},classic:foul=yes", names.join(","));
    let (code, answer) = compare(&out, &program(), "pendulum", &methods, &["--tols", "1e-4"]);
    assert_eq!(code, 0, "{answer}");
    let reason = |variant: &str| {
        let mut rows = results(&answer).iter();
        let row = rows.find(|row| row["variant"] == variant).expect("a row");
        (
            row["status"].as_str().expect("a status"),
            row["reason"].as_str().expect("words"),
        )
    };
    assert_eq!([reason("hem5").0, reason("classic").0], ["done", "done"]);
    for ((_, expected), name) in faults.iter().zip(&names) {
        let (status, words) = reason(name);
        let is_refused = name.ends_with("wrong");
        assert_eq!(
            status,
            if is_refused { "bad-input" } else { "failed" },
            "{words}"
        );
        assert!(words.contains(expected), "{name}: {words}");
    }
    let (status, words) = reason("classic:foul=yes");
    assert_eq!(status, "bad-input");
    assert!(words.contains("`foul`; it asks for: fault"), "{words}");
}

/// Processes on this machine that sleep as the example's program lets them.
#[cfg(target_os = "linux")]
fn sleepers() -> usize {
    let processes = fs::read_dir("/proc").expect("processes").flatten();
    let sleeps = processes.filter(|process| {
        let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
        line.starts_with(b"sleep\x0086398.75")
    });
    sleeps.count()
}

/// A program that ends and leaves a process behind has ended, although that one holds its pipes; and what it has started ends with it,
/// whether it comes to grief, is done or is killed.
#[cfg(target_os = "linux")]
#[test]
fn what_programs_leave_behind_ends_with_them() {
    let folder = TempDir::new().expect("a folder");
    let methods = "classic:fault=forks,classic:fault=leaves";
    for (name, more) in [("plain", &[][..]), ("isolated", &["--isolate"][..])] {
        let out = folder.path().join(name);
        let more = [&["--tols", "1e-4", "--time-limit", "1"][..], more].concat();
        let (code, answer) = compare(&out, &program(), "pendulum", methods, &more);
        assert_eq!(code, 0, "{answer}");
        let rows = results(&answer);
        let reason = rows[0]["reason"].as_str().expect("words");
        // Shown as it is, a terminal would obey it.
        let words = "exit status: 3: \\u{1b}[31mit has left somebody behind\\u{0}";
        assert!(reason.ends_with(words), "{name}: {reason}");
        assert_eq!(rows[1]["status"], "done", "{name}: {answer}");
        assert_eq!(sleepers(), 0, "{name}");
    }
}

/// Ctrl-C says what is kept, and ends the program that is running; the same command goes on.
#[cfg(target_os = "linux")]
#[test]
fn a_comparison_that_is_interrupted_says_what_is_kept() {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("report");
    let program = format!("classic={}", text(&program()));
    let mut child = Command::new(env!("CARGO_BIN_EXE_liedae"))
        .args([
            "compare",
            "pendulum",
            "--methods",
            "hem5,classic:fault=hangs",
        ])
        .args([
            "--tols",
            "1e-3",
            "--time-limit",
            "1000",
            "--program",
            &program,
        ])
        .args(["--out", text(&out)])
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    let runs = || match out.join("results.sqlite").exists() {
        true => crate::common::number_of(&out, "SELECT count(*) FROM runs"),
        false => 0,
    };
    for _ in 0..600 {
        if runs() == 1 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.expect("a shell's kill").success());
    let mut words = String::new();
    let mut pipe = child.stderr.take().expect("a pipe");
    // Nobody holds the pipe any more: the program has ended, too.
    std::io::Read::read_to_string(&mut pipe, &mut words).expect("UTF-8");
    assert_eq!(child.wait().expect("an end").code(), Some(130), "{words}");
    let said = format!(
        "liedae: interrupted: 1 of 2 runs stay in {}; the same command goes on from there",
        out.join("results.sqlite").display()
    );
    assert!(words.contains(&said), "{words}");
    assert_eq!(runs(), 1);
}

#[test]
fn a_program_has_no_more_time_than_a_method() {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("report");
    let limits = ["--tols", "1e-3,1e-4", "--time-limit", "0.01"];
    let methods = "classic:fault=endless,classic:fault=hangs";
    let (_, answer) = compare(&out, &program(), "hires", methods, &limits);
    let reasons: Vec<&str> = (results(&answer).iter())
        .map(|row| row["reason"].as_str().expect("words"))
        .collect();
    assert!(
        reasons[0].starts_with("out of time: 0.01 s of CPU time are over"),
        "{reasons:?}"
    );
    assert!(
        reasons[2].starts_with("out of time: the program had not ended after 10.3 s"),
        "{reasons:?}"
    );
    // A tighter tolerance is not tried after that.
    assert!(reasons[1].starts_with("not run") && reasons[3].starts_with("not run"));
}

#[test]
fn what_programs_cannot_be_given_is_refused() {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("report");
    let problems = "heavy-top,bouncing-ball,transistor-amplifier";
    let (_, answer) = compare(&out, &program(), problems, "classic", &["--tols", "1e-3"]);
    let expected = ["Lie group", "contacts", "singular M"];
    for (row, words) in results(&answer).iter().zip(expected) {
        assert_eq!(row["status"], "bad-input", "{row}");
        let reason = row["reason"].as_str().expect("words");
        assert!(reason.contains(words), "{reason}");
    }
    let missing = liedae(&[
        "compare",
        "hires",
        "--methods",
        "x",
        "--program",
        "x=/nowhere",
        "--out",
        text(&out),
    ]);
    assert_eq!(missing.status.code(), Some(2), "{}", stdout(&missing));
    let words = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert!(words.contains("/nowhere cannot be used"), "{words}");
    let taken = format!("hem5={}", text(&program()));
    let taken = liedae(&[
        "compare",
        "hires",
        "--methods",
        "hem5",
        "--program",
        &taken,
        "--out",
        text(&out),
    ]);
    assert_eq!(taken.status.code(), Some(2));
}

/// A program that was built anew is another one: results of the old one are not taken for its own.
#[test]
fn runs_belong_to_the_file_of_the_program() {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("report");
    let own = folder.path().join("solver");
    fs::copy(program(), &own).expect("a copy");
    let count = || {
        let (code, _) = compare(&out, &own, "pleiades", "classic", &["--tols", "1e-3"]);
        assert_eq!(code, 0);
        let (_, rows) = json(&["query", text(&out), "SELECT count(*) AS n FROM runs"]);
        rows[0]["n"].as_u64()
    };
    assert_eq!((count(), count()), (Some(1), Some(1)));
    let mut bytes = fs::read(&own).expect("a file");
    // Behind the end of a program nobody reads.
    bytes.push(0);
    fs::write(&own, bytes).expect("written");
    assert_eq!(count(), Some(2));
}

/// Needs a C compiler, make and libsundials-dev.
#[test]
#[ignore = "needs SUNDIALS: apt-get install libsundials-dev"]
fn drivers_of_sundials_take_the_steps_that_they_take_elsewhere() {
    let folder = TempDir::new().expect("a folder");
    let drivers = Path::new(env!("CARGO_MANIFEST_DIR")).join("foreign");
    let made = Command::new("make")
        .args([
            "-C",
            text(&drivers),
            &format!("OUT={}", text(folder.path())),
        ])
        .output()
        .expect("make");
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let run = |problems: &str, driver: &str, methods: &str, tolerances: &str| {
        let out = folder.path().join(format!("report-{driver}"));
        let program = format!("{driver}={}", text(&folder.path().join(driver)));
        let references = folder.path().join("references");
        let (code, answer) = json(&[
            "compare",
            problems,
            "--methods",
            methods,
            "--program",
            &program,
            "--tols",
            tolerances,
            "--out",
            text(&out),
            "--references",
            text(&references),
        ]);
        assert_eq!(code, 0, "{answer}");
        answer
    };
    let near = |found: &Value, expected: f64| {
        let found = found.as_f64().expect("a count");
        assert!(
            (found - expected).abs() <= 0.02 * expected,
            "{found} instead of {expected}"
        );
    };
    // A program without liedae, which has the same right-hand side, on SUNDIALS 6.4.1: docs/book/src/comparing/foreign-solvers.md.
    let pendulum = "pendulum:g=13.750371636040745:angle=1.5707963267948966:t_end=30";
    let answer = run(pendulum, "cvode", "cvode", "1e-5,1e-7,1e-9");
    for (row, steps) in results(&answer).iter().zip([1500.0, 3149.0, 6661.0]) {
        near(&row["accepted"], steps);
    }
    let answer = run("hires,van-der-pol", "ida", "ida", "1e-3,1e-5");
    let expected = [
        (64.0, 105.0),
        (147.0, 246.0),
        (381.0, 682.0),
        (676.0, 1108.0),
    ];
    for (row, (steps, iterations)) in results(&answer).iter().zip(expected) {
        near(&row["accepted"], steps);
        near(&row["newton_iterations"], iterations);
    }
    // Constraints at both levels are held to the tolerance by the stabilized form, and drift with index 1.
    let answer = run(
        "andrews,pendulum,transistor-amplifier",
        "ida",
        "ida,ida:index=1",
        "1e-3",
    );
    for row in results(&answer) {
        assert_eq!(row["status"], "done", "{row}");
        assert!(
            row["error_end"].as_f64().is_some_and(|error| error < 0.5),
            "{row}"
        );
    }
    let drift = |place: usize| {
        results(&answer)[place]["violation_position"]
            .as_f64()
            .expect("known")
    };
    assert!(drift(0) < 0.1 * drift(1) && drift(2) < 0.5 * drift(3));
}
