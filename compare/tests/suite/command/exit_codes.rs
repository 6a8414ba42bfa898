//! Exit codes: 0 done, 1 a run failed, 2 bad input, 3 a result could not be written; never a panic.

use crate::common::{json, liedae, stderr, stdout};

const RUN: [&str; 4] = ["run", "pendulum", "--method", "hem5"];

#[test]
fn results_that_cannot_be_written_are_3_in_words_and_in_json() {
    let cases: [(&[&str], &str); 4] = [
        (&["--csv", "/nowhere/at/all.csv"], "cannot write /nowhere"),
        (
            &["--csv", "/dev/null/all.csv"],
            "cannot write /dev/null/all.csv",
        ),
        (&["--csv", "/dev/full"], "cannot write /dev/full"),
        (
            &["--csv", "/dev/full", "--samples", "100000"],
            "cannot write /dev/full",
        ),
    ];
    for (more, words) in cases {
        let arguments = [&RUN[..], more].concat();
        let output = liedae(&arguments);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains(words), "{arguments:?}: {text}");
        let (code, report) = json(&arguments);
        assert_eq!(code, 3, "{arguments:?}");
        assert_eq!(report["status"], "not-written");
    }
    let compare = [
        "compare",
        "pendulum",
        "--methods",
        "hem5",
        "--out",
        "/dev/null/here",
    ];
    assert_eq!(liedae(&compare).status.code(), Some(3));

    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_liedae"))
        .args(RUN)
        .stdout(full)
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(3));
}

