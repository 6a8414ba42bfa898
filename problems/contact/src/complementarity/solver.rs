//! The solver that owns the methods, their memory, and the verification of their answers.

use super::complete_lu::CompleteLu;
use super::error::LcpError;
use super::fischer_burmeister::FischerBurmeister;
use super::fit;
use super::gauss_seidel;
use super::lemke::Lemke;
use super::options::{LcpMethod, LcpOptions};
use super::polish::{Polish, Verdict};
use super::principal_pivoting::PrincipalPivoting;
use super::reduction::Reduction;
use super::scaled::{RowKind, Scaled, largest};
use super::solution::{LcpSolution, LcpStatistics, Uniqueness};
use super::standard::{Attempt, Outcome};

/// Pivots below this are zero, in scaled units.
const RANK_TOLERANCE: f64 = 1e-12;

/// Solver of mixed linear complementarity problems of dimension `n` from 1 to about 100, `A` dense, row by row:
///
/// ```text
/// w = A z + b
/// bilateral rows    z_i free,  w_i = 0
/// unilateral rows   0 <= z_i ⟂ w_i >= 0
/// ```
///
/// In contact mechanics `A = G M^-1 G^T` is the Delassus matrix, `z` are impulses or forces, `w` relative
/// velocities or accelerations
/// (Haddouni et al. 2017, eq. 4, doi:10.1007/s11044-017-9570-y). `A` may be any matrix. For symmetric positive semidefinite
/// ones, those of frictionless contact, Lemke's method in exact arithmetic solves or proves infeasibility.
///
/// # What is returned
/// Signs and complementarity hold exactly: `z_i >= 0`, `w_i >= 0`, and one of them is 0. What remains is the equation,
/// which is verified in scaled units before anything is returned:
///
/// ```text
/// max_i |D (w - A z - b)|_i  <=  tolerance * max_i (|D b| + |D A| |z|)_i
/// ```
///
/// `D` is diagonal with powers of two such that `D A D` has a diagonal of about 1, or row and column maxima of about 1 where the
/// diagonal is small. Rows in different units therefore count alike. Bilateral rows among which some are redundant
/// are granted [`LcpOptions::consistency`] instead of [`LcpOptions::tolerance`].
///
/// # How
/// 1. Bilateral rows are eliminated with complete pivoting; redundant ones are dropped if they are consistent.
/// 2. [`LcpOptions::first`] solves the standard problem that remains; if it fails, [`LcpMethod::FALLBACKS`] follow, which the
///    statistics count. Each gives an active set.
/// 3. The linear system of the active set is solved anew from the original matrix, with refinement; a wrong active set is
///    corrected by primal-dual steps.
/// 4. If `z` is not unique, the one of least Euclidean norm with the same `w` is sought (duplicated contacts share their
///    load equally). For symmetric positive semidefinite `A` all solutions have the same `w`. Bilateral and unilateral
///    components count alike in the norm. Where the units of rows, `a_ii^(1/2)`, spread over more than about 1e3, round-off
///    may prevent it; [`Uniqueness::Basic`] then says so.
///
/// Rows that agree within about 1e-6 of a constraint Jacobian, pivots of 1e-12 in scaled `A`, count as dependent, as in
/// [`KktSolver`](liedae::linalg::KktSolver).
///
/// # When to use which method
/// [`LcpMethod::Lemke`] unless there is a reason: it is the one that proves infeasibility, degenerate contacts do not
/// disturb it, and it is as fast as any. Principal pivoting is about as fast for definite matrices, and slower where
/// rows are redundant and many. The semismooth Newton method and projected Gauss-Seidel are independent of pivoting, for checks,
/// the former as a last resort too; they are several times slower, Gauss-Seidel more so the worse the conditioning.
///
/// # Memory
/// Buffers grow to the largest problem so far; after that `solve` allocates only for errors. Cost: O(n³) per solution.
#[derive(Default)]
pub struct LcpSolver {
    options: LcpOptions,
    problem: Scaled,
    reduction: Reduction,
    lemke: Lemke,
    principal: PrincipalPivoting,
    newton: FischerBurmeister,
    polish: Polish,
    z: Vec<f64>,
    w: Vec<f64>,
    solution: LcpSolution,
    statistics: LcpStatistics,
}

impl LcpSolver {
    /// A solver with these options, which are checked by [`LcpSolver::solve`].
    pub fn new(options: LcpOptions) -> Self {
        Self {
            options,
            ..Self::default()
        }
    }

