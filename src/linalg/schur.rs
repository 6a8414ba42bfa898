//! Saddle-point systems with a symmetric positive definite `A`, by the Schur complement of `A`.
//!
//! ```text
//! A = L D Lᵀ,   V = L⁻¹ Bᵀ,   U = L⁻¹ Cᵀ,   S = C A⁻¹ Bᵀ = Uᵀ D⁻¹ V
//! S y = c - Uᵀ D⁻¹ L⁻¹ f,     x = L⁻ᵀ D⁻¹ (L⁻¹ f + V y)
//! ```
//!
//! No pivot is searched for. Small pivots, relative to what they are summed from, are left to factorizations that do.

use super::system::System;

/// Most constraint rows: rows of S are arrays of a length that the compiler knows.
const MOST_ROWS: usize = 32;

/// Most variables: beyond, block elimination and dense kernels are better.
const MOST_VARIABLES: usize = 48;

/// Pivots below this part of the diagonal entry that they are left of are not decided here. They are squares of sines: rows
/// within an angle of 1e-4, far outside of what counts as dependent.
const DOUBTFUL: f64 = 1e-8;

/// Pivots below this part let solutions lose digits: those are measured in all rows.
const SUSPICIOUS: f64 = 1e-3;

/// Entries of A that differ from their mirror images by less than this part of the diagonal are equal.
const ASYMMETRY: f64 = 1e-14;

/// Those that differ by less than this part are equal as far as solutions are measured.
const NEGLIGIBLE_ASYMMETRY: f64 = 1e-15;

/// Products of diagonal entries outside of this range may be none, nor their parts: asymmetry cannot be told.
const MEASURABLE: std::ops::Range<f64> = 1e-250..1e250;

/// An entry of L below the diagonal.
struct Entry {
    row: usize,
    column: usize,
    /// Positions among the values of A of this entry and its mirror image; none for fill.
    source: Option<usize>,
    mirror: Option<usize>,
    /// Where the products with the entries below in the same column go.
    first_target: usize,
}

/// `S = L U` and the factors of A; see above.
pub(super) struct SchurComplement {
    n: usize,
    m: usize,
    width: usize,
    /// Position of every diagonal entry among the values of A.
    diagonal_source: Vec<usize>,
    /// Column by column; those of column `k` are `columns[k]..columns[k + 1]`.
    entries: Vec<Entry>,
    columns: Vec<usize>,
    targets: Vec<usize>,
    /// Where the values of B and C go in Bᵀ and Cᵀ, rows padded to the width.
    b_places: Vec<usize>,
    c_places: Vec<usize>,
    /// Rows of U with entries in every column; those of column `i` are `touched_starts[i]..touched_starts[i + 1]`.
    touched: Vec<usize>,
    touched_starts: Vec<usize>,
    diagonal: Vec<f64>,
    inverse_diagonal: Vec<f64>,
    lower: Vec<f64>,
    /// The entries of L that are not zero: row, column, value.
    factors: Vec<(usize, usize, f64)>,
    right: Vec<f64>,
    /// U; not in use where it is V.
    left: Vec<f64>,
    symmetric: bool,
    /// Rows of the upper factor of S without the diagonal, and columns of the lower one.
    upper_s: Vec<f64>,
    lower_s: Vec<f64>,
    inverse_pivot: Vec<f64>,
    work: Vec<f64>,
    /// No pivot was suspicious, and A is symmetric but for what measures nothing.
    regular: bool,
}

/// The width of padded rows: one that there is code for.
fn padded(m: usize) -> usize {
    let widths = [2, 4, 6, 8, 12, 16, 24, MOST_ROWS];
    widths.into_iter().find(|&width| m <= width).unwrap_or(m)
}

/// Calls `$object.$method::<width>($arguments)`.
macro_rules! with_width {
    ($object:ident . $method:ident ( $($argument:expr),* )) => {
        match $object.width {
            2 => $object.$method::<2>($($argument),*),
            4 => $object.$method::<4>($($argument),*),
            6 => $object.$method::<6>($($argument),*),
            8 => $object.$method::<8>($($argument),*),
            12 => $object.$method::<12>($($argument),*),
            16 => $object.$method::<16>($($argument),*),
            24 => $object.$method::<24>($($argument),*),
            _ => $object.$method::<MOST_ROWS>($($argument),*),
        }
    };
}

