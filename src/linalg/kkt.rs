//! The one solver for saddle-point systems.

use super::blocks::Blocks;
use super::bodies::{self, RigidBodies};
use super::dense::{self, DenseLu};
use super::elimination::{Elimination, Outcome};
use super::error::{KktError, check_len};
use super::general::GeneralLu;
use super::nullspace::NullSpace;
use super::ordering::Rule;
use super::pattern::Pattern;
use super::robust::{ROBUST_LIMIT, RobustQr};
use super::schur::SchurComplement;
use super::system::{System, all_finite, check_vector};
use super::verify::{ACCEPTABLE, ACCEPTABLE_DEFICIENT, CONSISTENT, Check, GOOD};

/// Up to this many unknowns (one body and its joints, or some plane ones) [`Method::Automatic`] is dense.
const ALWAYS_DENSE: usize = 16;

/// Beyond this many unknowns [`Method::Automatic`] is never dense.
const NEVER_DENSE: usize = 1000;

/// Largest number of entries (dimension times `m`) of a null space kept by the sparse path.
const NULL_SPACE_LIMIT: usize = 1 << 24;

/// Which factorization to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Whichever of the others is estimated to be faster for these patterns and blocks. Before them, where they can be used: for
    /// chains and trees of rigid bodies the elimination of their joints, for small systems the Schur complement of a symmetric
    /// positive definite `A`.
    #[default]
    Automatic,
    /// Dense LU with partial pivoting, `O((n + m)^3)`.
    Dense,
    /// Block LU on the body-joint graph; linear in the number of bodies for chains and trees.
    Sparse,
}

/// The factorization that `solve` uses.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Active {
    None,
    Bodies,
    Schur,
    Dense,
    Elimination(Rule),
    Robust,
    /// Sparse LU with partial pivoting, beyond the size of the robust path.
    General,
}

/// What a substitution computes: `z` from the right-hand side, or a correction from the residual.
#[derive(Clone, Copy)]
enum Target {
    Solution,
    Correction,
}

