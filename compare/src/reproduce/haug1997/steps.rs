//! Table 5: the largest steps of IMPL and FV.

use super::claims::{DEPENDS, RESOLUTION, accurate_ratio, mechanisms, shown, step_ratio};
use super::experiments::{Predictor, Search};
use super::mechanisms::Model;
use super::{Results, TOLERANCE};
use crate::reproduce::claim::short;
use crate::reproduce::{Claim, Statement, Verdict};

/// Smallest ratio of the largest steps that the paper reports.
const STEP_RATIO: f64 = 1.3;

/// Which steps are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// Those whose equations are solved, as in the paper.
    Convergent,
    /// Those whose error is below a tenth of the range of motion as well.
    Accurate,
}

impl Measure {
    pub fn words(self) -> &'static str {
        match self {
            Self::Convergent => "largest convergent steps, IMPL over FV,",
            Self::Accurate => {
                "largest steps with an error below 10 % of the range of motion, IMPL over FV,"
            }
        }
    }

    pub fn ratio(self, search: &Search) -> Option<f64> {
        match self {
            Self::Convergent => step_ratio(search),
            Self::Accurate => accurate_ratio(search),
        }
    }
}

/// Where the constants of a model come from, for its claims.
pub(super) fn constants(model: Model) -> &'static str {
    match model {
        Model::SevenBodies => "",
        _ => " (our k, c)",
    }
}

/// What claims about a model are sensitive to.
pub(super) fn open(model: Model) -> &'static str {
    match model {
        Model::SevenBodies => "the paper's limit of iterations and its tolerance",
        _ => {
            "the stiffnesses and damping constants, which are lost in print, the paper's limit of iterations and its tolerance"
        }
    }
}

/// The smallest and the largest of ratios, as words.
fn range(ratios: &[f64]) -> String {
    let [least, most] = [f64::min, f64::max].map(|pick| ratios.iter().copied().reduce(pick));
    match least.zip(most) {
        Some((least, most)) if shown(least) == shown(most) => shown(least),
        Some((least, most)) => format!("{} to {}", shown(least), shown(most)),
        None => "none".to_owned(),
    }
}

/// A row of Table 5.
pub(super) fn steps(
    results: &Results,
    searches: &[&Search],
    model: Model,
    (predictor, measure): (Predictor, Measure),
) -> Claim {
    let [published, quasi] = model.published();
    let kind = match measure {
        Measure::Convergent => "IMPL allows larger steps than FV",
        Measure::Accurate => "IMPL allows larger accurate steps than FV",
    };
    let statement = Statement::new(
        "Table 5",
        format!(
            "{}{}, {}: {kind}",
            model.name(),
            constants(model),
            predictor.words()
        ),
        "The step sizes allowed by IMPL are larger than those taken by FV by a factor of 1.3\u{2013}18, depending of the problem being \
         solved.",
        format!(
            "{} at least {STEP_RATIO} with every limit of iterations, every tolerance of the residual and every set of constants; Table 5 has \
             {published} s and {quasi} s, ratio {}; {RESOLUTION}",
            measure.words(),
            short(published / quasi)
        ),
        open(model),
    )
    .bounded(format!("at least {STEP_RATIO}"));
    let (mut holds, mut number, mut words) = (Vec::new(), None, Vec::new());
    for mechanism in mechanisms(model) {
        let own = searches
            .iter()
            .filter(|search| search.mechanism.title == mechanism.title);
        let Some(main) = own.clone().find(|search| search.is_main()) else {
            continue;
        };
        let (Some(exact), Some(quasi)) = (main.exact.largest(), main.quasi.largest()) else {
            continue;
        };
        let ratios: Vec<f64> = own.filter_map(|search| measure.ratio(search)).collect();
        holds.extend(ratios.iter().map(|ratio| *ratio >= STEP_RATIO));
        number = number.or(measure.ratio(main));
        let accurate = accurate_ratio(main).map_or_else(|| "none".to_owned(), shown);
        let convergent = format!(
            "IMPL {:.2e} s, FV {:.2e} s, ratio {} (errors {} and {} of the range of motion)",
            exact.step,
            quasi.step,
            shown(exact.step / quasi.step),
            percent(exact.error),
            percent(quasi.error)
        );
        let main = format!("limit {}, residual {TOLERANCE:e}", main.limit);
        words.push(match measure {
            Measure::Convergent => format!(
                "{}: {} over all settings; {main}: {convergent}; with at most 10 % error the ratio is {accurate}",
                mechanism.title,
                range(&ratios)
            ),
            Measure::Accurate => format!(
                "{}: {} over all settings, {accurate} with {main}; convergent steps: {convergent}",
                mechanism.title,
                range(&ratios)
            ),
        });
    }
    let Some(number) = number else {
        return statement.unmeasured("the experiment was not run");
    };
    let held = holds.iter().filter(|holds| **holds).count();
    words.insert(0, format!("in {held} of {} settings", holds.len()));
    words.extend(factors(results, model));
    let verdict = Verdict::of_all(&holds);
    statement
        .judge(verdict, number, words.join("\n"))
        .because(match (verdict, measure) {
            (Verdict::Undecided, _) => DEPENDS,
            (_, Measure::Convergent) => {
                "explicit extrapolation over a step longer than the fast time constants is so far off that both methods fail at about the \
                 same step: the predictor matters more than the matrix"
            }
            (_, Measure::Accurate) => {
                "the error of second order limits the steps of both methods alike, before the iteration of FV fails"
            }
        })
}

/// Convergence factors of FV at the paper's step of FV: above 1 it cannot converge there.
fn factors(results: &Results, model: Model) -> Option<String> {
    let [_, step] = model.published();
    let found = mechanisms(model).filter_map(|mechanism| {
        let mut own = results.factors.iter();
        own.find(|factor| factor.mechanism == mechanism.title && factor.step == step)?
            .largest
    });
    let found: Vec<f64> = found.collect();
    let list: Vec<String> = found.iter().copied().map(short).collect();
    let remark = match found.iter().all(|factor| *factor > 1.0) {
        true => {
            ": FV cannot converge there with our constants, which are therefore not the paper's"
        }
        false => "",
    };
    (!found.is_empty()).then(|| {
        format!(
            "largest convergence factor of FV at the paper's step of {step} s: {}{remark}",
            list.join(", ")
        )
    })
}

fn percent(part: f64) -> String {
    if part < 1e3 {
        format!("{} %", short(100.0 * part))
    } else {
        format!("{part:.0e} times")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::haug1997::claims::resolution;

    #[test]
    fn ratios_within_the_resolution_are_one() {
        assert_eq!([0.909, 1.0, 1.1007].map(shown), ["1", "1", "1"]);
        assert_eq!([0.825, 1.333].map(shown), ["0.825", "1.33"]);
        assert_eq!(range(&[0.91, 1.1]), "1");
        assert!(resolution() > 1.1006 && resolution() < 1.11);
    }
}
