//! The matrix of the saddle-point system, by parts.

use super::error::{KktError, check_len};
use super::pattern::Pattern;
use super::versioned::{MatrixVersion, VersionedValues};

/// Values of `B` and `C` that change places with those of the matrix before.
#[derive(Debug)]
pub(crate) enum ExchangedJacobians<'a> {
    /// One list for `B` and `C`.
    One(&'a mut Vec<f64>),
    Two(&'a mut Vec<f64>, &'a mut Vec<f64>),
}

impl ExchangedJacobians<'_> {
    pub fn values(&self) -> (&[f64], &[f64]) {
        match self {
            Self::One(g) => (g, g),
            Self::Two(b, c) => (b, c),
        }
    }
}

/// `K = [A -B^T; C 0]`, patterns and the values of the last factorization.
///
/// The values are kept because every solution is checked against them.
pub(super) struct System {
    pub n: usize,
    pub m: usize,
    pub a: Pattern,
    pub b: Pattern,
    pub c: Pattern,
    pub a_values: Vec<f64>,
    pub b_values: Vec<f64>,
    /// Not loaded where `B` and `C` are one matrix.
    own_c_values: Vec<f64>,
    /// Rows without entries in `B` and `C`, as far as [`System::find_idle`] has looked: `0 x + 1 y = 0` in their place.
    pub idle: Vec<usize>,
    /// Whether `B` and `C` are one matrix.
    pub one_jacobian: bool,
    one_pattern: bool,
    /// How often the values of `A` have changed: what follows from them is still true while this is the same.
    pub a_version: u64,
    /// That of the values of `A`, if they are those of a constant matrix.
    a_number: Option<MatrixVersion>,
}

impl System {
    pub fn new(a: &Pattern, b: &Pattern, c: &Pattern) -> Result<Self, KktError> {
        let (n, m) = (a.rows(), b.rows());
        check_len("columns of A", n, a.cols())?;
        check_len("columns of B", n, b.cols())?;
        check_len("rows of C", m, c.rows())?;
        check_len("columns of C", n, c.cols())?;
        // Residuals need the runs, perhaps not before a step in which nothing may be allocated.
        for pattern in [a, b, c] {
            pattern.spans();
        }
        Ok(Self {
            n,
            m,
            a: a.clone(),
            b: b.clone(),
            c: c.clone(),
            a_values: vec![0.0; a.nnz()],
            b_values: vec![0.0; b.nnz()],
            own_c_values: vec![0.0; c.nnz()],
            idle: Vec::with_capacity(m),
            one_jacobian: false,
            one_pattern: b == c,
            a_version: 0,
            a_number: None,
        })
    }

    /// The values of `C` at the last factorization.
    pub fn c_values(&self) -> &[f64] {
        if self.one_jacobian {
            &self.b_values
        } else {
            &self.own_c_values
        }
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.n + self.m
    }

    /// Whether these are the values of the last factorization. Mass matrices may be constant; Jacobians hardly ever are, differ
    /// early, and are compared first.
    pub fn holds(&self, a: &[f64], b: &[f64], c: &[f64]) -> bool {
        let is_one = || self.one_jacobian && std::ptr::eq(b, c);
        same(b, &self.b_values) && (is_one() || same(c, self.c_values())) && self.holds_mass(a)
    }

    /// Whether these are the values of `A` at the last factorization.
    pub fn holds_mass(&self, a: &[f64]) -> bool {
        same(a, &self.a_values)
    }

    /// Takes over the values after checking their lengths.
    pub fn load(&mut self, a: &[f64], b: &[f64], c: &[f64]) -> Result<(), KktError> {
        check_len("values of B", self.b.nnz(), b.len())?;
        check_len("values of C", self.c.nnz(), c.len())?;
        self.load_mass(a, None)?;
        // The same list twice is what most callers hand over.
        self.one_jacobian = self.one_pattern && std::ptr::eq(b, c);
        self.b_values.copy_from_slice(b);
        if !self.one_jacobian {
            self.own_c_values.copy_from_slice(c);
        }
        self.forget_idle();
        Ok(())
    }

