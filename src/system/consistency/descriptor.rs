//! Rank and null spaces of the descriptor matrix E of E x' = d.

use crate::linalg::Pattern;
use std::collections::{BTreeMap, BTreeSet};

/// An entry of the elimination is zero if it is below this share of the terms of its difference.
const CANCELLED: f64 = 1e-13;

/// A sparse vector: indices in increasing order, and values.
pub(in crate::system) type Sparse = Vec<(usize, f64)>;

/// Gaussian elimination of the constant matrix E, with rows as sparse vectors.
///
/// Rows have units of their own: pivots are compared relative to the largest entry of their row.
pub(in crate::system) struct DescriptorElimination {
    size: usize,
    /// Row operations in their order: (row, factor, other), row += factor * other.
    pub operations: Vec<(usize, f64, usize)>,
    /// Pivots in their order: (row, column).
    pivots: Vec<(usize, usize)>,
    /// The rows after the elimination.
    rows: Vec<BTreeMap<usize, f64>>,
}

impl DescriptorElimination {
    /// Eliminates a square matrix.
    pub fn new(pattern: &Pattern, values: &[f64]) -> Self {
        let size = pattern.rows();
        let mut rows = vec![BTreeMap::new(); size];
        // Rows in which a column may have an entry.
        let mut of_column = vec![Vec::new(); size];
        for (row, column, position) in pattern.iter() {
            if values[position] != 0.0 {
                rows[row].insert(column, values[position]);
                of_column[column].push(row);
            }
        }
        let largest = |row: &BTreeMap<usize, f64>| {
            let sizes = row.values().map(|entry: &f64| entry.abs());
            sizes.fold(0.0, f64::max)
        };
        let sizes: Vec<f64> = rows.iter().map(largest).collect();
        let mut open = vec![true; size];
        let (mut operations, mut pivots) = (Vec::new(), Vec::new());
        for column in 0..size {
            let mut candidates = std::mem::take(&mut of_column[column]);
            candidates.sort_unstable();
            candidates.dedup();
            candidates.retain(|&row| open[row] && rows[row].contains_key(&column));
            let entry = |row: usize| {
                rows[row]
                    .get(&column)
                    .map_or(0.0, |e| (e / sizes[row]).abs())
            };
            let best = candidates.iter().copied();
            let best = best.max_by(|&a, &b| entry(a).total_cmp(&entry(b)));
            let Some(pivot) = best.filter(|&row| entry(row) > CANCELLED) else {
                continue;
            };
            open[pivot] = false;
            pivots.push((pivot, column));
            let pivot_row = std::mem::take(&mut rows[pivot]);
            for row in candidates.into_iter().filter(|&row| row != pivot) {
                let factor = -rows[row][&column] / pivot_row[&column];
                add_cancelling(&mut rows[row], factor, &pivot_row);
                // Exactly zero, not its round-off.
                rows[row].remove(&column);
                operations.push((row, factor, pivot));
                for (&filled, _) in pivot_row.range(column + 1..) {
                    of_column[filled].push(row);
                }
            }
            rows[pivot] = pivot_row;
        }
        Self {
            size,
            operations,
            pivots,
            rows,
        }
    }

    /// The rank of E.
    pub fn rank(&self) -> usize {
        self.pivots.len()
    }

    /// A solution x of E x = `right`, as far as that lies in the range of E, with zeros where it is free; `right` is overwritten.
    pub fn solve(&self, right: &mut [f64], x: &mut [f64]) {
        for &(row, factor, other) in &self.operations {
            right[row] += factor * right[other];
        }
        x.fill(0.0);
        for &(row, pivot) in self.pivots.iter().rev() {
            let entries = &self.rows[row];
            let known = entries.iter().filter(|&(&column, _)| column != pivot);
            let sum = known.fold(right[row], |sum, (&column, entry)| sum - entry * x[column]);
            x[pivot] = sum / entries[&pivot];
        }
    }

    /// The combinations w of rows with wᵀ E = 0: the equations 0 = wᵀ d have no derivatives. Each has one row with factor 1.
    pub fn left_null_vectors(&self) -> Vec<Sparse> {
        let mut is_pivot = vec![false; self.size];
        for &(row, _) in &self.pivots {
            is_pivot[row] = true;
        }
        let mut found: Vec<BTreeMap<usize, f64>> = (0..self.size)
            .filter(|&row| !is_pivot[row])
            .map(|row| BTreeMap::from([(row, 1.0)]))
            .collect();
        // Which combinations have a row, so that operations on others cost nothing.
        let mut with_row = vec![Vec::new(); self.size];
        for (index, combination) in found.iter().enumerate() {
            for &row in combination.keys() {
                with_row[row].push(index);
            }
        }
        // Backwards: what a row has become is what it was and a multiple of the other one.
        for &(row, factor, other) in self.operations.iter().rev() {
            for index in with_row[row].clone() {
                let combination = &mut found[index];
                let change = factor * combination[&row];
                match combination.get_mut(&other) {
                    Some(value) => *value = cancelling_sum(*value, change),
                    None => {
                        combination.insert(other, change);
                        with_row[other].push(index);
                    }
                }
            }
        }
        found.into_iter().map(sparse).collect()
    }

