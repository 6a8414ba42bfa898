//! A reference for problems that come without one.

use super::{Case, Control, Meter, Sampling, Table, limiting_clock};
use crate::error::CommandError;
use crate::registry::Registry;
use liedae::solve::{Options, solve_observed};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::time::Duration;

/// A run that others are measured by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TightRun {
    /// Its method.
    pub method: Cow<'static, str>,
    /// Its relative tolerance, and the absolute one for components that count from one on.
    pub tolerance: f64,
}

impl TightRun {
    /// A run with this method.
    pub const fn new(method: &'static str, tolerance: f64) -> Self {
        Self {
            method: Cow::Borrowed(method),
            tolerance,
        }
    }
}

/// The reference run, and a second one by another method, with other steps, that says how far the first can be trusted.
const FOR_MECHANISMS: [TightRun; 2] = [
    TightRun::new("mdop5", 1e-12),
    TightRun::new("dop853", 1e-12),
];

/// The same for stiff problems, and for DAEs whose mass matrix is singular. Radau IIA raises its tolerance to the power 2/3,
/// so that it is asked for more.
const FOR_STIFF: [TightRun; 2] = [TightRun::new("radau5", 1e-13), TightRun::new("bdf", 1e-12)];

/// Steps after which a run is given up. Up to their own ends no problem that is not stiff takes a fiftieth of it.
const MOST_STEPS: u64 = 3_000_000;

/// CPU time after which a run is given up, of large problems or with forces that take long.
const MOST_TIME: Duration = Duration::from_secs(40);

/// CPU time that a reference takes at most: where the first run of the methods for mechanisms fails, there are two more.
pub const LONGEST: Duration = Duration::from_secs(3 * MOST_TIME.as_secs());

/// Sizes of outputs below this are unknown: the absolute tolerance of the runs.
pub const ABSOLUTE: f64 = 1e-12;

/// A reference run that has succeeded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnReference {
    /// What it was.
    pub first: TightRun,
    /// Its outputs at the times asked for.
    pub table: Table,
    /// The second run, which may confirm it.
    pub second: TightRun,
}

impl OwnReference {
    /// What it was, in words.
    pub fn description(&self) -> String {
        format!(
            "own run with {} at a tolerance of {:e}, dense output with accelerations and multipliers solved for at every time",
            self.first.method, self.first.tolerance
        )
    }

    /// Makes the second run; where it fails, the reason.
    pub fn confirm(self, case: &mut Case) -> Confirmed {
        let second = tight_run(case, &self.second, &self.table.times);
        Confirmed {
            confirmation: second.map_err(|error| error.to_string()),
            reference: self,
        }
    }
}

/// A reference run and what came out of the second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Confirmed {
    /// The first run.
    pub reference: OwnReference,
    /// Outputs of the second at the same times, or why it failed.
    pub confirmation: Result<Table, String>,
}

/// Outputs at these times (ascending) from a run with small tolerances; at an event those before it.
///
/// # Errors
/// Where neither the methods for mechanisms nor those for stiff problems arrive: the error of the latter names both.
pub fn own_reference(case: &mut Case, times: &[f64]) -> Result<OwnReference, CommandError> {
    let mut reasons = Vec::new();
    for [first, second] in [FOR_MECHANISMS, FOR_STIFF] {
        match tight_run(case, &first, times) {
            Ok(table) => {
                return Ok(OwnReference {
                    first,
                    table,
                    second,
                });
            }
            Err(error) => reasons.push(format!("{}: {error}", first.method)),
        }
    }
    Err(CommandError::NoOwnReference {
        problem: case.problem.name.to_owned(),
        reasons: reasons.join("; "),
    })
}

/// Outputs at these times from one run.
fn tight_run(case: &mut Case, run: &TightRun, times: &[f64]) -> Result<Table, CommandError> {
    let choice = Registry::standard().choice(&run.method)?;
    let control = Control::Adaptive {
        rtol: run.tolerance,
        atol: run.tolerance * case.problem.absolute_scale,
    };
    let options = Options {
        time_limit: Some(MOST_TIME),
        clock: limiting_clock(),
        ..control.options(case.t_end, Some(MOST_STEPS))
    };
    let mut table = Table::default();
    let sampling = Sampling::Settled(times.to_vec());
    let mut meter = Meter::of_rows(sampling, &mut table).without_jumps();
    let integrator = choice.build();
    let result = solve_observed(case.system(), integrator.as_ref(), &options, &mut meter);
    meter.finish()?;
    result?;
    Ok(table)
}