/// `y -= factor x`.
#[inline(always)]
fn subtract<const W: usize>(y: &mut [f64; W], factor: f64, x: &[f64; W]) {
    for lane in 0..W {
        y[lane] -= factor * x[lane];
    }
}

/// `aᵀ b` in two lanes.
#[inline(always)]
fn dot<const W: usize>(a: &[f64; W], b: &[f64; W]) -> f64 {
    let mut sums = [0.0; 2];
    for (a, b) in a.as_chunks::<2>().0.iter().zip(b.as_chunks::<2>().0) {
        for lane in 0..2 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums[0] + sums[1]
}

/// A later array of a list, to be changed, and an earlier one.
#[inline(always)]
fn later_and_earlier<const W: usize>(
    list: &mut [[f64; W]],
    later: usize,
    earlier: usize,
) -> (&mut [f64; W], &[f64; W]) {
    let (head, tail) = list.split_at_mut(later);
    (&mut tail[0], &head[earlier])
}

impl SchurComplement {
    /// The symbolic phase; `None` for systems that are too large, or where a diagonal entry of A is not structural.
    pub fn new(system: &System) -> Option<Self> {
        let (n, m) = (system.n, system.m);
        if n == 0 || n > MOST_VARIABLES || m > MOST_ROWS {
            return None;
        }
        let width = padded(m);
        let diagonal_source: Option<Vec<usize>> = (0..n).map(|k| system.a.position(k, k)).collect();
        // Structure of L with fill, column by column.
        let mut below: Vec<Vec<bool>> = (0..n)
            .map(|k| {
                let either =
                    |i| system.a.position(i, k).is_some() || system.a.position(k, i).is_some();
                (0..n).map(|i| i > k && either(i)).collect()
            })
            .collect();
        let mut columns_left = &mut below[..];
        while let Some((column, later)) = columns_left.split_first_mut() {
            let next = n - later.len();
            for (i, fill) in (next..n).zip(later.iter_mut()) {
                for j in (i + 1..n).filter(|&j| column[i] && column[j]) {
                    fill[j] = true;
                }
            }
            columns_left = later;
        }
        let mut index = vec![vec![0; n]; n];
        let (mut columns, mut count) = (vec![0], 0);
        for (column, index) in below.iter().zip(&mut index) {
            for (_, index) in column.iter().zip(index).filter(|(below, _)| **below) {
                *index = count;
                count += 1;
            }
            columns.push(count);
        }
        let (mut entries, mut targets) = (Vec::with_capacity(count), Vec::new());
        for (k, column) in below.iter().enumerate() {
            for i in (k + 1..n).filter(|&i| column[i]) {
                entries.push(Entry {
                    row: i,
                    column: k,
                    source: system.a.position(i, k),
                    mirror: system.a.position(k, i),
                    first_target: targets.len(),
                });
                targets.extend((i + 1..n).filter(|&j| column[j]).map(|j| index[i][j]));
            }
        }
        // Structure of U = L⁻¹ Cᵀ.
        let mut touches = vec![vec![false; m]; n];
        for (row, column, _) in system.c.iter() {
            touches[column][row] = true;
        }
        for k in 0..n {
            let own = touches[k].clone();
            for i in (k + 1..n).filter(|&i| below[k][i]) {
                for (inherited, &touched) in touches[i].iter_mut().zip(&own) {
                    *inherited |= touched;
                }
            }
        }
        let (mut touched, mut touched_starts) = (Vec::new(), vec![0]);
        for i in 0..m {
            let rows = touches.iter().enumerate();
            touched.extend(rows.filter(|(_, row)| row[i]).map(|(k, _)| k));
            touched_starts.push(touched.len());
        }
        let place = |(row, column, _): (usize, usize, usize)| column * width + row;
        Some(Self {
            n,
            m,
            width,
            diagonal_source: diagonal_source?,
            b_places: system.b.iter().map(place).collect(),
            c_places: system.c.iter().map(place).collect(),
            touched,
            touched_starts,
            diagonal: vec![0.0; n],
            inverse_diagonal: vec![0.0; n],
            lower: vec![0.0; entries.len()],
            factors: Vec::with_capacity(entries.len()),
            entries,
            columns,
            targets,
            right: vec![0.0; n * width],
            left: vec![0.0; n * width],
            symmetric: false,
            upper_s: vec![0.0; width * width],
            lower_s: vec![0.0; width * width],
            inverse_pivot: vec![0.0; width],
            work: vec![0.0; n],
            regular: false,
        })
    }

    /// Factorizes; false where this is not the way: A is not symmetric positive definite, or a pivot is doubtful.
    pub fn factor(&mut self, system: &System) -> bool {
        if !self.load(system) {
            return false;
        }
        with_width!(self.factor_wide())
    }

    /// `z = K⁻¹ rhs`.
    pub fn solve(&mut self, rhs: &[f64], z: &mut [f64]) {
        if self.m == 0 {
            return self.solve_without_rows(rhs, z);
        }
        with_width!(self.solve_wide(rhs, z));
    }

    fn solve_without_rows(&mut self, f: &[f64], x: &mut [f64]) {
        x.copy_from_slice(f);
        for &(row, column, factor) in &self.factors {
            x[row] -= factor * x[column];
        }
        for (x, inverse) in x.iter_mut().zip(&self.inverse_diagonal) {
            *x *= inverse;
        }
        for &(row, column, factor) in self.factors.iter().rev() {
            x[column] -= factor * x[row];
        }
    }

    /// Whether `x = A⁻¹ (f + Bᵀ y)` is as good as round-off allows, so that solutions need to be measured in the rows `C x = c` only:
    /// no pivot has lost digits. Without pivots that are searched for, cancellation shows in those rows.
    pub fn is_above_suspicion(&self) -> bool {
        self.regular
    }

    /// Takes the values over; false unless A is symmetric.
    fn load(&mut self, system: &System) -> bool {
        let a = &system.a_values;
        for (entry, &source) in self.diagonal.iter_mut().zip(&self.diagonal_source) {
            *entry = a[source];
        }
        let (mut symmetric, mut negligible) = (true, true);
        let value = |position: Option<usize>| position.map_or(0.0, |position| a[position]);
        for (lower, entry) in self.lower.iter_mut().zip(&self.entries) {
            *lower = value(entry.source);
            let difference = *lower - value(entry.mirror);
            let size = self.diagonal[entry.row] * self.diagonal[entry.column];
            let square = difference * difference;
            symmetric &= difference == 0.0
                || (square <= ASYMMETRY * ASYMMETRY * size && MEASURABLE.contains(&size));
            negligible &= square <= NEGLIGIBLE_ASYMMETRY * NEGLIGIBLE_ASYMMETRY * size;
        }
        if !symmetric {
            return false;
        }
        self.regular = negligible;
        self.right.fill(0.0);
        for (&place, &value) in self.b_places.iter().zip(&system.b_values) {
            self.right[place] = value;
        }
        self.symmetric = system.one_jacobian;
        if !self.symmetric {
            self.left.fill(0.0);
            for (&place, &value) in self.c_places.iter().zip(&system.c_values) {
                self.left[place] = value;
            }
        }
        true
    }

    fn factor_wide<const W: usize>(&mut self) -> bool {
        let right = self.right.as_chunks_mut::<W>().0;
        let left = self.left.as_chunks_mut::<W>().0;
        // The diagonal as given, which `work` keeps: what pivots are compared with.
        self.work.copy_from_slice(&self.diagonal);
        self.factors.clear();
        for k in 0..self.n {
            let (pivot, whole) = (self.diagonal[k], self.work[k]);
            // Written so that NaN is doubtful.
            if !(pivot > 0.0 && pivot > DOUBTFUL * whole && whole < f64::INFINITY) {
                return false;
            }
            self.regular &= pivot > SUSPICIOUS * whole;
            let inverse = 1.0 / pivot;
            self.inverse_diagonal[k] = inverse;
            let last = self.columns[k + 1];
            for index in self.columns[k]..last {
                let entry = self.lower[index];
                if entry == 0.0 {
                    continue;
                }
                let factor = entry * inverse;
                let Entry {
                    row, first_target, ..
                } = self.entries[index];
                self.diagonal[row] -= factor * entry;
                let targets = &self.targets[first_target..];
                for (other, &target) in (index + 1..last).zip(targets) {
                    self.lower[target] -= factor * self.lower[other];
                }
                self.factors.push((row, k, factor));
                let (row_of_right, known) = later_and_earlier(right, row, k);
                subtract(row_of_right, factor, known);
                if !self.symmetric {
                    let (row_of_left, known) = later_and_earlier(left, row, k);
                    subtract(row_of_left, factor, known);
                }
            }
        }
        self.factor_complement::<W>()
    }

    /// `S = Uᵀ D⁻¹ V = L U`, row by row, without exchanges. Rows beyond the last are those of the unit matrix.
    fn factor_complement<const W: usize>(&mut self) -> bool {
        let right = self.right.as_chunks::<W>().0;
        let left = if self.symmetric {
            right
        } else {
            self.left.as_chunks::<W>().0
        };
        let upper = &mut self.upper_s.as_chunks_mut::<W>().0[..W];
        let lower = &mut self.lower_s.as_chunks_mut::<W>().0[..W];
        let inverse = &mut self.inverse_pivot[..W];
        for i in 0..W {
            let mut row = [0.0; W];
            if i < self.m {
                for &k in &self.touched[self.touched_starts[i]..self.touched_starts[i + 1]] {
                    subtract(&mut row, -left[k][i] * self.inverse_diagonal[k], &right[k]);
                }
            } else {
                row[i] = 1.0;
            }
            // Of different sides the diagonal entry itself may be what cancellation leaves.
            let whole = if self.symmetric || i >= self.m {
                row[i]
            } else {
                let touched = &self.touched[self.touched_starts[i]..self.touched_starts[i + 1]];
                let terms = touched.iter();
                terms
                    .map(|&k| (left[k][i] * self.inverse_diagonal[k] * right[k][i]).abs())
                    .sum()
            };
            for j in 0..i {
                let factor = row[j] * inverse[j];
                lower[j][i] = factor;
                subtract(&mut row, factor, &upper[j]);
            }
            let pivot = row[i];
            if !(pivot > 0.0 && pivot > DOUBTFUL * whole && whole < f64::INFINITY) {
                return false;
            }
            self.regular &= pivot > SUSPICIOUS * whole;
            inverse[i] = 1.0 / pivot;
            // Entries up to the diagonal are none of U: products with whole rows need no bounds.
            for (lane, entry) in row.iter_mut().enumerate() {
                *entry = if lane > i { *entry } else { 0.0 };
            }
            upper[i] = row;
        }
        true
    }

    fn solve_wide<const W: usize>(&mut self, rhs: &[f64], z: &mut [f64]) {
        let (f, c) = rhs.split_at(self.n);
        let right = self.right.as_chunks::<W>().0;
        let left = if self.symmetric {
            right
        } else {
            self.left.as_chunks::<W>().0
        };
        let work = &mut self.work[..self.n];
        work.copy_from_slice(f);
        // Column by column: what stands in a column is final when its entries come.
        for &(row, column, factor) in &self.factors {
            work[row] -= factor * work[column];
        }
        let mut y = [0.0; W];
        y[..self.m].copy_from_slice(c);
        for ((value, inverse), left) in work.iter().zip(&self.inverse_diagonal).zip(left) {
            let scaled = value * inverse;
            subtract(&mut y, scaled, left);
        }
        let lower = &self.lower_s.as_chunks::<W>().0[..W];
        for k in 0..W {
            let known = y[k];
            subtract(&mut y, known, &lower[k]);
        }
        let upper = &self.upper_s.as_chunks::<W>().0[..W];
        let inverse_pivot = &self.inverse_pivot[..W];
        for k in (0..W).rev() {
            y[k] = (y[k] - dot(&upper[k], &y)) * inverse_pivot[k];
        }
        let (x, multipliers) = z.split_at_mut(self.n);
        let rows = work.iter().zip(&self.inverse_diagonal).zip(right);
        for (x, ((known, inverse), right)) in x.iter_mut().zip(rows) {
            *x = (known + dot(right, &y)) * inverse;
        }
        for &(row, column, factor) in self.factors.iter().rev() {
            x[column] -= factor * x[row];
        }
        multipliers.copy_from_slice(&y[..self.m]);
    }
}
