//! Problems with contacts: plane mechanisms that hit, slide, stick and let go.
//!
//! Their systems are [`NonsmoothSystem`](crate::nonsmooth::NonsmoothSystem)s: contacts are located as events.

mod assembly;
mod points;
mod statement;

mod bouncing_ball;
mod chain_floor;
mod compass_walker;
mod double_pendulum_wall;
mod escapement;
mod excavator_stops;
mod newton_cradle;
mod pendulum_wall;
mod rocking_block;
mod rocking_table;
mod rods;
mod rope_pendulum_carts;
mod rotating_rod_bead;
mod shaker_stack;
mod slider_train;
mod sliding;
mod take_off;
mod trip_breaker;
mod triple_pendulum_stops;

pub(crate) use bouncing_ball::{BALL_TWO_CONTACTS, BOUNCING_BALL};
pub(crate) use chain_floor::CHAIN_FLOOR;
pub(crate) use compass_walker::COMPASS_WALKER;
pub(crate) use double_pendulum_wall::DOUBLE_PENDULUM_WALL;
pub(crate) use escapement::{ESCAPEMENT, ESCAPEMENT_DOUBLE};
pub(crate) use excavator_stops::EXCAVATOR_STOPS;
pub(crate) use newton_cradle::NEWTON_CRADLE;
pub(crate) use pendulum_wall::PENDULUM_WALL;
pub(crate) use rocking_block::ROCKING_BLOCK;
pub(crate) use rocking_table::ROCKING_TABLE;
pub(crate) use rods::{LADDER, PAINLEVE_ROD, ROD_FLOOR};
pub(crate) use rope_pendulum_carts::ROPE_PENDULUM_CARTS;
pub(crate) use rotating_rod_bead::ROTATING_ROD_BEAD;
pub(crate) use shaker_stack::{SHAKER_LEVER, SHAKER_STACK};
pub(crate) use slider_train::SLIDER_TRAIN;
pub(crate) use sliding::{DISC_BACKSPIN, SLIDING_BLOCK};
pub(crate) use take_off::{ROPE_PENDULUM, SHAKER, SPHERE_TAKEOFF};
pub(crate) use trip_breaker::TRIP_BREAKER;
pub(crate) use triple_pendulum_stops::TRIPLE_PENDULUM_STOPS;
