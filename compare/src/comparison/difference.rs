//! Two comparisons beside each other: which counts changed, and how times compare.

use super::Comparison;
use crate::error::Status;
use crate::experiment::WorkPoint;
use serde::Serialize;

/// A number of a run that is not the same in both.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Changed {
    /// The problem.
    pub problem: String,
    /// The variant of a method.
    pub variant: String,
    /// Tolerance or step.
    pub control: f64,
    /// What changed.
    pub column: &'static str,
    /// Its value in the first comparison.
    pub first: String,
    /// Its value in the second.
    pub second: String,
}

/// Times of the second comparison over those of the first, of runs that are done in both, for one variant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimeRatio {
    /// The variant.
    pub variant: String,
    /// Runs that are compared.
    pub runs: usize,
    /// What was compared: `cpu_s` where both know it, otherwise `wall_s`.
    pub column: &'static str,
    /// Geometric mean of the ratios of the shortest times.
    pub mean: f64,
    /// Smallest ratio.
    pub smallest: f64,
    /// Largest ratio.
    pub largest: f64,
    /// Median of the spreads of repetitions, of both: ratios nearer to 1 than this say nothing.
    pub spread: f64,
}

/// What two comparisons differ in.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Runs that are in both.
    pub common: usize,
    /// Runs that only the first has.
    pub only_first: usize,
    /// Runs that only the second has.
    pub only_second: usize,
    /// What changed.
    pub changed: Vec<Changed>,
    /// How times compare.
    pub times: Vec<TimeRatio>,
}

/// Columns that should be the same whenever a run is made again by the same program.
fn counts(point: &WorkPoint) -> [(&'static str, String); 14] {
    let exponent =
        |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3e}"));
    [
        ("status", format!("{:?}", point.status).to_lowercase()),
        ("events", point.events.to_string()),
        ("impacts", point.impacts.to_string()),
        ("error_end", exponent(point.error_end)),
        ("error_samples", exponent(point.error_samples)),
        ("accepted", point.accepted.to_string()),
        ("rejected", point.rejected.to_string()),
        ("force", point.force.to_string()),
        ("constraint", point.constraint.to_string()),
        ("jacobian", point.jacobian.to_string()),
        ("mass", point.mass.to_string()),
        ("factorizations", point.factorizations.to_string()),
        ("solves", point.solves.to_string()),
        ("newton_iterations", point.newton_iterations.to_string()),
    ]
}

/// Compares two comparisons run by run.
pub fn difference(first: &Comparison, second: &Comparison) -> Difference {
    let same = |a: &WorkPoint, b: &WorkPoint| {
        a.problem == b.problem
            && a.variant == b.variant
            && a.tolerance == b.tolerance
            && a.step == b.step
    };
    let mut pairs = Vec::new();
    for a in &first.runs {
        if let Some(b) = second.runs.iter().find(|b| same(a, b)) {
            pairs.push((a, b));
        }
    }
    let mut changed = Vec::new();
    for (a, b) in &pairs {
        for ((column, first), (_, second)) in counts(a).into_iter().zip(counts(b)) {
            if first != second {
                changed.push(Changed {
                    problem: a.problem.clone(),
                    variant: a.variant.clone(),
                    control: a.control(),
                    column,
                    first,
                    second,
                });
            }
        }
    }
    let mut variants: Vec<&str> = pairs.iter().map(|(a, _)| a.variant.as_str()).collect();
    variants.dedup();
    let mut names: Vec<&str> = Vec::new();
    for name in variants {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let times = names.into_iter().filter_map(|name| {
        let of_variant = pairs.iter().filter(|(a, b)| {
            a.variant == name && a.status == Status::Done && b.status == Status::Done
        });
        ratio(name, &of_variant.copied().collect::<Vec<_>>())
    });
    Difference {
        common: pairs.len(),
        only_first: first.runs.len() - pairs.len(),
        only_second: second.runs.len().saturating_sub(pairs.len()),
        times: times.collect(),
        changed,
    }
}

fn ratio(variant: &str, pairs: &[(&WorkPoint, &WorkPoint)]) -> Option<TimeRatio> {
    let by_cpu = pairs
        .iter()
        .all(|(a, b)| a.cpu_s.is_some() && b.cpu_s.is_some());
    let time = |point: &WorkPoint| match by_cpu {
        true => point.cpu_s.unwrap_or(f64::NAN),
        false => point.wall_s,
    };
    let ratios: Vec<f64> = pairs
        .iter()
        .map(|(a, b)| time(b) / time(a))
        .filter(|ratio| ratio.is_finite() && *ratio > 0.0)
        .collect();
    if ratios.is_empty() {
        return None;
    }
    let mut spreads: Vec<f64> = pairs
        .iter()
        .flat_map(|(a, b)| [a.spread, b.spread])
        .collect();
    spreads.sort_by(f64::total_cmp);
    let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    Some(TimeRatio {
        variant: variant.to_owned(),
        runs: ratios.len(),
        column: if by_cpu { "cpu_s" } else { "wall_s" },
        mean: (logarithms / ratios.len() as f64).exp(),
        smallest: ratios.iter().copied().fold(f64::INFINITY, f64::min),
        largest: ratios.iter().copied().fold(0.0, f64::max),
        spread: spreads.get(spreads.len() / 2).copied().unwrap_or(0.0),
    })
}
