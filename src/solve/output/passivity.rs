//! Passivity: the energy of a system to which nothing adds any must not rise.

use crate::control::{ErrorNorm, Tolerances};
use crate::solve::{Observer, StepControl, StepView};
use crate::system::{Evaluator, Point, State, is_passive};
use serde::Serialize;
use std::ops::ControlFlow;

/// Global errors of a hundred tolerances are usual, and errors of the energy add up over many oscillations.
const TOLERANCES: f64 = 1000.0;

/// The share of the energies on the way that errors of constant steps explain.
const SHARE_OF_CONSTANT_STEPS: f64 = 1e-2;

/// Errors of single components with constant steps, whose size nobody asks for: round-off.
const ROUND_OFF: f64 = 1e-12;

/// The largest rise of the energy above an earlier value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EnergyRise {
    /// Time of the earlier, lower value in s.
    pub from: f64,
    /// Time of the later, higher value in s.
    pub to: f64,
    /// Difference of the two in J.
    pub rise: f64,
    /// What errors of the integration explain of it in J.
    pub explained: f64,
}

impl EnergyRise {
    /// Whether it is no more than errors explain; a rise that is not a number is not.
    pub fn is_explained(&self) -> bool {
        self.rise <= self.explained
    }
}

/// An observer that looks for a rise of the energy of passive systems ([`Energy::is_passive`]): springs and gravity keep
/// the energy, dampers, friction and impacts take it, and nothing drives. Then the energy may rise by errors only. A
/// larger rise is a fault of the model or of the solver: friction that pushes, a law of impact that gains energy, an
/// event that was missed, a step that is too long.
///
/// What errors explain: with tolerances a thousand of them, as a change of each component changes the energy, and of the
/// energies on the way; with constant steps a hundredth of these energies. Systems that are not passive, or do not know
/// their energy, are not judged.
///
/// It costs two evaluations of the energy a step. A mechanism that is slow beside its fast parts may hide a small rise
/// behind their errors.
///
/// ```
/// use liedae::integrator::Dopri5;
/// use liedae::prelude::*;
/// use liedae::solve::PassivityWatch;
///
/// // Friction with the wrong sign: 1 N drives the block that it should stop.
/// let mut block = liedae::model([0.0], [1.0])
///     .mass(1.0)
///     .force(|_t, _x, [v]| [v / (v * v + 1e-6).sqrt()])
///     .energy(|_t, _x, [v]| 0.5 * v * v)
///     .passive()
///     .build()?;
/// let options = Options::adaptive(1.0, 1e-6, 1e-6);
/// let mut watch = PassivityWatch::new(&options.control);
/// solve_observed(&mut block, &Dopri5::default(), &options, &mut watch)?;
/// let rise = watch.rise().ok_or("the block is passive")?;
/// assert!((rise.rise - 1.5).abs() < 1e-3 && !rise.is_explained());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`Energy::is_passive`]: crate::system::Energy::is_passive
#[derive(Debug)]
pub struct PassivityWatch {
    tolerances: Tolerances,
    /// The share of the energies on the way that errors explain.
    share: f64,
    judged: Judged,
}

#[derive(Debug)]
enum Judged {
    NotSeen,
    NotPassive,
    Passive(Box<Record>),
}

/// What has been seen of a passive system.
#[derive(Debug)]
struct Record {
    norm: ErrorNorm,
    rest: Vec<f64>,
    faster: Vec<f64>,
    rates: Vec<f64>,
    /// Time and value of the lowest energy so far.
    lowest: [f64; 2],
    largest_kinetic: f64,
    potentials: [f64; 2],
    /// What a tolerance in each component is in the energy, the largest that was needed so far.
    of_components: f64,
    largest: EnergyRise,
}

impl PassivityWatch {
    /// For a run with these steps.
    pub fn new(control: &StepControl) -> Self {
        let (tolerances, share) = match control {
            StepControl::Adaptive { tolerances, .. } => (tolerances.clone(), 0.0),
            StepControl::Fixed(_) => (
                Tolerances::uniform(ROUND_OFF, ROUND_OFF),
                SHARE_OF_CONSTANT_STEPS,
            ),
        };
        Self {
            tolerances,
            share,
            judged: Judged::NotSeen,
        }
    }

