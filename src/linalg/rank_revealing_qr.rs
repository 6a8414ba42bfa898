//! Rank-revealing dense QR: slow, allocated on demand, and the judge of every doubtful case.

use super::scaling::Scaling;
use super::system::System;

/// Largest `n + m` for which the robust path is tried (an n^2 buffer and n^3 work).
pub(super) const ROBUST_LIMIT: usize = 1200;

/// Diagonal entries of `R` below this fraction of the largest are noise.
const RANK_TOLERANCE: f64 = 1e-13;

/// Column-pivoted Householder QR of the equilibrated matrix, `diag(r) K diag(c) P = Q R`.
pub(super) struct RankRevealingQr {
    size: usize,
    rank: usize,
    /// Column-major; `R` above the diagonal, Householder vectors from the diagonal down.
    qr: Vec<f64>,
    /// Diagonal of `R`.
    diagonal: Vec<f64>,
    /// Column of `K` in every column of the factors.
    source: Vec<usize>,
    norms: Vec<f64>,
    work: Vec<f64>,
}

impl RankRevealingQr {
    pub fn new(size: usize) -> Self {
        Self {
            size,
            rank: 0,
            qr: vec![0.0; size * size],
            diagonal: vec![0.0; size],
            source: (0..size).collect(),
            norms: vec![0.0; size],
            work: vec![0.0; size],
        }
    }

    pub fn factor(&mut self, system: &System, scaling: &Scaling) {
        let n = self.size;
        self.qr.fill(0.0);
        let qr = &mut self.qr;
        system.for_each_with_idle(|i, j, v| qr[j * n + i] = v * scaling.row[i] * scaling.col[j]);
        for (j, source) in self.source.iter_mut().enumerate() {
            *source = j;
        }
        self.rank = 0;
        // Backward error of the QR itself: a column whose rest is smaller is noise.
        let tolerance = (16.0 * f64::EPSILON * n as f64).max(RANK_TOLERANCE);
        let mut largest = 0.0_f64;
        for k in 0..n {
            for j in k..n {
                self.norms[j] = norm(&self.qr[j * n + k..(j + 1) * n]);
            }
            let mut pivot = k;
            for j in k + 1..n {
                // Ties go to the earlier column; rounding must not decide between duplicates.
                if self.norms[j] > self.norms[pivot] * (1.0 + 1e-10) {
                    pivot = j;
                }
            }
            // The largest diagonal of R so far: pivots decrease but for ties.
            largest = largest.max(self.norms[pivot]);
            if self.norms[pivot] <= tolerance * largest {
                return;
            }
            self.swap_columns(k, pivot);
            self.reflect(k);
            self.rank = k + 1;
        }
    }

    fn swap_columns(&mut self, k: usize, pivot: usize) {
        if k != pivot {
            let n = self.size;
            let (left, right) = self.qr.split_at_mut(pivot * n);
            left[k * n..(k + 1) * n].swap_with_slice(&mut right[..n]);
            self.source.swap(k, pivot);
            self.norms.swap(k, pivot);
        }
    }

    /// Builds reflector `k` and applies it to the columns on its right.
    fn reflect(&mut self, k: usize) {
        let n = self.size;
        let (left, right) = self.qr.split_at_mut((k + 1) * n);
        let v = &mut left[k * n + k..];
        // The sign that does not cancel in v₀ - α.
        let alpha = -self.norms[k].copysign(v[0]);
        v[0] -= alpha;
        self.diagonal[k] = alpha;
        let scale = 1.0 / norm(v);
        if scale.is_finite() {
            v.iter_mut().for_each(|v| *v *= scale);
        }
        for column in right.chunks_exact_mut(n) {
            mirror(v, &mut column[k..]);
        }
    }

    /// Columns of `K` beyond the rank.
    pub fn dropped(&self) -> &[usize] {
        &self.source[self.rank..]
    }

    /// The basic least-squares solution: dropped unknowns are zero.
    pub fn solve(&mut self, scaling: &Scaling, rhs: &[f64], z: &mut [f64]) {
        let n = self.size;
        for ((w, &v), &scale) in self.work.iter_mut().zip(rhs).zip(&scaling.row) {
            *w = v * scale;
        }
        for k in 0..self.rank {
            mirror(&self.qr[k * n + k..(k + 1) * n], &mut self.work[k..]);
        }
        self.back_substitute();
        z.fill(0.0);
        for k in 0..self.rank {
            let j = self.source[k];
            z[j] = self.work[k] * scaling.col[j];
        }
    }

    /// Null vector of `K` that belongs to dropped column number `index`.
    pub fn null_vector(&mut self, scaling: &Scaling, index: usize, z: &mut [f64]) {
        let n = self.size;
        let column = self.rank + index;
        // R₁₁ w = -R₁₂ e: the dropped column expressed by those kept.
        for k in 0..self.rank {
            self.work[k] = -self.qr[column * n + k];
        }
        self.back_substitute();
        z.fill(0.0);
        for k in 0..self.rank {
            let j = self.source[k];
            z[j] = self.work[k] * scaling.col[j];
        }
        let j = self.source[column];
        z[j] = scaling.col[j];
    }

    fn back_substitute(&mut self) {
        let n = self.size;
        for k in (0..self.rank).rev() {
            let value = self.work[k] / self.diagonal[k];
            self.work[k] = value;
            for (w, &r) in self.work[..k].iter_mut().zip(&self.qr[k * n..]) {
                *w -= value * r;
            }
        }
    }
}

/// `w -= 2 v (v^T w)` for a unit vector `v`.
fn mirror(v: &[f64], w: &mut [f64]) {
    let product: f64 = v.iter().zip(w.iter()).map(|(v, w)| v * w).sum();
    for (w, &v) in w.iter_mut().zip(v) {
        *w -= 2.0 * product * v;
    }
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}
