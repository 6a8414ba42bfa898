//! The law of a contact at one moment.

/// The law of one contact in an [`ImpactSolver`](super::ImpactSolver): its rows are the normal one, then its tangents.
///
/// ```
/// use liedae_contact::capturing::{ContactLaw, ImpactSolver};
///
/// // A ball of 2 kg meets a wall with 3 m/s and slides along it with 1 m/s; e = 0.5, μ = 0.1.
/// let law = ContactLaw { least_velocity: 0.5 * 3.0, friction: 0.1, tangents: 1 };
/// assert_eq!(law.rows(), 2);
/// let mut impulses = [0.0; 2];
/// ImpactSolver::default().solve(&[law], &[0.5, 0.0, 0.0, 0.5], &[-3.0, 1.0], &mut impulses)?;
/// // m (1 + e) v along the normal, and μ times that against the sliding.
/// assert!((impulses[0] - 9.0).abs() < 1e-9 && (impulses[1] + 0.9).abs() < 1e-9);
/// # Ok::<(), liedae_contact::capturing::ImpactError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactLaw {
    /// Smallest normal velocity after the impact, ℓ; -e g_N'⁻ for Newton's law with an approach velocity g_N'⁻ < 0.
    pub least_velocity: f64,
    /// Coefficient μ of Coulomb friction.
    pub friction: f64,
    /// Number of sliding directions: 0, 1 or 2.
    pub tangents: usize,
}

impl ContactLaw {
    pub(super) fn is_usable(&self) -> bool {
        let friction = self.friction >= 0.0 && self.friction.is_finite();
        friction && self.least_velocity.is_finite() && self.tangents <= 2
    }

    /// Rows of the contact: 1 + tangents.
    pub fn rows(&self) -> usize {
        1 + self.tangents
    }
}
