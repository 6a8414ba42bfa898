//! Errors of commands, and their exit codes.

use crate::foreign::ProgramError;
use crate::output::Named;
use crate::store::StoreError;
use crate::suggest::{is_complete, lister};
use liedae::integrator::{BuildError, MethodOption, StepError};
use liedae::solve::{SolveError, SolveErrorKind};
use liedae::system::{
    ConsistencyError, DynamicsError, EvaluationError, ForeignError, LayerMissing, Short,
};
use liedae_contact::{IllStated, UnseenContacts};
use liedae_multibody::file::{FileError, UrdfError};
use liedae_problems::ProblemError;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A command could not be carried out.
#[derive(Debug, Error)]
pub enum CommandError {
    /// A name that nobody has.
    #[error(
        "there is no {kind} `{name}`{suggestion}{}",
        elsewhere(kind, suggestion)
    )]
    UnknownName {
        /// Problem, method, set, option, output and so on.
        kind: &'static str,
        /// The name asked for.
        name: String,
        /// The known names most like it.
        suggestion: String,
    },
    /// An option's value that cannot be used.
    #[error("{option} cannot be {value}: {expected}")]
    Value {
        /// The option.
        option: &'static str,
        /// The value as given.
        value: String,
        /// What would be possible.
        expected: String,
    },
    /// A method has no use for what is asked of it.
    #[error(transparent)]
    Method(#[from] BuildError),
    /// No method of a list has a use for an option.
    #[error("none of these methods takes a {option}; methods that do: {takers}")]
    UnusedOption {
        /// The option.
        option: MethodOption,
        /// Names of methods that take it.
        takers: String,
    },
    /// A problem cannot be found or built.
    #[error("{}{}", .0, problem_elsewhere(.0))]
    Problem(#[from] ProblemError),
    /// The reference has no value where one is needed.
    #[error("the reference of {problem} has no value of `{output}` at t = {}: {hint}", Short(*t))]
    NoReference {
        /// The problem.
        problem: String,
        /// The output.
        output: String,
        /// Time in s.
        t: f64,
        /// What to do instead.
        hint: &'static str,
    },
    /// A setting of a method or a problem, as in `hem5:safety=0.3`.
    #[error("{setting} is not possible: {expected}")]
    Setting {
        /// As it was written.
        setting: String,
        /// What would be possible, or why it is not.
        expected: String,
    },
    /// No run is good enough to measure others by.
    #[error("there is no reference for {problem}, and none could be made: {reasons}")]
    NoOwnReference {
        /// The problem.
        problem: String,
        /// Why each of the tight runs failed.
        reasons: String,
    },
    /// A run failed or could not begin.
    #[error("{reason}")]
    Solve {
        /// In words; of a mechanism file in its own.
        reason: String,
        /// The error itself.
        error: Box<SolveError>,
    },
    /// The solution could not be looked at.
    #[error("the solution cannot be evaluated: {0}")]
    Measure(#[from] DynamicsError),
    /// A mechanism file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// A file of a format that is not read.
    #[error(
        "{path}: {reason}; mechanisms are read from `.toml` (docs/book/src/files/mechanism-files.md, `liedae schema`), robots from `.urdf`"
    )]
    Format {
        /// The file.
        path: String,
        /// Which format it is.
        reason: &'static str,
    },
    /// A mechanism file that is not right.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Line, field, and what was expected.
        source: Box<FileError>,
    },
    /// A robot in URDF that is no mechanism.
    #[error("{}: {source}", path.display())]
    Robot {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<UrdfError>,
    },
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or directory.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// A chart could not be drawn.
    #[error("cannot draw the chart `{chart}`: {reason}")]
    Chart {
        /// Its title.
        chart: String,
        /// Why.
        reason: String,
    },
    /// A page could not be put together.
    #[error("cannot put the report together: {0}")]
    Page(#[from] minijinja::Error),
    /// A worker came to grief over something that is no run.
    #[error("{item}: {reason}: this is a mistake in the command itself, please report it")]
    Worker {
        /// What it worked at.
        item: String,
        /// What the panic said.
        reason: String,
    },
    /// A child of an isolated experiment has come back to the experiment instead of making its run.
    #[error(
        "a child of an isolated experiment has begun the experiment again: main must hand its command line to `liedae_compare::main_with`"
    )]
    Child,
    /// A child cannot do what is asked of it, as this process could not.
    #[error("{}", .0.reason)]
    Refused(Refusal),
    /// The store of an experiment cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An external program cannot be used.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A result could not be written as JSON.
    #[error("cannot write JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Where all names of a kind are, unless the suggestion has them.
fn elsewhere(kind: &str, suggestion: &str) -> String {
    if is_complete(suggestion) {
        String::new()
    } else {
        format!("; all are in {}", lister(kind))
    }
}

/// Where all names are, if one was not found.
fn problem_elsewhere(error: &ProblemError) -> String {
    match error {
        ProblemError::UnknownProblem { suggestion, .. } => elsewhere("problem", suggestion),
        ProblemError::UnknownParameter { suggestion, .. } => elsewhere("parameter", suggestion),
        _ => String::new(),
    }
}

/// Done, failed while solving, asked for something impossible, or not written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Everything asked for was done.
    #[default]
    Done,
    /// A run failed.
    Failed,
    /// The request cannot be carried out as it is.
    BadInput,
    /// A result could not be written: a full disk, no permission, no such directory.
    NotWritten,
}

