//! The numbers of a factorization, in rows of a width that the compiler knows.

use super::compiled::{Complement, FirstSolution, Solution};
use super::four::SolveFour;
use super::mass::MassFactors;
use super::measurement::Rows;
use super::structure::Structure;
use super::{FourJobs, Job, Numbers};
use crate::linalg::kkt::flushed;
use crate::linalg::system::System;
use pulp::{Arch, Simd};

/// Pivots below this part of the diagonal entry that they are left of are not decided here. They are squares of sines: rows
/// within an angle of 1e-4, far outside of what counts as dependent.
pub(in crate::linalg) const DOUBTFUL: f64 = 1e-8;

/// Pivots below this part let solutions lose digits: those are measured in all rows.
pub(in crate::linalg) const SUSPICIOUS: f64 = 1e-3;

/// Entries of A that differ from their mirror images by less than this part of the diagonal are equal as far as solutions are
/// measured.
pub(in crate::linalg) const NEGLIGIBLE_ASYMMETRY: f64 = 1e-15;

/// Numbers in rows of `W` lanes, more than there are constraint rows.
pub(super) struct Wide<const W: usize> {
    arch: Arch,
    pub(super) mass: MassFactors,
    /// Bᵀ with `-f` behind it, and Cᵀ unless it is the same. Lanes that the patterns have nothing for stay zero.
    given_right: Vec<[f64; W]>,
    given_left: Vec<[f64; W]>,
    /// `D⁻¹ L⁻¹ Bᵀ` with `-D⁻¹ L⁻¹ f` behind it.
    pub(super) scaled: Vec<[f64; W]>,
    /// What else S is summed from: V with `-L⁻¹ f` behind it where B and C are one matrix, `A⁻¹ Bᵀ` with `-A⁻¹ f` behind it elsewhere.
    pub(super) right: Vec<[f64; W]>,
    /// B and C are one matrix.
    pub(super) symmetric: bool,
    /// Rows of the upper factor of S from the diagonal on, and columns of the lower one behind it. What else stands there means nothing.
    pub(super) upper_s: [[f64; W]; W],
    pub(super) lower_s: [[f64; W]; W],
    pub(super) inverse_pivot: [f64; W],
    /// No pivot was suspicious, and A is symmetric but for what measures nothing.
    pub(super) regular: bool,
}

/// Whether a pivot is not decided here, of which this was there before the elimination. Written so that NaN is doubtful.
#[inline(always)]
fn is_doubtful(pivot: f64, before: f64) -> bool {
    !(pivot > 0.0 && pivot > DOUBTFUL * before && before < f64::INFINITY)
}

/// Whether a pivot lets no solution lose digits; NaN does. What is above suspicion is not doubtful.
#[inline(always)]
fn is_above_suspicion(pivot: f64, before: f64) -> bool {
    pivot > 0.0 && pivot > SUSPICIOUS * before
}

const _: () = assert!(SUSPICIOUS > DOUBTFUL);

/// Whether a pivot is not doubtful; one that is suspicious makes a factorization irregular.
#[inline(always)]
pub(super) fn accept(pivot: f64, before: f64, regular: &mut bool) -> bool {
    // Asked first: hardly any is not.
    if is_above_suspicion(pivot, before) {
        return true;
    }
    *regular = false;
    !is_doubtful(pivot, before)
}

/// `y -= factor x`.
#[inline(always)]
pub(super) fn subtract<const W: usize>(y: &mut [f64; W], factor: f64, x: &[f64; W]) {
    for lane in 0..W {
        y[lane] -= factor * x[lane];
    }
}

/// Sums in two lanes.
#[inline(always)]
pub(super) fn sum<const W: usize>(values: &[f64; W]) -> f64 {
    const { assert!(W.is_multiple_of(2), "a lane would be left over") };
    let mut sums = [0.0; 2];
    for pair in values.as_chunks::<2>().0 {
        for lane in 0..2 {
            sums[lane] += pair[lane];
        }
    }
    sums[0] + sums[1]
}

