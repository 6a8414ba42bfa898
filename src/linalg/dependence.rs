//! When constraint rows depend on each other: the one border, and who draws it.
//!
//! A door on two hinges states five of its rows twice. Rounded, the second five are not quite the first five, and every
//! factorization finds a small number where there should be a zero. Below the border it is taken for one, by the linear solver
//! ([`KktSolver`](super::KktSolver)), by those who choose independent rows or coordinates, and by layers above that add rows.

/// Rows within this angle (rad) of the span of the others depend on them.
///
/// Joints are stated to some 1e-8 of their size, and states hold to a tolerance: rows that mean the same differ by as much.
/// Rows of mechanisms that mean different things differ by far more, but for moments next to singular configurations.
pub const DEPENDENT_ANGLE: f64 = 1e-6;

/// The same for pivots of G M⁻¹ Gᵀ relative to the terms they are summed from: they are sin² of the angle. It is four
/// digits above the round-off of such a sum.
pub const DEPENDENT_PIVOT: f64 = DEPENDENT_ANGLE * DEPENDENT_ANGLE;
