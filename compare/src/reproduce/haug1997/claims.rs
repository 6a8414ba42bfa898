//! What section 4 and the conclusion say, each decided by a number, with both first guesses.
//!
//! Only solutions count whose error stays below a tenth of the motion.

use super::experiments::{Curves, Explicit, Guess, Search};
use super::{ACCURATE, Accuracy, JUDGED, Results};
use crate::reproduce::Claim;

/// Smallest ratio of the largest steps that the paper reports.
const STEP_RATIO: f64 = 1.3;
/// "Half or less iterations", with room for rounding in plots.
const ITERATION_RATIO: f64 = 0.6;
/// How many times the explicit method's steps count as many times; the paper has 167.
const EXPLICIT_RATIO: f64 = 10.0;
/// By how much errors of both methods may differ, in parts of the motion.
const SAME: f64 = 1e-3;

/// All claims.
pub(super) fn claims(results: &Results) -> Vec<Claim> {
    let mut claims = vec![explicit_claim(&results.explicit, Guess::Paper)];
    claims.push(explicit_claim(&results.explicit, Guess::Ours));
    let judged: Vec<&Search> = results
        .searches
        .iter()
        .filter(|search| search.limit == JUDGED && search.mechanism.judged)
        .collect();
    for guess in Guess::BOTH {
        let same = judged.iter().filter(|search| search.guess == guess);
        claims.extend(same.map(|search| steps(search, results)));
    }
    for guess in Guess::BOTH {
        let same: Vec<&Search> = judged
            .iter()
            .copied()
            .filter(|search| search.guess == guess)
            .collect();
        claims.push(constraints_matter(&same, guess));
    }
    claims.push(same_solutions(&judged));
    for guess in Guess::BOTH {
        for search in judged.iter().filter(|search| search.guess == guess) {
            let curves = results.judged_curves().find(|curves| {
                curves.guess == guess && curves.mechanism.title == search.mechanism.title
            });
            claims.extend(curves.map(|curves| iterations(search, curves, results)));
        }
    }
    for guess in Guess::BOTH {
        let of = results.accuracies.iter().filter(|accuracy| {
            let title = accuracy.mechanism;
            accuracy.first_guess == guess
                && judged.iter().any(|search| search.mechanism.title == title)
        });
        claims.extend(of.map(accurate));
    }
    claims
}

/// The exact method's largest accurate step over the quasi-Newton one's.
pub(super) fn step_ratio(search: &Search) -> Option<f64> {
    Some(search.exact.accurate()?.step / search.quasi.accurate()?.step)
}

/// The same of steps of which all equations are solved.
fn converging_ratio(search: &Search) -> Option<f64> {
    Some(search.exact.largest()?.step / search.quasi.largest()?.step)
}

/// Iterations of the exact method over those of the quasi-Newton one, at the largest step that is accurate with both.
pub(super) fn iteration_ratio(search: &Search) -> Option<f64> {
    let (_, [exact, quasi]) = search.iterations()?;
    Some(exact / quasi)
}

/// With which limits of iterations a ratio is as claimed; other limits are tried with this library's first guess only.
fn limits(results: &Results, search: &Search, holds: impl Fn(&Search) -> bool) -> String {
    if search.guess == Guess::Paper {
        return String::new();
    }
    let same = results.searches.iter().filter(|other| {
        other.mechanism.title == search.mechanism.title && other.guess == search.guess
    });
    let held = same.filter(|search| holds(search));
    let held: Vec<_> = held.map(|search| search.limit.to_string()).collect();
    if held.is_empty() {
        "; so it is with no limit of iterations".to_owned()
    } else {
        format!("; so it is with limits of {}", held.join(", "))
    }
}

