//! The equations of a step: derivatives, first guesses, simplified Newton iteration and error estimate.

mod estimate;
mod iteration;
mod states;

use super::collocation::Collocation;
use super::transform::{Prediction, UNCHANGED, eigenvalues};
use super::weights::Weights;
use crate::integrator::StepError;
use crate::integrator::shared::implicit::{Linearization, Residual, ShiftedSolver, Unknowns};
use crate::integrator::tableau::radau5::{C, STAGES};
use crate::linalg::KktError;
use crate::manifold::Manifold;
use crate::system::{EvaluationError, Evaluator, Formulation, Layout, Point, State};

/// Iterations within which the simplified Newton iteration should converge.
pub(super) const ITERATIONS: usize = 7;

/// How much better than just sufficient convergence should be for a step to grow.
const CAUTION: f64 = 0.03;

/// What a step is shrunk by when the iteration diverges.
const FAILED: f64 = 0.5;

/// Failures in a row after which derivatives are not taken in the predicted middle of the step any more.
const TRUSTED_FAILURES: usize = 2;

/// Below this rate of convergence the derivatives serve the next step as well.
const KEEP_DERIVATIVES: f64 = 1e-3;

/// All memory of the method.
pub(super) struct Stages {
    pub unknowns: Unknowns,
    pub collocation: Collocation,
    /// The polynomial of the last step, accepted or not, for dense output.
    pub output: Collocation,
    pub weights: Weights,
    linearization: Linearization,
    residual: Residual,
    real: ShiftedSolver<1>,
    complex: ShiftedSolver<2>,
    /// The unknowns at the start of the step, and F there.
    start: Vec<f64>,
    start_rate: Vec<f64>,
    /// Whether `start` belongs to the step about to be taken.
    start_known: bool,
    /// Algebraic variables of the next start, where the driver has solved their rows.
    solved: Vec<f64>,
    takes_solved: bool,
    /// Increments of the stages, and these in the variables W = T⁻¹ Z that decouple the equations.
    increments: [Vec<f64>; STAGES],
    transformed: [Vec<f64>; STAGES],
    right: [Vec<f64>; STAGES],
    /// The stages themselves: start and increments.
    points: [Vec<f64>; STAGES],
    point: Vec<f64>,
    /// The predicted state in the middle of a step.
    middle: State,
    /// Failures of the iteration from this start.
    failures: usize,
    derivatives: Derivatives,
    factored_for: Option<f64>,
    /// γ/h, α/h and β/h of the step size that was factorized for.
    eigenvalues: [f64; STAGES],
    /// Estimated rate of convergence, and θ / (1 - θ) of the last step.
    rate: f64,
    remainder: f64,
    /// Size of the last step that converged.
    last_step: f64,
    /// Starts are many. Without a polynomial the first correction of a start is the whole increment, and what the second one
    /// makes of it, a millionth, is no rate that the next step, several times longer, could be judged by: it would end after
    /// one iteration, off the constraints, where no estimate is small. RADAU5, which knows no events, judges by it after its
    /// tiny first step, and so does a run without events.
    pub has_events: bool,
    /// Norm of the first correction of the last step.
    first_correction: f64,
    pub newton_iterations: usize,
    /// What a step that did not converge should be shrunk by.
    pub retry: f64,
    /// First guesses without a last step: along the velocities and accelerations, or none as in RADAU5.
    pub guesses_from_rates: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Derivatives {
    Missing,
    OfEarlierStep,
    OfThisStep,
}

impl Stages {
    pub fn new(layout: &Layout, formulation: Formulation) -> Result<Self, KktError> {
        let unknowns = Unknowns::new(layout, formulation);
        let values = || vec![0.0; unknowns.padded_len()];
        let stages = || [values(), values(), values()];
        let real = ShiftedSolver::of_pair(layout, &unknowns)?;
        let complex = ShiftedSolver::of_pair(layout, &unknowns)?;
        let small = real.is_small() || complex.is_small();
        let linearization = Linearization::new(layout, &unknowns, small)?;
        Ok(Self {
            collocation: Collocation::new(layout, &unknowns),
            output: Collocation::new(layout, &unknowns),
            weights: Weights::new(layout, &unknowns),
            linearization,
            residual: Residual::new(layout),
            real,
            complex,
            points: stages(),
            start: values(),
            start_rate: values(),
            start_known: false,
            solved: vec![0.0; unknowns.z().len()],
            takes_solved: false,
            increments: stages(),
            transformed: stages(),
            right: stages(),
            point: values(),
            middle: layout.state(),
            failures: 0,
            derivatives: Derivatives::Missing,
            factored_for: None,
            eigenvalues: [0.0; STAGES],
            rate: 0.0,
            remainder: 1.0,
            last_step: 0.0,
            has_events: false,
            first_correction: 0.0,
            newton_iterations: 0,
            retry: FAILED,
            guesses_from_rates: false,
            unknowns,
        })
    }

