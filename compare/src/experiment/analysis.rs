//! What is asked of a mechanism before it is integrated, each question answered or refused with a reason.

use super::{Case, equidistant};
use crate::error::Status;
use crate::output::Named;
use liedae::analysis::{
    AnalysisError, Assembly, Entry, EntryKind, EquilibriumOptions, Mode, Redundancy, Turning,
    assemble, kinematic_analysis, linearize, mobility, static_equilibrium,
};
use liedae::system::{
    EvaluationError, Evaluator, EventHandling, Momentum, State, named_outputs, total_energy,
};
use serde::Serialize;

/// Matrices are dense: with more velocities, rows and states together, answers would take minutes and gigabytes.
pub const MOST_UNKNOWNS: usize = 2000;

/// Parts of a mode below this share of its largest one are left out.
const NEGLIGIBLE_PART: f64 = 1e-3;

/// Rows that move by more than this (m/s, rad/s) while nothing else does are drives.
const DRIVEN: f64 = 1e-12;

/// Bodies that lie deeper than this in each other have passed a contact, in m.
const PASSED: f64 = 1e-9;

/// What is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Questions {
    /// Do the loops close?
    pub assembly: bool,
    /// How can it move, and which rows are redundant?
    pub redundancy: bool,
    /// Where does it rest?
    pub equilibrium: bool,
    /// How does it swing?
    pub modes: bool,
    /// What do its drives need?
    pub inverse: bool,
    /// Which energy and momenta does it have?
    pub momentum: bool,
}

impl Questions {
    /// All of them.
    pub const ALL: Self = Self {
        assembly: true,
        redundancy: true,
        equilibrium: true,
        modes: true,
        inverse: true,
        momentum: true,
    };
}

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

    fn refused(kind: &'static str, reason: impl Into<String>) -> Self {
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
            AnalysisError::Linear(_) | AnalysisError::Decomposition(_) => "linear-algebra",
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
    /// See [`Questions::assembly`].
    pub assembly: Option<Answer<Assembly>>,
    /// See [`Questions::redundancy`].
    pub redundancy: Option<Answer<MobilityAnswer>>,
    /// See [`Questions::equilibrium`].
    pub equilibrium: Option<Answer<EquilibriumAnswer>>,
    /// See [`Questions::modes`].
    pub modes: Option<Answer<ModesAnswer>>,
    /// See [`Questions::inverse`].
    pub inverse: Option<Answer<InverseAnswer>>,
    /// See [`Questions::momentum`].
    pub momentum: Option<Answer<MomentumAnswer>>,
}

/// Asks a problem these questions.
pub struct AnalysisRequest {
    /// The problem.
    pub case: Case,
    /// What is asked.
    pub questions: Questions,
    /// The frame in which the start stands still, rad/s about axes of the world; for modes.
    pub turning: Option<[f64; 3]>,
    /// At how many times drives are looked at.
    pub samples: usize,
}

impl AnalysisRequest {
    /// Answers.
    pub fn answer(&mut self) -> AnalysisReport {
        let asked = self.questions;
        let mut report = AnalysisReport {
            status: Status::Done,
            problem: self.case.problem.name.to_owned(),
            parameters: Named(self.case.parameter_values()),
            t: f64::NAN,
            assembly: None,
            redundancy: None,
            equilibrium: None,
            modes: None,
            inverse: None,
            momentum: None,
        };
        let start = self.start();
        report.t = start.as_ref().map_or(f64::NAN, |start| start.t);
        // What is wrong with the start is wrong with every answer.
        let with = |refused: &Refused| Refused {
            kind: refused.kind,
            reason: refused.reason.clone(),
        };
        fn ask<T>(
            asked: bool,
            start: &Result<State, Refused>,
            with: impl Fn(&Refused) -> Refused,
            answer: impl FnOnce(&State) -> Answer<T>,
        ) -> Option<Answer<T>> {
            asked.then(|| match start {
                Ok(start) => answer(start),
                Err(refused) => Answer::Failed(with(refused)),
            })
        }
        report.assembly = ask(asked.assembly, &start, with, |start| self.assembly(start));
        report.redundancy = ask(asked.redundancy, &start, with, |start| {
            self.mobility(start).into()
        });
        report.equilibrium = ask(asked.equilibrium, &start, with, |start| {
            self.equilibrium(start).into()
        });
        report.modes = ask(asked.modes, &start, with, |start| self.modes(start).into());
        report.inverse = ask(asked.inverse, &start, with, |start| {
            self.inverse(start).into()
        });
        report.momentum = ask(asked.momentum, &start, with, |start| self.momentum(start));
        let answers = [
            report.assembly.as_ref().map(Answer::is_done),
            report.redundancy.as_ref().map(Answer::is_done),
            report.equilibrium.as_ref().map(Answer::is_done),
            report.modes.as_ref().map(Answer::is_done),
            report.inverse.as_ref().map(Answer::is_done),
            report.momentum.as_ref().map(Answer::is_done),
        ];
        let mut answers = answers.into_iter().flatten();
        let good = if asked == Questions::ALL {
            answers.any(|done| done)
        } else {
            answers.all(|done| done)
        };
        if !good {
            report.status = Status::Failed;
        }
        report
    }

