//! The numbers a problem function may be called with.
//!
//! A problem is written once, generically over [`Scalar`], and is then evaluated with `f64` for
//! values, with [`Dual`] for Jacobians and with [`Taylor2`] for second derivatives along a curve
//! (the hidden constraints of mechanical systems). Both derivative types nest in each other.
//! Closures, which cannot be generic, compute with [`Traced`].

mod arithmetic;
mod dual;
mod extremes;
mod sine;
mod taylor;
mod trace;
mod traced;

#[cfg(test)]
mod tests;

pub use dual::Dual;
pub(crate) use extremes::{
    LANES, Largest, larger_or_nan, larger_or_second, largest, smaller_or_second,
};
pub use taylor::Taylor2;
pub(crate) use trace::{Call, Trace, uses_lost_numbers};
pub use traced::Traced;

use std::fmt::Debug;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use num_traits::NumAssign;

/// A real number that may carry derivatives.
///
/// Comparisons (`==`, `<`, ...) see the real value only, so that branches are taken as the plain
/// `f64` evaluation takes them. [`num_traits::Zero::is_zero`] and [`num_traits::One::is_one`], in
/// contrast, ask all parts: linear algebra kernels skip work on them, which must not lose
/// derivatives.
///
/// Mixed arithmetic has the `f64` on the right: `x * 2.0`, `x + 1.0`. The bounds suffice for
/// sums, products, `dot` and `cross` of `nalgebra` matrices; a norm is `v.dot(&v).sqrt()`.
pub trait Scalar:
    Copy
    + Debug
    + PartialOrd
    + NumAssign
    + Neg<Output = Self>
    + Sum
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
    + AddAssign<f64>
    + SubAssign<f64>
    + MulAssign<f64>
    + DivAssign<f64>
    + From<f64>
    + Send
    + Sync
    + 'static
{
    /// The number `x` with all derivatives zero.
    fn constant(x: f64) -> Self;
    /// The real part.
    fn value(self) -> f64;
    /// Whether the value and every derivative are finite.
    fn is_finite(self) -> bool;

    /// Square root. At zero the derivative is infinite, except that of a part which does not vary.
    fn sqrt(self) -> Self;
    /// Sine.
    fn sin(self) -> Self;
    /// Cosine.
    fn cos(self) -> Self;
    /// Sine and cosine together.
    fn sin_cos(self) -> (Self, Self);
    /// Sines and cosines of several angles: half of the time for plain numbers.
    #[inline]
    fn sin_cos_all<const N: usize>(angles: [Self; N]) -> [(Self, Self); N] {
        std::array::from_fn(|index| angles[index].sin_cos())
    }
    /// Tangent.
    fn tan(self) -> Self;
    /// Inverse sine, in [-pi/2, pi/2].
    fn asin(self) -> Self;
    /// Inverse cosine, in [0, pi].
    fn acos(self) -> Self;
    /// Inverse tangent, in (-pi/2, pi/2).
    fn atan(self) -> Self;
    /// The angle of the point (`other`, `self`) in the plane, in [-pi, pi].
    fn atan2(self, other: Self) -> Self;
    /// Exponential.
    fn exp(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// Integer power; `x.powi(0)` is one, also at zero.
    fn powi(self, n: i32) -> Self;
    /// Power with a real exponent that carries no derivative.
    fn powf(self, p: f64) -> Self;
    /// Absolute value; the derivative is the sign, that of the floating-point zero at zero.
    fn abs(self) -> Self;
    /// Hyperbolic sine.
    fn sinh(self) -> Self;
    /// Hyperbolic cosine.
    fn cosh(self) -> Self;
    /// Hyperbolic tangent.
    fn tanh(self) -> Self;
    /// `1/x`.
    fn recip(self) -> Self;
    /// `sqrt(x^2 + y^2)` without overflow. Not differentiable where both vanish: NaN there.
    fn hypot(self, other: Self) -> Self;
    /// The smaller of two numbers with its derivatives; NaN if either is.
    #[inline]
    fn min(self, other: Self) -> Self {
        if other.value() < self.value() || other.value().is_nan() {
            other
        } else {
            self
        }
    }
    /// The larger of two numbers with its derivatives; NaN if either is.
    #[inline]
    fn max(self, other: Self) -> Self {
        if other.value() > self.value() || other.value().is_nan() {
            other
        } else {
            self
        }
    }
}

/// Forwards trait methods to the inherent functions of `f64`.
macro_rules! forward {
    ($($name:ident($($argument:ident: $kind:ty),*) -> $result:ty;)*) => {$(
        #[inline]
        fn $name(self $(, $argument: $kind)*) -> $result {
            f64::$name(self $(, $argument)*)
        }
    )*};
}

impl Scalar for f64 {
    #[inline]
    fn constant(x: f64) -> f64 {
        x
    }
    #[inline]
    fn value(self) -> f64 {
        self
    }
    #[inline]
    fn sin(self) -> f64 {
        sine::sin_cos(self).0
    }
    #[inline]
    fn cos(self) -> f64 {
        sine::sin_cos(self).1
    }
    #[inline]
    fn sin_cos(self) -> (f64, f64) {
        sine::sin_cos(self)
    }
    #[inline]
    fn sin_cos_all<const N: usize>(angles: [f64; N]) -> [(f64, f64); N] {
        sine::sin_cos_all(angles)
    }
    forward! {
        is_finite() -> bool;
        sqrt() -> f64;
        tan() -> f64;
        asin() -> f64;
        acos() -> f64;
        atan() -> f64;
        atan2(other: f64) -> f64;
        exp() -> f64;
        ln() -> f64;
        powi(n: i32) -> f64;
        powf(p: f64) -> f64;
        abs() -> f64;
        sinh() -> f64;
        cosh() -> f64;
        tanh() -> f64;
        recip() -> f64;
        hypot(other: f64) -> f64;
    }
}
