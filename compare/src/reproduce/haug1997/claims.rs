//! What section 4 says, each decided by a number.
//!
//! The largest step is the largest one whose equations are solved, as in the paper. Verdicts are asked for with every constant that the
//! paper does not state; where they differ, the claim is undecided.

use super::experiments::{Explicit, Guess, Search};
use super::mechanisms::{MECHANISMS, Mechanism, Model};
use super::{ACCURATE, Results, TOLERANCE};
use crate::reproduce::{Claim, Statement, Table, Verdict};

/// Smallest ratio of the largest steps that the paper reports.
const STEP_RATIO: f64 = 1.3;
/// "Half or less iterations", with room for rounding in plots.
const ITERATION_RATIO: f64 = 0.6;
/// How many times the explicit method's steps count as many times; the paper has 167.
const EXPLICIT_RATIO: f64 = 10.0;
/// By how much errors of both methods may differ, in parts of the motion.
const SAME: f64 = 1e-3;

/// Why a claim is undecided.
const DEPENDS: &str = "the verdict depends on constants that the paper does not state";

/// All claims: those with the first guess of section 3.3 are the paper's, those with this library's are further rows.
pub(super) fn claims(results: &Results) -> Vec<Claim> {
    let mut claims = Vec::new();
    for guess in Guess::BOTH {
        let of = results.searches.iter();
        let of: Vec<&Search> = of
            .filter(|search| search.guess == guess && search.mechanism.judged)
            .collect();
        let mut own = vec![explicit_claim(&results.explicit, guess)];
        own.extend(Model::ALL.map(|model| steps(&of, model, guess)));
        own.push(constraints_matter(&of, guess));
        if guess == Guess::Paper {
            own.push(same_solutions(&of));
        }
        own.extend(Model::ALL.map(|model| iterations(results, &of, model, guess)));
        claims.extend(own.into_iter().map(|mut claim| {
            if guess == Guess::Ours {
                claim.statement.table = Table::Further;
            }
            claim
        }));
    }
    claims
}

/// The exact method's largest accurate step over the quasi-Newton one's.
pub(super) fn accurate_ratio(search: &Search) -> Option<f64> {
    Some(search.exact.accurate()?.step / search.quasi.accurate()?.step)
}

/// The same of steps whose equations are solved.
pub(super) fn step_ratio(search: &Search) -> Option<f64> {
    Some(search.exact.largest()?.step / search.quasi.largest()?.step)
}

/// Iterations of the exact method over those of the quasi-Newton one, at the largest step that is accurate with both.
pub(super) fn iteration_ratio(search: &Search) -> Option<f64> {
    let (_, [exact, quasi]) = search.iterations()?;
    Some(exact / quasi)
}

fn mechanisms(model: Model) -> impl Iterator<Item = &'static Mechanism> {
    let judged = MECHANISMS.iter().filter(|mechanism| mechanism.judged);
    judged.filter(move |mechanism| mechanism.model == model)
}

/// The smallest and the largest of ratios, as words.
fn range(ratios: &[f64]) -> String {
    let [least, most] = [f64::min, f64::max].map(|pick| ratios.iter().copied().reduce(pick));
    match least.zip(most) {
        Some((least, most)) => format!("{least:.2} to {most:.2}"),
        None => "none".to_owned(),
    }
}

/// A row of Table 5.
fn steps(searches: &[&Search], model: Model, guess: Guess) -> Claim {
    let [published, quasi] = model.published();
    let statement = Statement::new(
        "Table 5",
        format!(
            "{}, {}: the exact matrix allows larger steps",
            model.name(),
            guess.words()
        ),
        "The step sizes allowed by IMPL are larger than those taken by FV by a factor of 1.3\u{2013}18, depending of the problem being \
         solved.",
        format!(
            "largest step that works, IMPL over FV, at least {STEP_RATIO} with every limit of iterations, every residual tolerance and \
             every stand-in for constants lost in print; Table 5 has {published} s and {quasi} s, ratio {:.1}",
            published / quasi
        ),
        "the paper's limit of iterations, its tolerance and, but for the seven bodies, its stiffnesses and damping constants",
    );
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
        let ratios: Vec<f64> = own.filter_map(|search| step_ratio(search)).collect();
        holds.extend(ratios.iter().map(|ratio| *ratio >= STEP_RATIO));
        number = number.or(step_ratio(main));
        words.push(format!(
            "{}: {:.2e} s and {:.2e} s, ratio {:.2} with the limit {} and the tolerance {TOLERANCE:e} (errors {} and {} of the motion, \
             ratio of the largest steps with at most 10 %: {:.2}), {} over all settings",
            mechanism.title,
            exact.step,
            quasi.step,
            exact.step / quasi.step,
            main.limit,
            percent(exact.error),
            percent(quasi.error),
            accurate_ratio(main).unwrap_or(f64::NAN),
            range(&ratios)
        ));
    }
    let Some(number) = number else {
        return statement.unmeasured("the experiment was not run");
    };
    let held = holds.iter().filter(|holds| **holds).count();
    words.push(format!("holds with {held} of {} settings", holds.len()));
    let verdict = Verdict::of_all(&holds);
    statement
        .judge(verdict, number, words.join("; "))
        .because(match verdict {
            Verdict::Undecided => DEPENDS,
            _ => {
                "explicit extrapolation over a step longer than the fast time constants is so far off that both methods fail at about the \
                 same step: the first guess matters more than the matrix"
            }
        })
}

