//! Programs of other people beside our methods: they solve the same problems, and are measured alike.
//!
//! A program is started once for each run and asks over its pipes for what it needs: sizes, initial values, tolerances, the
//! equations at points, their Jacobian. It answers with states, counts and CPU time. The protocol is in `docs/book/src/comparing/foreign-solvers.md`,
//! drivers for codes of SUNDIALS are in `compare/foreign`, and `examples/foreign_program.rs` is a program in Rust.
//!
//! What a run costs is the CPU time of the program, which it measures itself and from which it leaves out waiting and pipes, plus the
//! CPU time of our evaluations for it. Outputs and errors are ours, from states that the program reports. A program that hangs,
//! dies or says what has no meaning is a failed run with that reason.

mod dae;
mod error;
mod form;
mod frame;
mod measure;
mod name;
mod ode;
#[cfg(unix)]
mod process;
#[cfg(not(unix))]
#[path = "no_process.rs"]
mod process;
mod program;
mod serve;
mod start;
mod stopwatch;
#[cfg(test)]
mod tests;
mod watch;

use dae::DaeForm;
pub use error::ProgramError;
pub use measure::{longest_run, measure_program, retime_program};
use ode::OdeForm;
pub use program::{Program, ProgramChoice};
