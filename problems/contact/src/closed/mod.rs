//! Contacts that stay closed and joints that stick: who does, with which rows, and what redundant ones share.

mod balance;
mod barrier;
mod distribution_lp;
pub(crate) mod force_distribution;
pub(crate) mod guess;
mod joints;
mod least_squares;
pub(crate) mod leaving;
pub(crate) mod local_dynamics;
pub(crate) mod participants;
pub(crate) mod persistence;
mod redundancy;
pub(crate) mod response;
mod row_choice;
pub(crate) mod selection;
mod support;
mod thresholds;
pub(crate) mod yielding;
