//! Row and column scaling that makes decisions independent of units.

use super::dense::larger;
use super::system::System;

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
            self.row_max.fill(0.0);
            self.col_max.fill(0.0);
            let (row, col) = (&self.row, &self.col);
            let (row_max, col_max) = (&mut self.row_max, &mut self.col_max);
            system.for_each_with_idle(|i, j, v| {
                let v = (v * row[i] * col[j]).abs();
                row_max[i] = larger(v, row_max[i]);
                col_max[j] = larger(v, col_max[j]);
            });
            let mut settled = true;
            let rows = self.row.iter_mut().zip(&self.row_max);
            for (scale, &max) in rows.chain(self.col.iter_mut().zip(&self.col_max)) {
                let factor = inverse_power_of_two(max.sqrt());
                settled &= factor == 1.0;
                *scale *= factor;
            }
            // Further sweeps would find the same.
            if settled {
                break;
            }
        }
    }
}

/// `2^-k` with `2^k <= value < 2^(k + 1)`; one where that is not representable (0, subnormal, inf).
pub(super) fn inverse_power_of_two(value: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    let power = f64::from_bits(value.to_bits() & EXPONENT);
    let inverse = 1.0 / power;
    if inverse.is_normal() { inverse } else { 1.0 }
}
