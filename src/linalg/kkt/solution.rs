//! Solutions, checked against the matrix.

use super::{Active, KktSolver, flushed};
use crate::linalg::bodies::{Allowed, RightHandSide};
use crate::linalg::diagonal::Quotients;
use crate::linalg::error::{KktError, check_len};
use crate::linalg::ordering::Rule;
use crate::linalg::schur::Job;
use crate::linalg::system::{ExchangedJacobians, check_vector};
use crate::linalg::verify::{ACCEPTABLE, ACCEPTABLE_DEFICIENT, CONSISTENT, GOOD};
use crate::linalg::versioned::VersionedValues;

/// What a substitution computes: `z` from the right-hand side, or a correction from the residual.
#[derive(Clone, Copy)]
pub(super) enum Target {
    Solution,
    Correction,
}

/// What a solution by bodies may miss in constraint rows: of the terms that come from masses and forces, what round-off leaves.
const ALLOWED: Allowed = Allowed {
    constraint: GOOD.componentwise,
    terms: 1e-14,
};

impl KktSolver {
    /// Solves for `x` (length n) and `y` (length m) with right-hand sides `f` and `c`.
    ///
    /// # Errors
    /// [`KktError::NotFactored`], [`KktError::Dimension`], [`KktError::NonFinite`],
    /// [`KktError::Inconsistent`], [`KktError::Singular`], [`KktError::Inaccurate`],
    /// [`KktError::TooLarge`]. After an error `x` and `y` are of no use.
    pub fn solve(
        &mut self,
        f: &[f64],
        c: &[f64],
        x: &mut [f64],
        y: &mut [f64],
    ) -> Result<(), KktError> {
        self.solve_for(RightHandSide { f: Some(f), c }, x, y)
    }

    /// [`KktSolver::solve`] with `f = 0`.
    ///
    /// # Errors
    /// As [`KktSolver::solve`].
    pub(crate) fn solve_constraints(
        &mut self,
        c: &[f64],
        x: &mut [f64],
        y: &mut [f64],
    ) -> Result<(), KktError> {
        self.solve_for(RightHandSide { f: None, c }, x, y)
    }

    #[inline]
    pub(super) fn solve_for(
        &mut self,
        rhs: RightHandSide,
        x: &mut [f64],
        y: &mut [f64],
    ) -> Result<(), KktError> {
        self.check_lengths(rhs, x, y)?;
        // Apart from the others: explicit methods spend little else on a solution.
        if self.solve_diagonal(rhs, x) {
            return Ok(());
        }
        self.solve_measured(rhs, x, y)
    }

    /// A solution by what is in use but a diagonal, as good as it has to be.
    fn solve_measured(
        &mut self,
        rhs: RightHandSide,
        x: &mut [f64],
        y: &mut [f64],
    ) -> Result<(), KktError> {
        if self.active == Active::None {
            return Err(KktError::NotFactored);
        }
        let by_bodies = self.solve_by_bodies(rhs, x, y);
        if by_bodies == Some(true) {
            return Ok(());
        }
        // As in `factor_and_solve`: a solution says that its right-hand side is finite.
        if self.active == Active::Schur
            && let Some(schur) = &mut self.schur
            && schur.is_above_suspicion()
        {
            schur.solve(Job { rhs, x, y });
            // Measured in the constraint rows only.
            if schur.constraints_hold(rhs.c, x, GOOD.componentwise) {
                self.proven = true;
                self.counters.solves += 1;
                return Ok(());
            }
        }
        self.take_right_hand_side(rhs);
        check_right_hand_side(rhs)?;
        self.counters.solves += 1;
        let mut outcome = if by_bodies.is_some() {
            let (upper, lower) = self.z.split_at_mut(self.system.n);
            upper.copy_from_slice(x);
            lower.copy_from_slice(y);
            self.verify()
        } else {
            self.solve_active()
        };
        // Each failure leads to a more robust path, until one succeeds or none is left.
        while let Err(error) = outcome {
            self.next_path(error)?;
            outcome = self.solve_active();
        }
        self.check_idle(rhs.c)?;
        self.give_solution(x, y);
        Ok(())
    }

