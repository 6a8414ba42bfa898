//! Second derivatives along a curve.

use std::ops::{Add, Div, Mul, Rem, Sub};

use super::Scalar;
use super::arithmetic::{derived_arithmetic, whole_quotient};

/// A number with its first and second derivative by one curve parameter.
///
/// The parts are derivatives, not Taylor coefficients: `second` is *not* divided by two.
///
/// ```
/// use liedae::scalar::{Scalar, Taylor2};
///
/// // The height of a wheel's rim, sin(ω t), with its velocity and acceleration.
/// let (omega, t) = (3.0, 0.2);
/// let height = (Taylor2::variable(t) * omega).sin();
/// assert_eq!(height.first, omega * (omega * t).cos());
/// assert_eq!(height.second, -omega * omega * (omega * t).sin());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Taylor2<S = f64> {
    /// The value.
    pub value: S,
    /// The first derivative.
    pub first: S,
    /// The second derivative.
    pub second: S,
}

impl<S: Scalar> Taylor2<S> {
    /// A point of a curve with its velocity and acceleration.
    #[inline]
    pub fn new(value: S, first: S, second: S) -> Self {
        Self {
            value,
            first,
            second,
        }
    }

    /// The curve parameter itself: first derivative one, second zero.
    #[inline]
    pub fn variable(value: S) -> Self {
        Self::new(value, S::one(), S::zero())
    }

    /// A number that does not move along the curve, from the scalar one level below.
    ///
    /// [`Scalar::constant`] is the same from an `f64`.
    #[inline]
    pub fn from_value(value: S) -> Self {
        Self::new(value, S::zero(), S::zero())
    }

    /// `f(x)` from `f`, `f'` and `f''` at the value.
    #[inline]
    fn chain(self, f: S, slope: S, curvature: S) -> Self {
        Self {
            value: f,
            first: slope * self.first,
            // (f ∘ x)'' = f'' x'² + f' x''.
            second: curvature * self.first * self.first + slope * self.second,
        }
    }

    #[inline]
    fn map_value(mut self, change: impl Fn(S) -> S) -> Self {
        self.value = change(self.value);
        self
    }

    #[inline]
    fn map_parts(self, change: impl Fn(S) -> S) -> Self {
        Self {
            value: change(self.value),
            first: change(self.first),
            second: change(self.second),
        }
    }

    #[inline]
    fn is_constant(&self) -> bool {
        self.first.is_zero() && self.second.is_zero()
    }
}

derived_arithmetic!([S: Scalar] Taylor2<S>);

impl<S: Scalar> Add for Taylor2<S> {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            first: self.first + other.first,
            second: self.second + other.second,
        }
    }
}

impl<S: Scalar> Sub for Taylor2<S> {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self {
            value: self.value - other.value,
            first: self.first - other.first,
            second: self.second - other.second,
        }
    }
}

impl<S: Scalar> Mul for Taylor2<S> {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        Self {
            value: self.value * other.value,
            first: self.first * other.value + self.value * other.first,
            // (x y)'' = x'' y + 2 x' y' + x y''.
            second: self.second * other.value
                + self.first * other.first * 2.0
                + self.value * other.second,
        }
    }
}

impl<S: Scalar> Div for Taylor2<S> {
    type Output = Self;
    #[inline]
    fn div(self, other: Self) -> Self {
        // Differentiates `quotient * other = self` twice.
        let inverse = other.value.recip();
        let value = self.value / other.value;
        let first = (self.first - value * other.first) * inverse;
        let second = (self.second - first * other.first * 2.0 - value * other.second) * inverse;
        Self {
            value,
            first,
            second,
        }
    }
}

impl<S: Scalar> Rem for Taylor2<S> {
    type Output = Self;
    #[inline]
    fn rem(self, other: Self) -> Self {
        let rest = self.value % other.value;
        let times = whole_quotient(self.value.value(), other.value.value(), rest.value());
        Self {
            value: rest,
            first: self.first - other.first * times,
            second: self.second - other.second * times,
        }
    }
}

impl<S: Scalar> Scalar for Taylor2<S> {
    #[inline]
    fn constant(x: f64) -> Self {
        Self::from_value(S::constant(x))
    }
    #[inline]
    fn value(self) -> f64 {
        self.value.value()
    }
    #[inline]
    fn is_finite(self) -> bool {
        self.value.is_finite() && self.first.is_finite() && self.second.is_finite()
    }

