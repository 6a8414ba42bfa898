//! The nonlinear system of an implicit multistep formula.

use super::convergence::Verdict;
use super::iteration::{Iterate, Iteration};
use super::pairs::Pair;
use super::rule::Rule;
use super::weights::IndexWeights;
use crate::control::ErrorNorm;
use crate::integrator::StepError;
use crate::integrator::shared::implicit::{Linearization, Residual, ShiftedSolver, Unknowns};
use crate::integrator::shared::sizes::Sizes;
use crate::linalg::KktError;
use crate::scalar::largest;
use crate::system::{DynamicsError, EvaluationError, Evaluator, Formulation, Layout, Point, State};

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
/// The derivatives are evaluated anew when the iteration was slow or failed, or when they are [old](Corrector::are_old), the matrix is
/// factorized anew when α changes.
pub(super) struct Corrector {
    /// Where the parts of y stand.
    pub unknowns: Unknowns,
    residual: Residual,
    linearization: Linearization,
    /// Boxed, as it is large and a method is moved about while it is made.
    solver: Box<ShiftedSolver>,
    pub iterate: Iterate,
    /// α y + c where it was evaluated.
    pub rate: Vec<f64>,
    /// Of errors of the differential unknowns.
    pub weights: IndexWeights,
    guess: Vec<f64>,
    bracket: Vec<f64>,
    q: Vec<f64>,
    /// Accepted steps since the derivatives were evaluated, and α there.
    age: usize,
    alpha_of_derivatives: f64,
    /// Of the factorization.
    alpha: Option<f64>,
    /// All unknowns are states whose rates stand alone, x' = d, and their errors count alike.
    pub has_plain_states: bool,
}

impl Corrector {
    /// Accepted steps after which derivatives are old. CVODE keeps them for as many.
    const OLD: usize = 50;

    /// Derivatives are old for a step that is so many times as long as the one that they were evaluated for: they weigh as much more
    /// beside α.
    const LONGER: f64 = 10.0;

    /// Allocates for systems of this layout.
    pub fn new(layout: &Layout, formulation: Formulation) -> Result<Self, KktError> {
        let unknowns = Unknowns::new(layout, formulation);
        let iterate = Iterate::new(&unknowns);
        let all = || iterate.y.clone();
        let index = unknowns.perturbation_index(layout);
        let solver = ShiftedSolver::new(layout, &unknowns)?;
        let linearization = Linearization::new(layout, &unknowns, solver.is_small())?;
        let residual = Residual::new(layout);
        let weights = IndexWeights::new(&index[unknowns.differential()]);
        Ok(Self {
            residual,
            linearization,
            solver: Box::new(solver),
            rate: all(),
            guess: all(),
            iterate,
            bracket: vec![0.0; layout.dimension()],
            q: layout.state().q,
            age: 0,
            alpha_of_derivatives: 0.0,
            alpha: None,
            has_plain_states: unknowns.are_plain_states() && !weights.vary(),
            weights,
            unknowns,
        })
    }

    /// The linear solver, for its statistics.
    pub fn solver(&self) -> &ShiftedSolver {
        &self.solver
    }

    /// Iterations since the start.
    pub fn iterations(&self) -> usize {
        self.iterate.pace.iterations()
    }

    /// Whether derivatives are evaluated anew although the iteration seems fast: after so many accepted steps
    /// ([`OLD`](Self::OLD)), and for a step that is so much longer than the one they were evaluated for
    /// ([`LONGER`](Self::LONGER)).
    ///
    /// They are of an earlier motion then, and the iteration may be slow without a sign of it. With derivatives that are
    /// too large by orders of magnitude corrections are too small, the first one ends the iteration, and nobody learns
    /// how fast it converges. Those of a jump of van der Pol's oscillator held its velocity where it was for the slow
    /// motion behind the jump, and its position was off by thousands of tolerances in the end.
    #[inline]
    fn are_old(&self, step: &Step) -> bool {
        self.age >= Self::OLD || step.alpha * Self::LONGER < self.alpha_of_derivatives
    }

    /// The last step was accepted. (Tries do not count: a step that is repeated is to have the same matrix.)
    #[inline]
    pub fn accept(&mut self) {
        self.age += 1;
    }

    /// Forgets the matrix.
    pub fn restart(&mut self) {
        self.iterate.pace.outdated = true;
    }

