//! What implicit and half-implicit methods share: Newton options, extrapolated first guesses, pulled-back Jacobians.

use crate::linalg::Pattern;
use crate::manifold::{Factor, Manifold, rigid_motion, rotation};

/// Options of the Newton iteration of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonOptions {
    /// The iteration ends when the Euclidean norm of a correction falls below this. Half-implicit methods correct
    /// h v and h² λ, backward Euler v' and λ. `None` is 1e-10, for backward Euler 1e-10 / h² (Fang et al. 2022, 3.1),
    /// or 1e-10 of the norm of these unknowns, whichever is larger.
    /// RADAU5 takes it as the fraction of the error tolerance to which the stages are solved.
    pub tolerance: Option<f64>,
    /// Iterations after which a step has failed; with tolerances RADAU5 takes 7 at most.
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
/// Besides the tolerance there are floors that round-off sets: corrections of 1e-14 of the unknowns (1e-10 by default); and corrections that
/// have stopped shrinking, either below 1e-9 of the unknowns or because the equations hold to round-off (what is left
/// of constraints is magnified by the masses behind a joint, and by 1/h² where they are divided by it).
pub(crate) struct Convergence {
    tolerance: f64,
    relative: f64,
    max_iterations: usize,
    previous: f64,
    rate: f64,
    /// Iterations so far.
    pub iterations: usize,
}

/// Whether a step differs from the one before by more than round-off of a grid.
pub(crate) fn is_another_step(previous: f64, h: f64) -> bool {
    (h - previous).abs() > 1e-6 * previous
}

/// Part of the largest force below which what is left of M a - f - Gᵀ λ counts as round-off.
pub(crate) const BALANCED: f64 = 1e-8;

/// The largest of absolute values.
pub(crate) fn largest(values: &[f64]) -> f64 {
    let sizes = values.iter().map(|value| value.abs());
    sizes.fold(0.0, f64::max)
}

/// Whether `factor` times a change is so small a part of the values that an iteration which has come to rest there will do.
pub(crate) fn is_small(factor: f64, change: &[f64], values: &[f64]) -> bool {
    factor * largest(change) <= 1e-5 * largest(values)
}

/// Whether position rows `g` are as small as the round-off of the coordinates that they are differences of.
pub(crate) fn holds_to_round_off(g: &[f64], q: &[f64]) -> bool {
    largest(g) <= 16.0 * f64::EPSILON * (1.0 + largest(q))
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
            relative: if options.tolerance.is_some() {
                1e-14
            } else {
                1e-10
            },
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

    /// Whether a correction shows that the iteration has come to rest: it is hardly smaller than the one before.
    pub fn rests(&self, correction: f64) -> bool {
        correction > 0.9 * self.previous
    }

    /// Judges a correction against the norm of the unknowns; `exact` says that before the correction the
    /// constraints held to round-off, and whatever else is not linear in the unknowns.
    pub fn judge(&mut self, correction: f64, size: f64, exact: bool) -> Verdict {
        self.iterations += 1;
        let stalled = correction > 0.5 * self.previous && (exact || correction <= 1e-9 * size);
        self.rate = correction / self.previous;
        self.previous = correction;
        if !(correction.is_finite() && size.is_finite()) {
            Verdict::Failed
        } else if correction < self.tolerance || correction <= self.relative * size || stalled {
            Verdict::Converged
        } else if self.iterations >= self.max_iterations {
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

/// Multiplies constraint Jacobians by dexp(u), block by block: from the configuration q · exp(u) back to local
/// coordinates at q. Entries outside the pattern are dropped, so it should hold whole blocks of the rotations that a
/// row touches.
pub(crate) struct PullBack {
    /// Factor and first velocity component of the factor that each velocity component belongs to.
    owners: Vec<(Factor, usize)>,
}

impl PullBack {
    pub fn new(space: &Manifold) -> Self {
        let owners = space
            .factor_ranges()
            .flat_map(|(factor, _, first)| std::iter::repeat_n((factor, first), factor.dimension()))
            .collect();
        Self { owners }
    }

    /// Pulls back the first `rows` rows: position rows, for velocity rows are not functions of q alone.
    pub fn apply(&self, pattern: &Pattern, rows: usize, u: &[f64], values: &mut [f64]) {
        for row in 0..rows {
            let (columns, first_value) = (pattern.row(row), pattern.row_range(row).start);
            let mut entry = 0;
            while entry < columns.len() {
                let (factor, first) = self.owners[columns[entry]];
                let end = first + factor.dimension();
                let inside = columns[entry..]
                    .iter()
                    .take_while(|&&column| column < end)
                    .count();
                let here = &mut values[first_value + entry..first_value + entry + inside];
                let local = columns[entry..entry + inside]
                    .iter()
                    .map(|column| column - first);
                match factor {
                    Factor::Euclidean(_) => {}
                    Factor::Rotation | Factor::UnitQuaternion => {
                        transform(here, local, &u[first..end], rotation::dexp_transpose)
                    }
                    Factor::RigidMotion => {
                        transform(here, local, &u[first..end], rigid_motion::dexp_transpose)
                    }
                }
                entry += inside;
            }
        }
    }
}

/// Applies `dexp_transpose` to the entries of one row in one block.
fn transform<const N: usize>(
    entries: &mut [f64],
    local: impl Iterator<Item = usize> + Clone,
    u: &[f64],
    dexp_transpose: fn(&[f64; N], &[f64; N]) -> [f64; N],
) {
    let mut covector = [0.0; N];
    for (entry, index) in entries.iter().zip(local.clone()) {
        covector[index] = *entry;
    }
    let displacement = std::array::from_fn(|index| u[index]);
    let pulled = dexp_transpose(&displacement, &covector);
    for (entry, index) in entries.iter_mut().zip(local) {
        *entry = pulled[index];
    }
}
