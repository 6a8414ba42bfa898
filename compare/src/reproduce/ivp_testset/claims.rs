//! Agreement with published runs and end values, each decided by a number.

use super::{ERROR_FACTOR, End, MARGIN, Steps};
use crate::reproduce::claim::short;
use crate::reproduce::{Claim, Statement, Table};

/// Why a run does not agree with the published one.
fn difference(steps: &Steps) -> &'static str {
    match (steps.code, steps.method) {
        ("RADAU5", "radau5:stabilized") => {
            "the stabilized form of radau5 is not that of the published run: it measures the multipliers of the velocity constraints by the \
             mass matrix, which halves the steps at an equal error"
        }
        ("RADAU5", "radau5:3") => {
            "with index 3 velocities are tested times h and multipliers times h\u{b2}: the error at the end is not controlled, and depends on \
             the choice of single steps"
        }
        _ => {
            "bdf has the formulas of the code, and another choice of order and step: at about as many steps its error is smaller"
        }
    }
}

pub(super) fn claim_of_steps(steps: &Steps) -> Claim {
    let Steps {
        code,
        title,
        rtol,
        atol,
        ..
    } = steps;
    let parts = [*code, steps.index(), *title];
    let name: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let tolerance = match format!("{rtol:e}") == *atol {
        true => format!("tolerance {rtol:e}"),
        false if *rtol == 0.0 => format!("atol {atol}"),
        false => format!("rtol {rtol:e}, atol {atol}"),
    };
    let error =
        |error: Option<f64>| error.map_or_else(String::new, |error| format!(", error {error:.1e}"));
    // What decides: the number of steps, or where that agrees and the error does not, the error.
    let by_error = steps.has_as_many() && !steps.is_as_accurate();
    let (number, bound) = match steps.error_ratio().filter(|_| by_error) {
        Some(ratio) => (
            ratio,
            format!("error: {} to {ERROR_FACTOR}", 1.0 / ERROR_FACTOR),
        ),
        None => (
            steps.ratio(),
            format!("steps: {} to {}", 1.0 - MARGIN, 1.0 + MARGIN),
        ),
    };
    let statement = Statement {
        table: Table::Counts,
        place: (*code).to_owned(),
        claim: format!(
            "{}, {tolerance}: {} steps, {} rejected{}",
            name.join(", "),
            steps.published_accepted,
            steps.published_rejected,
            error(steps.published_error)
        ),
        sentence: None,
        criterion: format!(
            "accepted steps within {:.0} % of the published ones and, where the published error is known, an error within a factor of \
             {ERROR_FACTOR} of it, in either direction; a different number of steps at an equal error is no agreement",
            100.0 * MARGIN
        ),
        bound: Some(bound),
        sensitive_to: "the controller, the first step and the Jacobian of the published run; and the bound of the error, one digit"
            .to_owned(),
    };
    let equal = steps.equal_error_factor.zip(steps.equal_error_accepted);
    let equal_error = equal.map_or_else(String::new, |(factor, accepted)| match factor < 1.0 {
        true => format!("; {accepted} steps at the published error, with the tolerances multiplied by {factor:.2}"),
        false => "; no larger error than the published one".to_owned(),
    });
    let ratio = steps.error_ratio();
    let measured = format!(
        "{}: {} steps ({:+.0} %), {} rejected{}{}{equal_error}",
        steps.method,
        steps.accepted,
        100.0 * (steps.ratio() - 1.0),
        steps.rejected,
        error(steps.error),
        ratio.map_or_else(String::new, |ratio| format!(", {} times", short(ratio)))
    );
    statement
        .judge(steps.agrees(), number, measured)
        .because(difference(steps))
}

pub(super) fn claim_of_end(end: &End) -> Claim {
    let statement = Statement {
        table: Table::EndValues,
        place: end.problem.to_owned(),
        claim: format!("{} at tolerance {:e}: published end values", end.method, end.tolerance),
        sentence: None,
        criterion: "regression bound: digits of every output that is known to as many, at least a number below what was reached when the row was \
                    made; the published runs state no digits to compare with"
            .to_owned(),
        bound: Some(format!("at least {} digits", end.expected)),
        sensitive_to: "the tolerance".to_owned(),
    };
    let measured = format!(
        "{:.1} digits, {} steps, {} rejected",
        end.digits, end.accepted, end.rejected
    );
    statement.judge(end.holds, end.digits, measured)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::Verdict;

    fn row(accepted: usize, error: f64) -> Steps {
        Steps {
            problem: "andrews",
            title: "Andrews' squeezer",
            settings: String::new(),
            method: "radau5:stabilized",
            code: "RADAU5",
            rtol: 1e-6,
            atol: "1e-6".to_owned(),
            first_step: None,
            published_accepted: 200,
            accepted,
            published_rejected: 0,
            rejected: 0,
            failed: 0,
            published_error: Some(1e-5),
            error: Some(error),
            equal_error_factor: None,
            equal_error_accepted: None,
            source: "",
        }
    }

    #[test]
    fn half_the_steps_and_other_errors_are_no_agreement() {
        let judged = |accepted, error| {
            let claim = claim_of_steps(&row(accepted, error));
            (claim.verdict, claim.number)
        };
        assert_eq!(judged(210, 5e-5), (Verdict::Holds, Some(1.05)));
        assert_eq!(judged(100, 1e-5), (Verdict::DoesNotHold, Some(0.5)));
        let (verdict, number) = judged(200, 1e-7);
        assert_eq!(verdict, Verdict::DoesNotHold);
        assert!(number.is_some_and(|number| (number - 0.01).abs() < 1e-9));
    }

    #[test]
    fn rows_are_told_apart_by_their_index() {
        let claim = claim_of_steps(&row(200, 1e-5)).statement.claim;
        assert!(
            claim.starts_with(
                "RADAU5, stabilized index 2, Andrews' squeezer, tolerance 1e-6: 200 steps"
            ),
            "{claim}"
        );
    }
}
