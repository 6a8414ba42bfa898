//! The Schur complement of few rows, its sums in registers as far as these suffice: for vectors of four numbers.

use super::Job;
use super::structure::Structure;
use super::wide::{Wide, accept, sum};
use crate::linalg::kkt::TINY;
use pulp::Simd;
use std::ops::Range;

/// A row of `W` numbers in `N` vectors.
type Lanes<S, const N: usize> = [<S as Simd>::f64s; N];

#[inline(always)]
fn load<S: Simd, const N: usize>(row: &[f64]) -> Lanes<S, N> {
    let vectors = S::as_simd_f64s(row).0;
    std::array::from_fn(|vector| vectors[vector])
}

#[inline(always)]
fn store<S: Simd, const N: usize>(vectors: Lanes<S, N>, row: &mut [f64]) {
    let slots = S::as_mut_simd_f64s(row).0;
    for (slot, vector) in slots.iter_mut().zip(vectors) {
        *slot = vector;
    }
}

/// The state of the pivots of S.
struct Pivots<'a, const W: usize> {
    /// The sums of the absolute terms of the diagonal. By reference: a copy would stall on numbers that have just been stored.
    whole: &'a [f64; W],
    /// The next one, where S is symmetric.
    next: f64,
    /// None has been suspicious.
    regular: bool,
}

/// Each number [`flushed`].
#[inline(always)]
fn flushed_vector<S: Simd>(simd: S, numbers: S::f64s) -> S::f64s {
    let is_tiny = simd.less_than_f64s(simd.abs_f64s(numbers), simd.splat_f64s(TINY));
    simd.select_f64s(is_tiny, simd.splat_f64s(0.0), numbers)
}

/// A multiple. (The map of an array would not be compiled for the processor.)
#[inline(always)]
fn times<S: Simd, const N: usize>(simd: S, mut vectors: Lanes<S, N>, factor: f64) -> Lanes<S, N> {
    for vector in &mut vectors {
        *vector = simd.mul_f64s(*vector, simd.splat_f64s(factor));
    }
    vectors
}

/// `Σ row y`.
#[inline(always)]
fn product<S: Simd, const N: usize, const W: usize>(
    simd: S,
    row: &[f64; W],
    y: Lanes<S, N>,
) -> f64 {
    let mut row = load::<S, N>(row);
    for (row, y) in row.iter_mut().zip(y) {
        *row = simd.mul_f64s(*row, y);
    }
    let mut products = [0.0; W];
    store::<S, N>(row, &mut products);
    sum(&products)
}

/// Adds what a variable contributes to these rows of S: a row of `A⁻¹ Bᵀ` times the factors.
#[inline(always)]
fn add_products<S: Simd, const N: usize, const W: usize, const ONE: bool>(
    simd: S,
    sums: &mut [Lanes<S, N>],
    rows: Range<usize>,
    (factors, right): (&[f64; W], Lanes<S, N>),
) {
    for i in rows {
        let factor = simd.splat_f64s(factors[i]);
        for at in first_vector::<S, ONE>(i)..N {
            sums[i][at] = simd.add_f64s(sums[i][at], simd.mul_f64s(factor, right[at]));
        }
    }
}

/// Adds the right-hand side of the constraint rows behind S.
#[inline(always)]
fn add_behind<S: Simd, const N: usize, const M: usize, const W: usize>(
    simd: S,
    sums: &mut [Lanes<S, N>; M],
    job: Option<&Job>,
) {
    let Some(c) = job.and_then(|job| job.rhs.c.first_chunk::<M>()) else {
        return;
    };
    let (at, zero) = (M / S::F64_LANES, simd.splat_f64s(0.0));
    let (mut given, mut known, mut place) = ([0.0; W], [0.0; W], [0.0; W]);
    given[..M].copy_from_slice(c);
    place[M] = 1.0;
    let mut vectors = load::<S, N>(&given);
    for vector in &mut vectors {
        *vector = flushed_vector(simd, *vector);
    }
    // Not over what was given: the compiler would write no more than what changes, and the next reads would wait for that.
    store::<S, N>(vectors, &mut known);
    // Selected, not multiplied: what is not finite stays out of S.
    let is_behind = simd.less_than_f64s(zero, load::<S, N>(&place)[at]);
    for (sum, c) in sums.iter_mut().zip(known) {
        let c = simd.splat_f64s(c);
        sum[at] = simd.add_f64s(sum[at], simd.select_f64s(is_behind, c, zero));
    }
}