/// The one solver for
///
/// ```text
/// [ A   -B^T ] [x]   [f]        A  n x n  mass matrix or Newton matrix, any symmetry
/// [ C    0   ] [y] = [c]        B  m x n  left Jacobian,  C  m x n  right Jacobian
/// ```
///
/// In mechanics `x` are accelerations, `y` multipliers, `A = M` and `B = C = G`; half-explicit
/// methods have `B = G_i` and `C = G_{i+1}`.
///
/// # The rule
/// Whatever path is taken, `x` is the unique solution and `y` the multipliers of least Euclidean
/// norm. Every solution is checked against the matrix (scaled backward error), refined once if
/// needed, and recomputed by a rank-revealing path before an error is returned. Where `A` is symmetric
/// positive definite and small, or consists of the masses of rigid bodies, and no pivot is doubtful,
/// `x = A⁻¹ (f + Bᵀ y)` holds to round-off, and the rows of `C` alone are checked.
///
/// - Redundant constraint rows are those whose pivot is below about 1e-12 of the terms it is summed
///   from. The pivot is quadratic in the rows, so rows dependent within about 1e-6 of their size
///   count as redundant. They are listed by [`KktSolver::redundant_rows`].
/// - Rows without entries in `B` and `C` (left out by who states the matrix) are redundant and have `y = 0`. They cost
///   no rank decision and no null vector.
/// - Redundant rows whose right-hand sides contradict the others by more than 1e-6 of their terms
///   give [`KktError::Inconsistent`], unless that is round-off ([`KktSolver::expect_round_off`]).
/// - `A` may be singular as long as it is regular on the null space of `C`; otherwise
///   [`KktError::Singular`].
/// - If `B` and `C` have different rank, the matrix has either undetermined `x`
///   ([`KktError::Singular`]), or a right-hand side that is not in its range
///   ([`KktError::Inconsistent`]).
///
/// # Limits
/// The last resort is a rank-revealing dense QR up to 1200 unknowns. Beyond, it is faer's sparse LU with partial
/// pivoting, which solves large systems with blocks that are singular by themselves (massless coordinates) but does not
/// tell which rows are redundant: where it meets a singular matrix the verification fails and the error is
/// [`KktError::Inaccurate`]. The sparse path keeps an orthonormal basis of the undetermined multipliers, `m` numbers
/// for each redundant row and at most 2^24 in all; its cost is quadratic in the number of redundant rows.
///
/// # Memory
/// `new` allocates; `factor` and `solve` do not, except on the way to a robust path or with
/// redundant rows.
///
/// # Example
/// A unit mass in the plane that is bound to the line x = y, pulled by a force along x:
///
/// ```
/// use liedae::linalg::{Blocks, KktSolver, Pattern};
///
/// let (mass, row) = (Pattern::diagonal(2), Pattern::dense(1, 2));
/// let blocks = Blocks { variables: vec![2], rows: vec![1] };
/// let mut solver = KktSolver::new(&mass, &row, &row, &blocks)?;
/// solver.factor(&[1.0, 1.0], &[1.0, -1.0], &[1.0, -1.0])?;
/// let (mut acceleration, mut multiplier) = ([0.0; 2], [0.0; 1]);
/// solver.solve(&[1.0, 0.0], &[0.0], &mut acceleration, &mut multiplier)?;
/// assert!((acceleration[0] - 0.5).abs() < 1e-15 && (acceleration[1] - 0.5).abs() < 1e-15);
/// assert!((multiplier[0] + 0.5).abs() < 1e-15); // M a = f + Gᵀ λ
/// # Ok::<(), liedae::linalg::KktError>(())
/// ```
pub struct KktSolver {
    system: System,
    blocks: Blocks,
    /// Tried before all others.
    bodies: Option<Box<dyn RigidBodies>>,
    /// Tried before `dense`.
    schur: Option<SchurComplement>,
    dense: Option<DenseLu>,
    /// Indexed by `Rule`; the second one is built when first needed.
    eliminations: [Option<Elimination>; 2],
    robust: Option<RobustQr>,
    general: Option<GeneralLu>,
    /// The claims order failed where the safe one did not: do not try it again.
    prefer_variables_first: bool,
    active: Active,
    /// Whether the factors have given a solution that passed the check at once.
    proven: bool,
    check: Check,
    null_space: NullSpace,
    redundant: Vec<usize>,
    rhs: Vec<f64>,
    z: Vec<f64>,
    step: Vec<f64>,
    /// Round-off of the right-hand sides of constraint rows.
    round_off: f64,
    counters: Counters,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    factorizations: usize,
    solves: usize,
    refinements: usize,
    fallbacks: usize,
}

/// What round-off leaves of the terms of a constraint row that come from masses and forces.
const ROUND_OFF: f64 = 1e-14;

/// Right-hand sides below this are none.
pub(super) const TINY: f64 = 1e-120;

impl KktSolver {
    /// Symbolic phase with [`Method::Automatic`].
    ///
    /// # Errors
    /// [`KktError::Dimension`] if the shapes (`A` n x n, `B` and `C` m x n, blocks summing to n and
    /// m) do not fit.
    pub fn new(a: &Pattern, b: &Pattern, c: &Pattern, blocks: &Blocks) -> Result<Self, KktError> {
        Self::with_method(a, b, c, blocks, Method::Automatic)
    }