    /// Solves for `z` and `w`; `matrix` has n² numbers row by row, `vector` n, and `kinds` n. An empty problem has the
    /// empty solution.
    ///
    /// # Errors
    /// - [`LcpError::Dimension`], [`LcpError::NonFinite`], [`LcpError::Option`] for bad arguments;
    /// - [`LcpError::Inconsistent`] for bilateral rows that contradict each other;
    /// - [`LcpError::Infeasible`] with a certificate, if [`LcpMethod::Lemke`] is among the methods;
    /// - [`LcpError::Unsolved`] if no method succeeds.
    pub fn solve(
        &mut self,
        matrix: &[f64],
        vector: &[f64],
        kinds: &[RowKind],
    ) -> Result<&LcpSolution, LcpError> {
        self.options.check()?;
        self.problem.set(matrix, vector, kinds)?;
        self.statistics.problems += 1;
        self.reset();
        if kinds.is_empty() {
            self.statistics.solved += 1;
            return Ok(&self.solution);
        }
        let mut best = f64::INFINITY;
        let mut ray = None;
        // Bilateral rows first: what is left is a standard problem.
        self.reduction
            .reduce(&self.problem, RANK_TOLERANCE, self.options.consistency)
            .inspect_err(|_| self.statistics.infeasible += 1)?;
        for method in methods(&self.options) {
            let attempt = self.attempt(method);
            self.solution.pivots += attempt.pivots;
            self.solution.iterations += attempt.iterations;
            self.statistics.pivots += attempt.pivots;
            self.statistics.iterations += attempt.iterations;
            match attempt.outcome {
                Outcome::Candidate => {
                    // The active set of the candidate, solved anew from the original matrix.
                    self.identify(method);
                    fit(&mut self.polish.start, self.problem.n);
                    self.reduction.expand(&self.z, &mut self.polish.start);
                    let verdict = self.polish.run(
                        &self.problem,
                        &self.options,
                        RANK_TOLERANCE,
                        !self.reduction.redundant.is_empty(),
                    );
                    if verdict.excess <= 1.0 {
                        self.finish(method, verdict);
                        return Ok(&self.solution);
                    }
                    best = best.min(verdict.residual);
                }
                Outcome::Ray => {
                    // A ray is a proof only if it passes as a certificate.
                    let (direction, proof) = self.certificate();
                    if let Some(descent) = proof {
                        self.statistics.infeasible += 1;
                        return Err(LcpError::Infeasible {
                            ray: direction,
                            descent,
                        });
                    }
                    ray = ray.or(Some(direction));
                }
                Outcome::Stalled => {}
            }
            self.solution.fallbacks += 1;
            self.statistics.fallbacks += 1;
        }
        Err(LcpError::Unsolved {
            tried: methods(&self.options).collect(),
            residual: best,
            ray,
        })
    }

    /// The solution of the last [`LcpSolver::solve`]; empty after an error.
    pub fn solution(&self) -> &LcpSolution {
        &self.solution
    }

    /// Counters over all problems so far.
    pub fn statistics(&self) -> &LcpStatistics {
        &self.statistics
    }

    /// The options.
    pub fn options(&self) -> &LcpOptions {
        &self.options
    }

    fn reset(&mut self) {
        let solution = &mut self.solution;
        solution.z.clear();
        solution.w.clear();
        solution.redundant_rows.clear();
        *solution = LcpSolution {
            z: std::mem::take(&mut solution.z),
            w: std::mem::take(&mut solution.w),
            redundant_rows: std::mem::take(&mut solution.redundant_rows),
            method: self.options.first,
            ..LcpSolution::default()
        };
    }

    /// Runs a method on the standard problem.
    fn attempt(&mut self, method: LcpMethod) -> Attempt {
        let standard = &self.reduction.standard;
        fit(&mut self.z, standard.m);
        fit(&mut self.w, standard.m);
        if standard.m == 0 {
            return Attempt::pivoting(Outcome::Candidate, 0);
        }
        let z = &mut self.z;
        match method {
            LcpMethod::Lemke => self.lemke.solve(standard, z),
            LcpMethod::PrincipalPivoting => self.principal.solve(standard, z),
            LcpMethod::FischerBurmeister => {
                self.newton
                    .solve(standard, self.options.newton_iterations, z)
            }
            LcpMethod::GaussSeidel => {
                let options = &self.options;
                gauss_seidel::solve(standard, options.relaxation, options.sweeps, z)
            }
        }
    }

