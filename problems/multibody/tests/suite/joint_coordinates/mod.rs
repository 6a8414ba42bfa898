//! Initial positions and velocities by joint coordinates: trees against products of motions, a four-bar against closed
//! forms, drawings the wrong way round, and everything that cannot be.

mod half_turns;
mod loops;
mod trees;

use liedae::system::{State, System};
use liedae_multibody::{BodyId, MultibodySystem};

const GROUND: BodyId = BodyId::GROUND;

fn start(system: &MultibodySystem) -> State {
    System::initial_state(system)
}
