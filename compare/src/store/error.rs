//! Errors of stores.

use crate::error::Status;
use rusqlite::ErrorCode;
use std::path::PathBuf;
use thiserror::Error;

/// A store cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The database says no: a full disk, no permission, damage.
    #[error("the store {} cannot be used: {source}{}", path.display(), hint(source))]
    Database {
        /// Its file.
        path: PathBuf,
        /// The database's words.
        source: rusqlite::Error,
    },
    /// A file beside the store cannot be used.
    #[error("{} beside the store cannot be used: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// The file is something else.
    #[error("{} is not a store of comparisons", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// There is no such file.
    #[error("there is no store {}", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The store was made by another version.
    #[error("{} has layout {found}, and this command knows layout {known}: use the version that made it, or --fresh", path.display())]
    Layout {
        /// The file.
        path: PathBuf,
        /// Its layout.
        found: i64,
        /// The one that is known.
        known: i64,
    },
    /// Somebody is working at it.
    #[error("another process is working at {}: wait until it has ended", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// A statement of the user's that is no question, or not understood.
    #[error("this cannot be asked: {reason}")]
    Question {
        /// Why not.
        reason: String,
    },
    /// A row that does not fit together.
    #[error("the store {} is damaged: {reason}", path.display())]
    Damaged {
        /// Its file.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
}

fn hint(error: &rusqlite::Error) -> &'static str {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => {
            "; every run that had finished is in it, and the same command goes on when there is room"
        }
        _ => "",
    }
}

impl StoreError {
    /// How the process ends.
    pub fn status(&self) -> Status {
        match self {
            Self::Database { .. } | Self::File { .. } | Self::Busy { .. } => Status::NotWritten,
            Self::Foreign { .. }
            | Self::Missing { .. }
            | Self::Layout { .. }
            | Self::Question { .. }
            | Self::Damaged { .. } => Status::BadInput,
        }
    }
}
