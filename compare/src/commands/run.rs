//! `liedae run`: one problem, one method.

use super::{deliver, trust};
use crate::cli::RunArgs;
use crate::error::{CommandError, Status};
use crate::experiment::{
    Case, Choice, Control, RowSink, RunReport, RunRequest, Samples, Sampling, Table, check,
    check_contacts, check_end, equidistant, run as run_experiment,
};
use crate::output::{Named, columns, note, number};
use crate::registry::Registry;
use liedae::solve::EventRecord;
use liedae_contact::ContactEvent;
use std::fs::File;
use std::path::Path;

/// More samples than anybody looks at; protects the memory.
const MOST_SAMPLES: usize = 10_000_000;

/// Numbers in rows that are kept in memory and printed; a file takes more.
const MOST_PRINTED: usize = 4_000_000;

/// Steps of a run unless more are allowed, so that a slip of the keyboard does not run for hours.
const MOST_STEPS: u64 = 10_000_000;

/// Events that are printed.
const MOST_EVENTS: usize = 20;

/// Rows into a CSV file: t and all outputs.
struct CsvRows {
    writer: csv::Writer<File>,
    record: Vec<String>,
}

impl CsvRows {
    fn create(path: &Path, outputs: &[String]) -> Result<Self, CommandError> {
        let failed = |error: csv::Error| CommandError::write(path, std::io::Error::from(error));
        let mut writer = csv::Writer::from_path(path).map_err(failed)?;
        writer.write_field("t").map_err(failed)?;
        writer.write_record(outputs).map_err(failed)?;
        Ok(Self {
            writer,
            record: Vec::new(),
        })
    }
}

impl RowSink for CsvRows {
    fn row(&mut self, t: f64, outputs: &[f64]) -> std::io::Result<()> {
        self.record.clear();
        self.record.extend(
            std::iter::once(&t)
                .chain(outputs)
                .map(|value| format!("{value:?}")),
        );
        self.writer
            .write_record(&self.record)
            .map_err(std::io::Error::from)
    }
}

/// Solves and reports.
pub fn run(
    registry: &Registry,
    arguments: &RunArgs,
    as_json: bool,
) -> Result<Status, CommandError> {
    check_tolerance("--rtol", arguments.rtol)?;
    let mut case = registry.case(
        &arguments.problem.problem,
        &arguments.problem.settings,
        arguments.problem.t_end,
    )?;
    let options = &arguments.method_options;
    let choice = Choice::parse(registry.methods(), &arguments.method)?
        .with_options(registry.methods(), options.projection, options.newton_tol)?
        .with_formulation(registry.methods(), options.index.as_deref())?
        .with_controller(arguments.controller.as_deref())?;
    let serves = case.problem.has_serving_step() || !choice.method().is_adaptive();
    let default_step = serves.then_some(case.problem.default_step);
    let control = Control::resolve(
        arguments.rtol,
        arguments.atol,
        arguments.step,
        choice.method(),
        default_step,
        case.problem.absolute_scale,
    );
    choice.check_controller(control)?;
    check_contacts(&mut case, &choice)?;
    let start = case.system().initial_state().t;
    if case.t_end == start {
        return Err(CommandError::Value {
            option: "--t-end",
            value: number(case.t_end),
            expected: "the run begins there; it is a later time in s".to_owned(),
        });
    }
    let names = case.outputs().to_vec();
    let sampling = sampling(arguments.samples, arguments.csv.is_some(), &case)?;
    let max_steps = options.max_steps.unwrap_or(MOST_STEPS);
    if options.max_steps.is_none() {
        check_steps(control, &case)?;
    }
    let mut request = RunRequest {
        case,
        choice,
        control,
        max_steps: Some(max_steps),
    };

    let mut report = if let Some(path) = &arguments.csv {
        // A file that exists is not overwritten for a run that cannot begin.
        check(&mut request)?;
        let mut rows = CsvRows::create(path, &names)?;
        let report = run_experiment(&mut request, Some((sampling, &mut rows)));
        let report = report.map_err(|error| match error {
            CommandError::Write { source, .. } => CommandError::write(path, source),
            other => other,
        })?;
        rows.writer
            .flush()
            .map_err(|source| CommandError::write(path, source))?;
        report
    } else if arguments.samples.is_some() {
        let mut table = Table::default();
        let mut report = run_experiment(&mut request, Some((sampling, &mut table)))?;
        let rows = table.times.iter().zip(table.rows).map(|(&t, mut row)| {
            row.insert(0, t);
            row
        });
        let columns = std::iter::once("t".to_owned()).chain(names).collect();
        report.samples = Some(Samples {
            columns,
            rows: rows.collect(),
        });
        report
    } else {
        run_experiment(&mut request, None)?
    };
    if arguments.check && report.status == Status::Done {
        report.check = Some(check_end(&mut request, &report));
    }
    if report.status != Status::Done && !as_json {
        note(&format!("liedae: {}", report.reason));
    }
    if report.status == Status::BadInput && !as_json {
        return Ok(report.status);
    }
    deliver(&report, as_json, || text(&report))?;
    Ok(report.status)
}

