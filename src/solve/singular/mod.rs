//! Singular configurations, in which constraint rows become dependent: monitoring, decision, crossing.

pub(super) mod across;
pub(super) mod approach;
pub(super) mod beside;
pub(super) mod course;
pub(super) mod crossing;
pub(super) mod loops;
pub(super) mod passage;
