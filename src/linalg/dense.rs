//! Dense LU with partial pivoting for small systems.

use super::scaling::inverse_power_of_two;
use super::spans::Scatter;
use super::system::System;

/// Pivots below this fraction of the equilibrated unit size are left to the robust path.
const DOUBTFUL_PIVOT: f64 = 1e-12;

/// `P diag(r) K diag(c) = L U`, in a preallocated row-major buffer.
pub(super) struct DenseLu {
    size: usize,
    lu: Vec<f64>,
    /// Where the values of `A`, `B` and `C` go.
    a: Scatter,
    b: Scatter,
    c: Scatter,
    /// Row of `K` in every row of the factors.
    source: Vec<usize>,
    row_scale: Vec<f64>,
    col_scale: Vec<f64>,
    inverse_pivot: Vec<f64>,
    work: Vec<f64>,
}

/// Estimated time of a factorization and a solution, fitted to benches/kkt.rs.
pub(super) fn nanoseconds(size: usize) -> f64 {
    let n = size as f64;
    200.0 + n * n * (3.0 + 0.05 * n)
}

impl DenseLu {
    pub fn new(system: &System) -> Self {
        let size = system.size();
        let mut targets = Vec::new();
        system.for_each(|i, j, _| targets.push(i * size + j));
        let (a, rest) = targets.split_at(system.a.nnz());
        let (b, c) = rest.split_at(system.b.nnz());
        Self {
            size,
            a: Scatter::new(a),
            b: Scatter::new(b),
            c: Scatter::new(c),
            lu: vec![0.0; size * size],
            source: (0..size).collect(),
            row_scale: vec![1.0; size],
            col_scale: vec![1.0; size],
            inverse_pivot: vec![1.0; size],
            work: vec![0.0; size],
        }
    }

    /// False if a pivot is doubtful; the factors are then unusable.
    pub fn factor(&mut self, system: &System) -> bool {
        let n = self.size;
        if n == 0 {
            return true;
        }
        self.lu.fill(0.0);
        self.a.copy(&system.a_values, &mut self.lu);
        self.b.copy_negated(&system.b_values, &mut self.lu);
        self.c.copy(&system.c_values, &mut self.lu);
        self.equilibrate();
        for (i, source) in self.source.iter_mut().enumerate() {
            *source = i;
        }
        for k in 0..n {
            let (mut pivot_row, mut size) = (k, -1.0);
            for i in k..n {
                let candidate = self.lu[i * n + k].abs();
                if candidate > size {
                    (pivot_row, size) = (i, candidate);
                }
            }
            // Written so that NaN counts as doubtful.
            if !(size > DOUBTFUL_PIVOT && size.is_finite()) {
                return false;
            }
            let (upper, lower) = self.lu.split_at_mut((k + 1) * n);
            let row_k = &mut upper[k * n..];
            if pivot_row != k {
                row_k.swap_with_slice(&mut lower[(pivot_row - k - 1) * n..][..n]);
                self.source.swap(k, pivot_row);
            }
            let inverse = 1.0 / row_k[k];
            self.inverse_pivot[k] = inverse;
            let tail_k = &row_k[k + 1..];
            for row in lower.chunks_exact_mut(n) {
                let factor = row[k] * inverse;
                row[k] = factor;
                if factor != 0.0 {
                    for (entry, &upper) in row[k + 1..].iter_mut().zip(tail_k) {
                        *entry -= factor * upper;
                    }
                }
            }
        }
        true
    }

    /// Rows to unit size, then columns; powers of two commit no rounding error.
    fn equilibrate(&mut self) {
        let n = self.size;
        let largest = &mut self.work;
        largest.fill(0.0);
        for (row, scale) in self.lu.chunks_exact_mut(n).zip(&mut self.row_scale) {
            let max = row.iter().fold(0.0_f64, |max, v| max.max(v.abs()));
            *scale = inverse_power_of_two(max);
            for (entry, largest) in row.iter_mut().zip(largest.iter_mut()) {
                *entry *= *scale;
                *largest = largest.max(entry.abs());
            }
        }
        for (scale, &max) in self.col_scale.iter_mut().zip(largest.iter()) {
            *scale = inverse_power_of_two(max);
        }
        for row in self.lu.chunks_exact_mut(n) {
            for (entry, &scale) in row.iter_mut().zip(&self.col_scale) {
                *entry *= scale;
            }
        }
    }

    /// `z = K^-1 rhs`.
    pub fn solve(&mut self, rhs: &[f64], z: &mut [f64]) {
        let n = self.size;
        if n == 0 {
            return;
        }
        let work = &mut self.work;
        for (i, row) in self.lu.chunks_exact(n).enumerate() {
            let source = self.source[i];
            let (done, rest) = work.split_at_mut(i);
            let sum: f64 = row.iter().zip(done.iter()).map(|(l, w)| l * w).sum();
            rest[0] = rhs[source] * self.row_scale[source] - sum;
        }
        for (i, row) in self.lu.chunks_exact(n).enumerate().rev() {
            let (head, done) = work.split_at_mut(i + 1);
            let sum: f64 = row[i + 1..]
                .iter()
                .zip(done.iter())
                .map(|(u, w)| u * w)
                .sum();
            head[i] = (head[i] - sum) * self.inverse_pivot[i];
        }
        for ((z, &w), &scale) in z.iter_mut().zip(work.iter()).zip(&self.col_scale) {
            *z = w * scale;
        }
    }
}
