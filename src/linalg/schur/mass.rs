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

/// A multiple of a row.
#[inline(always)]
fn times<const W: usize>(mut row: [f64; W], factor: f64) -> [f64; W] {
    for entry in &mut row {
        *entry *= factor;
    }
    row
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
        for (pair, slot) in pairs.coupled.iter().zip(&mut self.factors) {
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
            *slot = factor;
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

    /// `scaled = D⁻¹ L⁻¹ given`, and what else the rows of `S` are summed from: `L⁻¹ given` where they are symmetric, `A⁻¹ given`
    /// elsewhere.
    #[inline(always)]
    pub fn eliminate_rows<const SYMMETRIC: bool, const W: usize>(
        &self,
        structure: &Structure,
        given: &[[f64; W]],
        scaled: &mut [[f64; W]],
        other: &mut [[f64; W]],
    ) {
        // Lists of one length: the compiler looks once whether a place is in all of them.
        let n = given.len();
        let (scaled, other, inverses) = (&mut scaled[..n], &mut other[..n], &self.inverses[..n]);
        if let Some(pairs) = &structure.pairs {
            for &(variable, _) in &pairs.single {
                let row = given[variable];
                scaled[variable] = times(row, inverses[variable]);
                other[variable] = if SYMMETRIC { row } else { scaled[variable] };
            }
            for (pair, &factor) in pairs.coupled.iter().zip(&self.factors) {
                let [first, second] = pair.variables;
                let (upper, mut lower) = (given[first], given[second]);
                if factor != 0.0 {
                    subtract(&mut lower, factor, &upper);
                }
                let mut divided = [
                    times(upper, inverses[first]),
                    times(lower, inverses[second]),
                ];
                [scaled[first], scaled[second]] = divided;
                if factor != 0.0 {
                    let [upper, lower] = &mut divided;
                    subtract(upper, factor, lower);
                }
                [other[first], other[second]] = if SYMMETRIC { [upper, lower] } else { divided };
            }
            return;
        }
        for (k, step) in structure.steps.iter().enumerate() {
            // Row by row: each stays in registers until it is known.
            let mut row = given[k];
            for &(column, index) in &structure.left_of[step.left_of.clone()] {
                let factor = self.factors[index];
                if factor != 0.0 {
                    subtract(&mut row, factor, &other[column]);
                }
            }
            other[k] = row;
            scaled[k] = times(row, inverses[k]);
        }
        if SYMMETRIC {
            return;
        }
        other.copy_from_slice(scaled);
        for (entry, &factor) in structure.entries.iter().zip(&self.factors).rev() {
            if factor != 0.0 {
                let row = other[entry.row];
                subtract(&mut other[entry.column], factor, &row);
            }
        }
    }

    /// `x = A⁻¹ x`.
    #[inline(always)]
    pub fn divide(&self, structure: &Structure, x: &mut [f64]) {
        self.substitute(structure, x);
        self.scale(x);
        self.substitute_transposed(structure, x);
    }

    /// `x = D⁻¹ x`.
    #[inline(always)]
    pub fn scale(&self, x: &mut [f64]) {
        for (x, inverse) in x.iter_mut().zip(&self.inverses) {
            *x *= inverse;
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

    /// What `eliminate_rows` makes of rows: scaled, then those of symmetric systems, then those of others.
    fn eliminated(
        mass: &MassFactors,
        structure: &Structure,
        given: &[[f64; 4]],
    ) -> [Vec<[f64; 4]>; 3] {
        let rows = || vec![[9.0; 4]; given.len()];
        let (mut scaled, mut again, mut symmetric, mut other) = (rows(), rows(), rows(), rows());
        mass.eliminate_rows::<true, 4>(structure, given, &mut scaled, &mut symmetric);
        mass.eliminate_rows::<false, 4>(structure, given, &mut again, &mut other);
        assert_eq!(scaled, again);
        [scaled, symmetric, other]
    }

    fn random_rows(random: &mut Random) -> Vec<[f64; 4]> {
        let row = |_| std::array::from_fn(|_| random.next());
        (0..5).map(row).collect()
    }

    #[test]
    fn rows_of_pairs_are_those_of_columns() {
        let mut structure = structure();
        assert!(structure.pairs.is_some());
        let mut mass = MassFactors::new(5, 2);
        let mut random = Random(9);
        let given = random_rows(&mut random);
        mass.inverses = random.vector(5);
        for factors in [[0.5, -2.0], [0.0, 3.0]] {
            mass.factors.copy_from_slice(&factors);
            let by_pairs = eliminated(&mass, &structure, &given);
            let pairs = structure.pairs.take();
            let by_columns = eliminated(&mass, &structure, &given);
            structure.pairs = pairs;
            assert_eq!(by_pairs, by_columns);
            let lower = given[3][1] - factors[0] * given[0][1];
            assert_eq!(by_pairs[1][3][1], lower);
            assert_eq!(by_pairs[0][3][1], lower * mass.inverses[3]);
        }
    }

    #[test]
    fn rows_are_eliminated_like_single_numbers() {
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
            mass.inverses = random.vector(5);
            let given = random_rows(&mut random);
            let [scaled, symmetric, other] = eliminated(&mass, &structure, &given);
            for lane in 0..4 {
                let lane_of =
                    |rows: &[[f64; 4]]| -> Vec<f64> { rows.iter().map(|row| row[lane]).collect() };
                let mut x = lane_of(&given);
                mass.substitute(&structure, &mut x);
                assert_eq!(lane_of(&symmetric), x);
                mass.scale(&mut x);
                assert_eq!(lane_of(&scaled), x);
                mass.substitute_transposed(&structure, &mut x);
                assert_eq!(lane_of(&other), x);
            }
            let last = structure.entries.len() - 1;
            let Entry { row, column, .. } = structure.entries[last];
            assert_ne!(mass.factors[last] * symmetric[column][0], 0.0);
            assert_ne!(symmetric[row], given[row]);
            assert_ne!(other[column], scaled[column]);
        }
    }

    #[test]
    fn what_is_divided_times_the_matrix_is_what_was_given() {
        let structure = structure();
        // Rows 0 to 4, the diagonal and the coupling: 0 with 3, 1 with 4.
        let a = [4.0, 1.0, 5.0, -2.0, 3.0, 1.0, 6.0, -2.0, 7.0];
        let mut mass = MassFactors::new(5, 2);
        assert_eq!(mass.factor(&structure, &a), Some(true));
        let mut x = [1.0, 2.0, 3.0, 4.0, 5.0];
        mass.divide(&structure, &mut x);
        let product = [
            4.0 * x[0] + x[3],
            5.0 * x[1] - 2.0 * x[4],
            3.0 * x[2],
            x[0] + 6.0 * x[3],
            -2.0 * x[1] + 7.0 * x[4],
        ];
        for (row, product) in product.into_iter().enumerate() {
            approx::assert_relative_eq!(product, row as f64 + 1.0, max_relative = 1e-14);
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
