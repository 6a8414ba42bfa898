//! The numbers of a factorization, in rows of a width that the compiler knows.

use super::structure::Structure;
use super::{Job, Numbers};
use crate::linalg::bodies::RightHandSide;
use crate::linalg::kkt::flushed;
use crate::linalg::system::System;
use pulp::{Arch, Simd, WithSimd};
use std::ops::Range;

/// Pivots below this part of the diagonal entry that they are left of are not decided here. They are squares of sines: rows
/// within an angle of 1e-4, far outside of what counts as dependent.
pub(in crate::linalg) const DOUBTFUL: f64 = 1e-8;

/// Pivots below this part let solutions lose digits: those are measured in all rows.
pub(in crate::linalg) const SUSPICIOUS: f64 = 1e-3;

/// Entries of A that differ from their mirror images by less than this part of the diagonal are equal.
const ASYMMETRY: f64 = 1e-14;

/// Those that differ by less than this part are equal as far as solutions are measured.
pub(in crate::linalg) const NEGLIGIBLE_ASYMMETRY: f64 = 1e-15;

/// Products of diagonal entries outside of this range may be none, nor their parts: asymmetry cannot be told.
const MEASURABLE: Range<f64> = 1e-250..1e250;

/// Numbers in rows of `W` lanes, more than there are constraint rows.
pub(super) struct Wide<const W: usize> {
    arch: Arch,
    /// The diagonal of A, Bᵀ with `-f` behind it, and Cᵀ unless it is the same. Lanes that the patterns have nothing for stay zero.
    given_diagonal: Vec<f64>,
    given_right: Vec<[f64; W]>,
    given_left: Vec<[f64; W]>,
    lower: Vec<f64>,
    /// The entries of L that are not zero: row, column, value.
    factors: Vec<(usize, usize, f64)>,
    pub(super) rows: Vec<Row<W>>,
    symmetric: bool,
    /// Rows of the upper factor of S behind the diagonal, and columns of the lower one.
    pub(super) upper_s: [[f64; W]; W],
    pub(super) lower_s: [[f64; W]; W],
    pub(super) inverse_pivot: [f64; W],
    /// No pivot was suspicious, and A is symmetric but for what measures nothing.
    pub(super) regular: bool,
}

/// An entry of D, a row of V, and one of U unless B and C are one matrix.
#[derive(Clone)]
pub(super) struct Row<const W: usize> {
    pivot: f64,
    pub(super) inverse: f64,
    /// Behind V stands `-L⁻¹ f`.
    pub(super) right: [f64; W],
    left: [f64; W],
}

/// Whether a pivot is not decided here, of which this was there before the elimination. Written so that NaN is doubtful.
#[inline(always)]
pub(super) fn is_doubtful(pivot: f64, before: f64) -> bool {
    !(pivot > 0.0 && pivot > DOUBTFUL * before && before < f64::INFINITY)
}

