//! What an error of each unknown is weighed by.

use crate::control::ErrorNorm;
use crate::integrator::shared::implicit::Unknowns;
use crate::system::{Layout, State};

/// Scales of all unknowns.
pub(super) struct Weights {
    scale: Vec<f64>,
    /// 1 / scale.
    inverse: Vec<f64>,
    index: Vec<u8>,
    /// The last tolerance that was raised, and by which factor: its root takes as long as the rest of a component.
    raised: (f64, f64),
    /// The fraction of the error tolerance to which the equations of a step are solved.
    pub newton: f64,
    /// The tightest relative tolerance in use.
    pub relative: f64,
    /// Whether tolerances are raised, as the method is of higher order than its estimate.
    pub raises: bool,
}

impl Weights {
    pub fn new(layout: &Layout, unknowns: &Unknowns) -> Self {
        Self {
            scale: vec![1.0; unknowns.len()],
            inverse: vec![1.0; unknowns.len()],
            raised: (f64::NAN, 1.0),
            index: unknowns.perturbation_index(layout),
            newton: 0.0,
            relative: 0.0,
            raises: true,
        }
    }

    /// Takes the scales at the start of a step.
    ///
    /// The estimate is of order 3 and the method of order 5: a tolerance is raised to 0.1 tol^(2/3), as in RADAU5, unless the
    /// interior of the steps counts, which is of order 3 as well.
    /// Accelerations and corrections have the tolerances of their velocities; algebraic variables and multipliers the
    /// loosest ones of all components.
    pub fn load(&mut self, unknowns: &Unknowns, norm: &mut ErrorNorm, from: &State, start: &[f64]) {
        norm.weigh(from, from);
        let (relative, absolute) = norm.tolerances();
        let raises = norm.is_binding() && self.raises;
        // Most components have the same tolerance.
        let raised = &mut self.raised;
        let mut factor_of = |relative: f64, absolute: f64| {
            let tolerance = if relative > 0.0 { relative } else { absolute };
            if !raises {
                return (1.0, tolerance);
            }
            if tolerance != raised.0 {
                // 0.1 tol^(2/3) = tol · 0.1 / tol^(1/3).
                *raised = (tolerance, 0.1 / tolerance.cbrt());
            }
            (raised.1, raised.1 * tolerance)
        };
        let loosest = |values: &[f64]| values.iter().fold(0.0_f64, |max, value| max.max(*value));
        let dimension = unknowns.u().len();
        let (all_relative, all_absolute) = (loosest(relative), loosest(absolute));
        let (for_all, mut tightest) = factor_of(all_relative, all_absolute);
        for at in unknowns.z().chain(unknowns.lambda()).chain(unknowns.mu()) {
            self.scale[at] = for_all * (all_absolute + all_relative * start[at].abs());
        }
        for (component, scale) in norm.scales().iter().enumerate() {
            let (factor, tolerance) = factor_of(relative[component], absolute[component]);
            self.scale[component] = factor * scale;
            tightest = tightest.min(tolerance);
        }
        for range in [unknowns.w(), unknowns.s()] {
            // w and s have the tolerances of the velocities that they change.
            for (component, at) in (dimension..).zip(range) {
                let scale = absolute[component] + relative[component] * start[at].abs();
                self.scale[at] = factor_of(relative[component], absolute[component]).0 * scale;
            }
        }
        for (inverse, scale) in self.inverse.iter_mut().zip(&self.scale) {
            *inverse = 1.0 / scale;
        }
        // Components with the tightest tolerance make most of the norm of a correction.
        self.relative = tightest;
        self.newton = if norm.is_binding() {
            // κ = max(100 ε / tol, min(0.03, tol^(1/2))): RADAU5's bound, kept above round-off.
            (100.0 * f64::EPSILON / self.relative).max(self.relative.sqrt().min(0.03))
        } else {
            FIXED_STEP_ACCURACY / self.relative
        };
    }

    /// The root mean square of errors with these scales; those of index 2 and 3 are multiplied by h and h².
    pub fn norm<const N: usize>(&self, h: f64, errors: [&[f64]; N]) -> f64 {
        let mut sum = 0.0;
        for (at, (inverse, &index)) in self.inverse.iter().zip(&self.index).enumerate() {
            // Perturbation index 2 and 3 by h and h²; index 0 and 1 in full.
            let factor = match index {
                0 | 1 => *inverse,
                2 => h / self.scale[at],
                _ => h * h / self.scale[at],
            };
            for values in errors {
                let error = values[at] * factor;
                sum += error * error;
            }
        }
        // At least 1: no unknowns, no division by zero.
        (sum / (N * self.scale.len()).max(1) as f64).sqrt()
    }
}

/// With fixed steps nothing is judged: relative accuracy of the stages.
const FIXED_STEP_ACCURACY: f64 = 1e-14;
