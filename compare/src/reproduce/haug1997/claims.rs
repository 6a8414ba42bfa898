//! The conclusions of section 4, each decided by a number.

use super::{Effort, Results, SEVEN_BODY_STEP, Search};
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
    for search in &results.searches {
        claims.push(steps(search));
        claims.push(iterations(search));
    }
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

fn steps(search: &Search) -> Claim {
    let ratio = search.exact_step / search.quasi_step;
    Claim::new(
        "Table 5",
        format!(
            "{}, at most {} iterations: the exact matrix takes larger steps",
            search.mechanism, search.limit
        ),
        ratio >= STEP_RATIO,
        ratio,
        format!(
            "{:.2e} s and {:.2e} s, ratio {ratio:.2} (at least {STEP_RATIO}); the paper has {} and {}, ratio {:.1}",
            search.exact_step,
            search.quasi_step,
            search.published_exact,
            search.published_quasi,
            search.published_exact / search.published_quasi
        ),
    )
}

fn iterations(search: &Search) -> Claim {
    let ratio = search.exact_iterations / search.quasi_iterations;
    Claim::new(
        "9-11",
        format!(
            "{}, at most {} iterations: the exact matrix needs half the iterations or fewer",
            search.mechanism, search.limit
        ),
        ratio <= ITERATION_RATIO,
        ratio,
        format!(
            "{:.2} and {:.2} per step at h = {:.2e} s, ratio {ratio:.2} (at most {ITERATION_RATIO})",
            search.exact_iterations, search.quasi_iterations, search.quasi_step
        ),
    )
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