    /// Symbolic phase with a chosen method.
    ///
    /// # Errors
    /// As [`KktSolver::new`].
    pub fn with_method(
        a: &Pattern,
        b: &Pattern,
        c: &Pattern,
        blocks: &Blocks,
        method: Method,
    ) -> Result<Self, KktError> {
        let system = System::new(a, b, c)?;
        blocks.check(system.n, system.m)?;
        let size = system.size();
        let never =
            method == Method::Dense || (method == Method::Automatic && size <= ALWAYS_DENSE);
        let bodies = match method {
            Method::Automatic => bodies::new(&system, blocks),
            _ => None,
        };
        // Of many bodies, whose own elimination seldom fails, what follows then is made when it is needed.
        let later = bodies.is_some() && size > NEVER_DENSE;
        let elimination =
            (!never && !later).then(|| Elimination::new(&system, blocks, Rule::Claims));
        // The estimate decides, not the size: it depends on the blocks which path is cheaper.
        let elimination = elimination.filter(|elimination| {
            method == Method::Sparse
                || size > NEVER_DENSE
                || elimination.nanoseconds() < dense::nanoseconds(size)
        });
        let dense = elimination.is_none() && !later;
        let schur = if dense && method == Method::Automatic {
            SchurComplement::new(&system)
        } else {
            None
        };
        Ok(Self {
            bodies,
            schur,
            dense: dense.then(|| DenseLu::new(&system)),
            eliminations: [elimination, None],
            robust: None,
            general: None,
            prefer_variables_first: false,
            active: Active::None,
            proven: false,
            check: Check::new(blocks),
            null_space: NullSpace::new(system.m),
            redundant: Vec::with_capacity(system.m),
            rhs: vec![0.0; size],
            z: vec![0.0; size],
            step: vec![0.0; size],
            round_off: 0.0,
            counters: Counters::default(),
            blocks: blocks.clone(),
            system,
        })
    }

    /// Number of variables `n`.
    pub fn variables(&self) -> usize {
        self.system.n
    }

