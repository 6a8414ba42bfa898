//! Prescribed functions of time with their first two derivatives.

use liedae::scalar::{Scalar, Taylor2};
use std::fmt;
use std::sync::Arc;

/// How far pieces may be apart where one goes over into the next, in units of 1 and of their size: numbers in files are rounded.
const JUMP: f64 = 1e-9;

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
    /// amplitude (1 - cos(rate t)), to the last digit where t is small: a wave that begins at rest.
    Versine {
        /// Half of the largest excursion.
        amplitude: f64,
        /// Angular frequency in rad/s.
        rate: f64,
    },
    /// to + (from - to) exp(-t / time): what a first-order lag makes of a step at t = 0.
    Approach {
        /// Value at t = 0.
        from: f64,
        /// Value at last.
        to: f64,
        /// Time constant in s, within which the difference falls by e.
        time: f64,
    },
    /// The sum of several.
    Sum(Vec<Motion>),
    /// One after the other, each up to its moment in s, and the last one from there on. All count time from the same zero.
    ///
    /// The moments are time events of a mechanism. What drives a joint has to be continuous there, with its rate.
    ///
    /// ```
    /// use liedae_multibody::Motion;
    ///
    /// // A shaft that gains 2 rad/s every second up to t = 3 s, and then keeps its 6 rad/s.
    /// let run_up = Motion::Polynomial(vec![0.0, 0.0, 1.0]);
    /// let shaft = Motion::Pieces(vec![(run_up, 3.0)], Box::new(Motion::linear(-9.0, 6.0)));
    /// assert_eq!(shaft.at(2.0).value, 4.0);
    /// assert_eq!((shaft.at(3.0).value, shaft.at(3.0).first, shaft.at(3.0).second), (9.0, 6.0, 0.0));
    /// assert_eq!(shaft.moments(), [3.0]);
    /// ```
    Pieces(Vec<(Motion, f64)>, Box<Motion>),
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
            &Self::Versine { amplitude, rate } => {
                // 1 - cos x = 2 sin²(x/2) does not cancel.
                let half = (0.5 * rate * t).sin();
                let (sin, cos) = (rate * t).sin_cos();
                Taylor2::new(
                    2.0 * amplitude * half * half,
                    amplitude * rate * sin,
                    amplitude * rate * rate * cos,
                )
            }
            &Self::Approach { from, to, time } => {
                let left = (to - from) * (-t / time).exp();
                // 1 - exp(-t / time) to the last digit where t is small.
                let value = from + (to - from) * -(-t / time).exp_m1();
                Taylor2::new(value, left / time, -left / (time * time))
            }
            Self::Sum(parts) => {
                let mut parts = parts.iter().map(|part| part.at(t));
                let first = parts.next().unwrap_or(Taylor2::constant(0.0));
                parts.fold(first, |sum, part| sum + part)
            }
            Self::Pieces(pieces, last) => {
                let mut pieces = pieces.iter();
                let now = pieces.find(|(_, until)| t < *until);
                now.map_or(&**last, |(piece, _)| piece).at(t)
            }
            Self::Custom(function) => function(Taylor2::variable(t)),
        }
    }

    /// Moments in s at which it goes over from one piece to the next.
    pub fn moments(&self) -> Vec<f64> {
        match self {
            Self::Sum(parts) => parts.iter().flat_map(Self::moments).collect(),
            Self::Pieces(pieces, last) => {
                let own = pieces.iter().flat_map(|(piece, until)| {
                    let mut moments = piece.moments();
                    moments.push(*until);
                    moments
                });
                own.chain(last.moments()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The first moment at which the value or its rate jumps, with the jumps of both.
    pub(crate) fn jump(&self) -> Option<(f64, [f64; 2])> {
        match self {
            Self::Sum(parts) => parts.iter().find_map(Self::jump),
            Self::Pieces(pieces, last) => {
                let behind = pieces.iter().skip(1).map(|(piece, _)| piece);
                let behind = behind.chain(std::iter::once(&**last));
                let mut pairs = pieces.iter().zip(behind);
                pairs.find_map(|((piece, until), next)| {
                    let (before, after) = (piece.at(*until), next.at(*until));
                    let jump = |one: f64, two: f64| {
                        let size = 1.0 + one.abs().max(two.abs());
                        (one - two).abs() > JUMP * size
                    };
                    let jumps = jump(before.value, after.value) || jump(before.first, after.first);
                    let by = [after.value - before.value, after.first - before.first];
                    jumps.then_some((*until, by))
                })
            }
            _ => None,
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
            Self::Versine { amplitude, rate } => {
                write!(formatter, "Versine({amplitude} (1 - cos({rate} t)))")
            }
            Self::Approach { from, to, time } => {
                write!(
                    formatter,
                    "Approach({to} + ({from} - {to}) exp(-t / {time}))"
                )
            }
            Self::Sum(parts) => formatter.debug_tuple("Sum").field(parts).finish(),
            Self::Pieces(pieces, last) => {
                let mut list = formatter.debug_tuple("Pieces");
                list.field(pieces).field(last).finish()
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
            (
                Motion::Versine {
                    amplitude: 0.3,
                    rate: 2.0,
                },
                Motion::custom(|t| ((t * 2.0).cos() * -1.0 + 1.0) * 0.3),
            ),
            (
                Motion::Approach {
                    from: 1.0,
                    to: 3.0,
                    time: 0.2,
                },
                Motion::custom(|t| (t * -5.0).exp() * -2.0 + 3.0),
            ),
            (
                Motion::Sum(vec![
                    Motion::linear(1.0, 2.0),
                    Motion::harmonic(0.0, 0.5, 3.0, 0.0),
                ]),
                Motion::custom(|t| t * 2.0 + 1.0 + (t * 3.0).sin() * 0.5),
            ),
        ];
        for (given, closure) in pairs {
            let (a, b) = (given.at(0.7), closure.at(0.7));
            for (x, y) in [(a.value, b.value), (a.first, b.first), (a.second, b.second)] {
                assert!((x - y).abs() < 1e-13, "{given:?}: {x} {y}");
            }
        }
    }

    #[test]
    fn pieces_go_over_at_their_moments() {
        let quarter = |end: f64| {
            let rise = Motion::Polynomial(vec![0.0, 0.0, 1.0]);
            Motion::Pieces(vec![(rise, 2.0)], Box::new(Motion::linear(end, 4.0)))
        };
        let smooth = quarter(-4.0);
        assert_eq!([1.0, 2.0, 3.0].map(|t| smooth.value(t)), [1.0, 4.0, 8.0]);
        assert_eq!((smooth.moments(), smooth.jump()), (vec![2.0], None));
        // The sum has the moments of its parts, and their jumps.
        let sum = Motion::Sum(vec![Motion::from(1.0), quarter(-3.0)]);
        assert_eq!(
            (sum.moments(), sum.jump()),
            (vec![2.0], Some((2.0, [1.0, 0.0])))
        );
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