    /// The initial state as a run begins with it: closed contacts are rows.
    fn start(&mut self) -> Result<State, Refused> {
        let system = self.case.system();
        let mut state = system.initial_state();
        system.prepare(&mut state, EventHandling::Located { tolerance: 0.0 })?;
        let layout = system.layout();
        let unknowns = layout.dimension() + layout.rate_count() + layout.rows();
        if unknowns > MOST_UNKNOWNS {
            return Err(Refused {
                kind: "too-large",
                reason: format!(
                    "{unknowns} velocities, rates and rows are more than the {MOST_UNKNOWNS} that dense matrices are for: take fewer bodies"
                ),
            });
        }
        Ok(state)
    }

    fn assembly(&mut self, start: &State) -> Answer<Assembly> {
        let mut state = start.clone();
        let found = assemble(&mut Evaluator::new(self.case.system()), &mut state);
        found.map_err(Refused::from).into()
    }

    fn mobility(&mut self, start: &State) -> Result<MobilityAnswer, Refused> {
        let found = mobility(&mut Evaluator::new(self.case.system()), start)?;
        Ok(MobilityAnswer {
            freedom: found.freedom,
            velocities: found.velocities,
            rows: found.rows,
            rank: found.rank,
            singular: found.is_singular(),
            redundant: found
                .redundant
                .into_iter()
                .map(RedundantRow::from)
                .collect(),
        })
    }

    fn rest(&mut self, start: &State) -> Result<liedae::analysis::Equilibrium, Refused> {
        let system = self.case.system();
        let options = EquilibriumOptions::default();
        let rest = static_equilibrium(&mut Evaluator::new(system), start, &options)?;
        let system = self.case.system();
        if let Some(unilateral) = liedae_contact::unilateral(system) {
            for contact in 0..unilateral.contacts().len() {
                let gap = unilateral.gap(contact, &rest.state.point())?;
                if gap < -PASSED {
                    let label = unilateral.contacts()[contact].label.clone();
                    return Err(Refused {
                        kind: "passed-contact",
                        reason: format!(
                            "the equilibrium without contact `{label}` lies {:.3e} m or rad inside it: it rests elsewhere, with that contact \
                             closed; start from a state that touches it",
                            -gap
                        ),
                    });
                }
            }
        }
        Ok(rest)
    }

    fn equilibrium(&mut self, start: &State) -> Result<EquilibriumAnswer, Refused> {
        let rest = self.rest(start)?;
        let small = linearize(&mut Evaluator::new(self.case.system()), &rest.state, None);
        let system = self.case.system();
        Ok(EquilibriumAnswer {
            iterations: rest.iterations,
            unbalanced: rest.unbalanced,
            stable: small.and_then(|small| small.is_stable()).ok(),
            energy: total_energy(system, &rest.state.point()),
            outputs: Named(named_outputs(system, &rest.state)?),
        })
    }

