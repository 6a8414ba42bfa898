//! Dense LU with partial pivoting, by blocks for many unknowns.

use super::dependence::DEPENDENT_PIVOT;
use super::lu::{BlockedLu, FEWEST_BLOCKED};
use super::scaling::inverse_power_of_two;
use super::spans::Scatter;
use super::system::System;
use crate::scalar::larger_or_second;

/// Rows are padded with zeros to a multiple of this, so that the loops over them have no remainders.
const LANES: usize = 4;

/// `P K = L U`, in a preallocated row-major buffer.
pub(super) struct DenseLu {
    size: usize,
    /// Length of a padded row.
    stride: usize,
    lu: Vec<f64>,
    /// Where the values of `A`, `B` and `C` go, found before the first factorization.
    a: Scatter,
    b: Scatter,
    c: Scatter,
    prepared: bool,
    /// Row of `K` in every row of the factors.
    source: Vec<usize>,
    /// What brings every row of the factors to unit size.
    scale: Vec<f64>,
    /// Pivots of every column up to this size, in rows of unit size, are doubtful.
    smallest: Vec<f64>,
    inverse_pivot: Vec<f64>,
    work: Vec<f64>,
    /// In place of all that for many unknowns.
    blocked: Option<Box<BlockedLu<f64>>>,
}

/// The best candidate so far.
struct Pivot {
    row: usize,
    /// In a row of unit size.
    size: f64,
}

impl Pivot {
    const NONE: Self = Self { row: 0, size: -1.0 };

    #[inline]
    fn consider(&mut self, row: usize, entry: f64, scale: f64) {
        let size = entry.abs() * scale;
        if size > self.size {
            *self = Self { row, size };
        }
    }
}

/// The rows below a pivot.
struct Rows<'a> {
    values: &'a mut [f64],
    stride: usize,
    scale: &'a [f64],
    /// Column of the pivot, and what factors are multiplied by.
    pivot: usize,
    inverse: f64,
    /// The first column that is worked on, in whole chunks, and how many of the columns there are not to be changed.
    first: usize,
    done: usize,
}

impl Rows<'_> {
    /// Subtracts multiples of the pivot row's last `N` entries, `row`; the best pivot of the next column.
    ///
    /// With a length that the compiler knows `tail` stays in registers, and nothing is spent on remainders of loops. (Loops
    /// over chunks of four would be vectorized across the chunks, with more shuffles than products.)
    fn eliminate<const N: usize>(self, row: &[f64]) -> Pivot {
        let mut next = Pivot::NONE;
        let Some(&(mut tail)) = row.first_chunk::<N>() else {
            return next;
        };
        tail[..self.done].fill(0.0);
        let rows = self.values.chunks_exact_mut(self.stride).zip(self.scale);
        for (index, (row, scale)) in rows.enumerate() {
            let candidate = row[self.pivot];
            if candidate != 0.0 {
                let factor = candidate * self.inverse;
                if let Some(entries) = row[self.first..].first_chunk_mut::<N>() {
                    for (entry, upper) in entries.iter_mut().zip(tail) {
                        *entry -= factor * upper;
                    }
                }
                row[self.pivot] = factor;
            }
            next.consider(self.pivot + 1 + index, row[self.pivot + 1], *scale);
        }
        next
    }

    /// As `eliminate`, for rows of any length.
    fn eliminate_long(self, tail: &[f64]) -> Pivot {
        let mut next = Pivot::NONE;
        let rows = self.values.chunks_exact_mut(self.stride).zip(self.scale);
        for (index, (row, scale)) in rows.enumerate() {
            let candidate = row[self.pivot];
            if candidate != 0.0 {
                let factor = candidate * self.inverse;
                for (entry, upper) in row[self.first..].iter_mut().zip(tail) {
                    *entry -= factor * upper;
                }
                row[self.pivot] = factor;
            }
            next.consider(self.pivot + 1 + index, row[self.pivot + 1], *scale);
        }
        next
    }
}

/// Estimated time of a factorization and a solution, fitted to benches/kkt.rs; by blocks to 256, 1,000 and 2,000 unknowns.
pub(super) fn nanoseconds(size: usize) -> f64 {
    let n = size as f64;
    let product = if size < FEWEST_BLOCKED { 0.05 } else { 0.026 };
    200.0 + n * n * (3.0 + product * n)
}

