//! `A = L D Lᵀ` of a symmetric positive definite matrix with few entries beside its diagonal.

use super::structure::Structure;
use super::wide::{NEGLIGIBLE_ASYMMETRY, is_above_suspicion, is_doubtful};
use std::ops::Range;

/// Entries of A that differ from their mirror images by less than this part of the diagonal are equal.
const ASYMMETRY: f64 = 1e-14;

/// Products of diagonal entries outside of this range may be none, nor their parts: asymmetry cannot be told.
const MEASURABLE: Range<f64> = 1e-250..1e250;

/// The factors of A.
pub(super) struct MassFactors {
    /// The diagonal of A, and that of D.
    given: Vec<f64>,
    pivots: Vec<f64>,
    inverses: Vec<f64>,
    /// The entries below the diagonal, column by column: of L D, and of L.
    lower: Vec<f64>,
    factors: Vec<f64>,
}

impl MassFactors {
    pub fn new(n: usize, entries: usize) -> Self {
        Self {
            given: vec![0.0; n],
            pivots: vec![0.0; n],
            inverses: vec![0.0; n],
            lower: vec![0.0; entries],
            factors: vec![0.0; entries],
        }
    }

    /// D⁻¹.
    #[inline(always)]
    pub fn inverses(&self) -> &[f64] {
        &self.inverses
    }

    /// The entries of L below the diagonal, in the order of the structure.
    #[inline(always)]
    pub fn factors(&self) -> &[f64] {
        &self.factors
    }

    /// Takes the values over; whether A is symmetric but for what measures nothing, and `None` unless it is symmetric.
    #[inline]
    pub fn load(&mut self, structure: &Structure, a: &[f64]) -> Option<bool> {
        for (entry, &source) in self.given.iter_mut().zip(&structure.diagonal) {
            *entry = a[source];
        }
        let (mut symmetric, mut negligible) = (true, true);
        let value = |position: Option<usize>| position.map_or(0.0, |position| a[position]);
        for (lower, entry) in self.lower.iter_mut().zip(&structure.entries) {
            *lower = value(entry.source);
            let difference = *lower - value(entry.mirror);
            if difference == 0.0 {
                continue;
            }
            let size = self.given[entry.row] * self.given[entry.column];
            let square = difference * difference;
            symmetric &= square <= ASYMMETRY * ASYMMETRY * size && MEASURABLE.contains(&size);
            negligible &= square <= NEGLIGIBLE_ASYMMETRY * NEGLIGIBLE_ASYMMETRY * size;
        }
        symmetric.then_some(negligible)
    }

    /// Whether no pivot is suspicious; `None` if one is doubtful.
    #[inline]
    pub fn factor(&mut self, structure: &Structure) -> Option<bool> {
        self.pivots.copy_from_slice(&self.given);
        let mut regular = true;
        for (k, step) in structure.steps.iter().enumerate() {
            let (pivot, given) = (self.pivots[k], self.given[k]);
            if is_doubtful(pivot, given) {
                return None;
            }
            regular &= is_above_suspicion(pivot, given);
            let inverse = 1.0 / pivot;
            self.inverses[k] = inverse;
            let Range { start, end } = step.column;
            if start + 1 == end {
                // One entry alone: the other half of a pair.
                let entry = self.lower[start];
                let factor = entry * inverse;
                self.factors[start] = factor;
                self.pivots[structure.entries[start].row] -= factor * entry;
            } else if start < end {
                self.eliminate(structure, start..end, inverse);
            }
        }
        Some(regular)
    }

    /// Eliminates a column with several entries.
    #[inline(never)]
    fn eliminate(&mut self, structure: &Structure, column: Range<usize>, inverse: f64) {
        let end = column.end;
        for index in column {
            let entry = self.lower[index];
            let factor = entry * inverse;
            self.factors[index] = factor;
            // Patterns may have more entries than there are numbers.
            if entry == 0.0 {
                continue;
            }
            let own = &structure.entries[index];
            self.pivots[own.row] -= factor * entry;
            let targets = &structure.targets[own.first_target..];
            for (other, &target) in (index + 1..end).zip(targets) {
                self.lower[target] -= factor * self.lower[other];
            }
        }
    }

    /// `x = L⁻¹ x`.
    #[inline(always)]
    pub fn substitute(&self, structure: &Structure, x: &mut [f64]) {
        // Column by column: what stands in a column is final when its entries come.
        for (entry, &factor) in structure.entries.iter().zip(&self.factors) {
            if factor != 0.0 {
                x[entry.row] -= factor * x[entry.column];
            }
        }
    }

    /// `x = L⁻ᵀ x`.
    #[inline(always)]
    pub fn substitute_transposed(&self, structure: &Structure, x: &mut [f64]) {
        for (entry, &factor) in structure.entries.iter().zip(&self.factors).rev() {
            if factor != 0.0 {
                x[entry.column] -= factor * x[entry.row];
            }
        }
    }
}
