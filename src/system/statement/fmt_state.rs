//! Times in messages.

use std::fmt;

/// A time, or another number of which nobody needs all digits, as messages print it: nine significant digits at most,
/// with an exponent below 1e-5 and from 1e9 on.
///
/// ```
/// use liedae::system::Short;
///
/// assert_eq!(Short(0.1 + 0.2).to_string(), "0.3");
/// assert_eq!(Short(0.021_636_314_123).to_string(), "0.0216363141");
/// assert_eq!(Short(1e-300 / 3.0).to_string(), "3.33333333e-301");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Short(pub f64);

impl Short {
    /// Digits behind the first one: times of neighbouring events differ in them, and round-off does not show.
    const DIGITS: usize = 8;
}

impl fmt::Display for Short {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.*e}", Self::DIGITS, self.0);
        // Reading the rounded number again leaves out its zeros at the end.
        let rounded: f64 = text.parse().unwrap_or(self.0);
        if rounded == 0.0 || (1e-5..1e9).contains(&rounded.abs()) || !rounded.is_finite() {
            write!(formatter, "{rounded}")
        } else {
            write!(formatter, "{rounded:e}")
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::system::Short;

    #[test]
    fn numbers_are_short_at_any_size() {
        let cases = [
            (0.0, "0"),
            (-0.03, "-0.03"),
            (12.0, "12"),
            (123_456.789_123_456, "123456.789"),
            (999_999_999.9, "1e9"),
            (1e-5, "0.00001"),
            (9.999e-6, "9.999e-6"),
            (f64::from_bits(1), "5e-324"),
            (f64::MAX, "1.79769313e308"),
            (1e160, "1e160"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "NaN"),
        ];
        for (number, text) in cases {
            assert_eq!(Short(number).to_string(), text);
        }
    }
}
