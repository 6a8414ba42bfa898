//! The nonlinear system of an implicit multistep formula.

use super::states::Correction;
use super::weights::IndexWeights;
use crate::control::ErrorNorm;
use crate::integrator::shared::implicit::{Linearization, Residual, ShiftedSolver, Unknowns};
use crate::integrator::shared::sizes::{Sizes, largest};
use crate::integrator::{NewtonOptions, StepError};
use crate::linalg::KktError;
use crate::system::{DynamicsError, Evaluator, Formulation, Layout, Point, State};

/// How configurations follow velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kinematics {
    /// u' = dexp⁻¹(u) v for the derivative of the curve u(t).
    Curve,
    /// α u + c = v + factor · [v, c_v]: u/h and the earlier increments are mean velocities.
    Increments {
        /// Of the bracket with the constant part of v'.
        factor: f64,
    },
}

/// When the iteration ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// In units of the error norm, what is left of the iteration may be as large as this.
    pub limit: f64,
    /// Iterations with one matrix.
    pub max_iterations: usize,
    /// Iterate down to `limit` or round-off, with a new matrix whenever convergence is slow.
    pub exact: bool,
    /// Corrections are weighed with powers of the step as error estimates are.
    pub by_index: bool,
    /// Corrections of this size that no longer shrink are round-off.
    pub round_off: f64,
    /// Given by the user: the largest component of corrections of u, h v and x.
    pub tolerance: Option<f64>,
}

impl Rule {
    /// For steps that are judged by an error estimate: the iteration may contribute this part of the tolerance. The rate of
    /// convergence is known from two corrections only; at 0.05 a wrong one let errors of five tolerances pass.
    pub const SHARE: f64 = 0.01;

    /// Iterations before a step is given up: what converges more slowly is cheaper with a smaller step.
    const ADAPTIVE_ITERATIONS: usize = 5;

    /// Relative corrections of the multipliers that are round-off.
    const SETTLED: f64 = 1e-12;

    /// Relative accuracy of constant steps, 1e-13, in units of the default tolerance.
    const EXACT: f64 = 1e-7;

    /// In these units what may be left by round-off, 1e-9: stiff mechanisms in steps of a microsecond reach 1e-10.
    const ROUND_OFF: f64 = 1e-3;

    /// The same for the formula whose steps change by new starts only: in units of the tolerance.
    const JUDGED: f64 = 1e-3;

    /// In these units what may be left by round-off.
    const JUDGED_ROUND_OFF: f64 = 0.1;

    /// As for constant steps, but where a tolerance is given no finer than its error test can feel.
    pub fn exact_within_tolerance(options: &NewtonOptions) -> Self {
        Self {
            limit: Self::JUDGED,
            by_index: true,
            round_off: options.tolerance.unwrap_or(Self::JUDGED_ROUND_OFF),
            ..Self::exact(options)
        }
    }

    /// For constant steps.
    pub fn exact(options: &NewtonOptions) -> Self {
        Self {
            limit: Self::EXACT,
            max_iterations: options.max_iterations,
            exact: true,
            // Multipliers feel corrections of velocities in full.
            by_index: false,
            round_off: options.tolerance.unwrap_or(Self::ROUND_OFF),
            tolerance: options.tolerance,
        }
    }

    /// For steps judged by an error of `accuracy` in units of the norm.
    pub fn adaptive(options: &NewtonOptions, accuracy: f64) -> Self {
        Self {
            limit: Self::SHARE * accuracy,
            max_iterations: options.max_iterations.min(Self::ADAPTIVE_ITERATIONS),
            exact: false,
            by_index: true,
            round_off: 0.0,
            tolerance: options.tolerance,
        }
    }
}

/// One step: y' = α y + c for the differential unknowns at the end time.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub t: f64,
    pub h: f64,
    pub alpha: f64,
    /// The configuration that u is around, and the modes.
    pub from: &'a State,
    pub kinematics: Kinematics,
}