    /// Forgets the history.
    pub fn restart(&mut self) {
        self.collocation.known = false;
        self.start_known = false;
        self.takes_solved = false;
        self.derivatives = Derivatives::Missing;
        self.rate = 0.0;
        self.remainder = 1.0;
        self.last_step = 0.0;
        self.failures = 0;
    }

    /// The next start has the algebraic variables of this state.
    pub fn take_solved(&mut self, to: &State) {
        self.solved.copy_from_slice(&to.z);
        self.takes_solved = true;
    }

    /// Factorizations and solutions so far.
    pub fn work(&self) -> (usize, usize) {
        let [real, complex] = [self.real.work(), self.complex.work()];
        (real.0 + complex.0, real.1 + complex.1)
    }

    /// Whether convergence was so fast that derivatives and, at the same step size, factorizations stay in use.
    pub fn keeps_derivatives(&self) -> bool {
        self.rate <= KEEP_DERIVATIVES
    }

    /// Whether convergence is judged as in RADAU5: it does not limit a step before it fails, and that of another step size
    /// counts. Otherwise, on groups and in the stabilized form with its larger matrices, failures would be frequent.
    fn follows_the_original(&self, space: &Manifold) -> bool {
        space.is_euclidean() && !self.unknowns.formulation.is_stabilized()
    }

    /// How much longer the next step may be, at least 1, to converge within [`ITERATIONS`]: the rate of convergence is
    /// proportional to h, the error of first guesses to h⁴.
    #[inline]
    pub fn largest_growth(&self, space: &Manifold) -> f64 {
        if self.follows_the_original(space) {
            return f64::INFINITY;
        }
        let powers = ITERATIONS as i32 - 1;
        // Correction number 7 of a step longer by r is first · rate⁶ · r^(6+4): it should be CAUTION κ.
        let last = self.first_correction * self.rate.powi(powers);
        (CAUTION * self.weights.newton / last)
            .powf(1.0 / f64::from(powers + 4))
            .max(1.0)
    }

    /// Loads the start of a step unless it is a repetition; whether it is one.
    #[inline]
    pub fn begin(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        norm: &mut crate::control::ErrorNorm,
    ) -> Result<bool, StepError> {
        if self.start_known {
            // Of the end of a step that is repeated.
            self.takes_solved = false;
            return Ok(true);
        }
        let unknowns = &self.unknowns;
        unknowns.load(from, &mut self.start);
        if self.collocation.known {
            // What has no rate goes on from the last stage: corrections are no part of the state, and whether somebody has
            // had it completed must not change the run.
            let carried = unknowns.without_rate();
            self.collocation
                .end(carried.clone(), &mut self.start[carried]);
        }
        if std::mem::take(&mut self.takes_solved) {
            self.start[unknowns.z()].copy_from_slice(&self.solved);
        }
        self.residual.evaluate(
            system,
            unknowns,
            (from.t, &from.q, &from.mode),
            &self.start,
            &mut self.start_rate,
        )?;
        self.weights.load(unknowns, norm, from, &self.start);
        self.start_known = true;
        Ok(false)
    }

    /// Derivatives and factorizations for a step of size `h`.
    #[inline]
    pub fn prepare(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        repeated: bool,
    ) -> Result<(), StepError> {
        // A repetition means that the iteration or the error failed: it gets derivatives of its own.
        let stale = match self.derivatives {
            Derivatives::Missing => true,
            Derivatives::OfEarlierStep => repeated || !self.keeps_derivatives(),
            Derivatives::OfThisStep => false,
        };
        if stale {
            self.derivatives = Derivatives::Missing;
            self.factored_for = None;
            self.linearize(system, from, h)?;
            self.derivatives = Derivatives::OfThisStep;
        }
        if self.factored_for != Some(h) {
            self.factored_for = None;
            let layout = system.layout();
            let linear = |source| StepError::linear(from.t, source);
            self.eigenvalues = eigenvalues(h);
            let [gamma, alpha, beta] = self.eigenvalues;
            let (unknowns, linearization) = (&self.unknowns, &self.linearization);
            self.real
                .factor(layout, unknowns, linearization, [gamma])
                .map_err(linear)?;
            system.check_time()?;
            let layout = system.layout();
            self.complex
                .factor(layout, unknowns, linearization, [alpha, beta])
                .map_err(linear)?;
            self.factored_for = Some(h);
        }
        Ok(())
    }

