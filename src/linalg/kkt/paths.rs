//! Which factorization is tried, and what follows where it fails.

use super::super::elimination::{Elimination, Outcome};
use super::super::error::KktError;
use super::super::general::GeneralLu;
use super::super::ordering::Rule;
use super::super::robust::{ROBUST_LIMIT, RobustQr};
use super::super::verify::{ACCEPTABLE, ACCEPTABLE_DEFICIENT, CONSISTENT, GOOD};
use super::{Active, KktSolver};

/// Largest number of entries (dimension times `m`) of a null space kept by the sparse path.
const NULL_SPACE_LIMIT: usize = 1 << 24;

/// What a substitution computes: `z` from the right-hand side, or a correction from the residual.
#[derive(Clone, Copy)]
pub(super) enum Target {
    Solution,
    Correction,
}

impl KktSolver {
    /// One block elimination; false if it cannot be used.
    pub(super) fn eliminate(&mut self, rule: Rule) -> bool {
        let (system, blocks) = (&self.system, &self.blocks);
        let elimination = self.eliminations[rule as usize]
            .get_or_insert_with(|| Elimination::new(system, blocks, rule));
        let usable = match elimination.factor(system) {
            Outcome::Regular => {
                self.redundant.clear();
                self.null_space.clear();
                true
            }
            Outcome::Failed => false,
            Outcome::Deficient => self.accept_deficiency(rule),
        };
        if usable {
            self.active = Active::Elimination(rule);
        }
        usable
    }

    /// Collects the null vectors of a deficient elimination; false unless all are redundancies.
    fn accept_deficiency(&mut self, rule: Rule) -> bool {
        self.redundant.clear();
        self.null_space.clear();
        let Some(elimination) = &mut self.eliminations[rule as usize] else {
            return false;
        };
        let (n, m) = (self.system.n, self.system.m);
        if elimination.deficiency().saturating_mul(m) > NULL_SPACE_LIMIT {
            return false;
        }
        for index in 0..elimination.deficiency() {
            let unknown = elimination.null_vector(index, &mut self.step);
            let Some(row) = unknown.and_then(|u| u.checked_sub(n)) else {
                return false;
            };
            // A pivot that later variables would have restored shows here: K z is not zero.
            if !self.check.is_null_vector(&self.system, &self.step)
                || !self.null_space.push(&self.step[n..])
            {
                return false;
            }
            self.redundant.push(row);
        }
        self.redundant.sort_unstable();
        true
    }

    /// Beyond the size of the rank-revealing path: partial pivoting, which the verification of solutions judges.
    fn factor_general(&mut self, what: &'static str) -> Result<(), KktError> {
        if self
            .general
            .as_ref()
            .is_none_or(|general| !general.fits(&self.system))
        {
            self.general = GeneralLu::new(&self.system);
        }
        let scaling = self.check.scaling(&self.system);
        let factored = match &mut self.general {
            Some(general) => general.factor(&self.system, scaling),
            None => false,
        };
        if !factored {
            let (size, limit) = (self.system.size(), ROBUST_LIMIT);
            return Err(KktError::TooLarge { what, size, limit });
        }
        self.active = Active::General;
        Ok(())
    }

    /// The rank-revealing path.
    pub(super) fn factor_robust(&mut self, what: &'static str) -> Result<(), KktError> {
        self.active = Active::None;
        self.redundant.clear();
        self.null_space.clear();
        let (n, size) = (self.system.n, self.system.size());
        if size > ROBUST_LIMIT {
            return self.factor_general(what);
        }
        let robust = self.robust.get_or_insert_with(|| RobustQr::new(size));
        let scaling = self.check.scaling(&self.system);
        robust.factor(&self.system, scaling);
        for index in 0..robust.dropped().len() {
            let scaling = self.check.scaling(&self.system);
            robust.null_vector(scaling, index, &mut self.step);
            let row = robust.dropped()[index].checked_sub(n);
            let pure = self.check.is_null_vector(&self.system, &self.step);
            match row {
                Some(row) if pure && self.null_space.push(&self.step[n..]) => {
                    self.redundant.push(row);
                }
                _ => {
                    let variables = self.check.support(&self.step[..n], 0);
                    let rows = self.check.support(&self.step[n..], n);
                    self.redundant.clear();
                    self.null_space.clear();
                    return Err(KktError::Singular {
                        what: "A is singular on the null space of the constraints",
                        rows,
                        variables,
                    });
                }
            }
        }
        self.redundant.sort_unstable();
        self.active = Active::Robust;
        Ok(())
    }

    /// Leaves a path that failed in `solve`.
    pub(super) fn next_path(&mut self, error: KktError) -> Result<(), KktError> {
        let failed = std::mem::replace(&mut self.active, Active::None);
        // A contradiction is a property of the input, not of the path.
        if matches!(failed, Active::Robust | Active::General)
            || matches!(error, KktError::Inconsistent { .. })
        {
            self.active = failed;
            return Err(error);
        }
        self.counters.fallbacks += 1;
        let next = if failed == Active::Elimination(Rule::Claims)
            && self.eliminate(Rule::VariablesFirst)
        {
            Ok(())
        } else {
            self.factor_robust("no acceptable backward error")
        };
        match next {
            Err(KktError::TooLarge { .. }) => Err(error),
            Err(other) => Err(other),
            Ok(()) => {
                self.list_idle();
                Ok(())
            }
        }
    }

    /// Solves `K z = rhs` on the active path and verifies the result.
    pub(super) fn solve_active(&mut self) -> Result<(), KktError> {
        self.substitute(Target::Solution);
        if !self.null_space.is_empty() {
            return self.finish_deficient();
        }
        self.check.measure(&self.system, &self.rhs, &self.z);
        if self.check.passes(&self.system, &self.z, &GOOD) {
            self.proven = self.active == Active::Dense;
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
        self.null_space.project(&mut self.z[n..]);
        self.check.measure(&self.system, &self.rhs, &self.z);
        self.refine();
        self.null_space.project(&mut self.z[n..]);
        self.check.measure(&self.system, &self.rhs, &self.z);
        let (rows, residual) = self.check.violated(&self.system, &self.z, n, &CONSISTENT);
        if !rows.is_empty() {
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
            Active::Dense => {
                if let Some(dense) = &mut self.dense {
                    dense.solve(rhs, z);
                }
            }
            Active::Elimination(rule) => {
                if let Some(elimination) = &mut self.eliminations[rule as usize] {
                    elimination.solve(rhs, z);
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
