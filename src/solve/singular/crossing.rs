//! A step across a singular configuration, where constraint rows come to depend on each other for a moment.
//!
//! There the constraint manifold crosses itself. The motion goes on along its own branch, which is smooth; what breaks down is
//! the description of the branch by the rows, since their gradients leave out a direction at this one configuration. A
//! method that evaluates gradients beside the manifold, at stages or iterates, sees the other branch as soon as it is
//! as near to the singular configuration as its stages are off the manifold.
//!
//! RATTLE evaluates gradients at configurations on the manifold only, and these span the same normal space as rows that describe the
//! branch alone. So it takes the singular configuration for any other, as long as no end of a step falls onto it. It is symmetric:
//! its error has an expansion in even powers of the step, and extrapolation makes it as accurate as one likes
//! (Hairer, Lubich, Wanner, Geometric Numerical Integration, V.3, doi:10.1007/3-540-30666-8). Numbers of equal steps are chosen such that
//! the singular configuration is near the middle of a step each time: odd ones, if it is in the middle of the interval.

use crate::control::{ErrorNorm, ToleranceError, Tolerances};
use crate::integrator::{StepError, Stepper, StormerVerlet, StormerVerletStepper, Work};
use crate::system::{DynamicsError, Evaluator, Layout, State};
use thiserror::Error;

/// So many numbers of steps at most ...
const COLUMNS: usize = 8;

/// ... and no larger ones than this.
const MOST_STEPS: usize = 24;

/// Numbers of steps for a first look at the other side: the second one if the first fails.
const PROBES: (usize, usize) = (3, 9);

/// The singular configuration is at least this part of a step away from the ends of steps, but for those of the whole interval.
const AWAY: f64 = 0.25;

/// Columns of the extrapolation before its error is believed.
const FIRST_JUDGED: usize = 2;

/// Extrapolation ends where the error estimate is this part of the tolerance, ...
const GOOD: f64 = 1e-3;

/// ... or grows by this factor: round-off, or steps too long for an expansion.
const WORSE: f64 = 10.0;

/// Relative and absolute error that is asked for where steps are constant and no tolerance is given.
const TOLERANCE_OF_CONSTANT_STEPS: f64 = 1e-9;

