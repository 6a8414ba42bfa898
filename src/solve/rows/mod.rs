//! Redundant constraint rows: which of them carry multipliers in a step, and whether the others hold.
//!
//! A door on two hinges has ten rows, and five of them say nothing new. On the constraints the linear solver finds that out and
//! divides the forces among all rows alike. The stages of a method lie beside the constraints; there the ten rows
//! contradict each other, and every step would fail or depend on round-off. So five rows are held for the length of a step, and the
//! other five are watched: `held` chooses them and hands multipliers over, `violation` watches, `remedies` says what a step does
//! that fails, and `thresholds` has all numbers. The evaluator hides what is left out from everybody below.

mod active_rows;
mod retry;
mod thresholds;
mod violation;

pub(super) use active_rows::{HeldRows, RankAhead, multipliers_matter};
pub(super) use retry::{Remedies, Remedy};
