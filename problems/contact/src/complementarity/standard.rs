//! The standard linear complementarity problem without bilateral rows, and the outcome of a method.

/// `w = M z + q, 0 <= z ⟂ w >= 0`, scaled: entries of `M` and `q` are of order 1.
#[derive(Default)]
pub(super) struct Standard {
    pub m: usize,
    /// `M`, row by row.
    pub matrix: Vec<f64>,
    pub vector: Vec<f64>,
}

/// How a method ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// A candidate is in `z`: a complementary basis, or where an iteration converged.
    Candidate,
    /// A direction that ends a pivoting method is in `z`: `z >= 0, M z >= 0, z_i (M z)_i = 0`.
    Ray,
    /// No candidate: out of pivots or iterations, or no pivot that round-off permits.
    Stalled,
}

/// What a method did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Attempt {
    pub outcome: Outcome,
    pub pivots: usize,
    pub iterations: usize,
}

impl Attempt {
    pub fn pivoting(outcome: Outcome, pivots: usize) -> Self {
        Self {
            outcome,
            pivots,
            iterations: 0,
        }
    }

    pub fn iterating(outcome: Outcome, iterations: usize) -> Self {
        Self {
            outcome,
            pivots: 0,
            iterations,
        }
    }
}

impl Standard {
    /// `w = M z + q`.
    pub fn evaluate(&self, z: &[f64], w: &mut [f64]) {
        for ((row, w), q) in self
            .matrix
            .chunks_exact(self.m)
            .zip(w.iter_mut())
            .zip(&self.vector)
        {
            *w = q + row.iter().zip(z).map(|(m, z)| m * z).sum::<f64>();
        }
    }
}
