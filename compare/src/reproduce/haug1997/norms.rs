//! Section 4.1: errors of one variable of the double pendulum over the step size, in the paper's norms.

use super::experiments::{Iteration, Predictor};
use super::mechanisms::Mechanism;
use super::{EXPL, IMPL};
use crate::error::CommandError;
use crate::experiment::{
    Case, Choice, Control, Meter, Repeat, Sampling, Table, own_reference, slope, timed,
};
use crate::registry::Registry;
use crate::report::TextTable;
use crate::reproduce::least_seconds;
use liedae::solve::solve_observed;
use serde::Serialize;

/// Steps in s.
const STEPS: [f64; 8] = [2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3];
/// The variable p of the paper, which does not say which one: the angle of bar 2, which is stiff.
const VARIABLE: &str = "theta2";
/// Iterations after which a step has failed.
const LIMIT: usize = super::JUDGED;

/// One run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Norms {
    pub mechanism: &'static str,
    /// IMPL with one of the predictors, or EXPL.
    pub method: String,
    /// In s.
    pub step: f64,
    /// Largest error of the variable at the end of any step, in rad, and where it is, in s; none where the run fails.
    pub sup_norm: Option<f64>,
    pub sup_time: Option<f64>,
    /// Root of the sum of squared errors over all steps, in rad.
    pub two_norm: Option<f64>,
    /// The largest error in percent of the variable there.
    pub relative_percent: Option<f64>,
    /// CPU time in s, which decides nothing.
    pub cpu_s: Option<f64>,
}

/// All runs on one double pendulum.
pub(super) fn norms(mechanism: &Mechanism) -> Result<Vec<Norms>, CommandError> {
    let mut methods = Vec::new();
    for predictor in Predictor::BOTH {
        let choice = Iteration::limited(predictor, LIMIT).choice(IMPL)?;
        methods.push((format!("IMPL, {}", predictor.words()), choice));
    }
    methods.push(("EXPL".to_owned(), Registry::standard().choice(EXPL)?));
    let mut case = mechanism.case()?;
    let output = case.output(Some(VARIABLE))?;
    let mut runs = Vec::new();
    for step in STEPS {
        for (method, choice) in &methods {
            let found = run(&mut case, output, choice, step)?;
            runs.push((step, method, found));
        }
    }
    let all = runs.iter().filter_map(|(_, _, found)| found.as_ref());
    let mut times: Vec<f64> = all
        .flat_map(|run| run.values.iter().map(|(t, _)| *t))
        .collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let truth = own_reference(&mut case, &times)?.table.column(output);
    let row = |(step, method, found): (f64, &String, Option<Run>)| Norms {
        mechanism: mechanism.title,
        method: method.clone(),
        step,
        ..found.map_or_else(Norms::default, |run| run.norms(&truth))
    };
    Ok(runs.into_iter().map(row).collect())
}

/// A run that did not fail.
struct Run {
    /// Time in s and the variable in rad, at the ends of the steps.
    values: Vec<(f64, f64)>,
    cpu_s: f64,
}

impl Run {
    /// Against true values at these times and others, by rising time.
    fn norms(&self, truth: &[(f64, f64)]) -> Norms {
        let known = |t: f64| {
            let place = truth.binary_search_by(|(time, _)| time.total_cmp(&t));
            place.map_or(f64::NAN, |index| truth[index].1)
        };
        let errors = self.values.iter().map(|&(t, value)| {
            let truth = known(t);
            (t, (value - truth).abs(), truth)
        });
        let squares: f64 = errors.clone().map(|(_, error, _)| error * error).sum();
        let worst = errors.max_by(|a, b| a.1.total_cmp(&b.1));
        Norms {
            sup_norm: worst.map(|(_, error, _)| error),
            sup_time: worst.map(|(t, _, _)| t),
            two_norm: Some(squares.sqrt()),
            relative_percent: worst.map(|(_, error, truth)| 100.0 * error / truth.abs()),
            cpu_s: Some(self.cpu_s),
            ..Norms::default()
        }
    }
}

/// None where a step fails.
fn run(
    case: &mut Case,
    output: usize,
    choice: &Choice,
    step: f64,
) -> Result<Option<Run>, CommandError> {
    let options = Control::Fixed { step }.options(case.t_end, None);
    let mut table = Table::default();
    let mut meter = Meter::of_rows(Sampling::Steps, &mut table);
    let integrator = choice.build();
    let solved = solve_observed(case.system(), integrator.as_ref(), &options, &mut meter);
    meter.finish()?;
    let timed = timed(case, choice, &options, Repeat::SHORT);
    Ok(solved.ok().zip(timed.ok()).map(|(_, timed)| Run {
        values: table.column(output).split_off(1),
        cpu_s: least_seconds(&timed.timings),
    }))
}

/// Slope of the largest error over the steps, where it is below a tenth of a radian; none with fewer than two.
pub(super) fn observed_slope(rows: &[&Norms]) -> Option<f64> {
    let points = rows
        .iter()
        .filter_map(|row| Some((row.step, row.sup_norm?)));
    let points: Vec<(f64, f64)> = points.filter(|(_, error)| *error < 0.1).collect();
    (points.len() > 1).then(|| slope(points))?
}

/// As the paper lists them, with the slopes in the caption.
pub(super) fn table(rows: &[Norms]) -> TextTable {
    let header = [
        "double pendulum",
        "method",
        "h / s",
        "sup-norm / rad",
        "at t / s",
        "2-norm / rad",
        "Rel-Err / %",
        "CPU / s",
    ];
    let cell = |value: Option<f64>| {
        value.map_or_else(|| "fails".to_owned(), |value| format!("{value:.2e}"))
    };
    let mut slopes: Vec<String> = Vec::new();
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for row in rows {
        let key = (row.mechanism, row.method.as_str());
        if seen.contains(&key) {
            continue;
        }
        seen.push(key);
        let own = rows
            .iter()
            .filter(|other| (other.mechanism, other.method.as_str()) == key);
        if let Some(slope) = observed_slope(&own.collect::<Vec<_>>()) {
            slopes.push(format!("{}, {} {slope:.2}", row.mechanism, row.method));
        }
    }
    TextTable {
        caption: format!(
            "Errors of {VARIABLE} against a run with tight tolerances; the paper defines these norms and prints no numbers. Slopes of the sup-norm below 0.1 \
             rad: {}.",
            slopes.join("; ")
        ),
        header: header.map(str::to_owned).into(),
        rows: rows
            .iter()
            .map(|row| {
                vec![
                    row.mechanism.to_owned(),
                    row.method.clone(),
                    format!("{:e}", row.step),
                    cell(row.sup_norm),
                    cell(row.sup_time),
                    cell(row.two_norm),
                    cell(row.relative_percent),
                    cell(row.cpu_s),
                ]
            })
            .collect(),
        ..TextTable::default()
    }
}
