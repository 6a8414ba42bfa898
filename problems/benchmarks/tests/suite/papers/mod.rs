//! Claims and figures of papers.

mod fang2022;
mod fang2022_iterations;
mod haug1997_claims;
mod ivp_testset;
