//! Proportionality of the achieved error to the requested tolerance.

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
