//! Errors of looking up, parametrizing and building a problem.

use thiserror::Error;

/// A problem cannot be found or built.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ProblemError {
    /// Another problem has this name.
    #[error("there is a problem `{0}` already")]
    NameTaken(&'static str),
    /// A name that nobody could ask for.
    #[error(
        "neither a problem nor a parameter can be called `{0}`: names have no spaces, commas, colons and equals signs, and `t_end` is the end of a run"
    )]
    UnusableName(&'static str),
    /// No problem has this name.
    #[error("there is no problem `{name}`{suggestion}")]
    UnknownProblem {
        /// The name asked for.
        name: String,
        /// The registered names most like it, as [`suggestion`](crate::suggestion) words them.
        suggestion: String,
    },
    /// The problem has no parameter of this name.
    #[error("the problem `{problem}` has no parameter `{name}`{suggestion}")]
    UnknownParameter {
        /// The problem.
        problem: &'static str,
        /// The name asked for.
        name: String,
        /// The parameters most like it, as [`suggestion`](crate::suggestion) words them.
        suggestion: String,
    },
    /// A parameter has a value that the problem does not allow.
    #[error("{name} = {value:?} is not allowed for the problem `{problem}`: {expected}")]
    ParameterValue {
        /// The problem.
        problem: &'static str,
        /// The parameter.
        name: &'static str,
        /// The value.
        value: f64,
        /// What would be allowed.
        expected: String,
    },
    /// A setting is not of the form `name=value`.
    #[error("`{text}` is not a setting of the form name=number, such as mu=0.2")]
    Syntax {
        /// The text.
        text: String,
    },
    /// The values are allowed one by one, but no mechanism fits all of them.
    #[error("the problem `{problem}` cannot be built from these parameters: {reason}")]
    Build {
        /// The problem.
        problem: &'static str,
        /// Why.
        reason: String,
    },
    /// The embedded reference data cannot be read; a defect of this crate.
    #[error(transparent)]
    Table(#[from] TableError),
}

impl ProblemError {
    /// The problem cannot be built, for a reason of its own.
    pub fn build(problem: &'static str, reason: impl std::fmt::Display) -> Self {
        Self::Build {
            problem,
            reason: reason.to_string(),
        }
    }
}

/// Reference data are malformed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TableError {
    /// There is no header or no data.
    #[error("the table `{table}` has no data")]
    Empty {
        /// Name of the table.
        table: String,
    },
    /// A line has the wrong number of fields.
    #[error(
        "line {line} of the table `{table}` has {found} fields where its header has {expected}"
    )]
    Fields {
        /// Name of the table.
        table: String,
        /// Number of the line, from 1.
        line: usize,
        /// Fields in the line.
        found: usize,
        /// Columns in the header.
        expected: usize,
    },
    /// A field is not a finite number.
    #[error("line {line} of the table `{table}`: `{text}` is not a finite number")]
    Number {
        /// Name of the table.
        table: String,
        /// Number of the line, from 1.
        line: usize,
        /// The field.
        text: String,
    },
    /// The times do not increase.
    #[error("line {line} of the table `{table}`: times must increase")]
    Times {
        /// Name of the table.
        table: String,
        /// Number of the line, from 1.
        line: usize,
    },
    /// A column asked for does not exist.
    #[error("the table `{table}` has no column `{column}`")]
    Column {
        /// Name of the table.
        table: String,
        /// The column.
        column: String,
    },
}