/// Where the sums of a row of S begin: rows of a symmetric one with the vector that has the diagonal.
#[inline(always)]
fn first_vector<S: Simd, const ONE: bool>(row: usize) -> usize {
    if ONE { row / S::F64_LANES } else { 0 }
}

impl<const W: usize> Wide<W> {
    /// Factorizes S and solves, if there is code for so many rows and vectors of this width: the same numbers as without vectors, bit by
    /// bit. `None` and nothing done otherwise.
    #[inline(always)]
    pub(super) fn factor_in_registers<S: Simd, const ONE: bool>(
        &mut self,
        simd: S,
        structure: &Structure,
        job: &mut Option<Job>,
    ) -> Option<bool> {
        Some(match (structure.m, W / S::F64_LANES) {
            (2, 1) if W == 4 => self.factor_few::<S, 1, 2, ONE>(simd, structure, job),
            (3, 1) if W == 4 => self.factor_few::<S, 1, 3, ONE>(simd, structure, job),
            (4, 2) if W == 8 => self.factor_few::<S, 2, 4, ONE>(simd, structure, job),
            (5, 2) if W == 8 => self.factor_few::<S, 2, 5, ONE>(simd, structure, job),
            (6, 2) if W == 8 => self.factor_few::<S, 2, 6, ONE>(simd, structure, job),
            (7, 2) if W == 8 => self.factor_few::<S, 2, 7, ONE>(simd, structure, job),
            _ => return None,
        })
    }

    /// [`Wide::substitute_back`] under the same conditions; false and nothing done otherwise.
    #[inline(always)]
    pub(super) fn substitute_in_registers<S: Simd>(
        &self,
        simd: S,
        structure: &Structure,
        job: (&[f64; W], &mut Job),
    ) -> bool {
        match (structure.m, W / S::F64_LANES) {
            (2, 1) if W == 4 => self.substitute_few::<S, 1, 2>(simd, structure, job),
            (3, 1) if W == 4 => self.substitute_few::<S, 1, 3>(simd, structure, job),
            (4, 2) if W == 8 => self.substitute_few::<S, 2, 4>(simd, structure, job),
            (5, 2) if W == 8 => self.substitute_few::<S, 2, 5>(simd, structure, job),
            (6, 2) if W == 8 => self.substitute_few::<S, 2, 6>(simd, structure, job),
            (7, 2) if W == 8 => self.substitute_few::<S, 2, 7>(simd, structure, job),
            _ => return false,
        }
        true
    }

    /// Of `M` rows.
    #[inline(always)]
    fn factor_few<S: Simd, const N: usize, const M: usize, const ONE: bool>(
        &mut self,
        simd: S,
        structure: &Structure,
        job: &mut Option<Job>,
    ) -> bool {
        let mut whole = [0.0; W];
        self.eliminate::<ONE>(structure);
        let mut sums = if ONE {
            self.sum_up::<S, N, M>(simd, &mut whole)
        } else {
            self.sum_up_two::<S, N, M>(simd, &mut whole)
        };
        add_behind::<S, N, M, W>(simd, &mut sums, job.as_ref());
        let mut pivots = Pivots {
            whole: &whole,
            next: whole[0],
            regular: self.regular,
        };
        // Each with a number that the compiler knows: it does not unroll a loop of this size.
        let safe = self.pivot::<S, N, M, ONE, 0>(simd, &mut sums, &mut pivots)
            && self.pivot::<S, N, M, ONE, 1>(simd, &mut sums, &mut pivots)
            && self.pivot::<S, N, M, ONE, 2>(simd, &mut sums, &mut pivots)
            && self.pivot::<S, N, M, ONE, 3>(simd, &mut sums, &mut pivots)
            && self.pivot::<S, N, M, ONE, 4>(simd, &mut sums, &mut pivots)
            && self.pivot::<S, N, M, ONE, 5>(simd, &mut sums, &mut pivots)
            && self.pivot::<S, N, M, ONE, 6>(simd, &mut sums, &mut pivots);
        self.regular = pivots.regular;
        if safe && let Some(job) = job {
            let mut y = [0.0; W];
            for (y, row) in y.iter_mut().zip(&self.upper_s).take(M) {
                *y = row[M];
            }
            self.substitute_few::<S, N, M>(simd, structure, (&y, job));
        }
        safe
    }

