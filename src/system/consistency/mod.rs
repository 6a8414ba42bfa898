//! Whether states and statements hold, and projections that make states hold.

mod algebraic_rows;
mod bounds;
mod check_fused;
mod comparison;
pub(in crate::system) mod descriptor;
pub(in crate::system) mod mass_check;
pub(in crate::system) mod projector;
pub(in crate::system) mod signature;
pub(in crate::system) mod states;
pub(in crate::system) mod structural_index;
pub(in crate::system) mod system_checks;
pub(in crate::system) mod system_faults;
