//! Figs. 9 to 11: iterations of IMPL and FV.

use super::claims::{DEPENDS, mechanisms};
use super::experiments::{Predictor, Search};
use super::mechanisms::Model;
use super::steps::{constants, open};
use super::{JUDGED, Results};
use crate::reproduce::{Claim, Statement, Verdict};

/// "Half or less iterations".
const HALF: f64 = 0.5;
/// What reading plots loosely would make of it.
const LOOSE: f64 = 0.6;

/// Iterations at the paper's step, or at the largest below it that converges with both.
pub(super) fn iterations(
    results: &Results,
    searches: &[&Search],
    model: Model,
    predictor: Predictor,
) -> Claim {
    let [_, step] = model.published();
    let (mut ratios, mut number, mut words) = (Vec::new(), None, Vec::new());
    for mechanism in mechanisms(model) {
        let own = searches
            .iter()
            .filter(|search| search.mechanism.title == mechanism.title);
        let mut found = Vec::new();
        let mut at = f64::NAN;
        for search in own.filter(|search| search.limit == JUDGED) {
            let curves = results.curves.iter().find(|curves| {
                curves.predictor == predictor
                    && curves.mechanism.title == mechanism.title
                    && curves.tolerance == search.tolerance
            });
            let there = curves.and_then(|curves| Some([curves.exact.mean?, curves.quasi.mean?]));
            let there = there.map(|both| (step, both));
            let Some((h, [exact, quasi])) = there.or_else(|| search.iterations_up_to(step)) else {
                continue;
            };
            let ratio = exact / quasi;
            if search.is_main() {
                number = number.or(Some(ratio));
                at = h;
            }
            found.push((search.tolerance, ratio));
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let list = found
            .iter()
            .map(|(tolerance, ratio)| format!("{ratio:.2} (residual {tolerance:e})"));
        let list: Vec<String> = list.collect();
        words.push(format!(
            "{}, h = {at:.2e} s: {}",
            mechanism.title,
            list.join(", ")
        ));
        ratios.extend(found.into_iter().map(|(_, ratio)| ratio));
    }
    let count = |bound: f64| ratios.iter().filter(|ratio| **ratio <= bound).count();
    let statement = Statement::new(
        model.figure(),
        format!(
            "{}{}, {}: IMPL needs half the iterations of FV or fewer",
            model.name(),
            constants(model),
            predictor.words()
        ),
        "Note that IMPL requires half or less iterations.",
        format!(
            "iterations per step, IMPL over FV, at most {HALF} with every tolerance of the residual and every set of constants, at the paper's \
             step of {step} s or the largest below it that converges with both"
        ),
        format!(
            "the bound: at most {LOOSE} in {} of {} settings; {}",
            count(LOOSE),
            ratios.len(),
            open(model)
        ),
    )
    .bounded(format!("at most {HALF}"));
    let Some(number) = number else {
        return statement.unmeasured("no step tried converges with both");
    };
    let holds: Vec<bool> = ratios.iter().map(|ratio| *ratio <= HALF).collect();
    let verdict = Verdict::of_all(&holds);
    let measured = format!(
        "in {} of {} settings\n{}",
        count(HALF),
        ratios.len(),
        words.join("\n")
    );
    statement
        .judge(verdict, number, measured)
        .because(match verdict {
            Verdict::Undecided => DEPENDS,
            _ => {
                "close to the solution the matrix of FV is nearly as good as the exact Jacobian at this step, so that the way from the \
                 predictor, which is long with either, takes most of the iterations"
            }
        })
}
