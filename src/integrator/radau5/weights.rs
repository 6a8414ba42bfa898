//! Weights of the unknowns in error norms.

use crate::control::ErrorNorm;
use crate::integrator::shared::implicit::Unknowns;
use crate::integrator::shared::sweep::{GROUP, read, slices};
use crate::system::{Layout, State};

/// Scales of all unknowns.
pub(super) struct Weights {
    scale: Vec<f64>,
    /// What errors are multiplied by: 1, the share of the step in the characteristic time or its square, over the scale. Zero behind the
    /// last unknown.
    factors: Vec<f64>,
    share: f64,
    /// The states x that are smaller than their absolute tolerances at the start of the step.
    pub negligible: Vec<usize>,
    /// The perturbation index of each unknown.
    index: Vec<u8>,
    /// Whether one is above 1.
    has_high_index: bool,
    raised: Raised,
    /// The fraction of the error tolerance to which the equations of a step are solved.
    pub newton: f64,
    /// Whether tolerances are raised, as the method is of higher order than its estimate.
    pub raises: bool,
}

impl Weights {
    pub fn new(layout: &Layout, unknowns: &Unknowns) -> Self {
        let index = unknowns.perturbation_index(layout);
        Self {
            scale: vec![1.0; unknowns.len()],
            factors: vec![0.0; unknowns.padded_len()],
            share: f64::NAN,
            negligible: Vec::with_capacity(unknowns.x().len()),
            has_high_index: index.iter().any(|&index| index > 1),
            index,
            raised: Raised::default(),
            newton: 0.0,
            raises: true,
        }
    }

    /// The tightest relative tolerance in use.
    pub fn relative(&self) -> f64 {
        self.raised.tightest
    }

    /// Takes the scales at the start of a step.
    ///
    /// The estimate is of order 3 and the method of order 5: a tolerance is raised to 0.1 tol^(2/3), as in RADAU5, unless the
    /// interior of the steps counts, which is of order 3 as well.
    /// Accelerations and corrections have the tolerances of their velocities; algebraic variables and multipliers the
    /// loosest ones of all components. Where errors are weighed by the share of the step in the characteristic time, absolute tolerances
    /// of accelerations and multipliers are per that time.
    #[inline]
    pub fn load(&mut self, unknowns: &Unknowns, norm: &mut ErrorNorm, from: &State, start: &[f64]) {
        norm.weigh(from, from);
        let (relative, absolute) = norm.tolerances();
        let raises = norm.is_binding() && self.raises;
        // They are hardly ever others than in the step before.
        if !self.raised.are_of(raises, relative, absolute) {
            self.raised.take(raises, relative, absolute);
        }
        self.negligible.clear();
        if raises {
            let sizes = unknowns.x().zip(&start[unknowns.x()]);
            let negligible = sizes.filter(|(at, value)| value.abs() < absolute[*at]);
            self.negligible.extend(negligible.map(|(at, _)| at));
        }
        let raised = &self.raised;
        let scales = norm.scales().iter().zip(&raised.factors);
        for (slot, (scale, factor)) in self.scale.iter_mut().zip(scales) {
            *slot = factor * scale;
        }
        if !unknowns.are_states() {
            let loosest = &raised.loosest;
            // h/T times an error over a tolerance/T is what h times the error is over the tolerance.
            let per_time = if self.has_high_index {
                1.0 / norm.characteristic_time()
            } else {
                1.0
            };
            let of_rates = per_time * loosest.absolute;
            for (range, absolute) in [
                (unknowns.z(), loosest.absolute),
                (unknowns.lambda(), of_rates),
                (unknowns.mu(), of_rates),
            ] {
                let values = start[range.clone()].iter();
                for (slot, value) in self.scale[range].iter_mut().zip(values) {
                    *slot = loosest.factor * (absolute + loosest.relative * value.abs());
                }
            }
            let v = unknowns.v();
            let tolerances = (absolute[v.clone()].iter()).zip(&relative[v.clone()]);
            for (range, unit) in [(unknowns.w(), per_time), (unknowns.s(), 1.0)] {
                // w and s have the tolerances of the velocities that they change; w is the rate of these.
                let values = start[range.clone()].iter().zip(tolerances.clone());
                let slots = self.scale[range].iter_mut().zip(&raised.factors[v.clone()]);
                for ((slot, factor), (value, (absolute, relative))) in slots.zip(values) {
                    *slot = factor * (unit * absolute + relative * value.abs());
                }
            }
        }
        for (factor, scale) in self.factors.iter_mut().zip(&self.scale) {
            *factor = inverse(*scale);
        }
        self.share = f64::NAN;
        // Components with the tightest tolerance make most of the norm of a correction.
        let tightest = raised.tightest;
        self.newton = if norm.is_binding() {
            // κ = max(100 ε / tol, min(0.03, tol^(1/2))): RADAU5's bound, kept above round-off.
            (100.0 * f64::EPSILON / tightest).max(tightest.sqrt().min(0.03))
        } else {
            FIXED_STEP_ACCURACY / tightest
        };
    }

    /// For a step that is this share of the characteristic time ([`ErrorNorm::share_of_time`]): errors of perturbation index 2 and 3 count
    /// with it and its square.
    #[inline]
    pub fn set_share(&mut self, share: f64) {
        if self.has_high_index && self.share != share {
            self.share = share;
            let own = self.scale.iter().zip(&self.index);
            for (factor, (scale, index)) in self.factors.iter_mut().zip(own) {
                *factor = match index {
                    0 | 1 => inverse(*scale),
                    2 => share * inverse(*scale),
                    _ => share * share * inverse(*scale),
                };
            }
        }
    }

