//! Singular configurations, in which constraint rows become dependent: monitoring, decision, crossing.

pub(super) mod cross;
pub(super) mod crossing;
pub(super) mod decide;
pub(super) mod loops;
pub(super) mod monitor;
pub(super) mod passage;
pub(super) mod start_at;
