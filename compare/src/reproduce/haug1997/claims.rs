//! What section 4 says, each decided by a number.
//!
//! The largest step is the largest convergent one, as in the paper: every equation of the run is solved. Verdicts are asked for with every
//! constant that the paper does not state; where they differ, the claim is undecided.

use super::experiments::{Explicit, Predictor, Search};
use super::iterations::iterations;
use super::mechanisms::{MECHANISMS, Mechanism, Model};
use super::norms::observed_slope;
use super::steps::{Measure, steps};
use super::{ACCURATE, Factor, Norms, PER_DECADE, Results, TOLERANCE};
use crate::reproduce::claim::short;
use crate::reproduce::{Claim, Statement, Table, Verdict};

/// By how much errors of both methods may differ, relative to the range of motion.
const SAME: f64 = 1e-3;
/// The ratio of section 4.1, 0.02 s over 0.00012 s, and the factor within which it is reproduced.
const EXPLICIT_RATIO: f64 = 167.0;
const REPRODUCED: f64 = 2.0;
/// How far an observed order may be from 2.
const ORDER_SLACK: f64 = 0.1;

/// Why a claim is undecided.
pub(super) const DEPENDS: &str = "the verdict depends on constants that the paper does not state";

/// All claims: those with the predictor of section 3.3 are the paper's, those with liedae's are additional checks.
pub(super) fn claims(results: &Results) -> Vec<Claim> {
    let mut claims = Vec::new();
    for predictor in Predictor::BOTH {
        let of = results.searches.iter();
        let of: Vec<&Search> = of
            .filter(|search| search.predictor == predictor && search.mechanism.judged)
            .collect();
        let is_paper = predictor == Predictor::Paper;
        let measure = match is_paper {
            true => Measure::Convergent,
            false => Measure::Accurate,
        };
        let mut own = explicit_claims(&results.explicit, predictor);
        own.extend(Model::ALL.map(|model| steps(results, &of, model, (predictor, measure))));
        if is_paper {
            own.push(neglected_terms(&results.factors, &of));
        }
        own.push(constraints_matter(&of, predictor, measure));
        if is_paper {
            own.push(same_solutions(&of));
            own.push(second_order(&results.norms));
        }
        own.extend(Model::ALL.map(|model| iterations(results, &of, model, predictor)));
        claims.extend(own.into_iter().map(|mut claim| {
            if !is_paper {
                claim.statement.table = Table::Additional;
            }
            claim
        }));
    }
    claims
}

/// IMPL's largest accurate step over FV's.
pub(super) fn accurate_ratio(search: &Search) -> Option<f64> {
    Some(search.exact.accurate()?.step / search.quasi.accurate()?.step)
}

/// The same of convergent steps.
pub(super) fn step_ratio(search: &Search) -> Option<f64> {
    Some(search.exact.largest()?.step / search.quasi.largest()?.step)
}

/// Iterations of IMPL over those of FV, at the largest step that is accurate with both.
pub(super) fn iteration_ratio(search: &Search) -> Option<f64> {
    let (_, [exact, quasi]) = search.iterations()?;
    Some(exact / quasi)
}

pub(super) fn mechanisms(model: Model) -> impl Iterator<Item = &'static Mechanism> {
    let judged = MECHANISMS.iter().filter(|mechanism| mechanism.judged);
    judged.filter(move |mechanism| mechanism.model == model)
}

/// The factor between steps that are tried next to each other, with room for round-off: ratios of largest steps are known to it.
pub(super) fn resolution() -> f64 {
    1.001 * 10.0_f64.powf(1.0 / PER_DECADE)
}

/// A ratio of largest steps; 1 within the resolution.
pub(super) fn shown(ratio: f64) -> String {
    let equal = 1.0 / resolution()..=resolution();
    match equal.contains(&ratio) {
        true => "1".to_owned(),
        false => short(ratio),
    }
}

/// What claims about ratios of largest steps say of their resolution.
pub(super) const RESOLUTION: &str =
    "resolution 10 % (24 steps per decade), so that 0.91 to 1.10 counts as 1";

