//! Stiff reactions without any options: tolerances where no fixed step serves, and words where one fails.

use crate::common::{json, number};

#[test]
fn reactions_over_many_decades_run_with_tolerances_by_default() {
    for problem in ["robertson", "e5"] {
        for method in ["backward-euler", "bdf-lie"] {
            let (code, report) = json(&["run", problem, "--method", method]);
            assert_eq!(code, 0, "{problem}, {method}: {}", report["reason"]);
            assert_eq!(number(&report, "/options/rtol"), 1e-6);
        }
    }
    let (_, report) = json(&["run", "hires", "--method", "backward-euler"]);
    assert_eq!(number(&report, "/options/step"), 0.01);
}

#[test]
fn a_fixed_step_that_fails_is_an_error_with_a_way_out() {
    for (problem, step) in [("robertson", "1e7"), ("e5", "1e9")] {
        let arguments = ["run", problem, "--method", "backward-euler", "--step", step];
        let arguments = [&arguments[..], &["--max-halvings", "0"]].concat();
        let (code, report) = json(&arguments);
        assert_eq!(code, 1);
        let reason = report["reason"].as_str().expect("a text");
        assert!(reason.contains("or --rtol, which finds one"), "{reason}");
        assert!(!reason.contains("A is singular"), "{reason}");
    }
}

#[test]
fn small_steps_from_which_a_formula_starts_count() {
    let arguments = ["run", "hires", "--method", "bdf-lie", "--rtol", "1e-12"];
    let (code, report) = json(&[&arguments[..], &["--max-steps", "100"]].concat());
    assert_eq!(code, 1);
    let counts = ["/steps/accepted", "/steps/rejected", "/steps/inner"];
    let taken: f64 = counts.map(|path| number(&report, path)).iter().sum();
    assert!((90.0..=100.0).contains(&taken), "{}", report["steps"]);
}
