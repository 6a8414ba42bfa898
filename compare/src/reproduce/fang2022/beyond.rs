//! What the paper says beyond its figures: other rotation coordinates (section 4), stiff problems (section 5).

use super::settings::{Extent, METHODS, ROTATIONS, STIFF};
use crate::error::CommandError;
use crate::experiment::{Control, Repeat, timed};
use crate::registry::Registry;
use crate::report::{Section, TextTable};
use crate::reproduce::trajectory::{Motion, Rung, Sweep};
use crate::reproduce::{Claim, least_seconds};
use liedae::solve::iterations_per_step;
use liedae::system::output_values;
use serde::Serialize;
use std::time::Duration;

/// The step with which rotation coordinates are compared, in s.
const STEP: f64 = 1e-3;
/// Steps per decade of the search on stiff problems.
const PER_DECADE: f64 = 8.0;
/// By how much iterations and errors in other coordinates may exceed those in rotation matrices to count as equally good.
const EQUAL: f64 = 1.5;
/// The kinds of coordinates, as the problems number them.
const COORDINATES: [&str; 3] = ["r-A", "r-p", "r-epsilon"];

/// One mechanism, method and kind of rotation coordinates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rotation {
    pub problem: String,
    pub method: &'static str,
    /// r-A: rotation matrices, r-p: Euler parameters, r-epsilon: Euler angles.
    pub coordinates: &'static str,
    /// Velocities and rows.
    pub unknowns: usize,
    /// CPU time per step in s, the least of several runs.
    pub seconds_per_step: f64,
    pub iterations: f64,
    pub factorizations: f64,
    /// Largest error of an output at the end relative to 1 and the output, where it is known.
    pub error: Option<f64>,
}

/// Largest steps with an accurate solution of a stiff problem.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stiff {
    pub problem: String,
    /// In s; none where the smallest step tried is not accurate.
    pub half_step: Option<f64>,
    pub fully_step: Option<f64>,
    /// Factorizations of these runs.
    pub half_factorizations: Option<usize>,
    pub fully_factorizations: Option<usize>,
}

