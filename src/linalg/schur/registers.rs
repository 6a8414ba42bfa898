//! The Schur complement of few rows, its sums in registers as far as these suffice: for vectors of four numbers.

use super::structure::Structure;
use super::wide::{Wide, is_above_suspicion, is_doubtful};
use pulp::Simd;

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

/// y + factor x.
#[inline(always)]
fn add<S: Simd, const N: usize>(
    simd: S,
    mut y: Lanes<S, N>,
    factor: S::f64s,
    x: Lanes<S, N>,
) -> Lanes<S, N> {
    for (y, x) in y.iter_mut().zip(x) {
        *y = simd.add_f64s(*y, simd.mul_f64s(factor, x));
    }
    y
}

impl<const W: usize> Wide<W> {
    /// [`Wide::complement`] where B and C are one matrix, if there is code for so many rows and vectors of this width: the same numbers,
    /// bit by bit.
    #[inline(always)]
    pub(super) fn complement_in_registers<S: Simd>(
        &mut self,
        simd: S,
        structure: &Structure,
        c: &[f64],
    ) -> Option<bool> {
        Some(match (structure.m, W / S::F64_LANES) {
            (2, 1) if W == 4 => self.factor_few::<S, 1, 2>(simd, c),
            (3, 1) if W == 4 => self.factor_few::<S, 1, 3>(simd, c),
            (4, 2) if W == 8 => self.factor_few::<S, 2, 4>(simd, c),
            (5, 2) if W == 8 => self.factor_few::<S, 2, 5>(simd, c),
            (6, 2) if W == 8 => self.factor_few::<S, 2, 6>(simd, c),
            (7, 2) if W == 8 => self.factor_few::<S, 2, 7>(simd, c),
            _ => return None,
        })
    }

    /// Of `M` rows.
    #[inline(always)]
    fn factor_few<S: Simd, const N: usize, const M: usize>(&mut self, simd: S, c: &[f64]) -> bool {
        let zero = simd.splat_f64s(0.0);
        let (mut sum, mut whole) = ([[zero; N]; M], [zero; N]);
        for row in &self.rows {
            let right = load::<S, N>(&row.right);
            let inverse = simd.splat_f64s(row.inverse);
            let scaled = right.map(|right| simd.mul_f64s(right, inverse));
            let mut factors = [0.0; W];
            store::<S, N>(scaled, &mut factors);
            for vector in 0..N {
                let size = simd.abs_f64s(simd.mul_f64s(scaled[vector], right[vector]));
                whole[vector] = simd.add_f64s(whole[vector], size);
            }
            for i in 0..M {
                sum[i] = add(simd, sum[i], simd.splat_f64s(factors[i]), right);
            }
        }
        // Behind S stands the right-hand side.
        if let Some(c) = c.first_chunk::<M>() {
            let mut last = [0.0; W];
            last[M] = 1.0;
            let last = load::<S, N>(&last);
            for i in 0..M {
                sum[i] = add(simd, sum[i], simd.splat_f64s(c[i]), last);
            }
        }
        let mut sizes = [0.0; W];
        store::<S, N>(whole, &mut sizes);
        let mut regular = self.regular;
        for k in 0..M {
            let row = &mut self.upper_s[k];
            store::<S, N>(sum[k], row);
            let (pivot, whole) = (row[k], sizes[k]);
            if is_doubtful(pivot, whole) {
                return false;
            }
            regular &= is_above_suspicion(pivot, whole);
            let inverse = 1.0 / pivot;
            self.inverse_pivot[k] = inverse;
            for i in 0..M {
                if i > k {
                    let factor = row[i] * inverse;
                    self.lower_s[k][i] = factor;
                    sum[i] = add(simd, sum[i], simd.splat_f64s(-factor), sum[k]);
                }
            }
        }
        self.regular = regular;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::system::System;
    use crate::linalg::tests::support::{Problem, Random};
    use nalgebra::DMatrix;
    use pulp::{Arch, Scalar, WithSimd};

    struct Job<'a, const W: usize> {
        wide: &'a mut Wide<W>,
        structure: &'a Structure,
        c: &'a [f64],
    }

    impl<const W: usize> WithSimd for Job<'_, W> {
        type Output = bool;
        fn with_simd<S: Simd>(self, simd: S) -> bool {
            self.wide.complement(simd, self.structure, self.c)
        }
    }

    fn vectors_agree_with_single_lanes<const W: usize>(n: usize, m: usize) {
        let mut random = Random(7 + m as u64);
        let b = DMatrix::from_fn(m, n, |_, _| random.next());
        let problem = Problem::dense(&random.spd(n), &b, &b, random.vector(n), random.vector(m));
        let mut system = System::new(&problem.a, &problem.b, &problem.c).unwrap();
        system.load(&problem.av, &problem.bv, &problem.bv).unwrap();
        let structure = Structure::new(&system, W).unwrap();
        let [vectors, lanes] = [true, false].map(|in_vectors| {
            let mut wide = Wide::<W>::new(n, structure.entries.len());
            assert!(wide.load(&structure, &system) && wide.factor_mass(&structure));
            let job = Job {
                wide: &mut wide,
                structure: &structure,
                c: &problem.g,
            };
            let factored = if in_vectors {
                Arch::new().dispatch(job)
            } else {
                job.with_simd(Scalar::new())
            };
            assert!(factored);
            wide
        });
        for k in 0..m {
            assert_eq!(vectors.upper_s[k][k..=m], lanes.upper_s[k][k..=m]);
            assert_eq!(vectors.lower_s[k][k + 1..m], lanes.lower_s[k][k + 1..m]);
        }
        assert_eq!(vectors.inverse_pivot, lanes.inverse_pivot);
        assert_eq!(vectors.regular, lanes.regular);
    }

    #[test]
    fn factors_do_not_depend_on_the_width_of_vectors() {
        for n in [7, 9] {
            for m in [1, 2, 3] {
                vectors_agree_with_single_lanes::<4>(n, m);
            }
            for m in 4..=7 {
                vectors_agree_with_single_lanes::<8>(n, m);
            }
            vectors_agree_with_single_lanes::<12>(n, 6);
        }
    }
}
