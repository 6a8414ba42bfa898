//! From an active set to a verified solution.

use super::complete_lu::CompleteLu;
use super::fit;
use super::least_norm::{Choice, LeastNorm};
use super::options::LcpOptions;
use super::scaled::Scaled;
use super::solution::Uniqueness;

/// A residual at round-off: no further correction of the active set.
const ROUND_OFF: f64 = 1e-14;
/// `w_i` below this count as zero where the least-norm solution may use `z_i`.
const DEGENERATE: f64 = 1e-11;
/// Most corrections of the active set.
const CORRECTIONS: usize = 12;

/// A solution in scaled units whose signs and products are exact: `z_i >= 0`, `w_i >= 0`, `z_i w_i = 0`; all that is left to
/// verify is the equation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    /// Largest `|w - A z - b|` of a row over the unit of residuals.
    pub residual: f64,
    /// The residual over what is allowed for its row: accepted up to 1.
    pub excess: f64,
    pub uniqueness: Uniqueness,
    pub corrections: usize,
}

/// Solves `A_JJ z_J = -b_J`, `J` = bilateral and active rows, with refinement, corrects the active set where signs are wrong
/// (the primal-dual active set method: next active set `{i: z_i > w_i}`), makes signs exact and measures the residual.
#[derive(Default)]
pub(super) struct Polish {
    lu: CompleteLu,
    least_norm: LeastNorm,
    pub active: Vec<bool>,
    /// The solution as the method has it, scaled. Where the active rows do not determine `z`, it tells which of the
    /// solutions leaves the inactive ones with the right sign.
    pub start: Vec<f64>,
    set: Vec<usize>,
    rhs: Vec<f64>,
    step: Vec<f64>,
    raw: Vec<f64>,
    /// The solution, scaled.
    pub z: Vec<f64>,
    pub w: Vec<f64>,
    trial: Vec<f64>,
    trial_w: Vec<f64>,
}

impl Polish {
    /// Starts from `self.active`; leaves the best solution found in `z` and `w`.
    pub fn run(
        &mut self,
        problem: &Scaled,
        options: &LcpOptions,
        rank_tolerance: f64,
        redundant: bool,
    ) -> Verdict {
        let n = problem.n;
        for buffer in [
            &mut self.z,
            &mut self.w,
            &mut self.trial,
            &mut self.trial_w,
            &mut self.raw,
        ] {
            fit(buffer, n);
        }
        let mut best = Verdict {
            residual: f64::INFINITY,
            excess: f64::INFINITY,
            uniqueness: Uniqueness::Basic,
            corrections: 0,
        };
        for corrections in 0..=CORRECTIONS {
            // Solve on the active set, make signs exact, measure what that costs.
            let deficient = self.solve_active(problem, rank_tolerance, corrections == 0);
            self.keep_if_better(problem, options, redundant, corrections, &mut best);
            if best.residual <= ROUND_OFF {
                break;
            }
            if deficient {
                // The basic solution has negative entries; another one with the same w may not.
                self.trial.copy_from_slice(&self.raw);
                let choice =
                    self.least_norm
                        .apply(problem, &self.set, rank_tolerance, &mut self.trial);
                if choice == Choice::Least {
                    std::mem::swap(&mut self.raw, &mut self.trial);
                    self.keep_if_better(problem, options, redundant, corrections, &mut best);
                    std::mem::swap(&mut self.raw, &mut self.trial);
                    if best.residual <= ROUND_OFF {
                        break;
                    }
                }
            }
            if !self.correct_active(problem) {
                break;
            }
        }
        if best.excess <= 1.0 {
            self.choose(problem, options, rank_tolerance, redundant, &mut best);
        }
        best
    }

    /// `raw` from the active set, near the method's own solution if that is known; true if the matrix is rank-deficient.
    fn solve_active(&mut self, problem: &Scaled, rank_tolerance: f64, near_start: bool) -> bool {
        let n = problem.n;
        self.set.clear();
        let active = &self.active;
        self.set
            .extend((0..n).filter(|&i| problem.bilateral(i) || active[i]));
        let set = &self.set;
        let size = set.len();
        self.raw.fill(0.0);
        if size == 0 {
            return false;
        }
        let rank = self.lu.factor(
            size,
            size,
            |i, j| problem.a[set[i] * n + set[j]],
            rank_tolerance,
        );
        fit(&mut self.step, size);
        // Rank-deficient: the method's own solution fixes what the equations leave open.
        if near_start && rank < size {
            for &i in set {
                self.raw[i] = self.start[i];
            }
        }
        // The solution, then two steps of refinement.
        for _ in 0..3 {
            self.rhs.clear();
            self.rhs.extend(set.iter().map(|&i| {
                let row = &problem.a[i * n..(i + 1) * n];
                let sum = row.iter().zip(&self.raw).map(|(a, z)| a * z).sum::<f64>();
                -(problem.b[i] + sum)
            }));
            self.lu.solve(&self.rhs, &mut self.step);
            for (&i, step) in set.iter().zip(&self.step) {
                self.raw[i] += step;
            }
        }
        rank < size
    }