    /// Solves from the guess in `y`, which somebody may keep by pairs.
    #[inline]
    pub fn solve(
        &mut self,
        system: &mut Evaluator,
        step: &Step,
        norm: &ErrorNorm,
        rule: &Rule,
        kept: Option<&[Pair]>,
    ) -> Result<(), StepError> {
        let fresh = self.iterate.pace.outdated || (rule.renews && self.are_old(step));
        // New derivatives bring a new factorization; another α alone needs only that.
        if fresh {
            self.linearize(system, step)?;
        } else if self.alpha != Some(step.alpha) {
            self.factor(system, step)?;
        }
        if !fresh && kept.is_none() {
            self.guess.copy_from_slice(&self.iterate.y);
        }
        match self.correct(system, step, norm, rule, fresh)? {
            None => Ok(()),
            Some(correction) if fresh => self.give_up(step, rule, correction),
            Some(_) => self.solve_anew(system, step, norm, rule, kept),
        }
    }

    /// Derivatives of an earlier step have failed: once more from the same guess with new ones.
    #[cold]
    #[inline(never)]
    fn solve_anew(
        &mut self,
        system: &mut Evaluator,
        step: &Step,
        norm: &ErrorNorm,
        rule: &Rule,
        kept: Option<&[Pair]>,
    ) -> Result<(), StepError> {
        let guess = kept.map_or(&self.guess[..], <[Pair]>::as_flattened);
        self.iterate.y[..guess.len()].copy_from_slice(guess);
        self.linearize(system, step)?;
        match self.correct(system, step, norm, rule, true)? {
            None => Ok(()),
            Some(correction) => self.give_up(step, rule, correction),
        }
    }

    /// With fresh derivatives there is nothing left to try but another step.
    #[cold]
    fn give_up(&mut self, step: &Step, rule: &Rule, correction: f64) -> Result<(), StepError> {
        self.iterate.pace.outdated = true;
        Err(StepError::Dynamics(DynamicsError::NotConverged {
            what: "the Newton iteration of the multistep formula",
            t: step.t,
            iterations: rule.max_iterations,
            correction,
        }))
    }

    /// Corrects y until corrections are small enough; the size of the last one where they do not get there. What fails
    /// without `fresh` derivatives is tried with them before that counts.
    #[inline]
    fn correct(
        &mut self,
        system: &mut Evaluator,
        step: &Step,
        norm: &ErrorNorm,
        rule: &Rule,
        fresh: bool,
    ) -> Result<Option<f64>, StepError> {
        if rule.max_iterations == 0 {
            return Ok(Some(f64::INFINITY));
        }
        self.iterate.pace.begin();
        loop {
            let verdict = match self.correct_plain_states(system, step, norm, rule) {
                Some(Ok(verdict)) => verdict,
                Some(Err(error)) => return self.interrupted(error.into(), fresh),
                None => match self.correct_once(system, step, norm, rule) {
                    Ok(verdict) => verdict,
                    Err(error) => return self.interrupted(error, fresh),
                },
            };
            match verdict {
                Verdict::GoOn => {}
                Verdict::Renew => {
                    if let Err(error) = self.linearize(system, step) {
                        return self.interrupted(error, fresh);
                    }
                }
                Verdict::Converged => return Ok(None),
                Verdict::Failed(size) => return Ok(Some(size)),
            }
        }
    }

    /// An evaluation or a solution has failed.
    #[cold]
    fn interrupted(&mut self, error: StepError, fresh: bool) -> Result<Option<f64>, StepError> {
        if !fresh {
            return Ok(Some(f64::NAN));
        }
        self.iterate.pace.outdated = true;
        Err(error)
    }

    /// Corrects y until the iteration ends or needs another matrix, where that can be done in one piece.
    #[inline]
    fn correct_plain_states(
        &mut self,
        system: &mut Evaluator,
        step: &Step,
        norm: &ErrorNorm,
        rule: &Rule,
    ) -> Option<Result<Verdict, EvaluationError>> {
        if !self.has_plain_states {
            return None;
        }
        self.solver.around(Iteration {
            system,
            step,
            norm,
            rule,
            iterate: &mut self.iterate,
        })
    }

    fn correction_size(&mut self, norm: &ErrorNorm, step: &Step, rule: &Rule) -> f64 {
        if rule.by_largest {
            let v = self.unknowns.v();
            let differential = self.unknowns.differential();
            let mut sizes = Sizes::default();
            for index in differential {
                let weight = if v.contains(&index) { step.h } else { 1.0 };
                // Only the corrections decide here: 0 stands in place of the unknowns.
                sizes.add(weight, self.iterate.correction[index], 0.0);
            }
            return sizes.correction;
        }
        let errors = &self.iterate.correction[..self.weights.len()];
        if !rule.by_index {
            return norm.root_mean_square_of(errors);
        }
        self.weights.set_share(norm.share_of_time(step.h));
        self.weights.norm_of(norm, errors)
    }