fn constraints_matter(searches: &[&Search], predictor: Predictor, measure: Measure) -> Claim {
    let statement = Statement::new(
        "Section 4.4",
        format!(
            "{}: the more constraints, as of the seven-body mechanism, the larger the effect of the neglected terms",
            predictor.words()
        ),
        "It is apparent from Table 5 that for problems in which kinematic aspects prevail; i.e., the model is subject to many constraint \
         equations, as in the case of the Seven Body mechanism, the influence of the terms neglected in FV have a larger impact on \
         performance of the algorithm.",
        format!(
            "ratio of the {} of the seven-body mechanism (20 constraints) over the largest ratio of the others (4 constraints), more than 1 \
             with every limit of iterations and every tolerance; {RESOLUTION}",
            measure.words()
        ),
        "the paper's limit of iterations and tolerance, and the constants of the others",
    )
    .bounded("more than 1");
    let is_seven = |search: &&&Search| search.mechanism.model == Model::SevenBodies;
    let (mut holds, mut number, mut words) = (Vec::new(), None, Vec::new());
    for seven in searches.iter().filter(is_seven) {
        let same = searches.iter().filter(|other| {
            (other.limit, other.tolerance) == (seven.limit, seven.tolerance) && !is_seven(other)
        });
        let most = same
            .filter_map(|other| measure.ratio(other))
            .reduce(f64::max);
        let Some((own, most)) = measure.ratio(seven).zip(most) else {
            continue;
        };
        holds.push(own > resolution() * most);
        let setting = match seven.tolerance == TOLERANCE {
            true => format!("limit {}", seven.limit),
            false => format!("limit {}, residual {:e}", seven.limit, seven.tolerance),
        };
        words.push(format!("{} over {} ({setting})", shown(own), shown(most)));
        if seven.is_main() {
            number = Some(own / most);
        }
    }
    let held = holds.iter().filter(|holds| **holds).count();
    match number {
        Some(number) => statement
            .judge(
                Verdict::of_all(&holds),
                number,
                format!(
                    "in {held} of {} settings\n{}",
                    holds.len(),
                    words.join(", ")
                ),
            )
            .because(match held {
                0 => "the largest ratios are those of the double pendulum, with 4 constraints",
                _ => DEPENDS,
            }),
        None => statement.unmeasured("there is one mechanism only"),
    }
}

/// Whether what FV neglects explains its largest step on the mechanism whose data are all in print.
fn neglected_terms(factors: &[Factor], searches: &[&Search]) -> Claim {
    let [_, published] = Model::SevenBodies.published();
    let statement = Statement::new(
        "Table 5",
        format!(
            "seven-body mechanism: the terms that FV neglects (eq. 40) limit its steps to {published} s"
        ),
        "It is the numerical solution process that is degraded, because of the iteration matrix considered in FV.",
        "largest convergence factor of FV, the spectral radius of I - \u{3a0}\u{207b}\u{b9} \u{3a8}', along the motion at 5e-4 s, five times the \
         paper's largest step, more than 1: FV diverges where it is",
        "the paper's limit of iterations and tolerance; all data of the mechanism are in print",
    )
    .bounded("more than 1");
    let own = || {
        let title = mechanisms(Model::SevenBodies).map(|mechanism| mechanism.title);
        let titles: Vec<&str> = title.collect();
        factors
            .iter()
            .filter(move |factor| titles.contains(&factor.mechanism))
    };
    let at = |step: f64| own().find(|factor| factor.step == step)?.largest;
    let Some((there, beyond)) = at(published).zip(at(5e-4)) else {
        return statement.unmeasured("the experiment was not run");
    };
    let first = own().find(|factor| factor.largest.is_some_and(|largest| largest > 1.0));
    let seven = searches
        .iter()
        .find(|search| search.mechanism.model == Model::SevenBodies && search.is_main());
    let largest = seven.and_then(|search| search.quasi.largest());
    statement
        .judge(
            beyond > 1.0,
            beyond,
            format!(
                "factor {} at {published} s, {} at 5e-4 s{}{}",
                short(there),
                short(beyond),
                first.map_or_else(String::new, |factor| format!(
                    ", more than 1 first at {:e} s",
                    factor.step
                )),
                largest.map_or_else(String::new, |rung| format!(
                    "; FV's largest convergent step here: {:.2e} s",
                    rung.step
                ))
            ),
        )
        .because("the paper's largest step of FV does not follow from its eq. 40: at that step FV converges within few iterations")
}

fn same_solutions(searches: &[&Search]) -> Claim {
    let statement = Statement::new(
        "Section 4.4",
        "FV produces accurate results: only the iteration is degraded",
        "It should be noted that the algorithm FV produces accurate results, since the integration of the state\u{2013}space ODE is correct.",
        format!(
            "error of FV minus that of IMPL at every step size that both take, relative to the range of motion, at most {SAME:e}"
        ),
        "the tolerance: with a loose one the error of the iteration shows",
    )
    .bounded(format!("at most {SAME:e}"));
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
    let measured = format!("at most {worst:.1e} of the range of motion at {runs} step sizes");
    statement.judge(worst <= SAME, worst, measured)
}