/// `Σ row y`.
#[inline(always)]
fn product<const W: usize>(row: &[f64; W], y: &[f64; W]) -> f64 {
    let products: [f64; W] = std::array::from_fn(|lane| row[lane] * y[lane]);
    sum(&products)
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
            mass: MassFactors::new(n, entries),
            given_right: vec![zero; n],
            given_left: vec![zero; n],
            scaled: vec![zero; n],
            right: vec![zero; n],
            symmetric: false,
            upper_s: zeros,
            lower_s: zeros,
            inverse_pivot: zero,
            regular: false,
        }
    }

    /// Takes the values over, with those of a right-hand side behind them, and factorizes A; false unless A is symmetric positive definite
    /// and no pivot doubtful.
    pub(super) fn begin(
        &mut self,
        structure: &Structure,
        system: &System,
        f: Option<&[f64]>,
    ) -> bool {
        // Before the mass matrix is factorized: vectors read soon what single numbers have just been stored to.
        scatter(
            &structure.b_places,
            &system.b_values,
            self.given_right.as_flattened_mut(),
        );
        self.symmetric = system.one_jacobian;
        if !self.symmetric {
            let left = self.given_left.as_flattened_mut();
            scatter(&structure.c_places, system.c_values(), left);
        }
        let m = structure.m.min(W - 1);
        match f {
            None => self.given_right.iter_mut().for_each(|row| row[m] = 0.0),
            Some(f) => {
                for (row, f) in self.given_right.iter_mut().zip(f) {
                    row[m] = flushed(-f);
                }
            }
        }
        let factored = self.mass.factor(structure, &system.a_values);
        self.regular = factored == Some(true);
        factored.is_some()
    }

    /// `S = C A⁻¹ Bᵀ`, with `c - C A⁻¹ f` behind it, its factors, and the solution for a right-hand side; false if a pivot is
    /// doubtful.
    #[inline(always)]
    pub(super) fn complement<S: Simd>(
        &mut self,
        simd: S,
        structure: &Structure,
        mut job: Option<Job>,
    ) -> bool {
        let in_registers = if self.symmetric {
            self.factor_in_registers::<S, true>(simd, structure, &mut job)
        } else {
            self.factor_in_registers::<S, false>(simd, structure, &mut job)
        };
        if let Some(safe) = in_registers {
            return safe;
        }
        let mut c = [0.0; W];
        for (slot, c) in c.iter_mut().zip(job.iter().flat_map(|job| job.rhs.c)) {
            *slot = flushed(*c);
        }
        let m = structure.m.min(W - 1);
        let safe = if self.symmetric {
            let whole = self.form::<true>(structure, &c);
            self.factor_complement::<true>(m, &whole)
        } else {
            let whole = self.form::<false>(structure, &c);
            self.factor_complement::<false>(m, &whole)
        };
        if safe && let Some(job) = job {
            let mut y = std::array::from_fn(|lane| self.upper_s[lane][m]);
            self.substitute_back(structure, &mut y, job);
        }
        safe
    }

    /// Eliminates the variables from Bᵀ and from what stands behind it.
    #[inline(always)]
    pub(super) fn eliminate<const ONE: bool>(&mut self, structure: &Structure) {
        let (scaled, right) = (&mut self.scaled, &mut self.right);
        (self.mass).eliminate_rows::<ONE, W>(structure, &self.given_right, scaled, right);
    }

    /// Rows of V and entries of D⁻¹, where B and C are one matrix.
    #[inline(always)]
    pub(super) fn weighed(&self) -> impl Iterator<Item = (&[f64; W], f64)> {
        self.right.iter().zip(self.mass.inverses().iter().copied())
    }

    /// The rows that S is summed from, `left rightᵀ` of each variable.
    #[inline(always)]
    pub(super) fn rows<const ONE: bool>(&self) -> impl Iterator<Item = (&[f64; W], &[f64; W])> {
        let left = if ONE { &self.scaled } else { &self.given_left };
        left.iter().zip(&self.right)
    }

    /// Computes `S`, with `c - C A⁻¹ f` in the column behind it. Returns the sums of the absolute terms of its diagonal.
    #[inline(always)]
    fn form<const ONE: bool>(&mut self, structure: &Structure, c: &[f64; W]) -> [f64; W] {
        let m = structure.m.min(W - 1);
        let mut whole = [0.0; W];
        self.eliminate::<ONE>(structure);
        self.upper_s = [[0.0; W]; W];
        let left = if ONE { &self.scaled } else { &self.given_left };
        for ((step, left), right) in structure.steps.iter().zip(left).zip(&self.right) {
            for lane in 0..W {
                whole[lane] += (left[lane] * right[lane]).abs();
            }
            for &i in &structure.touched[step.touched.clone()] {
                subtract(&mut self.upper_s[i], -left[i], right);
            }
        }
        for (row, c) in self.upper_s.iter_mut().zip(c) {
            row[m] += c;
        }
        whole
    }

    /// `S = L U` without exchanges; columns behind S become `L⁻¹` of what they were. Where S is symmetric, so are the factors.
    #[inline(always)]
    fn factor_complement<const ONE: bool>(&mut self, m: usize, whole: &[f64; W]) -> bool {
        // For the compiler: no index is out of bounds.
        let m = m.min(W);
        for k in 0..m {
            let row = self.upper_s[k];
            let (pivot, whole) = (row[k], whole[k]);
            if !accept(pivot, whole, &mut self.regular) {
                return false;
            }
            let inverse = 1.0 / pivot;
            self.inverse_pivot[k] = inverse;
            for i in k + 1..m {
                let entry = if ONE { row[i] } else { self.upper_s[i][k] };
                let factor = entry * inverse;
                self.lower_s[k][i] = factor;
                subtract(&mut self.upper_s[i], factor, &row);
            }
        }
        true
    }

    /// From `y = L⁻¹ (c - C A⁻¹ f)` to the solution.
    #[inline(always)]
    fn substitute_back(&self, structure: &Structure, y: &mut [f64; W], job: Job) {
        let m = structure.m.min(W - 1);
        for k in (0..m).rev() {
            let row = &self.upper_s[k];
            let mut rest = y[k];
            // The latest one last: the others need not wait for it.
            for later in (k + 1..m).rev() {
                rest -= row[later] * y[later];
            }
            y[k] = rest * self.inverse_pivot[k];
        }
        job.y.copy_from_slice(&y[..m]);
        y[m..].fill(0.0);
        // Times what stands behind the rows.
        y[m] = -1.0;
        if self.symmetric {
            for (x, (row, inverse)) in job.x.iter_mut().zip(self.weighed()) {
                *x = product(row, y) * inverse;
            }
        } else {
            for (x, row) in job.x.iter_mut().zip(&self.scaled) {
                *x = product(row, y);
            }
        }
        self.mass.substitute_transposed(structure, job.x);
    }

    fn solve_without_rows(&self, structure: &Structure, f: Option<&[f64]>, x: &mut [f64]) {
        let Some(f) = f else {
            return x.fill(0.0);
        };
        for (x, f) in x.iter_mut().zip(f) {
            *x = flushed(*f);
        }
        self.mass.divide(structure, x);
    }

    #[inline(always)]
    pub(super) fn solve_with_rows<S: Simd>(
        &mut self,
        simd: S,
        structure: &Structure,
        mut job: Job,
    ) {
        let (rhs, x) = (job.rhs, &mut *job.x);
        let m = structure.m.min(W - 1);
        let mut lower = [0.0; W];
        // Every operation as in `form`: solutions must not depend on whether the factors were there.
        if let Some(f) = rhs.f {
            for (x, f) in x.iter_mut().zip(f) {
                *x = flushed(*f);
            }
            self.mass.substitute(structure, x);
            if self.symmetric {
                for ((value, row), scaled) in x.iter().zip(&mut self.right).zip(&self.scaled) {
                    subtract(&mut lower, *value, scaled);
                    row[m] = -value;
                }
            } else {
                self.mass.scale(x);
                for (value, row) in x.iter().zip(&mut self.scaled) {
                    row[m] = -value;
                }
                self.mass.substitute_transposed(structure, x);
                for (value, row) in x.iter().zip(&self.given_left) {
                    subtract(&mut lower, *value, row);
                }
            }
        } else {
            let rows = if self.symmetric {
                &mut self.right
            } else {
                &mut self.scaled
            };
            for row in rows {
                row[m] = 0.0;
            }
        }
        for (lower, c) in lower[..m].iter_mut().zip(rhs.c) {
            *lower += flushed(*c);
        }
        // Whole vectors: lanes up to the pivot, which mean nothing any more, and lanes behind the rows, which never did, as well.
        let mut solved = [0.0; W];
        for k in 0..m {
            let known = lower[k];
            solved[k] = known;
            subtract(&mut lower, known, &self.lower_s[k]);
        }
        let mut lower = solved;
        if !self.substitute_in_registers(simd, structure, (&lower, &mut job)) {
            self.substitute_back(structure, &mut lower, job);
        }
    }

    /// Cᵀ, and what means nothing behind it.
    #[inline(always)]
    pub(super) fn constraint_columns(&self) -> &[[f64; W]] {
        if self.symmetric {
            &self.given_right
        } else {
            &self.given_left
        }
    }
}

