//! The statement of contacts and of joints that may stick: traits, laws, and checks.

pub mod checks;
pub mod contact_system;
pub mod differences;
pub mod friction_joints;
pub mod model;
pub mod unilateral;

use liedae::system::Function;

/// Gaps of contacts, in errors.
pub const GAP: Function = Function::OfLayer("gap");

/// Sliding velocities of contacts and joints, in errors.
pub const SLIDING_VELOCITY: Function = Function::OfLayer("sliding velocity");
