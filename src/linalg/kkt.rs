//! The one solver for saddle-point systems.

mod factorization;
mod solution;
mod unverified;

use super::blocks::Blocks;
use super::bodies::{self, RigidBodies};
use super::dense::{self, DenseLu};
use super::diagonal::Diagonal;
use super::elimination::Elimination;
use super::error::KktError;
use super::general::GeneralLu;
use super::nullspace::NullSpace;
use super::ordering::Rule;
use super::pattern::Pattern;
use super::rank_revealing_qr::RankRevealingQr;
use super::schur::SchurComplement;
use super::system::System;
use super::verify::Check;
use crate::scalar::largest;

/// Up to this many unknowns (one body and its joints, or some plane ones) [`Method::Automatic`] is dense.
pub(crate) const ALWAYS_DENSE: usize = 16;

/// Beyond this many unknowns the fallbacks of the elimination by bodies are allocated only when they are needed.
const MANY: usize = 1000;

/// Which factorization to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// The one of the methods below with the least estimated time for these patterns and blocks. Specialized factorizations come
    /// first where they apply: for diagonal `A` without constraint rows its inverse, for chains and trees of rigid bodies the
    /// elimination of their joints, for small systems the Schur complement of a symmetric positive definite `A`.
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
    Diagonal,
    Bodies,
    Schur,
    Dense,
    Elimination(Rule),
    Robust,
    /// Sparse LU with partial pivoting, beyond the size of the robust path.
    General,
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
/// positive definite and small, or consists of the masses of rigid bodies, which may be a little unsymmetric, and no pivot is doubtful,
/// `x = A⁻¹ (f + Bᵀ y)` holds to round-off, and the rows of `C` alone are checked.
///
/// - Redundant constraint rows are those whose pivot is below about 1e-12 of the terms it is summed
///   from. The pivot is quadratic in the rows, so rows dependent within about 1e-6 of their size
///   count as redundant. They are listed by [`KktSolver::redundant_rows`].
/// - Rows without entries in `B` and `C`, which the caller left out, are redundant and have `y = 0`. They need no rank decision
///   and no null vector.
/// - Redundant rows whose right-hand sides contradict the others by more than 1e-6 of their terms
///   give [`KktError::Inconsistent`], unless that is round-off ([`KktSolver::expect_round_off`]).
/// - `A` may be singular as long as it is regular on the null space of `C`; otherwise
///   [`KktError::Singular`].
/// - If `B` and `C` have different rank, the matrix has either undetermined `x`
///   ([`KktError::Singular`]), or a right-hand side that is not in its range
///   ([`KktError::Inconsistent`]).
///
/// # Limits
/// The last resort is a rank-revealing dense QR up to 1200 unknowns. Beyond, it is faer's sparse LU with partial pivoting. It
/// solves large systems with singular blocks (massless coordinates), but does not identify redundant rows: with a singular matrix
/// the verification fails and the error is [`KktError::Inaccurate`]. The sparse path keeps an orthonormal basis of the
/// undetermined multipliers, `m` numbers for each redundant row and at most 2^24 in all; its cost is quadratic in the number of
/// redundant rows.
///
/// # Memory
/// `new` allocates; `factor` and `solve` do not, except on the way to a robust path or with redundant rows, and for the workspace
/// of block products in the first large dense factorization of a thread.
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
    diagonal: Option<Diagonal>,
    bodies: Option<Box<dyn RigidBodies>>,
    /// Tried before `dense`.
    schur: Option<SchurComplement>,
    dense: Option<DenseLu>,
    /// Indexed by `Rule`; the second one is built when first needed.
    eliminations: [Option<Elimination>; 2],
    robust: Option<RankRevealingQr>,
    general: Option<GeneralLu>,
    /// The order by claims failed and the safe one did not: do not try the former again.
    prefer_variables_first: bool,
    active: Active,
    /// Whether a solution with these factors has passed the check without refinement.
    proven: bool,
    check: Check,
    null_space: NullSpace,
    redundant: Vec<usize>,
    rhs: Vec<f64>,
    z: Vec<f64>,
    step: Vec<f64>,
    /// Round-off of the right-hand sides of constraint rows.
    round_off: KnownTo,
    counters: Counters,
}

/// The round-off of right-hand sides of constraint rows.
#[derive(Clone, Copy, Debug)]
enum KnownTo {
    /// This size.
    Rows(f64),
    /// This size times the largest entry of C, where that is larger than one. The entries of C are read only when the value is
    /// needed, since the list is long.
    Values(f64),
}

impl KnownTo {
    fn of(self, c_values: &[f64]) -> f64 {
        match self {
            Self::Rows(size) => size,
            Self::Values(size) => size * largest(c_values).max(1.0),
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    factorizations: usize,
    solves: usize,
    refinements: usize,
    fallbacks: usize,
}

/// Right-hand sides below this are treated as zero.
pub(super) const TINY: f64 = 1e-120;

/// A number of a right-hand side. Unknowns that are not much smaller than [`TINY`] are flushed to zero, and would
/// look inaccurate.
#[inline]
pub(super) fn flushed(value: f64) -> f64 {
    // Written so that NaN stays.
    if value.abs() < TINY { 0.0 } else { value }
}

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
        let (diagonal, bodies) = match method {
            Method::Automatic => (Diagonal::new(&system), bodies::new(&system, blocks)),
            _ => (None, None),
        };
        // Of many bodies, whose own elimination seldom fails, what follows then is made when it is needed.
        let later = bodies.is_some() && size > MANY;
        let elimination =
            (!never && !later).then(|| Elimination::new(&system, blocks, Rule::PivotRule));
        // The estimate decides, not the size: it depends on the blocks which path is cheaper.
        let elimination = elimination.filter(|elimination| {
            method == Method::Sparse || elimination.nanoseconds() < dense::nanoseconds(size)
        });
        let dense = elimination.is_none() && !later;
        // A diagonal A that `Diagonal` refuses is not positive definite: the Schur complement would refuse it, too.
        let schur = if dense && method == Method::Automatic && diagonal.is_none() {
            SchurComplement::new(&system)
        } else {
            None
        };
        Ok(Self {
            diagonal,
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
            round_off: KnownTo::Rows(0.0),
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

    /// Sets the round-off of the right-hand sides of constraint rows: dependent rows that differ by less are consistent. Zero by
    /// default.
    pub fn expect_round_off(&mut self, size: f64) {
        self.round_off = KnownTo::Rows(size);
    }

    /// The same, times the largest entry of C if that is larger than one: for round-off of the arguments of rows.
    pub(crate) fn expect_rounded_values(&mut self, size: f64) {
        self.round_off = KnownTo::Values(size);
    }

    /// The values of `B` at the last factorization.
    pub fn jacobian(&self) -> &[f64] {
        &self.system.b_values
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

    /// The number of entries of the block factors, fill-in included; `None` if the regular path is dense.
    pub fn factor_entries(&self) -> Option<usize> {
        self.eliminations[Rule::PivotRule as usize]
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

    /// Whether a solution with these factors was checked and passed without refinement.
    #[cfg(test)]
    pub(super) fn is_proven(&self) -> bool {
        self.proven
    }

    /// How often the solver has fallen back to a more robust path.
    pub fn fallbacks(&self) -> usize {
        self.counters.fallbacks
    }
}
