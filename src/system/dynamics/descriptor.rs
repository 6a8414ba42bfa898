//! Null spaces of a singular matrix E of E x' = d: they separate differential from algebraic equations and variables.

use crate::linalg::Pattern;
use crate::system::consistency::descriptor::{DescriptorElimination, Sparse};

/// Null spaces and a generalized inverse of a constant, singular matrix E.
pub(crate) struct SingularDescriptor {
    pattern: Pattern,
    values: Vec<f64>,
    elimination: DescriptorElimination,
    /// N with Nᵀ E = 0: combinations of rows that have no derivatives.
    equations: Vec<Sparse>,
    /// V with E V = 0: directions of x whose rates are in no row.
    directions: Vec<Sparse>,
    image: Vec<f64>,
    change: Vec<f64>,
}

impl SingularDescriptor {
    /// Splits E.
    pub fn new(pattern: &Pattern, values: &[f64]) -> Self {
        let elimination = DescriptorElimination::new(pattern, values);
        Self {
            equations: elimination.left_null_vectors(),
            directions: elimination.right_null_vectors(),
            elimination,
            image: vec![0.0; pattern.rows()],
            change: vec![0.0; pattern.cols()],
            pattern: pattern.clone(),
            values: values.to_vec(),
        }
    }

    /// Combinations of rows without derivatives.
    pub(in crate::system) fn equations(&self) -> &[Sparse] {
        &self.equations
    }

    /// Directions without derivatives, as many.
    pub(in crate::system) fn directions(&self) -> &[Sparse] {
        &self.directions
    }

    /// Moves x so that E x becomes the image, by a solution of E Δx = image - E x.
    fn move_image(&mut self, x: &mut [f64]) {
        (self.pattern).multiply_add(&self.values, -1.0, x, &mut self.image);
        (self.elimination).solve(&mut self.image, &mut self.change);
        for (x, change) in x.iter_mut().zip(&self.change) {
            *x += change;
        }
    }

    /// Makes of any rates x' some with E x' = d, as far as d lies in the range of E.
    pub fn satisfy(&mut self, d: &[f64], rates: &mut [f64]) {
        self.image.copy_from_slice(d);
        self.move_image(rates);
    }

    /// Gives x what `other` has in directions without derivatives; E x stays.
    pub(in crate::system) fn borrow(&mut self, other: &[f64], x: &mut [f64]) {
        self.pattern.multiply(&self.values, x, &mut self.image);
        x.copy_from_slice(other);
        self.move_image(x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two capacitors of very different size, one of them to ground at its end, an empty row and an empty column, and a
    /// regular group.
    #[test]
    fn null_spaces_and_inverse_are_those_of_the_matrix() -> Result<(), crate::linalg::KktError> {
        let entries = [
            (0, 0, -1e-12),
            (0, 1, 1e-12),
            (1, 0, 1e-12),
            (1, 1, -1e-12 - 3e-3),
            (1, 2, 3e-3),
            (2, 1, 3e-3),
            (2, 2, -3e-3),
            (4, 3, 2.0),
            (5, 5, 1.0),
            (5, 6, 2.0),
            (6, 5, 3.0),
            (6, 6, 4.0),
        ];
        let positions = entries.iter().map(|&(row, column, _)| (row, column));
        let pattern = Pattern::from_entries(7, 7, positions)?;
        let mut values = vec![0.0; pattern.nnz()];
        for (row, column, value) in entries {
            if let Some(position) = pattern.position(row, column) {
                values[position] = value;
            }
        }
        let mut split = SingularDescriptor::new(&pattern, &values);
        // Rank 2 of the capacitors' 3 rows, 1 and 2.
        assert_eq!((split.equations.len(), split.directions.len()), (2, 2));
        for direction in &split.directions {
            let mut x = [0.0; 7];
            direction.iter().for_each(|&(at, value)| x[at] = value);
            let mut image = [0.0; 7];
            pattern.multiply(&values, &x, &mut image);
            assert!(image.iter().all(|value| value.abs() < 1e-17), "{image:?}");
        }
        for equation in &split.equations {
            let mut weights = [0.0; 7];
            equation.iter().for_each(|&(at, value)| weights[at] = value);
            for column in 0..7 {
                let product = |row: usize| {
                    let position = pattern.position(row, column);
                    weights[row] * position.map_or(0.0, |position| values[position])
                };
                let sum: f64 = (0..7).map(product).sum();
                assert!(sum.abs() < 1e-15, "{column}: {sum:e}");
            }
        }
        let known: Vec<f64> = (0..7).map(|i| (i as f64 + 0.3).sin()).collect();
        let mut x = known.clone();
        split.borrow(&[0.7; 7], &mut x);
        assert_eq!((x[4], x[0].to_bits() == known[0].to_bits()), (0.7, false));
        let (mut found, mut expected) = (vec![0.0; 7], vec![0.0; 7]);
        pattern.multiply(&values, &x, &mut found);
        pattern.multiply(&values, &known, &mut expected);
        for (row, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let scale = expected.abs().max(1e-15);
            assert!(
                (found - expected).abs() < 1e-9 * scale,
                "{row}: {found:e} {expected:e}"
            );
        }
        let mut rates = vec![-0.2; 7];
        split.satisfy(&expected, &mut rates);
        pattern.multiply(&values, &rates, &mut found);
        for (row, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let scale = expected.abs().max(1e-15);
            assert!(
                (found - expected).abs() < 1e-9 * scale,
                "{row}: {found:e} {expected:e}"
            );
        }
        Ok(())
    }
}
