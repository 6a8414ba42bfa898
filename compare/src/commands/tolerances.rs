//! `liedae tolerances`: the achieved error against the requested tolerance.

use super::deliver;
use crate::cli::TolerancesArgs;
use crate::error::{CommandError, Status};
use crate::experiment::{
    Choice, FACTOR, GIVEN_UP, Standard, TOLERANCE_PROBLEMS, ToleranceRun, observed_slope,
    proportionality,
};
use crate::output::write_csv;
use crate::output::{columns, note};
use crate::registry::Registry;
use crate::report::tolerances as report;
use serde::Serialize;
use std::time::Duration;

/// Tolerances that are run.
const TOLERANCES: [f64; 7] = [1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10];

#[derive(Serialize)]
struct Study {
    factor: f64,
    files: Vec<String>,
    /// Slopes that theory expects, by method.
    expected: Vec<(String, f64)>,
    runs: Vec<ToleranceRun>,
}

/// Measures, prints a table, and draws if there is a directory for it.
pub fn tolerances(
    registry: &Registry,
    arguments: &TolerancesArgs,
    as_json: bool,
) -> Result<Status, CommandError> {
    let limit = Duration::try_from_secs_f64(arguments.time_limit)
        .ok()
        .filter(|limit| !limit.is_zero())
        .ok_or_else(|| CommandError::Value {
            option: "--time-limit",
            value: format!("{:?}", arguments.time_limit),
            expected: "it is a positive number of seconds".to_owned(),
        })?;
    let choices: Vec<Choice> = Choice::list(registry.methods(), &arguments.methods)?
        .into_iter()
        .filter(|choice| choice.method().is_adaptive())
        .collect();
    let mut study = Study {
        factor: FACTOR,
        files: Vec::new(),
        expected: choices
            .iter()
            .map(|choice| (choice.label(), choice.expected_slope()))
            .collect(),
        runs: Vec::new(),
    };
    for (problem, t_end) in TOLERANCE_PROBLEMS {
        let mut standard = Standard::new(problem, t_end)?;
        for choice in &choices {
            note(&format!("{problem}, {}", choice.label()));
            let runs = proportionality(&mut standard, choice, &TOLERANCES, limit)?;
            study.runs.extend(runs);
        }
    }
    if let Some(out) = &arguments.out {
        std::fs::create_dir_all(out).map_err(|source| CommandError::write(out, source))?;
        let csv = out.join("tolerances.csv");
        write_csv(&csv, &study.runs)?;
        let html = out.join("report.html");
        let page = report(&study.runs, limit)?;
        std::fs::write(&html, page.html()?).map_err(|source| CommandError::write(&html, source))?;
        study.files = [csv, html].map(|path| path.display().to_string()).into();
    }
    deliver(&study, as_json, || text(&study))
}

fn text(study: &Study) -> String {
    let mut text = format!(
        "Error at the end over the tolerance, in the norm of the step-size control; ! above {}\nslope: of log error over log \
         tolerance; theory: order over the order of the error estimate. Below 1 the error falls behind the tolerance.\n",
        study.factor
    );
    for (problem, t_end) in TOLERANCE_PROBLEMS {
        text.push_str(&format!("\n{problem}, to t = {t_end} s\n"));
        let mut header = vec!["method".to_owned()];
        header.extend(TOLERANCES.iter().map(|tolerance| format!("{tolerance:e}")));
        let mut rows: Vec<Vec<String>> = Vec::new();
        for run in study.runs.iter().filter(|run| run.problem == problem) {
            if rows.last().is_none_or(|row| row[0] != run.method) {
                rows.push(vec![run.method.clone()]);
            }
            if let Some(row) = rows.last_mut() {
                row.push(match run.ratio {
                    Some(ratio) if run.delivers() => format!("{ratio:.2}"),
                    Some(ratio) => format!("{ratio:.0}!"),
                    None => "-".to_owned(),
                });
            }
        }
        for row in &mut rows {
            let runs: Vec<&ToleranceRun> = study
                .runs
                .iter()
                .filter(|run| run.problem == problem && run.method == row[0])
                .collect();
            let slope = observed_slope(&runs);
            row.push(slope.map_or_else(|| "-".to_owned(), |slope| format!("{slope:.2}")));
            let theory = study.expected.iter().find(|(name, _)| *name == row[0]);
            row.push(theory.map_or_else(String::new, |(_, slope)| format!("{slope:.2}")));
        }
        header.extend(["slope", "theory"].map(str::to_owned));
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        text.push_str(&columns(&header, &rows));
    }
    let without: Vec<&ToleranceRun> = study
        .runs
        .iter()
        .filter(|run| run.ratio.is_none())
        .collect();
    let given_up = without
        .iter()
        .filter(|run| run.reason.starts_with(GIVEN_UP));
    let (given_up, all) = (given_up.count(), without.len());
    if all > 0 {
        text.push_str(&format!(
            "\n-: {given_up} runs given up at the time limit, {} failed (--json and tolerances.csv say why)\n",
            all - given_up
        ));
    }
    for file in &study.files {
        text.push_str(&format!("{file}\n"));
    }
    text
}