    /// Looks at a state of the run; states come in the order of time. Nothing is counted as work of the method.
    pub fn see(&mut self, system: &mut Evaluator, state: &State) {
        if matches!(self.judged, Judged::NotSeen) {
            self.judged = match self.record(system, state) {
                Some(record) => Judged::Passive(Box::new(record)),
                None => Judged::NotPassive,
            };
        }
        if let Judged::Passive(record) = &mut self.judged {
            system.uncounted(|system| record.see(self.share, system, state));
        }
    }

    /// The largest rise so far; `None` where the system is not passive or has not been seen.
    pub fn rise(&self) -> Option<EnergyRise> {
        match &self.judged {
            Judged::Passive(record) => Some(record.largest),
            Judged::NotSeen | Judged::NotPassive => None,
        }
    }

    /// The record of a system that is passive; `None` of others.
    fn record(&mut self, system: &mut Evaluator, state: &State) -> Option<Record> {
        if !is_passive(system.system()) {
            return None;
        }
        // Tolerances that do not fit are refused by the driver.
        let norm = ErrorNorm::new(&self.tolerances, system.layout()).ok()?;
        let (relative, _) = norm.tolerances();
        let largest = relative.iter().fold(0.0, |largest: f64, &r| largest.max(r));
        self.share = self.share.max(TOLERANCES * largest);
        Some(Record {
            norm,
            rest: vec![0.0; state.v.len()],
            faster: vec![0.0; state.v.len()],
            rates: vec![0.0; system.layout().rate_count()],
            lowest: [state.t, f64::INFINITY],
            largest_kinetic: 0.0,
            potentials: [f64::INFINITY, f64::NEG_INFINITY],
            of_components: 0.0,
            largest: EnergyRise {
                from: state.t,
                to: state.t,
                rise: 0.0,
                explained: 0.0,
            },
        })
    }
}

impl Record {
    fn see(&mut self, share: f64, system: &mut Evaluator, state: &State) {
        let resting = Point {
            v: &self.rest,
            ..state.point()
        };
        // What cannot be evaluated is not a number, which no error explains.
        let mut energy = |at: &Point| system.energy(at).ok().flatten().unwrap_or(f64::NAN);
        let (total, potential) = (energy(&state.point()), energy(&resting));
        self.largest_kinetic = self.largest_kinetic.max(total - potential);
        let [least, most] = self.potentials;
        self.potentials = [least.min(potential), most.max(potential)];
        if total < self.lowest[1] {
            self.lowest = [state.t, total];
            return;
        }
        let rise = total - self.lowest[1];
        // One that is not a number stays.
        if rise <= self.largest.rise || self.largest.rise.is_nan() {
            return;
        }
        self.largest.rise = rise;
        [self.largest.from, self.largest.to] = [self.lowest[0], state.t];
        let [least, most] = self.potentials;
        let along = share * (self.largest_kinetic + (most - least));
        if rise > along + TOLERANCES * self.of_components {
            let here = self.of_components(system, state, total);
            self.of_components = self.of_components.max(here);
        }
        self.largest.explained = along + TOLERANCES * self.of_components;
    }

    /// What changes of all components by their tolerances change in the energy at most: by the momenta, and by the
    /// forces at rest, which are the gradient of the potential.
    fn of_components(&mut self, system: &mut Evaluator, state: &State, total: f64) -> f64 {
        self.norm.weigh(state, state);
        let (of_q, rest) = self.norm.scales().split_at(state.v.len());
        let (of_v, _) = rest.split_at(state.v.len());
        let resting = Point {
            v: &self.rest,
            ..state.point()
        };
        // An event may have changed the number of algebraic variables.
        self.rates.resize(system.layout().rate_count(), 0.0);
        let mut sum = 0.0;
        if system.rates(&resting, &mut self.rates).is_ok() {
            let parts = self.rates.iter().zip(of_q);
            sum += parts.map(|(force, by)| (force * by).abs()).sum::<f64>();
        }
        let changes = state.v.iter().zip(of_v).zip(&mut self.faster);
        for ((velocity, by), faster) in changes {
            *faster = velocity + by.copysign(*velocity);
        }
        let faster = Point {
            v: &self.faster,
            ..state.point()
        };
        if let Ok(Some(energy)) = system.energy(&faster) {
            sum += (energy - total).abs();
        }
        sum
    }
}

impl Observer for PassivityWatch {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let state = step.to;
        self.see(step.system(), state);
        ControlFlow::Continue(())
    }
}
