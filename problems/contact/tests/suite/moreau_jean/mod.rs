//! Captured events: impacts, accumulation, friction, joints and redundant contacts with the Moreau-Jean scheme.

mod allocations;
mod bodies;
mod boxes;
mod energy;
mod errors;
mod friction;
mod impacts;
mod joint_impulses;
mod joints;
mod line;
mod many;
mod mixed;
mod sliding_block;
mod smooth;
mod spatial;
mod support;
