//! Analysis of a mechanism before integration: assembly, mobility, equilibrium, modes.
//!
//! | question | answer |
//! |---|---|
//! | Do the loops close, starting from a rough guess? | [`assemble`] |
//! | How many degrees of freedom are there, which constraint rows are redundant and why? | [`mobility`] |
//! | Where does it rest? | [`static_equilibrium`] |
//! | How does it move if the drives prescribe everything, and what do the drives need for that? | [`kinematic_analysis`] |
//! | Which forces of actuators give these accelerations? | [`inverse_dynamics`] |
//! | How does it swing about a state: frequencies, damping, modes? | [`linearize`], [`Linearization::modes`] |
//!
//! Rows and velocities are reported by name where the system has [labels](crate::system::Labels). Matrices are dense here: an
//! analysis concerns one state and runs once. A system with contacts is analysed with the rows of the contacts that are closed at
//! that state.
//!
//! ```
//! use liedae::analysis::{linearize, mobility, static_equilibrium};
//! use liedae::system::{Evaluator, System};
//!
//! // A pendulum of 1 m, held 0.6 m to the side.
//! let mut pendulum = liedae::model([0.6, -0.8], [0.0, 0.0])
//!     .mass(2.0)
//!     .force(|_t, _q, _v| [0.0, -2.0 * 9.81])
//!     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
//!     .build()?;
//! let start = pendulum.initial_state();
//! let mut system = Evaluator::new(&mut pendulum);
//! assert_eq!(mobility(&mut system, &start)?.freedom, 1);
//! let rest = static_equilibrium(&mut system, &start, &Default::default())?;
//! assert!(rest.state.q[0].abs() < 1e-9 && (rest.state.q[1] + 1.0).abs() < 1e-9);
//! let modes = linearize(&mut system, &rest.state, None)?.modes()?;
//! assert!((modes[0].eigenvalue.im - 9.81_f64.sqrt()).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assembly;
mod balance;
mod entry;
mod equations;
mod equilibrium;
mod error;
mod inverse;
mod kinematics;
mod linearization;
mod matrices;
mod mobility;
mod modes;
mod natural;
mod spectrum;
mod steady;
#[cfg(test)]
mod tests;
mod turning;

pub use assembly::{Assembly, assemble};
pub use entry::{Entry, EntryKind};
pub use equilibrium::{Equilibrium, EquilibriumOptions, static_equilibrium};
pub use error::AnalysisError;
pub use inverse::{ActuatorForces, inverse_dynamics};
pub use kinematics::kinematic_analysis;
pub use linearization::{Linearization, linearize};
pub use mobility::{Mobility, Redundancy, mobility};
pub use modes::{Eigenvalue, Mode};
pub use turning::Turning;