/// The order of IMPL, with the predictor of section 3.3.
fn second_order(norms: &[Norms]) -> Claim {
    let statement = Statement::new(
        "Section 4",
        "IMPL is of second order",
        "The foregoing algorithm is implemented with a constant time step, second order, Newmark formula (Hughes, 1987) obtained from Eqs. 16 \
         and 17",
        format!(
            "slope of the sup-norm of the error of theta2 over the steps of sec. 4.1 with errors below 0.1 rad, 2 within {ORDER_SLACK} on both \
             double pendulums"
        ),
        "the step sizes",
    )
    .bounded(format!("2 \u{b1} {ORDER_SLACK}"));
    let mut slopes: Vec<(&str, f64)> = Vec::new();
    for mechanism in mechanisms(Model::DoublePendulum) {
        let own = norms.iter().filter(|row| {
            row.mechanism == mechanism.title
                && row.method.starts_with("IMPL")
                && row.method.ends_with(Predictor::Paper.words())
        });
        let slope = observed_slope(&own.collect::<Vec<_>>());
        slopes.extend(slope.map(|slope| (mechanism.title, slope)));
    }
    let apart = |slope: f64| (slope - 2.0).abs();
    let worst = slopes
        .iter()
        .map(|(_, slope)| *slope)
        .max_by(|a, b| apart(*a).total_cmp(&apart(*b)));
    let Some(worst) = worst else {
        return statement.unmeasured("the experiment was not run");
    };
    let words = slopes
        .iter()
        .map(|(title, slope)| format!("{title}: {slope:.3}"));
    let words: Vec<String> = words.collect();
    statement.judge(apart(worst) <= ORDER_SLACK, worst, words.join("\n"))
}

/// The largest steps of section 4.1, 0.02 s and 0.00012 s.
fn explicit_claims(found: &[Explicit], predictor: Predictor) -> Vec<Claim> {
    let sentence = "The largest step size attained with each of the integrators is h_IMPL^max=0.02 for the implicit trapezoidal integrator \
                    (IMPL), and h_EXPL^max=0.00012 for the Adams\u{2013}Bashfort\u{2013}Moulton (EXPL) predictor\u{2013}corrector method.";
    let lost = "the stiffnesses and damping constants, which are lost in print";
    let is_paper = predictor == Predictor::Paper;
    let kind = match is_paper {
        true => "largest convergent step of IMPL",
        false => "largest step of IMPL with an error below 10 % of the range of motion",
    };
    let larger = Statement::new(
        "Section 4.1",
        format!(
            "double pendulum, {}: IMPL takes larger steps than EXPL",
            predictor.words()
        ),
        sentence,
        format!(
            "{kind} over the largest step with which EXPL is stable, more than 1 with both sets of constants; {RESOLUTION}"
        ),
        lost,
    )
    .bounded("more than 1");
    let factor = Statement::new(
        "Section 4.1",
        format!(
            "double pendulum, {}: these steps are {EXPLICIT_RATIO} times those of EXPL",
            predictor.words()
        ),
        sentence,
        format!(
            "the same ratio, within a factor of {REPRODUCED} of {EXPLICIT_RATIO} with both sets of constants; with 0.015 s, as Table 5 has it \
             for the same pendulum, the paper's ratio is 125"
        ),
        lost,
    )
    .bounded(format!(
        "{} to {}",
        EXPLICIT_RATIO / REPRODUCED,
        EXPLICIT_RATIO * REPRODUCED
    ));
    let (mut ratios, mut words) = (Vec::new(), Vec::new());
    for found in found.iter().filter(|found| found.predictor == predictor) {
        let both = found.implicit_step.zip(found.implicit_largest);
        let (Some((accurate, largest)), Some(explicit)) = (both, found.explicit_step) else {
            let reason = format!("{}: no step tried converges", found.mechanism);
            return vec![larger.unmeasured(&reason)];
        };
        ratios.push(if is_paper { largest } else { accurate } / explicit);
        words.push(format!(
            "{}: IMPL {largest:.1e} s, EXPL {explicit:.1e} s, {} times; with an error below 10 % of the range of motion {} times",
            found.mechanism,
            short(largest / explicit),
            short(accurate / explicit)
        ));
    }
    let Some(smallest) = ratios.iter().copied().reduce(f64::min) else {
        let unmeasured = |statement: Statement| statement.unmeasured("the experiment was not run");
        return match is_paper {
            true => vec![unmeasured(larger), unmeasured(factor)],
            false => vec![unmeasured(larger)],
        };
    };
    let all = |holds: &dyn Fn(f64) -> bool| {
        let holds: Vec<bool> = ratios.iter().map(|ratio| holds(*ratio)).collect();
        Verdict::of_all(&holds)
    };
    let near = EXPLICIT_RATIO / REPRODUCED..=EXPLICIT_RATIO * REPRODUCED;
    let mut claims = vec![
        larger
            .judge(
                all(&|ratio| ratio > resolution()),
                smallest,
                words.join("\n"),
            )
            .because(DEPENDS),
    ];
    if is_paper {
        claims.push(
            factor
                .judge(all(&|ratio| near.contains(&ratio)), smallest, words.join("\n"))
                .because(
                    "not reproduced: with the predictor of sec. 3.3 the iteration of IMPL fails at steps far below 0.02 s, also with the damping \
                     that is fitted to the paper's step of EXPL; the paper's constants are not known",
                ),
        );
    }
    claims
}