fn constraints_matter(searches: &[&Search], guess: Guess) -> Claim {
    let statement = Statement::new(
        "Section 4.4",
        format!(
            "{}: the more constraints, as of the seven bodies, the larger the effect of the neglected terms",
            guess.words()
        ),
        "It is apparent from Table 5 that for problems in which kinematic aspects prevail; i.e., the model is subject to many constraint \
         equations, as in the case of the Seven Body mechanism, the influence of the terms neglected in FV have a larger impact on \
         performance of the algorithm.",
        "ratio of the largest steps that work of the seven bodies (20 constraints), more than that of all others (4 constraints) with every \
         limit of iterations and every tolerance",
        "the paper's limit of iterations and tolerance, and the constants of the others",
    );
    let is_seven = |search: &&&Search| search.mechanism.model == Model::SevenBodies;
    let (mut holds, mut number, mut words) = (Vec::new(), None, Vec::new());
    for seven in searches.iter().filter(is_seven) {
        let same = searches.iter().filter(|other| {
            (other.limit, other.tolerance) == (seven.limit, seven.tolerance) && !is_seven(other)
        });
        let most = same.filter_map(|other| step_ratio(other)).reduce(f64::max);
        let Some((own, most)) = step_ratio(seven).zip(most) else {
            continue;
        };
        holds.push(own > most);
        words.push(format!(
            "{own:.2} against {most:.2} with the limit {} and the tolerance {:e}",
            seven.limit, seven.tolerance
        ));
        if seven.is_main() {
            number = Some(own / most);
        }
    }
    match number {
        Some(number) => statement
            .judge(Verdict::of_all(&holds), number, words.join("; "))
            .because(DEPENDS),
        None => statement.unmeasured("there is one mechanism only"),
    }
}

fn same_solutions(searches: &[&Search]) -> Claim {
    let statement = Statement::new(
        "Section 4.4",
        "FV produces accurate results: only the iteration is degraded",
        "It should be noted that the algorithm FV produces accurate results, since the integration of the state\u{2013}space ODE is correct.",
        format!(
            "error of FV minus that of IMPL at every step that both take, in parts of the motion, at most {SAME:e}"
        ),
        "a tolerance so loose that the iteration's error shows",
    );
    let (mut worst, mut runs) = (f64::NEG_INFINITY, 0);
    for search in searches.iter().filter(|search| search.is_main()) {
        let accurate = search.exact.rungs().iter();
        let accurate = accurate.take_while(|rung| rung.error <= ACCURATE);
        let pairs = accurate.filter_map(|exact| Some((exact, search.quasi.at(exact.step)?)));
        for (exact, quasi) in pairs {
            let more = quasi.error - exact.error;
            runs += 1;
            if more > worst || more.is_nan() {
                worst = more;
            }
        }
    }
    if runs == 0 {
        return statement.unmeasured("there is no step that both take");
    }
    let measured = format!("at most {worst:.1e} of the motion at {runs} steps");
    statement.judge(worst <= SAME, worst, measured)
}

