//! Events of contacts in unusual company: loads, other events, ends of runs, other scales, junctions of curves, and
//! what must hold in every run.

mod billiard;
mod ensembles;
mod junctions;
mod line;
mod moments;
mod property;
mod scales;
