//! Problems with contacts: plane mechanisms that hit, slide, stick and let go.
//!
//! Their systems are [`NonsmoothSystem`](crate::nonsmooth::NonsmoothSystem)s: contacts are located as events.

mod assembly;

mod cam_follower;
mod cam_rocker_valve;
mod four_bar_clearance;
mod geneva_drive;
mod press_machine;
mod ratchet_pawl;
mod slider_crank_clearance;
mod woodpecker;

pub(crate) use cam_follower::CAM_FOLLOWER;
pub(crate) use cam_rocker_valve::CAM_ROCKER_VALVE;
pub(crate) use four_bar_clearance::FOUR_BAR_CLEARANCE;
pub(crate) use geneva_drive::GENEVA_DRIVE;
pub(crate) use press_machine::PRESS_MACHINE;
pub(crate) use ratchet_pawl::RATCHET_PAWL;
pub(crate) use slider_crank_clearance::SLIDER_CRANK_CLEARANCE;
pub(crate) use woodpecker::WOODPECKER;
