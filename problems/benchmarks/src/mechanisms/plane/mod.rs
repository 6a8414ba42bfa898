//! Mechanisms in the plane.

pub(crate) mod bodies;
pub(crate) mod points;

mod crane;
mod energy_integral;
mod four_bar;
mod gear_train;
mod motion;
mod n_four_bar;
mod parallelogram;
mod pendulum_angle;
mod planar_3rrr;
mod planar_chain;
mod planetary_gear;
mod scissor_lift;
mod slider_crank;
mod spring_masses;
mod toggle_press;

pub(crate) use crane::CRANE;
pub(crate) use four_bar::FOUR_BAR;
pub(crate) use gear_train::GEAR_TRAIN;
pub(crate) use n_four_bar::N_FOUR_BAR;
pub(crate) use parallelogram::PARALLELOGRAM;
pub(crate) use planar_3rrr::PLANAR_3RRR;
pub(crate) use planar_chain::PLANAR_CHAIN;
pub(crate) use planetary_gear::PLANETARY_GEAR;
pub(crate) use scissor_lift::SCISSOR_LIFT;
pub(crate) use slider_crank::PLANE_SLIDER_CRANK;
pub(crate) use spring_masses::SPRING_MASSES;
pub(crate) use toggle_press::TOGGLE_PRESS;

use liedae_multibody::plane::{PlaneMechanism, PlanePairing};
use std::error::Error;

/// Gravity in m/s² along -y.
pub(crate) const GRAVITY: [f64; 2] = [0.0, -9.81];

/// Plane bodies with what joins them, with contacts or without.
pub(crate) type Mechanism = PlaneMechanism<PlanePairing>;

/// A mechanism, or why there is none.
pub(crate) type Built<M = Mechanism> = Result<M, Box<dyn Error>>;
