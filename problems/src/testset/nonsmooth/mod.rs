//! Problems with contacts: plane mechanisms that hit, slide, stick and let go.
//!
//! Their systems are [`NonsmoothSystem`](crate::nonsmooth::NonsmoothSystem)s: contacts are located as events.

mod assembly;
mod points;

mod chain_floor;
mod compass_walker;
mod escapement;
mod excavator_stops;
mod rocking_table;
mod rope_pendulum_carts;
mod shaker_stack;
mod slider_train;
mod trip_breaker;
mod triple_pendulum_stops;

pub(crate) use chain_floor::CHAIN_FLOOR;
pub(crate) use compass_walker::COMPASS_WALKER;
pub(crate) use escapement::{ESCAPEMENT, ESCAPEMENT_DOUBLE};
pub(crate) use excavator_stops::EXCAVATOR_STOPS;
pub(crate) use rocking_table::ROCKING_TABLE;
pub(crate) use rope_pendulum_carts::ROPE_PENDULUM_CARTS;
pub(crate) use shaker_stack::{SHAKER_LEVER, SHAKER_STACK};
pub(crate) use slider_train::SLIDER_TRAIN;
pub(crate) use trip_breaker::TRIP_BREAKER;
pub(crate) use triple_pendulum_stops::TRIPLE_PENDULUM_STOPS;
