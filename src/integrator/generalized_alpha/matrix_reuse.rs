//! How long the Newton matrix of a step serves the steps behind it.

use crate::integrator::shared::newton::{Convergence, is_another_step};

/// What a matrix costs, derivatives, factorization and one measured solution, in iterations with it: 3 for a chain of points on
/// rods, 4 for revolute joints.
const COST: usize = 3;

/// A rate that was measured with a matrix is believed until its age has grown by this factor.
const BELIEVED: usize = 2;

/// The equations may move away from a matrix faster than steps pass: rates that are foretold are this many times what their
/// growth with its age says.
const CAUTION: f64 = 2.0;

/// The Newton matrix of a step and how it has fared since.
///
/// It is renewed when a step takes more iterations than its steps have taken on average, what it has cost among them: from
/// there on the average would grow.
#[derive(Clone, Copy, Default)]
pub(super) struct Upkeep {
    /// Size of the step that it was made for; 0 without a matrix that may be kept.
    step: f64,
    /// Steps that have been taken with it.
    steps: usize,
    /// Their iterations.
    iterations: usize,
    /// Those of the last one.
    last: usize,
    /// A rate at which iterations contracted, and how many steps had been taken before.
    rate: Option<(f64, usize)>,
    /// The size of corrections that are nothing but round-off.
    noise: f64,
}

impl Upkeep {
    /// There is a matrix for steps of this size.
    pub fn renew(&mut self, h: f64) {
        *self = Self {
            step: h,
            noise: self.noise,
            ..Self::default()
        };
    }

    /// No step is to be taken with the matrix that there is.
    pub fn forget(&mut self) {
        self.step = 0.0;
    }

    /// Whether the matrix is to serve another step.
    pub fn serves(&self, h: f64) -> bool {
        self.step > 0.0
            && !is_another_step(self.step, h)
            && self.last * self.steps <= COST + self.iterations
    }

    /// How the iteration of the next step will contract; infinite where that is not known.
    pub fn expected_rate(&self) -> f64 {
        match self.rate {
            Some((rate, steps)) if self.steps <= BELIEVED * steps => {
                CAUTION * rate * self.steps as f64 / steps as f64
            }
            _ => f64::INFINITY,
        }
    }

    /// The size of corrections that are nothing but round-off, as far as earlier steps tell.
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// A step has been taken.
    pub fn note(&mut self, convergence: &Convergence) {
        self.noise = convergence.noise();
        self.last = convergence.iterations;
        self.iterations += self.last;
        // Of the first step the rate is that of Newton's own iteration.
        if self.steps > 0 && self.last > 1 {
            self.rate = Some((convergence.rate(), self.steps));
        }
        self.steps += 1;
    }
}
