//! All tests of mechanisms. One program, as each compiles the integrators anew.

#[path = "shared/counting.rs"]
mod counting;
#[path = "shared/derivatives.rs"]
mod derivatives;
#[path = "shared/flexible.rs"]
mod flexible;
#[path = "shared/loads.rs"]
mod loads;
#[path = "shared/random.rs"]
mod random;
#[path = "shared/rotating_beam.rs"]
mod rotating_beam;

mod adams_joints;
mod ancf;
mod beams;
#[cfg(feature = "convex")]
mod convex;
mod custom_joints;
mod friction_in_space;
mod joint_coordinates;
#[cfg(feature = "files")]
mod mechanism_files;
#[cfg(feature = "urdf")]
mod mechanism_fuzz;
mod modal_bodies;
mod multibody_allocations;
mod multibody_motion;
mod nonsmooth_settling;
mod plane_mechanism;
mod redundant_loops;
mod shared_contacts;
mod singular_configurations;
mod state_forces;
