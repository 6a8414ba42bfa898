//! How exactly the equations of a step are solved.

use crate::integrator::NewtonOptions;

/// When the iteration ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// What is left of the iteration may be as large as this: in units of the error norm, or of the user's tolerance if there is one.
    pub limit: f64,
    /// Iterations with one matrix.
    pub max_iterations: usize,
    /// Iterate down to `limit` or round-off, with a new matrix whenever convergence is slow.
    pub exact: bool,
    /// Corrections are weighed with powers of the step as error estimates are.
    pub by_index: bool,
    /// Corrections of this size that no longer shrink are round-off.
    pub round_off: f64,
    /// The user has given the limit, for the largest component of corrections of u, h v and x.
    pub by_largest: bool,
    /// Derivatives are evaluated anew when they are old, although the iteration seems fast. Iterations down to round-off need that less:
    /// corrections that are too small by some orders of magnitude are not small enough to end them, and show how fast they shrink.
    pub renews: bool,
}

impl Rule {
    /// For steps that are judged by an error estimate: the iteration may contribute this part of the tolerance. The rate of
    /// convergence is known from two corrections only; at 0.05 a wrong one let errors of five tolerances pass.
    const SHARE: f64 = 0.01;

    /// Iterations before a step is given up: what converges more slowly is cheaper with a smaller step.
    const ADAPTIVE_ITERATIONS: usize = 5;

    /// Relative corrections of the multipliers that are round-off.
    pub const SETTLED: f64 = 1e-12;

    /// Relative accuracy of constant steps, 1e-13, in units of the default tolerance.
    const EXACT: f64 = 1e-7;

    /// In these units what may be left by round-off, 1e-9: stiff mechanisms in steps of a microsecond reach 1e-10.
    const ROUND_OFF: f64 = 1e-3;

    /// The same for the formula whose steps change by new starts only: in units of the tolerance.
    const JUDGED: f64 = 1e-3;

    /// In these units what may be left by round-off.
    const JUDGED_ROUND_OFF: f64 = 0.1;

    /// As for constant steps, but where a tolerance is given no finer than its error test can feel.
    pub fn exact_within_tolerance(options: &NewtonOptions) -> Self {
        Self {
            limit: options.tolerance.unwrap_or(Self::JUDGED),
            by_index: true,
            round_off: options.tolerance.unwrap_or(Self::JUDGED_ROUND_OFF),
            ..Self::exact(options)
        }
    }

    /// For constant steps.
    pub fn exact(options: &NewtonOptions) -> Self {
        Self {
            limit: options.tolerance.unwrap_or(Self::EXACT),
            max_iterations: options.max_iterations,
            exact: true,
            // Multipliers feel corrections of velocities in full.
            by_index: false,
            round_off: options.tolerance.unwrap_or(Self::ROUND_OFF),
            by_largest: options.tolerance.is_some(),
            renews: false,
        }
    }

    /// For steps judged by an error of `accuracy` in units of the norm.
    pub fn adaptive(options: &NewtonOptions, accuracy: f64) -> Self {
        Self {
            limit: options.tolerance.unwrap_or(Self::SHARE * accuracy),
            max_iterations: options.max_iterations.min(Self::ADAPTIVE_ITERATIONS),
            exact: false,
            by_index: true,
            round_off: 0.0,
            by_largest: options.tolerance.is_some(),
            renews: true,
        }
    }

    /// Errors of this many units of the norm are just acceptable from now on.
    pub fn ask_for(&mut self, accuracy: f64) {
        if !self.by_largest {
            self.limit = Self::SHARE * accuracy;
        }
    }
}
