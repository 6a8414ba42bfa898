//! liedae

pub mod linalg;