    /// Number of constraint rows `m`.
    pub fn rows(&self) -> usize {
        self.system.m
    }

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
        self.system.check_finite()?;
        self.factor_loaded(true)
    }

    /// Takes another matrix over.
    fn load(&mut self, a: &[f64], b: &[f64], c: &[f64]) -> Result<(), KktError> {
        self.active = Active::None;
        self.proven = false;
        self.check.reset();
        self.redundant.clear();
        self.null_space.clear();
        self.system.load(a, b, c)
    }

    /// Factors the matrix that has been taken over; by the Schur complement if that has not been tried.
    fn factor_loaded(&mut self, by_schur: bool) -> Result<(), KktError> {
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
    fn list_idle(&mut self) {
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
        if let Some(bodies) = &mut self.bodies
            && bodies.factor(&self.system)
        {
            self.active = Active::Bodies;
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
            if self.eliminate(Rule::Claims) {
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
    fn factor_dense(&mut self) -> bool {
        let factored = self
            .dense
            .as_mut()
            .is_some_and(|dense| dense.factor(&self.system));
        if factored {
            self.active = Active::Dense;
        }
        factored
    }

    /// Solves for `x` (length n) and `y` (length m) with right-hand sides `f` and `c`.
    ///
    /// # Errors
    /// [`KktError::NotFactored`], [`KktError::Dimension`], [`KktError::NonFinite`],
    /// [`KktError::Inconsistent`], [`KktError::Singular`], [`KktError::Inaccurate`],
    /// [`KktError::TooLarge`]. After an error `x` and `y` are unchanged.
    pub fn solve(
        &mut self,
        f: &[f64],
        c: &[f64],
        x: &mut [f64],
        y: &mut [f64],
    ) -> Result<(), KktError> {
        self.check_lengths(f, c, x, y)?;
        if self.active == Active::None {
            return Err(KktError::NotFactored);
        }
        self.take_right_hand_side(f, c);
        // As in `factor_and_solve`: a solution says that its right-hand side is finite.
        if self.active == Active::Schur {
            self.substitute(Target::Solution);
            if self.constraints_suffice() {
                self.counters.solves += 1;
                self.give_solution(x, y);
                return Ok(());
            }
        }
        check_right_hand_side(f, c)?;
        self.counters.solves += 1;
        // Each failure leads to a more robust path, until one succeeds or none is left.
        while let Err(error) = self.solve_active() {
            self.next_path(error)?;
        }
        self.check_idle(c)?;
        self.give_solution(x, y);
        Ok(())
    }

    fn take_right_hand_side(&mut self, f: &[f64], c: &[f64]) {
        let n = self.system.n;
        // Unknowns that are not much smaller than this are flushed to zero, and would look inaccurate.
        let flushed = |value: f64| if value.abs() < TINY { 0.0 } else { value };
        let (upper, lower) = self.rhs.split_at_mut(n);
        for (slot, &value) in upper.iter_mut().zip(f) {
            *slot = flushed(value);
        }
        for (slot, &value) in lower.iter_mut().zip(c) {
            *slot = flushed(value);
        }
        // Idle rows read 0 x + y = 0; what was asked of them is checked at the end.
        for &row in &self.system.idle {
            self.rhs[n + row] = 0.0;
        }
    }

    fn give_solution(&self, x: &mut [f64], y: &mut [f64]) {
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
        if self.schur.is_none()
            || self.bodies.is_some()
            || (self.active != Active::None && self.system.holds(a, b, c))
        {
            self.factor(a, b, c)?;
            return self.solve(f, g, x, y);
        }
        self.load(a, b, c)?;
        self.check_lengths(f, g, x, y)?;
        self.take_right_hand_side(f, g);
        if let Some(schur) = &mut self.schur
            && schur.factor_and_solve(&self.system, &self.rhs, &mut self.z)
        {
            self.active = Active::Schur;
            // Every number has a part in pivots, solution or rows: had one not been finite, one of these would not be.
            if self.constraints_suffice() {
                self.counters.factorizations += 1;
                self.counters.solves += 1;
                self.give_solution(x, y);
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

    /// As [`KktSolver::solve`], for corrections of an iteration that judges itself by what is left: once the factors
    /// have given one solution that is as good as round-off allows, further right-hand sides are not measured against the
    /// matrix any more, but for being finite. How large an elimination lets numbers grow is a property of its factors: it is
    /// backward stable for all right-hand sides or for none.
    ///
    /// # Errors
    /// As [`KktSolver::solve`].
    pub fn solve_again(
        &mut self,
        f: &[f64],
        c: &[f64],
        x: &mut [f64],
        y: &mut [f64],
    ) -> Result<(), KktError> {
        let n = self.system.n;
        if !self.proven || !self.system.idle.is_empty() || !self.null_space.is_empty() {
            return self.solve(f, c, x, y);
        }
        self.check_lengths(f, c, x, y)?;
        check_right_hand_side(f, c)?;
        self.rhs[..n].copy_from_slice(f);
        self.rhs[n..].copy_from_slice(c);
        self.substitute(Target::Solution);
        if !all_finite(&self.z) {
            return self.solve(f, c, x, y);
        }
        self.counters.solves += 1;
        self.give_solution(x, y);
        Ok(())
    }

    /// `x = A⁻¹ (f + Bᵀ y)`: what these right-hand sides and multipliers make of the variables. False, and nothing done, where the
    /// factorization in use does not know `A⁻¹`.
    pub(crate) fn balance(&mut self, f: &[f64], y: &[f64], x: &mut [f64]) -> bool {
        let (Active::Bodies, Some(bodies)) = (self.active, &mut self.bodies) else {
            return false;
        };
        bodies.balance(&self.system, f, y, x);
        true
    }

    fn check_lengths(&self, f: &[f64], c: &[f64], x: &[f64], y: &[f64]) -> Result<(), KktError> {
        let (n, m) = (self.system.n, self.system.m);
        check_len("f", n, f.len())?;
        check_len("c", m, c.len())?;
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

    /// Says that the right-hand sides of constraint rows are known up to this size only: dependent rows that contradict each other
    /// by less do not. Zero at first.
    pub fn expect_round_off(&mut self, size: f64) {
        self.round_off = size;
    }

    /// Constraint rows found dependent on the others at the last factorization, increasing.
    pub fn redundant_rows(&self) -> &[usize] {
        &self.redundant
    }

    /// Number of independent constraint rows at the last factorization.
    pub fn rank(&self) -> usize {
        self.system.m - self.redundant.len()
    }

    /// Whether the regular path is the dense one.
    pub fn is_dense(&self) -> bool {
        self.dense.is_some()
    }

    /// Numbers that the block factors consist of, fill-in included; `None` where the regular path is dense.
    pub fn factor_entries(&self) -> Option<usize> {
        self.eliminations[Rule::Claims as usize]
            .as_ref()
            .map(Elimination::entries)
    }

    /// Calls of `factor` that passed the input checks and had another matrix than the one before.
    pub fn factorizations(&self) -> usize {
        self.counters.factorizations
    }

    /// Calls of `solve` that passed the input checks.
    pub fn solves(&self) -> usize {
        self.counters.solves
    }

    /// Steps of iterative refinement.
    pub fn refinements(&self) -> usize {
        self.counters.refinements
    }

    /// Times a path was left for a more robust one.
    pub fn fallbacks(&self) -> usize {
        self.counters.fallbacks
    }

    /// One block elimination; false if it cannot be used.
    fn eliminate(&mut self, rule: Rule) -> bool {
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
    fn factor_robust(&mut self, what: &'static str) -> Result<(), KktError> {
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
            Active::Bodies if self.dense.is_none() => self.eliminate(Rule::Claims),
            Active::Bodies | Active::Schur => self.factor_dense(),
            Active::Elimination(Rule::Claims) => self.eliminate(Rule::VariablesFirst),
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

    /// Whether a solution by the Schur complement needs to be measured in the constraint rows only, and is good there.
    fn constraints_suffice(&self) -> bool {
        let holds = |schur: &SchurComplement| {
            schur.is_above_suspicion()
                && schur.constraints_hold(&self.rhs, &self.z, GOOD.componentwise)
        };
        all_finite(&self.z) && self.schur.as_ref().is_some_and(holds)
    }

    /// Solves `K z = rhs` on the active path and verifies the result.
    fn solve_active(&mut self) -> Result<(), KktError> {
        self.substitute(Target::Solution);
        if !self.null_space.is_empty() {
            return self.finish_deficient();
        }
        if self.active == Active::Bodies && self.bodies_hold() {
            self.proven = self.check.moves_all_blocks(&self.z);
            return Ok(());
        }
        if self.active == Active::Schur && self.constraints_suffice() {
            return Ok(());
        }
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

    /// Whether a solution by bodies is as good as round-off allows, after one refinement at most.
    fn bodies_hold(&mut self) -> bool {
        let Some(bodies) = &mut self.bodies else {
            return false;
        };
        if !bodies.is_above_suspicion() || !all_finite(&self.z) {
            return false;
        }
        let (system, rhs, work) = (&self.system, &self.rhs, &mut self.step);
        if bodies.constraints_hold(system, rhs, &self.z, GOOD.componentwise)
            || bodies.terms_hold(system, rhs, &self.z, work, ROUND_OFF)
        {
            return true;
        }
        self.counters.refinements += 1;
        bodies.refine(system, rhs, &mut self.z, work);
        all_finite(&self.z) && bodies.terms_hold(system, rhs, &self.z, work, ROUND_OFF)
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
        if !rows.is_empty() && residual > self.round_off {
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

    fn substitute(&mut self, target: Target) {
        let (rhs, z) = match target {
            Target::Solution => (&self.rhs[..], &mut self.z[..]),
            Target::Correction => (self.check.residual(), &mut self.step[..]),
        };
        match self.active {
            Active::None => {}
            Active::Bodies => {
                if let Some(bodies) = &mut self.bodies {
                    bodies.solve(&self.system, rhs, z);
                }
            }
            Active::Schur => {
                if let Some(schur) = &mut self.schur {
                    schur.solve(rhs, z);
                }
            }
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

fn check_right_hand_side(f: &[f64], c: &[f64]) -> Result<(), KktError> {
    check_vector("f", f)?;
    check_vector("c", c)
}
