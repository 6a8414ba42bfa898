//! `liedae compare`: work-precision diagrams and performance profiles in one report.

use super::deliver;
use super::progress::Progress;
use super::run::check_tolerance;
use crate::cli::CompareArgs;
use crate::comparison::{Comparison, Experiment, Isolation, Variant, variants};
use crate::error::{CommandError, Status};
use crate::experiment::WorkPoint;
use crate::interrupt::Interruption;
use crate::output::{columns, note, remark};
use crate::provenance::Provenance;
use crate::registry::Registry;
use crate::report::{energy_words, overview, shares};
use crate::store::{Source, Store};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Failures that are named on the terminal.
const MOST_FAILURES: usize = 30;

/// The store in the directory of a comparison.
pub const STORE: &str = "results.sqlite";

/// What a comparison says of itself on stdout.
#[derive(Serialize)]
pub struct Summary {
    status: Status,
    problems: Vec<String>,
    variants: Vec<String>,
    tolerances: Vec<f64>,
    runs: usize,
    failed: usize,
    wall_s: f64,
    files: Vec<String>,
    provenance: Vec<Provenance>,
    references: Vec<Source>,
    results: Vec<WorkPoint>,
}

/// Makes the runs that are not made yet and writes the report.
pub fn compare(
    registry: &Registry,
    arguments: &CompareArgs,
    as_json: bool,
) -> Result<Status, CommandError> {
    let start = Instant::now();
    let registry = &with_programs(registry, &arguments.programs)?;
    let experiment = experiment(registry, arguments)?;
    for (asked, name) in experiment.same_runs() {
        remark(&format!(
            "`{asked}` stands for the runs of `{name}`, which are made once"
        ));
    }
    let out = arguments.out.as_path();
    std::fs::create_dir_all(out).map_err(|source| CommandError::write(out, source))?;
    let path = out.join(STORE);
    if arguments.fresh && path.exists() {
        Store::clear(&path)?;
    }
    let store = Store::open(&path)?;
    let known = store.count()?;
    let progress = Mutex::new(Progress::new(experiment.count()));
    let _interruption = Interruption::says({
        let (path, count) = (path.clone(), experiment.count());
        move || {
            let kept = Store::kept(&path).map_or("what is done".to_owned(), |kept| {
                format!("{kept} of {count} runs")
            });
            format!(
                "{kept} stay in {}; the same command goes on from there",
                path.display()
            )
        }
    });
    let experiment = experiment.progress(|message: &str| {
        if let Ok(mut progress) = progress.lock() {
            progress.step(message);
        }
    });
    let mut comparison = experiment.run(&store)?;
    if arguments.retime {
        experiment.retime(&store)?;
        comparison = experiment.run(&store)?;
    }
    drop(experiment);
    drop(progress);
    if known > 0 && !as_json {
        let mut words = format!(
            "{} had {known} runs and has {} now; --fresh starts over",
            path.display(),
            store.count()?
        );
        if arguments.repetitions.get() > 1 || arguments.keep_samples {
            words.push_str(". Runs that were there keep their repetitions and samples: --retime repeats, --fresh makes all anew");
        }
        note(&words);
    }
    let wall_s = start.elapsed().as_secs_f64();
    conclude(comparison, &path, out, wall_s, as_json)
}

/// Writes the report and says where everything is.
pub fn conclude(
    comparison: Comparison,
    store: &Path,
    out: &Path,
    wall_s: f64,
    as_json: bool,
) -> Result<Status, CommandError> {
    let mut files = comparison.report(out)?;
    files.push(store.to_owned());
    let failed = comparison
        .runs
        .iter()
        .filter(|point| point.status != Status::Done)
        .count();
    let definition = &comparison.definition;
    let summary = Summary {
        status: if failed == comparison.runs.len() && failed > 0 {
            Status::Failed
        } else {
            Status::Done
        },
        problems: definition.problems.clone(),
        variants: (definition.variants.iter())
            .map(|variant| variant.name.clone())
            .collect(),
        tolerances: definition.tolerances.clone(),
        runs: comparison.runs.len(),
        failed,
        wall_s,
        files: files
            .iter()
            .map(|path| path.display().to_string())
            .collect(),
        provenance: comparison.provenance.clone(),
        references: comparison.references.clone(),
        results: comparison.runs.clone(),
    };
    if summary.status == Status::Failed && !as_json {
        let reason = comparison.runs.first().map_or("", |point| &point.reason);
        note(&format!(
            "liedae: every run failed, the first because: {reason}"
        ));
    }
    deliver(&summary, as_json, || text(&comparison, &summary))?;
    Ok(summary.status)
}

