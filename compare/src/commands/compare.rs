//! `liedae compare`: work-precision diagrams and performance profiles in one report.

use super::deliver;
use super::progress::Progress;
use crate::cli::CompareArgs;
use crate::error::{CommandError, Status};
use crate::experiment::{Plan, Source, WorkPoint, resolve_set, variants, work_precision};
use crate::output::note;
use crate::report::comparison;
use serde::Serialize;
use std::path::Path;
use std::time::Duration;

#[derive(Serialize)]
struct Comparison {
    status: Status,
    problems: Vec<&'static str>,
    variants: Vec<String>,
    tolerances: Vec<f64>,
    runs: usize,
    failed: usize,
    files: Vec<String>,
    references: Vec<Source>,
    results: Vec<WorkPoint>,
}

/// Runs everything and writes the report.
pub fn compare(arguments: &CompareArgs, as_json: bool) -> Result<Status, CommandError> {
    let plan = plan(arguments)?;
    let out = arguments.out.as_path();
    std::fs::create_dir_all(out).map_err(|source| CommandError::write(out, source))?;
    let mut progress =
        Progress::new(plan.problems.len() * plan.variants.len() * plan.tolerances.len());
    let (results, references) = work_precision(&plan, |message| progress.step(message))?;
    drop(progress);

    let csv = out.join("results.csv");
    write_csv(&csv, &results)?;
    let html = out.join("report.html");
    let names: Vec<String> = plan
        .variants
        .iter()
        .map(|variant| variant.name.clone())
        .collect();
    let page = comparison(&plan, &results, &references)?;
    std::fs::write(&html, page.html()?).map_err(|source| CommandError::write(&html, source))?;

    let failed = results
        .iter()
        .filter(|point| point.status != Status::Done)
        .count();
    let comparison = Comparison {
        status: if failed == results.len() {
            Status::Failed
        } else {
            Status::Done
        },
        problems: plan.problems,
        variants: names,
        tolerances: plan.tolerances,
        runs: results.len(),
        failed,
        files: [&csv, &html].map(|path| path.display().to_string()).into(),
        references,
        results,
    };
    if comparison.status == Status::Failed && !as_json {
        let reason = comparison.results.first().map_or("", |point| &point.reason);
        note(&format!(
            "liedae: every run failed, the first because: {reason}"
        ));
    }
    deliver(&comparison, as_json, || {
        format!(
            "{} runs, {failed} failed\n{}\n",
            comparison.runs,
            comparison.files.join("\n")
        )
    })?;
    Ok(comparison.status)
}

fn plan(arguments: &CompareArgs) -> Result<Plan, CommandError> {
    let value = |option, value: f64, expected: &str| CommandError::Value {
        option,
        value: format!("{value:?}"),
        expected: expected.to_owned(),
    };
    let mut tolerances = arguments.tols.clone();
    if let Some(&bad) = tolerances
        .iter()
        .find(|&&tolerance| !(tolerance > 0.0 && tolerance.is_finite()))
    {
        return Err(value("--tols", bad, "tolerances are positive numbers"));
    }
    tolerances.sort_by(|a, b| b.total_cmp(a));
    tolerances.dedup();
    let limit = arguments.time_limit;
    let time_limit = Duration::try_from_secs_f64(limit)
        .ok()
        .filter(|limit| !limit.is_zero())
        .ok_or_else(|| value("--time-limit", limit, "it is a positive number of seconds"))?;
    let options = &arguments.method_options;
    Ok(Plan {
        problems: resolve_set(&arguments.problems)?,
        variants: variants(
            &arguments.methods,
            options.projection,
            options.newton_tol,
            options.index.as_deref(),
            arguments.controller.as_deref(),
        )?,
        tolerances,
        time_limit,
        max_steps: options.max_steps,
    })
}

/// Writes records with a header taken from their fields.
pub fn write_csv<T: Serialize>(path: &Path, records: &[T]) -> Result<(), CommandError> {
    let failed = |error: csv::Error| CommandError::write(path, std::io::Error::from(error));
    let mut writer = csv::Writer::from_path(path).map_err(failed)?;
    for record in records {
        writer.serialize(record).map_err(failed)?;
    }
    writer
        .flush()
        .map_err(|source| CommandError::write(path, source))
}
