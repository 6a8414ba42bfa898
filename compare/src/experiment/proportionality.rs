//! Whether the error that comes out follows the tolerance that was asked for.

use super::{Choice, Standard, slope};
use crate::error::CommandError;
use serde::Serialize;
use std::time::Duration;

/// Problems and the end of their runs in s.
pub const PROBLEMS: [(&str, f64); 3] = [
    ("double-pendulum", 2.0),
    ("andrews", 0.03),
    ("heavy-top", 1.0),
];

/// An error within this factor of the tolerance counts as proportional.
pub const FACTOR: f64 = 100.0;

/// What the reason of a run without result begins with that was stopped at the time limit.
pub const GIVEN_UP: &str = "given up";

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToleranceRun {
    /// The problem's name.
    pub problem: String,
    /// The method's name.
    pub method: String,
    /// Relative and absolute tolerance.
    pub tolerance: f64,
    /// Error at the end in units of the tolerance, in the norm of the step-size control; null if the run was given up.
    pub ratio: Option<f64>,
    /// Accepted steps.
    pub accepted: usize,
    /// Rejected steps.
    pub rejected: usize,
    /// Why there is no ratio.
    pub reason: String,
}

impl ToleranceRun {
    /// Whether the error is at most a hundred times the tolerance.
    pub fn delivers(&self) -> bool {
        self.ratio.is_some_and(|ratio| ratio <= FACTOR)
    }
}

/// e in h ~ tol^(1/e) where it is not the order of the method's estimate: `radau5` asks tol^(2/3) of an estimate of order 4,
/// and `bdf` states the estimate of its lowest order, but runs at the highest where the solution is smooth.
const STEP_EXPONENTS: [(&str, f64); 2] = [("radau5", 6.0), ("bdf", 6.0)];

/// How the error should follow the tolerance: with steps h ~ tol^(1/e), the global error of a method of order p is
/// proportional to tol^(p/e). Below 1 the error falls behind the tolerance, decade by decade.
pub fn expected_slope(choice: &Choice) -> f64 {
    let (orders, method) = (choice.orders(), choice.method());
    let known = STEP_EXPONENTS.iter().find(|(name, _)| *name == method.name);
    let exponent = known.map_or(method.error_order, |(_, exponent)| *exponent);
    f64::from(orders.q.min(orders.v)) / exponent
}

/// Slope of log error over log tolerance.
pub fn observed_slope(runs: &[&ToleranceRun]) -> Option<f64> {
    slope(
        runs.iter()
            .filter_map(|run| Some((run.tolerance, run.ratio? * run.tolerance))),
    )
}

/// Runs one method over all tolerances.
pub fn proportionality(
    standard: &mut Standard,
    choice: &Choice,
    tolerances: &[f64],
    limit: Duration,
) -> Result<Vec<ToleranceRun>, CommandError> {
    let mut runs = Vec::with_capacity(tolerances.len());
    for &tolerance in tolerances {
        let mut run = ToleranceRun {
            problem: standard.name().to_owned(),
            method: choice.label(),
            tolerance,
            ratio: None,
            accepted: 0,
            rejected: 0,
            reason: String::new(),
        };
        match standard.error_in_tolerances(choice, tolerance, limit) {
            Ok(Some((ratio, statistics))) => {
                run.ratio = Some(ratio);
                run.accepted = statistics.accepted;
                run.rejected = statistics.rejected.total();
            }
            Ok(None) => run.reason = format!("{GIVEN_UP} after {} s", limit.as_secs_f64()),
            Err(error) => run.reason = error.to_string(),
        }
        runs.push(run);
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_follow_from_orders_and_from_what_is_asked_of_the_estimate() {
        for (method, expected) in [
            ("hem5", 1.0),
            ("half-implicit", 0.5),
            ("radau5", 5.0 / 6.0),
            ("radau5:3", 0.5),
            ("bdf", 5.0 / 6.0),
        ] {
            let choices = Choice::list(&liedae_contact::methods(), method).expect("a method");
            let found = expected_slope(&choices[0]);
            assert!((found - expected).abs() < 1e-12, "{method}: {found}");
        }
    }
}
