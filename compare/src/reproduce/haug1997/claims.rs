//! The conclusions of section 4, each decided by a number.

use super::experiments::{Comparison, Critical, Search};
use super::{Effort, JUDGED, Results, SEVEN_BODY_STEP, TOLERANCE};
use crate::reproduce::Claim;

/// Smallest ratio of the largest steps that the paper reports.
const STEP_RATIO: f64 = 1.3;
/// "Half or less iterations", with room for rounding in plots.
const ITERATION_RATIO: f64 = 0.6;
/// How many times more steps explicit methods are expected to need at least.
const EXPLICIT_RATIO: f64 = 20.0;

/// All claims.
pub(super) fn claims(results: &Results) -> Vec<Claim> {
    let mut claims = Vec::new();
    let judged = results.searches.iter();
    for search in judged.filter(|search| search.limit == JUDGED) {
        let same = results.searches.iter();
        let same: Vec<_> = same
            .filter(|other| other.mechanism == search.mechanism)
            .collect();
        claims.push(steps(search, &same));
        claims.push(iterations(search, &same));
    }
    claims.extend(results.critical.iter().map(converging));
    let compared = results.comparisons.iter();
    claims.extend(
        compared
            .filter(|comparison| comparison.tolerance == TOLERANCE)
            .map(published_iterations),
    );
    match results.efforts.split_first() {
        Some((implicit, explicit)) => {
            claims.push(Claim::new(
                "Table 5",
                format!("seven bodies: the implicit method takes h = {SEVEN_BODY_STEP:e} s"),
                implicit.error.is_finite(),
                implicit.step,
                format!(
                    "{} steps, error {:.1e} at the end",
                    implicit.steps, implicit.error
                ),
            ));
            claims.extend(explicit.iter().map(|effort| more(implicit, effort)));
        }
        None => claims.push(Claim::unmeasured(
            "Section 4.1",
            "explicit methods need many times more steps",
            "the experiment was not run",
        )),
    }
    claims
}

/// The exact method's largest step over the quasi-Newton one's.
pub(super) fn step_ratio(search: &Search) -> Option<f64> {
    Some(search.exact_step? / search.quasi_step?)
}

/// Iterations of the exact method over those of the quasi-Newton one, at the latter's largest step.
pub(super) fn iteration_ratio(search: &Search) -> Option<f64> {
    Some(search.exact_iterations? / search.quasi_iterations?)
}

/// With which limits of iterations a ratio is as claimed.
fn limits(searches: &[&Search], holds: impl Fn(&Search) -> bool) -> String {
    let held = searches.iter().filter(|search| holds(search));
    let held: Vec<_> = held.map(|search| search.limit.to_string()).collect();
    if held.is_empty() {
        "with no limit of iterations".to_owned()
    } else {
        format!("with limits of {}", held.join(", "))
    }
}

fn steps(search: &Search, same: &[&Search]) -> Claim {
    let text = format!("{}: the exact matrix takes larger steps", search.mechanism);
    let (Some(exact), Some(quasi), Some(ratio)) =
        (search.exact_step, search.quasi_step, step_ratio(search))
    else {
        return Claim::unmeasured("Table 5", text, "the smallest step fails");
    };
    let published = search.published_exact / search.published_quasi;
    let holding = limits(same, |search| {
        step_ratio(search).is_some_and(|ratio| ratio >= STEP_RATIO)
    });
    Claim::new(
        "Table 5",
        text,
        ratio >= STEP_RATIO,
        ratio,
        format!(
            "{exact:.2e} s and {quasi:.2e} s with at most {JUDGED} iterations, ratio {ratio:.2} (at least {STEP_RATIO}; so it is \
             {holding}); the paper has {} and {}, ratio {published:.1}",
            search.published_exact, search.published_quasi,
        ),
    )
}

/// The step from which an iteration with the quasi-Newton matrix diverges, whatever its limit of iterations.
fn converging(critical: &Critical) -> Claim {
    let text = format!(
        "{}: the exact matrix takes steps at which an iteration with the quasi-Newton one diverges",
        critical.mechanism
    );
    let exact = critical.exact_step;
    match critical.step {
        Some(step) => {
            let ratio = exact / step;
            Claim::new(
                "Table 5",
                text,
                ratio >= STEP_RATIO,
                ratio,
                format!(
                    "it diverges from {step:.2e} s on, the exact one takes {exact:.2e} s, ratio {ratio:.2} (at least \
                     {STEP_RATIO}); the paper's largest quasi-Newton step is {}",
                    critical.published_quasi
                ),
            )
        }
        None => Claim::new(
            "Table 5",
            text,
            false,
            1.0,
            format!("it converges up to the exact one's largest step, {exact:.2e} s"),
        ),
    }
}

fn iterations(search: &Search, same: &[&Search]) -> Claim {
    let text = format!(
        "{}: the exact matrix needs half the iterations or fewer",
        search.mechanism
    );
    let at = search.quasi_step.unwrap_or(f64::NAN);
    let holding = limits(same, |search| {
        iteration_ratio(search).is_some_and(|ratio| ratio <= ITERATION_RATIO)
    });
    let mut claim = fewer(text, search.exact_iterations, search.quasi_iterations, at);
    claim.measured += &format!(", with at most {JUDGED} iterations; so it is {holding}");
    claim
}

fn published_iterations(comparison: &Comparison) -> Claim {
    let text = format!(
        "{}, the paper's step: the exact matrix needs half the iterations or fewer",
        comparison.mechanism
    );
    let [exact, quasi] = [comparison.exact_iterations, comparison.quasi_iterations];
    fewer(text, exact, quasi, comparison.step)
}

fn fewer(text: String, exact: Option<f64>, quasi: Option<f64>, step: f64) -> Claim {
    let reason = match (exact, quasi) {
        (Some(exact), Some(quasi)) => {
            let ratio = exact / quasi;
            return Claim::new(
                "9-11",
                text,
                ratio <= ITERATION_RATIO,
                ratio,
                format!(
                    "{exact:.2} and {quasi:.2} per step at h = {step:.2e} s, ratio {ratio:.2} (at most {ITERATION_RATIO})"
                ),
            );
        }
        (Some(_), None) => {
            "the quasi-Newton iteration diverges at this step, the exact one does not"
        }
        (None, Some(_)) => "the exact iteration fails at this step, the quasi-Newton one does not",
        (None, None) => "both iterations fail at this step",
    };
    Claim::unmeasured("9-11", text, reason)
}

fn more(implicit: &Effort, explicit: &Effort) -> Claim {
    let ratio = explicit.steps as f64 / implicit.steps.max(1) as f64;
    Claim::new(
        "Section 4.1",
        format!(
            "seven bodies: {} needs many times the steps of the implicit method for the same error",
            explicit.method
        ),
        ratio >= EXPLICIT_RATIO,
        ratio,
        format!(
            "{} steps of at most {:.1e} s against {}: {ratio:.0} times as many (at least {EXPLICIT_RATIO}); errors {:.1e} and \
             {:.1e}",
            explicit.steps, explicit.step, implicit.steps, explicit.error, implicit.error
        ),
    )
}
