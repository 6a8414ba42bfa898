//! Inversion of small pivot blocks, with their rank.

use super::dependence::DEPENDENT_PIVOT;

/// Unpivoted inversion is accepted while its pivots stay this close to the original diagonal.
const SHRINK: f64 = 1e-6;
const GROWTH: f64 = 1e3;

/// Workspace for blocks up to a fixed order.
pub(super) struct Inverter {
    copy: Vec<f64>,
    row_scale: Vec<f64>,
    col_scale: Vec<f64>,
    pivot_row: Vec<usize>,
    pivot_col: Vec<usize>,
    row_used: Vec<bool>,
    col_used: Vec<bool>,
}

impl Inverter {
    pub fn new(order: usize) -> Self {
        Self {
            copy: vec![0.0; order * order],
            row_scale: vec![0.0; order],
            col_scale: vec![0.0; order],
            pivot_row: vec![0; order],
            pivot_col: vec![0; order],
            row_used: vec![false; order],
            col_used: vec![false; order],
        }
    }

    /// Replaces the `size x size` block by its inverse and returns its rank.
    ///
    /// `magnitude` (same shape) bounds the terms that were summed up to form the block; a pivot
    /// counts as zero relative to it. Of a block of lower rank the inverse of a largest regular
    /// part is left, zero elsewhere; [`Inverter::null_vectors`] then describes the rest.
    pub fn invert(&mut self, size: usize, block: &mut [f64], magnitude: Option<&[f64]>) -> usize {
        let quick = match size {
            1 => quick::<1>(block, magnitude),
            2 => quick::<2>(block, magnitude),
            3 => quick::<3>(block, magnitude),
            4 => quick::<4>(block, magnitude),
            5 => quick::<5>(block, magnitude),
            6 => quick::<6>(block, magnitude),
            _ => false,
        };
        // The quick inverse has kept its pivots near the diagonal: it is of full rank.
        if quick {
            return size;
        }
        self.copy[..size * size].copy_from_slice(block);
        self.complete(size, block, magnitude)
    }

    /// As [`Inverter::invert`] for a block of order 6 that consists of two blocks of three, like the mass of a rigid body: each
    /// is inverted by itself.
    pub fn invert_decoupled(&mut self, block: &mut [f64]) -> usize {
        let mut halves = [[0.0; 9]; 2];
        for (half, own) in halves.iter_mut().enumerate() {
            for (row, line) in own.chunks_exact_mut(3).enumerate() {
                let first = (3 * half + row) * 6 + 3 * half;
                line.copy_from_slice(&block[first..first + 3]);
            }
        }
        if !halves.iter_mut().all(|own| quick::<3>(own, None)) {
            return self.invert(6, block, None);
        }
        for (half, own) in halves.iter().enumerate() {
            for (row, line) in own.chunks_exact(3).enumerate() {
                let first = (3 * half + row) * 6 + 3 * half;
                block[first..first + 3].copy_from_slice(line);
            }
        }
        6
    }

    /// Gauss-Jordan with complete pivoting on the equilibrated block.
    fn complete(&mut self, n: usize, block: &mut [f64], magnitude: Option<&[f64]>) -> usize {
        // Sizes of the terms, not of what cancellation leaves of them, decide about rank.
        let reference = magnitude.unwrap_or(&self.copy[..n * n]);
        for (scale, (row, own)) in self.row_scale.iter_mut().zip(
            reference
                .chunks_exact(n.max(1))
                .zip(block.chunks_exact(n.max(1))),
        ) {
            let all = row.iter().chain(own);
            *scale = reciprocal(all.fold(0.0_f64, |max, v| max.max(v.abs())));
        }
        for j in 0..n {
            let largest = (0..n).fold(0.0_f64, |max, i| {
                let size = reference[i * n + j].abs().max(block[i * n + j].abs());
                max.max(size * self.row_scale[i])
            });
            self.col_scale[j] = reciprocal(largest);
        }
        self.row_used[..n].fill(false);
        self.col_used[..n].fill(false);
        let mut rank = 0;
        while rank < n {
            // Complete pivoting: what is left is at most this large when it stops.
            let (mut best, mut pi, mut pj) = (DEPENDENT_PIVOT, n, n);
            for i in (0..n).filter(|&i| !self.row_used[i]) {
                for j in (0..n).filter(|&j| !self.col_used[j]) {
                    let size = block[i * n + j].abs() * self.row_scale[i] * self.col_scale[j];
                    if size > best {
                        (best, pi, pj) = (size, i, j);
                    }
                }
            }
            if pi == n {
                break;
            }
            exchange(n, block, pi, pj);
            self.row_used[pi] = true;
            self.col_used[pj] = true;
            self.pivot_row[rank] = pi;
            self.pivot_col[rank] = pj;
            rank += 1;
        }
        // The exchanged tableau holds the inverse with rows and columns in pivot order.
        self.copy[..n * n].copy_from_slice(block);
        block.fill(0.0);
        for k in 0..rank {
            for l in 0..rank {
                block[self.pivot_col[k] * n + self.pivot_row[l]] =
                    self.copy[self.pivot_row[k] * n + self.pivot_col[l]];
            }
        }
        rank
    }