    /// Derivatives at the start of a step, as in RADAU5, or on groups in its predicted middle: frames turn by h ω during
    /// the step, and the iteration converges with the largest angle between its matrix and a stage.
    #[inline]
    fn linearize(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
    ) -> Result<(), EvaluationError> {
        let (space, unknowns) = (&system.layout().space, &self.unknowns);
        let trusted = self.collocation.known && self.failures < TRUSTED_FAILURES;
        if space.is_euclidean() || !trusted {
            // Not the state's own multipliers: who has them completed must not change the run.
            let at = Point {
                z: &self.start[unknowns.z()],
                lambda: &self.start[unknowns.lambda()],
                ..from.point()
            };
            let acceleration = &self.start[unknowns.w()];
            return self
                .linearization
                .evaluate(system, unknowns, &at, acceleration);
        }
        self.middle.t = from.t + 0.5 * h;
        self.middle.mode.copy_from_slice(&from.mode);
        // Extrapolated by half a step along the last polynomial.
        self.collocation
            .extrapolate(space, unknowns, &from.q, self.middle.t, &mut self.point);
        for (slot, start) in self.point.iter_mut().zip(&self.start) {
            *slot += start;
        }
        unknowns.store(space, &from.q, &self.point, &mut self.middle);
        let acceleration = &self.point[unknowns.w()];
        self.linearization
            .evaluate(system, unknowns, &self.middle.point(), acceleration)
    }

    /// The iteration has failed. If it does so again from the same start, the prediction was no good, and derivatives at
    /// the start replace those in the middle.
    pub fn count_failure(&mut self) {
        self.failures += 1;
        if self.failures == TRUSTED_FAILURES {
            self.derivatives = Derivatives::Missing;
        }
    }

    /// First guesses from the last step's polynomial, or the state at the start: that of states x below their absolute tolerances, too.
    /// Their extrapolation over a longer step may be of any size and sign within the tolerance, where iterations end and leave it; on
    /// Robertson's reaction concentrations became negative by that, from where the solution escapes.
    #[inline]
    pub fn predict(&mut self, system: &Evaluator, from: &State, h: f64) {
        self.extrapolate(system, from, h);
        for &at in &self.weights.negligible {
            for (w, point) in self.transformed.iter_mut().zip(&mut self.points) {
                (w[at], point[at]) = (0.0, self.start[at]);
            }
        }
    }

    #[inline]
    fn extrapolate(&mut self, system: &Evaluator, from: &State, h: f64) {
        let (space, unknowns) = (&system.layout().space, &self.unknowns);
        if self.collocation.known && space.is_euclidean() {
            let prediction = Prediction {
                mix: &self.collocation.continuation(h),
                increments: self.collocation.step().1,
                start: &self.start,
            };
            return prediction.write(&mut self.transformed, &mut self.points);
        }
        if self.collocation.known {
            for (increments, c) in self.increments.iter_mut().zip(C) {
                let t = from.t + c * h;
                self.collocation
                    .extrapolate(space, unknowns, &from.q, t, increments);
            }
        } else {
            for (increments, c) in self.increments.iter_mut().zip(C) {
                increments.fill(0.0);
                if self.guesses_from_rates {
                    let span = c * h;
                    for ((u, v), w) in unknowns.u().zip(unknowns.v()).zip(unknowns.w()) {
                        let change = span * self.start[w];
                        increments[v] = change;
                        increments[u] = span * (self.start[v] + 0.5 * change);
                    }
                }
            }
        }
        // `W = T⁻¹ Z` decouples the three stages into a real and a complex system.
        let prediction = Prediction {
            mix: &UNCHANGED,
            increments: &self.increments,
            start: &self.start,
        };
        prediction.write(&mut self.transformed, &mut self.points);
    }

    /// Writes the end of the step.
    #[inline]
    pub fn store(&mut self, layout: &Layout, from: &State, to: &mut State) {
        // Y_3 is the end of the step: c_3 = 1.
        let end = &self.points[STAGES - 1];
        self.unknowns.store(&layout.space, &from.q, end, to);
    }

    /// Keeps the last step for dense output.
    pub fn prepare_output(&mut self, from: &State, to: &State) {
        let (start, increments) = if self.start_known {
            (&self.start[..], &self.increments)
        } else {
            // The step has been accepted.
            self.collocation.step()
        };
        self.output
            .keep_between(&self.unknowns, (from, to), start, increments);
    }

    /// The step has been accepted.
    #[inline]
    pub fn accept(&mut self, from: &State, h: f64) {
        self.collocation
            .take(from, h, &mut self.start, &mut self.increments);
        self.start_known = false;
        self.failures = 0;
        if self.derivatives == Derivatives::OfThisStep {
            self.derivatives = Derivatives::OfEarlierStep;
        }
    }
}
