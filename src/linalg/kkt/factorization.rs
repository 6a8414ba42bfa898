//! Which factorization serves, and what follows where one fails.

use super::{Active, KktSolver};
use crate::linalg::bodies::{Displacement, RigidBodies};
use crate::linalg::elimination::{Elimination, Outcome};
use crate::linalg::error::KktError;
use crate::linalg::general::GeneralLu;
use crate::linalg::ordering::Rule;
use crate::linalg::rank_revealing_qr::{ROBUST_LIMIT, RankRevealingQr};
use crate::linalg::system::{ExchangedJacobians, System};
use crate::linalg::versioned::{MatrixVersion, VersionedValues};

/// Largest number of entries (dimension times `m`) of a null space kept by the sparse path.
const NULL_SPACE_LIMIT: usize = 1 << 24;

impl KktSolver {
    /// Factors the matrix with these values, each slice of length `nnz` of its pattern. The factors of the last call stay where
    /// the values are the same, as for a constant mass matrix without constraints.
    ///
    /// # Errors
    /// [`KktError::Dimension`], [`KktError::NonFinite`], [`KktError::Singular`],
    /// [`KktError::TooLarge`]. After an error there is no factorization.
    pub fn factor(&mut self, a: &[f64], b: &[f64], c: &[f64]) -> Result<(), KktError> {
        if self.active != Active::None && self.system.holds(a, b, c) {
            return Ok(());
        }
        self.load(a, b, c)?;
        self.factor_checked()
    }

    /// [`KktSolver::factor`] for `B = C = G`, whose values change places with those of the Jacobian before unless they are the same.
    /// [`KktSolver::jacobian`] has them from then on.
    ///
    /// # Errors
    /// As [`KktSolver::factor`].
    pub fn factor_symmetric(&mut self, a: &[f64], g: &mut Vec<f64>) -> Result<(), KktError> {
        if self.active != Active::None && self.system.holds(a, g, g) {
            return Ok(());
        }
        self.take_one_jacobian((a, None), g)?;
        self.factor_checked()
    }

    /// [`KktSolver::factor_symmetric`] with the displacement of a step, for masses that may be constant: these are compared with others
    /// only. False where the factorization in use does not know `A⁻¹`; then x is of no use.
    ///
    /// # Errors
    /// As [`KktSolver::factor`].
    pub(crate) fn factor_and_displace(
        &mut self,
        a: &VersionedValues,
        g: &mut Vec<f64>,
        step: Displacement,
        x: &mut [f64],
    ) -> Result<bool, KktError> {
        if self.active != Active::None && self.system.holds(&a.values, g, g) {
            let (Active::Bodies, Some(bodies)) = (self.active, &self.bodies) else {
                return Ok(false);
            };
            bodies.displace(&self.system, step, x);
            return Ok(true);
        }
        self.take_one_jacobian((&a.values, a.number), g)?;
        self.factor_checked_by(|bodies, system| bodies.factor_and_displace(system, step, x))?;
        Ok(self.active == Active::Bodies)
    }

    fn take_one_jacobian(
        &mut self,
        a: (&[f64], Option<MatrixVersion>),
        g: &mut Vec<f64>,
    ) -> Result<(), KktError> {
        self.forget();
        self.system.exchange_jacobian(a, g)
    }

    /// [`KktSolver::factor`] for values of `A`, `B` and `C` that change places with those of the matrix before unless
    /// they are the same: for callers who fill their lists anew for every matrix. After an error they are back.
    ///
    /// # Errors
    /// As [`KktSolver::factor`].
    pub fn factor_exchanging(&mut self, [a, b, c]: [&mut Vec<f64>; 3]) -> Result<(), KktError> {
        if self.active != Active::None && self.system.holds(a, b, c) {
            return Ok(());
        }
        let mut jacobians = ExchangedJacobians::Two(b, c);
        self.exchange((a, &mut None), &mut jacobians, Self::factor_checked)
    }

    /// [`KktSolver::factor_exchanging`] for `B = C = G`. [`KktSolver::jacobian`] has the values of G from then on.
    ///
    /// # Errors
    /// As [`KktSolver::factor`].
    pub(crate) fn factor_symmetric_exchanging(
        &mut self,
        a: &mut Vec<f64>,
        g: &mut Vec<f64>,
    ) -> Result<(), KktError> {
        if self.active != Active::None && self.system.holds(a, g, g) {
            return Ok(());
        }
        let mut jacobians = ExchangedJacobians::One(g);
        self.exchange((a, &mut None), &mut jacobians, Self::factor_checked)
    }

