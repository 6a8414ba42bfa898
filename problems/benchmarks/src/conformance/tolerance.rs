//! Adaptive runs: errors over the tolerance, and the estimates behind them.

use super::probe::Watched;
use super::reference::{Reference, distance};
use super::run::{guarded, run};
use super::systems::{Case, SPAN};
use super::{Check, ConformanceError, Context, Fault, Finding, Item, Measured};
use liedae::integrator::Method;
use liedae::solve::{Options, Solution, log_log_slope};
use std::sync::PoisonError;

/// Tolerances of the runs. With an estimate like h² two more digits cost ten times as many steps: such methods take the first
/// ones only.
const TOLERANCES: [f64; 6] = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8];
const LOOSE: usize = 4;

/// The error at the end may be this many times the sum of what the accepted steps say about themselves, one tolerance
/// each. The motions are not stiff and damped: errors neither grow nor vanish much on the way.
const FACTOR: f64 = 20.0;

/// The exponent of the error over the tolerance is p / e for a method of order p with an estimate like hᵉ, 1 at most. At loose
/// tolerances first steps and limits of their growth hide it: at least this part of it is asked for.
const EXPONENT: f64 = 0.4;

pub(super) fn items(context: &Context) -> Result<Vec<Item>, ConformanceError> {
    let method = context.method.method();
    if !method.is_adaptive() {
        let reason = "the descriptor states no error estimate";
        return Ok(vec![Item::not_applicable(
            Check::Tolerance,
            "all motions",
            reason,
        )]);
    }
    let mut items = Vec::new();
    for case in Case::FEW {
        let reference = Reference::new(case, SPAN, 1)?;
        let watched = Watched::new(context.method);
        let runs = guarded(|| {
            let tolerances = if method.error_order <= 2.0 {
                &TOLERANCES[..LOOSE]
            } else {
                &TOLERANCES
            };
            let each = tolerances.iter().map(|&tolerance| {
                let options = Options::adaptive(SPAN, tolerance, tolerance);
                let solution = run(&mut case.system(), &watched, &options)?;
                Ok((tolerance, solution))
            });
            each.collect::<Result<Vec<_>, Fault>>()
        });
        let runs = match runs {
            Ok(runs) => runs,
            Err(fault) => {
                items.push(Item::new(Check::Tolerance, case.to_string(), Err(fault)));
                continue;
            }
        };
        let errors = runs.iter().map(|(tolerance, solution)| {
            let error = distance(case, reference.end(), &solution.state).of_motion();
            (*tolerance, error, solution)
        });
        let errors: Vec<(f64, f64, &Solution)> = errors.collect();
        let mut add = |name: &str, outcome: Result<Finding, Fault>| {
            let subject = format!("{name}, {case}");
            items.push(Item::new(Check::Tolerance, subject, outcome));
        };
        let seen = watched.seen.lock().unwrap_or_else(PoisonError::into_inner);
        add(
            "estimates",
            match &seen.fault {
                Some(fault) => Err(fault.clone()),
                None => Measured::at_most("largest accepted", seen.largest_accepted, 1.0).judge(),
            },
        );
        add("error over tolerance", worst(&errors));
        add("error falls", falls(&errors, method));
    }
    Ok(items)
}

/// The largest error over the sum of the tolerances of all steps.
fn worst(errors: &[(f64, f64, &Solution)]) -> Result<Finding, Fault> {
    let ratios = errors.iter().map(|(tolerance, error, solution)| {
        error / (tolerance * solution.statistics.accepted.max(1) as f64)
    });
    let worst = ratios.fold(0.0, super::reference::larger);
    Measured::at_most("error per step and tolerance", worst, FACTOR).judge()
}

/// The exponent of the error over the tolerance.
fn falls(errors: &[(f64, f64, &Solution)], method: &Method) -> Result<Finding, Fault> {
    let order = f64::from(method.orders.q.min(method.orders.v));
    let expected = (order / method.error_order).min(1.0);
    let points = errors
        .iter()
        .map(|(tolerance, error, _)| (*tolerance, error.max(f64::MIN_POSITIVE)));
    let exponent = log_log_slope(points);
    Measured::at_least("exponent", exponent, EXPONENT * expected).judge()
}
