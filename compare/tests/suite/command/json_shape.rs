//! The JSON object of every command.

use crate::common::{json, keys, number};
use serde_json::Value;

#[test]
fn run_reports_all_that_it_promises() {
    let (code, report) = json(&["run", "pendulum", "--method", "hem5", "--t-end", "1"]);
    assert_eq!(code, 0);
    let expected = [
        "energy",
        "error",
        "evaluations",
        "events",
        "factorizations",
        "method",
        "newton_iterations",
        "options",
        "outputs",
        "parameters",
        "penetration",
        "problem",
        "reason",
        "reference",
        "repetitions",
        "solves",
        "status",
        "steps",
        "t_end",
        "violation",
        "wall_s",
    ];
    assert_eq!(keys(&report), expected);
    assert_eq!(keys(&report["steps"]), ["accepted", "inner", "rejected"]);
    assert_eq!(
        keys(&report["evaluations"]),
        ["constraint", "force", "jacobian", "mass"]
    );
    assert_eq!(
        keys(&report["violation"]),
        ["acceleration", "position", "velocity"]
    );
    assert_eq!(
        keys(&report["energy"]),
        [
            "final",
            "initial",
            "largest_rise_at_event",
            "max_drift",
            "rise"
        ]
    );
    assert!(report["penetration"].is_null());
    assert_eq!(keys(&report["outputs"]), keys(&report["error"]));
    assert_eq!(
        (report["status"].as_str(), report["reason"].as_str()),
        (Some("done"), Some("end-time"))
    );
    assert_eq!(number(&report, "/t_end"), 1.0);
    assert_eq!(number(&report, "/options/rtol"), 1e-6);
    assert_eq!(number(&report, "/parameters/length"), 1.0);
    assert!(number(&report, "/error/x") < 1e-5);
    assert!(number(&report, "/violation/position") < 1e-10);
    assert!(number(&report, "/wall_s") > 0.0);
    assert!(report["events"].as_array().is_some_and(Vec::is_empty));
}

#[test]
fn one_tolerance_sets_both_and_low_order_methods_take_the_default_step() {
    let (_, report) = json(&[
        "run", "pendulum", "--method", "mdop5", "--rtol", "1e-4", "--t-end", "0.1",
    ]);
    assert_eq!(number(&report, "/options/atol"), 1e-4);
    let (_, report) = json(&[
        "run",
        "pendulum",
        "--method",
        "half-implicit",
        "--t-end",
        "0.1",
    ]);
    assert_eq!(number(&report, "/options/step"), 1e-3);
    assert_eq!(number(&report, "/steps/accepted"), 100.0);
}

#[test]
fn a_controller_chosen_by_name_decides_on_the_steps() {
    let run = |more: &[&str]| {
        let (code, report) = json(&[&["run", "pendulum", "--rtol", "1e-4"], more].concat());
        assert_eq!(code, 0, "{report}");
        report
    };
    let own = run(&["--method", "hem5"]);
    assert!(own["options"]["controller"].is_null());
    let smooth = run(&["--method", "hem5", "--controller", "h312b"]);
    assert_eq!(smooth["options"]["controller"], "h312b");
    assert_ne!(own["steps"], smooth["steps"]);
    // hem5 runs under the elementary controller by itself.
    let same = run(&["--method", "hem5", "--controller", "elementary"]);
    assert_eq!(own["steps"], same["steps"]);
    // A tolerance makes the steps of a method with fixed steps by default adaptive.
    let adaptive = run(&["--method", "half-implicit", "--controller", "predictive"]);
    assert_eq!(adaptive["options"]["controller"], "predictive");
}

#[test]
fn samples_are_in_the_object() {
    let (code, report) = json(&[
        "run",
        "pendulum",
        "--method",
        "hem5",
        "--t-end",
        "1",
        "--samples",
        "5",
    ]);
    assert_eq!(code, 0);
    let rows = report["samples"]["rows"].as_array().expect("rows");
    let times: Vec<f64> = rows.iter().filter_map(|row| row[0].as_f64()).collect();
    assert_eq!(times, [0.0, 0.25, 0.5, 0.75, 1.0]);
    let columns = report["samples"]["columns"].as_array().expect("columns");
    assert_eq!(columns[0], "t");
    assert!(
        rows.iter()
            .all(|row| row.as_array().is_some_and(|row| row.len() == columns.len()))
    );
    assert!((number(&report, "/outputs/x") - rows[4][1].as_f64().expect("x")).abs() < 1e-12);
}

