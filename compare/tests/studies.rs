//! Orders, tolerances, formulations, and the papers' experiments in their quick form.

mod common;

use common::{json, keys, liedae, number, stdout};

#[test]
fn orders_are_those_of_theory() {
    let (code, table) = json(&["orders", "--methods", "hem5,radau5:3,generalized-alpha"]);
    assert_eq!(code, 0, "{table}");
    let rows = table["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 3 * 4);
    for row in rows {
        assert!(row["failure"].is_null(), "{row}");
        for quantity in ["q", "v", "lambda"] {
            let theory = number(row, &format!("/{quantity}/theory"));
            let observed = &row[quantity]["observed"];
            match observed["kind"].as_str() {
                Some("order") => {
                    let order = number(observed, "/order");
                    // λ of the pendulum does not see errors of v normal to the constraint, the largest at index 3.
                    let lucky = quantity == "lambda"
                        && row["problem"] == "pendulum"
                        && row["method"] == "radau5:3";
                    // The finest rungs of the disk are round-off, and its errors of λ are small from the start.
                    let coarse = quantity == "lambda"
                        && row["problem"] == "rolling-disk"
                        && row["method"] == "radau5:3";
                    assert!(order > if coarse { 0.85 } else { 0.9 } * theory, "{row}");
                    assert!(order < theory + 0.6 || lucky, "{row}");
                }
                Some("exact") => assert_eq!(row["problem"], "four-link", "{row}"),
                _ => panic!("{row}"),
            }
        }
    }
}

#[test]
fn tolerances_are_charted() {
    let directory = tempfile::tempdir().expect("a directory");
    let out = directory.path().to_str().expect("UTF-8");
    let (code, study) = json(&["tolerances", "--methods", "hem5", "--out", out]);
    assert_eq!(code, 0, "{study}");
    assert_eq!(keys(&study), ["expected", "factor", "files", "runs"]);
    let runs = study["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 3 * 7);
    for run in runs {
        let ratio = number(run, "/ratio");
        assert!(ratio > 1e-3 && ratio < 100.0, "{run}");
    }
    let html = std::fs::read_to_string(directory.path().join("report.html")).expect("a report");
    assert!(html.contains("Tolerance proportionality") && html.contains("<svg"));
}

#[test]
fn a_formulation_is_chosen_or_refused() {
    let run = |method: &str, index: &[&str]| {
        let base = [
            "run", "pendulum", "--method", method, "--rtol", "1e-6", "--t-end", "0.5",
        ];
        json(&[&base[..], index].concat())
    };
    let (_, second) = run("radau5", &["--index", "2"]);
    let (_, first) = run("radau5:1", &[]);
    // Accelerations of finished states at index 2 come from the acceleration level, those at index 1 are the method's.
    let violation = |report| number(report, "/violation/acceleration");
    assert!(violation(&first) > 10.0 * violation(&second));
    for (method, index) in [("hem5", "3"), ("radau5", "4"), ("radau5:3", "2")] {
        let (code, report) = run(method, &["--index", index]);
        assert_eq!(code, 2, "{report}");
    }
}

#[test]
fn papers_are_repeated_quickly() {
    for paper in ["haug1997", "haddouni2017-academic", "ivp-testset"] {
        let directory = tempfile::tempdir().expect("a directory");
        let out = directory.path().to_str().expect("UTF-8");
        let (code, result) = json(&["reproduce", paper, "--quick", "--out", out]);
        assert_eq!(code, 0, "{result}");
        assert_eq!(result["paper"], paper);
        assert!(number(&result, "/held") >= 1.0);
        for name in ["report.html", "claims.json"] {
            assert!(directory.path().join(name).exists(), "{name}");
        }
    }
}

/// What differs from its published run, and why: the stabilized form of RADAU5's run measures μ without the mass matrix, which
/// doubles its steps (at 1e-6 half of them make a smaller error, at 1e-8 a slightly larger one); CVODE starts at order 1, `bdf` at
/// order 3 with a quarter fewer steps.
const OTHERWISE: [&str; 2] = [
    "RADAU5 takes 491 steps and rejects 2 on andrews",
    "CVODE takes 542 steps and rejects 22 on robertson",
];

#[test]
fn published_runs_and_end_values_are_repeated() {
    let directory = tempfile::tempdir().expect("a directory");
    let out = directory.path().to_str().expect("UTF-8");
    let (code, result) = json(&["reproduce", "ivp-testset", "--out", out]);
    assert_eq!(code, 0, "{result}");
    let claims = result["claims"].as_array().expect("a list");
    assert!(claims.len() > 45);
    for claim in claims {
        let text = claim["claim"].as_str().expect("a text");
        let excepted = OTHERWISE.iter().any(|start| text.starts_with(start));
        // Both ways, so that the list of exceptions stays true.
        assert_eq!(claim["holds"].as_bool(), Some(!excepted), "{claim}");
    }
}

#[test]
fn methods_say_when_to_use_them() {
    let text = stdout(&liedae(&["list", "methods"]));
    for part in [
        "radau5",
        "use it for:",
        "not for:",
        "source:",
        "generalized-alpha-stabilized",
    ] {
        assert!(text.contains(part), "{part}");
    }
}
