//! Semismooth Newton method on the Fischer-Burmeister function.

use super::complete_lu::CompleteLu;
use super::fit;
use super::scaled::largest;
use super::standard::{Attempt, Outcome, Standard};

/// The iteration has converged when the function is below this everywhere, relative to the largest `z` (or 1).
const CONVERGED: f64 = 1e-11;
/// Pivots of the Newton matrix below this make it singular.
const SINGULAR: f64 = 1e-13;
/// Fraction of the predicted decrease that a step must reach (Armijo).
const DECREASE: f64 = 1e-4;

/// Newton's method on `phi(z_i, w_i) = 0`, `w = M z + q`, with
///
/// ```text
/// phi(a, b) = sqrt(a² + b²) - a - b        zero exactly if 0 <= a ⟂ b >= 0
/// H = D_a + D_b M,   D_a = diag(a/r - 1),  D_b = diag(b/r - 1),   r = sqrt(a² + b²)
/// ```
///
/// at `a = b = 0` both derivatives are `1/sqrt(2) - 1`, an element of the generalized Jacobian. Steps are halved until the merit
/// function `|phi|²/2` decreases by Armijo's rule; a singular `H` gets a shift of its `D_a`, and a direction that does not
/// descend is replaced by the steepest descent. Locally quadratic at strongly regular solutions; globally convergent for
/// P-matrices, and for monotone problems if the level sets are bounded. Degenerate multiple solutions make it slow. One
/// factorization with complete pivoting, 2 m³/3 operations, per iteration.
///
/// Sources: Fischer 1992, doi:10.1080/02331939208843795; De Luca, Facchinei, Kanzow 1996, doi:10.1007/BF02592192.
#[derive(Default)]
pub(super) struct FischerBurmeister {
    lu: CompleteLu,
    w: Vec<f64>,
    phi: Vec<f64>,
    jacobian: Vec<f64>,
    direction: Vec<f64>,
    gradient: Vec<f64>,
    trial: Vec<f64>,
}

impl FischerBurmeister {
    pub fn solve(&mut self, problem: &Standard, limit: usize, z: &mut [f64]) -> Attempt {
        let m = problem.m;
        let z = &mut z[..m];
        z.fill(0.0);
        for buffer in [
            &mut self.w,
            &mut self.phi,
            &mut self.direction,
            &mut self.gradient,
            &mut self.trial,
        ] {
            fit(buffer, m);
        }
        fit(&mut self.jacobian, m * m);
        let mut merit = self.evaluate(problem, z);
        for iteration in 0..limit {
            if largest(&self.phi) <= CONVERGED * largest(z).max(1.0) {
                return Attempt::iterating(Outcome::Candidate, iteration);
            }
            let slope = self.newton_direction(problem, z);
            let mut length = 1.0;
            loop {
                for ((trial, z), d) in self.trial.iter_mut().zip(z.iter()).zip(&self.direction) {
                    *trial = z + length * d;
                }
                let trial = std::mem::take(&mut self.trial);
                let next = self.evaluate(problem, &trial);
                self.trial = trial;
                // Armijo's rule.
                if next <= merit + DECREASE * length * slope {
                    merit = next;
                    break;
                }
                length *= 0.5;
                if length < 1e-12 {
                    // At the floor of round-off, or in a local minimum: the check of the candidate tells.
                    return Attempt::iterating(Outcome::Candidate, iteration);
                }
            }
            z.copy_from_slice(&self.trial);
        }
        Attempt::iterating(Outcome::Candidate, limit)
    }

    /// `phi` and `w` at `z`; returns the merit function.
    fn evaluate(&mut self, problem: &Standard, z: &[f64]) -> f64 {
        problem.evaluate(z, &mut self.w);
        let mut merit = 0.0;
        for ((phi, &a), &b) in self.phi.iter_mut().zip(z).zip(&self.w) {
            *phi = phi_of(a, b);
            merit += 0.5 * *phi * *phi;
        }
        merit
    }

    /// Sets the direction and returns the slope of the merit function along it.
    fn newton_direction(&mut self, problem: &Standard, z: &[f64]) -> f64 {
        let m = problem.m;
        self.gradient.fill(0.0);
        for (i, row) in self.jacobian.chunks_exact_mut(m).enumerate() {
            let (a, b) = (z[i], self.w[i]);
            let r = a.hypot(b);
            let (da, db) = if r > 0.0 {
                (a / r - 1.0, b / r - 1.0)
            } else {
                // An element of the generalized Jacobian at a = b = 0.
                let corner = std::f64::consts::FRAC_1_SQRT_2 - 1.0;
                (corner, corner)
            };
            // H = D_a + D_b M.
            for (entry, value) in row.iter_mut().zip(&problem.matrix[i * m..]) {
                *entry = db * value;
            }
            row[i] += da;
            // ∇(|φ|²/2) = Hᵀ φ.
            for (gradient, entry) in self.gradient.iter_mut().zip(row.iter()) {
                *gradient += entry * self.phi[i];
            }
        }
        let size = largest(&self.phi);
        let jacobian = &self.jacobian;
        let rank = self.lu.factor(m, m, |i, j| jacobian[i * m + j], SINGULAR);
        if rank < m {
            // D_a is negative: a shift of the same sign makes H regular.
            let shift = 1e-3 * size.min(1.0);
            let shifted = |i, j| jacobian[i * m + j] - if i == j { shift } else { 0.0 };
            self.lu.factor(m, m, shifted, 0.0);
        }
        self.lu.solve(&self.phi, &mut self.direction);
        let mut slope = 0.0;
        // d = -H⁻¹ φ, and its slope in the merit function.
        for (direction, gradient) in self.direction.iter_mut().zip(&self.gradient) {
            *direction = -*direction;
            slope += *direction * gradient;
        }
        let norm: f64 = self.direction.iter().map(|d| d * d).sum();
        // No sufficient descent along it: steepest descent instead.
        if slope.is_nan() || slope > -1e-10 * norm.powf(1.05) {
            slope = 0.0;
            for (direction, gradient) in self.direction.iter_mut().zip(&self.gradient) {
                *direction = -gradient;
                slope -= gradient * gradient;
            }
        }
        slope
    }
}

/// The Fischer-Burmeister function without cancellation: `a + b > 0` gives `-2 a b / (r + a + b)`.
fn phi_of(a: f64, b: f64) -> f64 {
    let (r, sum) = (a.hypot(b), a + b);
    if sum > 0.0 {
        -2.0 * a * b / (r + sum)
    } else {
        r - sum
    }
}
