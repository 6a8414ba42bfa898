//! Velocities that jump: contacts that arrive, impacts that accumulate, sliding that jams.

pub(crate) mod accumulation;
mod impasse;
mod painleve;
pub(crate) mod resolve;
