//! `liedae converge`: order of convergence on a ladder of steps.

use super::deliver;
use crate::cli::ConvergeArgs;
use crate::error::{CommandError, Status};
use crate::experiment::{Case, Choice, Convergence, Ladder, converge as measure};
use crate::output::{columns, note, number};
use crate::registry::Registry;

/// Steps of a whole ladder: the value at each is kept in memory.
const MOST_ROWS: f64 = 4e6;

/// Measures and reports.
pub fn converge(
    registry: &Registry,
    arguments: &ConvergeArgs,
    as_json: bool,
) -> Result<Status, CommandError> {
    let mut case = registry.case(
        &arguments.problem.problem,
        &arguments.problem.settings,
        arguments.problem.t_end,
    )?;
    if arguments.problem.t_end.is_none()
        && let Some(t_end) = case.problem.order_study_end
    {
        note(&format!(
            "errors to t = {t_end} s, where they are in the asymptotic range; --t-end {} covers the whole motion",
            case.problem.t_end
        ));
        case.t_end = t_end;
    }
    let options = &arguments.method_options;
    let choice = Choice::parse(registry.methods(), &arguments.method)?
        .with_options(registry.methods(), options.projection, options.newton_tol)?
        .with_formulation(registry.methods(), options.index.as_deref())?
        .with_event_tolerance(options.event_tolerance)?;
    let output = case.output(arguments.output.as_deref())?;
    let mut steps = arguments.steps.clone();
    check_steps(&steps, &case)?;
    // A step asked for twice would weigh twice in the slope.
    let mut seen = Vec::with_capacity(steps.len());
    steps.retain(|step| {
        let new = !seen.contains(step);
        seen.push(*step);
        new
    });
    let ladder = Ladder {
        steps,
        output,
        max_steps: options.max_steps,
        timed: true,
    };
    let result = measure(&mut case, &choice, &ladder, note)?;
    deliver(&result, as_json, || text(&case.label(), &result))
}

/// Refuses steps that are none, and ladders whose rows would not fit into memory.
fn check_steps(steps: &[f64], case: &Case) -> Result<(), CommandError> {
    let refuse = |step: f64, expected: String| CommandError::Value {
        option: "--steps",
        value: format!("{step:e}"),
        expected,
    };
    if let Some(&bad) = steps
        .iter()
        .find(|&&step| !(step > 0.0 && step.is_finite()))
    {
        return Err(refuse(
            bad,
            "a step size is a positive number of seconds".to_owned(),
        ));
    }
    let span = case.t_end - case.problem.system.initial_state().t;
    if span == 0.0 {
        return Err(CommandError::Value {
            option: "--t-end",
            value: number(case.t_end),
            expected: "that is the initial time, and there is nothing to converge".to_owned(),
        });
    }
    let rows: f64 = steps.iter().map(|step| span / step).sum();
    let smallest = steps.iter().copied().fold(f64::INFINITY, f64::min);
    if case.t_end.is_finite() && rows > MOST_ROWS {
        return Err(refuse(
            smallest,
            format!(
                "to t = {} s the ladder takes {rows:.1e} steps, more than {MOST_ROWS:e}; choose larger steps or an \
                 earlier --t-end",
                number(case.t_end)
            ),
        ));
    }
    Ok(())
}

/// `problem` names the problem with its parameters.
fn text(problem: &str, result: &Convergence) -> String {
    let mut text = format!(
        "{} with {}: error of `{}` over all steps to t = {} s\nreference: {}\n\n",
        problem,
        result.variant,
        result.output,
        number(result.t_end),
        result.reference
    );
    let rows: Vec<Vec<String>> = result
        .points
        .iter()
        .map(|point| {
            vec![
                format!("{:e}", point.h),
                format!(
                    "{:.4e}{}",
                    point.error_rms,
                    if point.at_round_off { "*" } else { "" }
                ),
                format!("{:.4e}", point.error_max),
                format!("{:.2}", point.iterations_per_step),
                number(point.wall_s),
            ]
        })
        .collect();
    text.push_str(&columns(
        &[
            "h / s",
            "RMS error",
            "largest",
            "iterations/step",
            "wall / s",
        ],
        &rows,
    ));
    match result.slope {
        Some(slope) => text.push_str(&format!("\nslope {slope:.3}\n")),
        None => text.push_str("\nno slope: fewer than two points above round-off\n"),
    }
    if result.points.iter().any(|point| point.at_round_off) {
        text.push_str(&format!(
            "* at round-off (below {:.1e}), not in the fit\n",
            result.round_off_floor
        ));
    }
    text
}
