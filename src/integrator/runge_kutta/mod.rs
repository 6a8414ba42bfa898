//! Explicit and half-explicit Runge-Kutta methods, on the index-1 and the index-2 form.

mod components;
pub(in crate::integrator) mod continuous;
pub(in crate::integrator) mod dop853;
pub(in crate::integrator) mod dopri5;
pub(in crate::integrator) mod explicit;
pub(in crate::integrator) mod hem5;
pub(in crate::integrator) mod mdop5;
pub(in crate::integrator) mod phem56;
pub(in crate::integrator) mod stages;
pub(in crate::integrator) mod start;
pub(in crate::integrator) mod sums;
