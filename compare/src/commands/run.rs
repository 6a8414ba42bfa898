//! `liedae run`: one problem, one method.

use super::deliver;
use super::rows::{CsvRows, is_reader_gone, is_stdout};
use super::run_pictures::Pictures;
use super::run_progress::RunProgress;
use super::run_text::text;
use crate::cli::RunArgs;
use crate::error::{CommandError, Status};
use crate::experiment::{
    Case, Choice, Control, Repeat, RunReport, RunRequest, Samples, Sampling, Table, Watch, check,
    check_end, equidistant, pose_columns, run as run_experiment,
};
use crate::interrupt::Interruption;
use crate::output::{note, number, remark};
use crate::registry::Registry;
use liedae::system::System;
use liedae_contact::{ImpactLaw, NonsmoothSystem};
use liedae_multibody::MultibodySystem;
use std::any::TypeId;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// More samples than anybody looks at; protects the memory.
const MOST_SAMPLES: usize = 10_000_000;

/// Numbers in rows that are kept in memory and printed; a file takes more.
const MOST_PRINTED: usize = 4_000_000;

/// Steps of a run unless more are allowed, so that a slip of the keyboard does not run for hours.
const MOST_STEPS: u64 = 10_000_000;

/// Solves and reports.
pub fn run(
    registry: &Registry,
    arguments: &RunArgs,
    as_json: bool,
) -> Result<Status, CommandError> {
    let to_stdout = arguments.csv.as_deref().is_some_and(is_stdout);
    if to_stdout && as_json {
        return Err(CommandError::Value {
            option: "--csv",
            value: "-".to_owned(),
            expected: "rows and the JSON object would both be on stdout: name a file, or take --samples N, whose rows are in \
                       the object"
                .to_owned(),
        });
    }
    let mut request = request(registry, arguments)?;
    let pictures = Pictures::asked_for(arguments, &request.case)?;
    let sampling = sampling(arguments.samples, arguments.csv.is_some(), &request.case)?;
    let start = request.case.system().initial_state().t;
    let _interruption = Interruption::says({
        let (watch, end) = (Arc::clone(&request.watch), request.case.t_end);
        let file = arguments.csv.as_ref().filter(|_| !to_stdout);
        let kept = match file {
            Some(path) => format!("rows up to about there are in {}", path.display()),
            None => "nothing is kept".to_owned(),
        };
        move || {
            let place = watch.place();
            let t = number(place.t);
            format!(
                "at t = {t} s of {} s, after {} steps: {kept}; --t-end {t} ends a run there",
                number(end),
                place.steps
            )
        }
    });
    let progress = RunProgress::start(&request.watch, start, request.case.t_end);
    let mut report = match report(&mut request, arguments, sampling) {
        // Who reads the rows has seen enough.
        Err(error) if to_stdout && is_reader_gone(&error) => return Ok(Status::Done),
        other => other?,
    };
    if arguments.check && report.status == Status::Done {
        report.check = Some(check_end(&mut request, &report));
    }
    remark_contacts(&mut request, &report);
    let drawn = pictures.draw(&mut request, &report);
    drop(progress);
    drawn?;
    if report.status != Status::Done && !as_json {
        note(&format!("liedae: {}", report.reason));
    }
    if report.status == Status::BadInput && !as_json {
        return Ok(report.status);
    }
    let words = || text(&request.case.label(), &report);
    if to_stdout {
        note(words().trim_end());
    } else {
        deliver(&report, as_json, words)?;
    }
    Ok(report.status)
}