    /// `Vᵀ D⁻¹ V`. What the diagonal is summed from is written apart.
    #[inline(always)]
    fn sum_up<S: Simd, const N: usize, const M: usize>(
        &mut self,
        simd: S,
        whole: &mut [f64; W],
    ) -> [Lanes<S, N>; M] {
        let mut sums = [[simd.splat_f64s(0.0); N]; M];
        for (left, right) in self.rows::<true>() {
            add_products::<S, N, W, true>(simd, &mut sums, 0..M, (left, load::<S, N>(right)));
        }
        // No term of a diagonal entry is negative: they are the sizes.
        for i in 0..M {
            store::<S, N>(sums[i], &mut self.upper_s[i]);
            whole[i] = self.upper_s[i][i];
        }
        sums
    }

    /// `C (A⁻¹ Bᵀ)`, and what its diagonal is summed from.
    #[inline(always)]
    fn sum_up_two<S: Simd, const N: usize, const M: usize>(
        &self,
        simd: S,
        whole: &mut [f64; W],
    ) -> [Lanes<S, N>; M] {
        let zeros = [simd.splat_f64s(0.0); N];
        let mut sums = [zeros; M];
        let rows = || self.rows::<false>();
        // Registers do not suffice for more sums at a time, nor for those of the sizes beside them.
        let first = if M * N <= 12 { M } else { M / 2 };
        for (left, right) in rows() {
            let right = load::<S, N>(right);
            add_products::<S, N, W, false>(simd, &mut sums, 0..first, (left, right));
        }
        if first < M {
            for (left, right) in rows() {
                let right = load::<S, N>(right);
                add_products::<S, N, W, false>(simd, &mut sums, first..M, (left, right));
            }
        }
        let mut sizes = zeros;
        for (left, right) in rows() {
            let (left, right) = (load::<S, N>(left), load::<S, N>(right));
            for at in 0..N {
                let size = simd.abs_f64s(simd.mul_f64s(left[at], right[at]));
                sizes[at] = simd.add_f64s(sizes[at], size);
            }
        }
        store::<S, N>(sizes, whole);
        sums
    }

    /// Eliminates with pivot `K`, if there are so many; false if it is doubtful.
    #[inline(always)]
    fn pivot<S: Simd, const N: usize, const M: usize, const ONE: bool, const K: usize>(
        &mut self,
        simd: S,
        sums: &mut [Lanes<S, N>; M],
        pivots: &mut Pivots<'_, W>,
    ) -> bool {
        if K >= M {
            return true;
        }
        let row = &mut self.upper_s[K];
        store::<S, N>(sums[K], row);
        let pivot = if ONE { pivots.next } else { row[K] };
        if !accept(pivot, pivots.whole[K], &mut pivots.regular) {
            return false;
        }
        let inverse = 1.0 / pivot;
        self.inverse_pivot[K] = inverse;
        if ONE && K + 1 < M {
            // The next pivot first, by the same operations: its inverse need not wait for vectors. With two matrices that gains nothing.
            let own = row[K + 1];
            let row = &mut self.upper_s[K + 1];
            store::<S, N>(sums[K + 1], row);
            pivots.next = row[K + 1] - own * inverse * own;
        }
        let factors = &mut self.lower_s[K];
        if ONE {
            store::<S, N>(times::<S, N>(simd, sums[K], inverse), factors);
        } else {
            let mut part = [0.0; W];
            for i in 0..M {
                if i > K {
                    let at = K / S::F64_LANES;
                    S::as_mut_simd_f64s(&mut part).0[0] = sums[i][at];
                    factors[i] = part[K % S::F64_LANES] * inverse;
                }
            }
        }
        let own = sums[K];
        for i in 0..M {
            if i > K {
                let factor = simd.splat_f64s(factors[i]);
                for at in first_vector::<S, ONE>(i).max((K + 1) / S::F64_LANES)..N {
                    sums[i][at] = simd.sub_f64s(sums[i][at], simd.mul_f64s(factor, own[at]));
                }
            }
        }
        true
    }

