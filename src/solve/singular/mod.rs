//! Configurations in which constraint rows come to depend on each other: foreseen, judged, stepped across.

pub(super) mod across;
pub(super) mod approach;
pub(super) mod beside;
pub(super) mod course;
pub(super) mod crossing;
pub(super) mod loops;
pub(super) mod passage;
