//! Linear and mixed linear complementarity problems, as contact and impact pose them.
//!
//! ```text
//! w = A z + b,   bilateral rows: z_i free, w_i = 0;   unilateral rows: 0 <= z_i ⟂ w_i >= 0
//! ```
//!
//! [`LcpSolver`] solves them: four methods ([`LcpMethod`]), each answer recomputed from its active set, verified, and of least
//! norm where `z` is not unique. Nothing here knows mechanics.
//!
//! ```
//! use liedae_contact::complementarity::{LcpSolver, RowKind::Unilateral};
//!
//! // Two contacts with relative velocities -2 and 1 before an impact.
//! let mut solver = LcpSolver::default();
//! let solution = solver.solve(&[2.0, 1.0, 1.0, 2.0], &[-2.0, 1.0], &[Unilateral; 2]).unwrap();
//! assert_eq!(solution.z, [1.0, 0.0]);
//! assert_eq!(solution.w, [0.0, 2.0]);
//! ```
//!
//! Sources: R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, SIAM 2009,
//! doi:10.1137/1.9780898719000; V. Acary, B. Brogliato, Numerical Methods for Nonsmooth Dynamical Systems, Springer 2008,
//! doi:10.1007/978-3-540-75392-6.

mod complete_lu;
mod error;
mod fischer_burmeister;
mod gauss_seidel;
mod least_norm;
mod lemke;
mod nonnegative;
mod options;
mod polish;
mod principal_pivoting;
mod reduction;
mod scaled;
mod solution;
mod solver;
mod standard;
#[cfg(test)]
mod tests;

pub use error::LcpError;
pub use options::{LcpMethod, LcpOptions};
pub use scaled::RowKind;
pub use solution::{LcpSolution, LcpStatistics, Uniqueness};
pub use solver::LcpSolver;

/// Zeros of this length; allocates only beyond the largest length so far.
fn fit(buffer: &mut Vec<f64>, len: usize) {
    buffer.clear();
    buffer.resize(len, 0.0);
}
