//! Solutions and counters.

use serde::Serialize;

use super::options::LcpMethod;

/// Whether the `z` of a solution is the only one that belongs to its `w`.
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