impl DenseLu {
    /// Memory for this system. What it takes beyond that is left to the first factorization, as most systems never come to it.
    pub fn new(system: &System) -> Self {
        let size = system.size();
        let blocked = (size >= FEWEST_BLOCKED).then(|| Box::new(BlockedLu::new(size)));
        let rows = if blocked.is_some() { 0 } else { size };
        let stride = rows.next_multiple_of(LANES);
        let [a, b, c] =
            [&system.a, &system.b, &system.c].map(|pattern| Scatter::with_capacity(pattern.nnz()));
        Self {
            size,
            stride,
            a,
            b,
            c,
            prepared: false,
            lu: vec![0.0; rows * stride],
            source: vec![0; rows],
            scale: vec![1.0; rows],
            smallest: vec![0.0; rows],
            inverse_pivot: vec![1.0; rows],
            work: vec![0.0; stride],
            blocked,
        }
    }

    /// Finds where values go.
    #[cold]
    fn prepare(&mut self, system: &System) {
        let (of_a, of_b) = (system.a.nnz(), system.b.nnz());
        let mut number = 0;
        let by_columns = self.blocked.as_mut().map(|blocked| blocked.matrix().1);
        let stride = self.stride;
        system.for_each(|i, j, _| {
            let places = match number {
                number if number < of_a => &mut self.a,
                number if number < of_a + of_b => &mut self.b,
                _ => &mut self.c,
            };
            places.push(match by_columns {
                Some(stride) => j * stride + i,
                None => i * stride + j,
            });
            number += 1;
        });
        self.prepared = true;
    }

    /// False if a pivot is doubtful; the factors are then unusable.
    pub fn factor(&mut self, system: &System) -> bool {
        let (n, stride) = (self.size, self.stride);
        if n == 0 {
            return true;
        }
        if !self.prepared {
            self.prepare(system);
        }
        let (matrix, stride) = match &mut self.blocked {
            Some(blocked) => blocked.matrix(),
            None => (&mut self.lu[..], stride),
        };
        matrix.fill(0.0);
        self.a.copy(&system.a_values, matrix);
        self.b.copy_negated(&system.b_values, matrix);
        self.c.copy(system.c_values(), matrix);
        // Rows without entries get a one on the diagonal, so that their multiplier is zero.
        for row in &system.idle {
            matrix[(system.n + row) * (stride + 1)] = 1.0;
        }
        if let Some(blocked) = &mut self.blocked {
            // How much entries grow shows in the solutions, which are checked.
            return blocked.factor(DEPENDENT_PIVOT, f64::INFINITY);
        }
        self.equilibrate();
        for (i, source) in self.source.iter_mut().enumerate() {
            *source = i;
        }
        // The first pivot is searched beforehand; each elimination finds the next on its way.
        let mut next = Pivot::NONE;
        for (i, (row, scale)) in self.lu.chunks_exact(stride).zip(&self.scale).enumerate() {
            next.consider(i, row[0], *scale);
        }
        for k in 0..n {
            let pivot = next;
            // Written so that NaN counts as doubtful.
            if !(pivot.size > self.smallest[k] && pivot.size.is_finite()) {
                return false;
            }
            let (upper, lower) = self.lu.split_at_mut((k + 1) * stride);
            let row_k = &mut upper[k * stride..];
            if pivot.row != k {
                row_k.swap_with_slice(&mut lower[(pivot.row - k - 1) * stride..][..stride]);
                self.source.swap(k, pivot.row);
                self.scale.swap(k, pivot.row);
            }
            let inverse = 1.0 / row_k[k];
            self.inverse_pivot[k] = inverse;
            // Whole chunks from the one that holds the next column on; what it holds of L stays, less zero.
            let first = (k + 1) / LANES * LANES;
            let done = k + 1 - first;
            let row = &row_k[first..stride];
            let rows = Rows {
                values: lower,
                stride,
                scale: &self.scale[k + 1..n],
                pivot: k,
                inverse,
                first,
                done,
            };
            // Known lengths for the usual tails; see `Rows::eliminate`.
            next = match row.len() / LANES {
                0 | 1 => rows.eliminate::<4>(row),
                2 => rows.eliminate::<8>(row),
                3 => rows.eliminate::<12>(row),
                4 => rows.eliminate::<16>(row),
                5 => rows.eliminate::<20>(row),
                6 => rows.eliminate::<24>(row),
                7 => rows.eliminate::<28>(row),
                8 => rows.eliminate::<32>(row),
                _ => {
                    let tail = &mut self.work[first..];
                    tail.copy_from_slice(row);
                    tail[..done].fill(0.0);
                    rows.eliminate_long(tail)
                }
            };
        }
        true
    }