#[test]
fn bad_input_is_2_in_words_and_in_json() {
    let with = |more: &[&'static str]| [RUN.as_slice(), more].concat();
    let cases: Vec<(Vec<&str>, &str)> = vec![
        (vec![], "Usage"),
        (vec!["run"], "required"),
        (vec!["converge", "pendulum"], "--method"),
        (
            vec!["run", "pendulun", "--method", "hem5"],
            "did you mean `pendulum`",
        ),
        (vec!["describe", "heavytop"], "did you mean `heavy-top`"),
        (
            vec!["run", "pendulum", "--method", "hem"],
            "did you mean `hem5`",
        ),
        (
            vec!["describe", "nope"],
            "no problem, method or set `nope`; none of",
        ),
        (vec!["describe", "radua5"], "did you mean `radau5`"),
        (vec!["describe", "contcat"], "did you mean `contact`"),
        (
            vec!["describe", "hem5:safety=2"],
            "safety=2 is not possible",
        ),
        (
            vec!["describe", "hem5", "--set", "safety=0.5"],
            "hem5:safety=0.5",
        ),
        (
            vec!["list", "problems", "--set", "contacts"],
            "did you mean `contact`",
        ),
        (vec!["list", "sets", "--set", "contact"], "only problems"),
        (with(&["--time-limit", "0"]), "--time-limit"),
        (with(&["--time-limit", "-1"]), "--time-limit"),
        (with(&["--time-limit", "nan"]), "--time-limit"),
        (
            vec!["describe", ""],
            "no problem, method or set ``; none of",
        ),
        (vec!["describe", "chain", "--set", "n=0"], "n = 0"),
        (vec!["describe", "chain", "--set", "links=3"], "links"),
        (
            vec!["run", "pendulum", "--method", "nope"],
            "no method `nope`; none of the",
        ),
        (
            vec!["compare", "nope", "--methods", "hem5", "--out", "/tmp"],
            "`nope`; none of the",
        ),
        (with(&["--set", "lenght=1"]), "did you mean `length`"),
        (
            with(&["--set", "length=1", "--set", "length=2"]),
            "set already",
        ),
        (with(&["--step", "1e-12"]), "--max-steps"),
        (with(&["--step", "1e-300"]), "--max-steps"),
        (with(&["--t-end", "1e300", "--step", "0.1"]), "--max-steps"),
        (with(&["--samples", "-5"]), "--samples"),
        (with(&["--samples", "1000000000000"]), "--samples"),
        (with(&["--samples", "9000000"]), "--csv"),
        (
            vec![
                "converge", "pendulum", "--method", "hem5", "--steps", "1e-9",
            ],
            "larger steps",
        ),
        (
            vec![
                "converge", "pendulum", "--method", "hem5", "--steps", "0.1,nan",
            ],
            "positive",
        ),
        (
            vec!["run", "chain", "--method", "hem5", "--set", "n=1e300"],
            "n = 1e300",
        ),
        (with(&["--set", "length"]), "length"),
        (with(&["--set", "length=-1"]), "length"),
        (with(&["--set", "length=nan"]), "length"),
        (with(&["--rtol", "-1e-6"]), "tolerance"),
        (with(&["--rtol", "nan"]), "tolerance"),
        (with(&["--rtol", "0"]), "zero"),
        (with(&["--step", "0"]), "step"),
        (with(&["--step", "-1e-3"]), "step"),
        (with(&["--step", "inf"]), "step"),
        (
            with(&["--step", "1e-3", "--rtol", "1e-3"]),
            "cannot be used with",
        ),
        (with(&["--t-end", "-1"]), "end time"),
        (with(&["--t-end", "inf"]), "end time"),
        (with(&["--t-end", "0"]), "--t-end"),
        (
            vec![
                "compare",
                "pendulum",
                "--methods",
                "moreau-jean",
                "--adaptive",
                "--out",
                "nowhere",
            ],
            "--adaptive leaves out",
        ),
        (with(&["--rtol", "1e3"]), "no digit"),
        (
            vec!["run", "newton-cradle", "--method", "hem5", "--set", "e=1.2"],
            "from 0 to 1",
        ),
        (with(&["--samples", "0"]), "--samples"),
        (with(&["--newton-tol", "-1"]), "--newton-tol"),
        (with(&["--event-tolerance", "-1"]), "event-tolerance"),
        (with(&["--projection", "sometimes"]), "every"),
        (with(&["--max-steps", "0"]), "max-steps"),
        (
            vec![
                "converge", "pendulum", "--method", "hem5", "--steps", "1e-2,0",
            ],
            "step",
        ),
        (
            vec!["converge", "pendulum", "--method", "hem5", "--steps", "a"],
            "invalid",
        ),
        (
            vec![
                "converge", "pendulum", "--method", "hem5", "--steps", "1e-2", "--output", "xx",
            ],
            "did you mean `x`",
        ),
        (
            vec!["compare", "quik", "--methods", "hem5", "--out", "/tmp"],
            "did you mean `quick`",
        ),
        (
            vec![
                "compare",
                "quick",
                "--methods",
                "hem5,hem6",
                "--out",
                "/tmp",
            ],
            "hem5",
        ),
        (
            vec![
                "compare",
                "quick",
                "--methods",
                "hem5",
                "--tols",
                "1e-3,-1",
                "--out",
                "/tmp",
            ],
            "--tols",
        ),
        (
            vec![
                "compare",
                "quick",
                "--methods",
                "hem5",
                "--time-limit",
                "0",
                "--out",
                "/tmp",
            ],
            "--time-limit",
        ),
        (
            vec![
                "compare",
                "quick",
                "--methods",
                "hem5",
                "--time-limit",
                "1e300",
                "--out",
                "/tmp",
            ],
            "cannot be 1e300",
        ),
        (
            vec![
                "converge", "pendulum", "--method", "hem5", "--steps", "0.1", "--t-end", "0",
            ],
            "nothing to converge",
        ),
        (
            with(&["--controller", "h211"]),
            "there is no controller `h211` (did you mean `h211b` or `h211pi`?)",
        ),
        (
            with(&["--controller", "nope"]),
            "no controller `nope`; known: elementary, pi",
        ),
        (
            with(&["--controller", "pi", "--step", "1e-3"]),
            "cannot be used with",
        ),
        (
            vec![
                "run",
                "pendulum",
                "--method",
                "half-implicit",
                "--controller",
                "pi",
            ],
            "half-implicit takes fixed steps unless --rtol or --atol is given",
        ),
        (
            vec![
                "converge",
                "pendulum",
                "--method",
                "hem5",
                "--steps",
                "0.1",
                "--controller",
                "pi",
            ],
            "unexpected argument '--controller'",
        ),
        (
            vec![
                "compare",
                "quick",
                "--methods",
                "hem5",
                "--controller",
                "predictiv",
                "--out",
                "/tmp",
            ],
            "did you mean `predictive`",
        ),
        (
            vec![
                "run",
                "pendulum",
                "--method",
                "dopri5",
                "--projection",
                "every",
            ],
            "method `dopri5` takes no projection; methods that do: hem5, mdop5, extrapolation, dop853, phem56",
        ),
        (
            with(&["--newton-tol", "1e-8"]),
            "method `hem5` takes no Newton tolerance or limit; methods that do: half-implicit,",
        ),
        (
            with(&["--index", "2"]),
            "method `hem5` takes no choice of formulations; methods that do: radau5, bdf, bdf-lie",
        ),
        (
            vec![
                "run",
                "pendulum",
                "--method",
                "bdf-lie",
                "--index",
                "baumgarte",
            ],
            "method `bdf-lie` has no formulation baumgarte; it has",
        ),
        (
            vec![
                "converge",
                "pendulum",
                "--method",
                "rattle",
                "--steps",
                "0.1",
                "--projection",
                "1e-6",
            ],
            "method `rattle` takes no projection",
        ),
        (
            vec![
                "compare",
                "quick",
                "--methods",
                "dopri5,radau5",
                "--projection",
                "never",
                "--out",
                "/tmp",
            ],
            "none of these methods takes a projection; methods that do: hem5",
        ),
        (
            vec![
                "compare",
                "quick",
                "--methods",
                "dopri5,hem5",
                "--newton-tol",
                "1e-8",
                "--out",
                "/tmp",
            ],
            "none of these methods takes a Newton tolerance or limit",
        ),
        (
            vec![
                "compare",
                "quick",
                "--methods",
                "hem5,radau5:3",
                "--index",
                "2",
                "--out",
                "/tmp",
            ],
            "none of these methods takes a choice of formulations",
        ),
        (vec!["reproduce", "fang2023", "--out", "/tmp"], "fang2022"),
        (vec!["list", "nothing"], "problems"),
    ];
    for (arguments, word) in cases {
        let output = liedae(&arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(word), "{arguments:?}: {message}");
        assert!(
            !message.contains("panicked") && output.stdout.is_empty(),
            "{arguments:?}"
        );
        if arguments.is_empty() {
            continue;
        }
        let (code, report) = json(&arguments);
        assert_eq!(code, 2, "{arguments:?}");
        assert_eq!(report["status"], "bad-input", "{arguments:?}");
        assert!(
            report["reason"]
                .as_str()
                .is_some_and(|reason| reason.contains(word)),
            "{arguments:?}: {report}"
        );
    }
}

#[test]
fn a_failed_run_is_1_and_says_how_far_it_got() {
    let cases: [(&[&str], &str); 4] = [
        (
            &["--method", "hem5", "--max-steps", "3"],
            "3 steps were not enough",
        ),
        (
            &[
                "--method",
                "backward-euler",
                "--step",
                "3",
                "--max-halvings",
                "0",
            ],
            "converge",
        ),
        (
            &["--method", "hem5", "--set", "mass=1e10", "--set", "g=1e300"],
            "not finite",
        ),
        (
            &["--method", "mdop5", "--step", "1e-3", "--max-steps", "10"],
            "10 steps",
        ),
    ];
    for (arguments, word) in cases {
        let (code, report) = json(&[["run", "pendulum"].as_slice(), arguments].concat());
        assert_eq!(
            (code, report["status"].as_str()),
            (1, Some("failed")),
            "{report}"
        );
        assert!(
            report["reason"]
                .as_str()
                .is_some_and(|reason| reason.contains(word)),
            "{report}"
        );
        assert_eq!(report["problem"], "pendulum");
        assert!(report["steps"]["accepted"].is_u64());
    }
    let (code, report) = json(&[&RUN, ["--max-steps", "5"].as_slice()].concat());
    assert_eq!(code, 1);
    assert!(
        report["t_end"]
            .as_f64()
            .is_some_and(|t| t > 0.0 && t < 10.0)
    );
    assert!(report["outputs"]["x"].is_number());
}

#[test]
fn a_step_asked_for_twice_counts_once() {
    let (code, report) = json(&[
        "converge",
        "pendulum",
        "--method",
        "hem5",
        "--steps",
        "0.1,0.05,0.1",
    ]);
    assert_eq!(code, 0, "{report}");
    assert_eq!(report["points"].as_array().map(Vec::len), Some(2));
}

#[test]
fn of_several_methods_an_option_concerns_those_that_take_it() {
    let directory = tempfile::tempdir().expect("a directory");
    let out = directory.path().to_str().expect("UTF-8");
    let (code, report) = json(&[
        "compare",
        "pendulum",
        "--methods",
        "dopri5,hem5,radau5",
        "--projection",
        "never",
        "--index",
        "3",
        "--tols",
        "1e-4",
        "--out",
        out,
    ]);
    assert_eq!(code, 0, "{report}");
    assert_eq!(
        report["variants"],
        serde_json::json!(["dopri5", "hem5:projection=never", "radau5:3"])
    );
    assert_eq!(report["failed"], 0, "{report}");
}

#[test]
fn lists_say_which_options_a_method_takes() {
    let (_, report) = json(&["list", "methods"]);
    let methods = report["methods"].as_array().expect("a list");
    let of = |name: &str| {
        let found = methods.iter().find(|method| method["name"] == name);
        found.expect("a method")["options"].clone()
    };
    let names = |name: &str| -> Vec<String> {
        let options = of(name);
        let options = options.as_array().expect("a list").iter();
        options
            .map(|option| option["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let control = ["controller", "safety", "shrink", "grow"];
    assert_eq!(names("dopri5"), control);
    assert_eq!(names("hem5")[0], "projection");
    let own = ["index", "baumgarte", "newton-tol", "newton-iterations"];
    assert_eq!(names("radau5")[..4], own);
    // The list and the description say the same, defaults with it.
    for name in ["hem5", "radau5", "moreau-jean"] {
        let (_, described) = json(&["describe", name]);
        assert_eq!(described["options"], of(name), "{name}");
        let options = of(name);
        let options = options.as_array().expect("a list");
        assert!(options.iter().all(|option| option["default"].is_string()));
    }
    let (_, described) = json(&["describe", "hem5:safety=0.5"]);
    let options = described["options"].as_array().expect("a list");
    let safety = options.iter().find(|option| option["name"] == "safety");
    let safety = safety.expect("an option");
    assert_eq!(
        (&safety["value"], &safety["default"]),
        (&"0.5".into(), &"0.9".into())
    );
    let text = stdout(&liedae(&["list", "methods"]));
    let line = text.lines().find(|line| line.contains("steps, controller"));
    let line = line.expect("the options of bdf-lie");
    assert!(
        line.contains("options:     index=3|stabilized|2|1, newton-tol, newton-iterations"),
        "{line}"
    );
}

#[test]
fn help_and_version_are_0() {
    for arguments in [
        ["--help"].as_slice(),
        &["--version"],
        &["run", "--help"],
        &["--help", "--json"],
    ] {
        let output = liedae(arguments);
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).contains("liedae"));
    }
}

#[cfg(unix)]
#[test]
fn a_reader_who_goes_away_is_no_error() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_liedae"))
        .args(RUN)
        .args(["--samples", "20000", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_file_is_not_overwritten_for_a_run_that_cannot_begin() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("rows.csv");
    std::fs::write(&path, "precious").expect("written");
    let text = path.to_str().expect("UTF-8");
    let output = liedae(&[&RUN, ["--csv", text, "--step", "-1"].as_slice()].concat());
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        std::fs::read_to_string(&path).ok().as_deref(),
        Some("precious")
    );
}