    /// Solutions that are products with the inverse of a diagonal; `None` where another way is in use.
    #[inline]
    pub(crate) fn quotients(&mut self) -> Option<Quotients<'_>> {
        let diagonal = self.diagonal.as_ref();
        Some(Quotients {
            diagonal: diagonal.filter(|_| self.active == Active::Diagonal)?,
            solves: &mut self.counters.solves,
        })
    }

    /// A solution by a diagonal; false where it is not finite, or another way is in use.
    fn solve_diagonal(&mut self, rhs: RightHandSide, x: &mut [f64]) -> bool {
        let Some(f) = rhs.f else {
            return false;
        };
        let Some(mut quotients) = self.quotients() else {
            return false;
        };
        x.copy_from_slice(f);
        quotients.divide(x)
    }

    /// A solution by bodies, and whether it is as good as round-off allows, after one refinement at most; `None` and nothing done where
    /// another way is in use.
    pub(super) fn solve_by_bodies(
        &mut self,
        rhs: RightHandSide,
        x: &mut [f64],
        y: &mut [f64],
    ) -> Option<bool> {
        let (Active::Bodies, Some(bodies)) = (self.active, &mut self.bodies) else {
            return None;
        };
        if !bodies.is_above_suspicion() || !self.null_space.is_empty() {
            return None;
        }
        let system = &self.system;
        let mut seen = bodies.solve_and_measure(system, rhs, [x, y], ALLOWED);
        if seen.is_finite && !seen.holds {
            self.counters.refinements += 1;
            let work = &mut self.step[..system.m];
            seen = bodies.refine(system, rhs, [x, y, work], ALLOWED);
        }
        let good = seen.is_finite && seen.holds;
        if good {
            self.proven = seen.moves_all;
            self.counters.solves += 1;
        }
        Some(good)
    }

    fn take_right_hand_side(&mut self, RightHandSide { f, c }: RightHandSide) {
        let n = self.system.n;
        let (upper, lower) = self.rhs.split_at_mut(n);
        match f {
            None => upper.fill(0.0),
            Some(f) => {
                for (slot, &value) in upper.iter_mut().zip(f) {
                    *slot = flushed(value);
                }
            }
        }
        for (slot, &value) in lower.iter_mut().zip(c) {
            *slot = flushed(value);
        }
        // Idle rows read 0 x + y = 0; what was asked of them is checked at the end.
        for &row in &self.system.idle {
            self.rhs[n + row] = 0.0;
        }
    }

    pub(super) fn give_solution(&self, x: &mut [f64], y: &mut [f64]) {
        let (upper, lower) = self.z.split_at(self.system.n);
        x.copy_from_slice(upper);
        y.copy_from_slice(lower);
    }

    /// [`KktSolver::factor`] and [`KktSolver::solve`] in one call, which takes less time.
    ///
    /// # Errors
    /// Those of both.
    pub fn factor_and_solve(
        &mut self,
        [a, b, c]: [&[f64]; 3],
        [f, g]: [&[f64]; 2],
        x: &mut [f64],
        y: &mut [f64],
    ) -> Result<(), KktError> {
        if self.is_factored([a, b, c]) {
            return self.solve(f, g, x, y);
        }
        self.load(a, b, c)?;
        self.factor_loaded_and_solve([f, g], x, y)
    }

    /// [`KktSolver::factor_and_solve`] for values that change places with those of the matrix before, unless they are the same. After an
    /// error they are back.
    #[inline]
    pub(crate) fn exchange_and_solve(
        &mut self,
        a: &mut VersionedValues,
        jacobians: &mut ExchangedJacobians,
        [f, g]: [&[f64]; 2],
        x: &mut [f64],
        y: &mut [f64],
    ) -> Result<(), KktError> {
        let (b, c) = jacobians.values();
        if self.is_factored([&a.values, b, c]) {
            return self.solve(f, g, x, y);
        }
        let mass = (&mut a.values, &mut a.number);
        self.exchange(mass, jacobians, |solver| {
            solver.factor_loaded_and_solve([f, g], x, y)
        })
    }

    /// Takes the values of `C` out, for a list whose numbers mean nothing: the factorization is lost, unless `B` has the same values.
    pub(crate) fn take_right_jacobian(&mut self, out: &mut Vec<f64>) {
        if self.system.take_c_values(out) {
            self.forget();
        }
    }

    /// Copies of the values of `A` and `B`.
    pub(crate) fn copy_left(&self, a: &mut VersionedValues, b: &mut [f64]) {
        self.system.copy_mass(a);
        b.copy_from_slice(&self.system.b_values);
    }

    /// Whether these are the values of the factorization in use.
    fn is_factored(&self, [a, b, c]: [&[f64]; 3]) -> bool {
        match self.active {
            Active::None => false,
            // Without rows there is nothing else in the matrix.
            Active::Diagonal => self.system.holds_mass(a),
            _ => self.system.holds(a, b, c),
        }
    }

    fn factor_loaded_and_solve(
        &mut self,
        [f, g]: [&[f64]; 2],
        x: &mut [f64],
        y: &mut [f64],
    ) -> Result<(), KktError> {
        let rhs = RightHandSide { f: Some(f), c: g };
        self.check_lengths(rhs, x, y)?;
        if self.bodies.is_some() {
            self.factor_checked()?;
            return self.solve_measured(rhs, x, y);
        }
        if self.diagonal.is_some() || self.schur.is_none() {
            self.factor_checked()?;
            return self.solve(f, g, x, y);
        }
        let job = Job { rhs, x, y };
        let schur = self.schur.as_mut();
        let solved =
            schur.and_then(|schur| schur.factor_and_solve(&self.system, job, GOOD.componentwise));
        if let Some(good) = solved {
            self.active = Active::Schur;
            // Every number has a part in pivots, solution or rows: had one not been finite, one of these would not be.
            if good {
                self.proven = true;
                self.counters.factorizations += 1;
                self.counters.solves += 1;
                return Ok(());
            }
        }
        let by_schur = self.active == Active::Schur;
        self.active = Active::None;
        self.system.check_finite()?;
        if by_schur {
            self.counters.factorizations += 1;
            self.active = Active::Schur;
        } else {
            self.factor_loaded(false)?;
        }
        self.solve(f, g, x, y)
    }

    pub(super) fn check_lengths(
        &self,
        rhs: RightHandSide,
        x: &[f64],
        y: &[f64],
    ) -> Result<(), KktError> {
        let (n, m) = (self.system.n, self.system.m);
        if let Some(f) = rhs.f {
            check_len("f", n, f.len())?;
        }
        check_len("c", m, rhs.c.len())?;
        check_len("x", n, x.len())?;
        check_len("y", m, y.len())
    }

    /// Rows without entries contradict what their right-hand side asks for, unless it is round-off.
    fn check_idle(&mut self, c: &[f64]) -> Result<(), KktError> {
        if self.system.idle.iter().all(|&row| c[row] == 0.0) {
            return Ok(());
        }
        let bound = self.check.round_off(&self.system, &self.z);
        let mut rows = self.system.idle.clone();
        rows.retain(|&row| c[row].abs() > bound);
        if rows.is_empty() {
            return Ok(());
        }
        let residual = rows
            .iter()
            .fold(0.0, |max: f64, &row| max.max(c[row].abs()));
        Err(KktError::Inconsistent { rows, residual })
    }

    /// Leaves a path that failed in `solve`.
    fn next_path(&mut self, error: KktError) -> Result<(), KktError> {
        let failed = std::mem::replace(&mut self.active, Active::None);
        // What was proven were other factors.
        self.proven = false;
        // A contradiction is a property of the input, not of the path.
        if matches!(failed, Active::Robust | Active::General)
            || matches!(error, KktError::Inconsistent { .. })
        {
            self.active = failed;
            return Err(error);
        }
        self.counters.fallbacks += 1;
        let again = match failed {
            Active::Diagonal | Active::Bodies if self.dense.is_none() => {
                self.eliminate(Rule::PivotRule)
            }
            Active::Diagonal | Active::Bodies | Active::Schur => self.factor_dense(),
            Active::Elimination(Rule::PivotRule) => self.eliminate(Rule::VariablesFirst),
            _ => false,
        };
        let next = if again {
            Ok(())
        } else {
            self.factor_robust("no acceptable backward error")
        };
        match next {
            // That the robust path is out of reach is no news: the first error says more.
            Err(KktError::TooLarge { .. }) => Err(error),
            Err(other) => Err(other),
            Ok(()) => {
                self.list_idle();
                Ok(())
            }
        }
    }

    /// Solves `K z = rhs` on the active path and verifies the result.
    fn solve_active(&mut self) -> Result<(), KktError> {
        self.substitute(Target::Solution);
        if !self.null_space.is_empty() {
            return self.finish_deficient();
        }
        self.verify()
    }

    /// Measures a solution in all rows, and refines it once if that is needed.
    fn verify(&mut self) -> Result<(), KktError> {
        self.check.measure(&self.system, &self.rhs, &self.z);
        if self.check.passes(&self.system, &self.z, &GOOD) {
            // Without a search for pivots from block to block, a solution says nothing about blocks that it leaves at rest.
            self.proven = match self.active {
                Active::Dense => true,
                Active::Bodies | Active::Elimination(_) => self.check.moves_all_blocks(&self.z),
                _ => false,
            };
            return Ok(());
        }
        self.refine();
        if self.check.passes(&self.system, &self.z, &ACCEPTABLE) {
            return Ok(());
        }
        let backward_error = self.check.backward_error();
        Err(KktError::Inaccurate { backward_error })
    }

    /// Least-norm multipliers, then the checks with redundant rows.
    fn finish_deficient(&mut self) -> Result<(), KktError> {
        let n = self.system.n;
        // Least norm, refined, and projected again: refinement brings null directions back.
        self.null_space.project(&mut self.z[n..]);
        self.check.measure(&self.system, &self.rhs, &self.z);
        self.refine();
        self.null_space.project(&mut self.z[n..]);
        self.check.measure(&self.system, &self.rhs, &self.z);
        let (rows, residual) = self.check.violated(&self.system, &self.z, n, &CONSISTENT);
        // Contradictions as small as the right-hand sides' round-off are none.
        if !rows.is_empty() && residual > self.round_off.of(self.system.c_values()) {
            return Err(KktError::Inconsistent { rows, residual });
        }
        let (forces, _) = self
            .check
            .violated(&self.system, &self.z, 0, &ACCEPTABLE_DEFICIENT);
        if forces.iter().all(|&i| i >= n) {
            return Ok(());
        }
        let backward_error = self.check.backward_error();
        Err(KktError::Inaccurate { backward_error })
    }

    /// One step of iterative refinement from the residual just measured.
    fn refine(&mut self) {
        self.counters.refinements += 1;
        self.substitute(Target::Correction);
        for (z, step) in self.z.iter_mut().zip(&self.step) {
            *z += step;
        }
        self.check.measure(&self.system, &self.rhs, &self.z);
    }

    pub(super) fn substitute(&mut self, target: Target) {
        let (rhs, z) = match target {
            Target::Solution => (&self.rhs[..], &mut self.z[..]),
            Target::Correction => (self.check.residual(), &mut self.step[..]),
        };
        match self.active {
            Active::None => {}
            Active::Diagonal => {
                if let Some(diagonal) = &self.diagonal {
                    // What is not finite shows where it is measured.
                    diagonal.solve(rhs, z);
                }
            }
            Active::Bodies => {
                if let Some(bodies) = &mut self.bodies {
                    let (f, c) = rhs.split_at(self.system.n);
                    let (x, y) = z.split_at_mut(self.system.n);
                    // What is not finite shows where it is measured.
                    bodies.solve(&self.system, RightHandSide { f: Some(f), c }, x, y);
                }
            }
            Active::Schur => {
                if let Some(schur) = &mut self.schur {
                    let (f, c) = rhs.split_at(self.system.n);
                    let (x, y) = z.split_at_mut(self.system.n);
                    let rhs = RightHandSide { f: Some(f), c };
                    schur.solve(Job { rhs, x, y });
                }
            }
            Active::Dense => {
                if let Some(dense) = &mut self.dense {
                    dense.solve(rhs, z);
                }
            }
            Active::Elimination(rule) => {
                if let Some(elimination) = &mut self.eliminations[rule as usize] {
                    let (f, c) = rhs.split_at(self.system.n);
                    let (x, y) = z.split_at_mut(self.system.n);
                    elimination.solve(RightHandSide { f: Some(f), c }, x, y);
                }
            }
            Active::General => {
                if let Some(general) = &self.general {
                    general.solve(self.check.known_scaling(), rhs, z);
                }
            }
            Active::Robust => {
                if let Some(robust) = &mut self.robust {
                    robust.solve(self.check.known_scaling(), rhs, z);
                }
            }
        }
    }
}

pub(super) fn check_right_hand_side(rhs: RightHandSide) -> Result<(), KktError> {
    check_vector("f", rhs.f.unwrap_or_default())?;
    check_vector("c", rhs.c)
}
