//! What fully implicit methods share: the equations of a system at any index, their linearization, and the solution of
//! the linear systems of a simplified Newton iteration.
//!
//! In local coordinates u around a base configuration q_n, q = q_n · exp(u), a system is B y' = F(t, y) with
//! y = (u, v, x, w, z, λ), and (s, μ) for the stabilized formulation:
//!
//! ```text
//! u' = dexp⁻¹(u) (v + s)
//! v' = w
//! E x' = d(t, q, v, x, z)
//! 0 = f + Gᵀ λ - M w
//! 0 = -a
//! 0 = -c                      constraint rows at the level of the formulation
//! 0 = G_pᵀ μ - M s,  0 = -g   stabilized: s = M⁻¹ G_pᵀ μ moves q back onto the position rows, in the metric of M
//! ```
//!
//! The metric of M makes the correction independent of the units of the coordinates; on exact solutions s = 0.
//!
//! [`Unknowns`] says where the parts of y stand, [`Residual`] evaluates F, [`Linearization`] its derivatives, and
//! [`ShiftedSolver`] solves (α B - ∂F/∂y) δ = r for a real or complex α. Multistep methods have α = α_k / h with u, v, x
//! replaced by their backward differences, Runge-Kutta methods the eigenvalues of the inverse coefficient matrix over h.

mod form;
mod kinematics;
mod linearization;
mod newton_matrix_small;
mod places;
mod residual;
mod saddle;
mod shifted;
mod small;
mod structure;
#[cfg(test)]
mod tests;
mod unknowns;

pub(in crate::integrator) use kinematics::Kinematics;
pub(crate) use linearization::Linearization;
pub(crate) use residual::{Answers, Residual};
pub(crate) use shifted::{
    ShiftedSolver, around_groups, around_real_and_complex, solve_real_and_complex,
};
pub(crate) use small::{AroundGrouped, GroupedPair};
pub(crate) use unknowns::Unknowns;