/// A singular configuration could not be crossed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CrossingError {
    /// Extrapolation did not reach the tolerance.
    #[error("steps across it have an error of {error:.1e} tolerances")]
    Inaccurate {
        /// The estimate in units of the tolerance; not finite where there is none.
        error: f64,
    },
    /// The motion is too slow or too uneven there for an interval with the singular configuration in its middle.
    #[error("the motion does not pass it at a steady speed")]
    NotSteady,
    /// A step across it failed.
    #[error("steps across it fail: {0}")]
    Step(#[from] StepError),
    /// Tolerances that cannot be used.
    #[error(transparent)]
    Tolerance(#[from] ToleranceError),
}

impl From<DynamicsError> for CrossingError {
    fn from(error: DynamicsError) -> Self {
        Self::Step(error.into())
    }
}

/// RATTLE, extrapolated.
pub(in crate::solve) struct Crossing {
    rattle: StormerVerletStepper,
    /// For the steps of RATTLE, whose error nobody judges.
    unjudged: ErrorNorm,
    judged: ErrorNorm,
    /// Local coordinates from the start, velocities and differential states: a row of the table for each number of steps.
    table: Vec<Vec<f64>>,
    /// Numbers of steps.
    sequence: Vec<usize>,
    difference: Vec<f64>,
    best: Vec<f64>,
    state: State,
    next: State,
    /// The end of the step, on success.
    pub end: State,
}

impl Crossing {
    pub fn new(layout: &Layout, state: &State, norm: &ErrorNorm) -> Result<Self, CrossingError> {
        let size = 2 * layout.dimension() + layout.differential;
        let own = Tolerances::uniform(TOLERANCE_OF_CONSTANT_STEPS, TOLERANCE_OF_CONSTANT_STEPS);
        let own = ErrorNorm::new(&own, layout)?;
        Ok(Self {
            rattle: StormerVerlet::across_singularities().stepper(layout, state)?,
            unjudged: own.clone().for_constant_steps(),
            judged: if norm.is_binding() { norm.clone() } else { own },
            table: vec![vec![0.0; size]; COLUMNS],
            sequence: Vec::with_capacity(COLUMNS),
            difference: vec![0.0; size],
            best: vec![0.0; size],
            state: state.clone(),
            next: state.clone(),
            end: state.clone(),
        })
    }

    /// The norm that errors are judged by.
    pub fn judged(&mut self) -> &mut ErrorNorm {
        &mut self.judged
    }

    /// Prepares for steps from a complete state.
    pub fn begin(&mut self, system: &mut Evaluator, from: &State) -> Result<(), StepError> {
        self.rattle = StormerVerlet::across_singularities().stepper(system.layout(), from)?;
        Ok(())
    }

    /// A few steps of RATTLE over the interval, for a first look at its other side.
    pub fn probe(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
    ) -> Result<&State, StepError> {
        let (few, more) = PROBES;
        if self.march(system, from, h, few).is_err() {
            self.march(system, from, h, more)?;
        }
        Ok(&self.state)
    }

    /// Takes a step of size h into `self.end`, complete but for multipliers and accelerations, and returns its error in units of
    /// the tolerance. The singular configuration is passed after this share of the step, or lies behind its start (a negative share)
    /// or ahead of its end (more than 1).
    pub fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        share: f64,
    ) -> Result<f64, StepError> {
        let (n, mut error) = (from.v.len(), f64::INFINITY);
        let mut failure = None;
        self.sequence.clear();
        for count in 1..=MOST_STEPS {
            // In steps: the singular configuration must not fall on the end of one.
            let place = share * count as f64;
            let within = 0.5 < place && place < count as f64 - 0.5;
            if within && (place - place.round()).abs() < AWAY {
                continue;
            }
            if let Err(failed) = self.march(system, from, h, count) {
                if error.is_finite() {
                    break;
                }
                // Few steps may be too long for the iteration.
                self.sequence.clear();
                failure = Some(failed);
                continue;
            }
            self.sequence.push(count);
            self.extrapolate(system, from);
            // One or two columns give differences, but no trend of them.
            let columns = self.sequence.len();
            if columns <= FIRST_JUDGED {
                continue;
            }
            // T_kk - T_k,k-1.
            let ends = self.best.iter().zip(&self.table[columns - 2]);
            for (difference, (best, last)) in self.difference.iter_mut().zip(ends) {
                *difference = best - last;
            }
            self.judged.weigh(from, &self.state);
            let (u, rest) = self.difference.split_at(n);
            let (v, x) = rest.split_at(n);
            let estimate = self.judged.root_mean_square(u, v, x);
            // Growing differences: round-off, or steps too long for an expansion.
            if estimate.is_nan() || estimate > WORSE * error {
                break;
            }
            if estimate < error {
                error = estimate;
                // The best so far is kept: later columns may be worse.
                self.end.copy_from(&self.state);
                self.end.t = from.t + h;
                let space = &system.layout().space;
                space.retract(&from.q, &self.best[..n], &mut self.end.q);
                space.normalize(&mut self.end.q);
                self.end.v.copy_from_slice(&self.best[n..2 * n]);
                self.end.x.copy_from_slice(&self.best[2 * n..]);
            }
            if estimate <= GOOD || columns == COLUMNS {
                break;
            }
        }
        match failure {
            Some(failure) if !error.is_finite() => Err(failure),
            _ => Ok(error),
        }
    }

    /// So many steps of RATTLE; the end is in `self.state`.
    fn march(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        count: usize,
    ) -> Result<(), StepError> {
        self.state.copy_from(from);
        self.rattle.restart(system, from)?;
        let step = h / count as f64;
        for index in 1..=count {
            self.next.copy_from(&self.state);
            // Not summed: the last step has to end at the end.
            self.next.t = from.t + index as f64 * step;
            let (state, next) = (&self.state, &mut self.next);
            self.rattle
                .step(system, state, step, &mut self.unjudged, next)?;
            self.rattle.accept(system, state, step, next)?;
            std::mem::swap(&mut self.state, &mut self.next);
        }
        Ok(())
    }

    /// Extrapolates (Aitken, Neville) in the square of the step from the end reached with the last number of steps: the best value is
    /// in `self.best`, row k of the table has that of the last k + 1 numbers of steps.
    fn extrapolate(&mut self, system: &Evaluator, from: &State) {
        let n = from.v.len();
        let newest = &mut self.best;
        let space = &system.layout().space;
        space.lift(&from.q, &self.state.q, &mut newest[..n]);
        newest[n..2 * n].copy_from_slice(&self.state.v);
        newest[2 * n..].copy_from_slice(&self.state.x);
        let last = self.sequence.len() - 1;
        for k in 1..=last {
            let ratio = self.sequence[last] as f64 / self.sequence[last - k] as f64;
            // Aitken and Neville in h², since RATTLE is symmetric.
            let weight = 1.0 / (ratio * ratio - 1.0);
            for (newer, older) in newest.iter_mut().zip(&mut self.table[k - 1]) {
                let before = std::mem::replace(older, *newer);
                *newer += weight * (*newer - before);
            }
        }
        self.table[last].copy_from_slice(newest);
    }

    /// Work since the crossing began.
    pub fn work(&self) -> Work {
        self.rattle.work()
    }
}
