//! Compares integrators of differential-algebraic equations: the `liedae` command, and the library behind it.
//!
//! A method or a problem of your own enters every subcommand by a `main` that registers it:
//!
//! ```no_run
//! use liedae_compare::{Registry, main_with};
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     // .with_method(..) and .with_problem(..) add one's own.
//!     main_with(&Registry::standard())
//! }
//! ```
//!
//! Results go to stdout, progress to stderr. Exit code 0: done; 1: a run failed; 2: bad input; 3: a result
//! could not be written.

mod cli;
mod commands;
mod comparison;
mod error;
mod experiment;
mod foreign;
mod interrupt;
mod motion;
mod optimization;
mod output;
mod parallel;
mod processes;
mod provenance;
mod registry;
mod report;
mod reproduce;
mod site;
mod store;
mod suggest;

use clap::Parser;
use cli::{Cli, Command};
use error::ErrorReport;
use std::process::ExitCode;

pub use comparison::{
    Comparison, Definition, Experiment, Isolation, NoShard, Shard, TimingMode, VariantInfo,
};
pub use error::{CommandError, Refusal, Status};
pub use experiment::WorkPoint;
pub use foreign::ProgramError;
pub use provenance::Provenance;
pub use registry::Registry;
pub use store::{Source, Store, StoreError};

/// The `liedae` command with the problems and methods of a registry: reads the command line and does what it says.
pub fn main_with(registry: &Registry) -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(usage) => return ExitCode::from(report_usage(&usage)),
    };
    if !matches!(cli.command, Command::MeasureOne) {
        interrupt::answer();
    }
    if cli.command.takes_times()
        && let Some(warning) = optimization::warning()
    {
        output::remark(&warning);
    }
    let result = match &cli.command {
        Command::List {
            what,
            set,
            pictures,
        } => match pictures {
            Some(directory) => {
                commands::pictures(registry, *what, set.as_deref(), directory, cli.json)
            }
            None => commands::list(registry, *what, set.as_deref(), cli.json),
        },
        Command::Describe { problem, settings } => {
            commands::describe(registry, problem, settings, cli.json)
        }
        Command::Analyse(arguments) => commands::analyse(registry, arguments, cli.json),
        Command::Run(arguments) => commands::run(registry, arguments, cli.json),
        Command::Converge(arguments) => commands::converge(registry, arguments, cli.json),
        Command::Orders(arguments) => commands::orders(registry, arguments, cli.json),
        Command::Tolerances(arguments) => commands::tolerances(registry, arguments, cli.json),
        Command::VerifyReferences(arguments) => {
            commands::verify_references(registry, arguments, cli.json)
        }
        Command::Compare(arguments) => commands::compare(registry, arguments, cli.json),
        Command::Reproduce(arguments) => commands::reproduce(arguments, cli.json),
        Command::Report(arguments) => commands::report(arguments, cli.json),
        Command::Merge(arguments) => commands::merge(arguments, cli.json),
        Command::Query(arguments) => commands::query(arguments, cli.json),
        Command::Diff(arguments) => commands::diff(arguments, cli.json),
        Command::Site(arguments) => commands::site(registry, arguments, cli.json),
        Command::Export(arguments) => commands::export(registry, arguments),
        Command::Schema { plane } => commands::schema(*plane),
        Command::MeasureOne => comparison::answer(registry),
    };
    let status = result.unwrap_or_else(|error| report_error(&error, &cli));
    ExitCode::from(status.exit_code())
}

/// Says what went wrong: as JSON on stdout if asked for, in words on stderr otherwise.
fn report_error(error: &CommandError, cli: &Cli) -> Status {
    if cli.json {
        let (problem, method) = cli.command.subject();
        let report = ErrorReport::new(error, problem, method);
        // If not even this can be written, the exit code has to do.
        if let Ok(text) = output::json_with_notes(&report) {
            let _ = output::print(&text);
        }
    } else {
        output::note(&format!("liedae: {error}"));
    }
    error.status()
}

/// Help and version are no errors; anything else is bad input.
fn report_usage(usage: &clap::Error) -> u8 {
    let wants_json = std::env::args_os().any(|argument| argument == "--json");
    if usage.use_stderr() && wants_json {
        let report = ErrorReport::usage(usage.render().to_string().trim().to_owned());
        if let Ok(text) = output::json(&report) {
            let _ = output::print(&text);
        }
    } else {
        let _ = usage.print();
    }
    if usage.use_stderr() {
        Status::BadInput.exit_code()
    } else {
        Status::Done.exit_code()
    }
}
