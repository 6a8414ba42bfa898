//! Parts that several families share: Newton iterations, round-off bounds, projections, the implicit equations, loops over
//! vectors.

pub(in crate::integrator) mod extrapolation;
pub(in crate::integrator) mod implicit;
pub(in crate::integrator) mod newton;
pub(in crate::integrator) mod projection;
pub(in crate::integrator) mod pull_back;
pub(in crate::integrator) mod round_off;
pub(in crate::integrator) mod sizes;
pub(in crate::integrator) mod sweep;
