//! Steps and end values of `radau5` and `bdf` beside published ones: the Test Set for IVP Solvers, radau5.f, SUNDIALS.

mod claims;
mod page;
mod runs;

use super::claim::explained;
use super::{Claim, DataFile, Repetition};
use crate::error::CommandError;
use crate::experiment::Case;
use crate::registry::Registry;
use claims::{claim_of_end, claim_of_steps};
use liedae::control::{PerComponent, Tolerances};
use liedae::solve::{Options, Solution, StepControl, solve};
use liedae::system::{AccelerationSolver, Evaluator, output_values};
use runs::{ARRIVALS, Arrival, PublishedRun, RUNS};
use serde::Serialize;

/// Pieces of work that are announced.
pub const PIECES: usize = RUNS.len() + ARRIVALS.len();

/// Relative difference from published numbers of steps that counts as agreement.
const MARGIN: f64 = 0.25;
/// Factor by which errors may differ from published ones, in either direction, to count as agreement.
const ERROR_FACTOR: f64 = 10.0;

/// A run beside a published one.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Steps {
    problem: &'static str,
    title: &'static str,
    settings: String,
    method: &'static str,
    code: &'static str,
    rtol: f64,
    atol: String,
    /// In s, where it is stated.
    first_step: Option<f64>,
    published_accepted: usize,
    accepted: usize,
    /// By the error test.
    published_rejected: usize,
    rejected: usize,
    /// Attempts that failed otherwise, which the codes do not count.
    failed: usize,
    /// Errors at the end, where the published one is stated.
    published_error: Option<f64>,
    error: Option<f64>,
    /// Where the numbers of steps differ and the error is stated: the factor of the tolerances with which it is reached, and the steps
    /// there.
    equal_error_factor: Option<f64>,
    equal_error_accepted: Option<usize>,
    source: &'static str,
}

/// A run up to a published end value.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct End {
    problem: &'static str,
    method: &'static str,
    tolerance: f64,
    accepted: usize,
    rejected: usize,
    /// -log10 of the largest relative error of outputs that are known to as many digits as are asked for.
    digits: f64,
    /// Digits asked for.
    expected: u8,
    holds: bool,
}