    /// Corrects y by (α B - ∂F/∂y)⁻¹ (F - B (α y + c)), and says what that means.
    #[inline(never)]
    fn correct_once(
        &mut self,
        system: &mut Evaluator,
        step: &Step,
        norm: &ErrorNorm,
        rule: &Rule,
    ) -> Result<Verdict, StepError> {
        let at = (step.t, &step.from.q[..], &step.from.mode[..]);
        let Iterate { y, correction, .. } = &mut self.iterate;
        self.residual
            .evaluate(system, &self.unknowns, at, y, correction)?;
        self.subtract_rates(system.layout(), step);
        let size = self.unknowns.len();
        self.solver
            .solve(
                system.layout(),
                &self.unknowns,
                &self.linearization,
                [&mut self.iterate.correction[..size]],
            )
            .map_err(|source| StepError::linear(step.t, source))?;
        let Iterate { y, correction, .. } = &mut self.iterate;
        for (unknown, change) in y.iter_mut().zip(correction) {
            *unknown += *change;
        }
        let size = self.correction_size(norm, step, rule);
        let lambda = self.unknowns.lambda();
        let Iterate {
            y,
            correction,
            pace,
            ..
        } = &mut self.iterate;
        let multipliers = || [largest(&correction[lambda.clone()]), largest(&y[lambda])];
        Ok(pace.judge(rule, size, multipliers))
    }

    /// F - B (α y + c) for F in `correction`.
    fn subtract_rates(&mut self, layout: &Layout, step: &Step) {
        // Increments: v + s + factor · [v, c_v] takes the place of dexp⁻¹(u) (v + s).
        if let Kinematics::Increments { factor } = step.kinematics {
            let velocity = &self.iterate.y[self.unknowns.v()];
            let rates = &self.iterate.constant[self.unknowns.v()];
            layout.space.bracket(velocity, rates, &mut self.bracket);
            let balance = &mut self.iterate.correction[self.unknowns.u()];
            for ((slot, v), bracket) in balance.iter_mut().zip(velocity).zip(&self.bracket) {
                *slot = v + factor * bracket;
            }
            for (slot, s) in balance.iter_mut().zip(&self.iterate.y[self.unknowns.s()]) {
                *slot += s;
            }
        }
        let Some(plain) = self.unknowns.plain_rates() else {
            self.evaluate_rate(step);
            self.residual.add_rate_matrix(
                &self.unknowns,
                -1.0,
                &self.rate,
                &mut self.iterate.correction,
            );
            return;
        };
        // B is 1 for these and 0 for the others.
        let known = self.iterate.y[plain.clone()]
            .iter()
            .zip(&self.iterate.constant);
        for (slot, (y, constant)) in self.iterate.correction[plain].iter_mut().zip(known) {
            *slot -= step.alpha * y + constant;
        }
    }

    /// α y + c at the present iterate, into `rate`.
    pub fn evaluate_rate(&mut self, step: &Step) {
        let known = self.iterate.y.iter().zip(&self.iterate.constant);
        for (rate, (y, constant)) in self.rate.iter_mut().zip(known) {
            *rate = step.alpha * y + constant;
        }
    }

    /// Evaluates the derivatives at the present iterate and factorizes.
    fn linearize(&mut self, system: &mut Evaluator, step: &Step) -> Result<(), StepError> {
        // Until all derivatives have been evaluated.
        // If an evaluation fails, derivatives of two points would stand side by side.
        self.iterate.pace.outdated = true;
        let space = &system.layout().space;
        space.retract(
            &step.from.q,
            &self.iterate.y[self.unknowns.u()],
            &mut self.q,
        );
        let at = Point {
            t: step.t,
            q: &self.q,
            v: &self.iterate.y[self.unknowns.v()],
            x: &self.iterate.y[self.unknowns.x()],
            z: &self.iterate.y[self.unknowns.z()],
            lambda: &self.iterate.y[self.unknowns.lambda()],
            mode: &step.from.mode,
        };
        let acceleration = &self.iterate.y[self.unknowns.w()];
        self.linearization
            .evaluate(system, &self.unknowns, &at, acceleration)?;
        self.iterate.pace.outdated = false;
        self.age = 0;
        self.alpha_of_derivatives = step.alpha;
        self.factor(system, step)
    }

    fn factor(&mut self, system: &Evaluator, step: &Step) -> Result<(), StepError> {
        // A factorization that fails leaves no matrix for any α.
        self.alpha = None;
        self.iterate.pace.forget();
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
