//! A reference for problems that come without one.

use super::{Case, Choice, Control, Meter, Sampling, Table};
use crate::error::CommandError;
use liedae::solve::solve_observed;

/// The method of the reference run.
pub const METHOD: &str = "mdop5";

/// The method of a second run that says how far the first can be trusted: another order, other steps.
pub const SECOND_METHOD: &str = "dop853";

/// Their relative and absolute tolerance.
pub const TOLERANCE: f64 = 1e-12;

/// The reference run in words.
pub const DESCRIPTION: &str = "own run with mdop5 at rtol = atol = 1e-12, dense output with accelerations and \
                               multipliers solved for at every time";

/// Outputs at these times (ascending) from a run with small tolerances; at an event those before it.
pub fn own_reference(case: &mut Case, times: Vec<f64>) -> Result<Table, CommandError> {
    tight_run(case, METHOD, times)
}

/// The same with another method.
pub fn tight_run(case: &mut Case, method: &str, times: Vec<f64>) -> Result<Table, CommandError> {
    let choice = Choice::new(method, None, None)?;
    let control = Control::Adaptive {
        rtol: TOLERANCE,
        atol: TOLERANCE,
    };
    let options = control.options(case.t_end, None);
    let mut table = Table::default();
    let mut meter = Meter::of_rows(Sampling::Settled(times), &mut table).without_jumps();
    let integrator = choice.build();
    let result = solve_observed(case.system(), integrator.as_ref(), &options, &mut meter);
    meter.finish()?;
    result?;
    Ok(table)
}