/// Figs. 9 to 11: at the paper's step, or at the largest below it that works with both.
fn iterations(results: &Results, searches: &[&Search], model: Model, guess: Guess) -> Claim {
    let [_, step] = model.published();
    let statement = Statement::new(
        model.figure(),
        format!(
            "{}, {}: the exact matrix needs half the iterations or fewer",
            model.name(),
            guess.words()
        ),
        "Note that IMPL requires half or less iterations.",
        format!(
            "iterations per step, IMPL over FV, at most {ITERATION_RATIO} with every residual tolerance and every stand-in, at the paper's \
             step of {step} s or the largest below it that works with both"
        ),
        "the paper's tolerance and, but for the seven bodies, its stiffnesses and damping constants",
    );
    let (mut holds, mut number, mut words) = (Vec::new(), None, Vec::new());
    for mechanism in mechanisms(model) {
        let own = searches
            .iter()
            .filter(|search| search.mechanism.title == mechanism.title);
        let mut ratios = Vec::new();
        let mut at = f64::NAN;
        for search in own.filter(|search| search.limit == super::JUDGED) {
            let curves = results.curves.iter().find(|curves| {
                curves.guess == guess
                    && curves.mechanism.title == mechanism.title
                    && curves.tolerance == search.tolerance
            });
            let there = curves.and_then(|curves| Some([curves.exact.mean?, curves.quasi.mean?]));
            let found = there.map(|both| (step, both));
            let Some((h, [exact, quasi])) = found.or_else(|| search.iterations_up_to(step)) else {
                continue;
            };
            let ratio = exact / quasi;
            if search.is_main() {
                number = number.or(Some(ratio));
                at = h;
            }
            ratios.push((search.tolerance, ratio));
        }
        ratios.sort_by(|a, b| b.0.total_cmp(&a.0));
        holds.extend(ratios.iter().map(|(_, ratio)| *ratio <= ITERATION_RATIO));
        let list = ratios
            .iter()
            .map(|(tolerance, ratio)| format!("{ratio:.2} at {tolerance:e}"));
        let list: Vec<String> = list.collect();
        words.push(format!(
            "{}, h = {at:.2e} s: {}",
            mechanism.title,
            list.join(", ")
        ));
    }
    let Some(number) = number else {
        return statement.unmeasured("no step tried works with both");
    };
    let verdict = Verdict::of_all(&holds);
    statement
        .judge(verdict, number, words.join("; "))
        .because(match verdict {
            Verdict::Undecided => DEPENDS,
            _ => {
                "close to the solution the quasi-Newton matrix is nearly as good as the exact one at this step, so that the way from the \
                 first guess, which is long with either, takes most of the iterations"
            }
        })
}

fn percent(part: f64) -> String {
    if part < 1e3 {
        format!("{:.2} %", 100.0 * part)
    } else {
        format!("{part:.0e} times")
    }
}

/// The largest steps of section 4.1, 0.02 s and 0.00012 s.
fn explicit_claim(found: &[Explicit], guess: Guess) -> Claim {
    let statement = Statement::new(
        "Section 4.1",
        format!(
            "double pendulum, {}: the implicit method takes steps many times those of the explicit one",
            guess.words()
        ),
        "The largest step size attained with each of the integrators is h_IMPL^max=0.02 for the implicit trapezoidal integrator (IMPL), and \
         h_EXPL^max=0.00012 for the Adams\u{2013}Bashfort\u{2013}Moulton (EXPL) predictor\u{2013}corrector method.",
        format!(
            "largest step that works with IMPL over the largest with which EXPL is stable, at least {EXPLICIT_RATIO}; the paper has 167, and \
             0.015 s in place of 0.02 s in Table 5 for the same pendulum"
        ),
        "the stiffnesses and damping constants, which are lost in print",
    );
    let of = found.iter().filter(|found| found.first_guess == guess);
    let (mut ratios, mut words) = (Vec::new(), Vec::new());
    for found in of {
        let (Some(largest), Some(explicit)) = (found.implicit_largest, found.explicit_step) else {
            return statement.unmeasured(&format!("{}: no step tried works", found.mechanism));
        };
        ratios.push(largest / explicit);
        words.push(format!(
            "{}: {largest:.1e} s against {explicit:.1e} s, {:.0} times ({:.0} times with an error below 10 % of the motion)",
            found.mechanism,
            largest / explicit,
            found.implicit_step.unwrap_or(f64::NAN) / explicit
        ));
    }
    let Some(smallest) = ratios.iter().copied().reduce(f64::min) else {
        return statement.unmeasured("the experiment was not run");
    };
    let holds: Vec<bool> = ratios
        .iter()
        .map(|ratio| *ratio >= EXPLICIT_RATIO)
        .collect();
    statement
        .judge(Verdict::of_all(&holds), smallest, words.join("; "))
        .because(DEPENDS)
}
