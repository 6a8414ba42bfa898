//! Solutions for four right-hand sides of the constraint rows at a time: each number of a factor meets all of them.

use super::mass::MassFactors;
use super::structure::Structure;
use super::wide::Wide;
use super::{AT_A_TIME, FourJobs};
use crate::linalg::kkt::flushed;
use crate::linalg::system::all_finite;
use pulp::{Simd, WithSimd};

/// A number of each solution.
type Four = [f64; AT_A_TIME];

/// `y - factor x`, by value: loops over memory would not become vectors.
#[inline(always)]
fn minus(mut y: Four, factor: f64, x: Four) -> Four {
    for lane in 0..AT_A_TIME {
        y[lane] -= factor * x[lane];
    }
    y
}

#[inline(always)]
fn times(mut y: Four, factor: f64) -> Four {
    for y in &mut y {
        *y *= factor;
    }
    y
}

/// What is compiled for several processors.
pub(super) struct SolveFour<'a, const W: usize> {
    pub numbers: &'a Wide<W>,
    pub structure: &'a Structure,
    pub job: FourJobs<'a>,
    pub measured: Option<f64>,
}

impl<const W: usize> WithSimd for SolveFour<'_, W> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> bool {
        let Self {
            numbers,
            structure,
            mut job,
            measured,
        } = self;
        let FourJobs { c, scale, x, y } = &mut job;
        for ((y, &c), &scale) in y.iter_mut().zip(*c).zip(*scale) {
            let scaled = times(c, scale);
            *y = std::array::from_fn(|lane| flushed(scaled[lane]));
        }
        numbers.substitute_four(y);
        let mut good = all_finite(y.as_flattened());
        if let Some(x) = x {
            let zero = [0.0; AT_A_TIME];
            let sum = |row: &[f64; W]| {
                let mut sum = zero;
                for (&entry, &y) in row.iter().zip(y.iter()) {
                    sum = minus(sum, -entry, y);
                }
                sum
            };
            if numbers.symmetric {
                for (x, (row, inverse)) in x.iter_mut().zip(numbers.weighed()) {
                    *x = minus(zero, -inverse, sum(row));
                }
            } else {
                for (x, row) in x.iter_mut().zip(&numbers.scaled) {
                    *x = sum(row);
                }
            }
            numbers.mass.substitute_four(structure, x);
            good = good
                && all_finite(x.as_flattened())
                && measured.is_none_or(|allowed| numbers.four_hold([c, x], scale, allowed));
        }
        for (y, &scale) in y.iter_mut().zip(*scale) {
            *y = times(*y, scale);
        }
        good
    }
}

impl MassFactors {
    /// `x = L⁻ᵀ x`.
    #[inline(always)]
    fn substitute_four(&self, structure: &Structure, x: &mut [Four]) {
        for (entry, &factor) in structure.entries.iter().zip(self.factors()).rev() {
            if factor != 0.0 {
                x[entry.column] = minus(x[entry.column], factor, x[entry.row]);
            }
        }
    }
}

impl<const W: usize> Wide<W> {
    /// `y = S⁻¹ y`.
    #[inline(always)]
    fn substitute_four(&self, y: &mut [Four]) {
        // Loops of a length that the compiler knows are unrolled.
        match y.len() {
            2 => self.substitute_few_fours::<2>(y),
            3 => self.substitute_few_fours::<3>(y),
            4 => self.substitute_few_fours::<4>(y),
            5 => self.substitute_few_fours::<5>(y),
            6 => self.substitute_few_fours::<6>(y),
            7 => self.substitute_few_fours::<7>(y),
            _ => {
                let m = y.len().min(W);
                self.substitute_fours(&mut y[..m]);
            }
        }
    }

    /// The substitution for `M` rows, a number known to the compiler; callers have at most `W`.
    #[inline(always)]
    fn substitute_few_fours<const M: usize>(&self, y: &mut [Four]) {
        if let Some(y) = y.first_chunk_mut::<M>().filter(|_| M <= W) {
            self.substitute_fours(y);
        }
    }

    /// The substitution for at most `W` rows. It goes row by row, with the four numbers of a row in one register: by columns the
    /// compiler would transpose the rows and back.
    #[inline(always)]
    fn substitute_fours(&self, y: &mut [Four]) {
        for k in 0..y.len() {
            let mut rest = y[k];
            for (factors, &known) in self.lower_s.iter().zip(&y[..k]) {
                rest = minus(rest, factors[k], known);
            }
            y[k] = rest;
        }
        for k in (0..y.len()).rev() {
            let mut rest = y[k];
            for later in (k + 1..y.len()).rev() {
                rest = minus(rest, self.upper_s[k][later], y[later]);
            }
            y[k] = minus([0.0; AT_A_TIME], -self.inverse_pivot[k], rest);
        }
    }
}
