//! A reference for problems that come without one.

use super::{Case, Choice, Control, Meter, Sampling, Table};
use crate::error::CommandError;
use liedae::solve::solve_observed;

/// The method of the reference run.
pub const METHOD: &str = "mdop5";

/// Its relative and absolute tolerance.
pub const TOLERANCE: f64 = 1e-12;

/// The reference run in words.
pub const DESCRIPTION: &str = "own run with mdop5 at rtol = atol = 1e-12, dense output with accelerations and \
                               multipliers solved for at every time";

/// Outputs at these times (ascending) from a run with small tolerances.
pub fn own_reference(case: &mut Case, times: Vec<f64>) -> Result<Table, CommandError> {
    let choice = Choice::new(METHOD, None, None)?;
    let control = Control::Adaptive {
        rtol: TOLERANCE,
        atol: TOLERANCE,
    };
    let options = control.options(case.t_end, None);
    let mut table = Table::default();
    let mut meter = Meter::of_rows(Sampling::Settled(times), &mut table);
    let mut integrator = choice.build();
    let result = solve_observed(case.system(), integrator.as_mut(), &options, &mut meter);
    meter.finish()?;
    result?;
    Ok(table)
}
