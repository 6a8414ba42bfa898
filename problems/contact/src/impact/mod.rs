//! Velocities that jump: contacts that arrive, impacts that accumulate, sliding that jams.

pub(crate) mod accumulation;
pub(crate) mod arrival;
mod impasse;
mod jam;
