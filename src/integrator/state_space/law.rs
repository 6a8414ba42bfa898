//! The integration formula of an implicit equation, and the settings of its Newton iteration.

/// How local coordinates follow from rates.
#[derive(Clone, Copy, Debug)]
pub(super) enum Displacement {
    /// u = u* + s a (Newmark, s = β h²; eq. 17).
    ByAcceleration(f64),
    /// u = u* + s dexp⁻¹(u) v (Runge-Kutta, s = γ h).
    ByVelocity(f64),
}

/// v = v* + c a, x = x* + c x', and the displacement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Law {
    pub slope: f64,
    pub displacement: Displacement,
    /// The step size, which sets the tolerance of accelerations.
    pub h: f64,
}

impl Law {
    /// ∂u/∂a where the displacement is linear in the independent accelerations.
    pub fn direct_slope(&self) -> f64 {
        match self.displacement {
            Displacement::ByAcceleration(s) => s,
            Displacement::ByVelocity(s) => s * self.slope,
        }
    }
}

/// When the Newton matrix is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refresh {
    /// In every iteration.
    Always,
    /// In the first iteration of a step, and again when convergence is slow.
    WhenSlow,
}

/// The stopping criterion of Newton's method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stop {
    /// A correction of accelerations below this tolerance.
    Correction(f64),
    /// What the independent equations lack, before a correction, below this fraction of their terms.
    Residual(f64),
}

/// Where Newton's method begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FirstGuess {
    /// The accelerations given, nothing else.
    Given,
    /// The accelerations given, or those of the displacement expected; the other ones if that fails.
    Robust,
}
