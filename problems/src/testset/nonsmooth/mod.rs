//! Problems with contacts: plane mechanisms that hit, slide, stick and let go.
//!
//! Their systems are [`NonsmoothSystem`](crate::nonsmooth::NonsmoothSystem)s: contacts are located as events.

mod statement;

mod bouncing_ball;
mod double_pendulum_wall;
mod newton_cradle;
mod pendulum_wall;
mod rocking_block;
mod rods;
mod rotating_rod_bead;
mod sliding;
mod take_off;

pub(crate) use bouncing_ball::{BALL_TWO_CONTACTS, BOUNCING_BALL};
pub(crate) use double_pendulum_wall::DOUBLE_PENDULUM_WALL;
pub(crate) use newton_cradle::NEWTON_CRADLE;
pub(crate) use pendulum_wall::PENDULUM_WALL;
pub(crate) use rocking_block::ROCKING_BLOCK;
pub(crate) use rods::{LADDER, PAINLEVE_ROD, ROD_FLOOR};
pub(crate) use rotating_rod_bead::ROTATING_ROD_BEAD;
pub(crate) use sliding::{DISC_BACKSPIN, SLIDING_BLOCK};
pub(crate) use take_off::{ROPE_PENDULUM, SHAKER, SPHERE_TAKEOFF};
