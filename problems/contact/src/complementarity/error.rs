//! Why a complementarity problem was refused or not solved.

use thiserror::Error;

use super::options::LcpMethod;

/// Why [`super::LcpSolver::solve`] has no solution to offer.
///
/// ```
/// use liedae_contact::complementarity::{LcpError, LcpSolver, RowKind};
///
/// // A contact that closes with 1 m/s, and nothing that its force moves.
/// let mut solver = LcpSolver::default();
/// match solver.solve(&[0.0], &[-1.0], &[RowKind::Unilateral]) {
///     Err(LcpError::Infeasible { ray, descent }) => assert!(ray[0] > 0.0 && descent < 0.0),
///     other => panic!("nothing opens it: {other:?}"),
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum LcpError {
    /// A length does not fit the number of kinds, which is the dimension `n`.
    #[error("{what}: expected {expected} numbers, found {found}")]
    Dimension {
        /// The offending argument, `"matrix"` or `"vector"`.
        what: &'static str,
        /// The length that would have fitted.
        expected: usize,
        /// The length that was given.
        found: usize,
    },
    /// An input is NaN or infinite.
    #[error("{which} is not finite at ({row}, {col})")]
    NonFinite {
        /// The argument, `"matrix"` or `"vector"`.
        which: &'static str,
        /// Row of the first such entry.
        row: usize,
        /// Column of the first such entry (0 for the vector).
        col: usize,
    },
    /// An option lies outside its range.
    #[error("option {option} = {value} must be {range}")]
    Option {
        /// Name of the field of [`super::LcpOptions`].
        option: &'static str,
        /// Its value.
        value: f64,
        /// The values it may have.
        range: &'static str,
    },
    /// The bilateral rows contradict each other: a combination of them vanishes on the left-hand side, but not in `b`.
    #[error("the bilateral rows {rows:?} contradict each other (scaled residual {residual:e})")]
    Inconsistent {
        /// The rows that take part, counted from 0.
        rows: Vec<usize>,
        /// What the combination leaves of `b`, in scaled units (the largest scaled `|b_i|` is about 1).
        residual: f64,
    },
    /// No `z` satisfies even the inequalities. The ray is Farkas' certificate: `v_i >= 0` on unilateral rows, `A^T v <= 0` (`= 0`
    /// on bilateral rows), `b^T v < 0`, so that `v^T (A z + b) < 0` for every `z` that is non-negative on unilateral rows.
    #[error("no z satisfies z >= 0, A z + b >= 0 (a ray proves it, b^T ray = {descent:e})")]
    Infeasible {
        /// The certificate `v`, of length `n` and largest entry 1 in scaled units.
        ray: Vec<f64>,
        /// `b^T v`, negative, in the units of the problem.
        descent: f64,
    },
    /// No method found a solution, and none proved that there is none. For a matrix that is neither positive
    /// semidefinite nor a P-matrix there may be none, or the methods do not reach it.
    #[error("none of {tried:?} found a solution (best scaled residual {residual:e})")]
    Unsolved {
        /// The methods that were tried, in their order.
        tried: Vec<LcpMethod>,
        /// Smallest scaled residual of a rejected candidate; infinite if there was none.
        residual: f64,
        /// Direction of the secondary ray in which Lemke's method ended, if it did: `A z + b` with `z` far along this ray comes
        /// no closer to a solution.
        ray: Option<Vec<f64>>,
    },
    /// A program over cones of friction whose barrier method did not arrive: limits that differ by too many orders of magnitude.
    #[error("the forces within cones of friction were not found (squared decrement {decrement:e})")]
    Uncentred {
        /// Square of the last decrement of Newton's method, which is to be less than 0.25.
        decrement: f64,
    },
}