    /// Does something with another matrix, whose values change places with those of the one before: back, if that fails.
    #[inline]
    pub(super) fn exchange(
        &mut self,
        (a, number): (&mut Vec<f64>, &mut Option<MatrixVersion>),
        jacobians: &mut ExchangedJacobians,
        work: impl FnOnce(&mut Self) -> Result<(), KktError>,
    ) -> Result<(), KktError> {
        self.forget();
        self.system.exchange((a, number), jacobians)?;
        // `Ok` is made anew: moving the outcome would read all the bytes that an error has, and wait for those that were just stored.
        let Err(error) = work(self) else {
            return Ok(());
        };
        self.forget();
        self.system.exchange((a, number), jacobians)?;
        Err(error)
    }

    /// Takes another matrix over.
    pub(super) fn load(&mut self, a: &[f64], b: &[f64], c: &[f64]) -> Result<(), KktError> {
        self.forget();
        self.system.load(a, b, c)
    }

    pub(super) fn forget(&mut self) {
        self.active = Active::None;
        self.proven = false;
        self.check.reset();
        self.redundant.clear();
        self.null_space.clear();
    }

    /// Factors the matrix that has been taken over, unless a value is not finite.
    pub(super) fn factor_checked(&mut self) -> Result<(), KktError> {
        self.factor_checked_by(|bodies, system| bodies.factor(system))
    }

    /// The same, where joints are eliminated in this way.
    pub(super) fn factor_checked_by(
        &mut self,
        by_bodies: impl FnOnce(&mut dyn RigidBodies, &System) -> bool,
    ) -> Result<(), KktError> {
        // Pivots of bodies tell themselves.
        if let Some(bodies) = &mut self.bodies
            && by_bodies(bodies.as_mut(), &self.system)
        {
            self.counters.factorizations += 1;
            self.active = Active::Bodies;
            return Ok(());
        }
        self.system.check_finite()?;
        self.factor_loaded(true)
    }

    /// Factors the matrix that has been taken over; by the Schur complement if that has not been tried.
    pub(super) fn factor_loaded(&mut self, by_schur: bool) -> Result<(), KktError> {
        self.counters.factorizations += 1;
        // The matrix as it is; rows without entries are looked for only if that fails.
        let regular = self.factor_regular(by_schur);
        // Rows without entries are left to no rank decision: they get a one on the diagonal. They are looked for where
        // the matrix without these ones is singular, and known from then on.
        let regular = if (!regular || !self.redundant.is_empty()) && self.system.find_idle() {
            self.active = Active::None;
            self.check.reset();
            self.factor_regular(false)
        } else {
            regular
        };
        if !regular {
            self.counters.fallbacks += 1;
            self.factor_robust("a pivot block is singular")?;
        }
        self.list_idle();
        Ok(())
    }

    /// Rows without entries are redundant.
    pub(super) fn list_idle(&mut self) {
        if !self.system.idle.is_empty() {
            self.redundant.extend_from_slice(&self.system.idle);
            self.redundant.sort_unstable();
            self.redundant.dedup();
        }
    }

    /// The Schur complement, the dense or the block factorization; false if none can be used.
    fn factor_regular(&mut self, by_schur: bool) -> bool {
        self.redundant.clear();
        self.null_space.clear();
        if let Some(diagonal) = &mut self.diagonal
            && diagonal.factor(&self.system)
        {
            self.active = Active::Diagonal;
            return true;
        }
        if by_schur
            && let Some(schur) = &mut self.schur
            && schur.factor(&self.system)
        {
            self.active = Active::Schur;
            return true;
        }
        if self.dense.is_some() {
            return self.factor_dense();
        }
        if !self.prefer_variables_first {
            if self.eliminate(Rule::PivotRule) {
                return true;
            }
            self.counters.fallbacks += 1;
        }
        if self.eliminate(Rule::VariablesFirst) {
            self.prefer_variables_first = true;
            return true;
        }
        false
    }

    /// The dense factorization; false if there is none.
    pub(super) fn factor_dense(&mut self) -> bool {
        let factored = self
            .dense
            .as_mut()
            .is_some_and(|dense| dense.factor(&self.system));
        if factored {
            self.active = Active::Dense;
        }
        factored
    }

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
        // Null vectors of so many rows would take more memory than the matrix.
        if elimination.deficiency().saturating_mul(m) > NULL_SPACE_LIMIT {
            return false;
        }
        for index in 0..elimination.deficiency() {
            let unknown = elimination.null_vector(index, &mut self.step);
            // A variable without pivot leaves x undetermined: the robust path must judge.
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
        let robust = self
            .robust
            .get_or_insert_with(|| RankRevealingQr::new(size));
        let scaling = self.check.scaling(&self.system);
        robust.factor(&self.system, scaling);
        // Each dropped column must be a multiplier whose null vector moves no x.
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
                        what: "the matrix of the linear system is singular",
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
}
