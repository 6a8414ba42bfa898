//! Benchmark problems for [`liedae`], with parameters and reference solutions.
//!
//! [`ProblemRegistry`] lists what there is and finds a problem by name, [`ProblemEntry::build_with`] builds it with
//! parameters such as `mu=0.2`. A [`Problem`] is a [`System`](liedae::system::System) with its time span and, where one
//! is known, a [`Reference`] solution under the names of the system's outputs.
//!
//! ```
//! use liedae::prelude::*;
//! use liedae_problems::ProblemRegistry;
//!
//! let mut andrews = ProblemRegistry::standard().lookup("andrews")?.build_with(&[])?;
//! let method = liedae_contact::methods().build("hem5", &MethodOptions::default())?;
//! let options = Options::adaptive(andrews.t_end, 1e-6, 1e-6);
//! let solution = solve(andrews.system.as_mut(), method.as_ref(), &options)?;
//! assert_eq!(solution.statistics.accepted, 189);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`conformance`] checks anybody's method: orders, tolerances, dense output, events, restarts, bad input.
//!
//! Everything is in SI units.

pub mod andrews;
pub mod catalogue;
pub mod conformance;
pub mod fang2022;
pub mod flexible;
pub mod haddouni2017;
pub mod haug1997;
pub mod rigid_body;
pub mod testset;
pub mod vector_space;

mod error;
mod formulation;
mod mechanisms;
mod parameters;
mod planar;
mod reference;
mod registry;
mod suggestion;

pub use error::{ProblemError, TableError};
pub use formulation::{Cell, Formulation, NumberTable};
pub use liedae_multibody::drawing;
pub use parameters::{ParameterInfo, Parameters, Range};
pub use reference::{Reference, Table};
pub use registry::{Problem, ProblemEntry, ProblemRegistry};
pub use suggestion::{nearest, suggestion};

/// The level of optimization that this crate was compiled with, see [`liedae::OPT_LEVEL`].
pub const OPT_LEVEL: &str = env!("LIEDAE_OPT_LEVEL");