    fn modes(&mut self, start: &State) -> Result<ModesAnswer, Refused> {
        let turning = match self.turning {
            None => None,
            Some(rate) => {
                let mut system = Evaluator::new(self.case.system());
                let Some(turning) = Turning::of(&mut system, start, rate) else {
                    return Err(Refused {
                        kind: "unknown",
                        reason: "the problem does not say which of its velocities are vectors in space: a turning frame would mean nothing to it"
                            .to_owned(),
                    });
                };
                Some(turning)
            }
        };
        let mut system = Evaluator::new(self.case.system());
        let first = linearize(&mut system, start, turning.as_ref());
        let (about, small) = match first {
            Ok(small) if turning.is_some() => (About::Turning, small),
            Ok(small) => (About::Start, small),
            Err(AnalysisError::Unsteady { .. }) if turning.is_none() => {
                let rest = self.rest(start).map_err(|refused| Refused {
                    kind: refused.kind,
                    reason: format!(
                        "the start is not at rest, and no equilibrium is known: {}",
                        refused.reason
                    ),
                })?;
                let mut system = Evaluator::new(self.case.system());
                (
                    About::Equilibrium,
                    linearize(&mut system, &rest.state, None)?,
                )
            }
            Err(error) => return Err(error.into()),
        };
        let mut system = Evaluator::new(self.case.system());
        let modes = small.modes()?;
        Ok(ModesAnswer {
            about,
            freedom: small.freedom,
            stable: small.is_stable()?,
            modes: modes
                .iter()
                .map(|mode| described(&mut system, mode))
                .collect(),
        })
    }

    fn inverse(&mut self, start: &State) -> Result<InverseAnswer, Refused> {
        let times = equidistant(start.t, self.case.t_end, self.samples);
        let mut system = Evaluator::new(self.case.system());
        if system.layout().rows() == 0 {
            return Err(Refused {
                kind: "not-prescribed",
                reason: "there are no constraint rows: nothing prescribes the motion".to_owned(),
            });
        }
        let motion = kinematic_analysis(&mut system, start, &times)?;
        let rows = system.layout().rows();
        let mut rates = vec![Vec::with_capacity(times.len()); rows];
        for state in &motion {
            let still = State {
                v: vec![0.0; state.v.len()],
                ..state.clone()
            };
            let mut values = vec![0.0; rows];
            system.velocity_constraint(&still.point(), &mut values)?;
            for (row, value) in values.into_iter().enumerate() {
                rates[row].push(value);
            }
        }
        let drives = rates
            .iter()
            .enumerate()
            .filter(|(_, rates)| rates.iter().any(|rate| rate.abs() > DRIVEN))
            .map(|(row, rates)| {
                let effort: Vec<f64> = motion.iter().map(|state| state.lambda[row]).collect();
                // Power of Gᵀ λ along v: λ G v = -λ ∂g/∂t.
                let power = effort.iter().zip(rates).map(|(force, rate)| -force * rate);
                DriveAnswer {
                    row: Entry::of(&mut system, EntryKind::Row, row),
                    power: power.collect(),
                    effort,
                }
            })
            .collect();
        Ok(InverseAnswer { t: times, drives })
    }

    fn momentum(&mut self, start: &State) -> Answer<MomentumAnswer> {
        let system = self.case.system();
        let energy = total_energy(system, &start.point());
        let momentum = system
            .spatial()
            .map(|spatial| spatial.momentum(&start.point()));
        if energy.is_none() && momentum.is_none() {
            return Answer::refused("unknown", "the problem states neither energy nor momentum");
        }
        Answer::Done(MomentumAnswer { energy, momentum })
    }
}

fn described(system: &mut Evaluator, mode: &Mode) -> ModeAnswer {
    let mut parts: Vec<(usize, [f64; 2])> = mode.shape.iter().copied().enumerate().collect();
    let size = |[re, im]: [f64; 2]| re.hypot(im);
    parts.retain(|&(_, part)| size(part) >= NEGLIGIBLE_PART);
    parts.sort_by(|a, b| size(b.1).total_cmp(&size(a.1)));
    ModeAnswer {
        re: mode.eigenvalue.re,
        im: mode.eigenvalue.im,
        hertz: mode.eigenvalue.hertz(),
        damping_ratio: mode.eigenvalue.damping_ratio(),
        shape: parts
            .into_iter()
            .map(|(index, [re, im])| Part {
                velocity: Entry::of(system, EntryKind::Velocity, index),
                re,
                im,
            })
            .collect(),
    }
}
