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
        once(&self.extent, q)
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

/// The size of the largest of these values, of which one sweep is made.
pub(crate) fn once(known: &Cell<Option<f64>>, values: &[f64]) -> f64 {
    let size = known.get().unwrap_or_else(|| largest(values));
    known.set(Some(size));
    size
}

/// Whether `factor` times a change is so small a part of the values that an iteration which has come to rest there will do.
pub(crate) fn is_small(factor: f64, change: &[f64], values: &[f64]) -> bool {
    factor * largest(change) <= 1e-5 * largest(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_finite_if_all_of_it_has_been_seen_to_be() {
        let nan = f64::NAN;
        assert!(Seen::of_extent(2.0).with([1.0, 0.0]).is_finite());
        assert!(!Seen::of_extent(2.0).is_finite());
        assert!(!Seen::default().with([1.0]).is_finite());
        assert!(!Seen::of_extent(nan).with([1.0]).is_finite());
        assert!(!Seen::of_extent(2.0).with([1.0, nan]).is_finite());
        assert!(!Seen::of_extent(2.0).with([f64::INFINITY]).is_finite());
        assert!(!Seen::of_extent(2.0).with([1.0]).with([nan]).is_finite());
    }

    #[test]
    fn what_is_not_known_is_looked_for_once() {
        let seen = Seen::default();
        assert_eq!(seen.extent(), None);
        assert_eq!(seen.extent_of(&[1.0, -3.0]), 3.0);
        assert_eq!(seen.extent(), Some(3.0));
        assert_eq!(Seen::of_extent(2.0).extent_of(&[]), 2.0);
    }

    /// Corrections and what is taken back, in lists of any length.
    #[test]
    fn corrections_are_measured_with_what_they_change() {
        for length in 0..12_usize {
            let changes: Vec<f64> = (0..length).map(|k| 0.25 * k as f64).collect();
            let start: Vec<f64> = (0..length).map(|k| -(k as f64)).collect();
            let last = length.saturating_sub(1) as f64;
            let (mut unknowns, mut sizes) = (start.clone(), Sizes::default());
            sizes.correct(2.0, &mut unknowns, &changes);
            assert_eq!((sizes.correction, sizes.unknowns), (0.5 * last, 1.5 * last));
            sizes.take_back(2.0, &mut unknowns, &changes);
            assert_eq!((sizes.correction, sizes.unknowns), (0.5 * last, 2.0 * last));
            assert_eq!(unknowns, start);
        }
    }
}
