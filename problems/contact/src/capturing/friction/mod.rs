//! Contacts and joints with Coulomb friction that act at the same moment: the problem and its solvers.

pub(super) mod gauss_seidel;
mod interior_point;
mod joint;
mod local;
mod newton;
mod problem;
mod scaling;

pub use joint::{JointLaw, Joints};

pub(super) use interior_point::InteriorPoint;
pub(super) use newton::{Goal, Newton};
pub(super) use problem::Problem;