/// Solves B (α y + c) = F(t, y) by a simplified Newton iteration whose matrix is kept over many steps.
///
/// The derivatives are evaluated anew when the iteration was slow or failed, the matrix is factorized anew when α changes.
pub(super) struct Corrector {
    /// Where the parts of y stand.
    pub unknowns: Unknowns,
    residual: Residual,
    linearization: Linearization,
    /// Boxed, as it is large and a method is moved about while it is made.
    solver: Box<ShiftedSolver>,
    /// The first guess, then the solution.
    pub y: Vec<f64>,
    /// c, of the differential unknowns.
    pub constant: Vec<f64>,
    /// α y + c where it was evaluated.
    pub rate: Vec<f64>,
    /// Of errors of the differential unknowns.
    pub weights: IndexWeights,
    guess: Vec<f64>,
    correction: Vec<f64>,
    bracket: Vec<f64>,
    q: Vec<f64>,
    outdated: bool,
    alpha: Option<f64>,
    convergence: f64,
    /// Iterations since the start.
    pub iterations: usize,
}

enum Outcome {
    Converged,
    Failed(f64),
}

impl Corrector {
    /// Convergence factor that is assumed of a new matrix.
    const UNKNOWN: f64 = 0.9;

    /// Convergence is never assumed to be faster.
    const BEST: f64 = 0.05;

    /// Slower convergence asks for new derivatives.
    const SLOW: f64 = 0.2;

    /// Allocates for systems of this layout.
    pub fn new(layout: &Layout, formulation: Formulation) -> Result<Self, KktError> {
        let unknowns = Unknowns::new(layout, formulation);
        let all = || vec![0.0; unknowns.padded_len()];
        let differential = unknowns.differential();
        let index = unknowns.perturbation_index(layout);
        let solver = ShiftedSolver::new(layout, &unknowns)?;
        let linearization = Linearization::new(layout, &unknowns, solver.is_small())?;
        let residual = Residual::new(layout);
        Ok(Self {
            residual,
            linearization,
            solver: Box::new(solver),
            y: all(),
            constant: if unknowns.are_states() {
                all()
            } else {
                vec![0.0; differential.len()]
            },
            rate: all(),
            weights: IndexWeights::new(&index[differential.clone()]),
            guess: all(),
            correction: all(),
            bracket: vec![0.0; layout.dimension()],
            q: layout.state().q,
            unknowns,
            outdated: true,
            alpha: None,
            convergence: Self::UNKNOWN,
            iterations: 0,
        })
    }

    /// The linear solver, for its statistics.
    pub fn solver(&self) -> &ShiftedSolver {
        &self.solver
    }

    /// Forgets the matrix.
    pub fn restart(&mut self) {
        self.outdated = true;
    }

    /// Solves from the guess in `y`.
    #[inline]
    pub fn solve(
        &mut self,
        system: &mut Evaluator,
        step: &Step,
        norm: &ErrorNorm,
        rule: &Rule,
    ) -> Result<(), StepError> {
        let mut fresh = self.outdated;
        // New derivatives bring a new factorization; another α alone needs only that.
        if fresh {
            self.linearize(system, step)?;
        } else if self.alpha != Some(step.alpha) {
            self.factor(system, step)?;
        }
        if !fresh {
            self.guess.copy_from_slice(&self.y);
        }
        loop {
            match self.iterate(system, step, norm, rule) {
                Ok(Outcome::Converged) => return Ok(()),
                // With fresh derivatives there is nothing left to try but another step.
                Err(error) if fresh => {
                    self.outdated = true;
                    return Err(error);
                }
                Ok(Outcome::Failed(correction)) if fresh => {
                    self.outdated = true;
                    return Err(StepError::Dynamics(DynamicsError::NotConverged {
                        what: "the Newton iteration of the multistep formula",
                        t: step.t,
                        iterations: rule.max_iterations,
                        correction,
                    }));
                }
                // Derivatives of an earlier step have failed: once more from the same guess with new ones.
                _ => {
                    self.y.copy_from_slice(&self.guess);
                    self.linearize(system, step)?;
                    fresh = true;
                }
            }
        }
    }

