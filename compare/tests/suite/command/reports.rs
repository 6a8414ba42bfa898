//! Reports are complete and need no network.

use crate::common::{json, number};
use std::path::Path;

fn read(directory: &Path, name: &str) -> String {
    std::fs::read_to_string(directory.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn is_self_contained(html: &str) {
    is_self_contained_text(html);
    assert!(html.contains("viewBox"));
}

fn is_self_contained_text(html: &str) {
    for load in [
        "http://", "https://", "src=", "<link", "@import", "url(", "fetch(",
    ] {
        assert!(!html.contains(load), "{load}");
    }
    assert!(html.ends_with("</html>"));
}

#[test]
fn compare_writes_every_run_and_a_report() {
    let directory = tempfile::tempdir().expect("a directory");
    let out = directory.path().to_str().expect("UTF-8");
    let arguments = [
        "compare",
        "pendulum",
        "--methods",
        "hem5,half-implicit",
        "--tols",
        "1e-3,1e-5",
        "--max-steps",
        "3000",
        "--out",
        out,
    ];
    let (code, report) = json(&arguments);
    assert_eq!(code, 0, "{report}");
    let results = report["results"].as_array().expect("results");
    // hem5 by tolerance, half-implicit on a ladder of steps and by tolerance.
    assert_eq!(results.len(), 6);
    assert!(
        number(&report, "/failed") > 0.0,
        "a limit of 3000 steps stops some"
    );
    let csv = read(directory.path(), "results.csv");
    assert_eq!(csv.lines().count(), 7);
    assert!(csv.starts_with(
        "problem,variant,tolerance,step,status,reason,t_reached,events,impacts,energy_rise,penetration,error_end,\
         error_samples,wall_s,"
    ));
    assert!(csv.contains("steps were not enough"));
    let html = read(directory.path(), "report.html");
    is_self_contained(&html);
    for text in [
        "Performance profile: wall time",
        "half-implicit, adaptive",
        "steps were not enough",
        "error_samples",
        "At equal tolerance: wall time",
        "At equal tolerance, errors not judged: factorizations",
        "Distance from the best: force evaluations",
        "Data profile: factorizations",
        "How this was made",
    ] {
        assert!(html.contains(text), "{text}");
    }
    // Four costs: profiles at equal error and, judged and not, at equal tolerance on two axes each; boxes, data
    // profiles and the problem's own diagrams; and its picture of six moments.
    assert_eq!(html.matches("<svg").count(), 4 * (3 * 2 + 3) + 7);
}

#[test]
fn motions_that_constraints_determine_are_left_out_of_profiles() {
    let directory = tempfile::tempdir().expect("a directory");
    let out = directory.path().to_str().expect("UTF-8");
    let mut arguments = vec![
        "compare",
        "slider-crank,pendulum",
        "--methods",
        "hem5,mdop5",
        "--tols",
        "1e-3,1e-4",
        "--time-limit",
        "1e19",
        "--out",
        out,
    ];
    let (code, report) = json(&arguments);
    assert_eq!(code, 0, "{report}");
    let html = read(directory.path(), "report.html");
    assert!(html.contains("Left out: slider-crank.") && html.contains("Performance profile: wall"));
    arguments[1] = "slider-crank";
    let (code, report) = json(&arguments);
    assert_eq!(code, 0, "{report}");
    let html = read(directory.path(), "report.html");
    assert!(html.contains("No problem is left") && !html.contains("Performance profile: wall"));
}

#[test]
fn contacts_are_compared_with_their_events_and_their_energy() {
    let directory = tempfile::tempdir().expect("a directory");
    let out = directory.path().to_str().expect("UTF-8");
    let arguments = [
        "compare",
        "double-pendulum-wall:e=0.8:t_end=2,shaker-stack:t_end=0.5",
        "--methods",
        "hem5,rattle",
        "--adaptive",
        "--tols",
        "1e-6",
        "--out",
        out,
    ];
    let (code, report) = json(&arguments);
    assert_eq!((code, number(&report, "/failed")), (0, 0.0), "{report}");
    assert_eq!(report["problems"][0], "double-pendulum-wall:e=0.8:t_end=2");
    let loses = |index: usize| report["references"][index]["loses_energy_at_events"].as_bool();
    assert_eq!((loses(0), loses(1)), (Some(true), Some(false)));
    for (index, t_end) in [(0, 2.0), (1, 2.0), (2, 0.5), (3, 0.5)] {
        let value = |key: &str| number(&report, &format!("/results/{index}/{key}"));
        assert_eq!(value("t_reached"), t_end);
        assert!(value("impacts") >= 1.0 && value("events") >= value("impacts"));
        assert!(value("error_end") < 1e-3 && value("error_samples") < 1e-2);
    }
    assert!(number(&report, "/results/0/energy_rise") < 1e-9);
    assert!(number(&report, "/results/0/penetration") < 1e-9);
    let html = read(directory.path(), "report.html");
    is_self_contained_text(&html);
    for text in [
        "At a glance",
        "Largest rise of the energy",
        "beside one with dop853",
    ] {
        assert!(html.contains(text), "{text}");
    }
}

#[test]
fn a_comparison_in_which_everything_fails_is_1() {
    let directory = tempfile::tempdir().expect("a directory");
    let out = directory.path().to_str().expect("UTF-8");
    let (code, report) = json(&[
        "compare",
        "pendulum",
        "--methods",
        "hem5",
        "--tols",
        "1e-3",
        "--max-steps",
        "1",
        "--out",
        out,
    ]);
    assert_eq!((code, report["status"].as_str()), (1, Some("failed")));
    assert!(read(directory.path(), "results.csv").contains("failed"));
}

#[test]
fn reproduce_judges_every_claim() {
    let directory = tempfile::tempdir().expect("a directory");
    let out = directory.path().to_str().expect("UTF-8");
    let (code, report) = json(&["reproduce", "fang2022", "--quick", "--out", out]);
    assert_eq!(code, 0, "{report}");
    let claims: serde_json::Value =
        serde_json::from_str(&read(directory.path(), "claims.json")).expect("JSON");
    let claims = claims.as_array().expect("a list");
    assert!(claims.len() >= 12);
    for claim in claims {
        let verdict = claim["verdict"].as_str().expect("a verdict");
        assert!(["holds", "does not hold", "undecided"].contains(&verdict));
        assert!(claim["number"].is_number(), "{claim}");
        for text in [
            "place",
            "claim",
            "sentence",
            "criterion",
            "measured",
            "sensitive_to",
        ] {
            assert!(
                claim[text].as_str().is_some_and(|text| !text.is_empty()),
                "{text}: {claim}"
            );
        }
    }
    let html = read(directory.path(), "report.html");
    is_self_contained(&html);
    assert_eq!(html.matches("<svg").count(), 13);
    for file in [
        "fig2_four-link.csv",
        "fig3_energy.csv",
        "fig4_6_costs.csv",
        "fig8_chain.csv",
        "fig8_tolerances.csv",
        "fig9_mu0.4.csv",
    ] {
        assert!(read(directory.path(), file).lines().count() > 1, "{file}");
    }
}
