//! `liedae diff`: two comparisons beside each other.

use super::deliver;
use super::report::store_at;
use crate::cli::DiffArgs;
use crate::comparison::{Comparison, Difference, difference};
use crate::error::{CommandError, Status};
use crate::output::columns;
use crate::provenance::{Provenance, summary};
use crate::store::Store;
use serde::Serialize;

#[derive(Serialize)]
struct Report {
    first: Vec<Provenance>,
    second: Vec<Provenance>,
    #[serde(flatten)]
    difference: Difference,
}

/// Says which counts changed and how times compare.
pub fn diff(arguments: &DiffArgs, as_json: bool) -> Result<Status, CommandError> {
    let read = |path| Comparison::of(&Store::open_existing(&store_at(path))?);
    let (first, second) = (read(&arguments.first)?, read(&arguments.second)?);
    let report = Report {
        difference: difference(&first, &second),
        first: first.provenance,
        second: second.provenance,
    };
    deliver(&report, as_json, || text(&report))
}

fn text(report: &Report) -> String {
    let difference = &report.difference;
    let mut text = String::new();
    let pairs = summary(&report.first)
        .into_iter()
        .zip(summary(&report.second));
    for ((label, first), (_, second)) in pairs {
        if first != second {
            text.push_str(&format!("{label}: {first} -> {second}\n"));
        }
    }
    text.push_str(&format!(
        "{} runs in both, {} in the first only, {} in the second only\n\n",
        difference.common, difference.only_first, difference.only_second
    ));
    if difference.common == 0 {
        text.push_str("there is nothing to compare\n");
        return text;
    }
    if difference.changed.is_empty() {
        text.push_str("no count and no error changed\n");
    } else {
        let rows: Vec<Vec<String>> = (difference.changed.iter())
            .map(|changed| {
                vec![
                    changed.problem.clone(),
                    changed.variant.clone(),
                    format!("{:e}", changed.control),
                    changed.column.to_owned(),
                    changed.first.clone(),
                    changed.second.clone(),
                ]
            })
            .collect();
        let header = [
            "problem",
            "method",
            "tol or step",
            "column",
            "first",
            "second",
        ];
        text.push_str(&columns(&header, &rows));
    }
    text.push('\n');
    let rows: Vec<Vec<String>> = (difference.times.iter())
        .map(|ratio| {
            vec![
                ratio.variant.clone(),
                ratio.runs.to_string(),
                ratio.column.trim_end_matches("_s").to_owned(),
                format!("{:.3}", ratio.mean),
                format!("{:.3}", ratio.smallest),
                format!("{:.3}", ratio.largest),
                format!("{:.0} %", 100.0 * ratio.spread),
            ]
        })
        .collect();
    let header = [
        "time second / first",
        "runs",
        "of",
        "mean",
        "smallest",
        "largest",
        "spread",
    ];
    text.push_str(&columns(&header, &rows));
    text
}