    fn iterate(
        &mut self,
        system: &mut Evaluator,
        step: &Step,
        norm: &ErrorNorm,
        rule: &Rule,
    ) -> Result<Outcome, StepError> {
        let mut previous = f64::INFINITY;
        let mut multipliers = f64::INFINITY;
        let mut renewed = false;
        for iteration in 0..rule.max_iterations {
            // (α B - ∂F/∂y) δ = F - B (α y + c), one simplified Newton iteration.
            self.correct(system, step)?;
            self.iterations += 1;
            let size = self.correction_size(norm, step, rule);
            if !size.is_finite() {
                return Ok(Outcome::Failed(size));
            }
            let limit = rule.tolerance.unwrap_or(rule.limit);
            let ratio = size / previous;
            if iteration > 0 {
                // The rate of this iteration; an exact one does not rely on that of an earlier step.
                self.convergence = ratio;
            } else if rule.exact {
                self.convergence = Self::UNKNOWN;
            }
            // A first correction may shrink faster than those that follow.
            let trusted = if rule.exact { Self::SLOW } else { Self::BEST };
            self.convergence = self.convergence.max(trusted);
            // θ/(1 - θ) |δ| bounds the sum of all corrections that follow.
            let left = self.convergence / (1.0 - self.convergence) * size;
            // Where the constraints alone determine the velocities, the multipliers converge last.
            let settled = !rule.exact || {
                let [now, largest] = self.multiplier_correction();
                let previous = std::mem::replace(&mut multipliers, now);
                now <= Rule::SETTLED * largest || now > 0.5 * previous
            };
            if settled && (size == 0.0 || (self.convergence < 1.0 && left <= limit)) {
                return Ok(Outcome::Converged);
            }
            if iteration > 0 {
                let last = iteration + 1 == rule.max_iterations;
                // Corrections that no longer shrink, with a new matrix or at the end, are judged as round-off.
                let stalled = last || ratio >= 1.0 || (renewed && ratio > 0.5);
                if stalled && rule.exact && size <= rule.round_off {
                    return Ok(Outcome::Converged);
                }
                self.outdated = ratio > Self::SLOW;
                let remaining = (rule.max_iterations - iteration - 1) as i32;
                // The rate would not reach the limit within the iterations left (Hairer, Wanner IV.8).
                let hopeless = ratio >= 1.0 || left * ratio.powi(remaining) > limit;
                if if rule.exact { ratio >= 2.0 } else { hopeless } {
                    return Ok(Outcome::Failed(size));
                }
                renewed = rule.exact && self.outdated;
                if renewed {
                    self.linearize(system, step)?;
                }
            }
            previous = size;
        }
        Ok(Outcome::Failed(previous))
    }

    /// Largest correction of a multiplier, and the largest multiplier.
    fn multiplier_correction(&self) -> [f64; 2] {
        let lambda = self.unknowns.lambda();
        [
            largest(&self.correction[lambda.clone()]),
            largest(&self.y[lambda]),
        ]
    }

    fn correction_size(&mut self, norm: &ErrorNorm, step: &Step, rule: &Rule) -> f64 {
        if rule.tolerance.is_some() {
            let v = self.unknowns.v();
            let differential = self.unknowns.differential();
            let mut sizes = Sizes::default();
            for index in differential {
                let weight = if v.contains(&index) { step.h } else { 1.0 };
                // Only the corrections decide here: 0 stands in place of the unknowns.
                sizes.add(weight, self.correction[index], 0.0);
            }
            return sizes.correction;
        }
        let errors = &self.correction[..self.weights.len()];
        if !rule.by_index {
            return norm.root_mean_square_of(errors);
        }
        self.weights.set_step(step.h);
        self.weights.norm_of(norm, errors)
    }

