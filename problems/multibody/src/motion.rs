//! Prescribed functions of time with their first two derivatives.

use liedae::scalar::{Scalar, Taylor2};
use std::fmt;
use std::sync::Arc;

/// A function of time that a drive or a constraint follows.
#[derive(Clone)]
pub enum Motion {
    /// Always the same value.
    Constant(f64),
    /// c\[0\] + c\[1\] t + c\[2\] t² + ...
    Polynomial(Vec<f64>),
    /// offset + amplitude sin(rate t + phase).
    Harmonic {
        /// Mean value.
        offset: f64,
        /// Amplitude.
        amplitude: f64,
        /// Angular frequency in rad/s.
        rate: f64,
        /// Phase at t = 0 in rad.
        phase: f64,
    },
    /// Any function, written for numbers that carry two derivatives.
    Custom(Arc<dyn Fn(Taylor2) -> Taylor2 + Send + Sync>),
}

/// What a drive prescribes.
#[derive(Clone, Debug)]
pub enum Drive {
    /// The angle about the axis of a revolute or cylindrical joint in rad, from x₁ to x₂.
    Angle(Motion),
    /// The displacement along the axis of a translational or cylindrical joint in m, from P₁ to P₂ along z₁.
    Translation(Motion),
}

impl Motion {
    /// value + rate t.
    pub fn linear(value: f64, rate: f64) -> Self {
        Self::Polynomial(vec![value, rate])
    }

    /// amplitude sin(rate t + phase) about `offset`; `rate` in rad/s.
    pub fn harmonic(offset: f64, amplitude: f64, rate: f64, phase: f64) -> Self {
        Self::Harmonic {
            offset,
            amplitude,
            rate,
            phase,
        }
    }

    /// A function of time, from which both derivatives follow exactly.
    ///
    /// ```
    /// use liedae::scalar::Scalar;
    /// use liedae_multibody::Motion;
    /// let ramp = Motion::custom(|t| (t * 3.0).tanh());
    /// assert!((ramp.at(0.0).first - 3.0).abs() < 1e-15);
    /// ```
    pub fn custom(function: impl Fn(Taylor2) -> Taylor2 + Send + Sync + 'static) -> Self {
        Self::Custom(Arc::new(function))
    }

    /// Value and both time derivatives at `t`.
    pub fn at(&self, t: f64) -> Taylor2 {
        match self {
            Self::Constant(value) => Taylor2::constant(*value),
            Self::Polynomial(coefficients) => {
                let t = Taylor2::variable(t);
                // Horner's scheme, from the highest power.
                coefficients
                    .iter()
                    .rev()
                    .fold(Taylor2::constant(0.0), |sum, &coefficient| {
                        sum * t + coefficient
                    })
            }
            Self::Harmonic {
                offset,
                amplitude,
                rate,
                phase,
            } => {
                let (sin, cos) = (rate * t + phase).sin_cos();
                Taylor2::new(
                    offset + amplitude * sin,
                    amplitude * rate * cos,
                    -amplitude * rate * rate * sin,
                )
            }
            Self::Custom(function) => function(Taylor2::variable(t)),
        }
    }

    /// The value at `t`.
    #[inline]
    pub fn value(&self, t: f64) -> f64 {
        match self {
            Self::Constant(value) => *value,
            _ => self.at(t).value,
        }
    }

    /// The function of a time that carries derivatives up to the second order.
    #[inline]
    pub fn evaluate<S: Scalar>(&self, t: S) -> S {
        if let Self::Constant(value) = self {
            return S::constant(*value);
        }
        let at = self.at(t.value());
        // The increment has value zero, so this polynomial is exact in value and first two derivatives.
        let increment = t - t.value();
        increment * increment * (0.5 * at.second) + increment * at.first + at.value
    }

    /// Whether value and derivatives are finite at `t`.
    pub(crate) fn is_finite(&self, t: f64) -> bool {
        let at = self.at(t);
        at.value.is_finite() && at.first.is_finite() && at.second.is_finite()
    }
}

impl From<f64> for Motion {
    fn from(value: f64) -> Self {
        Self::Constant(value)
    }
}

impl fmt::Debug for Motion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => write!(formatter, "Constant({value})"),
            Self::Polynomial(coefficients) => write!(formatter, "Polynomial({coefficients:?})"),
            Self::Harmonic {
                offset,
                amplitude,
                rate,
                phase,
            } => {
                write!(
                    formatter,
                    "Harmonic({offset} + {amplitude} sin({rate} t + {phase}))"
                )
            }
            Self::Custom(_) => formatter.write_str("Custom"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructors_agree_with_closures() {
        let pairs = [
            (
                Motion::linear(1.5, -2.0),
                Motion::custom(|t| t * -2.0 + 1.5),
            ),
            (
                Motion::Polynomial(vec![1.0, 0.0, -3.0, 0.5]),
                Motion::custom(|t| t * t * t * 0.5 - t * t * 3.0 + 1.0),
            ),
            (
                Motion::harmonic(0.3, 2.0, 4.0, 0.1),
                Motion::custom(|t| (t * 4.0 + 0.1).sin() * 2.0 + 0.3),
            ),
            (Motion::from(7.0), Motion::custom(|t| t * 0.0 + 7.0)),
        ];
        for (given, closure) in pairs {
            let (a, b) = (given.at(0.7), closure.at(0.7));
            for (x, y) in [(a.value, b.value), (a.first, b.first), (a.second, b.second)] {
                assert!((x - y).abs() < 1e-13, "{given:?}: {x} {y}");
            }
        }
    }

    #[test]
    fn composition_carries_derivatives() {
        let motion = Motion::harmonic(0.0, 1.0, 2.0, 0.0);
        let inner = Taylor2::new(0.4, 3.0, -1.0);
        let (expected, found) = ((inner * 2.0).sin(), motion.evaluate(inner));
        assert!((expected.value - found.value).abs() < 1e-15);
        assert!((expected.first - found.first).abs() < 1e-14);
        assert!((expected.second - found.second).abs() < 1e-13);
    }
}