    /// As [`System::load`], but the values change places with those of the matrix before: long lists are not copied. Masses that are the
    /// same stay where they are.
    #[inline]
    pub fn exchange(
        &mut self,
        (a, number): (&mut Vec<f64>, &mut Option<MatrixVersion>),
        jacobians: &mut ExchangedJacobians,
    ) -> Result<(), KktError> {
        check_len("values of A", self.a.nnz(), a.len())?;
        self.exchange_jacobians(jacobians)?;
        if number.is_some() && *number == self.a_number {
            return Ok(());
        }
        if self.holds_mass(a) {
            self.a_number = *number;
        } else {
            std::mem::swap(&mut self.a_values, a);
            std::mem::swap(&mut self.a_number, number);
            self.a_version += 1;
        }
        Ok(())
    }

    /// [`System::exchange`] for one Jacobian and masses that are copied.
    pub fn exchange_jacobian(
        &mut self,
        (a, number): (&[f64], Option<MatrixVersion>),
        g: &mut Vec<f64>,
    ) -> Result<(), KktError> {
        self.load_mass(a, number)?;
        self.exchange_jacobians(&mut ExchangedJacobians::One(g))
    }

    #[inline]
    fn exchange_jacobians(&mut self, jacobians: &mut ExchangedJacobians) -> Result<(), KktError> {
        let (b, c) = jacobians.values();
        check_len("values of B", self.b.nnz(), b.len())?;
        check_len("values of C", self.c.nnz(), c.len())?;
        match jacobians {
            ExchangedJacobians::One(g) => {
                std::mem::swap(&mut self.b_values, *g);
                self.one_jacobian = self.one_pattern;
                if !self.one_jacobian {
                    self.own_c_values.copy_from_slice(&self.b_values);
                }
            }
            ExchangedJacobians::Two(b, c) => {
                std::mem::swap(&mut self.b_values, *b);
                std::mem::swap(&mut self.own_c_values, *c);
                self.one_jacobian = false;
            }
        }
        self.forget_idle();
        Ok(())
    }

    /// Copies the values of `A`, unless they are there.
    pub fn copy_mass(&self, out: &mut VersionedValues) {
        if out.number.is_none() || out.number != self.a_number {
            out.values.copy_from_slice(&self.a_values);
            out.number = self.a_number;
        }
    }

    /// Takes the values of `C` out, for a list of the same length whose numbers mean nothing; tells whether the matrix
    /// is lost by that. Where `B` has the same values, they are copied.
    pub fn take_c_values(&mut self, out: &mut Vec<f64>) -> bool {
        if self.one_jacobian || same(&self.b_values, &self.own_c_values) {
            out.copy_from_slice(&self.b_values);
            return false;
        }
        std::mem::swap(&mut self.own_c_values, out);
        true
    }

    fn load_mass(&mut self, a: &[f64], number: Option<MatrixVersion>) -> Result<(), KktError> {
        check_len("values of A", self.a.nnz(), a.len())?;
        if number.is_some() && number == self.a_number {
            return Ok(());
        }
        self.a_number = number;
        if !self.holds_mass(a) {
            self.a_values.copy_from_slice(a);
            self.a_version += 1;
        }
        Ok(())
    }

    /// A row that has entries again is a constraint again.
    #[inline]
    fn forget_idle(&mut self) {
        if !self.idle.is_empty() {
            self.retain_idle();
        }
    }

    /// Keeps those idle rows that are still without entries.
    #[cold]
    fn retain_idle(&mut self) {
        let mut idle = std::mem::take(&mut self.idle);
        idle.retain(|&row| self.is_idle(row));
        self.idle = idle;
    }

    /// Whether every value is finite.
    pub fn check_finite(&self) -> Result<(), KktError> {
        check_matrix("A", &self.a, &self.a_values)?;
        check_matrix("B", &self.b, &self.b_values)?;
        check_matrix("C", &self.c, self.c_values())
    }

    fn is_idle(&self, row: usize) -> bool {
        let empty = |values: &[f64]| values.iter().all(|&value| value == 0.0);
        empty(&self.b_values[self.b.row_range(row)])
            && empty(&self.c_values()[self.c.row_range(row)])
    }

    /// Looks for rows without entries on both sides; whether there are some that were not known.
    pub fn find_idle(&mut self) -> bool {
        let mut idle = std::mem::take(&mut self.idle);
        let known = idle.len();
        idle.clear();
        idle.extend((0..self.m).filter(|&row| self.is_idle(row)));
        self.idle = idle;
        self.idle.len() > known
    }

