//! Services for integrators: counted evaluations, accelerations and multipliers, independent rows.

pub(in crate::system) mod algebraic;
pub(in crate::system) mod constant_mass;
mod coupling;
pub(in crate::system) mod deadline;
pub(in crate::system) mod descriptor;
pub(in crate::system) mod energy;
pub(in crate::system) mod error;
pub(in crate::system) mod evaluator;
mod gram_schmidt;
pub(in crate::system) mod independent_rows;
pub(in crate::system) mod index_one;
pub(in crate::system) mod row_check;
mod secants;
pub(in crate::system) mod singular_values;
mod track;
