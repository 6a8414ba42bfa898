//! Violations of the constraints, and who needs corrections of them.

use super::super::Results;
use super::super::runs::{Cell, FORMS, Form};
use super::super::settings::SAFETY;
use super::super::statistics::ratio;
use super::{HEM5, MDOP5, PROBLEMS, RIGID, share};
use crate::reproduce::{Claim, Statement};

/// Violations below this are those of round-off.
const MACHINE: f64 = 1e-8;

/// How many accepted steps of a solver are projected, over all problems with contacts and without.
pub(in crate::reproduce::haddouni2017) fn projected_share(
    cells: &[Cell],
    solver: usize,
    sets: &[&str],
) -> Option<(usize, usize)> {
    let of = cells.iter().filter(|cell| {
        cell.solver == solver && cell.safety == SAFETY[0] && sets.contains(&cell.set)
    });
    let counted = of.filter_map(|cell| Some((cell.projected?, cell.accepted)));
    let (mut projected, mut accepted) = (0, 0);
    for (part, all) in counted {
        projected += part;
        accepted += all;
    }
    (accepted > 0).then_some((projected, accepted))
}

/// Section 4.4: who needs corrections of the constraints.
pub(super) fn projections(cells: &[Cell]) -> Vec<Claim> {
    let both = [HEM5, MDOP5].map(|solver| projected_share(cells, solver, &RIGID));
    let [Some(hem5), Some(mdop5)] = both else {
        return Vec::new();
    };
    let part = |(projected, accepted): (usize, usize)| projected as f64 / accepted as f64;
    let words = |(projected, accepted)| format!("{projected} of {accepted} steps");
    let smooth = "constraints that are not smooth, as those of a geometry engine";
    vec![
        Statement::new(
            "Section 4.4",
            "most of the time HEM5 needs no correction of the constraints",
            "Therefore, most of the time it does not need any procedure of correction of the constraints, which is time-consuming.",
            "share of the accepted steps with violations above 1e-4, which are corrected, less than half",
            smooth,
        )
        .judge(part(hem5) < 0.5, part(hem5), words(hem5)),
        Statement::new(
            "Section 5",
            "MDOP5 requires a projection in most cases",
            "This is not the case for the explicit scheme where a projection on the constraints is required in most cases.",
            "the same share, more than half",
            smooth,
        )
        .judge(part(mdop5) > 0.5, part(mdop5), words(mdop5))
        .because(
            "drift per step is of the size of the local error, below the tolerance of 1e-4 that is also the bound: it takes many \
             steps to add up to it. Constraints here are smooth functions evaluated to round-off",
        ),
    ]
}

fn worst(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0_f64, |most, value| {
        if value > most || value.is_nan() {
            value
        } else {
            most
        }
    })
}

/// Section 5, violation of the constraints.
pub(super) fn violations(results: &Results) -> Vec<Claim> {
    let cells = &results.cells;
    let mut claims = Vec::new();
    let hem5 = cells
        .iter()
        .filter(|cell| cell.solver == HEM5 && cell.done && cell.safety == SAFETY[0]);
    let velocity = worst(hem5.filter_map(|cell| cell.violation_velocity));
    claims.push(
        Statement::new(
            "Section 5",
            "HEM5 enforces the velocity constraints",
            "HEM5 enforces the constraints at the velocity level.",
            format!("largest |G v| over all runs, at most {MACHINE:e}"),
            "projections of positions, which leave the velocity where it was",
        )
        .judge(velocity <= MACHINE, velocity, format!("{velocity:.1e}"))
        .because(
            "where a position is moved onto the constraints beyond the bound, the velocity of the step no longer belongs to it \
             until it is projected, too",
        ),
    );
    let found = ratio(cells, &RIGID, &|_| false, (MDOP5, HEM5), &|cell| {
        // Below this it is round-off with both.
        cell.violation_position
            .map(|violation| violation.max(1e-14))
    });
    if let Some(found) = found {
        let statement = Statement::new(
            "Section 5",
            "HEM5 reduces the violation of the positions drastically, against MDOP5",
            "This enables to reduce drastically the violation at the position level.",
            "largest |g| with MDOP5 over that with HEM5, geometric mean, at least 10",
            PROBLEMS,
        );
        let measured = format!("{:.1} times, {}", found.mean, share(found));
        claims.push(statement.judge(found.mean >= 10.0, found.mean, measured).because(
            "on many problems positions are held to round-off by both: constraints that are linear in the coordinates, as of balls on a \
             line, do not drift with any of them",
        ));
    }
    claims.extend(forms(&results.forms));
    claims
}

/// The three forms of generalized-α.
fn forms(forms: &[Form]) -> Vec<Claim> {
    let both_levels = Statement::new(
        "Section 5",
        "generalized-α with both constraints violates less than in its index-2 form, and much less than at index 3",
        "The stabilized generalized-α scheme used with an enforcement of the position and the velocity constraints gives better results than \
         using it in its index-2 DAE form, and much better results when it is used in its index-3 DAE solver form.",
        "largest violation of positions or velocities over the mechanisms without contacts that are not stiff, smaller than at index 2, and \
         a tenth of that at index 3",
        "- (holds by construction of the method, whose equations contain both constraints)",
    );
    let multipliers = Statement::new(
        "Section 5",
        "schemes of index 3 may yield instabilities in the multipliers",
        "In particular, schemes that solves index-3 DAE may yield to instabilities in the Lagrange multiplier that can blur the evaluation of \
         closed contact.",
        "largest violation of the accelerations, which the multipliers have to answer, at index 3 over that with both constraints, more than \
         10",
        "multipliers of the step itself in place of those of the index-1 form, or a start from accelerations that are not corrected",
    );
    if forms.is_empty() {
        let reason = "the experiment was not run";
        return [both_levels, multipliers]
            .map(|statement| statement.unmeasured(reason))
            .into();
    }
    let largest = |method: &str, value: fn(&Form) -> f64| {
        let of = forms
            .iter()
            .filter(|form| form.method == method && form.done);
        worst(of.map(value))
    };
    let [both, index2, index3] =
        FORMS.map(|method| largest(method, |form| form.position.max(form.velocity)));
    let acceleration = FORMS.map(|method| largest(method, |form| form.acceleration));
    let ratio = acceleration[2] / acceleration[0];
    vec![
        both_levels.judge(
            both < index2 && 10.0 * both < index3,
            index2 / both,
            format!("{both:.1e}, {index2:.1e} at index 2, {index3:.1e} at index 3"),
        ),
        multipliers
            .judge(
                ratio > 10.0,
                ratio,
                format!(
                    "{:.1e} at index 3, {:.1e} with both constraints",
                    acceleration[2], acceleration[0]
                ),
            )
            .because(
                "the multipliers reported are not those of the step: this library starts the scheme from corrected accelerations and \
                 completes accepted states by the index-1 form, which removes the oscillation",
            ),
    ]
}