    /// The active set of a candidate: the basis of a pivoting method, `z_i > w_i` of an iteration.
    fn identify(&mut self, method: LcpMethod) {
        let standard = &self.reduction.standard;
        let pivoting = matches!(method, LcpMethod::Lemke | LcpMethod::PrincipalPivoting);
        if !pivoting && standard.m > 0 {
            standard.evaluate(&self.z, &mut self.w);
        }
        self.polish.active.clear();
        self.polish.active.resize(self.problem.n, false);
        for ((&i, &z), &w) in self.reduction.unilateral.iter().zip(&self.z).zip(&self.w) {
            self.polish.active[i] = if pivoting { z > 0.0 } else { z > w };
        }
    }

    fn finish(&mut self, method: LcpMethod, verdict: Verdict) {
        let (problem, solution) = (&self.problem, &mut self.solution);
        // z = β D z' and w = β D⁻¹ w'.
        solution.z.clear();
        solution
            .z
            .extend((self.polish.z.iter().zip(&problem.d)).map(|(z, d)| (z * d) * problem.beta));
        solution.w.clear();
        solution
            .w
            .extend((self.polish.w.iter().zip(&problem.d)).map(|(w, d)| (w / d) * problem.beta));
        solution.residual = verdict.residual;
        solution.uniqueness = verdict.uniqueness;
        solution.method = method;
        solution.corrections = verdict.corrections;
        solution
            .redundant_rows
            .extend_from_slice(&self.reduction.redundant);
        let statistics = &mut self.statistics;
        statistics.solved += 1;
        statistics.corrections += verdict.corrections;
        statistics.least_norm += usize::from(verdict.uniqueness == Uniqueness::LeastNorm);
        for (answered, candidate) in statistics.answered.iter_mut().zip(LcpMethod::ALL) {
            *answered += usize::from(candidate == method);
        }
    }

    /// The ray in `z` as a direction of the mixed problem, in its units, and `b^T v` if it proves infeasibility.
    fn certificate(&mut self) -> (Vec<f64>, Option<f64>) {
        let (problem, n) = (&self.problem, self.problem.n);
        let mut v = vec![0.0; n];
        for (&i, &z) in self.reduction.unilateral.iter().zip(&self.z) {
            v[i] = z;
        }
        // Bilateral components such that (A v)_E = 0.
        let bilateral: Vec<usize> = (0..n).filter(|&i| problem.bilateral(i)).collect();
        let size = bilateral.len();
        let mut lu = CompleteLu::default();
        lu.factor(
            size,
            size,
            |i, j| problem.a[bilateral[i] * n + bilateral[j]],
            RANK_TOLERANCE,
        );
        let product = |row: usize, v: &[f64]| -> f64 {
            (problem.a[row * n..(row + 1) * n].iter().zip(v))
                .map(|(a, v)| a * v)
                .sum()
        };
        let rhs: Vec<f64> = bilateral.iter().map(|&i| -product(i, &v)).collect();
        let mut x = vec![0.0; size];
        lu.solve(&rhs, &mut x);
        for (&i, &x) in bilateral.iter().zip(&x) {
            v[i] = x;
        }
        let unit = largest(&v).max(f64::MIN_POSITIVE);
        for v in &mut v {
            *v /= unit;
        }
        // Farkas: v ≥ 0, Aᵀ v ≤ 0 (0 if bilateral), bᵀ v < 0 leave no z ≥ 0 with A z + b ≥ 0.
        let mut violation = 0.0_f64;
        for j in 0..n {
            let column: f64 = (0..n).map(|i| problem.a[i * n + j] * v[i]).sum();
            let wrong = if problem.bilateral(j) {
                column.abs()
            } else {
                column.max(0.0)
            };
            violation = violation.max(wrong);
        }
        let descent: f64 = problem.b.iter().zip(&v).map(|(b, v)| b * v).sum();
        let proved = descent < -self.options.tolerance && violation <= 1e-4 * -descent;
        for (v, d) in v.iter_mut().zip(&problem.d) {
            *v *= d;
        }
        (v, proved.then_some(descent * problem.beta))
    }
}

fn methods(options: &LcpOptions) -> impl Iterator<Item = LcpMethod> + use<> {
    let (first, fallback) = (options.first, options.fallback);
    std::iter::once(first).chain(
        LcpMethod::FALLBACKS
            .into_iter()
            .filter(move |&method| fallback && method != first),
    )
}
