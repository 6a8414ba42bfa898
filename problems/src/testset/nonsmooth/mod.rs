//! Problems with contacts: plane mechanisms that hit, slide, stick and let go.
//!
//! Their systems are [`NonsmoothSystem`](crate::nonsmooth::NonsmoothSystem)s: contacts are located as events.

mod assembly;
mod statement;

mod bouncing_ball;
mod cam_follower;
mod cam_rocker_valve;
mod double_pendulum_wall;
mod four_bar_clearance;
mod geneva_drive;
mod newton_cradle;
mod pendulum_wall;
mod press_machine;
mod ratchet_pawl;
mod rocking_block;
mod rods;
mod rotating_rod_bead;
mod slider_crank_clearance;
mod sliding;
mod take_off;
mod woodpecker;

pub(crate) use bouncing_ball::{BALL_TWO_CONTACTS, BOUNCING_BALL};
pub(crate) use cam_follower::CAM_FOLLOWER;
pub(crate) use cam_rocker_valve::CAM_ROCKER_VALVE;
pub(crate) use double_pendulum_wall::DOUBLE_PENDULUM_WALL;
pub(crate) use four_bar_clearance::FOUR_BAR_CLEARANCE;
pub(crate) use geneva_drive::GENEVA_DRIVE;
pub(crate) use newton_cradle::NEWTON_CRADLE;
pub(crate) use pendulum_wall::PENDULUM_WALL;
pub(crate) use press_machine::PRESS_MACHINE;
pub(crate) use ratchet_pawl::RATCHET_PAWL;
pub(crate) use rocking_block::ROCKING_BLOCK;
pub(crate) use rods::{LADDER, PAINLEVE_ROD, ROD_FLOOR};
pub(crate) use rotating_rod_bead::ROTATING_ROD_BEAD;
pub(crate) use slider_crank_clearance::SLIDER_CRANK_CLEARANCE;
pub(crate) use sliding::{DISC_BACKSPIN, SLIDING_BLOCK};
pub(crate) use take_off::{ROPE_PENDULUM, SHAKER, SPHERE_TAKEOFF};
pub(crate) use woodpecker::WOODPECKER;
