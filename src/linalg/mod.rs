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
mod front;
mod general;
mod invert;
mod kernels;
mod kkt;
mod lu;
mod nullspace;
mod numbered;
mod ordering;
mod pattern;
mod program;
mod robust;
mod row_choice;
mod scaling;
mod schur;
mod shared;
mod spans;
mod system;
#[cfg(test)]
mod tests;
mod verify;

pub use blocks::Blocks;
pub(crate) use bodies::Displacement;
pub use dependence::{DEPENDENT_ANGLE, DEPENDENT_PIVOT};
pub(crate) use diagonal::Quotients;
pub use error::KktError;
pub(crate) use kkt::ALWAYS_DENSE;
pub use kkt::{KktSolver, Method};
pub(crate) use lu::full_pivoting;
pub(crate) use lu::{
    AroundBoth, AroundOne, ColumnSolver, Inverted, One, Pair, Parts, SaddleShape, SaddleSolver,
    around_both, column_length, product, reciprocal, slices, solve_both,
};
pub use lu::{Number, SquareLu};
#[cfg(test)]
pub(crate) use lu::{example_column, example_solver};
pub(crate) use numbered::{MatrixNumber, NumberedValues};
pub use pattern::Pattern;
pub(crate) use row_choice::RowChoice;
pub(crate) use schur::AT_A_TIME;
pub(crate) use system::{ExchangedJacobians, all_finite};
