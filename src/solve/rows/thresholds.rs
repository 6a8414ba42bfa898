//! All numbers by which rows are chosen, kept and watched. Rows are dependent by
//! [`DEPENDENT_PIVOT`](crate::linalg::DEPENDENT_PIVOT), as for every factorization.
//!
//! Angles are between a row and the span of the others, in the metric of the mass matrix. They are given as sin², as
//! pivots have them:
//!
//! ```text
//!             1e-12               1e-6             1e-2             1
//! --------------+------------------+----------------+---------------+
//!   dependent     too near to hold    worth a look     well chosen
//! ```

/// Nearer than this (sin²) to the span of the others no row is held, and no row that is left out may be further from it.
///
/// It is half way, in digits, between dependent and independent. Held rows at this angle of 1e-3 magnify the 1e-16 of
/// their values to 1e-13 in the motion, which no tolerance sees. A row that is left out and has turned out of the span by as
/// much could be held as well, and must be.
pub(super) const TOO_NEAR: f64 = 1e-6;

/// Rows that are all further (sin²) than this from the span of the others are well chosen, and nobody looks for better ones.
///
/// Where a step fails in the linear algebra, a row is left out for it that is nearer: within one step the rows may turn by this
/// angle of 0.1 and become dependent, and no further.
pub(super) const WELL_CHOSEN: f64 = 1e-2;

/// Rows that are not well chosen are kept unless others are this many times further (sin²) from the span.
///
/// A change costs a method its history. Ten times the angle is one digit of the multipliers.
pub(super) const BETTER: f64 = 100.0;

/// Where held rows are foreseen to depend on each other, others are held if their weakest one is so many times further (sin²)
/// from the span there.
///
/// The place is known to a quarter of the way. Where the rank of all rows falls, any good choice is about as far from it there as
/// any other; where it stays, others are further by a factor of 40 and more.
pub(super) const WORTH: f64 = 10.0;

/// Others are no choice where their weakest row has fallen to this part (sin²) of what it is now: the rank of all rows falls.
///
/// The place that is looked at lies beside the constraints, by about the cube of the way, where rows seem independent that are not.
pub(super) const REMAINS: f64 = 1e-2;

/// The rank of all rows stays where the best choice is still this good (sin²), compared with now.
pub(super) const STAYS: f64 = 0.25;

/// Steps after which the rows are looked at again; after a change, in each of so many steps.
///
/// A look costs as much as some solutions of the equations of motion. Rows that come to be dependent sooner make the step fail, or
/// show as a violation.
pub(super) const LOOK_AGAIN: usize = 8;

/// A row that is left out may come to violate its constraint by this multiple of the tolerance within a step.
///
/// The error of a step is estimated, and may be several tolerances in a single direction, of which the norm is a mean.
pub(super) const TOLERATED: f64 = 10.0;

/// The same with constant steps, which state no tolerance: relative to one plus the largest coordinate or velocity.
///
/// It is what steps of 1e-3 to 1e-2 leave with methods of first order. A row that is not implied violates its constraint by
/// the motion itself.
pub(super) const TOLERATED_CONSTANT: f64 = 1e-3;

/// What held rows violate, times this, is no fault of one that is left out.
///
/// Methods of index 3 leave velocities off the constraints, of held and other rows alike. How much more it may be in a row that is
/// a combination of held ones depends on its coefficients.
pub(super) const SHARED: f64 = 10.0;