/// The runs at a glance, failures with their reasons, and where everything is.
fn text(comparison: &Comparison, summary: &Summary) -> String {
    let table = overview(comparison);
    let header: Vec<&str> = table.header.iter().map(String::as_str).collect();
    let mut text = columns(&header, &table.rows);
    text.push('\n');
    let runs = &comparison.runs;
    let failures = || runs.iter().filter(|point| point.status != Status::Done);
    for point in failures().take(MOST_FAILURES) {
        text.push_str(&format!(
            "failed: {}, {}, {:e}: {}\n",
            point.problem,
            point.variant,
            point.control(),
            point.reason
        ));
    }
    if summary.failed > MOST_FAILURES {
        let more = summary.failed - MOST_FAILURES;
        text.push_str(&format!("and {more} more, see the files\n"));
    }
    if let Some(words) = energy_words(runs, &comparison.references) {
        text.push_str(&format!("{words}\n"));
    }
    if let Some(words) = shares(comparison) {
        text.push_str(&format!("{words}\n"));
    }
    text.push_str(&format!(
        "{} runs, {} failed, {:.1} s in all, {:.1} s in the runs themselves\n{}\n",
        summary.runs,
        summary.failed,
        summary.wall_s,
        runs.iter().map(|point| point.wall_s).sum::<f64>(),
        summary.files.join("\n")
    ));
    text
}

fn experiment<'r>(
    registry: &'r Registry,
    arguments: &CompareArgs,
) -> Result<Experiment<'r>, CommandError> {
    for &tolerance in &arguments.tols {
        check_tolerance("--tols", Some(tolerance))?;
    }
    let limit = arguments.time_limit;
    let time_limit = Duration::try_from_secs_f64(limit)
        .ok()
        .filter(|limit| !limit.is_zero())
        .ok_or_else(|| CommandError::Value {
            option: "--time-limit",
            value: format!("{limit:?}"),
            expected: "it is a positive number of seconds, and no more than computers can count"
                .to_owned(),
        })?;
    let mut experiment = Experiment::new(registry)
        .variants(chosen(registry, arguments)?)
        .tolerances(&arguments.tols)?
        .time_limit(time_limit)
        .max_steps(arguments.method_options.max_steps)
        .repetitions(arguments.repetitions.get())
        .jobs(arguments.jobs)
        .timing(arguments.timing)
        .shard(arguments.shard)
        .keep_samples(arguments.keep_samples);
    if arguments.isolate {
        let memory = arguments.memory_limit.get().saturating_mul(1 << 20);
        experiment = experiment.isolated(Isolation::by_this_program(memory)?);
    }
    // After limits and isolation: problems are looked at here.
    let experiment = experiment.problems(&arguments.problems)?;
    Ok(match references(arguments.references.as_deref()) {
        Some(path) => experiment.shared_references(path),
        None => experiment,
    })
}

/// The registry with the programs that were named.
fn with_programs(
    registry: &Registry,
    programs: &[(String, PathBuf)],
) -> Result<Registry, CommandError> {
    let mut registry = registry.clone();
    for (name, path) in programs {
        registry = registry.with_program(name, path)?;
    }
    Ok(registry)
}

fn chosen(registry: &Registry, arguments: &CompareArgs) -> Result<Vec<Variant>, CommandError> {
    let options = &arguments.method_options;
    let mut chosen = variants(
        registry,
        &arguments.methods,
        options.projection,
        options.newton_tol,
        options.index.as_deref(),
        arguments.controller.as_deref(),
        options.event_tolerance,
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
    Ok(chosen)
}

/// Where comparisons share computed references: where the user says, or in the folder for caches. A folder that cannot be made is said,
/// and every comparison has its own.
fn references(asked: Option<&Path>) -> Option<PathBuf> {
    let path = match asked {
        Some(path) => path.to_owned(),
        None => cache_folder()?.join("liedae").join("references.sqlite"),
    };
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(Err(error)) = folder.map(std::fs::create_dir_all) {
        remark(&format!(
            "references are not shared: {} cannot be made: {error}",
            path.display()
        ));
        return None;
    }
    match Store::open(&path) {
        Ok(_) => Some(path),
        Err(error) => {
            remark(&format!("references are not shared: {error}"));
            None
        }
    }
}

/// The user's folder for caches, by the conventions of the system.
fn cache_folder() -> Option<PathBuf> {
    let variable = |name: &str| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    };
    variable("XDG_CACHE_HOME")
        .or_else(|| variable("LOCALAPPDATA"))
        .or_else(|| variable("HOME").map(|home| home.join(".cache")))
}
