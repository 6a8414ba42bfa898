//! How large corrections, unknowns and residuals are: largest components, which do not grow with the number of bodies.

use crate::scalar::{LANES, Largest, larger_or_nan, largest};
use std::cell::Cell;

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
    /// Adds changes to unknowns, and takes both, weighed alike, into account.
    pub fn correct(&mut self, weight: f64, unknowns: &mut [f64], changes: &[f64]) {
        self.change(weight, unknowns, changes, |unknown, change| {
            unknown + change
        });
    }

    /// The same with changes of the other sign.
    pub(crate) fn take_back(&mut self, weight: f64, unknowns: &mut [f64], changes: &[f64]) {
        self.change(weight, unknowns, changes, |unknown, change| {
            unknown - change
        });
    }

    #[inline(always)]
    fn change(
        &mut self,
        weight: f64,
        unknowns: &mut [f64],
        changes: &[f64],
        changed: impl Fn(f64, f64) -> f64,
    ) {
        if unknowns.is_empty() {
            return;
        }
        // Measured while they are at hand.
        let (mut change_sizes, mut sizes) = (Largest::default(), Largest::default());
        let (chunks, rest) = unknowns.as_chunks_mut::<LANES>();
        let (change_chunks, rest_of_changes) = changes.as_chunks::<LANES>();
        for (unknowns, changes) in chunks.iter_mut().zip(change_chunks) {
            for (unknown, change) in unknowns.iter_mut().zip(changes) {
                *unknown = changed(*unknown, *change);
            }
            change_sizes.add(changes);
            sizes.add(unknowns);
        }
        for (unknown, change) in rest.iter_mut().zip(rest_of_changes) {
            *unknown = changed(*unknown, *change);
        }
        change_sizes.add_rest(rest_of_changes);
        sizes.add_rest(rest);
        self.add(weight, change_sizes.value(), sizes.value());
    }

    /// Takes a component, weighed, and its change into account.
    pub fn add(&mut self, weight: f64, change: f64, unknown: f64) {
        self.correction = larger_or_nan(self.correction, (weight * change).abs());
        self.unknowns = larger_or_nan(self.unknowns, (weight * unknown).abs());
    }
}

/// Iterates of so many coordinates are measured by the sweep that makes them. Shorter ones stay in a cache, where a sweep of its own
/// takes no longer, and seldom is one needed.
const LONG: usize = 4096;

/// What the sweep that makes an iterate has seen of it: others that ask need not sweep over long lists again.
#[derive(Default)]
pub(crate) struct Seen {
    /// The size of the largest coordinate, once it is known; NaN unless all are finite.
    extent: Cell<Option<f64>>,
    is_finite: bool,
}

impl Seen {
    /// An iterate with coordinates up to this size, NaN unless they are finite.
    pub fn of_extent(extent: f64) -> Self {
        Self {
            extent: Cell::new(Some(extent)),
            is_finite: false,
        }
    }

    /// The same where the rest of the state consists of numbers up to these sizes, NaN unless they are finite.
    pub fn with<const N: usize>(self, sizes: [f64; N]) -> Self {
        let extent = self.extent.get();
        let is_finite = extent.into_iter().chain(sizes).all(f64::is_finite);
        Self {
            is_finite: extent.is_some() && is_finite,
            ..self
        }
    }

    /// Whether the sweep that makes an iterate with so many coordinates measures it.
    pub fn measures(coordinates: usize) -> bool {
        coordinates >= LONG
    }

    /// The size of the largest of its coordinates, which are these.
    pub fn extent_of(&self, q: &[f64]) -> f64 {
        let extent = self.extent.get().unwrap_or_else(|| largest(q));
        self.extent.set(Some(extent));
        extent
    }

    /// The same if it is known.
    pub fn extent(&self) -> Option<f64> {
        self.extent.get()
    }

    /// Whether all numbers have been seen to be finite.
    pub fn is_finite(&self) -> bool {
        self.is_finite
    }
}

/// Whether `factor` times a change is so small a part of the values that an iteration which has come to rest there will do.
pub(crate) fn is_small(factor: f64, change: &[f64], values: &[f64]) -> bool {
    factor * largest(change) <= 1e-5 * largest(values)
}