    /// Powers of two that bring first rows, then columns to unit size. They are not applied, since that would change neither
    /// rounding errors nor the comparison within a column: they only weigh the candidates for a pivot.
    fn equilibrate(&mut self) {
        let columns = &mut self.work;
        columns.fill(0.0);
        // First rows, then the columns of the rows so scaled.
        for (row, scale) in self.lu.chunks_exact(self.stride).zip(&mut self.scale) {
            let (chunks, _) = row.as_chunks::<LANES>();
            let mut largest = [0.0; LANES];
            for chunk in chunks {
                largest =
                    std::array::from_fn(|lane| larger_or_second(chunk[lane].abs(), largest[lane]));
            }
            let largest = largest
                .into_iter()
                .fold(0.0, |max, size| larger_or_second(size, max));
            *scale = inverse_power_of_two(largest);
            for (column, entry) in columns.iter_mut().zip(row) {
                *column = larger_or_second(entry.abs() * *scale, *column);
            }
        }
        for (smallest, &largest) in self.smallest.iter_mut().zip(self.work.iter()) {
            // Whether smaller ones are zero is left to the robust path.
            *smallest = DEPENDENT_PIVOT / inverse_power_of_two(largest);
        }
    }

    /// `z = K^-1 rhs`. Rows of L are taken in groups, so that additions need not wait for those of one row; every sum is
    /// taken in the order of [`product`].
    pub fn solve(&mut self, rhs: &[f64], z: &mut [f64]) {
        let n = self.size;
        if let Some(blocked) = &mut self.blocked {
            z.copy_from_slice(rhs);
            return blocked.solve(z);
        }
        let row = |i: usize| &self.lu[i * self.stride..][..n];
        // Forward: four rows of L at once over what is known, then the triangle among them.
        let mut start = 0;
        while start + LANES <= n {
            let (known, rest) = z.split_at_mut(start);
            let sums = sums(std::array::from_fn(|k| &row(start + k)[..start]), known);
            for (k, sum) in sums.into_iter().enumerate() {
                let near = &row(start + k)[start..start + k];
                rest[k] = rhs[self.source[start + k]] - continued(sum, near, &rest[..k]);
            }
            start += LANES;
        }
        for i in start..n {
            let (known, rest) = z.split_at_mut(i);
            rest[0] = rhs[self.source[i]] - product(&row(i)[..i], known);
        }
        // Backward, with reciprocal pivots.
        for i in (0..n).rev() {
            let (head, done) = z.split_at_mut(i + 1);
            head[i] = (head[i] - product(&row(i)[i + 1..], done)) * self.inverse_pivot[i];
        }
    }
}

/// The lanes of [`product`] of several rows of even length, which need not wait for each other.
#[inline]
fn sums(rows: [&[f64]; LANES], b: &[f64]) -> [[f64; 2]; LANES] {
    let [a0, a1, a2, a3] = rows.map(|row| row.as_chunks::<2>().0);
    let mut sums = [[0.0; 2]; LANES];
    let pairs = a0.iter().zip(a1).zip(a2.iter().zip(a3));
    for (((a0, a1), (a2, a3)), b) in pairs.zip(b.as_chunks::<2>().0) {
        for (sum, a) in sums.iter_mut().zip([a0, a1, a2, a3]) {
            for lane in 0..2 {
                sum[lane] += a[lane] * b[lane];
            }
        }
    }
    sums
}

/// `sum a b`, in two lanes so that additions need not wait for each other.
#[inline]
fn product(a: &[f64], b: &[f64]) -> f64 {
    continued([0.0; 2], a, b)
}

/// [`product`] with lanes that hold what comes before, of even length.
#[inline]
fn continued(mut sum: [f64; 2], a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<2>(), b.as_chunks::<2>());
    for (a, b) in a.iter().zip(b) {
        for lane in 0..2 {
            sum[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sum[0] + sum[1] + rest
}
