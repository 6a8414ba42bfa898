//! When the iteration of a step ends.

use super::rule::Rule;
use crate::scalar::larger_or_second;

/// What one more correction means to the iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    GoOn,
    /// With a new matrix.
    Renew,
    Converged,
    /// With the size of the last correction.
    Failed(f64),
}

/// How fast corrections shrink: what is remembered from step to step, and of the iteration at work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// New derivatives are needed.
    pub outdated: bool,
    /// By which factor, of the last iteration.
    convergence: f64,
    /// Iterations of earlier steps.
    earlier: usize,
    /// Iterations of this step.
    made: usize,
    previous: f64,
    /// The largest correction of a multiplier before.
    multipliers: f64,
    renewed: bool,
}

impl Pace {
    /// Convergence factor that is assumed of a new matrix.
    const UNKNOWN: f64 = 0.9;

    /// Convergence is never assumed to be faster.
    const BEST: f64 = 0.05;

    /// Slower convergence asks for new derivatives.
    const SLOW: f64 = 0.2;

    /// Nothing is known.
    pub fn new() -> Self {
        Self {
            outdated: true,
            convergence: Self::UNKNOWN,
            earlier: 0,
            made: 0,
            previous: f64::INFINITY,
            multipliers: f64::INFINITY,
            renewed: false,
        }
    }

    /// There is a new matrix.
    pub fn forget(&mut self) {
        self.convergence = Self::UNKNOWN;
    }

    /// Iterations since the start.
    pub fn iterations(&self) -> usize {
        self.earlier + self.made
    }

    /// Another iteration begins.
    pub fn begin(&mut self) {
        self.earlier += self.made;
        self.made = 0;
        self.previous = f64::INFINITY;
        self.multipliers = f64::INFINITY;
        self.renewed = false;
    }

    /// Judges a correction of this size; where the rule is exact multipliers must have settled, too: `multipliers` gives their largest
    /// correction and the largest of them.
    #[inline(always)]
    pub fn judge(
        &mut self,
        rule: &Rule,
        size: f64,
        multipliers: impl FnOnce() -> [f64; 2],
    ) -> Verdict {
        let first = self.made == 0;
        self.made += 1;
        // Sizes are never negative.
        let is_finite = size <= f64::MAX;
        if !is_finite {
            return Verdict::Failed(size);
        }
        let ratio = size / self.previous;
        if !first {
            // The rate of this iteration; an exact one does not rely on that of an earlier step.
            self.convergence = ratio;
        } else if rule.exact {
            self.convergence = Self::UNKNOWN;
        }
        // A first correction may shrink faster than those that follow.
        let trusted = if rule.exact { Self::SLOW } else { Self::BEST };
        self.convergence = larger_or_second(trusted, self.convergence);
        // θ/(1 - θ) |δ| bounds the sum of all corrections that follow.
        let left = self.convergence / (1.0 - self.convergence) * size;
        // Where the constraints alone determine the velocities, the multipliers converge last.
        let settled = !rule.exact || {
            let [now, largest] = multipliers();
            let previous = std::mem::replace(&mut self.multipliers, now);
            now <= Rule::SETTLED * largest || now > 0.5 * previous
        };
        if settled && (size == 0.0 || (self.convergence < 1.0 && left <= rule.limit)) {
            return Verdict::Converged;
        }
        let last = self.made == rule.max_iterations;
        let mut verdict = Verdict::GoOn;
        if !first {
            // Corrections that no longer shrink, with a new matrix or at the end, are judged as round-off.
            let stalled = last || ratio >= 1.0 || (self.renewed && ratio > 0.5);
            if stalled && rule.exact && size <= rule.round_off {
                return Verdict::Converged;
            }
            self.outdated = ratio > Self::SLOW;
            let remaining = (rule.max_iterations - self.made) as i32;
            // The rate would not reach the limit within the iterations left (Hairer, Wanner IV.8).
            let hopeless = ratio >= 1.0 || left * ratio.powi(remaining) > rule.limit;
            if if rule.exact { ratio >= 2.0 } else { hopeless } {
                return Verdict::Failed(size);
            }
            self.renewed = rule.exact && self.outdated;
            if self.renewed {
                verdict = Verdict::Renew;
            }
        }
        self.previous = size;
        if last { Verdict::Failed(size) } else { verdict }
    }
}
