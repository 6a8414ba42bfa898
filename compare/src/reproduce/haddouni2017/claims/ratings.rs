//! Table 3: whose costs are near the lowest.

use super::super::Results;
use super::super::runs::Cell;
use super::super::settings::{EQUAL_ERRORS, PaperSet, SAFETY, TAU};
use super::super::statistics::{Cost, equal_error, equal_tolerance, ratio, rho};
use super::{ALPHA, HEM5, MDOP5};
use crate::reproduce::Claim;

/// Shares of Table 3 that differ by less count as the same.
const SAME_SHARE: f64 = 0.15;

/// The order of the solvers by ρ(1.2).
pub(super) fn table3(results: &Results, set: &PaperSet) -> Claim {
    let figure = match set.number {
        1 => "Table 3, set 1",
        2 => "Table 3, set 2",
        _ => "Table 3, set 3",
    };
    let [h, m, a] = set.published;
    let costs = equal_tolerance(&results.cells, set.set, SAFETY[0], Cost::Seconds);
    let text = format!(
        "{}: within 1.2 times the fastest HEM5 solves {h}, MDOP5 {m}, stabilized generalized-α {a} of the problems",
        set.title
    );
    if costs.is_empty() {
        return Claim::unmeasured(figure, text, "the experiment was not run");
    }
    let shares = rho(&costs, TAU);
    let number = shares[HEM5] - shares[MDOP5];
    // What the table says: on set 1 HEM5 and MDOP5 are about the same, on set 2 HEM5 is ahead, and on both the third is
    // far behind; on set 3 HEM5 is ahead of generalized-α, and that of MDOP5.
    let behind = shares[ALPHA] < shares[HEM5].min(shares[MDOP5]);
    let holds = match set.number {
        1 => behind && number.abs() <= SAME_SHARE,
        2 => behind && number > SAME_SHARE,
        _ => shares[HEM5] > shares[ALPHA] && shares[ALPHA] > shares[MDOP5],
    };
    let list = |shares: [f64; 3]| format!("{:.2}, {:.2}, {:.2}", shares[0], shares[1], shares[2]);
    let by = |safety, cost| {
        list(rho(
            &equal_tolerance(&results.cells, set.set, safety, cost),
            TAU,
        ))
    };
    let errors: Vec<String> = EQUAL_ERRORS
        .iter()
        .map(|&error| {
            let costs = equal_error(&results.cells, set.set, error, Cost::Seconds);
            format!(
                "at an error of {error:e} {} ({} problems)",
                list(rho(&costs, TAU)),
                costs.len()
            )
        })
        .collect();
    let mut measured = format!(
        "{} of {} problems by CPU time; by force evaluations {}, by factorizations {}; {}",
        list(shares),
        costs.len(),
        by(SAFETY[0], Cost::Force),
        by(SAFETY[0], Cost::Factorizations),
        errors.join(", ")
    );
    if results.cells.iter().any(|cell| cell.safety == SAFETY[1]) {
        measured.push_str(&format!(
            "; with the safety factor 0.3 that Table 1 prints {}",
            by(SAFETY[1], Cost::Seconds)
        ));
    }
    Claim::new(figure, text, holds, number, measured).because(reversed(results, set))
}

/// Why HEM5 is not ahead at equal tolerance, by counts.
fn reversed(results: &Results, set: &PaperSet) -> String {
    let is_stiff = |id: &str| results.is_stiff(id);
    let mean = |value: &dyn Fn(&Cell) -> Option<f64>| {
        let found = ratio(&results.cells, &[set.set], &is_stiff, (HEM5, MDOP5), value);
        found.map_or(f64::NAN, |found| found.mean)
    };
    format!(
        "at equal tolerance HEM5 takes {:.1} times the steps of MDOP5, since its estimate (eqs. 33, 34) exceeds its error, which is \
         {:.3} times MDOP5's; a step takes {:.1} times the CPU time, and projections, which the paper has MDOP5 pay for, are \
         rare here (see \"Why the order is reversed\")",
        mean(&|cell| Some(cell.accepted as f64)),
        mean(&|cell| cell.error),
        mean(&|cell| Some(cell.seconds / (cell.accepted + cell.rejected) as f64)),
    )
}