#[test]
fn converge_fits_a_slope() {
    let arguments = [
        "converge",
        "pendulum",
        "--method",
        "hem5",
        "--steps",
        "2e-2,1e-2",
        "--t-end",
        "1",
    ];
    let (code, report) = json(&arguments);
    assert_eq!(code, 0);
    assert!((number(&report, "/slope") - 5.0).abs() < 0.2);
    let points = report["points"].as_array().expect("points");
    assert_eq!(points.len(), 2);
    for key in [
        "h",
        "error_rms",
        "error_max",
        "iterations_per_step",
        "wall_s",
        "at_round_off",
    ] {
        assert!(!points[0][key].is_null(), "{key}");
    }
    assert!(number(&points[0], "/error_rms") <= number(&points[0], "/error_max"));
    assert_eq!(report["output"], "x");
}

/// Parameters and options follow names in every command, and results say so.
#[test]
fn options_follow_the_name() {
    let run = ["run", "newton-cradle:n=3:t_end=0.2", "--method"];
    let (code, never) = json(&[&run[..], &["hem5:projection=never:safety=0.5"]].concat());
    assert_eq!(code, 0, "{never}");
    assert_eq!(
        never["options"]["variant"],
        "hem5:projection=never:safety=0.5"
    );
    assert_eq!(never["options"]["projection"], "never");
    assert_eq!(never["parameters"]["n"], 3.0);
    assert_eq!(number(&never, "/options/t_end"), 0.2);
    let (_, usual) = json(&[&run[..], &["hem5"]].concat());
    let accepted = |report: &Value| number(report, "/steps/accepted");
    assert!(accepted(&never) > 1.5 * accepted(&usual), "{never} {usual}");
    let ladder = ["--steps", "1e-2,5e-3", "--t-end", "1"];
    let damped = [
        "converge",
        "pendulum",
        "--method",
        "generalized-alpha:rho=0.2",
    ];
    let (code, report) = json(&[damped, ladder].concat());
    assert_eq!(
        (code, &report["variant"]),
        (0, &Value::from("generalized-alpha:rho=0.2"))
    );
    let (_, described) = json(&["describe", "bdf"]);
    let options = described["options"].as_array().expect("a list");
    assert!(
        options.iter().any(|option| option["name"] == "order"),
        "{described}"
    );
    for (arguments, words) in [
        (
            ["run", "pendulum", "--method", "hem5:rho=0.5"],
            "takes no spectral radius",
        ),
        (
            ["run", "pendulum", "--method", "hem5:safty=0.5"],
            "did you mean `safety`",
        ),
        (
            ["run", "pendulum:length=-1", "--method", "hem5"],
            "length = -1",
        ),
        (
            ["run", "pendulum", "--method", "bdf:order=9"],
            "from 1 to 5",
        ),
    ] {
        let (code, report) = json(&arguments);
        assert_eq!(code, 2, "{report}");
        assert!(
            report["reason"]
                .as_str()
                .is_some_and(|text| text.contains(words)),
            "{report}"
        );
    }
}

#[test]
fn a_row_of_the_test_set_is_measured_by_its_computed_reference() {
    let run = |problem| json(&["run", problem, "--method", "dop853", "--rtol", "1e-9"]);
    let (code, report) = run("s1-002");
    assert_eq!(code, 0);
    let source = report["reference"].as_str().unwrap_or_default();
    assert_eq!(
        source,
        "computed by mdop5 1e-12 + dop853 1e-12 + dop853 2e-13"
    );
    assert_eq!(keys(&report["outputs"]), keys(&report["error"]));
    assert!(number(&report, "/error/bar1.x") < 1e-5);
    // At another end and with other parameters nothing is known.
    for other in ["s1-002:t_end=6", "planar-chain:n=4"] {
        let (code, report) = run(other);
        assert_eq!((code, keys(&report["error"]).len()), (0, 0), "{other}");
        assert!(report["reference"].is_null());
    }
    let (_, described) = json(&["describe", "s1-002"]);
    assert!(number(&described, "/computed/digits") >= 8.0);
    assert!(described["reference"].is_null());
}