    /// Corrects y by (α B - ∂F/∂y)⁻¹ (F - B (α y + c)), which is left in `correction`.
    fn correct(&mut self, system: &mut Evaluator, step: &Step) -> Result<(), StepError> {
        let at = (step.t, &step.from.q[..], &step.from.mode[..]);
        self.residual
            .evaluate(system, &self.unknowns, at, &self.y, &mut self.correction)?;
        if self.unknowns.are_plain_states() {
            let job = Correction {
                correction: &mut self.correction,
                y: &mut self.y,
                constant: &self.constant,
                alpha: step.alpha,
            };
            if self.solver.around(job).is_some() {
                return Ok(());
            }
        }
        self.subtract_rates(system.layout(), step);
        let size = self.unknowns.len();
        self.solver
            .solve(
                system.layout(),
                &self.unknowns,
                &self.linearization,
                [&mut self.correction[..size]],
            )
            .map_err(|source| StepError::linear(step.t, source))?;
        for (unknown, change) in self.y.iter_mut().zip(&self.correction) {
            *unknown += change;
        }
        Ok(())
    }

    /// F - B (α y + c) for F in `correction`.
    fn subtract_rates(&mut self, layout: &Layout, step: &Step) {
        // Increments: v + s + factor · [v, c_v] takes the place of dexp⁻¹(u) (v + s).
        if let Kinematics::Increments { factor } = step.kinematics {
            let velocity = &self.y[self.unknowns.v()];
            let rates = &self.constant[self.unknowns.v()];
            layout.space.bracket(velocity, rates, &mut self.bracket);
            let balance = &mut self.correction[self.unknowns.u()];
            for ((slot, v), bracket) in balance.iter_mut().zip(velocity).zip(&self.bracket) {
                *slot = v + factor * bracket;
            }
            for (slot, s) in balance.iter_mut().zip(&self.y[self.unknowns.s()]) {
                *slot += s;
            }
        }
        let Some(plain) = self.unknowns.plain_rates() else {
            self.evaluate_rate(step);
            self.residual
                .add_rate_matrix(&self.unknowns, -1.0, &self.rate, &mut self.correction);
            return;
        };
        // B is 1 for these and 0 for the others.
        let known = self.y[plain.clone()].iter().zip(&self.constant);
        for (slot, (y, constant)) in self.correction[plain].iter_mut().zip(known) {
            *slot -= step.alpha * y + constant;
        }
    }

    /// α y + c at the present iterate, into `rate`.
    pub fn evaluate_rate(&mut self, step: &Step) {
        let known = self.y.iter().zip(&self.constant);
        for (rate, (y, constant)) in self.rate.iter_mut().zip(known) {
            *rate = step.alpha * y + constant;
        }
    }

    /// Evaluates the derivatives at the present iterate and factorizes.
    fn linearize(&mut self, system: &mut Evaluator, step: &Step) -> Result<(), StepError> {
        // Until all derivatives have been evaluated.
        // If an evaluation fails, derivatives of two points would stand side by side.
        self.outdated = true;
        let space = &system.layout().space;
        space.retract(&step.from.q, &self.y[self.unknowns.u()], &mut self.q);
        let at = Point {
            t: step.t,
            q: &self.q,
            v: &self.y[self.unknowns.v()],
            x: &self.y[self.unknowns.x()],
            z: &self.y[self.unknowns.z()],
            lambda: &self.y[self.unknowns.lambda()],
            mode: &step.from.mode,
        };
        let acceleration = &self.y[self.unknowns.w()];
        self.linearization
            .evaluate(system, &self.unknowns, &at, acceleration)?;
        self.outdated = false;
        self.factor(system, step)
    }

    fn factor(&mut self, system: &Evaluator, step: &Step) -> Result<(), StepError> {
        // A factorization that fails leaves no matrix for any α.
        self.alpha = None;
        self.convergence = Self::UNKNOWN;
        self.solver
            .factor(
                system.layout(),
                &self.unknowns,
                &self.linearization,
                [step.alpha],
            )
            .map_err(|source| StepError::linear(step.t, source))?;
        self.alpha = Some(step.alpha);
        Ok(())
    }
}
