//! The law of a contact at one moment.

/// The law of one contact in an [`ImpactSolver`](super::ImpactSolver): its rows are the normal one, then its tangents.
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