fn steps(search: &Search, results: &Results) -> Claim {
    let (title, guess) = (search.mechanism.title, search.guess.words());
    let text = format!("{title}, {guess}: the exact matrix allows larger steps");
    let (Some(exact), Some(quasi)) = (search.exact.accurate(), search.quasi.accurate()) else {
        return Claim::unmeasured("Table 5", text, "the smallest step tried is not accurate");
    };
    let ratio = exact.step / quasi.step;
    let [impl_step, fv_step] = search.mechanism.model.published();
    let holding = limits(results, search, |search| {
        step_ratio(search).is_some_and(|ratio| ratio >= STEP_RATIO)
    });
    let converging = converging_ratio(search).unwrap_or(f64::NAN);
    let measured = format!(
        "{:.2e} s and {:.2e} s with an error below 10 % of the motion, ratio {ratio:.2} (at least {STEP_RATIO}){holding}; the \
         paper has {impl_step} and {fv_step}, ratio {:.1}",
        exact.step,
        quasi.step,
        impl_step / fv_step
    );
    let larger = |search: &Search| {
        let largest = search.exact.largest().map_or(0.0, |rung| rung.step);
        largest > exact.step
    };
    let why = if larger(search) {
        format!(
            "accuracy ends both methods' steps before convergence does: larger steps converge (ratio {converging:.1}), but \
             the trapezoidal rule does not damp the fast component, which rings from step to step and spoils the motion"
        )
    } else {
        "the first guess is so far off with larger steps that both methods fail at about the same one: it matters more than \
         the matrix"
            .to_owned()
    };
    Claim::new("Table 5", text, ratio >= STEP_RATIO, ratio, measured).because(why)
}

fn constraints_matter(searches: &[&Search], guess: Guess) -> Claim {
    let text = format!(
        "{}: the more constraints, as of the seven bodies, the larger the effect of the neglected terms",
        guess.words()
    );
    let ratios: Vec<f64> = searches
        .iter()
        .filter_map(|search| step_ratio(search))
        .collect();
    match ratios.split_last() {
        Some((seven, others)) if !others.is_empty() => {
            let most = others.iter().copied().fold(0.0, f64::max);
            let measured = format!(
                "ratio of the largest accurate steps {seven:.2} with the seven bodies' 20 constraints, at most {most:.2} with 4 of \
                 the others"
            );
            Claim::new("Section 4.4", text, *seven > most, *seven, measured)
        }
        _ => Claim::unmeasured("Section 4.4", text, "there is one mechanism only"),
    }
}

/// "The algorithm FV produces accurate results, since the integration of the state-space ODE is correct."
fn same_solutions(searches: &[&Search]) -> Claim {
    let text = "FV produces accurate results: only the iteration is degraded";
    let (mut worst, mut runs, mut differ) = (f64::NEG_INFINITY, 0, 0);
    for search in searches {
        let accurate = search.exact.rungs().iter();
        let accurate = accurate.take_while(|rung| rung.error <= ACCURATE);
        let pairs = accurate.filter_map(|exact| Some((exact, search.quasi.at(exact.step)?)));
        for (exact, quasi) in pairs {
            let more = quasi.error - exact.error;
            runs += 1;
            differ += usize::from(more.abs() > SAME);
            if more > worst || more.is_nan() {
                worst = more;
            }
        }
    }
    if runs == 0 {
        return Claim::unmeasured("Section 4.4", text, "there is no step that both take");
    }
    let mut measured = format!(
        "its error exceeds that of IMPL by at most {worst:.1e} of the motion (at most {SAME:e}) at {runs} steps that both take"
    );
    if differ > 0 {
        measured.push_str(&format!(
            "; at {differ} of them it is smaller by more: there one of the two has found another solution of a step's equations"
        ));
    }
    Claim::new("Section 4.4", text, worst <= SAME, worst, measured)
}

