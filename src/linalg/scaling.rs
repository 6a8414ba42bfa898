//! Row and column scaling that makes decisions independent of units.

use super::pattern::Pattern;
use super::system::System;
use crate::scalar::larger_or_second;

/// Powers of two `r`, `c` such that the rows and columns of `diag(r) K diag(c)` have largest
/// entries near one (Ruiz' simultaneous equilibration).
pub(super) struct Scaling {
    pub row: Vec<f64>,
    pub col: Vec<f64>,
    row_max: Vec<f64>,
    col_max: Vec<f64>,
}

/// Ruiz sweeps: each halves the exponent of the imbalance, so 1e12 becomes less than 2.
const SWEEPS: usize = 6;

/// Largest entries that are as good as one: a sweep leaves them between one and four.
const NEAR_ONE: std::ops::RangeInclusive<f64> = 0.25..=4.0;

impl Scaling {
    pub fn new(size: usize) -> Self {
        Self {
            row: vec![1.0; size],
            col: vec![1.0; size],
            row_max: vec![0.0; size],
            col_max: vec![0.0; size],
        }
    }

    pub fn compute(&mut self, system: &System) {
        self.row.fill(1.0);
        self.col.fill(1.0);
        for _ in 0..SWEEPS {
            self.find_largest(system);
            let mut settled = true;
            let rows = self.row.iter_mut().zip(&self.row_max);
            for (scale, &max) in rows.chain(self.col.iter_mut().zip(&self.col_max)) {
                // Square roots: each entry is scaled from its row and its column.
                let factor = inverse_power_of_two(max.sqrt());
                settled &= factor == 1.0;
                *scale *= factor;
            }
            // Further sweeps would find the same.
            if settled {
                return;
            }
        }
    }

    /// As [`Scaling::compute`], but keeps the scaling of the matrix before while it makes largest entries near enough
    /// to one, as for that of the next step. It is kept whole or not at all: multiples of rows and of columns go round
    /// in circles otherwise, those of parts of the matrix that are not coupled away from each other, and all of them
    /// out of the range of numbers.
    pub fn update(&mut self, system: &System) {
        self.find_largest(system);
        let mut maxima = self.row_max.iter().chain(&self.col_max);
        if !maxima.all(|max| NEAR_ONE.contains(max) || *max == 0.0) {
            self.compute(system);
        }
    }

    /// The largest scaled entries of all rows and columns.
    fn find_largest(&mut self, system: &System) {
        self.row_max.fill(0.0);
        self.col_max.fill(0.0);
        let n = system.n;
        let (row, lower_row) = self.row.split_at(n);
        let (col, right_col) = self.col.split_at(n);
        let (row_max, lower_row_max) = self.row_max.split_at_mut(n);
        let (col_max, right_col_max) = self.col_max.split_at_mut(n);
        largest(
            &system.a,
            &system.a_values,
            [row, col],
            [&mut *row_max, &mut *col_max],
        );
        largest(
            &system.b,
            &system.b_values,
            [right_col, row],
            [&mut *right_col_max, row_max],
        );
        largest(
            &system.c,
            system.c_values(),
            [lower_row, col],
            [&mut *lower_row_max, col_max],
        );
        for &idle in &system.idle {
            let size = lower_row[idle] * right_col[idle];
            lower_row_max[idle] = larger_or_second(size, lower_row_max[idle]);
            right_col_max[idle] = larger_or_second(size, right_col_max[idle]);
        }
    }
}

/// Takes the entries of one part, scaled by its rows and columns, into the largest ones of both. The left Jacobian stands in
/// the matrix transposed, so that its rows are columns there.
fn largest(pattern: &Pattern, values: &[f64], scales: [&[f64]; 2], maxima: [&mut [f64]; 2]) {
    let ([rows, columns], [row_max, column_max]) = (scales, maxima);
    for (i, (scale, row_max)) in rows.iter().zip(row_max).enumerate() {
        let entries = pattern.row(i).iter().zip(&values[pattern.row_range(i)]);
        for (&j, value) in entries {
            let size = (value * scale * columns[j]).abs();
            *row_max = larger_or_second(size, *row_max);
            column_max[j] = larger_or_second(size, column_max[j]);
        }
    }
}

/// `2^-k` with `2^k <= value < 2^(k + 1)`; one where that is not representable (0, subnormal, inf).
pub(super) fn inverse_power_of_two(value: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    // Mantissa cleared: a power of two scales without rounding.
    let power = f64::from_bits(value.to_bits() & EXPONENT);
    let inverse = 1.0 / power;
    if inverse.is_normal() { inverse } else { 1.0 }
}