    /// Makes the signs of `raw` exact, measures what that costs, and keeps the result if it is the best one so far.
    fn keep_if_better(
        &mut self,
        problem: &Scaled,
        options: &LcpOptions,
        redundant: bool,
        corrections: usize,
        best: &mut Verdict,
    ) {
        let n = problem.n;
        for i in 0..n {
            self.trial[i] = if problem.bilateral(i) {
                self.raw[i]
            } else {
                self.raw[i].max(0.0)
            };
        }
        // Residuals in units of the largest sum of absolute terms.
        let unit = problem
            .residual(&self.trial, &mut self.trial_w)
            .max(f64::MIN_POSITIVE);
        let (mut residual, mut excess) = (0.0_f64, 0.0_f64);
        for i in 0..n {
            let given = self.trial_w[i];
            let (kept, allowed) = if problem.bilateral(i) {
                let allowed = if redundant {
                    options.consistency.max(options.tolerance)
                } else {
                    options.tolerance
                };
                (0.0, allowed)
            } else if self.trial[i] > 0.0 {
                (0.0, options.tolerance)
            } else {
                (given.max(0.0), options.tolerance)
            };
            self.trial_w[i] = kept;
            let row = (kept - given).abs() / unit;
            // A NaN stays: it compares with nothing.
            if row.is_nan() || row > residual {
                residual = row;
            }
            if row.is_nan() || row / allowed > excess {
                excess = row / allowed;
            }
        }
        if excess < best.excess {
            (best.residual, best.excess) = (residual, excess);
            best.corrections = corrections;
            std::mem::swap(&mut self.z, &mut self.trial);
            std::mem::swap(&mut self.w, &mut self.trial_w);
        }
    }

    /// Next active set of the primal-dual method; false if it is the old one.
    fn correct_active(&mut self, problem: &Scaled) -> bool {
        problem.residual(&self.raw, &mut self.trial_w);
        let mut changed = false;
        for i in 0..problem.n {
            if !problem.bilateral(i) {
                let next = self.raw[i] > self.trial_w[i];
                changed |= next != self.active[i];
                self.active[i] = next;
            }
        }
        changed
    }

    /// Whether `z` is unique for its `w`, and if not, the one of least norm.
    fn choose(
        &mut self,
        problem: &Scaled,
        options: &LcpOptions,
        rank_tolerance: f64,
        redundant: bool,
        best: &mut Verdict,
    ) {
        let n = problem.n;
        let unit = problem.residual(&self.z, &mut self.trial_w);
        // Where w = 0, z may be exchanged for another solution with the same w.
        self.set.clear();
        let w = &self.w;
        self.set
            .extend((0..n).filter(|&i| problem.bilateral(i) || w[i] <= DEGENERATE * unit));
        self.raw.copy_from_slice(&self.z);
        let choice = if options.least_norm {
            self.least_norm
                .apply(problem, &self.set, rank_tolerance, &mut self.raw)
        } else {
            Choice::Failed
        };
        match choice {
            Choice::Unique => best.uniqueness = Uniqueness::Unique,
            Choice::Failed => best.uniqueness = Uniqueness::Basic,
            Choice::Least => {
                let mut least = Verdict {
                    excess: f64::INFINITY,
                    uniqueness: Uniqueness::LeastNorm,
                    ..*best
                };
                let corrections = best.corrections;
                // Keeping it exchanges the solutions, refusing it leaves the basic one.
                self.keep_if_better(problem, options, redundant, corrections, &mut least);
                if least.excess <= 1.0 {
                    *best = least;
                } else {
                    std::mem::swap(&mut self.z, &mut self.trial);
                    std::mem::swap(&mut self.w, &mut self.trial_w);
                }
            }
        }
    }
}
