//! The operator traits that follow from a few basic ones, written once for both derivative types.

/// Implements, for a type with `Add`, `Sub`, `Mul`, `Div`, `Rem` among themselves, `map_value`
/// (changes the value, keeps derivatives), `map_parts` (a linear map of all parts) and
/// `is_constant` (all derivatives zero): the `f64` operators, the assigning operators, sums,
/// comparisons and the `num_traits` number traits.
macro_rules! derived_arithmetic {
    ([$($generics:tt)*] $type:ty) => {
        derived_arithmetic!(@assign [$($generics)*] $type, AddAssign add_assign +);
        derived_arithmetic!(@assign [$($generics)*] $type, SubAssign sub_assign -);
        derived_arithmetic!(@assign [$($generics)*] $type, MulAssign mul_assign *);
        derived_arithmetic!(@assign [$($generics)*] $type, DivAssign div_assign /);

        impl<$($generics)*> ::std::ops::RemAssign for $type {
            #[inline]
            fn rem_assign(&mut self, other: Self) {
                *self = *self % other;
            }
        }

        impl<$($generics)*> ::std::ops::Add<f64> for $type {
            type Output = Self;
            #[inline]
            fn add(self, other: f64) -> Self {
                self.map_value(|x| x + other)
            }
        }

        impl<$($generics)*> ::std::ops::Sub<f64> for $type {
            type Output = Self;
            #[inline]
            fn sub(self, other: f64) -> Self {
                self.map_value(|x| x - other)
            }
        }

        impl<$($generics)*> ::std::ops::Mul<f64> for $type {
            type Output = Self;
            #[inline]
            fn mul(self, other: f64) -> Self {
                self.map_parts(|x| x * other)
            }
        }

        impl<$($generics)*> ::std::ops::Div<f64> for $type {
            type Output = Self;
            #[inline]
            fn div(self, other: f64) -> Self {
                self.map_parts(|x| x / other)
            }
        }

        impl<$($generics)*> ::std::ops::Neg for $type {
            type Output = Self;
            #[inline]
            fn neg(self) -> Self {
                self.map_parts(|x| -x)
            }
        }

        impl<$($generics)*> ::std::iter::Sum for $type {
            #[inline]
            fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
                terms.fold(<Self as ::num_traits::Zero>::zero(), |sum, term| sum + term)
            }
        }

        impl<$($generics)*> From<f64> for $type {
            #[inline]
            fn from(x: f64) -> Self {
                <Self as $crate::scalar::Scalar>::constant(x)
            }
        }

        impl<$($generics)*> PartialEq for $type {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                self.value == other.value
            }
        }

        impl<$($generics)*> PartialOrd for $type {
            #[inline]
            fn partial_cmp(&self, other: &Self) -> Option<::std::cmp::Ordering> {
                self.value.partial_cmp(&other.value)
            }
        }

        impl<$($generics)*> ::num_traits::Zero for $type {
            #[inline]
            fn zero() -> Self {
                <Self as $crate::scalar::Scalar>::constant(0.0)
            }
            #[inline]
            fn is_zero(&self) -> bool {
                self.value.is_zero() && self.is_constant()
            }
        }

        impl<$($generics)*> ::num_traits::One for $type {
            #[inline]
            fn one() -> Self {
                <Self as $crate::scalar::Scalar>::constant(1.0)
            }
            #[inline]
            fn is_one(&self) -> bool {
                self.value.is_one() && self.is_constant()
            }
        }

        impl<$($generics)*> ::num_traits::Num for $type {
            type FromStrRadixErr = <f64 as ::num_traits::Num>::FromStrRadixErr;
            fn from_str_radix(text: &str, radix: u32) -> Result<Self, Self::FromStrRadixErr> {
                <f64 as ::num_traits::Num>::from_str_radix(text, radix)
                    .map(<Self as $crate::scalar::Scalar>::constant)
            }
        }
    };
    (@assign [$($generics:tt)*] $type:ty, $trait:ident $method:ident $operator:tt) => {
        impl<$($generics)*> ::std::ops::$trait for $type {
            #[inline]
            fn $method(&mut self, other: Self) {
                *self = *self $operator other;
            }
        }

        impl<$($generics)*> ::std::ops::$trait<f64> for $type {
            #[inline]
            fn $method(&mut self, other: f64) {
                *self = *self $operator other;
            }
        }
    };
}

pub(super) use derived_arithmetic;

/// The whole number of times `y` goes into `x` when `r = x % y`: `x % y` is locally `x - q y`.
#[inline]
pub(super) fn whole_quotient(x: f64, y: f64, r: f64) -> f64 {
    // (x - r)/y is whole up to round-off.
    ((x - r) / y).round()
}
