//! Mechanisms in space.

pub(crate) mod assembly;

mod bodies;

mod bennett;
mod bicycle;
mod bricard;
mod bridge_crane;
mod delta_robot;
mod double_wishbone;
mod excavator_arm;
mod flyball;
mod foucault;
mod four_bar;
mod full_car;
mod gimbal;
mod joint_pendulum;
mod mcpherson;
mod net;
mod quarter_car;
mod sarrus;
mod shapes;
mod slider_crank;
mod stanford_arm;
mod stewart_platform;
mod tyre;
mod universal_chain;

pub(crate) use bennett::BENNETT;
pub(crate) use bicycle::BICYCLE;
pub(crate) use bricard::BRICARD;
pub(crate) use bridge_crane::BRIDGE_CRANE;
pub(crate) use delta_robot::DELTA_ROBOT;
pub(crate) use double_wishbone::DOUBLE_WISHBONE;
pub(crate) use excavator_arm::EXCAVATOR_ARM;
pub(crate) use flyball::FLYBALL;
pub(crate) use foucault::FOUCAULT;
pub(crate) use four_bar::FOUR_BAR_IN_SPACE;
pub(crate) use full_car::FULL_CAR;
pub(crate) use gimbal::GIMBAL;
pub(crate) use joint_pendulum::JOINT_PENDULUM;
pub(crate) use mcpherson::MCPHERSON;
pub(crate) use net::NET;
pub(crate) use sarrus::SARRUS;
pub(crate) use slider_crank::FREE_SLIDER_CRANK;
pub(crate) use stanford_arm::STANFORD_ARM;
pub(crate) use stewart_platform::STEWART_PLATFORM;
pub(crate) use universal_chain::UNIVERSAL_CHAIN;

use super::Smooth;
use crate::{Parameters, Problem, ProblemError};
use assembly::assemble;
use liedae_multibody::MultibodyBuilder;

/// Gravity in m/s² along -z.
const GRAVITY: [f64; 3] = [0.0, 0.0, -9.81];

impl Smooth {
    /// The problem with this mechanism, in the coordinates of rotations that the parameters ask for.
    fn mechanism(
        self,
        mechanism: MultibodyBuilder,
        parameters: &Parameters,
    ) -> Result<Problem, ProblemError> {
        Ok(self.assembled(assemble(mechanism, parameters)?))
    }
}

/// Adds the energy as an output, in J.
pub(crate) fn probe_energy(mechanism: &mut MultibodyBuilder) {
    mechanism.probe("energy", |now| {
        let (kinetic, potential) = now.energies();
        kinetic + potential
    });
    mechanism.define_output("energy", "kinetic and potential energy, J");
}
