//! Answers to questions about a mechanism, as they are written.

use crate::error::Status;
use crate::output::Named;
use liedae::analysis::{AnalysisError, Assembly, Entry, Redundancy};
use liedae::system::{EvaluationError, Momentum};
use liedae_contact::RestError;
use serde::Serialize;

/// An answer, or why there is none.
#[derive(Debug, Serialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Answer<T> {
    /// The answer.
    Done(T),
    /// There is none.
    Failed(Refused),
}

/// Why there is no answer.
#[derive(Debug, Serialize)]
pub struct Refused {
    /// In one word, such as `no-equilibrium`.
    pub kind: &'static str,
    /// In words.
    pub reason: String,
}

impl<T> Answer<T> {
    /// Whether there is one.
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Done(_))
    }

    pub fn refused(kind: &'static str, reason: impl Into<String>) -> Self {
        Self::Failed(Refused {
            kind,
            reason: reason.into(),
        })
    }
}

impl<T> From<Result<T, Refused>> for Answer<T> {
    fn from(result: Result<T, Refused>) -> Self {
        match result {
            Ok(answer) => Self::Done(answer),
            Err(refused) => Self::Failed(refused),
        }
    }
}

impl From<AnalysisError> for Refused {
    fn from(error: AnalysisError) -> Self {
        let kind = match &error {
            AnalysisError::Evaluation(_) | AnalysisError::Dynamics(_) => "evaluation",
            AnalysisError::State(_) => "inconsistent",
            AnalysisError::Linear(_)
            | AnalysisError::Decomposition(_)
            | AnalysisError::NotFinite => "linear-algebra",
            AnalysisError::NotAssembled { .. } => "not-assembled",
            AnalysisError::NoEquilibrium { .. } => "no-equilibrium",
            AnalysisError::NotPrescribed { .. } => "not-prescribed",
            AnalysisError::Unsteady { .. } => "unsteady",
            AnalysisError::Periodic { .. } => "periodic",
            AnalysisError::NotActuated { .. }
            | AnalysisError::RedundantActuators { .. }
            | AnalysisError::ForbiddenAcceleration { .. } => "actuators",
            AnalysisError::Length { .. } => "length",
            AnalysisError::SingularDescriptor => "singular-descriptor",
        };
        Self {
            kind,
            reason: error.to_string(),
        }
    }
}

impl From<RestError> for Refused {
    fn from(error: RestError) -> Self {
        let kind = match error {
            RestError::Analysis(error) => return error.into(),
            RestError::PassedContact { .. } => "passed-contact",
            RestError::Restless { .. } => "no-equilibrium",
        };
        Self {
            kind,
            reason: error.to_string(),
        }
    }
}

impl From<EvaluationError> for Refused {
    fn from(error: EvaluationError) -> Self {
        AnalysisError::from(error).into()
    }
}

/// Degrees of freedom and redundant rows.
#[derive(Debug, Serialize)]
pub struct MobilityAnswer {
    /// Degrees of freedom.
    pub freedom: usize,
    /// Number of velocities.
    pub velocities: usize,
    /// Number of constraint rows.
    pub rows: usize,
    /// Number of independent ones.
    pub rank: usize,
    /// Whether rows are independent nearby that depend on each other here.
    pub singular: bool,
    /// Rows that follow from others.
    pub redundant: Vec<RedundantRow>,
}

/// A redundant row.
#[derive(Debug, Serialize)]
pub struct RedundantRow {
    /// The row.
    pub row: Entry,
    /// What it follows from.
    pub follows_from: Vec<Term>,
}

/// A part of a sum.
#[derive(Debug, Serialize)]
pub struct Term {
    /// The row.
    pub row: Entry,
    /// Its factor.
    pub factor: f64,
}

