//! The events of a step: which functions cross zero, at which moment, and the state of the functions after a jump.

pub(super) mod answer;
pub(super) mod first_crossing;
pub(super) mod jumps;
pub(super) mod locator;
pub(super) mod moment;
pub(super) mod records;
pub(super) mod root;
pub(super) mod samples;
pub(super) mod sampling;
pub(super) mod search;
pub(super) mod side;
pub(super) mod sign_tracker;
pub(super) mod within_step;
