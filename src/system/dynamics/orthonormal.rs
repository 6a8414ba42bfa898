//! Vectors that stand on each other, several side by side.

use pulp::{Simd, WithSimd};

/// Vectors shorter than this behind the ones before are nothing but round-off of these.
const DEPENDENT: f64 = 1e-10;

/// Gram and Schmidt's method for the first `count` vectors, in their order: the first ones converge to the smallest singular values. A
/// vector that depends on those before becomes zero.
pub(super) struct Orthonormalize<'a, const COUNT: usize> {
    /// The entries of all vectors, row by row.
    pub vectors: &'a mut [[f64; COUNT]],
    pub count: usize,
}

impl<const COUNT: usize> WithSimd for Orthonormalize<'_, COUNT> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { vectors, count } = self;
        let mut before = [0.0; COUNT];
        for entries in vectors.iter() {
            for (square, entry) in before.iter_mut().zip(entries) {
                *square += entry * entry;
            }
        }
        for index in 0..COUNT {
            if index == count {
                return;
            }
            let square: f64 = vectors.iter().map(|entries| entries[index].powi(2)).sum();
            let left = square.sqrt();
            let inverse = if left > DEPENDENT * before[index].sqrt() {
                1.0 / left
            } else {
                0.0
            };
            // All of a row is written: one number by itself would be waited for where the row is read.
            let mut factors = [1.0; COUNT];
            for (lane, factor) in factors.iter_mut().enumerate() {
                *factor = if lane == index { inverse } else { *factor };
            }
            // Products with all others at a time; of those before none are wanted.
            let mut products = [0.0; COUNT];
            for entries in vectors.iter_mut() {
                let own = entries[index] * inverse;
                let mut row = *entries;
                for lane in 0..COUNT {
                    row[lane] *= factors[lane];
                    products[lane] += own * row[lane];
                }
                *entries = row;
            }
            for (lane, product) in products.iter_mut().enumerate() {
                *product = if lane > index { *product } else { 0.0 };
            }
            for entries in vectors.iter_mut() {
                let own = entries[index];
                let mut row = *entries;
                for lane in 0..COUNT {
                    row[lane] -= products[lane] * own;
                }
                *entries = row;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_become_orthonormal_and_dependent_ones_zero() {
        let mut vectors = [
            [3.0, 1.0, 6.0, 0.0],
            [0.0, 2.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 0.0],
            [4.0, -1.0, 8.0, 0.0],
            [0.0, 0.5, 0.0, 0.0],
        ];
        pulp::Arch::new().dispatch(Orthonormalize {
            vectors: &mut vectors,
            count: 3,
        });
        for one in 0..4 {
            for other in 0..4 {
                let product: f64 = vectors.iter().map(|v| v[one] * v[other]).sum();
                // The third is twice the first, and the fourth is not asked for.
                let expected = f64::from(one == other && one < 2);
                approx::assert_abs_diff_eq!(product, expected, epsilon = 1e-15);
            }
        }
    }
}
