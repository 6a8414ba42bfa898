//! The mechanisms of Haug, Negrut and Iancu, "Implicit Integration of the Equations of Multibody Dynamics in Descriptor
//! Form", Mech. Struct. Mach. 25 (1997) 311, doi:10.1080/08905459708905292: plane bodies in Cartesian coordinates, made
//! stiff by spring-damper-actuators.
//!
//! The third mechanism of the paper, in seven bodies, is in [`andrews`](crate::andrews). The print of the paper lost the
//! stiffnesses and dampings of Tables 1 and 3; those here are chosen, and are parameters.

mod double_pendulum;
mod slider_crank;

pub(crate) use double_pendulum::STIFF_DOUBLE_PENDULUM;
pub use double_pendulum::{Properties as StiffDoublePendulumProperties, StiffDoublePendulum};
pub(crate) use slider_crank::TSDA_SLIDER_CRANK;
pub use slider_crank::{Properties as TsdaSliderCrankProperties, TsdaSliderCrank};

/// Mass in kg and moment of inertia in kg m^2, about the centre, of a slender uniform bar of this length in m.
fn slender(mass: f64, length: f64) -> (f64, f64) {
    (mass, mass * length * length / 12.0)
}
