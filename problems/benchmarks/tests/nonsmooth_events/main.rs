//! Events of contacts in unusual company: loads, other events, ends of runs, other scales, junctions of curves, and
//! what must hold in every run.

#[path = "../common/mod.rs"]
mod common;
#[path = "../shared/random.rs"]
mod numbers;

mod billiard;
mod ensembles;
mod junctions;
mod line;
mod moments;
mod property;
mod scales;
