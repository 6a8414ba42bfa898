//! `liedae compare`: work-precision diagrams and performance profiles in one report.

use super::deliver;
use super::progress::Progress;
use super::run::check_tolerance;
use crate::cli::CompareArgs;
use crate::error::{CommandError, Status};
use crate::experiment::{Plan, Source, WorkPoint, resolve_set, variants, work_precision};
use crate::output::{columns, note};
use crate::registry::Registry;
use crate::report::{comparison, energy_words, overview};
use serde::Serialize;
use std::path::Path;
use std::time::{Duration, Instant};

/// Failures that are named on the terminal.
const MOST_FAILURES: usize = 10;

#[derive(Serialize)]
struct Comparison {
    status: Status,
    problems: Vec<String>,
    variants: Vec<String>,
    tolerances: Vec<f64>,
    runs: usize,
    failed: usize,
    wall_s: f64,
    files: Vec<String>,
    references: Vec<Source>,
    results: Vec<WorkPoint>,
}

/// Runs everything and writes the report.
pub fn compare(
    registry: &Registry,
    arguments: &CompareArgs,
    as_json: bool,
) -> Result<Status, CommandError> {
    let start = Instant::now();
    let plan = plan(registry, arguments)?;
    let out = arguments.out.as_path();
    std::fs::create_dir_all(out).map_err(|source| CommandError::write(out, source))?;
    let per_problem = 1 + plan.variants.len() * plan.tolerances.len();
    let mut progress = Progress::new(plan.problems.len() * per_problem);
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
    let wall_s = start.elapsed().as_secs_f64();
    let page = comparison(&plan, &results, &references, wall_s)?;
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
        problems: plan
            .problems
            .iter()
            .map(|instance| instance.label.clone())
            .collect(),
        variants: names,
        tolerances: plan.tolerances.clone(),
        runs: results.len(),
        failed,
        wall_s,
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
    deliver(&comparison, as_json, || text(&plan, &comparison))?;
    Ok(comparison.status)
}

/// The runs at a glance, failures with their reasons, and where everything is.
fn text(plan: &Plan, comparison: &Comparison) -> String {
    let (results, references) = (&comparison.results, &comparison.references);
    let table = overview(plan, results, references);
    let header: Vec<&str> = table.header.iter().map(String::as_str).collect();
    let mut text = columns(&header, &table.rows);
    text.push('\n');
    let failures = || results.iter().filter(|point| point.status != Status::Done);
    for point in failures().take(MOST_FAILURES) {
        let control = point.tolerance.or(point.step).unwrap_or(f64::NAN);
        text.push_str(&format!(
            "failed: {}, {}, {control:e}: {}\n",
            point.problem, point.variant, point.reason
        ));
    }
    if comparison.failed > MOST_FAILURES {
        let more = comparison.failed - MOST_FAILURES;
        text.push_str(&format!("and {more} more, see the files\n"));
    }
    if let Some(words) = energy_words(results, references) {
        text.push_str(&format!("{words}\n"));
    }
    text.push_str(&format!(
        "{} runs, {} failed, {:.1} s in all, {:.1} s in the runs themselves\n{}\n",
        comparison.runs,
        comparison.failed,
        comparison.wall_s,
        results.iter().map(|point| point.wall_s).sum::<f64>(),
        comparison.files.join("\n")
    ));
    text
}

fn plan(registry: &Registry, arguments: &CompareArgs) -> Result<Plan, CommandError> {
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
    for &tolerance in &tolerances {
        check_tolerance("--tols", Some(tolerance))?;
    }
    tolerances.sort_by(|a, b| b.total_cmp(a));
    tolerances.dedup();
    let limit = arguments.time_limit;
    let time_limit = Duration::try_from_secs_f64(limit)
        .ok()
        .filter(|limit| !limit.is_zero())
        .ok_or_else(|| value("--time-limit", limit, "it is a positive number of seconds"))?;
    let options = &arguments.method_options;
    let mut chosen = variants(
        registry.methods(),
        &arguments.methods,
        options.projection,
        options.newton_tol,
        options.index.as_deref(),
        arguments.controller.as_deref(),
    )?;
    if arguments.adaptive {
        chosen.retain(|variant| !variant.fixed);
    }
    if chosen.is_empty() {
        return Err(CommandError::Value {
            option: "--methods",
            value: arguments.methods.clone(),
            expected: "none of these has an error estimate, and --adaptive leaves out fixed steps"
                .to_owned(),
        });
    }
    Ok(Plan {
        problems: resolve_set(registry.problems(), &arguments.problems)?,
        variants: chosen,
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
