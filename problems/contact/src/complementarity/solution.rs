//! Solutions and counters.

use serde::Serialize;

use super::options::LcpMethod;

/// Whether the `z` of a solution is the only one that belongs to its `w`.
///
/// ```
/// use liedae_contact::complementarity::{LcpSolver, RowKind::Unilateral, Uniqueness};
///
/// // A weight on one support, and on two at the same place.
/// let mut solver = LcpSolver::default();
/// assert_eq!(solver.solve(&[1.0], &[-8.0], &[Unilateral])?.uniqueness, Uniqueness::Unique);
/// let shared = solver.solve(&[1.0; 4], &[-8.0; 2], &[Unilateral; 2])?;
/// assert_eq!(shared.uniqueness, Uniqueness::LeastNorm);
/// # Ok::<(), liedae_contact::complementarity::LcpError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Uniqueness {
    /// No other `z >= 0` gives this `w`.
    #[default]
    Unique,
    /// There are others; `z` has the least Euclidean norm among them.
    LeastNorm,
    /// There may be others; `z` is a basic solution, as the pivots had it. With [`super::LcpOptions::least_norm`] set this
    /// means that no more accurate least-norm solution was found.
    Basic,
}

/// A verified solution.
///
/// ```
/// use liedae_contact::complementarity::{LcpSolution, LcpSolver, RowKind::Unilateral};
///
/// // A weight of 8 N on two supports at the same place: each takes a half of it.
/// let mut solver = LcpSolver::default();
/// let LcpSolution { z, w, residual, .. } = solver.solve(&[1.0; 4], &[-8.0; 2], &[Unilateral; 2])?;
/// assert!(z.iter().all(|force| (force - 4.0).abs() < 1e-12));
/// assert!(*w == [0.0, 0.0] && *residual < 1e-12);
/// # Ok::<(), liedae_contact::complementarity::LcpError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LcpSolution {
    /// `z`, of length `n`: free on bilateral rows, `>= 0` on unilateral ones.
    pub z: Vec<f64>,
    /// `w`, of length `n`: 0 on bilateral rows; on unilateral ones `>= 0`, and 0 wherever `z_i > 0`.
    pub w: Vec<f64>,
    /// Scaled residual `|w - A z - b|`, see [`super::LcpSolver`].
    pub residual: f64,
    /// The method that found the active set.
    pub method: LcpMethod,
    /// Whether another `z` has the same `w`.
    pub uniqueness: Uniqueness,
    /// Bilateral rows that depend on the other bilateral rows.
    pub redundant_rows: Vec<usize>,
    /// Pivots of all methods that were tried.
    pub pivots: usize,
    /// Newton iterations or sweeps of all methods that were tried.
    pub iterations: usize,
    /// Changes of the active set while the solution was polished.
    pub corrections: usize,
    /// Methods that failed before.
    pub fallbacks: usize,
}

/// Counters over the life of a solver.
///
/// ```
/// use liedae_contact::complementarity::{LcpSolver, LcpStatistics, RowKind::Unilateral};
///
/// // A contact that its force opens, and one that nothing opens.
/// let mut solver = LcpSolver::default();
/// assert!(solver.solve(&[2.0], &[-1.0], &[Unilateral]).is_ok());
/// assert!(solver.solve(&[0.0], &[-1.0], &[Unilateral]).is_err());
/// let LcpStatistics { problems, solved, infeasible, .. } = *solver.statistics();
/// assert_eq!((problems, solved, infeasible), (2, 1, 1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LcpStatistics {
    /// Problems given to the solver, invalid ones left out.
    pub problems: usize,
    /// Problems with a verified solution.
    pub solved: usize,
    /// Problems proved to be infeasible, bilateral contradictions included.
    pub infeasible: usize,
    /// Pivots of all methods.
    pub pivots: usize,
    /// Newton iterations and sweeps.
    pub iterations: usize,
    /// Changes of active sets in polishing.
    pub corrections: usize,
    /// Attempts of a method that ended without an accepted solution.
    pub fallbacks: usize,
    /// Solutions that are not unique and of least norm.
    pub least_norm: usize,
    /// Solutions per method, in the order of [`LcpMethod::ALL`].
    pub answered: [usize; 4],
}
