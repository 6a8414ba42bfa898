//! Which rows of closed contacts are independent, and forces in them alone.

use super::response::INDEPENDENCE;

/// Rows accepted one after the other, with the Cholesky factor of their Delassus matrix.
pub(super) struct Selection<'a> {
    matrix: &'a [f64],
    size: usize,
    scale: &'a [f64],
    /// Accepted rows.
    pub rows: Vec<usize>,
    /// Lower triangle, row by row.
    factor: Vec<Vec<f64>>,
}

impl<'a> Selection<'a> {
    /// None yet, of the rows of a symmetric `size` x `size` matrix; `scale` is what pivots are measured against.
    pub fn new(matrix: &'a [f64], scale: &'a [f64]) -> Self {
        Self {
            matrix,
            size: scale.len(),
            scale,
            rows: Vec::new(),
            factor: Vec::new(),
        }
    }

    /// The part of a row along those accepted before, and its pivot if it is independent of them.
    fn reduce(&self, row: usize) -> (Vec<f64>, Option<f64>) {
        let mut entries = Vec::with_capacity(self.rows.len() + 1);
        for (index, &other) in self.rows.iter().enumerate() {
            let products = entries.iter().zip(&self.factor[index]);
            let inner: f64 = products.map(|(a, b): (&f64, &f64)| a * b).sum();
            entries
                .push((self.matrix[row * self.size + other] - inner) / self.factor[index][index]);
        }
        let squares: f64 = entries.iter().map(|entry| entry * entry).sum();
        let pivot = self.matrix[row * self.size + row] - squares;
        let independent = pivot > INDEPENDENCE * self.scale[row] && pivot > 0.0;
        (entries, independent.then_some(pivot))
    }

    /// Whether a row depends on those accepted before.
    pub fn implies(&self, row: usize) -> bool {
        self.reduce(row).1.is_none()
    }

    /// Accepts a row unless it depends on those before; otherwise returns its coefficients in them.
    pub fn accept(&mut self, row: usize) -> Result<(), Vec<f64>> {
        let (mut entries, pivot) = self.reduce(row);
        if let Some(pivot) = pivot {
            entries.push(pivot.sqrt());
            self.factor.push(entries);
            self.rows.push(row);
            return Ok(());
        }
        // Lᵀ c = entries
        let mut coefficients = entries;
        for index in (0..coefficients.len()).rev() {
            let later: f64 = (index + 1..coefficients.len())
                .map(|k| self.factor[k][index] * coefficients[k])
                .sum();
            coefficients[index] = (coefficients[index] - later) / self.factor[index][index];
        }
        Err(coefficients)
    }
}

/// Normal forces that move change the sum of their friction by at least this share of what adds up to it, or not at all.
const SAME_FRICTION: f64 = 1e-9;

/// Moves non-negative forces to independent rows without changing their sum of effects (Carathéodory): returns the
/// rows that still carry a force.
///
/// Where coefficients `friction` of sliding that goes with the forces differ, forces move to the smoother rows: what slides
/// goes on sliding.
pub(super) fn independent_support(
    matrix: &[f64],
    scale: &[f64],
    force: &mut [f64],
    rows: &[usize],
    friction: &[f64],
) -> Vec<usize> {
    let mut support: Vec<usize> = rows.to_vec();
    loop {
        let mut selection = Selection::new(matrix, scale);
        let dependent = support
            .iter()
            .find_map(|&row| selection.accept(row).err().map(|c| (row, c)));
        let Some((row, coefficients)) = dependent else {
            return support;
        };
        // row = Σ c_k row_k: moving s from `row` to the others adds s c_k there.
        let mut direction: Vec<(usize, f64)> = vec![(row, -1.0)];
        direction.extend(selection.rows.iter().copied().zip(coefficients));
        let limit = |sign: f64| {
            direction
                .iter()
                .filter(|(_, change)| sign * change < 0.0)
                .map(|&(row, change)| (-force[row] / (sign * change), row))
                .min_by(|a, b| a.0.total_cmp(&b.0))
                .map(|(step, row)| (sign * step.max(0.0), row))
        };
        let terms = direction
            .iter()
            .map(|&(row, change)| friction[row] * change);
        let (sum, size) = terms.fold((0.0, 0.0_f64), |(sum, size), term| {
            (sum + term, size + term.abs())
        });
        // Emptying `row` itself always works in the first direction.
        let smoother = if sum > SAME_FRICTION * size {
            -1.0
        } else {
            1.0
        };
        let (step, emptied) = limit(smoother)
            .or_else(|| limit(-smoother))
            .unwrap_or((0.0, row));
        for &(row, change) in &direction {
            force[row] = (force[row] + step * change).max(0.0);
        }
        force[emptied] = 0.0;
        support.retain(|&row| row != emptied);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A beam on three points, the middle one rough or smooth: without difference in friction it is the last one that gives
    /// its force away.
    #[test]
    fn smoother_rows_take_over() {
        let points = [[1.0, -1.0], [1.0, 0.0], [1.0, 1.0]];
        let entry = |i: usize, j: usize| points[i][0] * points[j][0] + points[i][1] * points[j][1];
        let matrix: Vec<f64> = (0..9).map(|place| entry(place / 3, place % 3)).collect();
        let support = |friction: [f64; 3]| {
            let mut force = [1.0, 2.0, 1.0];
            let support =
                independent_support(&matrix, &[2.0; 3], &mut force, &[0, 1, 2], &friction);
            (support, force)
        };
        assert_eq!(support([0.1, 0.5, 0.1]), (vec![0, 2], [2.0, 0.0, 2.0]));
        assert!(support([0.5, 0.1, 0.1]).0.contains(&1));
        assert_eq!(support([0.3; 3]).0.len(), 2);
    }

    /// A table on four legs: three carry it.
    #[test]
    fn four_legs_become_three() {
        // Heights of legs at (±1, ±1) on a plate: rows (1, x, y).
        let legs = [
            [1.0, 1.0, 1.0],
            [1.0, -1.0, 1.0],
            [1.0, -1.0, -1.0],
            [1.0, 1.0, -1.0],
        ];
        let mut matrix = vec![0.0; 16];
        for i in 0..4 {
            for j in 0..4 {
                matrix[4 * i + j] = (0..3).map(|k| legs[i][k] * legs[j][k]).sum();
            }
        }
        let mut force = [1.0, 2.0, 3.0, 4.0];
        let sums = |force: &[f64]| -> Vec<f64> {
            (0..3)
                .map(|k| (0..4).map(|i| legs[i][k] * force[i]).sum())
                .collect()
        };
        let before = sums(&force);
        let support = independent_support(&matrix, &[3.0; 4], &mut force, &[0, 1, 2, 3], &[0.0; 4]);
        assert_eq!(support.len(), 3);
        for (a, b) in before.iter().zip(sums(&force)) {
            assert!((a - b).abs() < 1e-12);
        }
        assert!(force.iter().all(|&force| force >= 0.0));
    }
}
