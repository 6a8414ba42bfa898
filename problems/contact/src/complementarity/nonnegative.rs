//! Non-negative least squares.

use super::complete_lu::CompleteLu;
use super::fit;

/// Gradients below this are zero; rows have norms of order 1.
const GRADIENT: f64 = 1e-12;

/// `min |E u - f|²` over `u >= 0`, given `E^T E` and `E^T f`.
///
/// The active-set method of Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 23, doi:10.1137/1.9781611971217:
/// the variable of the steepest descent joins the passive set, variables that would become negative leave it. Finite; the
/// passive columns stay independent.
#[derive(Default)]
pub(super) struct NonNegative {
    lu: CompleteLu,
    passive: Vec<usize>,
    member: Vec<bool>,
    rhs: Vec<f64>,
    trial: Vec<f64>,
}

impl NonNegative {
    /// `gram` is `E^T E`, row by row, `h = E^T f`. False if the iteration did not end.
    pub fn solve(&mut self, gram: &[f64], h: &[f64], u: &mut [f64]) -> bool {
        let q = h.len();
        u.fill(0.0);
        self.passive.clear();
        self.member.clear();
        self.member.resize(q, false);
        for _ in 0..3 * q + 10 {
            let (mut best, mut steepest) = (None, GRADIENT);
            for j in 0..q {
                if self.member[j] {
                    continue;
                }
                let row = &gram[j * q..(j + 1) * q];
                let product: f64 = row.iter().zip(u.iter()).map(|(m, u)| m * u).sum();
                // The gradient of -|E u - f|²/2: the steepest descent enters.
                if h[j] - product > steepest {
                    (best, steepest) = (Some(j), h[j] - product);
                }
            }
            let Some(entering) = best else { return true };
            self.passive.push(entering);
            self.member[entering] = true;
            self.descend(gram, h, u);
            // Round-off has thrown out what entered: nothing else would change.
            if !self.member[entering] && self.passive.is_empty() {
                return true;
            }
        }
        false
    }

    /// Least squares over the passive set, shrunk until its solution is positive.
    fn descend(&mut self, gram: &[f64], h: &[f64], u: &mut [f64]) {
        let q = h.len();
        while !self.passive.is_empty() {
            let passive = &self.passive;
            let p = passive.len();
            self.lu
                .factor(p, p, |k, l| gram[passive[k] * q + passive[l]], 1e-15);
            self.rhs.clear();
            self.rhs.extend(passive.iter().map(|&i| h[i]));
            fit(&mut self.trial, p);
            self.lu.solve(&self.rhs, &mut self.trial);
            // As far towards the trial as all stay non-negative.
            let mut length = 1.0_f64;
            for (&i, &s) in passive.iter().zip(&self.trial) {
                if s <= 0.0 {
                    length = length.min(u[i] / (u[i] - s).max(f64::MIN_POSITIVE));
                }
            }
            let positive = self.trial.iter().all(|&s| s > 0.0);
            for (&i, &s) in passive.iter().zip(&self.trial) {
                u[i] = if positive {
                    s
                } else {
                    u[i] + length * (s - u[i])
                };
                if u[i] <= 1e-15 {
                    u[i] = 0.0;
                    self.member[i] = false;
                }
            }
            let member = &self.member;
            self.passive.retain(|&i| member[i]);
            if positive {
                return;
            }
        }
    }
}
