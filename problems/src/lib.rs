//! Multibody models and benchmark problems for `liedae`.

pub mod multibody;