    #[inline]
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        if self.value.value() == 0.0 && self.is_constant() {
            // The slope is infinite, but a number that does not move has derivative zero.
            return Self::from_value(root);
        }
        let slope = root.recip() * 0.5;
        // √x'' = -1/(4 x √x).
        self.chain(root, slope, -(slope * 0.5 / self.value))
    }
    #[inline]
    fn sin(self) -> Self {
        let (sin, cos) = self.value.sin_cos();
        self.chain(sin, cos, -sin)
    }
    #[inline]
    fn cos(self) -> Self {
        let (sin, cos) = self.value.sin_cos();
        self.chain(cos, -sin, -cos)
    }
    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = self.value.sin_cos();
        (self.chain(sin, cos, -sin), self.chain(cos, -sin, -cos))
    }
    #[inline]
    fn tan(self) -> Self {
        let tan = self.value.tan();
        let slope = tan * tan + 1.0;
        // tan'' = 2 tan tan'.
        self.chain(tan, slope, tan * slope * 2.0)
    }
    #[inline]
    fn asin(self) -> Self {
        let (slope, curvature) = arc_derivatives(self.value);
        self.chain(self.value.asin(), slope, curvature)
    }
    #[inline]
    fn acos(self) -> Self {
        let (slope, curvature) = arc_derivatives(self.value);
        self.chain(self.value.acos(), -slope, -curvature)
    }
    #[inline]
    fn atan(self) -> Self {
        let slope = (self.value * self.value + 1.0).recip();
        self.chain(self.value.atan(), slope, self.value * slope * slope * -2.0)
    }
    #[inline]
    fn atan2(self, other: Self) -> Self {
        // In the frame that rotates with the point (x, y) = (other, self): the angular velocity
        // and acceleration from the transverse and radial components. Scaled by the radius, since
        // its square may over- or underflow.
        let radius = self.value.hypot(other.value);
        let (sin, cos) = (self.value / radius, other.value / radius);
        let angular = (cos * self.first - sin * other.first) / radius;
        let radial = (cos * other.first + sin * self.first) / radius;
        Self {
            value: self.value.atan2(other.value),
            first: angular,
            second: (cos * self.second - sin * other.second) / radius - angular * radial * 2.0,
        }
    }
    #[inline]
    fn exp(self) -> Self {
        let exp = self.value.exp();
        self.chain(exp, exp, exp)
    }
    #[inline]
    fn ln(self) -> Self {
        let slope = self.value.recip();
        self.chain(self.value.ln(), slope, -(slope * slope))
    }
    #[inline]
    fn powi(self, n: i32) -> Self {
        match n {
            // Apart from the general case, which is 0 * infinity at zero.
            0 => Self::constant(1.0),
            1 => self,
            _ => {
                let factor = f64::from(n);
                self.chain(
                    self.value.powi(n),
                    self.value.powi(n.saturating_sub(1)) * factor,
                    self.value.powi(n.saturating_sub(2)) * (factor * (factor - 1.0)),
                )
            }
        }
    }
    #[inline]
    fn powf(self, p: f64) -> Self {
        if p == 0.0 {
            Self::constant(1.0)
        } else if p == 1.0 {
            self
        } else {
            self.chain(
                self.value.powf(p),
                self.value.powf(p - 1.0) * p,
                self.value.powf(p - 2.0) * (p * (p - 1.0)),
            )
        }
    }
    #[inline]
    fn abs(self) -> Self {
        if self.value().is_sign_negative() {
            -self
        } else {
            self
        }
    }
    #[inline]
    fn sinh(self) -> Self {
        let (sinh, cosh) = (self.value.sinh(), self.value.cosh());
        self.chain(sinh, cosh, sinh)
    }
    #[inline]
    fn cosh(self) -> Self {
        let (sinh, cosh) = (self.value.sinh(), self.value.cosh());
        self.chain(cosh, sinh, cosh)
    }
    #[inline]
    fn tanh(self) -> Self {
        let tanh = self.value.tanh();
        let slope = (S::one() - tanh) * (tanh + 1.0);
        // tanh'' = -2 tanh tanh'.
        self.chain(tanh, slope, tanh * slope * -2.0)
    }
    #[inline]
    fn recip(self) -> Self {
        let inverse = self.value.recip();
        let square = inverse * inverse;
        self.chain(inverse, -square, square * inverse * 2.0)
    }
    #[inline]
    fn hypot(self, other: Self) -> Self {
        let radius = self.value.hypot(other.value);
        let (cos, sin) = (self.value / radius, other.value / radius);
        let transverse = cos * other.first - sin * self.first;
        Self {
            value: radius,
            first: cos * self.first + sin * other.first,
            // The centripetal part keeps the radius from being linear in the coordinates.
            second: cos * self.second + sin * other.second + transverse * transverse / radius,
        }
    }
}

/// First and second derivative of the inverse sine; factored, since `1 - x^2` cancels near one.
#[inline]
fn arc_derivatives<S: Scalar>(x: S) -> (S, S) {
    let slope = ((S::one() - x) * (x + 1.0)).sqrt().recip();
    (slope, x * slope * slope * slope)
}
