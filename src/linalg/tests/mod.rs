//! Tests of the linear algebra against dense factorizations of nalgebra.

mod diagonal;
mod graphs;
mod patterns;
mod rank;
mod regular;
mod schur;
mod sharing;
pub(super) mod support;