    /// Of `M` rows.
    #[inline(always)]
    fn substitute_few<S: Simd, const N: usize, const M: usize>(
        &self,
        simd: S,
        structure: &Structure,
        (lower, job): (&[f64; W], &mut Job),
    ) {
        let mut y = [0.0; W];
        for k in (0..M).rev() {
            let mut rest = lower[k];
            // The latest one last: the others need not wait for it.
            for later in (0..M).rev() {
                if later > k {
                    rest -= self.upper_s[k][later] * y[later];
                }
            }
            y[k] = rest * self.inverse_pivot[k];
        }
        if let Some(multipliers) = job.y.first_chunk_mut::<M>() {
            multipliers.copy_from_slice(&y[..M]);
        }
        // Times what stands behind the rows.
        y[M] = -1.0;
        let y = load::<S, N>(&y);
        if self.symmetric {
            for (x, (row, inverse)) in job.x.iter_mut().zip(self.weighed()) {
                *x = product::<S, N, W>(simd, row, y) * inverse;
            }
        } else {
            for (x, row) in job.x.iter_mut().zip(&self.scaled) {
                *x = product::<S, N, W>(simd, row, y);
            }
        }
        self.mass.substitute_transposed(structure, job.x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::bodies::RightHandSide;
    use crate::linalg::system::System;
    use crate::linalg::tests::support::{Problem, Random};
    use nalgebra::DMatrix;
    use pulp::{Arch, Scalar, WithSimd};

    /// A problem whose row `near` is `angle` away from the row before it.
    fn nearly_dependent(near: usize, m: usize, angle: f64, one: bool) -> Problem {
        let n = m + 2;
        let mut random = Random(11 + m as u64);
        let mut b = DMatrix::from_fn(m, n, |_, _| random.next());
        for column in 0..n {
            b[(near, column)] = b[(near - 1, column)] + angle * random.next();
        }
        let c = if one { b.clone() } else { &b * 1.5 };
        Problem::dense(&random.spd(n), &b, &c, random.vector(n), random.vector(m))
    }

    #[test]
    fn pivots_are_judged_alike_whatever_the_width_of_vectors() {
        let mut seen = [0; 3];
        for m in 4..=7 {
            for (near, one) in (1..m).flat_map(|near| [(near, true), (near, false)]) {
                for angle in [0.3, 1e-3, 1e-6, 0.0] {
                    let problem = nearly_dependent(near, m, angle, one);
                    let [vectors, lanes] = [true, false].map(|vectors| {
                        let (wide, _, _, factored) = factor::<8>(&problem, vectors);
                        (factored, factored && wide.regular)
                    });
                    assert_eq!(vectors, lanes, "{m} rows, {near}, {angle}");
                    seen[usize::from(vectors.0) + usize::from(vectors.1)] += 1;
                }
            }
        }
        // Doubtful ones, suspicious ones and others.
        assert!(seen.iter().all(|&count| count > 10), "{seen:?}");
    }

    /// The terms that the second diagonal entry of S is summed from cancel, if masses divide a whole row: 44 becomes 2.
    #[test]
    fn pivots_are_judged_alike_where_masses_are_coupled() {
        let coupling = 0.998_f64.sqrt();
        let a = [1.0, coupling, 0.0, coupling, 1.0, 0.0, 0.0, 0.0, 1.0];
        let a = DMatrix::from_row_slice(3, 3, &a);
        for (tilt, one) in [0.14, 0.05, 1e-3, 1e-5]
            .map(|tilt| [(tilt, true), (tilt, false)])
            .concat()
        {
            let b = DMatrix::from_row_slice(2, 3, &[1.0, 0.955, 0.0, 1.0, 0.955, tilt]);
            let c = if one { b.clone() } else { &b * 1.5 };
            let problem = Problem::dense(&a, &b, &c, vec![1.0; 3], vec![1.0; 2]);
            let [vectors, lanes] = [true, false].map(|vectors| {
                let (wide, _, _, factored) = factor::<4>(&problem, vectors);
                (factored, factored && wide.regular)
            });
            assert_eq!(vectors, lanes, "{tilt}, {one}");
        }
    }

    /// The factors and the solution of a problem, in vectors or in single lanes, and whether the pivots are none that are doubtful.
    fn factor<const W: usize>(
        problem: &Problem,
        in_vectors: bool,
    ) -> (Wide<W>, Vec<f64>, Vec<f64>, bool) {
        let mut system = System::new(&problem.a, &problem.b, &problem.c).unwrap();
        system.load(&problem.av, &problem.bv, &problem.cv).unwrap();
        let structure = Structure::new(&system, W).unwrap();
        let mut wide = Wide::<W>::new(system.n, structure.entries.len());
        let (mut x, mut y) = (vec![0.0; system.n], vec![0.0; system.m]);
        assert!(wide.begin(&structure, &system, Some(&problem.f)));
        let job = Factor {
            wide: &mut wide,
            structure: &structure,
            job: Job {
                rhs: RightHandSide {
                    f: Some(&problem.f),
                    c: &problem.g,
                },
                x: &mut x,
                y: &mut y,
            },
        };
        let factored = if in_vectors {
            Arch::new().dispatch(job)
        } else {
            job.with_simd(Scalar::new())
        };
        (wide, x, y, factored)
    }

    struct Factor<'a, const W: usize> {
        wide: &'a mut Wide<W>,
        structure: &'a Structure,
        job: Job<'a>,
    }

    impl<const W: usize> WithSimd for Factor<'_, W> {
        type Output = bool;
        fn with_simd<S: Simd>(self, simd: S) -> bool {
            self.wide.complement(simd, self.structure, Some(self.job))
        }
    }

