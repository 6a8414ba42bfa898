//! What `run` and `list` offer to people: rows on stdout, a limit of time, sets, headers that say what ran.

use crate::common::{json, liedae, number, stderr, stdout};
use std::io::Read;
use std::process::{Command, Stdio};

const RUN: [&str; 6] = ["run", "pendulum", "--method", "hem5", "--t-end", "1"];

#[test]
fn rows_go_to_stdout_and_the_summary_to_stderr() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("rows.csv");
    let path = path.to_str().expect("UTF-8");
    assert_eq!(
        liedae(&[&RUN[..], &["--csv", path]].concat()).status.code(),
        Some(0)
    );
    let output = liedae(&[&RUN[..], &["--csv", "-"]].concat());
    assert_eq!(output.status.code(), Some(0));
    let file = std::fs::read_to_string(path).expect("a file");
    assert_eq!(stdout(&output), file);
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(words.contains("status") && words.contains("pendulum with hem5"));
    let (code, report) = json(&[&RUN[..], &["--csv", "-"]].concat());
    assert_eq!(code, 2);
    assert!(
        report["reason"]
            .as_str()
            .is_some_and(|text| text.contains("both be on stdout"))
    );
}

/// As behind `| head`: who reads has seen enough.
#[test]
fn a_reader_of_rows_may_go() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_liedae"))
        .args(RUN)
        .args(["--samples", "200000", "--csv", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut pipe = child.stdout.take().expect("a pipe");
    let mut head = [0; 10];
    pipe.read_exact(&mut head).expect("a head");
    drop(pipe);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(&head, b"t,x,y,vx,v");
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_run_out_of_time_has_failed_at_the_time_that_it_reached() {
    let arguments = [
        "run",
        "pendulum",
        "--method",
        "hem5",
        "--t-end",
        "1e9",
        "--time-limit",
        "0.2",
    ];
    let (code, report) = json(&arguments);
    assert_eq!((code, &report["status"]), (1, &"failed".into()));
    let reason = report["reason"].as_str().expect("words");
    assert!(
        reason.contains("0.2 s of wall time were enough to t = "),
        "{reason}"
    );
    let t = number(&report, "/t_end");
    assert!(t > 0.0 && t < 1e9, "{t}");
    assert!(number(&report, "/steps/accepted") > 0.0);
}

#[test]
fn a_long_run_says_how_far_it_is() {
    let output = liedae(&[
        "run",
        "pendulum",
        "--method",
        "hem5",
        "--t-end",
        "1e9",
        "--time-limit",
        "1.5",
    ]);
    let words = stderr(&output);
    let line = words.lines().next().expect("a line");
    assert!(
        // On a loaded machine the first line may come from the second pass.
        line.contains("t = ") && line.contains(" steps, h = ") && line.contains("% of 1.000e9 s"),
        "{words}"
    );
    let short = liedae(&RUN);
    assert_eq!(stderr(&short), "");
}

/// A run is made once; who asks for its times gets those of runs that nobody observes. Nothing else differs.
#[test]
fn a_run_is_made_once_and_repeated_for_its_times() {
    let methods = [
        "hem5",
        "mdop5",
        "dop853",
        "phem56",
        "radau5",
        "bdf",
        "bdf-lie",
        "extrapolation",
        "generalized-alpha",
        "half-implicit",
        "rattle",
        "rk4",
        "moreau-jean",
    ];
    for method in methods {
        for problem in ["double-pendulum-wall", "andrews"] {
            let run = ["run", problem, "--method", method, "--t-end", "0.02"];
            let (_, mut once) = json(&run);
            let (_, mut timed) = json(&[&run[..], &["--repetitions", "3"]].concat());
            for (report, repetitions) in [(&mut once, 0), (&mut timed, 3)] {
                if report["status"] == "done" {
                    assert_eq!(report["repetitions"], repetitions, "{method}");
                }
                report["repetitions"].take();
                report["wall_s"].take();
            }
            assert_eq!(once, timed, "{method}, {problem}");
        }
    }
    let said = |more: &[&str]| stdout(&liedae(&[&RUN[..], more].concat()));
    assert!(said(&[]).contains("of one run; --repetitions N takes the shortest of N"));
    assert!(said(&["--repetitions", "2"]).contains("the shortest of the repetitions"));
    assert_eq!(json(&[&RUN[..], &["--repetitions", "0"]].concat()).0, 2);
}

#[test]
fn headers_name_what_differs_from_the_defaults() {
    let text = |arguments: &[&str]| stdout(&liedae(arguments));
    let run = text(&[
        "run",
        "newton-cradle:e=0.5",
        "--set",
        "n=4",
        "--method",
        "hem5",
    ]);
    assert!(
        run.starts_with("newton-cradle:n=4:e=0.5 with hem5, rtol 1e-6"),
        "{run}"
    );
    assert!(text(&RUN).starts_with("pendulum with hem5"));
    let ladder = [
        "converge",
        "pendulum:length=2",
        "--method",
        "hem5",
        "--steps",
        "0.02,0.01",
        "--t-end",
        "1",
    ];
    assert!(text(&ladder).starts_with("pendulum:length=2 with hem5: error of"));
    let (_, report) = json(&ladder);
    assert_eq!(number(&report, "/parameters/length"), 2.0);
}

#[test]
fn the_problems_of_a_set_are_listed_as_they_run_in_it() {
    let (code, value) = json(&["list", "problems", "--set", "contact"]);
    assert_eq!((code, &value["set"]), (0, &"contact".into()));
    let problems = value["problems"].as_array().expect("a list");
    let (_, sets) = json(&["list", "sets"]);
    let sets = sets["sets"].as_array().expect("a list");
    let contact = sets
        .iter()
        .find(|set| set["name"] == "contact")
        .expect("a set");
    let names: Vec<_> = problems.iter().map(|line| line["name"].clone()).collect();
    assert_eq!(contact["problems"], serde_json::Value::from(names));
    let first = problems[0]["name"].as_str().expect("a name");
    assert_eq!(first, "double-pendulum-wall:e=0.6");
    assert_eq!(liedae(&["describe", first]).status.code(), Some(0));
    assert!(stdout(&liedae(&["list", "problems", "--set", "contact"])).contains(first));
    assert_eq!(liedae(&["describe", "contact"]).status.code(), Some(0));
}
