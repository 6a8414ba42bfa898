//! Coefficients of the generalized-alpha family.

use std::fmt;
use thiserror::Error;

/// Coefficients that cannot be used.
///
/// ```
/// use liedae::integrator::{AlphaCoefficients, AlphaCoefficientsError};
///
/// // With a spectral radius beyond 1 errors would grow from step to step.
/// assert_eq!(AlphaCoefficients::from_spectral_radius(1.1), Err(AlphaCoefficientsError::SpectralRadius(1.1)));
/// // HHT-alpha is stable with any step for α from -1/3 to 0.
/// assert_eq!(AlphaCoefficients::hht(-0.5), Err(AlphaCoefficientsError::Hht(-0.5)));
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
pub enum AlphaCoefficientsError {
    /// The spectral radius is no such thing.
    #[error("the spectral radius at infinity must lie in [0, 1], not {0}")]
    SpectralRadius(f64),
    /// Outside the range in which HHT-alpha is unconditionally stable.
    #[error("the parameter of HHT-alpha must lie in [-1/3, 0], not {0}")]
    Hht(f64),
    /// Two rules for the same coefficients.
    #[error("give the spectral radius at infinity or the parameter of HHT-alpha, not both")]
    Both,
}

/// Coefficients αm, αf, β, γ of a generalized-alpha method of second order with unconditional linear stability.
///
/// Both constructors have γ = 1/2 + αf - αm (order 2) and β = (γ + 1/2)²/4 (most damping of high frequencies), Haddouni
/// et al. 2017, below eq. 16, doi:10.1007/s11044-017-9570-y.
///
/// ```
/// use liedae::integrator::AlphaCoefficients;
///
/// // Chung and Hulbert's choice for a spectral radius of 0.8.
/// let alpha = AlphaCoefficients::from_spectral_radius(0.8)?;
/// assert!((alpha.alpha_m() - 0.6 / 1.8).abs() < 1e-15 && (alpha.alpha_f() - 0.8 / 1.8).abs() < 1e-15);
/// // Without damping it is the trapezoidal rule in Newmark's form.
/// let trapezoidal = AlphaCoefficients::hht(0.0)?;
/// assert_eq!((trapezoidal.beta(), trapezoidal.gamma()), (0.25, 0.5));
/// # Ok::<(), liedae::integrator::AlphaCoefficientsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlphaCoefficients {
    alpha_m: f64,
    alpha_f: f64,
    beta: f64,
    gamma: f64,
    spectral_radius: f64,
}

impl AlphaCoefficients {
    /// The spectral radius of the default coefficients; the documentation of
    /// [`GeneralizedAlpha`](crate::integrator::GeneralizedAlpha) says why.
    pub const DEFAULT_SPECTRAL_RADIUS: f64 = 0.8;

    /// Least damping of low frequencies for a given spectral radius ρ at infinite frequency (Chung and Hulbert 1993,
    /// doi:10.1115/1.2900803): αm = (2ρ - 1)/(ρ + 1), αf = ρ/(ρ + 1). ρ = 1 conserves the amplitude of every frequency,
    /// ρ = 0 annihilates the highest ones in one step.
    ///
    /// # Errors
    /// Unless ρ lies in [0, 1].
    pub fn from_spectral_radius(radius: f64) -> Result<Self, AlphaCoefficientsError> {
        if (0.0..=1.0).contains(&radius) {
            Ok(Self::of_second_order(
                (2.0 * radius - 1.0) / (radius + 1.0),
                radius / (radius + 1.0),
                radius,
            ))
        } else {
            Err(AlphaCoefficientsError::SpectralRadius(radius))
        }
    }

    /// The method of Hilber, Hughes and Taylor 1977 (doi:10.1002/eqe.4290050306) for α in [-1/3, 0]: αm = 0, αf = -α.
    /// Its spectral radius at infinity is (1 + α)/(1 - α).
    ///
    /// # Errors
    /// Unless α lies in [-1/3, 0].
    pub fn hht(alpha: f64) -> Result<Self, AlphaCoefficientsError> {
        if (-1.0 / 3.0..=0.0).contains(&alpha) {
            Ok(Self::of_second_order(
                0.0,
                -alpha,
                (1.0 + alpha) / (1.0 - alpha),
            ))
        } else {
            Err(AlphaCoefficientsError::Hht(alpha))
        }
    }

    fn of_second_order(alpha_m: f64, alpha_f: f64, spectral_radius: f64) -> Self {
        let gamma = 0.5 + alpha_f - alpha_m;
        Self {
            alpha_m,
            alpha_f,
            beta: 0.25 * (gamma + 0.5).powi(2),
            gamma,
            spectral_radius,
        }
    }

    /// αm, the weight of the old acceleration-like variable.
    pub fn alpha_m(&self) -> f64 {
        self.alpha_m
    }

    /// αf, the weight of the old acceleration.
    pub fn alpha_f(&self) -> f64 {
        self.alpha_f
    }

    /// Newmark's β.
    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// Newmark's γ.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// The factor by which infinitely fast oscillations are damped in a step.
    pub fn spectral_radius(&self) -> f64 {
        self.spectral_radius
    }

    /// Δ = αm - αf: a_n approximates v' at the time t_n + Δ h.
    pub(crate) fn shift(&self) -> f64 {
        self.alpha_m - self.alpha_f
    }

    /// C in q(t + h) - q_{n+1} = C h³ v'' + O(h⁴), apart from the bracket of the group.
    pub(crate) fn position_error(&self) -> f64 {
        // The position formula's h³ p without bracket: (1/6 - β - Δ/2) v''.
        1.0 / 6.0 - self.beta - 0.5 * self.shift()
    }

    /// ∂a_{n+1}/∂v'_{n+1}.
    pub(crate) fn slope(&self) -> f64 {
        (1.0 - self.alpha_f) / (1.0 - self.alpha_m)
    }
}

impl fmt::Display for AlphaCoefficients {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "alpha_m {}, alpha_f {}, beta {}, gamma {}",
            self.alpha_m, self.alpha_f, self.beta, self.gamma
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Newmark's average acceleration method is the undamped end of both families.
    #[test]
    fn the_families_meet_at_the_trapezoidal_rule_and_report_their_radius() {
        let newmark = AlphaCoefficients::hht(0.0).unwrap();
        assert_eq!((newmark.beta(), newmark.gamma()), (0.25, 0.5));
        assert_eq!(newmark.spectral_radius(), 1.0);
        let undamped = AlphaCoefficients::from_spectral_radius(1.0).unwrap();
        assert_eq!((undamped.beta(), undamped.gamma()), (0.25, 0.5));
        let error = undamped.position_error();
        assert!((error + 1.0 / 12.0).abs() < 1e-15, "{error}");
    }

    #[test]
    fn what_is_outside_the_families_is_refused() {
        for radius in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            let found = AlphaCoefficients::from_spectral_radius(radius).unwrap_err();
            assert!(matches!(found, AlphaCoefficientsError::SpectralRadius(_)));
        }
        for alpha in [-0.4, 0.1, f64::NAN] {
            let found = AlphaCoefficients::hht(alpha).unwrap_err();
            assert!(matches!(found, AlphaCoefficientsError::Hht(_)));
        }
    }
}
