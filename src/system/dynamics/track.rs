//! Tracking of singular values from one configuration to others, to first order, and of the rotation of rows between them.

use super::singular_values::{COUNT, Each};
use crate::linalg::Pattern;
use pulp::{Simd, WithSimd};

/// The data at the reference configuration.
pub(super) struct Looked<'a> {
    pub pattern: &'a Pattern,
    /// The entries of the constraint Jacobian.
    pub jacobian: &'a [f64],
    pub values: Each,
    pub left: &'a [Each],
    pub right: &'a [Each],
    pub scale: &'a [f64],
    /// Inverse Euclidean lengths of the rows.
    pub inverse_length: &'a [f64],
}

/// The result at several configurations.
pub(super) struct Followed<const N: usize> {
    /// The singular values, each with its sign: it passes zero where the rank drops.
    pub values: [Each; N],
    /// The largest change of a row from the first configuration to the last one, relative to its length.
    pub between: f64,
}

/// Follows singular values to configurations where the constraint Jacobian has these entries.
pub(super) struct Follow<'a, const N: usize> {
    pub looked: Looked<'a>,
    pub there: [&'a [f64]; N],
}

impl<const N: usize> WithSimd for Follow<'_, N> {
    type Output = Followed<N>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> Followed<N> {
        let Self { looked, there } = self;
        let mut found = Followed {
            values: [looked.values; N],
            between: 0.0,
        };
        let rows = looked.pattern.rows_of(looked.jacobian);
        let vectors = looked.left.iter().zip(looked.scale);
        let mut rest = there;
        for (((columns, here), (left, scale)), inverse_length) in
            rows.zip(vectors).zip(looked.inverse_length)
        {
            let there = rest.map(|entries| &entries[..columns.len()]);
            let (mut along, mut between) = ([[0.0; COUNT]; N], 0.0);
            for (at, (&column, here)) in columns.iter().zip(here).enumerate() {
                let right = &looked.right[column];
                for place in 0..N {
                    let change = there[place][at] - here;
                    for (along, right) in along[place].iter_mut().zip(right) {
                        *along += change * right;
                    }
                }
                let change = there[N - 1][at] - there[0][at];
                between += change * change;
            }
            for place in 0..N {
                // dσ = lᵀ S dG r, first-order perturbation of a singular value.
                for (value, (left, along)) in found.values[place]
                    .iter_mut()
                    .zip(left.iter().zip(along[place]))
                {
                    *value += left * scale * along;
                }
            }
            found.between = found.between.max(inverse_length * between.sqrt());
            rest = rest.map(|entries| &entries[columns.len()..]);
        }
        found
    }
}
