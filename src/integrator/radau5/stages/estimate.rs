//! The error of a step.

use super::Stages;
use crate::integrator::StepError;
use crate::integrator::radau5::transform::{add, combine};
use crate::integrator::radau5::weights::{sum_of_few_squares, sum_of_squares};
use crate::integrator::shared::sweep::{read, write};
use crate::integrator::tableau::radau5::E;
use crate::linalg::{FusedSolve, One};
use crate::scalar::larger_or_second;
use crate::system::{Evaluator, State};
use pulp::Simd;

/// Below this the estimate is not trusted.
const SMALLEST_ERROR: f64 = 1e-10;

/// The estimate of small systems of states whose rates stand alone, x' = d, in one piece: vectors of whole columns, zero behind the last
/// unknown.
struct Filter<'a> {
    rate: &'a [f64],
    sum: &'a [f64],
    /// What the sum is multiplied by.
    by: f64,
    /// The estimate, which comes of it.
    estimate: &'a mut [f64],
    weights: &'a [f64],
}

impl FusedSolve<1> for Filter<'_> {
    /// The sum of the squares of the weighted estimate.
    type Output = f64;

    #[inline(always)]
    fn run_few<const N: usize>(self, mut one: One<1>) -> f64 {
        let [rate, sum, weights] = read::<N, 3>([self.rate, self.sum, self.weights], 0);
        let mut right = [0.0; N];
        for at in 0..N {
            right[at] = rate[at] + self.by * sum[at];
        }
        let estimate = one.solve_few([right]);
        write(&estimate, &mut [self.estimate], 0);
        sum_of_few_squares(weights, &estimate)
    }

    #[inline(always)]
    fn run<S: Simd>(self, simd: S, mut one: One<1>) -> f64 {
        let length = one.stride;
        let estimate = &mut self.estimate[..length];
        let (rate, sum) = (&self.rate[..length], &self.sum[..length]);
        for at in 0..length {
            estimate[at] = rate[at] + self.by * sum[at];
        }
        one.solve(simd, [&mut *estimate]);
        sum_of_squares(&self.weights[..length], [&*estimate])
    }
}

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
            return Ok(at_least_smallest(error));
        }
        // err~ from F(t_n, y_n + err) (8.20): on stiff components the first estimate is too large.
        let [rate, estimate, _] = &mut self.right;
        add(&self.start, estimate, &mut self.point);
        let at = (from.t, &from.q[..], &from.mode[..]);
        self.residual
            .evaluate(system, &self.unknowns, at, &self.point, rate)?;
        let error = self.filter(system, from, h, true)?;
        Ok(at_least_smallest(error))
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
        if self.unknowns.are_plain_states() {
            let filter = Filter {
                rate,
                sum,
                by: 1.0 / h,
                estimate,
                weights: self.weights.factors(),
            };
            if let Some(squares) = self.real.around(filter) {
                return Ok(self.weights.root_mean::<1>(squares));
            }
        }
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
        Ok(self.weights.norm([estimate.as_slice()]))
    }
}

/// An error that is trusted; NaN stays, and is a rejection.
fn at_least_smallest(error: f64) -> f64 {
    larger_or_second(SMALLEST_ERROR, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{Inverted, example_column, example_solver};

    /// In one piece, few unknowns or many, and step by step.
    #[test]
    fn an_estimate_in_one_piece_is_that_of_its_parts() {
        for size in 1..=6 {
            let list = |first| example_column(size, first);
            let mut solver = example_solver(size, Inverted::UpToThree);
            let (rate, sum, weights) = (list(7), list(400), list(900));
            let mut estimate = vec![0.0; rate.len()];
            let squares = solver.around(Filter {
                rate: &rate,
                sum: &sum,
                by: 0.3,
                estimate: &mut estimate,
                weights: &weights,
            });
            let parts = rate.iter().zip(&sum);
            let mut expected: Vec<f64> = parts.map(|(rate, sum)| rate + 0.3 * sum).collect();
            solver.solve([&mut expected[..size]]);
            assert_eq!(estimate, expected, "{size}");
            assert_eq!(squares, sum_of_squares(&weights, [&expected]), "{size}");
            assert!(squares > 0.0);
        }
    }
}