/// Refuses relative tolerances that ask for no digit.
pub fn check_tolerance(option: &'static str, tolerance: Option<f64>) -> Result<(), CommandError> {
    match tolerance.filter(|&tolerance| tolerance >= 1.0) {
        None => Ok(()),
        Some(tolerance) => Err(CommandError::Value {
            option,
            value: format!("{tolerance:e}"),
            expected: "a relative tolerance of 1 or more asks for no digit at all; usual are 1e-3 to 1e-10".to_owned(),
        }),
    }
}

/// Refuses fixed steps of which it is clear beforehand that they are too many.
fn check_steps(control: Control, case: &Case) -> Result<(), CommandError> {
    let Control::Fixed { step } = control else {
        return Ok(());
    };
    let steps = (case.t_end - case.problem.system.initial_state().t) / step;
    if step > 0.0 && case.t_end.is_finite() && steps > MOST_STEPS as f64 * (1.0 + 1e-9) {
        return Err(CommandError::Value {
            option: "--step",
            value: format!("{step:e}"),
            expected: format!(
                "to t = {} s these are {steps:.1e} steps; more than {MOST_STEPS} need --max-steps",
                number(case.t_end)
            ),
        });
    }
    Ok(())
}

fn sampling(samples: Option<usize>, to_file: bool, case: &Case) -> Result<Sampling, CommandError> {
    let columns = case.outputs().len() + 1;
    match samples {
        None => Ok(Sampling::Steps),
        Some(count)
            if !to_file
                && count <= MOST_SAMPLES
                && count.saturating_mul(columns) > MOST_PRINTED =>
        {
            Err(CommandError::Value {
                option: "--samples",
                value: count.to_string(),
                expected: format!(
                    "more than {} rows of {columns} numbers are written with --csv only",
                    MOST_PRINTED / columns
                ),
            })
        }
        Some(count) if (1..=MOST_SAMPLES).contains(&count) => {
            let start = case.problem.system.initial_state().t;
            // Forces between steps are those of the equations, not of a polynomial.
            Ok(Sampling::Settled(equidistant(start, case.t_end, count)))
        }
        Some(count) => Err(CommandError::Value {
            option: "--samples",
            value: count.to_string(),
            expected: format!("it is a number from 1 to {MOST_SAMPLES}"),
        }),
    }
}

/// How many events of each kind there are, in the order of their first.
fn in_numbers(events: &[EventRecord]) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for event in events {
        match kinds.iter_mut().find(|(kind, _)| *kind == event.kind) {
            Some((_, count)) => *count += 1,
            None => kinds.push((&event.kind, 1)),
        }
    }
    let parts: Vec<String> = kinds
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    format!("{}: {}", events.len(), parts.join(", "))
}

/// One event: when, what, and of an impact its impulse and the rates of the gap around it.
fn in_words(event: &EventRecord) -> String {
    let mut words = format!("t = {:.9} s  {} {}", event.t, event.kind, event.label);
    if let Some(contact) = ContactEvent::of(event) {
        let (impulse, rate) = contact.units();
        let [first, second] = contact.friction_impulse;
        let friction = if first == 0.0 && second == 0.0 {
            String::new()
        } else {
            let size = first.hypot(second);
            format!(", friction {} {impulse}", number(size))
        };
        words.push_str(&format!(
            ": {} {impulse}{friction}, gap rate {} to {} {rate}",
            number(contact.impulse),
            number(contact.velocity_before),
            number(contact.velocity_after)
        ));
    }
    words
}