    /// A basis of the directions n with E n = 0: moving x along them leaves E x as it is. Each has one component that is 1 in no
    /// other one.
    pub fn right_null_vectors(&self) -> Vec<Sparse> {
        let mut order_of = vec![None; self.size];
        for (order, &(_, column)) in self.pivots.iter().enumerate() {
            order_of[column] = Some(order);
        }
        // The pivots in whose rows a column has an entry.
        let mut users = vec![Vec::new(); self.size];
        for (order, &(row, pivot)) in self.pivots.iter().enumerate() {
            for &column in self.rows[row].keys().filter(|&&column| column != pivot) {
                users[column].push(order);
            }
        }
        let free = (0..self.size).filter(|&column| order_of[column].is_none());
        free.map(|column| {
            let mut vector = BTreeMap::from([(column, 1.0)]);
            let mut waiting: BTreeSet<usize> = users[column].iter().copied().collect();
            // Back substitution, the last pivot first, where anything has arrived.
            while let Some(order) = waiting.pop_last() {
                let (row, pivot) = self.pivots[order];
                let mut sum = 0.0;
                for (other, entry) in self.rows[row].iter().filter(|&(&other, _)| other != pivot) {
                    if let Some(value) = vector.get(other) {
                        sum = cancelling_sum(sum, entry * value);
                    }
                }
                if sum != 0.0 {
                    vector.insert(pivot, -sum / self.rows[row][&pivot]);
                    waiting.extend(&users[pivot]);
                }
            }
            sparse(vector)
        })
        .collect()
    }
}

fn sparse(vector: BTreeMap<usize, f64>) -> Sparse {
    vector
        .into_iter()
        .filter(|&(_, value)| value != 0.0)
        .collect()
}

/// A sum in which the difference of nearly equal numbers is zero: rank must not depend on rounding.
pub(super) fn cancelling_sum(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if sum.abs() <= CANCELLED * (a.abs() + b.abs()) {
        0.0
    } else {
        sum
    }
}

/// row += factor * other.
fn add_cancelling(row: &mut BTreeMap<usize, f64>, factor: f64, other: &BTreeMap<usize, f64>) {
    for (&column, value) in other {
        let sum = cancelling_sum(row.get(&column).copied().unwrap_or(0.0), factor * value);
        if sum == 0.0 {
            row.remove(&column);
        } else {
            row.insert(column, sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(size: usize, entries: &[(usize, usize, f64)]) -> (DescriptorElimination, Vec<f64>) {
        let pattern = Pattern::from_entries(size, size, entries.iter().map(|&(r, c, _)| (r, c)));
        let pattern = pattern.expect("within the matrix");
        let mut values = vec![0.0; pattern.nnz()];
        let mut matrix = vec![0.0; size * size];
        for &(row, column, value) in entries {
            values[pattern.position(row, column).expect("an entry")] += value;
            matrix[row * size + column] += value;
        }
        (DescriptorElimination::new(&pattern, &values), matrix)
    }

    /// Capacitors between random nodes, a chain of full rank and empty rows: both null spaces, to round-off of what they consist of.
    #[test]
    fn null_vectors_vanish_on_the_matrix_and_are_as_many_as_the_rank_leaves() {
        let mut seed = 7_u32;
        let mut random = |most: usize| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as usize % most
        };
        for case in 0..200 {
            let size = 1 + random(12);
            let mut entries = Vec::new();
            for _ in 0..random(2 * size) {
                let (a, b) = (random(size), random(size));
                let capacity = 1e-6 * (1 + random(1000)) as f64;
                entries.push((a, a, capacity));
                if a != b {
                    entries.extend([(b, b, capacity), (a, b, -capacity), (b, a, -capacity)]);
                }
            }
            let (elimination, matrix) = dense(size, &entries);
            let (left, right) = (
                elimination.left_null_vectors(),
                elimination.right_null_vectors(),
            );
            let expected = nalgebra::DMatrix::from_row_slice(size, size, &matrix).rank(1e-12);
            assert_eq!(elimination.rank(), expected, "case {case}");
            assert_eq!(
                (left.len(), right.len()),
                (size - expected, size - expected)
            );
            for column in 0..size {
                for w in &left {
                    let terms = w.iter().map(|&(row, w)| w * matrix[row * size + column]);
                    assert!(terms.sum::<f64>().abs() < 1e-14, "case {case}");
                }
                for n in &right {
                    let terms = n.iter().map(|&(row, n)| n * matrix[column * size + row]);
                    assert!(terms.sum::<f64>().abs() < 1e-14, "case {case}");
                }
            }
        }
    }
}
