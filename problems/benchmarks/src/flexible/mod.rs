//! Mechanisms with beams: what stretches, bends and whirls while it turns, swings or hits.

mod contacts;
mod crank;
mod four_bar;
mod links;
mod manipulator;
mod pendulums;
mod quick_return;
mod rotor;
mod rubber_pendulum;
mod scissor;
mod spin_up_beam;
mod whirl;

pub(crate) use contacts::{BEAM_ON_CYLINDER, IMPACTING_FLEXIBLE_PENDULUM};
pub(crate) use crank::FLEXIBLE_CRANK;
pub(crate) use four_bar::FLEXIBLE_FOUR_BAR;
pub(crate) use manipulator::FLEXIBLE_MANIPULATOR;
pub(crate) use pendulums::{FLEXIBLE_DOUBLE_PENDULUM, SUBSTRUCTURED_PENDULUM};
pub(crate) use quick_return::FLEXIBLE_QUICK_RETURN;
pub(crate) use rotor::{ROTOR, ROTOR_RUN_UP};
pub(crate) use rubber_pendulum::RUBBER_PENDULUM;
pub(crate) use scissor::FLEXIBLE_SCISSOR;
pub(crate) use spin_up_beam::SPIN_UP_BEAM;
pub use spin_up_beam::SpinUpBeam;
pub use whirl::Laval;

use crate::{Problem, ProblemEntry, ProblemError};
use liedae_multibody::{Drawn, MultibodyBuilder};

/// A mechanism as a problem without a reference.
fn problem(
    entry: &ProblemEntry,
    mechanism: MultibodyBuilder,
    t_end: f64,
) -> Result<Problem, ProblemError> {
    let system = mechanism
        .build()
        .map_err(|error| ProblemError::build(entry.name, error))?;
    let drawing = system.drawing();
    Ok(Problem::new(entry.name, system, t_end).with_drawing(drawing))
}
