//! Claims and figures of papers.

#[path = "../common/mod.rs"]
mod common;

mod fang2022;
mod fang2022_iterations;
mod haug1997_claims;
mod ivp_testset;
