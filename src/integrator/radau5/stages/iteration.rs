//! The simplified Newton iteration.

use super::states::AtOnce;
use super::{FAILED, KEEP_DERIVATIVES, Stages};
use crate::integrator::StepError;
use crate::integrator::radau5::transform::{Corrected, cut, cut_mut, decouple};
use crate::integrator::shared::implicit::{Answers, solve_real_and_complex};
use crate::integrator::tableau::radau5::STAGES;
use crate::linalg::{KktError, all_finite};
use crate::system::{DynamicsError, Evaluator, Layout, State};

/// The iteration from which on its rate is believed, on vector spaces as in RADAU5. On groups the first ratio of
/// corrections is up to four times the rate that follows, since the first correction leaves out how frames turn.
const JUDGED_FROM: usize = 2;
const JUDGED_FROM_ON_GROUPS: usize = 3;

/// Relative size of corrections that consist of round-off.
const ROUND_OFF: f64 = 1e-12;

/// The same where ill-conditioned joints magnify round-off: with fixed steps, where no smaller step can be tried, ...
const STALLED: f64 = 1e-9;

/// ... and below this share of what the iteration is to leave, where a smaller step would not help.
const FAR_BELOW: f64 = 0.1;

#[cold]
fn not_converged(t: f64, iterations: usize, correction: f64) -> StepError {
    let error = DynamicsError::NotConverged {
        what: "the simplified Newton iteration of the stages",
        t,
        iterations,
        correction,
    };
    error.into()
}

impl Stages {
    /// Solves for the stages; the number of iterations it took.
    #[inline]
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
            if !correction.is_finite() {
                return Err(not_converged(from.t, iteration, correction));
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
                let magnified = fixed || correction <= FAR_BELOW * tolerance;
                let round_off = if magnified { STALLED } else { ROUND_OFF };
                let stalled = ratio > 0.5 && correction * self.weights.relative() <= round_off;
                // Divergence: θ near 1.
                if self.rate >= 0.99 && !stalled {
                    return Err(not_converged(from.t, iteration, correction));
                }
                if stalled {
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
                    return Err(not_converged(from.t, iteration, correction));
                }
            }
            // No division by zero in the next ratio.
            last = correction.max(1e-16);
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
        Err(not_converged(from.t, limit, last))
    }

    /// Corrects the increments; the weighted norm of the corrections of the transformed ones.
    #[inline]
    fn correct(&mut self, system: &mut Evaluator, from: &State, h: f64) -> Result<f64, StepError> {
        self.evaluate_stages(system, from, h, Answers::ToSolveWith)?;
        match self.correct_at_once() {
            AtOnce::Corrected(squares) => return Ok(self.weights.root_mean::<STAGES>(squares)),
            AtOnce::NotOffered if self.right.iter().all(|f| all_finite(f)) => {}
            AtOnce::NotOffered | AtOnce::NotFinite => {
                // The reason, by name. Where every answer is finite, what they were mixed to has overflowed.
                system
                    .uncounted(|system| self.evaluate_stages(system, from, h, Answers::Checked))?;
                return Ok(f64::NAN);
            }
        }
        self.correct_all(system.layout())
            .map_err(|source| StepError::linear(from.t, source))?;
        Ok(self.weights.norm(self.right.each_ref().map(Vec::as_slice)))
    }

    /// Corrects the increments, F being in `self.right`, where the corrections are left.
    fn correct_all(&mut self, layout: &Layout) -> Result<(), KktError> {
        let length = self.start.len();
        // Right-hand sides: T⁻¹ F - Λ W / h.
        let plain = self.unknowns.plain_rates();
        decouple(
            cut_mut(&mut self.right, length),
            cut(&self.transformed, length),
            (
                plain.as_ref().map_or(0, |range| range.end),
                self.eigenvalues,
            ),
        );
        let [real, first, second] = &mut self.right;
        if plain.is_none() {
            let [w1, w2, w3] = &self.transformed;
            let subtract = |factor: f64, from: &[f64], out: &mut [f64]| {
                self.residual
                    .add_rate_matrix(&self.unknowns, -factor, from, out);
            };
            let [gamma, alpha, beta] = self.eigenvalues;
            subtract(gamma, w1, real);
            subtract(alpha, w2, first);
            subtract(-beta, w3, first);
            subtract(beta, w2, second);
            subtract(alpha, w3, second);
        }
        let size = self.unknowns.len();
        solve_real_and_complex(
            &mut self.real,
            &mut self.complex,
            layout,
            &self.unknowns,
            &self.linearization,
            [&mut real[..size], &mut first[..size], &mut second[..size]],
        )?;
        let corrected = Corrected {
            start: &self.start,
            w: cut_mut(&mut self.transformed, length),
            z: cut_mut(&mut self.increments, length),
            points: cut_mut(&mut self.points, length),
        };
        corrected.change_by(cut(&self.right, length));
        Ok(())
    }
}