    /// After a deficient [`Inverter::invert`]: for every dropped column `j`, `visit(j, z)` with the
    /// vector `z` of length `size` that the block maps to zero, `z[j] = 1`.
    pub fn null_vectors(&self, size: usize, rank: usize, mut visit: impl FnMut(usize, Vec<f64>)) {
        for j in (0..size).filter(|&j| !self.col_used[j]) {
            let mut z = vec![0.0; size];
            z[j] = 1.0;
            for k in 0..rank {
                z[self.pivot_col[k]] = -self.copy[self.pivot_row[k] * size + j];
            }
            visit(j, z);
        }
    }
}

/// Gauss-Jordan without pivoting; false (block untouched) if a pivot looks wrong.
fn quick<const N: usize>(block: &mut [f64], magnitude: Option<&[f64]>) -> bool {
    let (rows, _) = block.as_chunks_mut::<N>();
    let Some(rows) = rows.first_chunk_mut::<N>() else {
        return false;
    };
    // A copy: the block stays as it was if a pivot is refused.
    let mut m = *rows;
    let mut original = [0.0; N];
    let mut least = [0.0; N];
    for k in 0..N {
        original[k] = m[k][k].abs();
        let summed = magnitude.and_then(|m| m.get(k * N + k));
        least[k] = SHRINK * summed.map_or(original[k], |s| s.max(original[k]));
    }
    for k in 0..N {
        let pivot = m[k][k];
        // Written so that NaN is refused.
        if !(pivot.abs() > least[k] && pivot.abs() <= GROWTH * original[k]) {
            return false;
        }
        let inverse = 1.0 / pivot;
        if !inverse.is_finite() {
            return false;
        }
        let mut row = m[k];
        row[k] = 1.0;
        for v in &mut row {
            *v *= inverse;
        }
        // All rows without a branch; row k is put back afterwards.
        for other in &mut m {
            let factor = other[k];
            other[k] = 0.0;
            for (v, r) in other.iter_mut().zip(&row) {
                *v -= factor * r;
            }
        }
        m[k] = row;
    }
    *rows = m;
    true
}

/// One Gauss-Jordan exchange at `(pi, pj)`.
fn exchange(n: usize, block: &mut [f64], pi: usize, pj: usize) {
    // Gauss-Jordan: row and column of the pivot change places.
    let inverse = 1.0 / block[pi * n + pj];
    block[pi * n + pj] = 1.0;
    for v in &mut block[pi * n..(pi + 1) * n] {
        *v *= inverse;
    }
    for i in (0..n).filter(|&i| i != pi) {
        let factor = block[i * n + pj];
        block[i * n + pj] = 0.0;
        for j in 0..n {
            block[i * n + j] -= factor * block[pi * n + j];
        }
    }
}

/// `1 / v`, or zero where that overflows: a zero row or column never gives a pivot.
fn reciprocal(v: f64) -> f64 {
    let inverse = 1.0 / v;
    if inverse.is_finite() { inverse } else { 0.0 }
}
