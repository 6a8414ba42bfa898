//! The maximum and minimum of two plain numbers, with defined results for NaN.
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

/// The largest of absolute values, in lanes without branches: two pairs, which do not wait for each other.
#[derive(Default)]
pub(crate) struct Largest([Pair; 2]);

/// Numbers that [`Largest`] takes at once.
pub(crate) const LANES: usize = 4;

#[derive(Clone, Copy, Default)]
struct Pair {
    sizes: [f64; 2],
    /// Candidates that are NaN are passed over, and looked for apart: these are NaN after what is not finite.
    zeros: [f64; 2],
}

impl Pair {
    #[inline(always)]
    fn add(&mut self, pair: [f64; 2]) {
        let absolute = pair.map(f64::abs);
        for lane in 0..2 {
            self.sizes[lane] = larger_or_second(absolute[lane], self.sizes[lane]);
            self.zeros[lane] += 0.0 * pair[lane];
        }
    }
}

impl Largest {
    /// Takes further values into account.
    #[inline(always)]
    pub fn add(&mut self, &[a, b, c, d]: &[f64; LANES]) {
        self.0[0].add([a, b]);
        self.0[1].add([c, d]);
    }

    /// The same of any number of values.
    #[inline]
    pub fn see(&mut self, values: &[f64]) {
        let (chunks, rest) = values.as_chunks();
        for chunk in chunks {
            self.add(chunk);
        }
        self.add_rest(rest);
    }

    /// The same of fewer values than lanes.
    #[inline(always)]
    pub fn add_rest(&mut self, rest: &[f64]) {
        let (pairs, last) = rest.as_chunks();
        if let [pair] = pairs {
            self.0[0].add(*pair);
        }
        if let [last] = last {
            self.0[1].add([*last, 0.0]);
        }
    }

    /// NaN unless all were finite.
    #[inline(always)]
    pub fn value(&self) -> f64 {
        let [one, two] = self.0;
        let lane = |lane: usize| {
            let size = larger_or_second(one.sizes[lane], two.sizes[lane]);
            (size, one.zeros[lane] + two.zeros[lane])
        };
        let ((first, first_zero), (second, second_zero)) = (lane(0), lane(1));
        larger_or_second(first, second) + (first_zero + second_zero)
    }
}

/// The largest of absolute values; NaN unless all are finite.
pub(crate) fn largest(values: &[f64]) -> f64 {
    let mut largest = Largest::default();
    largest.see(values);
    largest.value()
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

    #[test]
    fn the_largest_of_a_list_is_found_in_every_lane() {
        assert_eq!(largest(&[]), 0.0);
        for length in 1..3 * LANES {
            for place in 0..length {
                let mut values = vec![0.5; length];
                values[place] = -2.0;
                assert_eq!(largest(&values), 2.0);
                for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    values[place] = bad;
                    assert!(largest(&values).is_nan(), "{bad} at {place} of {length}");
                }
            }
        }
    }
}