/// Runs everything and judges.
pub fn repeat(quick: bool, progress: &mut dyn FnMut(&str)) -> Result<Repetition, CommandError> {
    let (mut steps, mut ends, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    let some = |count: usize| if quick { 1 } else { count };
    for run in &RUNS[..some(RUNS.len())] {
        progress(&format!("{} as {}", run.problem, run.code));
        match repeat_run(run)? {
            Ok(row) => steps.push(row),
            Err(reason) => failures.push(format!("{} with {}: {reason}", run.problem, run.method)),
        }
    }
    for arrival in &ARRIVALS[..some(ARRIVALS.len())] {
        progress(&format!("end of {}", arrival.problem));
        match arrive(arrival)? {
            Ok(row) => ends.push(row),
            Err(reason) => failures.push(format!(
                "{} with {}: {reason}",
                arrival.problem, arrival.method
            )),
        }
    }
    let mut claims: Vec<Claim> = (steps.iter().map(claim_of_steps))
        .chain(ends.iter().map(claim_of_end))
        .collect();
    explained(&mut claims, quick);
    Ok(Repetition {
        paper: "ivp-testset",
        page: page::page(&steps, &ends, &claims, quick),
        files: vec![
            DataFile::of_records("steps.csv", &steps)?,
            DataFile::of_records("ends.csv", &ends)?,
        ],
        claims,
        failures,
    })
}

/// A run, or why it failed.
type Outcome<T> = Result<T, String>;

/// Runs a method to the end of a case.
fn run(
    case: &mut Case,
    method: &str,
    tolerances: Tolerances,
    initial_step: Option<f64>,
) -> Result<Outcome<Solution>, CommandError> {
    let integrator = Registry::standard().choice(method)?.build();
    let control = StepControl::Adaptive {
        tolerances,
        controller: None,
        initial_step,
    };
    let options = Options::new(case.t_end, control);
    let solved = solve(case.system(), integrator.as_ref(), &options);
    Ok(solved.map_err(|error| error.to_string()))
}

/// Completes the state at the end; the outputs there.
fn outputs(case: &mut Case, solution: &mut Solution) -> Outcome<Vec<f64>> {
    let state = &mut solution.state;
    let completed = AccelerationSolver::new(case.system().layout()).map(|mut solver| {
        let mut evaluator = Evaluator::new(case.system());
        solver.complete(&mut evaluator, state)
    });
    match completed {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(error.to_string()),
        Err(error) => return Err(error.to_string()),
    }
    let mut values = vec![f64::NAN; case.outputs().len()];
    let evaluated = output_values(case.system(), state, &mut values);
    evaluated.map_err(|error| error.to_string())?;
    Ok(values)
}

/// Errors of the outputs at the end that have a reference, with the digits known of it.
fn errors(case: &mut Case, solution: &mut Solution) -> Outcome<Vec<OutputError>> {
    let values = outputs(case, solution)?;
    let names = case.outputs().to_vec();
    let state = &solution.state;
    let Some(reference) = &case.problem.reference else {
        return Ok(Vec::new());
    };
    let found = names.into_iter().zip(values).filter_map(|(name, value)| {
        let truth = reference.value(&name, state.t)?;
        let absolute = (value - truth).abs();
        Some(OutputError {
            absolute,
            relative: if truth == 0.0 {
                absolute
            } else {
                absolute / truth.abs()
            },
            digits: reference.digits(&name),
            name,
        })
    });
    Ok(found.collect())
}

struct OutputError {
    name: String,
    absolute: f64,
    relative: f64,
    digits: Option<u8>,
}

/// The largest of errors; NaN if one is.
fn largest(errors: impl Iterator<Item = f64>) -> Option<f64> {
    errors.reduce(|max, error| if error <= max { max } else { error })
}

/// The largest error of what a published run states its error of, if it does.
fn stated_error(
    case: &mut Case,
    published: &PublishedRun,
    truth: Option<&[f64]>,
    solution: &mut Solution,
) -> Outcome<Option<f64>> {
    let Some(stated) = &published.error else {
        return Ok(None);
    };
    if let Some(truth) = truth {
        let names = case.outputs().to_vec();
        let values = outputs(case, solution)?;
        let pairs = names.iter().zip(values.iter().zip(truth));
        let wanted = pairs.filter(|(name, _)| stated.outputs.contains(&name.as_str()));
        return Ok(largest(
            wanted.map(|(_, (value, truth))| (value - truth).abs()),
        ));
    }
    let found = errors(case, solution)?;
    let wanted = found
        .iter()
        .filter(|error| stated.outputs.contains(&error.name.as_str()));
    Ok(largest(wanted.map(|error| error.absolute)))
}

/// Outputs at the end of a fine run, where the problem has no reference there.
fn own_truth(
    case: &mut Case,
    published: &PublishedRun,
) -> Result<Outcome<Option<Vec<f64>>>, CommandError> {
    let Some(stated) = &published.error else {
        return Ok(Ok(None));
    };
    let reference = case.problem.reference.as_ref();
    let known = |name: &&str| reference.is_some_and(|r| r.value(name, case.t_end).is_some());
    if stated.outputs.iter().all(known) {
        return Ok(Ok(None));
    }
    let absolute = 1e-14 * case.problem.absolute_scale;
    let fine = Tolerances::uniform(1e-10, absolute);
    Ok(run(case, "radau5", fine, None)?
        .and_then(|mut solution| outputs(case, &mut solution).map(Some)))
}

fn is_as_many(accepted: usize, published: usize) -> bool {
    let ratio = accepted as f64 / published as f64;
    (1.0 - MARGIN..=1.0 + MARGIN).contains(&ratio)
}

impl Steps {
    fn ratio(&self) -> f64 {
        self.accepted as f64 / self.published_accepted as f64
    }

    fn error_ratio(&self) -> Option<f64> {
        Some(self.error? / self.published_error?)
    }

    fn has_as_many(&self) -> bool {
        is_as_many(self.accepted, self.published_accepted)
    }

    /// Whether the error is of the published size, or not stated.
    fn is_as_accurate(&self) -> bool {
        let range = 1.0 / ERROR_FACTOR..=ERROR_FACTOR;
        self.error_ratio()
            .is_none_or(|ratio| range.contains(&ratio))
    }

    fn agrees(&self) -> bool {
        self.has_as_many() && self.is_as_accurate()
    }

    /// The formulation of the constraints, from the method's name.
    fn index(&self) -> &'static str {
        match self.method.split_once(':').map(|(_, index)| index) {
            Some("1") => "index 1",
            Some("2") => "index 2",
            Some("3") => "index 3",
            Some("stabilized") => "stabilized index 2",
            _ => "",
        }
    }
}