impl Status {
    /// The process's exit code.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::BadInput => 2,
            Self::NotWritten => 3,
        }
    }
}

/// Whether contacts break a promise, or nobody looks after them.
fn is_ill_stated(error: &ForeignError) -> bool {
    error.downcast_ref::<IllStated>().is_some()
        || error.downcast_ref::<UnseenContacts>().is_some()
        || error.downcast_ref::<LayerMissing>().is_some()
}

/// Whether the cause of a failed run lies in what was asked for.
pub fn status_of(kind: &SolveErrorKind) -> Status {
    match kind {
        SolveErrorKind::Options(_)
        | SolveErrorKind::Index(_)
        | SolveErrorKind::Step(
            StepError::Unsupported { .. } | StepError::Coefficients(_) | StepError::Option { .. },
        ) => Status::BadInput,
        SolveErrorKind::Step(StepError::Foreign(error)) if is_ill_stated(error) => Status::BadInput,
        SolveErrorKind::Step(StepError::Dynamics(DynamicsError::Evaluation(
            EvaluationError::Foreign(error),
        ))) if is_ill_stated(error) => Status::BadInput,
        SolveErrorKind::Initial(ConsistencyError::Dynamics(_)) => Status::Failed,
        SolveErrorKind::Initial(_) => Status::BadInput,
        SolveErrorKind::Step(_)
        | SolveErrorKind::StepTooSmall { .. }
        | SolveErrorKind::Jump { .. }
        | SolveErrorKind::Singular { .. }
        | SolveErrorKind::Structure { .. }
        | SolveErrorKind::Chatter { .. }
        | SolveErrorKind::Violated { .. }
        | SolveErrorKind::Accumulation { .. }
        | SolveErrorKind::Layout(_)
        | SolveErrorKind::TooManySteps { .. }
        | SolveErrorKind::OutOfTime { .. } => Status::Failed,
    }
}

impl CommandError {
    /// How the process ends.
    pub fn status(&self) -> Status {
        match self {
            Self::UnknownName { .. }
            | Self::Value { .. }
            | Self::Method(_)
            | Self::UnusedOption { .. }
            | Self::Problem(_)
            | Self::Setting { .. }
            | Self::Read { .. }
            | Self::Format { .. }
            | Self::File { .. }
            | Self::Robot { .. }
            | Self::NoReference { .. } => Status::BadInput,
            Self::Write { .. } => Status::NotWritten,
            Self::Store(error) => error.status(),
            Self::Program(error) => error.status(),
            Self::Solve { error, .. } => status_of(&error.kind),
            Self::Refused(refusal) => refusal.status,
            Self::Worker { .. }
            | Self::Child
            | Self::NoOwnReference { .. }
            | Self::Measure(_)
            | Self::Chart { .. }
            | Self::Page(_)
            | Self::Json(_) => Status::Failed,
        }
    }

    /// A file that could not be written.
    pub fn write(path: &Path, source: impl Into<std::io::Error>) -> Self {
        Self::Write {
            path: path.to_owned(),
            source: source.into(),
        }
    }
}

/// An error of a process that works for this one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// How that process would end.
    pub status: Status,
    /// Its words.
    pub reason: String,
}

impl From<&CommandError> for Refusal {
    fn from(error: &CommandError) -> Self {
        Self {
            status: error.status(),
            reason: error.to_string(),
        }
    }
}

impl From<Box<SolveError>> for CommandError {
    fn from(error: Box<SolveError>) -> Self {
        Self::Solve {
            reason: error.to_string(),
            error,
        }
    }
}

impl From<SolveError> for CommandError {
    fn from(error: SolveError) -> Self {
        Self::from(Box::new(error))
    }
}

impl From<EvaluationError> for CommandError {
    fn from(error: EvaluationError) -> Self {
        Self::Measure(error.into())
    }
}

/// An error as a JSON object.
#[derive(Debug, Serialize)]
pub struct ErrorReport {
    /// `failed`, `bad-input` or `not-written`.
    pub status: Status,
    /// What happened, in words.
    pub reason: String,
    /// The problem, where the error concerns one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The method, where the error concerns one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Time reached, steps and evaluations of a run that had begun.
    #[serde(flatten)]
    pub known: Named<f64>,
}

impl ErrorReport {
    /// A command line that cannot be understood.
    pub fn usage(reason: String) -> Self {
        Self {
            status: Status::BadInput,
            reason,
            problem: None,
            method: None,
            known: Named(Vec::new()),
        }
    }

    /// What is known about an error.
    pub fn new(error: &CommandError, problem: Option<&str>, method: Option<&str>) -> Self {
        let mut known = Vec::new();
        if let CommandError::Solve { error, .. } = error {
            if let Some(state) = &error.state {
                known.push(("t".to_owned(), state.t));
            }
            known.push((
                "accepted_steps".to_owned(),
                error.statistics.accepted as f64,
            ));
            known.push((
                "rejected_steps".to_owned(),
                error.statistics.rejected.total() as f64,
            ));
            known.push((
                "force_evaluations".to_owned(),
                error.statistics.evaluations.force as f64,
            ));
        }
        Self {
            status: error.status(),
            reason: error.to_string(),
            problem: problem.map(str::to_owned),
            method: method.map(str::to_owned),
            known: Named(known),
        }
    }
}
