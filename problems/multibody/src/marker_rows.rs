//! The rows that tie a marker, which is a body, to a flexible part of the mechanism.

use std::ops::Range;

/// Position rows of a marker and their derivatives, in the matrices of the mechanism.
pub(crate) trait MarkerRows: Send + Sync {
    /// Name of the marker's body.
    fn name(&self) -> &str;

    /// Rows in the system.
    fn range(&self) -> Range<usize>;

    /// What a row of the system holds.
    fn label(&self, row: usize) -> String;

    /// Whether axes that it wants alike are more than a quarter of a turn apart.
    fn is_opposed(&self, q: &[f64]) -> bool;

    /// Writes g.
    fn residual(&self, q: &[f64], out: &mut [f64]);

    /// Writes the rows of G.
    fn jacobian(&self, q: &[f64], out: &mut [f64]);

    /// Writes G v.
    fn rate(&self, q: &[f64], v: &[f64], out: &mut [f64]);

    /// Writes γ.
    fn bias(&self, q: &[f64], v: &[f64], out: &mut [f64]);

    /// Subtracts ∂(Gᵀ λ)/∂q.
    fn subtract_stiffness(&self, q: &[f64], lambda: &[f64], out: &mut [f64]);

    /// Writes the derivative of G v by the configuration.
    fn rate_jacobian(&self, q: &[f64], v: &[f64], out: &mut [f64]);

    /// Writes the derivatives of G a + γ by the configuration and of γ by the velocity; the arguments are q, v and a.
    fn acceleration_jacobian(
        &self,
        arguments: [&[f64]; 3],
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    );
}