    /// What errors are multiplied by.
    pub fn factors(&self) -> &[f64] {
        &self.factors
    }

    /// The root mean square of errors with these weights.
    #[inline]
    pub fn norm<const N: usize>(&self, errors: [&[f64]; N]) -> f64 {
        self.root_mean::<N>(sum_of_squares(&self.factors, errors))
    }

    /// The root mean square of `N` vectors of errors whose weighted squares have this sum.
    #[inline]
    pub fn root_mean<const N: usize>(&self, sum: f64) -> f64 {
        // At least 1: no unknowns, no division by zero.
        (sum / (N * self.scale.len()).max(1) as f64).sqrt()
    }
}

/// 1 / scale, finite times the square of a share too. A component that neither moves nor has an absolute tolerance has no error: zero times this is zero.
fn inverse(scale: f64) -> f64 {
    1.0 / scale.max(1e-150)
}

/// What tolerances are raised by, component by component.
#[derive(Default)]
struct Raised {
    /// The tolerances that this belongs to.
    raises: bool,
    relative: Vec<f64>,
    absolute: Vec<f64>,
    factors: Vec<f64>,
    loosest: Loosest,
    tightest: f64,
}

/// The loosest tolerances of all components.
#[derive(Default)]
struct Loosest {
    factor: f64,
    relative: f64,
    absolute: f64,
}

impl Raised {
    fn are_of(&self, raises: bool, relative: &[f64], absolute: &[f64]) -> bool {
        self.raises == raises && self.relative == relative && self.absolute == absolute
    }

    fn take(&mut self, raises: bool, relative: &[f64], absolute: &[f64]) {
        let raise = |relative: f64, absolute: f64| {
            let tolerance = if relative > 0.0 { relative } else { absolute };
            // 0.1 tol^(2/3) = tol · 0.1 / tol^(1/3).
            let factor = if raises { 0.1 / tolerance.cbrt() } else { 1.0 };
            (factor, factor * tolerance)
        };
        let loosest = |values: &[f64]| values.iter().fold(0.0_f64, |max, value| max.max(*value));
        let (all_relative, all_absolute) = (loosest(relative), loosest(absolute));
        let (factor, mut tightest) = raise(all_relative, all_absolute);
        self.loosest = Loosest {
            factor,
            relative: all_relative,
            absolute: all_absolute,
        };
        self.factors.clear();
        for (relative, absolute) in relative.iter().zip(absolute) {
            let (factor, tolerance) = raise(*relative, *absolute);
            self.factors.push(factor);
            tightest = tightest.min(tolerance);
        }
        self.tightest = tightest;
        self.raises = raises;
        for (own, new) in [
            (&mut self.relative, relative),
            (&mut self.absolute, absolute),
        ] {
            own.clear();
            own.extend_from_slice(new);
        }
    }
}

/// Adds the squares of numbers, each multiplied by its factor, lane by lane.
#[inline(always)]
fn add_squares(sums: &mut [f64; GROUP], factors: &[f64], errors: &[f64]) {
    for ((sum, error), factor) in sums.iter_mut().zip(errors).zip(factors) {
        let error = error * factor;
        *sum += error * error;
    }
}

#[inline(always)]
fn total(sums: [f64; GROUP]) -> f64 {
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// The sum of the squares of numbers in lists of one length, each multiplied by its factor.
#[inline(always)]
pub(super) fn sum_of_squares<const N: usize>(factors: &[f64], errors: [&[f64]; N]) -> f64 {
    let errors = slices(&errors, 0..factors.len());
    let (groups, rest) = factors.as_chunks::<GROUP>();
    let mut sums = [0.0; GROUP];
    for (at, factors) in groups.iter().enumerate() {
        for errors in read::<GROUP, N>(errors, GROUP * at) {
            add_squares(&mut sums, factors, &errors);
        }
    }
    // Zeros of padding change nothing: the sum is the same for vectors of any width.
    for errors in errors {
        add_squares(&mut sums, rest, &errors[GROUP * groups.len()..]);
    }
    total(sums)
}

/// The same number for vectors of `L` numbers, fewer than a group. They stay in registers: numbers read back right
/// after they were stored would be waited for.
#[inline(always)]
pub(super) fn sum_of_few_squares<const L: usize, const N: usize>(
    factors: [f64; L],
    errors: &[[f64; L]; N],
) -> f64 {
    const { assert!(L < GROUP) };
    let mut sums = [0.0; GROUP];
    for errors in errors {
        add_squares(&mut sums, &factors, errors);
    }
    total(sums)
}

/// With fixed steps nothing is judged: relative accuracy of the stages.
const FIXED_STEP_ACCURACY: f64 = 1e-14;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_squares_are_summed_as_many_are() {
        let factors = [0.7, 1e-3, 12.5];
        let errors = [[0.1, -0.2, 0.3], [1e8, 3.3, -4.4], [0.6, 1e-9, 0.0]];
        let [a, b, c] = &errors;
        let all = sum_of_squares(&factors, [a, b, c]);
        assert_eq!(sum_of_few_squares(factors, &errors), all);
        let [[a, b, _], [c, d, _], _] = errors;
        let two = [[a, b], [c, d]];
        let [first, second] = &two;
        let of_two = sum_of_squares(&factors[..2], [first, second]);
        assert_eq!(sum_of_few_squares([factors[0], factors[1]], &two), of_two);
        assert!(of_two < all && of_two > 0.0);
        let of_one = sum_of_squares(&factors[..1], [&[a], &[c]]);
        assert_eq!(sum_of_few_squares([factors[0]], &[[a], [c]]), of_one);
    }
}
