//! How errors of the differential unknowns are weighed with powers of the step over the characteristic time.

use super::pairs::{Pair, pairs};
use crate::control::ErrorNorm;

/// [`share_of_time`](ErrorNorm::share_of_time)^(i - 1) for unknowns of perturbation index i.
pub(super) struct IndexWeights {
    powers: Vec<i32>,
    /// Whether some power is not 0.
    vary: bool,
    share: f64,
    weights: Vec<Pair>,
}

impl IndexWeights {
    /// For unknowns of these indices, in a step as long as the characteristic time.
    pub fn new(perturbation_index: &[u8]) -> Self {
        let powers = perturbation_index.iter();
        let powers: Vec<i32> = powers.map(|&index| i32::from(index) - 1).collect();
        Self {
            vary: powers.iter().any(|&power| power != 0),
            share: 1.0,
            weights: vec![[1.0; 2]; pairs(powers.len())],
            powers,
        }
    }

    /// Number of unknowns.
    pub fn len(&self) -> usize {
        self.powers.len()
    }

    /// Whether unknowns have different weights.
    pub fn vary(&self) -> bool {
        self.vary
    }

    /// Weights of a step that is this share of the characteristic time from now on.
    pub fn set_share(&mut self, share: f64) {
        if !self.vary || share == self.share {
            return;
        }
        self.share = share;
        let weights = self.weights.as_flattened_mut();
        for (weight, &power) in weights.iter_mut().zip(&self.powers) {
            *weight = share.powi(power);
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
