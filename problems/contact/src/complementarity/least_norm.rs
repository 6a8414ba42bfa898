//! The solution of least Euclidean norm among those with the same `w`.

use super::complete_lu::CompleteLu;
use super::fit;
use super::nonnegative::NonNegative;
use super::scaled::{Scaled, largest};

/// What is known about the other solutions with the same `w`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// There are none.
    Unique,
    /// `z` was replaced by the one of least norm.
    Least,
    /// There are others, but none of least norm was found that is non-negative to round-off.
    Failed,
}

/// Given one `z` with `w = A z + b` and a set `a` of indices, the bilateral ones and those with `w_i = 0`, solves
///
/// ```text
/// min |z|²   over   A_·a z_a = A_·a z_a(given),   z_i >= 0 for unilateral i in a,   z_i = 0 outside a
/// ```
///
/// For symmetric positive semidefinite `A`, whose solutions all have the same `w`, this is the least-norm solution
/// of the problem; for another `A` it is that of a face of its solutions. The norm is that of the unscaled `z`.
///
/// With an orthonormal basis `N` of the null space of `A_·a` (complete pivoting, then Gram-Schmidt twice), the feasible
/// points are `z0 + N y`, `z0 = (I - N N^T) z` and `|z|² = |z0|² + |y|²`. If `z0 >= 0` it is the solution.
/// Otherwise `min |y|` subject to
/// `N y >= -z0` is a least distance problem, solved through non-negative least squares (Lawson and Hanson 1974, chapter 23,
/// doi:10.1137/1.9781611971217), and once more on the bounds that it finds active, for full accuracy.
#[derive(Default)]
pub(super) struct LeastNorm {
    lu: CompleteLu,
    nnls: NonNegative,
    /// Basis vectors, one after the other, each as long as the set.
    basis: Vec<f64>,
    z0: Vec<f64>,
    /// Sizes of the entries of `z0` that count as 1 in scaled units.
    sizes: Vec<f64>,
    support: Vec<usize>,
    rhs: Vec<f64>,
    step: Vec<f64>,
    /// Places in the set that are unilateral.
    bounded: Vec<usize>,
    /// Places in the set whose bound is active.
    tight: Vec<usize>,
    gram: Vec<f64>,
    h: Vec<f64>,
    u: Vec<f64>,
    y: Vec<f64>,
}

impl LeastNorm {
    /// Replaces `z` (scaled, length n) if it is not unique.
    pub fn apply(
        &mut self,
        problem: &Scaled,
        set: &[usize],
        rank_tolerance: f64,
        z: &mut [f64],
    ) -> Choice {
        let (n, size) = (problem.n, set.len());
        self.lu
            .factor(n, size, |i, j| problem.a[i * n + set[j]], rank_tolerance);
        if self.lu.nullity() == 0 {
            return Choice::Unique;
        }
        self.orthonormalize(problem, set);
        self.z0.clear();
        // The norm is that of the unscaled z = D z'.
        self.z0.extend(set.iter().map(|&i| problem.d[i] * z[i]));
        let unit = largest(&self.z0);
        if unit == 0.0 {
            return Choice::Least;
        }
        for z0 in &mut self.z0 {
            *z0 /= unit;
        }
        let scaled_unit = set.iter().fold(0.0_f64, |max, &i| max.max(z[i].abs()));
        self.sizes.clear();
        self.sizes
            .extend(set.iter().map(|&i| problem.d[i] * scaled_unit / unit));
        // z₀ = (I - N Nᵀ) z, twice against round-off.
        for _ in 0..2 {
            for vector in self.basis.chunks_exact(size) {
                let along = dot(vector, &self.z0);
                for (z0, v) in self.z0.iter_mut().zip(vector) {
                    *z0 -= along * v;
                }
            }
        }
        self.bounded.clear();
        self.bounded
            .extend((0..size).filter(|&k| !problem.bilateral(set[k])));
        if !self.move_inside(size) {
            return Choice::Failed;
        }
        // What the move changes in A z, to be restored.
        self.rhs.clear();
        self.rhs.extend(problem.a.chunks_exact(n).map(|row| {
            let moved = set.iter().zip(&self.z0);
            moved
                .map(|(&i, z0)| row[i] * (z[i] - unit * z0 / problem.d[i]))
                .sum::<f64>()
        }));
        for (&i, &z0) in set.iter().zip(&self.z0) {
            z[i] = unit * z0 / problem.d[i];
        }
        self.restore(problem, set, rank_tolerance, z);
        Choice::Least
    }

