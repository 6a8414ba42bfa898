//! The report of `liedae tolerances`.

use super::{Axis, Chart, Figure, LineStyle, Page, Section, Series, TextTable};
use crate::error::CommandError;
use crate::experiment::{FACTOR, TOLERANCE_PROBLEMS, ToleranceRun};
use std::time::Duration;

/// Puts the report together: one chart and one table per problem.
pub fn tolerances(runs: &[ToleranceRun], limit: Duration) -> Result<Page, CommandError> {
    let mut page = Page {
        title: "Tolerance proportionality".to_owned(),
        summary: vec![format!(
            "Relative = absolute tolerance. The error at the end, in the weighted norm that the step-size control uses, \
             is 1 where it equals the tolerance. Runs longer than {} s are given up. Above {FACTOR}, an error is \
             marked.",
            limit.as_secs_f64()
        )],
        ..Page::of_this_build()
    };
    for (problem, t_end) in TOLERANCE_PROBLEMS {
        let here: Vec<&ToleranceRun> = runs.iter().filter(|run| run.problem == problem).collect();
        let mut methods: Vec<&str> = here.iter().map(|run| run.method.as_str()).collect();
        methods.dedup();
        let figures = vec![Figure {
            svg: chart(&here, &methods, problem, t_end)?,
            caption:
                "A method whose line is parallel to the dashed ones delivers what it is asked for."
                    .to_owned(),
        }];
        let mut table = TextTable {
            caption: "All runs".to_owned(),
            header: [
                "method",
                "tolerance",
                "error / tolerance",
                "accepted",
                "rejected",
                "remark",
            ]
            .map(str::to_owned)
            .into(),
            ..TextTable::default()
        };
        for run in &here {
            table.rows.push(vec![
                run.method.clone(),
                format!("{:e}", run.tolerance),
                run.ratio
                    .map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.3}")),
                run.accepted.to_string(),
                run.rejected.to_string(),
                run.reason.clone(),
            ]);
            let class = if run.delivers() { "" } else { "bad" };
            table.classes.push(class.to_owned());
        }
        page.sections.push(Section {
            heading: problem.to_owned(),
            figures,
            tables: vec![table],
            ..Section::default()
        });
    }
    Ok(page)
}

fn chart(
    runs: &[&ToleranceRun],
    methods: &[&str],
    problem: &str,
    t_end: f64,
) -> Result<String, CommandError> {
    let mut series: Vec<Series> = methods
        .iter()
        .enumerate()
        .map(|(look, &method)| Series {
            name: method.to_owned(),
            points: runs
                .iter()
                .filter(|run| run.method == method)
                .filter_map(|run| Some((run.tolerance, run.ratio? * run.tolerance)))
                .collect(),
            style: LineStyle::Marked,
            look,
        })
        .collect();
    let first = runs.iter().filter(|run| run.method == runs[0].method);
    for (name, factor) in [
        ("error = tolerance", 1.0),
        ("error = 100 tolerance", FACTOR),
    ] {
        series.push(Series {
            name: name.to_owned(),
            points: first
                .clone()
                .map(|run| (run.tolerance, factor * run.tolerance))
                .collect(),
            style: LineStyle::Dashed,
            look: 6,
        });
    }
    let chart = Chart {
        title: format!("{problem}, to t = {t_end} s"),
        x: Axis::logarithmic("tolerance"),
        y: Axis::logarithmic("weighted error at the end"),
        series,
    };
    chart.svg()
}
