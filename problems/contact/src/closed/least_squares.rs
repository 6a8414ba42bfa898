//! Minima of |A s + b|²/2 + c·s by a factorization A = Q R, which does not square the condition of A.
//!
//! Rows of very different weights keep their own accuracy where heavy rows stand first and columns are exchanged (Cox and Higham
//! 1998, doi:10.1007/BF02510914).

/// A quadratic form as rows, and its minimum.
#[derive(Default)]
pub(super) struct LeastSquares {
    columns: usize,
    /// Each row of A with its b behind it.
    rows: Vec<f64>,
    order: Vec<usize>,
    /// A, then R in its upper triangle; row by row in their order, with b, then Qᵀ b, behind each.
    matrix: Vec<f64>,
    /// Which unknown each column is of.
    unknowns: Vec<usize>,
    reflector: Vec<f64>,
    right: Vec<f64>,
    /// s.
    pub step: Vec<f64>,
}

impl LeastSquares {
    /// Forgets all rows.
    pub fn clear(&mut self, columns: usize) {
        self.columns = columns;
        self.rows.clear();
    }

    /// Another row of A, of zeros, to be filled in by the caller, with its b.
    pub fn add_row(&mut self, b: f64) -> &mut [f64] {
        let first = self.rows.len();
        self.rows.resize(first + self.columns, 0.0);
        self.rows.push(b);
        &mut self.rows[first..first + self.columns]
    }

    /// Finds s, and returns twice how much is won by it, |Q^T b + R^-T c|²; `None` where A has not full rank or is not finite.
    pub fn minimize(&mut self, linear: &[f64]) -> Option<f64> {
        self.sort();
        for pivot in 0..self.columns {
            self.exchange(pivot);
            self.reflect(pivot)?;
        }
        self.substitute(linear)
    }

    /// Heavy rows first.
    fn sort(&mut self) {
        let wide = self.columns + 1;
        let (rows, columns) = (&self.rows, self.columns);
        let weight = |row: usize| {
            let row = &rows[row * wide..row * wide + columns];
            row.iter()
                .fold(0.0_f64, |most, entry| most.max(entry.abs()))
        };
        self.order.clear();
        self.order.extend(0..rows.len() / wide);
        self.order
            .sort_unstable_by(|&one, &two| weight(two).total_cmp(&weight(one)));
        self.matrix.clear();
        for &row in &self.order {
            self.matrix
                .extend_from_slice(&rows[row * wide..(row + 1) * wide]);
        }
        self.unknowns.clear();
        self.unknowns.extend(0..columns);
    }

    /// Brings the longest remaining column to this place.
    fn exchange(&mut self, pivot: usize) {
        let wide = self.columns + 1;
        let length = |column: usize| -> f64 {
            let rows = self.matrix.chunks_exact(wide).skip(pivot);
            rows.map(|row| row[column] * row[column]).sum()
        };
        let mut longest = (pivot, length(pivot));
        for column in pivot + 1..self.columns {
            let length = length(column);
            if length > longest.1 {
                longest = (column, length);
            }
        }
        for row in self.matrix.chunks_exact_mut(wide) {
            row.swap(pivot, longest.0);
        }
        self.unknowns.swap(pivot, longest.0);
    }

    /// Clears a column below the diagonal by Householder's reflection.
    fn reflect(&mut self, pivot: usize) -> Option<()> {
        let wide = self.columns + 1;
        self.reflector.clear();
        let below = self.matrix.chunks_exact(wide).skip(pivot);
        self.reflector.extend(below.map(|row| row[pivot]));
        let square: f64 = self.reflector.iter().map(|entry| entry * entry).sum();
        let head = *self.reflector.first()?;
        let diagonal = -square.sqrt().copysign(head);
        if !(diagonal.is_finite() && diagonal != 0.0) {
            return None;
        }
        let factor = 1.0 / (diagonal * (diagonal - head));
        self.reflector[0] -= diagonal;
        for column in pivot..wide {
            let below = || self.matrix.chunks_exact(wide).skip(pivot);
            let inner: f64 = below()
                .zip(&self.reflector)
                .map(|(row, part)| row[column] * part)
                .sum();
            let below = self.matrix.chunks_exact_mut(wide).skip(pivot);
            for (row, part) in below.zip(&self.reflector) {
                row[column] -= factor * inner * part;
            }
        }
        self.matrix[pivot * (wide + 1)] = diagonal;
        Some(())
    }

    /// R s = -(Qᵀ b + R⁻ᵀ c).
    fn substitute(&mut self, linear: &[f64]) -> Option<f64> {
        let (wide, columns) = (self.columns + 1, self.columns);
        let r = &self.matrix;
        self.right.clear();
        for row in 0..columns {
            let inner: f64 = (0..row).map(|k| r[k * wide + row] * self.right[k]).sum();
            let known = linear[self.unknowns[row]] - inner;
            self.right.push(known / r[row * (wide + 1)]);
        }
        for (row, right) in r.chunks_exact(wide).zip(&mut self.right) {
            *right += row[columns];
        }
        let won: f64 = self.right.iter().map(|right| right * right).sum();
        self.step.clear();
        self.step.resize(columns, 0.0);
        for row in (0..columns).rev() {
            let inner: f64 = (row + 1..columns)
                .map(|k| r[row * wide + k] * self.step[self.unknowns[k]])
                .sum();
            self.step[self.unknowns[row]] = -(self.right[row] + inner) / r[row * (wide + 1)];
        }
        (won.is_finite() && self.step.iter().all(|part| part.is_finite())).then_some(won)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows whose weights differ by 1e13, with a solution that is known.
    #[test]
    fn light_rows_keep_their_accuracy() {
        let exact = [0.3, -2.0, 1.5];
        let rows = [
            (1e13, [1.0, 2.0, 2.9]),
            (1e-3, [3.0, -1.0, 0.5]),
            (1e13, [1.0, 2.0, 3.1]),
            (1.0, [0.2, 0.7, -1.0]),
        ];
        let mut form = LeastSquares::default();
        form.clear(3);
        for (weight, row) in rows {
            let b: f64 = row.iter().zip(exact).map(|(a, x)| a * x).sum();
            let slots = form.add_row(-weight * b);
            for (slot, entry) in slots.iter_mut().zip(row) {
                *slot = weight * entry;
            }
        }
        form.minimize(&[0.0; 3]).expect("full rank");
        for (found, exact) in form.step.iter().zip(exact) {
            assert!((found - exact).abs() < 1e-11, "{:?}", form.step);
        }
    }

    /// (s + 1)²/2 + (2 t)²/2 + 3 s - 4 t is smallest at s = -4 and t = 1, and (16 + 4)/2 less than without the step.
    #[test]
    fn linear_terms_count() {
        let mut form = LeastSquares::default();
        form.clear(2);
        form.add_row(1.0)[0] = 1.0;
        form.add_row(0.0)[1] = 2.0;
        let won = form.minimize(&[3.0, -4.0]).expect("full rank");
        assert_eq!(form.step, [-4.0, 1.0]);
        assert!((won - 20.0).abs() < 1e-12);
        form.clear(2);
        form.add_row(1.0)[0] = 1.0;
        assert!(form.minimize(&[0.0; 2]).is_none());
        form.clear(1);
        form.add_row(1.0)[0] = f64::NAN;
        assert!(form.minimize(&[0.0]).is_none());
    }
}