    fn vectors_agree_with_single_lanes<const W: usize>(n: usize, m: usize, one: bool) {
        let mut random = Random(7 + m as u64);
        let b = DMatrix::from_fn(m, n, |_, _| random.next());
        let change = DMatrix::from_fn(m, n, |_, _| if one { 0.0 } else { 0.1 * random.next() });
        let c = &b + change;
        let problem = Problem::dense(&random.spd(n), &b, &c, random.vector(n), random.vector(m));
        let [vectors, lanes] = [true, false].map(|in_vectors| {
            let (wide, x, y, factored) = factor::<W>(&problem, in_vectors);
            assert!(factored);
            (wide, x, y)
        });
        assert_eq!((&vectors.1, &vectors.2), (&lanes.1, &lanes.2));
        let (vectors, lanes) = (vectors.0, lanes.0);
        for k in 0..m {
            assert_eq!(vectors.upper_s[k][k..=m], lanes.upper_s[k][k..=m]);
            assert_eq!(vectors.lower_s[k][k + 1..m], lanes.lower_s[k][k + 1..m]);
        }
        assert_eq!(vectors.inverse_pivot, lanes.inverse_pivot);
        assert_eq!(vectors.regular, lanes.regular);
    }

    #[test]
    fn factors_do_not_depend_on_the_width_of_vectors() {
        for (n, one) in [(7, true), (9, true), (7, false), (9, false)] {
            for m in [1, 2, 3] {
                vectors_agree_with_single_lanes::<4>(n, m, one);
            }
            for m in 4..=7 {
                vectors_agree_with_single_lanes::<8>(n, m, one);
            }
            vectors_agree_with_single_lanes::<12>(n, 6, one);
        }
    }
}
