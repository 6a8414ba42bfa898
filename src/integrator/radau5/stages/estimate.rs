//! The error of a step.

use super::Stages;
use crate::integrator::StepError;
use crate::integrator::radau5::transform::{add, combine};
use crate::integrator::tableau::radau5::E;
use crate::system::{Evaluator, State};

/// Below this the estimate is not trusted.
const SMALLEST_ERROR: f64 = 1e-10;

impl Stages {
    /// The weighted norm of the error estimate; `cautious` filters it once more if it is too large.
    #[inline]
    pub fn error(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        cautious: bool,
    ) -> Result<f64, StepError> {
        let [_, _, sum] = &mut self.right;
        combine(&E, &self.increments, sum);
        let error = self.filter(system, from, h, false)?;
        if error < 1.0 || !cautious || !error.is_finite() {
            return Ok(at_least(error, SMALLEST_ERROR));
        }
        // err~ from F(t_n, y_n + err) (8.20): on stiff components the first estimate is too large.
        let [rate, estimate, _] = &mut self.right;
        add(&self.start, estimate, &mut self.point);
        let at = (from.t, &from.q[..], &from.mode[..]);
        self.residual
            .evaluate(system, &self.unknowns, at, &self.point, rate)?;
        let error = self.filter(system, from, h, true)?;
        Ok(at_least(error, SMALLEST_ERROR))
    }

    /// Solves (γ₀/h B - J) err = F + B (e_1 Z_1 + e_2 Z_2 + e_3 Z_3) / h (8.19); the weighted norm of err. F is that of the start, or
    /// the first of `self.right`, in which err and the sum of increments are the second and the third.
    fn filter(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        evaluated_again: bool,
    ) -> Result<f64, StepError> {
        let [rate, estimate, sum] = &mut self.right;
        let rate = if evaluated_again {
            rate
        } else {
            &self.start_rate
        };
        let change = (1.0 / h, &sum[..]);
        self.residual
            .with_rate_matrix(&self.unknowns, rate, change, estimate);
        let size = self.unknowns.len();
        self.real
            .solve(
                system.layout(),
                &self.unknowns,
                &self.linearization,
                [&mut estimate[..size]],
            )
            .map_err(|source| StepError::linear(from.t, source))?;
        Ok(self.weights.norm(h, [estimate.as_slice()]))
    }
}

/// The larger of two numbers; an error that is not a number stays one, and is a rejection.
fn at_least(error: f64, smallest: f64) -> f64 {
    if error < smallest { smallest } else { error }
}
