//! How errors of the differential unknowns are weighed with powers of the step.

use super::pairs::{Pair, pairs};
use crate::control::ErrorNorm;

/// h^(i - 1) for unknowns of perturbation index i.
pub(super) struct IndexWeights {
    powers: Vec<i32>,
    /// Whether some power is not 0.
    vary: bool,
    h: f64,
    weights: Vec<Pair>,
}

impl IndexWeights {
    /// For unknowns of these indices, in a step of size 1.
    pub fn new(perturbation_index: &[u8]) -> Self {
        let powers = perturbation_index.iter();
        let powers: Vec<i32> = powers.map(|&index| i32::from(index) - 1).collect();
        Self {
            vary: powers.iter().any(|&power| power != 0),
            h: 1.0,
            weights: vec![[1.0; 2]; pairs(powers.len())],
            powers,
        }
    }

    /// Number of unknowns.
    pub fn len(&self) -> usize {
        self.powers.len()
    }

    /// Whether unknowns have different weights in steps of other sizes than 1.
    pub fn vary(&self) -> bool {
        self.vary
    }

    /// Weights of a step of this size from now on.
    pub fn set_step(&mut self, h: f64) {
        if !self.vary || h == self.h {
            return;
        }
        self.h = h;
        let weights = self.weights.as_flattened_mut();
        for (weight, &power) in weights.iter_mut().zip(&self.powers) {
            *weight = h.powi(power);
        }
    }

    /// Weighted norms of several errors at once, which are asked for by pairs.
    pub fn norms<const N: usize>(
        &self,
        norm: &ErrorNorm,
        errors: impl Fn(usize) -> [Pair; N],
    ) -> [f64; N] {
        norm.root_mean_squares(|pair| {
            let weights = self.weights[pair];
            errors(pair).map(|error| [error[0] * weights[0], error[1] * weights[1]])
        })
    }

    /// The weighted norm of a list of errors.
    pub fn norm_of(&self, norm: &ErrorNorm, errors: &[f64]) -> f64 {
        if !self.vary {
            return norm.root_mean_square_of(errors);
        }
        let (pairs, last) = errors.as_chunks::<2>();
        let [size] = self.norms(norm, |pair| match pairs.get(pair) {
            Some(&pair) => [pair],
            None => [[last[0], 0.0]],
        });
        size
    }
}
