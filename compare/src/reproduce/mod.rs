//! Experiments of papers, repeated, with a verdict on each of their claims.

mod claim;
pub mod fang2022;

pub use claim::{Claim, table as claim_table};