impl<const W: usize> Numbers for Wide<W> {
    fn factor(&mut self, structure: &Structure, system: &System) -> bool {
        let arch = self.arch;
        self.begin(structure, system, None)
            && arch.dispatch(Complement {
                numbers: self,
                structure,
            })
    }

    fn factor_and_solve(
        &mut self,
        structure: &Structure,
        system: &System,
        job: Job,
        tolerance: f64,
    ) -> Option<bool> {
        let arch = self.arch;
        if !self.begin(structure, system, job.rhs.f) {
            return None;
        }
        arch.dispatch(FirstSolution {
            numbers: self,
            structure,
            job,
            tolerance,
        })
    }

    fn solve(&mut self, structure: &Structure, job: Job) {
        if job.y.is_empty() {
            return self.solve_without_rows(structure, job.rhs.f, job.x);
        }
        let arch = self.arch;
        arch.dispatch(Solution {
            numbers: self,
            structure,
            job,
        });
    }

    fn is_regular(&self) -> bool {
        self.regular
    }

    fn constraints_hold(&self, c: &[f64], x: &[f64], tolerance: f64) -> bool {
        self.arch.dispatch(Rows {
            numbers: self,
            c,
            x,
            allowed: tolerance,
        })
    }

    fn solve_four(&self, structure: &Structure, job: FourJobs, measured: Option<f64>) -> bool {
        self.arch.dispatch(SolveFour {
            numbers: self,
            structure,
            job,
            measured,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_pivot_above_suspicion_is_doubtful() {
        let numbers = [
            0.0,
            5e-324,
            1e-8,
            1e-3,
            1.0,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
        ];
        let numbers = numbers.into_iter().flat_map(|number| [number, -number]);
        for (pivot, before) in numbers
            .clone()
            .flat_map(|a| numbers.clone().map(move |b| (a, b)))
        {
            let doubtful = is_doubtful(pivot, before);
            assert!(
                !(is_above_suspicion(pivot, before) && doubtful),
                "{pivot} of {before}"
            );
        }
    }
}