/// Whether a pivot lets no solution lose digits; NaN does.
#[inline(always)]
pub(super) fn is_above_suspicion(pivot: f64, before: f64) -> bool {
    pivot > SUSPICIOUS * before
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

/// Values to their places, four at a time: the loop would take as much as they do.
fn scatter(places: &[usize], values: &[f64], out: &mut [f64]) {
    let ((places, last_places), (values, last)) =
        (places.as_chunks::<4>(), values.as_chunks::<4>());
    for (places, values) in places.iter().zip(values) {
        for k in 0..4 {
            out[places[k]] = values[k];
        }
    }
    for (&place, &value) in last_places.iter().zip(last) {
        out[place] = value;
    }
}

impl<const W: usize> Wide<W> {
    pub fn new(n: usize, entries: usize) -> Self {
        let (zero, zeros) = ([0.0; W], [[0.0; W]; W]);
        Self {
            arch: Arch::new(),
            given_diagonal: vec![0.0; n],
            given_right: vec![zero; n],
            given_left: vec![zero; n],
            lower: vec![0.0; entries],
            factors: Vec::with_capacity(entries),
            rows: vec![
                Row {
                    pivot: 0.0,
                    inverse: 0.0,
                    right: zero,
                    left: zero,
                };
                n
            ],
            symmetric: false,
            upper_s: zeros,
            lower_s: zeros,
            inverse_pivot: zero,
            regular: false,
        }
    }

    /// Takes the values over; false unless A is symmetric.
    pub(super) fn load(&mut self, structure: &Structure, system: &System) -> bool {
        let a = &system.a_values;
        for (entry, step) in self.given_diagonal.iter_mut().zip(&structure.steps) {
            *entry = a[step.source];
        }
        let (mut symmetric, mut negligible) = (true, true);
        let value = |position: Option<usize>| position.map_or(0.0, |position| a[position]);
        for (lower, entry) in self.lower.iter_mut().zip(&structure.entries) {
            *lower = value(entry.source);
            let difference = *lower - value(entry.mirror);
            if difference == 0.0 {
                continue;
            }
            let size = self.given_diagonal[entry.row] * self.given_diagonal[entry.column];
            let square = difference * difference;
            symmetric &= square <= ASYMMETRY * ASYMMETRY * size && MEASURABLE.contains(&size);
            negligible &= square <= NEGLIGIBLE_ASYMMETRY * NEGLIGIBLE_ASYMMETRY * size;
        }
        if !symmetric {
            return false;
        }
        self.regular = negligible;
        let right = self.given_right.as_flattened_mut();
        scatter(&structure.b_places, &system.b_values, right);
        self.symmetric = system.one_jacobian;
        if !self.symmetric {
            let left = self.given_left.as_flattened_mut();
            scatter(&structure.c_places, system.c_values(), left);
        }
        true
    }

    /// `A = L D Lᵀ`; false if a pivot is doubtful.
    pub(super) fn factor_mass(&mut self, structure: &Structure) -> bool {
        for (row, given) in self.rows.iter_mut().zip(&self.given_diagonal) {
            row.pivot = *given;
        }
        self.factors.clear();
        for (k, step) in structure.steps.iter().enumerate() {
            let (pivot, given) = (self.rows[k].pivot, self.given_diagonal[k]);
            if is_doubtful(pivot, given) {
                return false;
            }
            self.regular &= is_above_suspicion(pivot, given);
            let inverse = 1.0 / pivot;
            self.rows[k].inverse = inverse;
            for index in step.column.clone() {
                let entry = self.lower[index];
                if entry == 0.0 {
                    continue;
                }
                let factor = entry * inverse;
                let own = &structure.entries[index];
                let targets = &structure.targets[own.first_target..];
                for (other, &target) in (index + 1..step.column.end).zip(targets) {
                    self.lower[target] -= factor * self.lower[other];
                }
                self.factors.push((own.row, k, factor));
                self.rows[own.row].pivot -= factor * entry;
            }
        }
        true
    }

    /// `S = Uᵀ D⁻¹ V`, with `c - Uᵀ D⁻¹ L⁻¹ f` behind it, and its factors; false if a pivot is doubtful. Without a right-hand side `c` is
    /// empty.
    #[inline(always)]
    pub(super) fn complement<S: Simd>(
        &mut self,
        simd: S,
        structure: &Structure,
        c: &[f64],
    ) -> bool {
        let m = structure.m.min(W - 1);
        let mut known = [0.0; W];
        for (known, c) in known.iter_mut().zip(c) {
            *known = flushed(*c);
        }
        let c = &known[..c.len().min(W)];
        if !self.symmetric {
            self.eliminate::<false>();
            let whole = self.form::<false>(structure);
            self.add_behind(m, c);
            return self.factor_complement(m, &whole);
        }
        self.eliminate::<true>();
        if let Some(regular) = self.complement_in_registers(simd, structure, c) {
            return regular;
        }
        let whole = self.form::<true>(structure);
        self.add_behind(m, c);
        self.factor_complement(m, &whole)
    }

    #[inline(always)]
    fn add_behind(&mut self, m: usize, c: &[f64]) {
        for (row, c) in self.upper_s.iter_mut().zip(c) {
            row[m] += c;
        }
    }

    /// `V = L⁻¹ Bᵀ`, and `U = L⁻¹ Cᵀ` unless B and C are one matrix.
    #[inline(always)]
    fn eliminate<const ONE: bool>(&mut self) {
        for (row, right) in self.rows.iter_mut().zip(&self.given_right) {
            row.right = *right;
        }
        if !ONE {
            for (row, left) in self.rows.iter_mut().zip(&self.given_left) {
                row.left = *left;
            }
        }
        // Column by column: what stands in a column is final when its entries come.
        for &(later, k, factor) in &self.factors {
            let (head, tail) = self.rows.split_at_mut(later);
            let (row, known) = (&mut tail[0], &head[k]);
            subtract(&mut row.right, factor, &known.right);
            if !ONE {
                subtract(&mut row.left, factor, &known.left);
            }
        }
    }

    /// `S`, with `-Uᵀ D⁻¹ L⁻¹ f` behind it. What its diagonal is summed from stands in the answer.
    #[inline(always)]
    fn form<const ONE: bool>(&mut self, structure: &Structure) -> [f64; W] {
        let sum = &mut self.upper_s;
        *sum = [[0.0; W]; W];
        let mut whole = [0.0; W];
        for (row, step) in self.rows.iter().zip(&structure.steps) {
            let left = if ONE { &row.right } else { &row.left };
            let mut scaled = [0.0; W];
            for lane in 0..W {
                scaled[lane] = left[lane] * row.inverse;
                whole[lane] += (scaled[lane] * row.right[lane]).abs();
            }
            for &i in &structure.touched[step.touched.clone()] {
                subtract(&mut sum[i], -scaled[i], &row.right);
            }
        }
        whole
    }

    /// `S = L U` without exchanges; columns behind S become `L⁻¹` of what they were. Where S is symmetric, so are the factors.
    #[inline(always)]
    fn factor_complement(&mut self, m: usize, whole: &[f64; W]) -> bool {
        // For the compiler: no index is out of bounds.
        let m = m.min(W);
        for k in 0..m {
            let row = self.upper_s[k];
            let (pivot, whole) = (row[k], whole[k]);
            if is_doubtful(pivot, whole) {
                return false;
            }
            self.regular &= is_above_suspicion(pivot, whole);
            let inverse = 1.0 / pivot;
            self.inverse_pivot[k] = inverse;
            for i in k + 1..m {
                let entry = if self.symmetric {
                    row[i]
                } else {
                    self.upper_s[i][k]
                };
                let factor = entry * inverse;
                self.lower_s[k][i] = factor;
                subtract(&mut self.upper_s[i], factor, &row);
            }
        }
        true
    }

    /// From `y = L⁻¹ (c - Uᵀ D⁻¹ L⁻¹ f)`, and `-L⁻¹ f` behind V, to the solution.
    fn substitute_back(&self, y: &mut [f64; W], x: &mut [f64], multipliers: &mut [f64]) {
        let m = multipliers.len().min(W - 1);
        for k in (0..m).rev() {
            let (own, later) = y.split_at_mut(k + 1);
            let row = &self.upper_s[k][k + 1..m];
            let mut rest = own[k];
            // The latest one last: the others need not wait for it.
            for (entry, y) in row.iter().zip(&later[..row.len()]).rev() {
                rest -= entry * y;
            }
            own[k] = rest * self.inverse_pivot[k];
        }
        multipliers.copy_from_slice(&y[..m]);
        y[m..].fill(0.0);
        // Times -L⁻¹ f.
        y[m] = -1.0;
        for (x, row) in x.iter_mut().zip(&self.rows) {
            *x = dot(&row.right, y) * row.inverse;
        }
        for &(row, column, factor) in self.factors.iter().rev() {
            x[column] -= factor * x[row];
        }
    }

    fn solve_without_rows(&self, f: Option<&[f64]>, x: &mut [f64]) {
        let Some(f) = f else {
            return x.fill(0.0);
        };
        for (x, f) in x.iter_mut().zip(f) {
            *x = flushed(*f);
        }
        for &(row, column, factor) in &self.factors {
            x[row] -= factor * x[column];
        }
        for (x, row) in x.iter_mut().zip(&self.rows) {
            *x *= row.inverse;
        }
        for &(row, column, factor) in self.factors.iter().rev() {
            x[column] -= factor * x[row];
        }
    }

    fn solve_with_rows(&mut self, Job { rhs, x, y }: Job) {
        let m = y.len().min(W - 1);
        let mut lower = [0.0; W];
        match rhs.f {
            None => {
                for row in &mut self.rows {
                    row.right[m] = 0.0;
                }
            }
            Some(f) => {
                for (x, f) in x.iter_mut().zip(f) {
                    *x = flushed(*f);
                }
                // Column by column: what stands in a column is final when its entries come.
                for &(row, column, factor) in &self.factors {
                    x[row] -= factor * x[column];
                }
                // Every operation as in `form`: solutions must not depend on whether the factors were there.
                for (value, row) in x.iter().zip(&mut self.rows) {
                    row.right[m] = -value;
                    let left = if self.symmetric {
                        &row.right
                    } else {
                        &row.left
                    };
                    for (lower, left) in lower.iter_mut().zip(left) {
                        *lower -= left * row.inverse * value;
                    }
                }
            }
        }
        for (lower, c) in lower[..m].iter_mut().zip(rhs.c) {
            *lower += flushed(*c);
        }
        for k in 0..m {
            let known = lower[k];
            subtract(&mut lower, known, &self.lower_s[k]);
        }
        self.substitute_back(&mut lower, x, y);
    }

    #[inline(always)]
    fn constraints_hold(&self, c: &[f64], x: &[f64], tolerance: f64) -> bool {
        let (mut sums, mut sizes) = ([0.0; W], [0.0; W]);
        let rows = if self.symmetric {
            &self.given_right
        } else {
            &self.given_left
        };
        for (row, x) in rows.iter().zip(x) {
            for lane in 0..W {
                let term = row[lane] * x;
                sums[lane] += term;
                sizes[lane] += term.abs();
            }
        }
        let mut holds = true;
        for ((sum, size), &c) in sums.iter().zip(&sizes).zip(c) {
            let c = flushed(c);
            let size = size + c.abs();
            // Written so that NaN and overflow do not hold.
            holds &= (c - sum).abs() <= tolerance * size && size < f64::INFINITY;
        }
        holds
    }
}

impl<const W: usize> Numbers for Wide<W> {
    fn factor(&mut self, structure: &Structure, system: &System, job: Option<Job>) -> bool {
        let m = structure.m.min(W - 1);
        if !self.load(structure, system) {
            return false;
        }
        let rhs = job
            .as_ref()
            .map_or_else(RightHandSide::default, |job| job.rhs);
        // Before the mass matrix is factorized: vectors read soon what single numbers have just been stored to.
        match rhs.f {
            None => self.given_right.iter_mut().for_each(|row| row[m] = 0.0),
            Some(f) => {
                for (row, f) in self.given_right.iter_mut().zip(f) {
                    row[m] = -flushed(*f);
                }
            }
        }
        let arch = self.arch;
        let regular = self.factor_mass(structure)
            && arch.dispatch(Complement {
                numbers: self,
                structure,
                c: rhs.c,
            });
        if regular && let Some(Job { x, y, .. }) = job {
            let mut lower = std::array::from_fn(|lane| self.upper_s[lane][m]);
            self.substitute_back(&mut lower, x, y);
        }
        regular
    }

    fn solve(&mut self, job: Job) {
        if job.y.is_empty() {
            self.solve_without_rows(job.rhs.f, job.x);
        } else {
            self.solve_with_rows(job);
        }
    }

    fn is_regular(&self) -> bool {
        self.regular
    }

    fn constraints_hold(&self, c: &[f64], x: &[f64], tolerance: f64) -> bool {
        c.is_empty()
            || self.arch.dispatch(Rows {
                numbers: self,
                c,
                x,
                tolerance,
            })
    }
}

/// What is compiled for several processors, with vectors as wide as theirs. No product is fused with a sum, and no order of sums
/// depends on the width: results are the same everywhere. (A closure would do, but is not always compiled for the processor.)
struct Complement<'a, const W: usize> {
    numbers: &'a mut Wide<W>,
    structure: &'a Structure,
    /// Empty without a right-hand side.
    c: &'a [f64],
}

impl<const W: usize> WithSimd for Complement<'_, W> {
    type Output = bool;
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        (self.numbers).complement(simd, self.structure, self.c)
    }
}

/// As [`Complement`].
struct Rows<'a, const W: usize> {
    numbers: &'a Wide<W>,
    c: &'a [f64],
    x: &'a [f64],
    tolerance: f64,
}

impl<const W: usize> WithSimd for Rows<'_, W> {
    type Output = bool;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> bool {
        (self.numbers).constraints_hold(self.c, self.x, self.tolerance)
    }
}