/// What a run has decided about contacts and friction that a model does not determine, or that a method does not know.
fn remark_contacts(request: &mut RunRequest, report: &RunReport) {
    let system = request.case.system();
    let own = system.extension(TypeId::of::<MultibodySystem>());
    let mechanism = own.and_then(|own| own.downcast_mut::<MultibodySystem>());
    let faces = mechanism.map_or_else(Vec::new, |mechanism| mechanism.contacts_of_faces());
    if !faces.is_empty() {
        remark(&format!(
            "{}: two solids with faces touch in one point at a time, so that a box does not stand upon a box; state the face that something \
             stands on as a half-space of its body",
            faces.join(", ")
        ));
    }
    let wanted = TypeId::of::<NonsmoothSystem>();
    let nonsmooth = system.extension(wanted);
    let Some(system) = nonsmooth.and_then(|system| system.downcast_mut::<NonsmoothSystem>()) else {
        return;
    };
    let joints = system.joints_with_shared_reactions();
    if !joints.is_empty() {
        remark(&format!(
            "joints hold the same directions, so that rigid bodies do not determine what presses {}: friction there is that of the \
             reactions of least norm, as between bearings that yield alike; fewer equations, such as `spherical` in place of a second \
             `revolute`, determine it",
            joints.join(", ")
        ));
    }
    let law = system.options().law;
    if system.captures_events() && law != ImpactLaw::Moreau && system.contacts().len() > 1 {
        remark(&format!(
            "{} knows Moreau's law of impact only: where several contacts meet at once, it is not the {} law that is stated",
            report.method,
            format!("{law:?}").to_lowercase()
        ));
    }
}

/// What the command line asks for, checked as far as that goes before the run.
fn request(registry: &Registry, arguments: &RunArgs) -> Result<RunRequest, CommandError> {
    check_tolerance("--rtol", arguments.rtol)?;
    let time_limit = arguments.time_limit.map(time_limit).transpose()?;
    let mut case = registry.case(
        &arguments.problem.problem,
        &arguments.problem.settings,
        arguments.problem.t_end,
    )?;
    let options = &arguments.method_options;
    let choice = Choice::parse(registry.methods(), &arguments.method)?
        .with_options(registry.methods(), options.projection, options.newton_tol)?
        .with_formulation(registry.methods(), options.index.as_deref())?
        .with_event_tolerance(options.event_tolerance)?
        .with_max_step(arguments.max_step)?
        .with_max_halvings(arguments.max_halvings)?
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
    if case.t_end == case.system().initial_state().t {
        return Err(CommandError::Value {
            option: "--t-end",
            value: number(case.t_end),
            expected: "the run begins there; it is a later time in s".to_owned(),
        });
    }
    if options.max_steps.is_none() {
        check_steps(control, &case)?;
    }
    Ok(RunRequest {
        case,
        choice,
        control,
        max_steps: Some(options.max_steps.unwrap_or(MOST_STEPS)),
        time_limit,
        repeat: arguments
            .repetitions
            .map(|count| Repeat::times(count.get())),
        watch: Arc::new(Watch::default()),
    })
}

/// Runs, and writes or keeps rows.
fn report(
    request: &mut RunRequest,
    arguments: &RunArgs,
    sampling: Sampling,
) -> Result<RunReport, CommandError> {
    let names = request.case.outputs().to_vec();
    if let Some(path) = &arguments.csv {
        return with_rows(request, path, arguments.poses, sampling);
    }
    if arguments.samples.is_none() {
        return run_experiment(request, None);
    }
    let mut table = Table::default();
    let mut report = run_experiment(request, Some((sampling, &mut table)))?;
    let rows = table.times.iter().zip(table.rows).map(|(&t, mut row)| {
        row.insert(0, t);
        row
    });
    report.samples = Some(Samples {
        columns: std::iter::once("t".to_owned()).chain(names).collect(),
        rows: rows.collect(),
    });
    Ok(report)
}

/// Runs with rows as CSV.
fn with_rows(
    request: &mut RunRequest,
    path: &Path,
    with_poses: bool,
    sampling: Sampling,
) -> Result<RunReport, CommandError> {
    // A file that exists is not overwritten for a run that cannot begin.
    check(request)?;
    let case = &request.case;
    let poses = (case.problem.drawing.clone()).filter(|_| with_poses);
    let poses = poses.map(|drawing| (drawing, pose_columns(case)));
    let mut rows = CsvRows::create(path, case.outputs(), poses)?;
    let report = run_experiment(request, Some((sampling, &mut rows)));
    let report = report.map_err(|error| match error {
        CommandError::Write { source, .. } => CommandError::write(path, source),
        other => other,
    })?;
    rows.finish()?;
    Ok(report)
}

/// A limit of wall time in s.
fn time_limit(seconds: f64) -> Result<Duration, CommandError> {
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|limit| !limit.is_zero())
        .ok_or_else(|| CommandError::Value {
            option: "--time-limit",
            value: format!("{seconds:?}"),
            expected: "it is a positive number of seconds".to_owned(),
        })
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
