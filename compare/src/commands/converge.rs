//! `liedae converge`: order of convergence on a ladder of steps.

use super::deliver;
use crate::cli::ConvergeArgs;
use crate::error::{CommandError, Status};
use crate::experiment::{Case, Choice, Convergence, Ladder, converge as measure};
use crate::output::{columns, note, number};

/// Measures and reports.
pub fn converge(arguments: &ConvergeArgs, as_json: bool) -> Result<Status, CommandError> {
    let mut case = Case::new(
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
    let choice = Choice::new(&arguments.method, options.projection, options.newton_tol)?;
    let output = case.output(arguments.output.as_deref())?;
    let ladder = Ladder {
        steps: arguments.steps.clone(),
        output,
        max_steps: options.max_steps,
        timed: true,
    };
    let result = measure(&mut case, &choice, &ladder, note)?;
    deliver(&result, as_json, || text(&result))
}

fn text(result: &Convergence) -> String {
    let mut text = format!(
        "{} with {}: error of `{}` over all steps to t = {} s\nreference: {}\n\n",
        result.problem,
        result.method,
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
