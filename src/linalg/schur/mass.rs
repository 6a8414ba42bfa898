//! `A = L D Lᵀ` of a symmetric positive definite matrix.

use super::structure::{Pairs, Structure};
use super::wide::{NEGLIGIBLE_ASYMMETRY, accept, subtract};
use std::ops::Range;

/// Entries of A that differ from their mirror images by less than this part of the diagonal are equal.
const ASYMMETRY: f64 = 1e-14;

/// Products of diagonal entries outside of this range may be none, nor their parts: asymmetry cannot be told.
const MEASURABLE: Range<f64> = 1e-250..1e250;

/// Whether a number is positive and finite: no pivot is doubtful that nothing has been subtracted from. (As two
/// comparisons the compiler makes it a dozen instructions.)
#[inline(always)]
fn is_positive(pivot: f64) -> bool {
    pivot.to_bits().wrapping_sub(1) < f64::INFINITY.to_bits() - 1
}

/// Whether entries that differ by so much measure nothing, beside diagonal entries of this product; `None` if they are not equal.
#[cold]
fn differs_negligibly(difference: f64, size: f64) -> Option<bool> {
    let square = difference * difference;
    let equal = square <= ASYMMETRY * ASYMMETRY * size && MEASURABLE.contains(&size);
    equal.then_some(square <= NEGLIGIBLE_ASYMMETRY * NEGLIGIBLE_ASYMMETRY * size)
}

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

    /// Factorizes A; whether no pivot is suspicious, and A symmetric but for what measures nothing. `None` if a pivot is doubtful, or A
    /// not symmetric.
    #[inline]
    pub fn factor(&mut self, structure: &Structure, a: &[f64]) -> Option<bool> {
        if let Some(pairs) = &structure.pairs {
            return self.factor_pairs(pairs, a);
        }
        let negligible = self.load(structure, a)?;
        Some(self.factor_columns(structure)? && negligible)
    }

    /// The same numbers as [`factor_columns`](Self::factor_columns).
    #[inline]
    fn factor_pairs(&mut self, pairs: &Pairs, a: &[f64]) -> Option<bool> {
        let mut regular = true;
        for &(variable, source) in &pairs.single {
            let pivot = a[source];
            if !is_positive(pivot) {
                return None;
            }
            self.inverses[variable] = 1.0 / pivot;
        }
        for pair in &pairs.coupled {
            let (own, other) = (a[pair.diagonal[0]], a[pair.diagonal[1]]);
            let (coupling, mirror) = (a[pair.coupling[0]], a[pair.coupling[1]]);
            if coupling != mirror {
                regular &= differs_negligibly(coupling - mirror, own * other)?;
            }
            // The upper one is eliminated first.
            let [first, second] = pair.variables;
            if !is_positive(own) {
                return None;
            }
            let inverse = 1.0 / own;
            let factor = coupling * inverse;
            let pivot = other - factor * coupling;
            if !accept(pivot, other, &mut regular) {
                return None;
            }
            self.factors[pair.entry] = factor;
            self.inverses[first] = inverse;
            self.inverses[second] = 1.0 / pivot;
        }
        Some(regular)
    }

    /// Takes the values over; whether A is symmetric but for what measures nothing, and `None` unless it is symmetric.
    fn load(&mut self, structure: &Structure, a: &[f64]) -> Option<bool> {
        for (entry, &source) in self.given.iter_mut().zip(&structure.diagonal) {
            *entry = a[source];
        }
        let mut negligible = true;
        let value = |position: Option<usize>| position.map_or(0.0, |position| a[position]);
        for (lower, entry) in self.lower.iter_mut().zip(&structure.entries) {
            *lower = value(entry.source);
            let difference = *lower - value(entry.mirror);
            if difference != 0.0 {
                let size = self.given[entry.row] * self.given[entry.column];
                negligible &= differs_negligibly(difference, size)?;
            }
        }
        Some(negligible)
    }

    /// Whether no pivot is suspicious; `None` if one is doubtful.
    fn factor_columns(&mut self, structure: &Structure) -> Option<bool> {
        self.pivots.copy_from_slice(&self.given);
        let mut regular = true;
        for (k, step) in structure.steps.iter().enumerate() {
            let (pivot, given) = (self.pivots[k], self.given[k]);
            if !accept(pivot, given, &mut regular) {
                return None;
            }
            let inverse = 1.0 / pivot;
            self.inverses[k] = inverse;
            self.eliminate(structure, step.column.clone(), inverse);
        }
        Some(regular)
    }

    /// Eliminates a column.
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

    /// `known = L⁻¹ given`. Row by row: each stays in registers until it is known.
    #[inline(always)]
    pub fn substitute_in_rows<const W: usize>(
        &self,
        structure: &Structure,
        given: &[[f64; W]],
        known: &mut [[f64; W]],
    ) {
        if let Some(pairs) = &structure.pairs {
            for &(variable, _) in &pairs.single {
                known[variable] = given[variable];
            }
            for pair in &pairs.coupled {
                let ([first, second], factor) = (pair.variables, self.factors[pair.entry]);
                let (upper, mut lower) = (given[first], given[second]);
                if factor != 0.0 {
                    subtract(&mut lower, factor, &upper);
                }
                (known[first], known[second]) = (upper, lower);
            }
            return;
        }
        for (k, step) in structure.steps.iter().enumerate() {
            let mut row = given[k];
            for &(column, index) in &structure.left_of[step.left_of.clone()] {
                let factor = self.factors[index];
                if factor != 0.0 {
                    subtract(&mut row, factor, &known[column]);
                }
            }
            known[k] = row;
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

#[cfg(test)]
mod tests {
    use super::super::structure::Entry;
    use super::*;
    use crate::linalg::Pattern;
    use crate::linalg::system::System;
    use crate::linalg::tests::support::Random;

    /// Variables 0 and 3, and 1 and 4, are coupled; 2 is alone.
    fn structure() -> Structure {
        let entries = [0, 1, 2, 3, 4].map(|k| (k, k));
        let coupled = [(0, 3), (3, 0), (1, 4), (4, 1)];
        let a = Pattern::from_entries(5, 5, entries.into_iter().chain(coupled)).unwrap();
        let none = Pattern::empty(0, 5);
        Structure::new(&System::new(&a, &none, &none).unwrap(), 4).unwrap()
    }

    #[test]
    fn pairs_have_the_factors_of_columns() {
        let structure = structure();
        let pairs = structure.pairs.as_ref().expect("pairs");
        let mut random = Random(3);
        for case in 0..200 {
            // Rows 0 to 4: the diagonal entries are the numbers 0, 2, 4, 6 and 8, or what makes them doubtful.
            let mut a = random.vector(9);
            for at in [0, 2, 4, 6, 8] {
                a[at] = a[at].abs() + if case % 3 == 0 { 1.0 } else { 0.1 };
            }
            (a[5], a[7]) = (a[1], a[3]);
            if case % 5 == 0 {
                a[7] *= 1.0 + [3e-16, 1e-14, 1e-12, f64::NAN][case / 5 % 4];
            }
            let (mut one, mut other) = (MassFactors::new(5, 2), MassFactors::new(5, 2));
            let by_pairs = one.factor_pairs(pairs, &a);
            let by_columns = (other.load(&structure, &a)).and_then(|negligible| {
                other
                    .factor_columns(&structure)
                    .map(|regular| regular && negligible)
            });
            assert_eq!(by_pairs, by_columns, "{a:?}");
            if by_pairs.is_some() {
                assert_eq!(one.factors, other.factors);
                assert_eq!(one.inverses, other.inverses);
            }
        }
    }

    #[test]
    fn rows_of_pairs_are_those_of_columns() {
        let mut structure = structure();
        assert!(structure.pairs.is_some());
        let mut mass = MassFactors::new(5, 2);
        let mut random = Random(9);
        let given: Vec<[f64; 4]> = (0..5)
            .map(|_| std::array::from_fn(|_| random.next()))
            .collect();
        for factors in [[0.5, -2.0], [0.0, 3.0]] {
            mass.factors.copy_from_slice(&factors);
            let mut rows = [vec![[9.0; 4]; 5], vec![[7.0; 4]; 5]];
            let [by_pairs, by_columns] = &mut rows;
            mass.substitute_in_rows(&structure, &given, by_pairs);
            let pairs = structure.pairs.take();
            mass.substitute_in_rows(&structure, &given, by_columns);
            structure.pairs = pairs;
            assert_eq!(by_pairs, by_columns);
            assert_eq!(by_pairs[3][1], given[3][1] - factors[0] * given[0][1]);
        }
    }

    #[test]
    fn rows_are_substituted_like_single_numbers() {
        let dense = {
            let none = Pattern::empty(0, 5);
            Structure::new(
                &System::new(&Pattern::dense(5, 5), &none, &none).unwrap(),
                4,
            )
            .unwrap()
        };
        let mut random = Random(9);
        for structure in [structure(), dense] {
            let mut mass = MassFactors::new(5, structure.entries.len());
            mass.factors = random.vector(structure.entries.len());
            mass.factors[0] = 0.0;
            let given: Vec<[f64; 4]> = (0..5)
                .map(|_| std::array::from_fn(|_| random.next()))
                .collect();
            let mut rows = vec![[7.0; 4]; 5];
            mass.substitute_in_rows(&structure, &given, &mut rows);
            for lane in 0..4 {
                let mut x: Vec<f64> = given.iter().map(|row| row[lane]).collect();
                mass.substitute(&structure, &mut x);
                let own: Vec<f64> = rows.iter().map(|row| row[lane]).collect();
                assert_eq!(own, x);
            }
            let last = structure.entries.len() - 1;
            let Entry { row, column, .. } = structure.entries[last];
            assert_ne!(mass.factors[last] * rows[column][0], 0.0);
            assert_ne!(rows[row], given[row]);
        }
    }

    #[test]
    fn only_positive_numbers_are_pivots() {
        let positive = [f64::MIN_POSITIVE, 5e-324, 1.0, f64::MAX];
        assert!(positive.into_iter().all(is_positive));
        let others = [
            0.0,
            -0.0,
            -1.0,
            -5e-324,
            f64::INFINITY,
            -f64::INFINITY,
            f64::NAN,
            -f64::NAN,
        ];
        assert!(!others.into_iter().any(is_positive));
    }

    #[test]
    fn three_variables_are_no_pair() {
        let a = Pattern::dense(3, 3);
        let none = Pattern::empty(0, 3);
        let structure = Structure::new(&System::new(&a, &none, &none).unwrap(), 4).unwrap();
        assert!(structure.pairs.is_none());
    }
}
