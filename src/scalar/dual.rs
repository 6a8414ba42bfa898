//! Forward-mode first derivatives.

use std::ops::{Add, Div, Mul, Rem, Sub};

use super::Scalar;
use super::arithmetic::{derived_arithmetic, whole_quotient};

/// A number with its gradient with respect to `N` parameters (forward-mode differentiation).
///
/// The parts are themselves [`Scalar`]s, so `Dual<N, Dual<M>>` carries mixed second derivatives:
/// `x.gradient[i].gradient[j]`.
///
/// ```
/// use liedae::scalar::{Dual, Scalar};
///
/// // f(x, y) = x sin y with its gradient at (2, 0.5).
/// let [x, y] = [Dual::<2>::variable(2.0, 0), Dual::variable(0.5, 1)];
/// let f = x * y.sin();
/// assert_eq!(f.gradient, [0.5_f64.sin(), 2.0 * 0.5_f64.cos()]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Dual<const N: usize, S = f64> {
    /// The value.
    pub value: S,
    /// The derivative by each of the `N` parameters.
    pub gradient: [S; N],
}

impl<const N: usize, S: Scalar> Dual<N, S> {
    /// A value with a given gradient.
    #[inline]
    pub fn new(value: S, gradient: [S; N]) -> Self {
        Self { value, gradient }
    }

    /// The parameter number `index`: gradient one there, zero elsewhere.
    ///
    /// An `index` of `N` or more gives a number that depends on no parameter.
    #[inline]
    pub fn variable(value: S, index: usize) -> Self {
        let mut gradient = [S::zero(); N];
        if let Some(seed) = gradient.get_mut(index) {
            *seed = S::one();
        }
        Self { value, gradient }
    }

    /// A number that does not depend on the parameters, from the scalar one level below.
    ///
    /// [`Scalar::constant`] is the same from an `f64`.
    #[inline]
    pub fn from_value(value: S) -> Self {
        Self {
            value,
            gradient: [S::zero(); N],
        }
    }

    /// `f(x)` from `f` and `f'` at the value.
    #[inline]
    fn chain(mut self, f: S, slope: S) -> Self {
        self.value = f;
        for part in &mut self.gradient {
            *part *= slope;
        }
        self
    }

    /// `f(x, y)` from `f` and its two partial derivatives at the values.
    #[inline]
    fn chain2(mut self, other: Self, f: S, by_self: S, by_other: S) -> Self {
        self.value = f;
        for (part, term) in self.gradient.iter_mut().zip(other.gradient) {
            *part = *part * by_self + term * by_other;
        }
        self
    }

    #[inline]
    fn map_value(mut self, change: impl Fn(S) -> S) -> Self {
        self.value = change(self.value);
        self
    }

    #[inline]
    fn map_parts(mut self, change: impl Fn(S) -> S) -> Self {
        self.value = change(self.value);
        for part in &mut self.gradient {
            *part = change(*part);
        }
        self
    }

    #[inline]
    fn is_constant(&self) -> bool {
        self.gradient.iter().all(|part| part.is_zero())
    }
}

derived_arithmetic!([const N: usize, S: Scalar] Dual<N, S>);

impl<const N: usize, S: Scalar> Add for Dual<N, S> {
    type Output = Self;
    #[inline]
    fn add(mut self, other: Self) -> Self {
        self.value += other.value;
        for (part, term) in self.gradient.iter_mut().zip(other.gradient) {
            *part += term;
        }
        self
    }
}

impl<const N: usize, S: Scalar> Sub for Dual<N, S> {
    type Output = Self;
    #[inline]
    fn sub(mut self, other: Self) -> Self {
        self.value -= other.value;
        for (part, term) in self.gradient.iter_mut().zip(other.gradient) {
            *part -= term;
        }
        self
    }
}

impl<const N: usize, S: Scalar> Mul for Dual<N, S> {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        self.chain2(other, self.value * other.value, other.value, self.value)
    }
}

impl<const N: usize, S: Scalar> Div for Dual<N, S> {
    type Output = Self;
    #[inline]
    fn div(self, other: Self) -> Self {
        let inverse = other.value.recip();
        let quotient = self.value / other.value;
        // d(x/y) = dx/y - (x/y) dy/y.
        self.chain2(other, quotient, inverse, -(quotient * inverse))
    }
}

