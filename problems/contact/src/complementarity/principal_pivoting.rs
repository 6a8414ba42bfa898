//! Principal pivoting by least indices.

use super::fit;
use super::standard::{Attempt, Outcome, Standard};

/// Pivots up to this size are round-off; entries of the scaled matrix are of order 1.
const PIVOT: f64 = 1e-11;
/// Values above minus this count as non-negative.
const ZERO: f64 = 1e-12;

/// Principal pivoting by least indices on `w = M z + q`.
///
/// The pair with the least index among those with `q_r < 0` is exchanged: by a diagonal pivot if `m_rr > 0`, which is Murty's
/// Bard-type scheme and finite for P-matrices; otherwise together with the pair of least index `k` with `m_rk > 0`, the
/// criss-cross method, finite for sufficient matrices, which include all positive semidefinite ones. If there is no
/// such `k` the problem is infeasible, but the certificate is left to Lemke's method.
///
/// A pivot costs 2 m² operations; their number is exponential in bad cases and limited to 50 m + 100.
///
/// Sources: Murty, Linear Complementarity, Linear and Nonlinear Programming, Heldermann 1988, chapter 4; den Hertog, Roos,
/// Terlaky, Linear Algebra and its Applications 187 (1993) 1-14; Fukuda, Terlaky, J. Oper. Res. Soc. Japan 35 (1992) 45-61;
/// Cottle, Pang, Stone 2009, chapter 4, doi:10.1137/1.9780898719000.
#[derive(Default)]
pub(super) struct PrincipalPivoting {
    /// Rows of `[M q]`.
    tableau: Vec<f64>,
    /// Whether `z_i` is basic.
    active: Vec<bool>,
    pivot_row: Vec<f64>,
}

impl PrincipalPivoting {
    pub fn solve(&mut self, problem: &Standard, z: &mut [f64]) -> Attempt {
        let m = problem.m;
        let width = m + 1;
        z[..m].fill(0.0);
        fit(&mut self.tableau, m * width);
        for (i, row) in self.tableau.chunks_exact_mut(width).enumerate() {
            row[..m].copy_from_slice(&problem.matrix[i * m..(i + 1) * m]);
            row[m] = problem.vector[i];
        }
        self.active.clear();
        self.active.resize(m, false);
        fit(&mut self.pivot_row, width);
        let limit = 50 * m + 100;
        let mut pivots = 0;
        while pivots < limit {
            // The least index among the negative ones: no cycles.
            let Some(r) = (0..m).find(|&i| self.tableau[i * width + m] < -ZERO) else {
                for (i, z) in z[..m].iter_mut().enumerate() {
                    if self.active[i] {
                        *z = self.tableau[i * width + m].max(f64::MIN_POSITIVE);
                    }
                }
                return Attempt::pivoting(Outcome::Candidate, pivots);
            };
            // Murty: a positive diagonal entry exchanges the pair itself.
            if self.tableau[r * width + r] > PIVOT {
                self.exchange(m, r, r);
                self.active[r] = !self.active[r];
                pivots += 1;
                continue;
            }
            // Criss-cross: together with the least partner whose entry is positive.
            let partner = (0..m).find(|&k| k != r && self.tableau[r * width + k] > PIVOT);
            let Some(k) = partner else { break };
            self.exchange(m, r, k);
            // The second pivot would be round-off.
            if self.tableau[k * width + r].abs() <= PIVOT {
                break;
            }
            self.exchange(m, k, r);
            self.swap_pairs(m, r, k);
            pivots += 2;
        }
        Attempt::pivoting(Outcome::Stalled, pivots)
    }

    /// Exchanges the dependent variable of a row with the independent one of a column.
    fn exchange(&mut self, m: usize, row: usize, col: usize) {
        let width = m + 1;
        let inverse = self.tableau[row * width + col].recip();
        for (kept, &entry) in self
            .pivot_row
            .iter_mut()
            .zip(&self.tableau[row * width..(row + 1) * width])
        {
            *kept = -entry * inverse;
        }
        self.pivot_row[col] = inverse;
        for (i, target) in self.tableau.chunks_exact_mut(width).enumerate() {
            if i == row {
                target.copy_from_slice(&self.pivot_row);
                continue;
            }
            let factor = target[col];
            if factor != 0.0 {
                target[col] = 0.0;
                for (entry, &pivot) in target.iter_mut().zip(&self.pivot_row) {
                    *entry += factor * pivot;
                }
            }
        }
    }

    /// After two crossed exchanges: every variable back in the row and column of its own pair.
    fn swap_pairs(&mut self, m: usize, r: usize, k: usize) {
        let width = m + 1;
        for j in 0..width {
            self.tableau.swap(r * width + j, k * width + j);
        }
        for row in self.tableau.chunks_exact_mut(width) {
            row.swap(r, k);
        }
        self.active[r] = !self.active[r];
        self.active[k] = !self.active[k];
    }
}
