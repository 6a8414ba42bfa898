//! The suite finds what is wrong with a method, and nothing else.

use super::flawed::{Flaw, Flawed};
use crate::counting::allocations;
use liedae_problems::conformance::{Check, Conformance, Report};

fn report(flaw: Flaw) -> Report {
    let method = Flawed::new(flaw);
    let suite = Conformance::of(&method).counting_allocations(allocations);
    suite.check().expect("references")
}

/// The checks that fail, and some words of every failure.
#[track_caller]
fn fails(flaw: Flaw, expected: &[Check], words: &str) {
    let report = report(flaw);
    let failed: Vec<String> = report.failures().map(ToString::to_string).collect();
    println!("{flaw:?}:\n    {}", failed.join("\n    "));
    let mut checks: Vec<Check> = report.failures().map(|item| item.check).collect();
    checks.dedup();
    assert_eq!(checks, expected, "{flaw:?}: {failed:#?}");
    assert!(
        failed.iter().all(|text| text.contains(words)),
        "{failed:#?}"
    );
}

#[test]
fn the_sound_method_conforms() {
    let report = report(Flaw::Sound);
    println!("{report}");
    report.assert();
}

/// Also where the structure changes in the middle of a run.
#[test]
fn a_method_that_refuses_constraints_conforms() {
    report(Flaw::FreeMotionsOnly).assert();
}

#[test]
fn the_same_method_gives_the_same_report() {
    assert_eq!(report(Flaw::Sound), report(Flaw::Sound));
}

#[test]
fn reports_are_written_as_json() {
    let json = serde_json::to_value(report(Flaw::Nameless)).expect("no maps with odd keys");
    let first = &json["items"][0];
    assert_eq!(first["check"], "descriptor");
    assert_eq!(first["outcome"]["failed"], "the name is empty");
    let order = &json["items"][4];
    assert_eq!(order["subject"], "q, R^3");
    let measured = &order["outcome"]["passed"]["number"];
    assert_eq!(measured["bound"]["at-least"], 1.54);
    assert!(measured["value"].as_f64().is_some_and(|order| order > 1.54));
}

#[test]
fn a_verdict_names_the_failures() {
    let report = report(Flaw::Nameless);
    assert_eq!(report.counts()[1], 2);
    let error = report.verdict().expect_err("it has no name");
    assert_eq!(error.failures.len(), 2);
    let text = error.to_string();
    assert!(
        text.contains("descriptor, source: FAILED: there is no source"),
        "{text}"
    );
    assert!(report.to_string().contains("FAILED"), "{report}");
}

#[test]
fn no_name() {
    fails(Flaw::Nameless, &[Check::Descriptor], "");
}

#[test]
fn an_order_less_than_stated() {
    fails(Flaw::OrderTooLow, &[Check::Order], "at least 1.54");
}

#[test]
fn an_order_of_multipliers_less_than_stated() {
    fails(Flaw::MultiplierOrderTooHigh, &[Check::Order], "lambda");
}

#[test]
fn an_estimate_that_is_nan() {
    // Steps that are rejected for it are not as long as they could be: the error falls more slowly. Constant steps have failed.
    let report = report(Flaw::NanEstimate);
    let failures = |check| {
        let texts = report.failures().filter(move |item| item.check == check);
        texts.map(ToString::to_string).collect::<Vec<_>>()
    };
    assert!(!failures(Check::Tolerance).is_empty(), "{report}");
    for (check, words) in [
        (Check::Restart, "is NaN"),
        (Check::Repeatability, "has failed"),
    ] {
        let found = failures(check);
        assert!(found.iter().any(|text| text.contains(words)), "{found:#?}");
    }
}

#[test]
fn an_estimate_that_is_too_small() {
    fails(Flaw::BoldEstimate, &[Check::Tolerance], "error ");
}

#[test]
fn redundant_rows() {
    fails(Flaw::Redundancy, &[Check::Redundancy], "panic: row");
}

#[test]
fn state_kept_between_repeats() {
    fails(Flaw::Unrepeatable, &[Check::Repeatability], "steps, ");
}

#[test]
fn state_kept_between_runs() {
    // A start depends on those before it: no restart can be equal to it.
    let expected = [Check::Repeatability, Check::Restart];
    fails(Flaw::RemembersRuns, &expected, "");
}

#[test]
fn dense_output_of_too_low_an_order() {
    fails(Flaw::DenseOutput, &[Check::DenseOutput], "between");
}

#[test]
fn dense_output_off_the_ends() {
    fails(Flaw::DenseOutputAtEnds, &[Check::DenseOutput], "");
}

#[test]
fn steps_of_another_length_at_events() {
    // It says that it repeats steps, and does not.
    let expected = [Check::Events];
    fails(Flaw::Unstoppable, &expected, "");
}

#[test]
fn a_restart_that_is_ignored() {
    fails(Flaw::IgnoresRestart, &[Check::Restart], "");
}

#[test]
fn a_projection_that_is_promised_only() {
    fails(Flaw::LosesEnergy, &[Check::Energy], "change of the energy");
}

#[test]
fn ends_that_are_not_solved() {
    fails(
        Flaw::UnsolvedEnds,
        &[Check::Repeatability, Check::Restart, Check::BadInput],
        "solves the equations of motion there",
    );
}

#[test]
fn counts_of_work_that_fall() {
    fails(Flaw::ForgetsWork, &[Check::Restart], "work falls");
}

#[test]
fn work_that_is_not_counted() {
    fails(Flaw::SilentWork, &[Check::Restart], "Stepper::work is zero");
}

/// The driver sets the time of the end before and behind a step.
#[test]
fn a_method_that_copies_the_time_of_the_start_conforms() {
    report(Flaw::TimeOfStart).assert();
}

#[test]
fn a_panic_on_nan() {
    fails(Flaw::PanicsOnNan, &[Check::BadInput], "panic: the ");
}

#[test]
fn errors_that_are_swallowed() {
    fails(
        Flaw::SwallowsErrors,
        &[Check::BadInput],
        "as if all were well",
    );
}

#[test]
fn limits_that_are_ignored() {
    fails(Flaw::IgnoresLimits, &[Check::BadInput], "limit");
}

#[test]
fn allocations_per_step() {
    fails(Flaw::Allocates, &[Check::Allocations], "allocations");
}
