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
}

/// Decides when a Newton iteration has converged.
///
/// Besides the tolerance there are two floors that round-off sets: corrections of 1e-14 of the unknowns, and corrections
/// that have stopped shrinking below 1e-9 of the unknowns (constraints divided by h² carry magnified round-off).
pub(crate) struct Convergence {
    tolerance: f64,
    max_iterations: usize,
    previous: f64,
    rate: f64,
    /// Iterations so far.
    pub iterations: usize,
}

/// What to do after an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Converged,
    GoOn,
    Failed,
}

impl Convergence {
    pub fn new(options: &NewtonOptions, default_tolerance: f64) -> Self {
        Self {
            tolerance: options.tolerance.unwrap_or(default_tolerance),
            max_iterations: options.max_iterations,
            previous: f64::INFINITY,
            rate: 0.0,
            iterations: 0,
        }
    }

    /// Whether the last correction was not much smaller than the one before.
    pub fn is_slow(&self) -> bool {
        self.rate > 0.3
    }

    /// Judges a correction against the norm of the unknowns.
    pub fn judge(&mut self, correction: f64, size: f64) -> Verdict {
        self.iterations += 1;
        let stalled = correction > 0.5 * self.previous && correction <= 1e-9 * size;
        self.rate = correction / self.previous;
        self.previous = correction;
        if correction < self.tolerance || correction <= 1e-14 * size || stalled {
            Verdict::Converged
        } else if self.iterations >= self.max_iterations || !correction.is_finite() {
            Verdict::Failed
        } else {
            Verdict::GoOn
        }
    }
}

/// Values of the last steps, extrapolated in time to the next by the polynomial through them.
///
/// A high degree pays where the solution is smooth; where it is stiff or noisy, degree 0 repeats the last values.
pub(crate) struct Extrapolation {
    /// The newest first.
    values: Vec<Vec<f64>>,
    times: Vec<f64>,
    known: usize,
}

impl Extrapolation {
    pub fn new(length: usize, degree: usize) -> Self {
        Self {
            values: vec![vec![0.0; length]; degree + 1],
            times: vec![0.0; degree + 1],
            known: 0,
        }
    }

    pub fn clear(&mut self) {
        self.known = 0;
    }

    /// Adds the values that belong to time `t`; a time not after the last one starts the history anew.
    pub fn push(&mut self, t: f64, values: &[f64]) {
        if self.known > 0 && t <= self.times[0] {
            self.known = 0;
        }
        self.values.rotate_right(1);
        self.times.rotate_right(1);
        self.values[0].copy_from_slice(values);
        self.times[0] = t;
        self.known = (self.known + 1).min(self.values.len());
    }

    /// Writes the value expected at `t`; leaves `out` alone when nothing is known.
    pub fn predict(&self, t: f64, out: &mut [f64]) {
        if self.known == 0 {
            return;
        }
        out.fill(0.0);
        let times = &self.times[..self.known];
        for (node, values) in times.iter().zip(&self.values) {
            // The Lagrange polynomial of this node.
            let others = times.iter().filter(|other| *other != node);
            let weight: f64 = others.map(|other| (t - other) / (node - other)).product();
            for (slot, value) in out.iter_mut().zip(values) {
                *slot += weight * value;
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
