//! Analyses of a mechanism before integration. Each has an answer, or a reason why there is none.

use super::answers::{
    About, AnalysisReport, Answer, DriveAnswer, EquilibriumAnswer, InverseAnswer, MobilityAnswer,
    ModeAnswer, ModesAnswer, MomentumAnswer, Part, RedundantRow, Refused,
};
use super::{Case, equidistant};
use crate::error::Status;
use crate::output::Named;
use liedae::analysis::{
    AnalysisError, Assembly, Entry, EntryKind, Equilibrium, EquilibriumOptions, Mode, Turning,
    assemble, kinematic_analysis, linearize, mobility,
};
use liedae::system::{Evaluator, EventHandling, State, named_outputs, total_energy};
use liedae_contact::static_equilibrium;

/// Matrices are dense: with more velocities, rows and states together, answers would take minutes and gigabytes.
pub const MOST_UNKNOWNS: usize = 2000;

/// Parts of a mode below this share of its largest one are left out.
const NEGLIGIBLE_PART: f64 = 1e-3;

/// Rows that move by more than this (m/s, rad/s) while nothing else does are drives.
const DRIVEN: f64 = 1e-12;

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
        // At rest other joints stick than in the motion of the start: the system goes back to that.
        let start = self.start();
        report.modes = ask(asked.modes, &start, with, |start| self.modes(start).into());
        let start = self.start();
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

    fn rest(&mut self, start: &State) -> Result<Equilibrium, Refused> {
        let options = EquilibriumOptions::default();
        Ok(static_equilibrium(self.case.system(), start, &options)?)
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
            stable: !modes.iter().any(|mode| mode.eigenvalue.grows()),
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
        let mut state = start.clone();
        let (mut motion, mut rates): (Vec<State>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        for &t in &times {
            // One time after the other: the direction of friction is that of the moment.
            state = match kinematic_analysis(&mut system, &state, &[t])?.pop() {
                Some(state) => state,
                None => break,
            };
            let still = State {
                v: vec![0.0; state.v.len()],
                ..state.clone()
            };
            let mut values = vec![0.0; system.layout().rows()];
            system.velocity_constraint(&still.point(), &mut values)?;
            rates.resize(values.len().max(rates.len()), Vec::new());
            if rates.len() != values.len() || state.lambda.len() != values.len() {
                return Err(Refused {
                    kind: "not-prescribed",
                    reason: format!("contacts close or open at t = {t} s: `run` follows them"),
                });
            }
            for (rates, value) in rates.iter_mut().zip(values) {
                rates.push(value);
            }
            motion.push(state.clone());
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
