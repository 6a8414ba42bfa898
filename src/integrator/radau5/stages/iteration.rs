//! The simplified Newton iteration.

use super::{FAILED, KEEP_DERIVATIVES, Stages};
use crate::integrator::StepError;
use crate::integrator::radau5::transform::{add, add_and_transform, decouple};
use crate::integrator::shared::implicit::solve_real_and_complex;
use crate::integrator::tableau::radau5::{ALPHA, BETA, C, GAMMA};
use crate::system::{DynamicsError, Evaluator, State};

/// The iteration from which on its rate is believed, on vector spaces as in RADAU5. On groups the first ratio of
/// corrections is up to four times the rate that follows, since the first correction leaves out how frames turn.
const JUDGED_FROM: usize = 2;
const JUDGED_FROM_ON_GROUPS: usize = 3;

/// Relative size of corrections that consist of round-off.
const ROUND_OFF: f64 = 1e-12;

/// The same with fixed steps, where no smaller step can be tried: ill-conditioned joints magnify round-off.
const STALLED: f64 = 1e-9;

impl Stages {
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
            add(&self.start, increments, &mut self.point);
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
        solve_real_and_complex(
            &mut self.real,
            &mut self.complex,
            layout,
            unknowns,
            &self.linearization,
            [real, first, second],
        )
        .map_err(|source| StepError::linear(from.t, source))?;
        Ok(self
            .weights
            .norm(h, self.right.each_ref().map(Vec::as_slice)))
    }

    fn add_corrections(&mut self) {
        add_and_transform(&self.right, &mut self.transformed, &mut self.increments);
    }
}