/// Outputs at the end, with their errors and what the check found them to move by, as far as there are any.
fn ends(report: &RunReport) -> String {
    if report.outputs.0.is_empty() {
        return String::new();
    }
    let refined = report
        .check
        .as_ref()
        .and_then(|check| check.refined.as_ref());
    let further = [
        ("error", Some(&report.error)),
        ("moves by", refined.map(|refined| &refined.changes)),
    ];
    let further: Vec<(&str, &Named<f64>)> = further
        .into_iter()
        .filter_map(|(header, column)| Some((header, column?)))
        .filter(|(_, column)| !column.0.is_empty())
        .collect();
    let rows: Vec<Vec<String>> = report
        .outputs
        .0
        .iter()
        .map(|(name, value)| {
            let mut row = vec![name.clone(), format!("{value:.12e}")];
            for (_, column) in &further {
                let found = column.0.iter().find(|(output, _)| output == name);
                row.push(found.map_or(String::new(), |(_, error)| format!("{error:.2e}")));
            }
            row
        })
        .collect();
    let mut header = vec!["output", "at the end"];
    header.extend(further.iter().map(|(header, _)| header));
    let mut text = format!("\n{}", columns(&header, &rows));
    if further.is_empty() && report.status == Status::Done {
        text.push_str("No reference is known for these parameters: --check estimates the error.\n");
    }
    text
}

fn text(report: &RunReport) -> String {
    let control = match report.options.control {
        Control::Adaptive { rtol, atol } => format!("rtol {rtol:e}, atol {atol:e}"),
        Control::Fixed { step } => format!("steps of {} s", number(step)),
    };
    let mut text = format!(
        "{} with {}, {control}",
        report.problem, report.options.variant
    );
    if let Some(controller) = report.options.controller {
        text.push_str(&format!(", controller {controller}"));
    }
    text.push('\n');
    if let Some(reason) = &report.auto {
        text.push_str(&format!(
            "auto            chose {}: {reason}\n",
            report.method
        ));
    }
    let status = match report.status {
        Status::Done => "done",
        Status::Failed => "failed",
        Status::BadInput => "bad input",
        Status::NotWritten => "not written",
    };
    let mut line = |name: &str, value: String| text.push_str(&format!("{name:<16}{value}\n"));
    line(
        "status",
        format!(
            "{status} ({}), t = {} s",
            report.reason,
            number(report.t_end)
        ),
    );
    line(
        "steps",
        format!(
            "{} accepted, {} rejected{}",
            report.steps.accepted,
            report.steps.rejected,
            match report.steps.inner {
                0 => String::new(),
                inner => format!(", {inner} small ones within them to start from"),
            }
        ),
    );
    let counts = &report.evaluations;
    line(
        "evaluations",
        format!(
            "{} force, {} constraint, {} Jacobian, {} mass",
            counts.force, counts.constraint, counts.jacobian, counts.mass
        ),
    );
    line(
        "linear algebra",
        format!(
            "{} factorizations, {} solves",
            report.factorizations, report.solves
        ),
    );
    line("Newton", format!("{} iterations", report.newton_iterations));
    line("wall time", format!("{} s", number(report.wall_s)));
    let violation = &report.violation;
    line(
        "violation",
        format!(
            "{:.2e} position, {:.2e} velocity, {:.2e} acceleration",
            violation.position, violation.velocity, violation.acceleration
        ),
    );
    if let Some(depth) = report.penetration {
        line("penetration", format!("{depth:.2e} m or rad at most"));
    }
    if let Some(energy) = &report.energy {
        line(
            "energy",
            format!(
                "{} J to {} J, largest drift {:.2e} J{}",
                number(energy.initial),
                number(energy.r#final),
                energy.max_drift,
                energy
                    .largest_rise_at_event
                    .map_or_else(String::new, |rise| {
                        format!(", largest rise at an event {rise:.1e} J")
                    })
            ),
        );
    }
    if !report.events.is_empty() {
        line("events", in_numbers(&report.events));
    }
    for event in report.events.iter().take(MOST_EVENTS) {
        line("", in_words(event));
    }
    if report.events.len() > MOST_EVENTS {
        let more = report.events.len() - MOST_EVENTS;
        line("", format!("... and {more} more; --json has them all"));
    }
    if let Some(check) = &report.check {
        let mut name = "check";
        for sentence in trust::sentences(check, report.options.control) {
            line(std::mem::take(&mut name), sentence);
        }
    }
    text.push_str(&ends(report));
    if let Some(samples) = &report.samples {
        let header: Vec<&str> = samples.columns.iter().map(String::as_str).collect();
        let rows: Vec<Vec<String>> = samples
            .rows
            .iter()
            .map(|row| row.iter().map(|&value| number(value)).collect())
            .collect();
        text.push('\n');
        text.push_str(&columns(&header, &rows));
    }
    text
}
