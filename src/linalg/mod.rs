//! Linear algebra of constrained mechanics: fixed sparsity patterns and the one solver of the
//! saddle-point (KKT) systems
//!
//! ```text
//! [ A  -B^T ] [x]   [f]
//! [ C   0   ] [y] = [c]
//! ```
//!
//! [`KktSolver`] hides its factorizations behind one rule (see its documentation): for chains and trees of rigid bodies the elimination of
//! their joints, for diagonal masses without constraints their inverses, for small systems a Schur complement where A is symmetric
//! positive definite and a dense LU elsewhere, a block LU on the body-joint graph for large ones, and a rank-revealing dense QR that
//! decides the doubtful cases.

mod blocks;
mod bodies;
mod dense;
mod dependence;
mod diagonal;
mod elimination;
mod error;
mod general;
mod invert;
mod kernels;
mod kkt;
mod lu;
mod nullspace;
mod ordering;
mod pattern;
mod rank_revealing_qr;
mod row_choice;
mod scaling;
mod schur;
mod shared;
mod spans;
mod supernode;
mod symbolic;
mod system;
#[cfg(test)]
mod tests;
mod verify;
mod versioned;

pub use blocks::Blocks;
pub(crate) use bodies::Displacement;
pub use dependence::{DEPENDENT_ANGLE, DEPENDENT_PIVOT};
pub(crate) use diagonal::Quotients;
pub use error::KktError;
pub(crate) use kkt::ALWAYS_DENSE;
pub use kkt::{KktSolver, Method};
pub(crate) use lu::full_pivoting;
pub(crate) use lu::{
    AroundBoth, ColumnSolver, FusedSolve, Inverted, One, Pair, Parts, SaddleShape, SaddleSolver,
    around_both, column_length, product, reciprocal, slices, solve_both,
};
pub use lu::{Number, SquareLu};
#[cfg(test)]
pub(crate) use lu::{example_column, example_solver};
pub use pattern::Pattern;
pub(crate) use row_choice::RowChoice;
pub(crate) use schur::AT_A_TIME;
pub(crate) use system::{ExchangedJacobians, all_finite};
pub(crate) use versioned::{MatrixVersion, VersionedValues};
