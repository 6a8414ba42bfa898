//! The equations of a step: simplified Newton iteration and error estimate.

use super::collocation::Collocation;
use super::transform::{add_and_transform, combine, decouple, transform};
use super::weights::Weights;
use crate::integrator::StepError;
use crate::integrator::shared::implicit::{Linearization, Residual, ShiftedSolver, Unknowns};
use crate::integrator::tableau::radau5::{ALPHA, BETA, C, E, GAMMA, STAGES, T_INVERSE};
use crate::linalg::KktError;
use crate::manifold::Manifold;
use crate::system::{DynamicsError, EvaluationError, Evaluator, Formulation, Layout, Point, State};

/// Iterations within which the simplified Newton iteration should converge.
pub(super) const ITERATIONS: usize = 7;

/// How much better than just sufficient convergence should be for a step to grow.
const CAUTION: f64 = 0.03;

/// What a step is shrunk by when the iteration diverges.
const FAILED: f64 = 0.5;

/// The iteration from which on its rate is believed, on vector spaces as in RADAU5. On groups the first ratio of
/// corrections is up to four times the rate that follows, since the first correction leaves out how frames turn.
const JUDGED_FROM: usize = 2;
const JUDGED_FROM_ON_GROUPS: usize = 3;

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
    real: ShiftedSolver,
    complex: ShiftedSolver,
    /// The unknowns at the start of the step, and F there.
    start: Vec<f64>,
    start_rate: Vec<f64>,
    /// Whether `start` belongs to the step about to be taken.
    start_known: bool,
    /// Increments of the stages, and these in the variables W = T⁻¹ Z that decouple the equations.
    increments: [Vec<f64>; STAGES],
    transformed: [Vec<f64>; STAGES],
    right: [Vec<f64>; STAGES],
    point: Vec<f64>,
    /// The predicted state in the middle of a step.
    middle: State,
    /// Failures of the iteration from this start.
    failures: usize,
    derivatives: Derivatives,
    factored_for: Option<f64>,
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
        let values = || vec![0.0; unknowns.len()];
        let stages = || [values(), values(), values()];
        let real = ShiftedSolver::real(layout, &unknowns)?;
        let complex = ShiftedSolver::complex(layout, &unknowns)?;
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
            start: values(),
            start_rate: values(),
            start_known: false,
            increments: stages(),
            transformed: stages(),
            right: stages(),
            point: values(),
            middle: layout.state(),
            failures: 0,
            derivatives: Derivatives::Missing,
            factored_for: None,
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
        self.derivatives = Derivatives::Missing;
        self.rate = 0.0;
        self.remainder = 1.0;
        self.last_step = 0.0;
        self.failures = 0;
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
    pub fn begin(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        norm: &mut crate::control::ErrorNorm,
    ) -> Result<bool, StepError> {
        if self.start_known {
            return Ok(true);
        }
        let unknowns = &self.unknowns;
        // What has no rate goes on from the last stage: corrections are no part of the state, and whether somebody has
        // had it completed must not change the run.
        let carried = unknowns.without_rate();
        for at in carried.clone() {
            self.point[at] = self.start[at] + self.increments[STAGES - 1][at];
        }
        unknowns.load(from, &mut self.start);
        if self.collocation.known {
            // Multipliers carried on from the last stage, not those of a completed state.
            self.start[carried.clone()].copy_from_slice(&self.point[carried]);
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
            let linear = |source| StepError::linear(from.t, source);
            // Eigenvalues of the inverse coefficient matrix over h: γ/h, (α ± i β)/h (8.13).
            self.real
                .factor(&self.unknowns, &self.linearization, [GAMMA / h, 0.0])
                .map_err(linear)?;
            self.complex
                .factor(&self.unknowns, &self.linearization, [ALPHA / h, BETA / h])
                .map_err(linear)?;
            self.factored_for = Some(h);
        }
        Ok(())
    }

    /// Derivatives at the start of a step, as in RADAU5, or on groups in its predicted middle: frames turn by h ω during
    /// the step, and the iteration converges with the largest angle between its matrix and a stage.
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

    /// First guesses from the last step's polynomial, or the state at the start.
    pub fn predict(&mut self, system: &Evaluator, from: &State, h: f64) {
        let (space, unknowns) = (&system.layout().space, &self.unknowns);
        if self.collocation.known && space.is_euclidean() {
            let matrix = self.collocation.continuation(h);
            transform(&matrix, self.collocation.stages(), &mut self.increments);
        } else if self.collocation.known {
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
        // W = T⁻¹ Z decouples the three stages into a real and a complex system.
        transform(&T_INVERSE, &self.increments, &mut self.transformed);
    }

    /// Solves for the stages; the number of iterations it took.
    pub fn iterate(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        (limit, fixed): (usize, bool),
    ) -> Result<usize, StepError> {
        let (mut last, mut last_ratio) = (0.0, 0.0);
        self.retry = FAILED;
        // The convergence of the last step, made more careful by the power 0.8 (IV.8).
        self.remainder = self.remainder.max(f64::EPSILON).powf(0.8);
        self.rate = KEEP_DERIVATIVES;
        let tolerance = self.weights.newton;
        let space = &system.layout().space;
        let as_original = self.follows_the_original(space);
        let judged_from = if space.is_euclidean() {
            JUDGED_FROM
        } else {
            JUDGED_FROM_ON_GROUPS
        };
        for iteration in 1..=limit {
            let correction = self.correct(system, from, h)?;
            self.newton_iterations += 1;
            if iteration == 1 {
                self.first_correction = correction;
            }
            let failed = DynamicsError::NotConverged {
                what: "the simplified Newton iteration of the stages",
                t: from.t,
                iterations: iteration,
                correction,
            };
            if !correction.is_finite() {
                return Err(failed.into());
            }
            if iteration > 1 && iteration < limit {
                let ratio = correction / last;
                self.rate = if iteration == 2 {
                    ratio
                } else {
                    (ratio * last_ratio).sqrt()
                };
                last_ratio = ratio;
                // Corrections at round-off do not shrink any more.
                let round_off = if fixed { STALLED } else { ROUND_OFF };
                let stalled = ratio > 0.5 && correction * self.weights.relative <= round_off;
                // Divergence: θ near 1.
                if self.rate >= 0.99 && !stalled {
                    return Err(failed.into());
                }
                if stalled {
                    self.add_corrections();
                    return Ok(iteration);
                }
                self.remainder = self.rate / (1.0 - self.rate);
                // θ^(k_max - k) / (1 - θ) |ΔW| ≥ κ: it would not get there in time (8.11).
                let left = (limit - 1 - iteration) as i32;
                let expected = self.remainder * correction * self.rate.powi(left);
                if !fixed && iteration >= judged_from && expected >= tolerance {
                    // The step at which it would: excess to the power 1 / (4 + iterations left).
                    let excess = (expected / tolerance).clamp(1e-4, 20.0);
                    self.retry = 0.8 * excess.powf(-1.0 / f64::from(4 + left));
                    return Err(failed.into());
                }
            }
            // No division by zero in the next ratio.
            last = correction.max(1e-16);
            self.add_corrections();
            // The convergence of another step size says little about constraints that a prediction over a longer step
            // violates, and the estimate would find them violated at the start of the next step.
            let trusted = iteration > 1
                || as_original
                || h <= 1.2 * self.last_step
                || self.unknowns.formulation.index() == 1;
            // η |ΔW| ≤ κ ends the iteration (8.10).
            if self.remainder * correction <= tolerance && trusted {
                self.last_step = h;
                if self.has_events && !self.collocation.known {
                    self.remainder = 1.0;
                }
                return Ok(iteration);
            }
        }
        Err(DynamicsError::NotConverged {
            what: "the simplified Newton iteration of the stages",
            t: from.t,
            iterations: limit,
            correction: last,
        }
        .into())
    }

    /// Solves for the corrections of the transformed increments, into `self.right`; their weighted norm.
    fn correct(&mut self, system: &mut Evaluator, from: &State, h: f64) -> Result<f64, StepError> {
        for (stage, increments) in self.increments.iter_mut().enumerate() {
            for (slot, (start, increment)) in self
                .point
                .iter_mut()
                .zip(self.start.iter().zip(increments.iter()))
            {
                *slot = start + increment;
            }
            // The increments have served: their place takes F.
            let at = (from.t + C[stage] * h, &from.q[..], &from.mode[..]);
            self.residual
                .evaluate(system, &self.unknowns, at, &self.point, increments)?;
        }
        // Right-hand sides: T⁻¹ F - Λ W / h.
        let [gamma, alpha, beta] = [GAMMA / h, ALPHA / h, BETA / h];
        let plain = self.residual.plain_rates(&self.unknowns);
        decouple(
            &self.increments,
            &self.transformed,
            (
                plain.as_ref().map_or(0, |range| range.end),
                [gamma, alpha, beta],
            ),
            &mut self.right,
        );
        let [real, first, second] = &mut self.right;
        if plain.is_none() {
            let [w1, w2, w3] = &self.transformed;
            let subtract = |factor: f64, from: &[f64], out: &mut [f64]| {
                self.residual
                    .add_rate_matrix(&self.unknowns, -factor, from, out);
            };
            subtract(gamma, w1, real);
            subtract(alpha, w2, first);
            subtract(-beta, w3, first);
            subtract(beta, w2, second);
            subtract(alpha, w3, second);
        }
        let (layout, unknowns) = (system.layout(), &self.unknowns);
        let linear = |source| StepError::linear(from.t, source);
        self.real
            .solve(layout, unknowns, &self.linearization, &mut [&mut real[..]])
            .map_err(linear)?;
        self.complex
            .solve(
                layout,
                unknowns,
                &self.linearization,
                &mut [&mut first[..], &mut second[..]],
            )
            .map_err(linear)?;
        Ok(self
            .weights
            .norm(h, [real.as_slice(), first.as_slice(), second.as_slice()]))
    }

    fn add_corrections(&mut self) {
        add_and_transform(&self.right, &mut self.transformed, &mut self.increments);
    }

    /// The weighted norm of the error estimate; `cautious` filters it once more if it is too large.
    pub fn error(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        cautious: bool,
    ) -> Result<f64, StepError> {
        let [_, estimate, sum] = &mut self.right;
        // (γ₀/h B - J) err = F(t_n, y_n) + B (e_1 Z_1 + e_2 Z_2 + e_3 Z_3) / h (8.19).
        combine(&E, &self.increments, sum);
        let linear = |source| StepError::linear(from.t, source);
        estimate.copy_from_slice(&self.start_rate);
        self.residual
            .add_rate_matrix(&self.unknowns, 1.0 / h, sum, estimate);
        self.real
            .solve(
                system.layout(),
                &self.unknowns,
                &self.linearization,
                &mut [&mut estimate[..]],
            )
            .map_err(linear)?;
        let error = self.weights.norm(h, [estimate.as_slice()]);
        if error < 1.0 || !cautious || !error.is_finite() {
            return Ok(at_least(error, SMALLEST_ERROR));
        }
        // err~ from F(t_n, y_n + err) (8.20): on stiff components the first estimate is too large.
        for (slot, (start, estimate)) in self
            .point
            .iter_mut()
            .zip(self.start.iter().zip(estimate.iter()))
        {
            *slot = start + estimate;
        }
        let at = (from.t, &from.q[..], &from.mode[..]);
        self.residual
            .evaluate(system, &self.unknowns, at, &self.point, estimate)?;
        self.residual
            .add_rate_matrix(&self.unknowns, 1.0 / h, sum, estimate);
        self.real
            .solve(
                system.layout(),
                &self.unknowns,
                &self.linearization,
                &mut [&mut estimate[..]],
            )
            .map_err(linear)?;
        let error = self.weights.norm(h, [estimate.as_slice()]);
        Ok(at_least(error, SMALLEST_ERROR))
    }

    /// Writes the end of the step.
    pub fn store(&mut self, layout: &Layout, from: &State, to: &mut State) {
        for (slot, (start, increment)) in self
            .point
            .iter_mut()
            .zip(self.start.iter().zip(&self.increments[STAGES - 1]))
        {
            *slot = start + increment;
        }
        // Y_3 is the end of the step: c_3 = 1.
        self.unknowns.store(&layout.space, &from.q, &self.point, to);
    }

    /// Keeps the last step for dense output.
    pub fn prepare_output(&mut self, from: &State, to: &State) {
        self.output
            .keep_between(&self.unknowns, (from, to), &self.start, &self.increments);
    }

    /// The step has been accepted.
    pub fn accept(&mut self, from: &State, h: f64) {
        self.collocation
            .keep(from, h, &self.start, &self.increments);
        self.start_known = false;
        self.failures = 0;
        if self.derivatives == Derivatives::OfThisStep {
            self.derivatives = Derivatives::OfEarlierStep;
        }
    }
}

/// The larger of two numbers; an error that is not a number stays one, and is a rejection.
fn at_least(error: f64, smallest: f64) -> f64 {
    if error < smallest { smallest } else { error }
}

/// Below this the estimate is not trusted.
const SMALLEST_ERROR: f64 = 1e-10;

/// Relative size of corrections that consist of round-off.
const ROUND_OFF: f64 = 1e-12;

/// The same with fixed steps, where no smaller step can be tried: ill-conditioned joints magnify round-off.
const STALLED: f64 = 1e-9;
