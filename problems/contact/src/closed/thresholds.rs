//! All numbers by which rows and forces of closed contacts are told from round-off.
//!
//! They are of what sums up: rows, forces and shares of forces in units of their own terms. What counts as motion, in m/s and
//! m/s², is stated by the user ([`Thresholds`](crate::Thresholds)). Those of dependence are [there](crate::laws::dependence).

/// A sum below this share of its terms is zero: its terms come from solutions with joints, which have some 1e-12 of round-off and
/// more where joints are ill-conditioned.
pub(super) const CANCELLED: f64 = 1e-9;

/// When forces move from row to row, a share below this is an exact zero with round-off. All others must move along, or what
/// sticks would begin to slide: the equations are scaled, their pivots are the largest of a column, and what is left of a zero is a
/// few roundings.
pub(super) const STAYS: f64 = 1e-12;

/// Limits of forces that contacts share are drawn in by this multiple of the force by which they may be passed, to find
/// out what gives way: by far more than the limits are missed by, and by far less than the forces.
pub(super) const DRAWN_IN: f64 = 1e5;

/// Forces below this share of what acts on the gap are none. They are answers of a complementarity problem, which sums up what acts
/// on all gaps.
pub(super) const NO_FORCE: f64 = 1e-10;
