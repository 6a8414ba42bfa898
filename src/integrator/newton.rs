//! What implicit and half-implicit methods share: Newton options, extrapolated first guesses, pulled-back Jacobians.

use crate::linalg::Pattern;
use crate::manifold::{Factor, Manifold};

/// Options of the Newton iteration of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonOptions {
    /// The iteration ends when the Euclidean norm of a correction falls below this. Half-implicit methods correct
    /// h v and h² λ, backward Euler v' and λ. `None` is 1e-10, for backward Euler 1e-10 / h² (Fang et al. 2022, 3.1).
    pub tolerance: Option<f64>,
    /// Iterations after which a step has failed.
    pub max_iterations: usize,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        Self {
            tolerance: None,
            max_iterations: 50,
        }
    }
}

impl NewtonOptions {
    /// The default tolerance in displacements.
    pub(crate) const DISPLACEMENT: f64 = 1e-10;

    /// Corrections below this fraction of the unknowns are round-off.
    pub(crate) const ROUND_OFF: f64 = 1e-14;
}

/// Values of the last two steps, extrapolated linearly in time to the next.
pub(crate) struct Extrapolation {
    values: [Vec<f64>; 2],
    times: [f64; 2],
    known: usize,
}

impl Extrapolation {
    pub fn new(length: usize) -> Self {
        Self {
            values: [vec![0.0; length], vec![0.0; length]],
            times: [0.0; 2],
            known: 0,
        }
    }

    pub fn clear(&mut self) {
        self.known = 0;
    }

    /// Adds the values that belong to time `t`; a value at a time not after the last replaces the history.
    pub fn push(&mut self, t: f64, values: &[f64]) {
        if self.known > 0 && t <= self.times[0] {
            self.known = 0;
        }
        self.values.swap(0, 1);
        self.times.swap(0, 1);
        self.values[0].copy_from_slice(values);
        self.times[0] = t;
        self.known = (self.known + 1).min(2);
    }

    /// Writes the value expected at `t`; leaves `out` alone when nothing is known.
    pub fn predict(&self, t: f64, out: &mut [f64]) {
        let factor = if self.known == 2 {
            (t - self.times[0]) / (self.times[0] - self.times[1])
        } else {
            0.0
        };
        if self.known > 0 {
            for ((slot, last), before) in out.iter_mut().zip(&self.values[0]).zip(&self.values[1]) {
                *slot = if self.known == 2 {
                    last + factor * (last - before)
                } else {
                    *last
                };
            }
        }
    }
}

/// Multiplies the rows of a constraint Jacobian by dexp(u), block by block: from the configuration q · exp(u) back to
/// local coordinates at q. The pattern must hold whole blocks of every rotation that a row touches.
pub(crate) fn pull_back(
    pattern: &Pattern,
    space: &Manifold,
    u: &[f64],
    values: &mut [f64],
    row: &mut [f64],
    out: &mut [f64],
) {
    if space
        .factors()
        .iter()
        .all(|factor| matches!(factor, Factor::Euclidean(_)))
    {
        return;
    }
    for index in 0..pattern.rows() {
        let (columns, range) = (pattern.row(index), pattern.row_range(index));
        for (&column, position) in columns.iter().zip(range.clone()) {
            row[column] = values[position];
        }
        space.dexp_transpose(u, row, out);
        for (&column, position) in columns.iter().zip(range) {
            values[position] = out[column];
            row[column] = 0.0;
        }
    }
}
