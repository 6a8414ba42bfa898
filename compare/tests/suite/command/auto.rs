//! `auto` chooses a method that does.

use crate::common::{json, liedae, path, stdout};
use serde_json::Value;

/// Runs a comparison with `auto` and says how each run ended.
fn failures(problems: &str, tolerances: &str, limit: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a directory");
    let out = folder.path().to_str().expect("UTF-8");
    let (_, report) = json(&[
        "compare",
        problems,
        "--methods",
        "auto",
        "--tols",
        tolerances,
        "--time-limit",
        limit,
        "--out",
        out,
    ]);
    let runs = report["results"].as_array().expect("runs").iter();
    runs.filter(|run| run["status"] != "done")
        .map(Value::to_string)
        .collect()
}

#[test]
fn it_does_on_problems_of_every_kind() {
    // Smooth and stiff, ODE and DAE of index 1 to 3, on Lie groups, with contacts, with friction in space, driven, large.
    let problems = "pendulum,heavy-top,van-der-pol,robertson,transistor-amplifier,car-axis,water-tube,rolling-disk,\
                    newton-cradle,woodpecker,ladder,slider-crank-friction,disc-backspin,stiff-double-pendulum,chain:n=16";
    let failures = failures(problems, "1e-3,1e-6", "20");
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
#[ignore = "a minute: every problem at three tolerances"]
fn it_does_on_every_problem() {
    let (_, list) = json(&["list", "problems"]);
    let names: Vec<&str> = list["problems"]
        .as_array()
        .expect("problems")
        .iter()
        .filter_map(|problem| problem["name"].as_str())
        .collect();
    let failures = failures(&names.join(","), "1e-3,1e-5,1e-7", "20");
    assert!(failures.is_empty(), "{failures:#?}");
}

/// A method need not be named, whatever is run.
#[test]
fn it_runs_where_no_method_is_named() {
    let folder = tempfile::tempdir().expect("a directory");
    let file = folder.path().join("pendulum.toml");
    let (code, text) = (liedae(&["export", "chain:n=2"]), &file);
    assert_eq!(code.status.code(), Some(0));
    std::fs::write(text, &code.stdout).expect("a file");
    for problem in ["van-der-pol", "woodpecker", path(&file)] {
        let rows = folder.path().join("rows.csv");
        let (code, report) = json(&["run", problem, "--t-end", "0.1", "--csv", path(&rows)]);
        assert_eq!(code, 0, "{report}");
        assert!(report["auto"].is_string(), "{report}");
        assert_eq!(report["options"]["variant"], report["method"]);
        // Rows are those of the method that arrived.
        let text = std::fs::read_to_string(&rows).expect("rows");
        let times: Vec<f64> = text
            .lines()
            .skip(1)
            .filter_map(|line| line.split(',').next()?.parse().ok())
            .collect();
        assert_eq!((times.first(), times.last()), (Some(&0.0), Some(&0.1)));
        assert!(times.windows(2).all(|pair| pair[0] <= pair[1]));
    }
}

/// Where the first choice fails, rows of the next one stand alone in a file and on stdout.
#[test]
fn rows_of_a_method_that_failed_are_forgotten() {
    let folder = tempfile::tempdir().expect("a directory");
    let rows = folder.path().join("rows.csv");
    // The methods that locate events have too few steps each.
    let run = [
        "run",
        "disc-backspin",
        "--max-steps",
        "120",
        "--samples",
        "11",
        "--csv",
    ];
    let output = liedae(&[&run[..], &[path(&rows)]].concat());
    let text = std::fs::read_to_string(&rows).expect("rows");
    let printed = liedae(&[&run[..], &["-"]].concat());
    assert_eq!(output.status.code(), printed.status.code());
    assert_eq!(stdout(&printed), text);
    assert_eq!(
        text.lines().filter(|line| line.starts_with("t,")).count(),
        1
    );
}

#[test]
fn it_says_what_it_chose_and_why() {
    let chosen = |problem: &str, more: &[&str]| {
        let (code, report) = json(&[&["run", problem, "--method", "auto"], more].concat());
        assert_eq!(code, 0, "{report}");
        let reason = report["auto"].as_str().expect("a reason").to_owned();
        (
            report["method"].as_str().expect("a name").to_owned(),
            reason,
        )
    };
    let (method, reason) = chosen("van-der-pol", &[]);
    assert_eq!(method, "radau5");
    assert!(reason.starts_with("on trial it foretold"), "{reason}");
    assert_eq!(chosen("heavy-top", &["--rtol", "1e-8"]).0, "dop853");
    // Where no problem is known, it is no method.
    let (code, report) = json(&[
        "converge", "pendulum", "--method", "auto", "--steps", "0.1,0.05",
    ]);
    assert_eq!(code, 2, "{report}");
    assert!(
        report["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("name one here"))
    );
    assert_eq!(
        json(&["run", "pendulum", "--method", "auto:safety=0.5"]).0,
        2
    );
}

/// A limit of steps is that of the whole run: of trials, of the methods that failed, and of the one that arrives.
#[test]
fn all_methods_share_the_limit_of_steps() {
    let folder = tempfile::tempdir().expect("a directory");
    let out = folder.path().to_str().expect("UTF-8");
    let steps = |problem: &str, limit: &str| {
        let arguments = ["--methods", "auto", "--tols", "1e-6", "--max-steps", limit];
        let start = ["compare", problem, "--out", out];
        let (_, report) = json(&[start.as_slice(), &arguments].concat());
        let run = report["results"][0].clone();
        let count = |key: &str| run[key].as_u64().expect("a count");
        let taken = count("accepted") + count("rejected");
        let reason = run["reason"].as_str().expect("a reason").to_owned();
        (taken, reason)
    };
    for (problem, limits) in [
        ("van-der-pol", [50, 400]),
        ("stiff-double-pendulum", [50, 150]),
    ] {
        for limit in limits {
            let (taken, reason) = steps(problem, &limit.to_string());
            assert!(taken <= limit, "{problem}: {taken} of {limit} steps");
            assert!(
                reason.contains(&format!("may take {limit} steps in all")),
                "{problem}: {reason}"
            );
        }
    }
    let (code, report) = json(&[
        "run",
        "van-der-pol",
        "--method",
        "auto",
        "--max-steps",
        "50",
    ]);
    assert_eq!(code, 1, "{report}");
    let reason = report["reason"].as_str().expect("a reason");
    assert!(reason.contains("may take 50 steps in all"), "{reason}");
    // Enough is enough.
    let (taken, reason) = steps("pendulum", "100000");
    assert_eq!(reason, "");
    assert!(taken > 100);
}

#[test]
fn vibrations_that_nothing_damps_do_not_hold_it_up() {
    let (code, report) = json(&[
        "run",
        "spin-up-beam:hub=1:t_end=15",
        "--method",
        "auto",
        "--rtol",
        "1e-6",
    ]);
    assert_eq!(code, 0, "{report}");
    // BDF would follow the beam's waves with 290,000 steps.
    let steps = &report["steps"];
    let steps = steps["accepted"].as_u64().expect("a count");
    assert!(steps < 5_000, "{steps}");
    assert_eq!(report["method"], "radau5");
}