    /// Calls `visit(row, column, value)` for every structural entry of `K`.
    pub fn for_each(&self, mut visit: impl FnMut(usize, usize, f64)) {
        let (n, c_values) = (self.n, self.c_values());
        for (i, j, k) in self.a.iter() {
            visit(i, j, self.a_values[k]);
        }
        for (i, j, k) in self.b.iter() {
            // -Bᵀ.
            visit(j, n + i, -self.b_values[k]);
        }
        for (i, j, k) in self.c.iter() {
            visit(n + i, j, c_values[k]);
        }
    }

    /// As [`System::for_each`], then the ones of idle rows.
    pub fn for_each_with_idle(&self, mut visit: impl FnMut(usize, usize, f64)) {
        self.for_each(&mut visit);
        for &row in &self.idle {
            visit(self.n + row, self.n + row, 1.0);
        }
    }

    /// `residual = rhs - K z` and `weight = |rhs| + |K| |z|`, all of length `n + m`.
    pub fn residual(&self, rhs: &[f64], z: &[f64], residual: &mut [f64], weight: &mut [f64]) {
        let (x, y) = z.split_at(self.n);
        let (f, c) = rhs.split_at(self.n);
        let (rx, ry) = residual.split_at_mut(self.n);
        let (wx, wy) = weight.split_at_mut(self.n);
        self.a.spans().residual(&self.a_values, x, f, rx, wx);
        self.c.spans().residual(self.c_values(), x, c, ry, wy);
        self.b.spans().add_transpose(&self.b_values, y, rx, wx);
        // The ones of idle rows.
        for &row in &self.idle {
            ry[row] -= y[row];
            wy[row] += y[row].abs();
        }
    }
}

/// Whether two lists are the same, bit by bit, up to about the first difference. (`memcmp` takes 300 ns on some processors.)
#[inline(always)]
fn same(a: &[f64], b: &[f64]) -> bool {
    let ((a_fours, a_rest), (b_fours, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let differences = |a: &[f64], b: &[f64]| {
        let pairs = a.iter().zip(b);
        pairs.fold(0, |bits, (a, b)| bits | (a.to_bits() ^ b.to_bits()))
    };
    // Four at a time, without a branch between them.
    let mut fours = a_fours.iter().zip(b_fours);
    a.len() == b.len()
        && fours.all(|(a, b)| differences(a, b) == 0)
        && differences(a_rest, b_rest) == 0
}

/// Whether every value is finite.
pub(crate) fn all_finite(values: &[f64]) -> bool {
    let mut finite = Finite::default();
    for &value in values {
        finite.see(value);
    }
    finite.holds()
}

/// Whether all values that it has seen are finite: zero times anything else is no zero. The bits of these products are collected without
/// a branch, which vectorizes.
#[derive(Default)]
pub(super) struct Finite {
    bits: u64,
}

impl Finite {
    #[inline]
    pub fn see(&mut self, value: f64) {
        self.bits |= (0.0 * value.abs()).to_bits();
    }

    #[inline]
    pub fn holds(self) -> bool {
        self.bits == 0
    }
}

fn check_matrix(which: &'static str, pattern: &Pattern, values: &[f64]) -> Result<(), KktError> {
    if all_finite(values) {
        return Ok(());
    }
    let (row, col, _) = pattern
        .iter()
        .find(|&(_, _, k)| !values[k].is_finite())
        .unwrap_or_default();
    Err(KktError::NonFinite { which, row, col })
}

/// Finiteness of a right-hand side.
pub(super) fn check_vector(which: &'static str, v: &[f64]) -> Result<(), KktError> {
    if all_finite(v) {
        return Ok(());
    }
    let row = v.iter().position(|v| !v.is_finite()).unwrap_or_default();
    Err(KktError::NonFinite { which, row, col: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_not_finite_are_seen_wherever_they_stand() {
        for length in 0..30 {
            let mut list: Vec<f64> = (0..length).map(|k| -1e300 * f64::from(k)).collect();
            assert!(all_finite(&list), "{length}");
            for at in 0..list.len() {
                for strange in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    let value = std::mem::replace(&mut list[at], strange);
                    assert!(!all_finite(&list), "{strange} at {at} of {length}");
                    list[at] = value;
                }
            }
        }
    }
}