/// At the paper's step where that is accurate, otherwise at the largest step that is accurate with both methods.
fn iterations(search: &Search, curves: &Curves, results: &Results) -> Claim {
    let figure = search.mechanism.model.figure();
    let text = format!(
        "{}, {}: the exact matrix needs half the iterations or fewer",
        search.mechanism.title,
        search.guess.words()
    );
    let at_published = curves.error.is_some_and(|error| error <= ACCURATE);
    let (step, place, found) = if at_published {
        let pair = (curves.exact.mean, curves.quasi.mean);
        (curves.step, "the paper's step", pair)
    } else {
        match search.iterations() {
            Some((step, [exact, quasi])) => {
                let place = "the largest step that is accurate with both (the paper's is not)";
                (step, place, (Some(exact), Some(quasi)))
            }
            None => {
                let reason = "no step tried is accurate with both methods";
                return Claim::unmeasured(figure, text, reason);
            }
        }
    };
    let ratio = match found {
        (Some(exact), Some(quasi)) => exact / quasi,
        (Some(exact), None) => {
            let measured = format!(
                "{exact:.2} per step at h = {step:.2e} s, {place}, at which the quasi-Newton iteration does not converge"
            );
            return Claim::new(figure, text, true, exact, measured);
        }
        (None, _) => return Claim::unmeasured(figure, text, "the exact iteration fails"),
    };
    let per_step = |value: Option<f64>| value.unwrap_or(f64::NAN);
    let holding = if at_published {
        String::new()
    } else {
        limits(results, search, |search| {
            iteration_ratio(search).is_some_and(|ratio| ratio <= ITERATION_RATIO)
        })
    };
    let measured = format!(
        "{:.2} and {:.2} per step at h = {step:.2e} s, {place}, ratio {ratio:.2} (at most {ITERATION_RATIO}){holding}",
        per_step(found.0),
        per_step(found.1),
    );
    let factor = results.factors.iter().find(|factor| {
        factor.mechanism == search.mechanism.title && (factor.step - step).abs() < 1e-9 * step
    });
    let shrinks = factor
        .and_then(|factor| factor.mean)
        .map_or_else(String::new, |mean| {
            format!(" (it shrinks the error by {mean:.1e} per iteration, on average)")
        });
    let why = format!(
        "close to the solution the quasi-Newton matrix is nearly as good as the exact one there{shrinks}, so that the way from \
         the first guess, which is long with either, takes most of the iterations"
    );
    Claim::new(figure, text, ratio <= ITERATION_RATIO, ratio, measured).because(why)
}

fn accurate(accuracy: &Accuracy) -> Claim {
    let text = format!(
        "{}, {}: integrated accurately with the step of Table 5, {} s",
        accuracy.mechanism,
        accuracy.first_guess.words(),
        accuracy.step
    );
    match accuracy.error {
        Some(error) => Claim::new(
            "Section 5",
            text,
            error <= ACCURATE,
            error,
            format!(
                "largest error {} of the motion (at most 10 %)",
                percent(error)
            ),
        )
        .because(
            "the trapezoidal rule does not damp the fast component, which with these stand-ins for constants lost in print rings \
             from step to step and spoils the motion",
        ),
        None => Claim::new(
            "Section 5",
            text,
            false,
            f64::NAN,
            "Newton's method fails".to_owned(),
        )
        .because(match accuracy.first_guess {
            Guess::Paper => "explicit extrapolation over a step longer than the fast time constants is too far off to converge",
            Guess::Ours => "with the stand-ins for constants lost in print the step's equations are too far from linear",
        }),
    }
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
    let text = format!(
        "double pendulum, {}: the implicit method takes steps many times those of the explicit one (0.02 s against 0.00012 s, \
         167 times)",
        guess.words()
    );
    let of = found.iter().filter(|found| found.first_guess == guess);
    let mut ratios = Vec::new();
    let mut words = Vec::new();
    for found in of {
        let (Some(implicit), Some(explicit)) = (found.implicit_step, found.explicit_step) else {
            let reason = format!("{}: no step tried is accurate", found.mechanism);
            return Claim::unmeasured("Section 4.1", text, &reason);
        };
        ratios.push(implicit / explicit);
        let converging = found
            .implicit_largest
            .map_or(f64::NAN, |step| step / explicit);
        words.push(format!(
            "{}: {implicit:.1e} s against {explicit:.1e} s, {:.0} times (of steps that converge, {converging:.0})",
            found.mechanism,
            implicit / explicit
        ));
    }
    match ratios.iter().copied().reduce(f64::min) {
        Some(smallest) => Claim::new(
            "Section 4.1",
            text,
            smallest >= EXPLICIT_RATIO,
            smallest,
            format!(
                "with an error below 10 % of the motion: {} (at least {EXPLICIT_RATIO})",
                words.join("; ")
            ),
        ),
        None => Claim::unmeasured("Section 4.1", text, "the experiment was not run"),
    }
}