impl<const N: usize, S: Scalar> Rem for Dual<N, S> {
    type Output = Self;
    #[inline]
    fn rem(self, other: Self) -> Self {
        let rest = self.value % other.value;
        let times = whole_quotient(self.value.value(), other.value.value(), rest.value());
        // x % y is x - n y where n does not change.
        self.chain2(other, rest, S::one(), S::constant(-times))
    }
}

impl<const N: usize, S: Scalar> Scalar for Dual<N, S> {
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
        self.value.is_finite() && self.gradient.iter().all(|part| part.is_finite())
    }

    #[inline]
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        let slope = root.recip() * 0.5;
        if self.value.value() == 0.0 {
            // The slope is infinite: do not let it turn parts that do not vary into NaN.
            let mut result = self;
            result.value = root;
            for part in &mut result.gradient {
                if !part.is_zero() {
                    *part *= slope;
                }
            }
            return result;
        }
        self.chain(root, slope)
    }
    #[inline]
    fn sin(self) -> Self {
        let (sin, cos) = self.value.sin_cos();
        self.chain(sin, cos)
    }
    #[inline]
    fn cos(self) -> Self {
        let (sin, cos) = self.value.sin_cos();
        self.chain(cos, -sin)
    }
    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = self.value.sin_cos();
        (self.chain(sin, cos), self.chain(cos, -sin))
    }
    #[inline]
    fn sin_cos_all<const K: usize>(angles: [Self; K]) -> [(Self, Self); K] {
        let values: [_; K] = S::sin_cos_all(std::array::from_fn(|index| angles[index].value));
        std::array::from_fn(|index| {
            let (sin, cos) = values[index];
            (
                angles[index].chain(sin, cos),
                angles[index].chain(cos, -sin),
            )
        })
    }
    #[inline]
    fn tan(self) -> Self {
        let tan = self.value.tan();
        // tan' = 1 + tan².
        self.chain(tan, tan * tan + 1.0)
    }
    #[inline]
    fn asin(self) -> Self {
        self.chain(self.value.asin(), arc_slope(self.value))
    }
    #[inline]
    fn acos(self) -> Self {
        self.chain(self.value.acos(), -arc_slope(self.value))
    }
    #[inline]
    fn atan(self) -> Self {
        let slope = (self.value * self.value + 1.0).recip();
        self.chain(self.value.atan(), slope)
    }
    #[inline]
    fn atan2(self, other: Self) -> Self {
        // Through the radius, since its square may over- or underflow.
        let radius = self.value.hypot(other.value);
        // d atan2(y, x) = (x dy - y dx) / r².
        let by_self = other.value / radius / radius;
        let by_other = -(self.value / radius / radius);
        self.chain2(other, self.value.atan2(other.value), by_self, by_other)
    }
    #[inline]
    fn exp(self) -> Self {
        let exp = self.value.exp();
        self.chain(exp, exp)
    }
    #[inline]
    fn ln(self) -> Self {
        self.chain(self.value.ln(), self.value.recip())
    }
    #[inline]
    fn powi(self, n: i32) -> Self {
        match n {
            // Apart from the general case, which is 0 * infinity at zero.
            0 => Self::constant(1.0),
            1 => self,
            _ => {
                let slope = self.value.powi(n.saturating_sub(1)) * f64::from(n);
                self.chain(self.value.powi(n), slope)
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
            self.chain(self.value.powf(p), self.value.powf(p - 1.0) * p)
        }
    }
    #[inline]
    fn abs(self) -> Self {
        // By the sign bit: -0 has a derivative, too.
        if self.value().is_sign_negative() {
            -self
        } else {
            self
        }
    }
    #[inline]
    fn sinh(self) -> Self {
        self.chain(self.value.sinh(), self.value.cosh())
    }
    #[inline]
    fn cosh(self) -> Self {
        self.chain(self.value.cosh(), self.value.sinh())
    }
    #[inline]
    fn tanh(self) -> Self {
        let tanh = self.value.tanh();
        // 1 - tanh², factored: it cancels near one.
        self.chain(tanh, (S::one() - tanh) * (tanh + 1.0))
    }
    #[inline]
    fn recip(self) -> Self {
        let inverse = self.value.recip();
        self.chain(inverse, -(inverse * inverse))
    }
    #[inline]
    fn hypot(self, other: Self) -> Self {
        let radius = self.value.hypot(other.value);
        self.chain2(other, radius, self.value / radius, other.value / radius)
    }
}

/// The derivative of the inverse sine; factored, since `1 - x^2` cancels near one.
#[inline]
fn arc_slope<S: Scalar>(x: S) -> S {
    ((S::one() - x) * (x + 1.0)).sqrt().recip()
}