impl From<Redundancy> for RedundantRow {
    fn from(redundancy: Redundancy) -> Self {
        let terms = redundancy.follows_from.into_iter();
        Self {
            row: redundancy.row,
            follows_from: terms.map(|(row, factor)| Term { row, factor }).collect(),
        }
    }
}

/// A state of rest.
#[derive(Debug, Serialize)]
pub struct EquilibriumAnswer {
    /// Iterations taken.
    pub iterations: usize,
    /// Largest force that nothing balances.
    pub unbalanced: f64,
    /// Whether small motions stay small; null where the modes do not say.
    pub stable: Option<bool>,
    /// Energy in J, where it is known.
    pub energy: Option<f64>,
    /// Outputs there.
    pub outputs: Named<f64>,
}

/// Where modes are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum About {
    /// The start of the problem, which is at rest.
    Start,
    /// The start, which is at rest in a turning frame.
    Turning,
    /// The equilibrium that was found from the start.
    Equilibrium,
}

/// Small motions.
#[derive(Debug, Serialize)]
pub struct ModesAnswer {
    /// About which state.
    pub about: About,
    /// Degrees of freedom.
    pub freedom: usize,
    /// Whether small motions stay small.
    pub stable: bool,
    /// One of each conjugate pair, slow ones first.
    pub modes: Vec<ModeAnswer>,
}

/// One of them.
#[derive(Debug, Serialize)]
pub struct ModeAnswer {
    /// Growth, 1/s.
    pub re: f64,
    /// Angular frequency, rad/s.
    pub im: f64,
    /// Frequency in Hz.
    pub hertz: f64,
    /// Damping ratio.
    pub damping_ratio: f64,
    /// What moves, the largest first; the largest is 1.
    pub shape: Vec<Part>,
}

/// A part of a mode.
#[derive(Debug, Serialize)]
pub struct Part {
    /// What moves.
    pub velocity: Entry,
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

/// Efforts of the drives of a mechanism that they move entirely.
#[derive(Debug, Serialize)]
pub struct InverseAnswer {
    /// Times in s.
    pub t: Vec<f64>,
    /// The drives: rows that time moves.
    pub drives: Vec<DriveAnswer>,
}

/// One of them.
#[derive(Debug, Serialize)]
pub struct DriveAnswer {
    /// Its row.
    pub row: Entry,
    /// Multiplier of the row at these times: N or N m.
    pub effort: Vec<f64>,
    /// What it does to the mechanism at these times, W.
    pub power: Vec<f64>,
}

/// Energy and momenta of the start.
#[derive(Debug, Serialize)]
pub struct MomentumAnswer {
    /// Total energy in J, where it is known.
    pub energy: Option<f64>,
    /// Momenta, where they are known.
    #[serde(flatten)]
    pub momentum: Option<Momentum>,
}

/// All answers; null where nothing was asked.
#[derive(Debug, Serialize)]
pub struct AnalysisReport {
    /// Whether all that was asked by name, or anything at all, has an answer.
    pub status: Status,
    /// The problem.
    pub problem: String,
    /// Its parameters.
    pub parameters: Named<f64>,
    /// Time of the start in s.
    pub t: f64,
    /// See [`Questions::assembly`](super::analysis::Questions::assembly).
    pub assembly: Option<Answer<Assembly>>,
    /// See [`Questions::redundancy`](super::analysis::Questions::redundancy).
    pub redundancy: Option<Answer<MobilityAnswer>>,
    /// See [`Questions::equilibrium`](super::analysis::Questions::equilibrium).
    pub equilibrium: Option<Answer<EquilibriumAnswer>>,
    /// See [`Questions::modes`](super::analysis::Questions::modes).
    pub modes: Option<Answer<ModesAnswer>>,
    /// See [`Questions::inverse`](super::analysis::Questions::inverse).
    pub inverse: Option<Answer<InverseAnswer>>,
    /// See [`Questions::momentum`](super::analysis::Questions::momentum).
    pub momentum: Option<Answer<MomentumAnswer>>,
}
