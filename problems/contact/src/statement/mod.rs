//! What is stated: contacts, joints that may stick, their laws, and what they promise.

pub mod checks;
pub mod contact_system;
pub mod differences;
pub mod friction_joints;
pub mod model;
pub mod unilateral;
