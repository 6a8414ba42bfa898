//! Problems with contacts: mechanisms that hit, slide, stick and let go.
//!
//! Their systems are [`NonsmoothSystem`](crate::nonsmooth::NonsmoothSystem)s: contacts are located as events.

mod spatial;

mod box_drop;
mod slider_crank_clearance_3d;

pub(crate) use box_drop::BOX_DROP;
pub(crate) use slider_crank_clearance_3d::SLIDER_CRANK_CLEARANCE_3D;
