//! All runs of a comparison at a glance: one row for each problem and method, at its tightest tolerance.

use super::TextTable;
use crate::comparison::Comparison;
use crate::error::Status;
use crate::experiment::WorkPoint;
use crate::output::number;
use crate::store::Source;

/// What the numbers in parentheses are.
pub const PARENTHESES: &str = "in parentheses where friction or a drive may raise it";

/// One row per problem and variant: its last run, that with the tightest tolerance or the smallest step.
pub fn overview(compared: &Comparison) -> TextTable {
    let (plan, results) = (&compared.definition, &compared.runs);
    let sources = &compared.references;
    let with_events = results.iter().any(|point| point.events > 0);
    let several = plan.tolerances.len() > 1;
    let mut header = vec!["problem", "method", "tol or step"];
    if several {
        header.push("done");
    }
    header.push("t / s");
    if with_events {
        header.extend(["events", "energy rise / J", "depth / m"]);
    }
    header.extend(["steps", "rejected", "wall / s", "error"]);
    let mut table = TextTable {
        header: header.into_iter().map(str::to_owned).collect(),
        ..TextTable::default()
    };
    for problem in &plan.problems {
        let loses = sources
            .iter()
            .find(|source| source.problem == *problem)
            .and_then(|source| source.loses_energy_at_events);
        for variant in &plan.variants {
            let runs = || {
                results
                    .iter()
                    .filter(|point| point.problem == *problem && point.variant == variant.name)
            };
            let Some(last) = runs().next_back() else {
                continue;
            };
            let done = runs().filter(|point| point.status == Status::Done).count();
            let mut row = vec![
                problem.clone(),
                variant.name.clone(),
                last.tolerance.or(last.step).map_or_else(String::new, short),
            ];
            if several {
                row.push(format!("{done} of {}", runs().count()));
            }
            row.push(last.t_reached.map_or_else(dash, number));
            if with_events {
                row.push(last.events.to_string());
                row.push(rise(last, loses));
                row.push(last.penetration.map_or_else(dash, size));
            }
            row.extend([
                last.accepted.to_string(),
                last.rejected.to_string(),
                format!("{:.3}", last.wall_s),
                if last.status == Status::Done {
                    last.error_end
                        .map_or_else(dash, |error| format!("{error:.1e}"))
                } else {
                    "failed".to_owned()
                },
            ]);
            table.rows.push(row);
            table.classes.push(if done == runs().count() {
                String::new()
            } else {
                "bad".to_owned()
            });
        }
    }
    table
}

/// What happened to the energy at events, in words; `None` where no event changed the state of a system that should
/// lose energy.
pub fn energy_words(results: &[WorkPoint], sources: &[Source]) -> Option<String> {
    let loses = |point: &WorkPoint| {
        sources.iter().any(|source| {
            source.problem == point.problem && source.loses_energy_at_events == Some(true)
        })
    };
    let rises = results
        .iter()
        .filter(|point| loses(point))
        .filter_map(|point| Some((point, point.energy_rise?)));
    // A NaN is the worst.
    let order = |value: f64| {
        if value.is_nan() { f64::INFINITY } else { value }
    };
    let (worst, rise) = rises.max_by(|(_, a), (_, b)| order(*a).total_cmp(&order(*b)))?;
    Some(format!(
        "Largest rise of the energy at one event, over all problems with neither friction nor a drive: {rise:.1e} J ({}, \
         {}).",
        worst.problem, worst.variant
    ))
}

fn rise(point: &WorkPoint, loses: Option<bool>) -> String {
    match (point.energy_rise, loses) {
        (None, _) => dash(),
        (Some(rise), Some(true)) => size(rise),
        (Some(rise), _) => format!("({})", size(rise)),
    }
}

fn size(value: f64) -> String {
    if value == 0.0 {
        "0".to_owned()
    } else {
        format!("{value:.1e}")
    }
}

fn dash() -> String {
    "–".to_owned()
}

fn short(value: f64) -> String {
    format!("{value:e}")
}
