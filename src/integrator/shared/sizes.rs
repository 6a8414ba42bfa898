//! How large corrections, unknowns and residuals are: largest components, which do not grow with the number of bodies.

use crate::scalar::{larger_or_nan, larger_or_second};

/// Largest components of a correction and of the unknowns: unlike a Euclidean norm they do not grow with the number of
/// bodies. NaN stays.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    /// The largest component of the correction.
    pub correction: f64,
    /// The largest of the unknowns.
    pub unknowns: f64,
}

impl Sizes {
    /// Changes unknowns, and takes them and their changes, weighed alike, into account.
    pub fn correct(&mut self, weight: f64, unknowns: &mut [f64], changes: &[f64]) {
        if unknowns.is_empty() {
            return;
        }
        // Measured while they are at hand.
        let (mut change_sizes, mut sizes) = (Largest::default(), Largest::default());
        let (pairs, rest) = unknowns.as_chunks_mut::<2>();
        let (change_pairs, last) = changes.as_chunks::<2>();
        for (unknowns, changes) in pairs.iter_mut().zip(change_pairs) {
            for (unknown, change) in unknowns.iter_mut().zip(changes) {
                *unknown += change;
            }
            change_sizes.add(changes);
            sizes.add(unknowns);
        }
        if let ([unknown], [change]) = (rest, last) {
            *unknown += change;
            change_sizes.add(&[*change, 0.0]);
            sizes.add(&[*unknown, 0.0]);
        }
        self.add(weight, change_sizes.value(), sizes.value());
    }

    /// Takes a component, weighed, and its change into account.
    pub fn add(&mut self, weight: f64, change: f64, unknown: f64) {
        self.correction = larger_or_nan(self.correction, (weight * change).abs());
        self.unknowns = larger_or_nan(self.unknowns, (weight * unknown).abs());
    }
}

/// The largest of absolute values, in lanes without branches.
#[derive(Default)]
pub(crate) struct Largest {
    sizes: [f64; 2],
    /// Candidates that are NaN are passed over, and looked for apart: these are NaN after what is not finite.
    zeros: [f64; 2],
}

impl Largest {
    #[inline(always)]
    fn add(&mut self, pair: &[f64; 2]) {
        let absolute = pair.map(f64::abs);
        for lane in 0..2 {
            self.sizes[lane] = larger_or_second(absolute[lane], self.sizes[lane]);
            self.zeros[lane] += 0.0 * pair[lane];
        }
    }

    /// Takes further values into account.
    pub fn see(&mut self, values: &[f64]) {
        let (pairs, rest) = values.as_chunks::<2>();
        for pair in pairs {
            self.add(pair);
        }
        if let [last] = rest {
            self.add(&[*last, 0.0]);
        }
    }

    /// NaN unless all were finite.
    #[inline(always)]
    pub fn value(&self) -> f64 {
        larger_or_second(self.sizes[0], self.sizes[1]) + (self.zeros[0] + self.zeros[1])
    }
}

/// The largest of absolute values; NaN unless all are finite.
pub(crate) fn largest(values: &[f64]) -> f64 {
    let mut largest = Largest::default();
    largest.see(values);
    largest.value()
}

/// Whether `factor` times a change is so small a part of the values that an iteration which has come to rest there will do.
pub(crate) fn is_small(factor: f64, change: &[f64], values: &[f64]) -> bool {
    factor * largest(change) <= 1e-5 * largest(values)
}