/// Every mechanism in every kind of coordinates.
pub fn rotations(
    extent: &Extent,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Rotation>, CommandError> {
    let mut rows = Vec::new();
    let repeat = Repeat {
        budget: Duration::from_millis(500),
        at_most: 5,
        at_least: 1,
    };
    for &(problem, links, t_end) in &ROTATIONS[..extent.rotations] {
        for (method, label) in METHODS {
            progress(&format!("Section 4: {problem}, {label}"));
            for (number, coordinates) in COORDINATES.into_iter().enumerate() {
                let mut settings = vec![format!("rotation={number}")];
                settings.extend(links.map(|links| format!("n={links}")));
                let mut case = Registry::standard().case(problem, &settings, Some(t_end))?;
                let choice = Registry::standard().choice(method)?;
                let options = Control::Fixed { step: STEP }.options(t_end, None);
                let run = timed(&mut case, &choice, &options, repeat);
                let run = run.map_err(|failure| *failure.error)?;
                let names = case.outputs().to_vec();
                let mut values = vec![f64::NAN; names.len()];
                let state = &run.solution.state;
                output_values(case.system(), state, &mut values)?;
                let reference = case.problem.reference.as_ref();
                let errors = names.iter().zip(values).filter_map(|(name, value)| {
                    let truth = reference?.value(name, state.t)?;
                    Some((value - truth).abs() / (1.0 + truth.abs()))
                });
                let error = errors.reduce(|a, b| if a <= b { b } else { a });
                let layout = case.system().layout();
                let statistics = &run.solution.statistics;
                let steps = statistics.accepted.max(1) as f64;
                rows.push(Rotation {
                    problem: problem.to_owned(),
                    method,
                    coordinates,
                    unknowns: layout.dimension() + layout.rows(),
                    seconds_per_step: least_seconds(&run.timings) / steps,
                    iterations: iterations_per_step(&run.solution),
                    factorizations: statistics.work.factorizations as f64 / steps,
                    error,
                });
            }
        }
    }
    Ok(rows)
}

/// Both methods on stiff problems.
pub fn stiff(extent: &Extent, progress: &mut dyn FnMut(&str)) -> Result<Vec<Stiff>, CommandError> {
    let mut rows = Vec::new();
    for &(problem, settings, t_end, smallest) in &STIFF[..extent.stiff] {
        progress(&format!("Section 5: {problem}"));
        let mut case = Registry::standard().case(problem, settings, Some(t_end))?;
        let motion = Motion::of(&mut case)?;
        let mut best = |method| -> Result<Option<Rung>, CommandError> {
            let choice = Registry::standard().choice(method)?;
            let sweep = Sweep::new(&mut case, &motion, &choice, smallest, PER_DECADE);
            Ok(sweep.accurate())
        };
        let [half, fully] = [best(METHODS[0].0)?, best(METHODS[1].0)?];
        let name = [&[problem], settings].concat().join(":");
        rows.push(Stiff {
            problem: name,
            half_step: half.map(|rung| rung.step),
            fully_step: fully.map(|rung| rung.step),
            half_factorizations: half.map(|rung| rung.factorizations),
            fully_factorizations: fully.map(|rung| rung.factorizations),
        });
    }
    Ok(rows)
}

/// "Expected to work equally well ... Euler angles or Euler parameters", and the fully implicit r-A approach is faster.
pub fn rotation_claims(rows: &[Rotation]) -> Vec<Claim> {
    let mut claims = Vec::new();
    let base = |row: &Rotation| {
        rows.iter().find(|other| {
            other.problem == row.problem && other.method == row.method && other.coordinates == "r-A"
        })
    };
    let others = |method| {
        let of = rows.iter().filter(move |row| row.method == method);
        of.filter(|row| row.coordinates != "r-A")
            .filter_map(|row| Some((row, base(row)?)))
    };
    let text = "the half-implicit method works equally well in Euler parameters and Euler angles";
    let (mut iterations, mut error, mut count) = (0.0_f64, 0.0_f64, 0);
    let mut worst = String::new();
    for (row, base) in others(METHODS[0].0) {
        count += 1;
        iterations = greater(iterations, row.iterations / base.iterations);
        if let Some((other, own)) = row.error.zip(base.error) {
            let ratio = other / own;
            if ratio > error || ratio.is_nan() {
                error = ratio;
                worst = format!(", {} in {}", row.problem, row.coordinates);
            }
        }
    }
    if count > 0 {
        let measured = format!(
            "at most {iterations:.2} times the iterations and {error:.2} times the error{worst}, of r-A in {count} cases (at most \
             {EQUAL})"
        );
        let number = greater(iterations, error);
        claims.push(
            Claim::new("Section 4", text, number <= EQUAL, number, measured).because(
                "a step that is straight in angles or parameters is curved on the group: where bodies spin fast about their own axes, \
                 as the links of the chain, each kind of coordinates has another error constant at the same order",
            ),
        );
    }
    let text = "the fully implicit method is faster in rotation matrices than in Euler parameters and Euler angles";
    let ratios: Vec<(String, f64)> = others(METHODS[1].0)
        .map(|(row, base)| {
            let ratio = row.seconds_per_step / base.seconds_per_step;
            (format!("{} {}", row.problem, row.coordinates), ratio)
        })
        .collect();
    let smallest = ratios.iter().map(|(_, ratio)| *ratio).reduce(f64::min);
    if let Some(smallest) = smallest {
        let list: Vec<String> = ratios
            .iter()
            .map(|(name, ratio)| format!("{name} {ratio:.2}"))
            .collect();
        let faster = ratios.iter().filter(|(_, ratio)| *ratio > 1.0).count();
        let measured = format!(
            "in {faster} of {} cases; time of a step over that in r-A: {}",
            ratios.len(),
            list.join("; ")
        );
        claims.push(
            Claim::new("Section 4", text, smallest > 1.0, smallest, measured).because(
                "Euler angles have as many unknowns as rotation matrices have here, three for each body, so that a step costs \
                 about the same",
            ),
        );
    }
    claims
}

fn greater(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// "In the case of stiff problems, a fully implicit DAE solution is expected to be superior."
pub fn stiff_claim(rows: &[Stiff]) -> Claim {
    let text = "on stiff problems the fully implicit method is superior";
    let mut smallest: Option<f64> = None;
    let mut words = Vec::new();
    for row in rows {
        let pair = row.half_factorizations.zip(row.fully_factorizations);
        let steps = row.half_step.zip(row.fully_step);
        let (Some((half, fully)), Some((half_step, fully_step))) = (pair, steps) else {
            let reason = format!("{}: the smallest step tried is not accurate", row.problem);
            return Claim::unmeasured("Section 5", text, &reason);
        };
        let ratio = half as f64 / fully as f64;
        smallest = Some(smallest.map_or(ratio, |smallest| smallest.min(ratio)));
        words.push(format!(
            "{}: {half_step:.1e} s against {fully_step:.1e} s, {ratio:.1} times the factorizations",
            row.problem
        ));
    }
    match smallest {
        Some(smallest) => Claim::new(
            "Section 5",
            text,
            smallest > 1.0,
            smallest,
            format!(
                "largest steps with an error below 10 % of the motion, half-implicit against fully implicit: {} (more than 1)",
                words.join("; ")
            ),
        )
        .because("the error of order one, not stability, limits the steps of both methods on some of them"),
        None => Claim::unmeasured("Section 5", text, "the experiment was not run"),
    }
}

/// The rotations as a table.
pub fn rotation_section(rows: &[Rotation]) -> Section {
    let header = [
        "mechanism",
        "method",
        "coordinates",
        "n + m",
        "us per step",
        "iterations per step",
        "factorizations per step",
        "error",
    ];
    let table = TextTable {
        caption: "Rotation matrices (r-A), Euler parameters (r-p), Euler angles (r-epsilon), h = 1e-3 s; shortest of up to five \
                  runs; largest error of an output at the end."
            .to_owned(),
        header: header.map(str::to_owned).into(),
        rows: rows
            .iter()
            .map(|row| {
                vec![
                    row.problem.clone(),
                    row.method.to_owned(),
                    row.coordinates.to_owned(),
                    row.unknowns.to_string(),
                    format!("{:.2}", 1e6 * row.seconds_per_step),
                    format!("{:.2}", row.iterations),
                    format!("{:.2}", row.factorizations),
                    row.error
                        .map_or_else(String::new, |error| format!("{error:.1e}")),
                ]
            })
            .collect(),
        ..TextTable::default()
    };
    Section {
        tables: vec![table],
        ..Section::default()
    }
}

/// The stiff problems as a table.
pub fn stiff_section(rows: &[Stiff]) -> Section {
    let header = [
        "problem",
        "half-implicit: largest step / s",
        "fully implicit",
        "half-implicit: factorizations",
        "fully implicit",
    ];
    let step = |step: Option<f64>| step.map_or_else(String::new, |step| format!("{step:.2e}"));
    let count = |count: Option<usize>| count.map_or_else(String::new, |count| count.to_string());
    let table = TextTable {
        caption: "Largest steps with an error below 10 % of the motion, in coordinates at the ends of steps. The paper names no \
                  stiff problem; these are those of Haug, Negrut and Iancu 1997."
            .to_owned(),
        header: header.map(str::to_owned).into(),
        rows: rows
            .iter()
            .map(|row| {
                vec![
                    row.problem.clone(),
                    step(row.half_step),
                    step(row.fully_step),
                    count(row.half_factorizations),
                    count(row.fully_factorizations),
                ]
            })
            .collect(),
        ..TextTable::default()
    };
    Section {
        tables: vec![table],
        ..Section::default()
    }
}
