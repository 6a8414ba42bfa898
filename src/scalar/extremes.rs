//! The larger and the smaller of two plain numbers, named for what becomes of NaN.
//!
//! `f64::max` and `f64::min` lose NaN: they give the other number, and take seven instructions to look for NaN in both.

use super::Scalar;

/// The larger of two numbers, and the second one where either is NaN: one instruction.
///
/// In a fold a candidate comes first and is passed over if it is NaN. What must stay NaN comes second.
#[inline]
pub(crate) fn larger_or_second(first: f64, second: f64) -> f64 {
    if first > second { first } else { second }
}

/// The smaller of two numbers, and the second one where either is NaN, as [`larger_or_second`].
#[inline]
pub(crate) fn smaller_or_second(first: f64, second: f64) -> f64 {
    if first < second { first } else { second }
}

/// The larger of two numbers, and NaN if either is: for violations and sizes by which something is judged. As
/// [`Scalar::max`], which `f64::max` hides.
#[inline]
pub(crate) fn larger_or_nan(first: f64, second: f64) -> f64 {
    Scalar::max(first, second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared() {
        for (small, large) in [
            (1.0, 2.0),
            (-2.0, -1.0),
            (0.0, f64::INFINITY),
            (f64::NEG_INFINITY, f64::MAX),
        ] {
            for (first, second) in [(small, large), (large, small)] {
                assert_eq!(larger_or_second(first, second), large);
                assert_eq!(larger_or_nan(first, second), large);
                assert_eq!(smaller_or_second(first, second), small);
            }
        }
    }

    #[test]
    fn the_second_number_stands_beside_nan() {
        assert_eq!(larger_or_second(f64::NAN, 1.0), 1.0);
        assert_eq!(smaller_or_second(f64::NAN, 1.0), 1.0);
        assert!(larger_or_second(1.0, f64::NAN).is_nan());
        assert!(smaller_or_second(1.0, f64::NAN).is_nan());
    }

    #[test]
    fn nan_stays_whichever_it_is() {
        for (first, second) in [(f64::NAN, 1.0), (1.0, f64::NAN), (f64::NAN, f64::NAN)] {
            assert!(larger_or_nan(first, second).is_nan());
        }
    }
}
