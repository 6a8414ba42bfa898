//! Numbers that closures compute with, and derive through.

use super::Scalar;
use super::trace::{Operation, Origin, binary, unary};
use num_traits::{Num, One, Zero};
use std::cmp::Ordering;
use std::iter::Sum;
use std::ops::{
    Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign,
};

/// The number that closures of [`model`](crate::model) compute with.
///
/// A closure cannot be generic over the [`Scalar`]. Its numbers therefore remember, where derivatives are wanted, how they were
/// computed; the framework repeats the same operations with [`Dual`](super::Dual) and [`Taylor2`](super::Taylor2). So
/// derivatives are exact to any order, and equal to those of a generic function. Where no derivatives are wanted, it is a plain
/// number.
///
/// It has all functions of [`Scalar`], and may be passed to functions that are generic over it. An `f64` may stand on either
/// side of `+ - * /`, and becomes one by `into`. Comparisons see the value, and each evaluation follows its own branches.
/// What is taken out by [`Scalar::value`] loses its derivatives. A number belongs to the call of the closure that it was given to:
/// one that is kept for a later call, or taken to another thread, has become NaN there, and the run ends with the error
/// [`KeptNumber`](crate::system::KeptNumber), whatever the method.
///
/// ```
/// use liedae::scalar::{Scalar, Traced};
///
/// let x = Traced::from(3.0);
/// assert_eq!((2.0 * x + 1.0).sqrt().value(), 7.0_f64.sqrt());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Traced {
    value: f64,
    origin: Origin,
}

impl Traced {
    #[inline]
    pub(super) fn at(value: f64, origin: Origin) -> Self {
        Self { value, origin }
    }

    #[inline]
    pub(super) fn origin(self) -> Origin {
        self.origin
    }
}

impl From<f64> for Traced {
    #[inline]
    fn from(value: f64) -> Self {
        Self::at(value, Origin::NONE)
    }
}

impl PartialEq for Traced {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        let [one, two] = [self, other].map(|number| number.origin.compared(number.value));
        one == two
    }
}

impl PartialOrd for Traced {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let [one, two] = [self, other].map(|number| number.origin.compared(number.value));
        one.partial_cmp(&two)
    }
}

/// An operator among numbers, with an `f64` on either side, and as an assignment. `$constant` stands for an `f64` on the right,
/// and for a number that is constant where the bits are the same.
macro_rules! operator {
    ($trait:ident $method:ident $assign:ident $assign_method:ident $operator:tt, $constant:ident, on_left: $left:literal, on_right: $right:literal) => {
        impl $trait for Traced {
            type Output = Self;
            #[inline]
            fn $method(self, other: Self) -> Self {
                binary(self, other, self.value $operator other.value, Operation::$trait, |a, constant, right| {
                    (if right { $right } else { $left }).then_some(Operation::$constant(a, constant))
                })
            }
        }

        impl $trait<f64> for Traced {
            type Output = Self;
            #[inline]
            fn $method(self, other: f64) -> Self {
                unary(self, self.value $operator other, |a| Operation::$constant(a, other))
            }
        }

        impl $trait<Traced> for f64 {
            type Output = Traced;
            #[inline]
            fn $method(self, other: Traced) -> Traced {
                Traced::from(self) $operator other
            }
        }

        impl $assign for Traced {
            #[inline]
            fn $assign_method(&mut self, other: Self) {
                *self = *self $operator other;
            }
        }

        impl $assign<f64> for Traced {
            #[inline]
            fn $assign_method(&mut self, other: f64) {
                *self = *self $operator other;
            }
        }
    };
}

operator!(Add add AddAssign add_assign +, AddConstant, on_left: true, on_right: true);
operator!(Sub sub SubAssign sub_assign -, SubConstant, on_left: false, on_right: true);
operator!(Mul mul MulAssign mul_assign *, MulConstant, on_left: true, on_right: true);
// A generic function multiplies by the inverse of a number, constant or not, and divides by an `f64`: the last bit differs.
operator!(Div div DivAssign div_assign /, DivConstant, on_left: false, on_right: false);

impl Rem for Traced {
    type Output = Self;
    #[inline]
    fn rem(self, other: Self) -> Self {
        let value = self.value % other.value;
        binary(self, other, value, Operation::Rem, |_, _, _| None)
    }
}

impl RemAssign for Traced {
    #[inline]
    fn rem_assign(&mut self, other: Self) {
        *self = *self % other;
    }
}

impl Neg for Traced {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        unary(self, -self.value, Operation::Neg)
    }
}

impl Sum for Traced {
    #[inline]
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::zero(), |sum, term| sum + term)
    }
}

impl Zero for Traced {
    #[inline]
    fn zero() -> Self {
        Self::from(0.0)
    }
    #[inline]
    fn is_zero(&self) -> bool {
        self.value == 0.0 && self.origin.is_none()
    }
}

impl One for Traced {
    #[inline]
    fn one() -> Self {
        Self::from(1.0)
    }
    #[inline]
    fn is_one(&self) -> bool {
        self.value == 1.0 && self.origin.is_none()
    }
}

impl Num for Traced {
    type FromStrRadixErr = <f64 as Num>::FromStrRadixErr;
    fn from_str_radix(text: &str, radix: u32) -> Result<Self, Self::FromStrRadixErr> {
        <f64 as Num>::from_str_radix(text, radix).map(Self::from)
    }
}

/// Functions of one number.
macro_rules! functions {
    ($($method:ident $operation:ident;)*) => {$(
        #[inline]
        fn $method(self) -> Self {
            unary(self, <f64 as Scalar>::$method(self.value), Operation::$operation)
        }
    )*};
}

impl Scalar for Traced {
    #[inline]
    fn constant(x: f64) -> Self {
        Self::from(x)
    }
    #[inline]
    fn value(self) -> f64 {
        self.value
    }
    #[inline]
    fn is_finite(self) -> bool {
        self.value.is_finite()
    }
    functions! {
        sqrt Sqrt;
        sin Sin;
        cos Cos;
        tan Tan;
        asin Asin;
        acos Acos;
        atan Atan;
        exp Exp;
        ln Ln;
        abs Abs;
        sinh Sinh;
        cosh Cosh;
        tanh Tanh;
        recip Recip;
    }
    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        (self.sin(), self.cos())
    }
    #[inline]
    fn atan2(self, other: Self) -> Self {
        let value = self.value.atan2(other.value);
        binary(self, other, value, Operation::Atan2, |_, _, _| None)
    }
    #[inline]
    fn powi(self, n: i32) -> Self {
        unary(self, self.value.powi(n), |a| Operation::Powi(a, n))
    }
    #[inline]
    fn powf(self, p: f64) -> Self {
        unary(self, self.value.powf(p), |a| Operation::Powf(a, p))
    }
    #[inline]
    fn hypot(self, other: Self) -> Self {
        let value = self.value.hypot(other.value);
        binary(self, other, value, Operation::Hypot, |_, _, _| None)
    }
}