    /// Takes back what round-off changed in `A z`, where units differ much: a basic correction of the entries off their bounds.
    fn restore(&mut self, problem: &Scaled, set: &[usize], rank_tolerance: f64, z: &mut [f64]) {
        let n = problem.n;
        self.support.clear();
        self.support
            .extend(set.iter().filter(|&&i| problem.bilateral(i) || z[i] > 0.0));
        let support = &self.support;
        self.lu.factor(
            n,
            support.len(),
            |i, j| problem.a[i * n + support[j]],
            rank_tolerance,
        );
        fit(&mut self.step, support.len());
        self.lu.solve(&self.rhs, &mut self.step);
        for (&i, step) in support.iter().zip(&self.step) {
            z[i] += step;
        }
    }

    fn orthonormalize(&mut self, problem: &Scaled, set: &[usize]) {
        let size = set.len();
        fit(&mut self.basis, self.lu.nullity() * size);
        for k in 0..self.lu.nullity() {
            let (done, rest) = self.basis.split_at_mut(k * size);
            let vector = &mut rest[..size];
            self.lu.null_vector(k, vector);
            for (v, &i) in vector.iter_mut().zip(set) {
                *v *= problem.d[i];
            }
            // Repeated: one pass leaves round-off of nearly dependent vectors.
            for _ in 0..3 {
                let norm = dot(vector, vector).sqrt().max(f64::MIN_POSITIVE);
                for v in vector.iter_mut() {
                    *v /= norm;
                }
                for other in done.chunks_exact(size) {
                    let along = dot(other, vector);
                    for (v, o) in vector.iter_mut().zip(other) {
                        *v -= along * o;
                    }
                }
            }
        }
    }

    /// Adds the least `N y` that makes `z0` non-negative where it is bounded; false if there is none.
    fn move_inside(&mut self, size: usize) -> bool {
        const ROUND_OFF: f64 = 1e-14;
        let sizes = &self.sizes;
        let lowest = |z0: &[f64], bounded: &[usize]| {
            bounded
                .iter()
                .fold(0.0_f64, |min, &k| min.min(z0[k] / sizes[k]))
        };
        // Non-negative as it is: the projection is the solution.
        if lowest(&self.z0, &self.bounded) >= -ROUND_OFF {
            return true;
        }
        let (q, nullity) = (self.bounded.len(), self.basis.len() / size);
        // min |y|, N y ≥ -z₀ as min |E u - f|² with E = [Nᵀ; hᵀ], f = (0, .., 0, 1).
        self.h.clear();
        self.h
            .extend(self.bounded.iter().map(|&k| -self.z0[k] / sizes[k]));
        fit(&mut self.gram, q * q);
        for (r, &k) in self.bounded.iter().enumerate() {
            for (c, &l) in self.bounded.iter().enumerate() {
                let product: f64 = self
                    .basis
                    .chunks_exact(size)
                    .map(|vector| vector[k] * vector[l])
                    .sum();
                self.gram[r * q + c] = product / sizes[k] / sizes[l] + self.h[r] * self.h[c];
            }
        }
        fit(&mut self.u, q);
        // No residual: the bounds contradict each other.
        if !self.nnls.solve(&self.gram, &self.h, &mut self.u) || 1.0 - dot(&self.h, &self.u) < 1e-12
        {
            return false;
        }
        self.tight.clear();
        let tight = self.bounded.iter().zip(&self.u);
        self.tight
            .extend(tight.filter(|(_, u)| **u > 0.0).map(|(&k, _)| k));
        // y = N_P^T mu with N_P N_P^T mu = -z0_P on the tight bounds P.
        let (tight, basis) = (&self.tight, &self.basis);
        let p = tight.len();
        let entry = |r: usize, c: usize| {
            let products = basis
                .chunks_exact(size)
                .map(|vector| vector[tight[r]] * vector[tight[c]]);
            products.sum::<f64>() / sizes[tight[r]] / sizes[tight[c]]
        };
        self.lu.factor(p, p, entry, 1e-13);
        fit(&mut self.y, nullity);
        // The second pass is a step of refinement.
        for _ in 0..2 {
            self.h.clear();
            self.h.extend(tight.iter().map(|&k| -self.z0[k] / sizes[k]));
            fit(&mut self.u, p);
            self.lu.solve(&self.h, &mut self.u);
            for (y, vector) in self.y.iter_mut().zip(basis.chunks_exact(size)) {
                let terms = tight.iter().zip(&self.u);
                *y = terms.map(|(&k, u)| vector[k] / sizes[k] * u).sum();
            }
            for (y, vector) in self.y.iter().zip(basis.chunks_exact(size)) {
                for (z0, v) in self.z0.iter_mut().zip(vector) {
                    *z0 += y * v;
                }
            }
        }
        if lowest(&self.z0, &self.bounded) < -1e-11 {
            return false;
        }
        // Active bounds hold exactly.
        for &k in tight {
            self.z0[k] = 0.0;
        }
        true
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
