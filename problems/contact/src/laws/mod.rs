//! Laws of contacts and joints: Signorini, Coulomb, restitution.

pub(crate) mod cascade;
pub(crate) mod dependence;
pub(crate) mod friction;
pub(crate) mod impact;
pub(crate) mod part;
pub(crate) mod problem;
pub(crate) mod proximal;