/// By how much the tolerances may be tightened to reach a published error.
const TIGHTEST: f64 = 1e-3;

fn repeat_run(published: &PublishedRun) -> Result<Outcome<Steps>, CommandError> {
    let mut case =
        Registry::standard().case(published.problem, published.settings, published.t_end)?;
    let truth = match own_truth(&mut case, published)? {
        Ok(truth) => truth,
        Err(reason) => return Ok(Err(reason)),
    };
    // A run with tolerances this many times the published ones.
    let mut attempt = |factor: f64| -> Result<Outcome<(Solution, Option<f64>)>, CommandError> {
        let scaled: Vec<f64> = published.absolute.iter().map(|one| factor * one).collect();
        let tolerances = Tolerances {
            relative: (factor * published.relative).into(),
            absolute: match *scaled {
                [one] => one.into(),
                _ => PerComponent::Each(scaled),
            },
        };
        let solved = run(
            &mut case,
            published.method,
            tolerances,
            published.first_step,
        )?;
        Ok(solved.and_then(|mut solution| {
            let error = stated_error(&mut case, published, truth.as_deref(), &mut solution)?;
            Ok((solution, error))
        }))
    };
    let (solution, error) = match attempt(1.0)? {
        Ok(found) => found,
        Err(reason) => return Ok(Err(reason)),
    };
    let statistics = solution.statistics;
    let (accepted, rejected) = (statistics.accepted, statistics.rejected.error_test);
    let same = is_as_many(accepted, published.accepted);
    // For information: the steps at an error that is no larger, to which tolerances are tightened.
    let mut equal = None;
    if let (false, Some(stated)) = (same, &published.error) {
        let mut factor = 1.0;
        let mut reached = error.map(|error| (accepted, error));
        while reached.is_some_and(|(_, error)| error.is_nan() || error > stated.value)
            && factor > TIGHTEST
        {
            factor *= 0.5_f64.sqrt();
            reached = match attempt(factor)? {
                Ok((solution, error)) => error.map(|error| (solution.statistics.accepted, error)),
                Err(reason) => return Ok(Err(reason)),
            };
        }
        equal = reached
            .filter(|(_, error)| *error <= stated.value)
            .map(|(accepted, _)| (factor, accepted));
    }
    let list = |values: &[f64]| {
        let texts: Vec<String> = values.iter().map(|value| format!("{value:e}")).collect();
        texts.join(" ")
    };
    Ok(Ok(Steps {
        problem: published.problem,
        title: published.title,
        settings: published.settings.join(" "),
        method: published.method,
        code: published.code,
        rtol: published.relative,
        atol: list(published.absolute),
        first_step: published.first_step,
        published_accepted: published.accepted,
        accepted,
        published_rejected: published.rejected,
        rejected,
        failed: statistics.rejected.total() - rejected,
        published_error: published.error.as_ref().map(|error| error.value),
        error,
        equal_error_factor: equal.map(|(factor, _)| factor),
        equal_error_accepted: equal.map(|(_, accepted)| accepted),
        source: published.source,
    }))
}

fn arrive(arrival: &Arrival) -> Result<Outcome<End>, CommandError> {
    let mut case = Registry::standard().case::<&str>(arrival.problem, &[], None)?;
    let absolute = arrival.tolerance * case.problem.absolute_scale;
    let tolerances = Tolerances::uniform(arrival.tolerance, absolute);
    let mut solution = match run(&mut case, arrival.method, tolerances, None)? {
        Ok(solution) => solution,
        Err(reason) => return Ok(Err(reason)),
    };
    let found = match errors(&mut case, &mut solution) {
        Ok(found) => found,
        Err(reason) => return Ok(Err(reason)),
    };
    let within = |error: &OutputError| {
        let digits = error
            .digits
            .map_or(arrival.digits, |known| known.min(arrival.digits));
        error.relative < 10_f64.powi(-i32::from(digits))
    };
    let known = found
        .iter()
        .filter(|error| error.digits.is_none_or(|digits| digits >= arrival.digits));
    let Some(worst) = largest(known.map(|error| error.relative)) else {
        return Ok(Err("no output is known to so many digits".to_owned()));
    };
    let statistics = &solution.statistics;
    Ok(Ok(End {
        problem: arrival.problem,
        method: arrival.method,
        tolerance: arrival.tolerance,
        accepted: statistics.accepted,
        rejected: statistics.rejected.total(),
        digits: -worst.log10(),
        expected: arrival.digits,
        holds: found.iter().all(within),
    }))
}
