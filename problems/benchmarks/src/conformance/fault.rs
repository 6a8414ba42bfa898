//! Faults of a method, and errors of the suite itself.

use super::report::{Item, Measured};
use liedae::integrator::{StepError, Work};
use liedae::solve::{SolveError, SolveErrorKind};
use serde::{Serialize, Serializer};
use std::fmt;
use thiserror::Error;

/// Why a method fails an item.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// A number is beyond its bound.
    #[error("{0}")]
    Number(Measured),
    /// A run ended in an error where nothing stands in its way.
    #[error("{steps}: {source}")]
    Run {
        /// What steps it ran with.
        steps: String,
        /// The error.
        source: Box<SolveError>,
    },
    /// A step failed where nothing stands in its way.
    #[error("a step failed: {0}")]
    Step(#[from] StepError),
    /// The method panicked.
    #[error("panic: {message}")]
    Panic {
        /// The words of the panic.
        message: String,
    },
    /// Two ends that must agree bit for bit do not.
    #[error("{part}[{index}] is {first:e} and {second:e}")]
    Differs {
        /// The part of the state.
        part: &'static str,
        /// The component.
        index: usize,
        /// What it was.
        first: f64,
        /// What it is when it is done again.
        second: f64,
    },
    /// Two runs that must agree take other steps, or end otherwise.
    #[error("{first}; then {second}")]
    OtherRun {
        /// How the first run ended.
        first: String,
        /// How the second one ended.
        second: String,
    },
    /// An error estimate is not a number, infinite or negative.
    #[error("the estimate of a step of {h:.2e} s at t = {t:.4} s is {value}")]
    Estimate {
        /// Start of the step in s.
        t: f64,
        /// Its size in s.
        h: f64,
        /// The estimate.
        value: f64,
    },
    /// The descriptor states an estimate, and a step has none.
    #[error("the step at t = {t} s has no error estimate, although the descriptor states one")]
    NoEstimate {
        /// Start of the step in s.
        t: f64,
    },
    /// A run ended as if all were well, although the system cannot be evaluated.
    #[error("the run ended at t = {t} s as if all were well")]
    NoError {
        /// Its end in s.
        t: f64,
    },
    /// A run ended in an error that does not fit what is wrong.
    #[error("the error does not fit: {error}")]
    OtherError {
        /// The error.
        error: String,
    },
    /// The step limit does not hold.
    #[error("{taken} steps where {limit} are allowed")]
    Limit {
        /// Steps taken.
        taken: usize,
        /// The limit.
        limit: usize,
    },
    /// The method applies to none of the motions.
    #[error("the method applies to none of the motions")]
    AppliesNowhere,
    /// Errors are too large for an order to follow from them.
    #[error("no order: errors up to {0:.1e}, with all step sizes")]
    NoOrder(f64),
    /// The number of events is not what it must be.
    #[error("{found} events where there are {expected}")]
    Events {
        /// Events found.
        found: usize,
        /// Events that there are.
        expected: usize,
    },
    /// Counts of work that count what has been done so far, and fall.
    #[error(
        "work falls from {before:?} to {after:?}: it is all that has been done since the start, restarts or not"
    )]
    Work {
        /// Work before a step or a restart.
        before: Work,
        /// Work behind it.
        after: Work,
    },
    /// Counts of work that stay zero where constraint forces have been solved for.
    #[error(
        "Stepper::work is zero behind steps with constraint rows: it counts factorizations and solutions since the start, \
         as liedae::integrator::work_of does for an AccelerationSolver"
    )]
    NoWork,
    /// A stepper that says that it solves at the ends of its steps does not.
    #[error(
        "{part}[{index}] at the end of a step is {found:e}, and {expected:e} solves the equations of motion there"
    )]
    UnsolvedEnd {
        /// The part of the state.
        part: &'static str,
        /// The component.
        index: usize,
        /// What the step has left.
        found: f64,
        /// What solves the equations.
        expected: f64,
    },
    /// The descriptor contradicts itself.
    #[error("{0}")]
    Descriptor(String),
}

impl Fault {
    /// A failed run with these steps.
    pub(super) fn run(steps: impl fmt::Display, source: SolveError) -> Self {
        Self::Run {
            steps: steps.to_string(),
            source: Box::new(source),
        }
    }

    /// A failure where the structure of the system changes: a method that does not apply to the new one has said what is so.
    pub(super) fn of_new_structure(self) -> Self {
        if let Self::Run { source, .. } = &self
            && let SolveErrorKind::Step(error @ StepError::Unsupported { .. }) = &source.kind
        {
            return Self::Step(error.clone());
        }
        self
    }

    /// Why the method does not apply, if that is what it says before its first step.
    pub(super) fn unsupported(&self) -> Option<&str> {
        let error = match self {
            Self::Run { source, .. } => match &source.kind {
                SolveErrorKind::Step(error) if source.statistics.accepted == 0 => error,
                _ => return None,
            },
            Self::Step(error) => error,
            _ => return None,
        };
        match error {
            StepError::Unsupported { reason, .. } => Some(reason),
            _ => None,
        }
    }
}

impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The suite cannot judge a method: a defect of this crate, not of the method.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ConformanceError {
    /// A reference solution could not be computed.
    #[error("no reference for the motion on {motion}: {source}")]
    Reference {
        /// The motion.
        motion: String,
        /// What went wrong.
        source: Box<SolveError>,
    },
    /// The two methods behind a reference solution disagree.
    #[error("the references of the motion on {motion} differ by {difference:e}")]
    References {
        /// The motion.
        motion: String,
        /// By how much.
        difference: f64,
    },
}

/// A method does not conform; names all items that it fails.
#[derive(Clone, Debug, PartialEq, Error)]
pub struct NonConformance {
    /// The method's name.
    pub method: &'static str,
    /// What it fails.
    pub failures: Vec<Item>,
}

impl fmt::Display for NonConformance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.failures.len();
        write!(formatter, "{} fails {count} items:", self.method)?;
        for item in &self.failures {
            write!(formatter, "\n    {item}")?;
        }
        Ok(())
    }
}