#[test]
fn converge_makes_its_own_reference_where_there_is_none() {
    let reference = [
        "converge",
        "heavy-top",
        "--method",
        "half-implicit",
        "--steps",
        "2e-4,1e-4",
        "--t-end",
        "0.02",
    ];
    let (code, known) = json(&reference);
    assert_eq!(code, 0);
    assert!(
        known["reference"]
            .as_str()
            .is_some_and(|text| !text.contains("own run"))
    );
    // A mass that differs from the default has no reference; by so little, the errors must nearly agree.
    let (code, own) = json(&[reference.as_slice(), &["--set", "mass=15.000001"]].concat());
    assert_eq!(code, 0);
    assert!(
        own["reference"]
            .as_str()
            .is_some_and(|text| text.contains("own run"))
    );
    let ratio = number(&own, "/points/1/error_rms") / number(&known, "/points/1/error_rms");
    assert!((ratio - 1.0).abs() < 1e-2, "{ratio}");
}

#[test]
fn the_reference_of_a_stiff_problem_is_a_stiff_method_s() {
    let steps = ["--method", "radau5", "--steps", "10", "--t-end", "1000"];
    let (code, report) =
        json(&[&["converge", "van-der-pol", "--set", "mu=1e6"], &steps[..]].concat());
    assert_eq!(code, 0);
    let reference = report["reference"].as_str().unwrap_or_default();
    assert!(reference.contains("own run with radau5"), "{reference}");
    assert!(number(&report, "/points/0/error_rms") < 1.0);
}

/// 160,000 oscillations ask for more steps than anybody waits for.
#[test]
fn a_reference_that_takes_too_many_steps_is_given_up() {
    let case = [
        "converge",
        "van-der-pol",
        "--set",
        "mu=1e-9",
        "--t-end",
        "1e6",
    ];
    let (code, report) = json(&[&case[..], &["--method", "radau5", "--steps", "1e4"]].concat());
    assert_eq!(code, 1, "{report}");
    let error = report["reason"].as_str().unwrap_or_default();
    assert!(
        error.contains("there is no reference for van-der-pol"),
        "{report}"
    );
    assert!(
        error.contains("radau5: 3000000 steps were not enough"),
        "{report}"
    );
}

#[test]
fn lists_and_descriptions() {
    for (what, key) in [
        ("problems", "problems"),
        ("methods", "methods"),
        ("sets", "sets"),
        ("controllers", "controllers"),
    ] {
        let (code, value) = json(&["list", what]);
        assert_eq!(code, 0);
        let items = value[key].as_array().expect("a list");
        assert!(items.len() > 2);
        assert!(
            items
                .iter()
                .all(|item| item["name"].is_string() && item["title"].is_string())
        );
    }
    let of = |value: &serde_json::Value| {
        let parameters = value["parameters"].as_array().expect("a list");
        let n = parameters.iter().find(|info| info["name"] == "n");
        let n = n.expect("the number of links");
        (
            number(n, "/value"),
            number(n, "/default"),
            number(value, "/sizes/velocities"),
        )
    };
    let (code, usual) = json(&["describe", "chain"]);
    assert_eq!(code, 0);
    let (code, longer) = json(&["describe", "chain", "--set", "n=7"]);
    assert_eq!(code, 0);
    let ((value, default, _), (set, same, velocities)) = (of(&usual), of(&longer));
    assert_eq!((value, set, same), (default, 7.0, default));
    assert_eq!(velocities, 42.0);
    let (code, value) = json(&["describe", "pendulum"]);
    assert_eq!(code, 0);
    for key in [
        "name",
        "title",
        "description",
        "source",
        "t_end",
        "default_step",
        "absolute_scale",
        "main_output",
        "parameters",
        "outputs",
        "reference",
    ] {
        assert!(!value[key].is_null(), "{key}");
    }
    let (code, value) = json(&["describe", "robertson"]);
    assert_eq!((code, value["absolute_scale"].as_f64()), (0, Some(1e-6)));
}
