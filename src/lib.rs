//! liedae

pub mod manifold;
pub mod scalar;
