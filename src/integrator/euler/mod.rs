//! Euler methods of index 3: half-implicit and fully implicit.

pub(in crate::integrator) mod backward_euler;
pub(in crate::integrator) mod estimate;
pub(in crate::integrator) mod half_implicit;
pub(in crate::integrator) mod middle_velocity;
