//! Errors of external programs.

use crate::error::Status;
use std::path::PathBuf;
use thiserror::Error;

/// A program did not solve a problem.
#[derive(Debug, Error)]
pub enum ProgramError {
    /// It cannot be read or started.
    #[error("the program {} cannot be used: {source}", path.display())]
    Unusable {
        /// The program file.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// A pipe to it broke for another reason than its end.
    #[error("the pipes to the program failed: {0}")]
    Pipe(std::io::Error),
    /// It ended, or closed its pipes, before it was done.
    #[error("the program ended before it was done: {0}")]
    Ended(String),
    /// It hangs, or talks so much that its pipes take all the time.
    #[error(
        "out of time: the program had not ended after {seconds} s by the clock on the wall, and was killed"
    )]
    Hangs {
        /// By the clock on the wall.
        seconds: f64,
    },
    /// The time of the run is over.
    #[error("out of time: {seconds} s of CPU time are over, in the program and in evaluations")]
    OutOfTime {
        /// The limit.
        seconds: f64,
    },
    /// It does not keep to the protocol.
    #[error("the program does not keep to the protocol: {0}")]
    Nonsense(String),
    /// It says that it failed.
    #[error("{0}")]
    Failed(String),
    /// It says that it cannot solve such a problem, or not with these options.
    #[error("{0}")]
    Refused(String),
    /// The problem has no such form.
    #[error("programs cannot be given this problem: {0}")]
    NotServed(String),
    /// It has no use for a setting.
    #[error("the program never asked for the option `{name}`; it asks for: {known}")]
    Option {
        /// The option.
        name: String,
        /// What it asked for.
        known: String,
    },
}

impl ProgramError {
    /// How a run ends that fails so.
    pub fn status(&self) -> Status {
        match self {
            Self::Unusable { .. } | Self::Refused(_) | Self::NotServed(_) | Self::Option { .. } => {
                Status::BadInput
            }
            Self::Pipe(_)
            | Self::Ended(_)
            | Self::Hangs { .. }
            | Self::OutOfTime { .. }
            | Self::Nonsense(_)
            | Self::Failed(_) => Status::Failed,
        }
    }

    /// Whether the run was given up since its time was over.
    pub fn is_out_of_time(&self) -> bool {
        matches!(self, Self::Hangs { .. } | Self::OutOfTime { .. })
    }
}
