//! Gram-Schmidt orthogonalization of several vectors, stored side by side.

use pulp::{Simd, WithSimd};

/// A vector whose orthogonal part is shorter than this, relative to the vector, depends on the earlier ones.
const DEPENDENT: f64 = 1e-10;

/// The Gram-Schmidt method for the first `count` vectors in order: the first ones converge to the smallest singular values. A
/// vector that depends on earlier ones becomes zero.
pub(super) struct Orthonormalize<'a, const COUNT: usize> {
    /// The entries of all vectors, row by row.
    pub vectors: &'a mut [[f64; COUNT]],
    pub count: usize,
}

/// The squares of the lengths of vectors.
#[inline(always)]
fn squares<const COUNT: usize>(vectors: &[[f64; COUNT]]) -> [f64; COUNT] {
    let mut squares = [0.0; COUNT];
    for entries in vectors {
        for lane in 0..COUNT {
            squares[lane] += entries[lane] * entries[lane];
        }
    }
    squares
}

impl<const COUNT: usize> Orthonormalize<'_, COUNT> {
    /// Normalizes a vector and subtracts its projection from the later ones. `now` has the squares of the lengths, `before` those
    /// at the start. With a number that the compiler knows: it does not unroll a loop of this size.
    #[inline(always)]
    fn step<const INDEX: usize>(&mut self, before: &[f64; COUNT], now: &mut [f64; COUNT]) {
        if INDEX >= self.count.min(COUNT) {
            return;
        }
        let left = now[INDEX].sqrt();
        let inverse = if left > DEPENDENT * before[INDEX].sqrt() {
            1.0 / left
        } else {
            0.0
        };
        // Products with all others at a time; of those before none are wanted.
        let mut products = [0.0; COUNT];
        for entries in self.vectors.iter_mut() {
            // All of a row is written: one number by itself would be waited for where the row is read.
            let mut row = *entries;
            row[INDEX] *= inverse;
            *entries = row;
            for lane in 0..COUNT {
                products[lane] += row[INDEX] * row[lane];
            }
        }
        for product in &mut products[..=INDEX] {
            *product = 0.0;
        }
        *now = [0.0; COUNT];
        for entries in self.vectors.iter_mut() {
            let mut row = *entries;
            let own = row[INDEX];
            for lane in 0..COUNT {
                row[lane] -= products[lane] * own;
                now[lane] += row[lane] * row[lane];
            }
            *entries = row;
        }
    }
}

impl<const COUNT: usize> WithSimd for Orthonormalize<'_, COUNT> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _simd: S) {
        const { assert!(COUNT <= 4, "there are as many steps as vectors") };
        let before = squares(self.vectors);
        let mut now = before;
        self.step::<0>(&before, &mut now);
        self.step::<1>(&before, &mut now);
        self.step::<2>(&before, &mut now);
        self.step::<3>(&before, &mut now);
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
