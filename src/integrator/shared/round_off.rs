//! Whether an iterate is as good as round-off allows.

use crate::integrator::shared::sizes::once;
use crate::linalg::Pattern;
use crate::scalar::{larger_or_nan, largest};
use crate::system::{Layout, Point, RatesJacobian};
use std::cell::Cell;
use std::ops::Range;

/// Round-off of a residual relative to its terms: a few roundings for each term, and those of the coordinates, which the
/// iteration magnifies near a singular configuration (30 were measured there).
const ROUNDINGS: f64 = 64.0 * f64::EPSILON;

/// A bound on the round-off of the positions of two bodies and of the points that a joint compares, half of the last digit each.
const PLACES: f64 = 2.0 * f64::EPSILON;

/// The allowed residual of the forces on a body, relative to these forces, as in the default tolerances of unknowns. It is larger
/// than round-off itself: the Newton matrix is not evaluated at the last iterate, and the magnified round-off of constraints
/// moves the iterate and so changes the forces a little.
const BALANCED: f64 = 1e-10;

/// The round-off of constraint rows with these entries, for coordinates, velocities or right-hand sides of this size. Dependent
/// rows may contradict each other by this much at any time: rows out of the plane of a plane motion consist of round-off only.
pub fn round_off_of_rows(jacobian: &[f64], values: &[f64]) -> f64 {
    round_off_of_values(values) * largest(jacobian).max(1.0)
}

/// The same in rows with entries of 1 at most: [`KktSolver::expect_rounded_values`](crate::linalg::KktSolver) has an eye on larger ones.
pub(crate) fn round_off_of_values(values: &[f64]) -> f64 {
    ROUNDINGS * (1.0 + largest(values))
}

/// Whether the constraint rows from `first` on are as small as the round-off of what they are made of: values of the size
/// of `coordinates` (or velocities), or 1, times the entries of the row.
///
/// # Panics
/// If there are more residuals than rows of the pattern from `first` on.
pub fn holds_to_round_off(
    residuals: &[f64],
    (pattern, jacobian): (&Pattern, &[f64]),
    first: usize,
    coordinates: &[f64],
) -> bool {
    let size = || largest(coordinates);
    multiples_hold_to_round_off(residuals, (pattern, jacobian), first, 1.0, size)
}

/// As [`holds_to_round_off`] for the residuals times `scale`, with the `size` of the largest coordinate, which is asked
/// for where it is needed.
pub(crate) fn multiples_hold_to_round_off(
    residuals: &[f64],
    (pattern, jacobian): (&Pattern, &[f64]),
    first: usize,
    scale: f64,
    size: impl FnOnce() -> f64,
) -> bool {
    if residuals.is_empty() {
        return true;
    }
    let size = size();
    // Most often no row needs its slope for that.
    if multiples_are_round_off(residuals, scale, || size) {
        return true;
    }
    let size = 1.0 + size;
    residuals.iter().enumerate().all(|(row, residual)| {
        let entries = &jacobian[pattern.row_range(first + row)];
        let slope: f64 = entries.iter().map(|entry| entry.abs()).sum();
        (scale * residual).abs() <= ROUNDINGS * size * slope.max(1.0)
    })
}

/// Whether these multiples of constraint rows are round-off even where their entries are no larger than 1, at
/// coordinates (or velocities) of this `size` at most; NaN is not.
pub(crate) fn multiples_are_round_off(
    residuals: &[f64],
    scale: f64,
    size: impl FnOnce() -> f64,
) -> bool {
    scale.abs() * largest(residuals) <= ROUNDINGS * (1.0 + size())
}

/// Whether these multiples of constraint rows are no more than rounded coordinates (or velocities) of this `size` leave
/// of a difference: no iterate can be expected to do better.
pub(crate) fn few_roundings_are_left(
    residuals: &[f64],
    scale: f64,
    size: impl FnOnce() -> f64,
) -> bool {
    // NaN does not pass.
    residuals.is_empty() || scale.abs() * largest(residuals) <= PLACES * (1.0 + size())
}

/// Compares the residuals of forces, differential rates and algebraic rows with the terms that they are sums of, body by
/// body, so that neither the number of bodies nor the heaviest of them counts.
///
/// Directions of a body in which no force acts are judged by its other ones.
pub struct RoundOff {
    /// Ends of the groups of rows that are judged together.
    groups: Vec<usize>,
    /// The residual before a correction.
    pub residual: Vec<f64>,
    /// Absolute values of the terms, added.
    terms: Vec<f64>,
}

/// What rounding their arguments makes of the rates, forces and differential rates. Positions are rounded on the scale of the
/// mechanism, at least 1; velocities on their own.
///
/// Rows are looked at where a comparison needs them: most bodies are in balance without.
pub struct RoundedArguments<'a> {
    layout: &'a Layout,
    derivatives: &'a RatesJacobian,
    scale: f64,
    at: Point<'a>,
    /// The size of the largest coordinate, once it is known.
    extent: Cell<Option<f64>>,
    /// The size of the largest velocity, once it is known.
    speed: Cell<Option<f64>>,
}

impl<'a> RoundedArguments<'a> {
    /// Those of a point, where rates have these derivatives, for residuals that have forces and differential rates times `scale`.
    pub fn new(
        layout: &'a Layout,
        derivatives: &'a RatesJacobian,
        scale: f64,
        at: Point<'a>,
    ) -> Self {
        Self {
            layout,
            derivatives,
            scale,
            at,
            extent: Cell::new(None),
            speed: Cell::new(None),
        }
    }

    /// The same with the size of the largest coordinate, if it is known.
    pub(crate) fn of_extent(mut self, extent: Option<f64>) -> Self {
        self.extent = Cell::new(extent);
        self
    }

    /// What is left of the worst of these rows.
    fn round_off(&self, rows: Range<usize>) -> f64 {
        let at = &self.at;
        let (dimension, first) = (at.v.len(), at.v.len() + at.x.len());
        let (extent, speed) = (1.0 + once(&self.extent, at.q), once(&self.speed, at.v));
        let of_row = |row: usize| {
            let scale = if row < first { self.scale } else { 1.0 };
            let (mut size, mut own) = (0.0, 0.0);
            let pattern = &self.layout.rates;
            for (&column, entry) in pattern.row(row).iter().zip(pattern.row_range(row)) {
                let slope = self.derivatives.by_position[entry].abs();
                if column < dimension {
                    let by_velocity = self.derivatives.by_velocity[entry].abs();
                    size += slope * extent + by_velocity * speed;
                } else if column < first {
                    size += slope * at.x[column - dimension].abs();
                } else {
                    own += slope * at.z[column - first].abs();
                }
            }
            ROUNDINGS * scale * (size + own)
        };
        rows.map(of_row).fold(0.0, larger_or_nan)
    }
}

impl RoundOff {
    /// Memory for the rows of a layout.
    pub fn new(layout: &Layout) -> Self {
        let rows = layout.rate_count();
        let more = [layout.differential, layout.algebraic];
        // Each body, then x, then z: groups are judged by their own largest terms.
        let sizes = layout.blocks.variables.iter().chain(&more);
        let ends = sizes.scan(0, |end, size| {
            *end += size;
            Some(*end)
        });
        Self {
            groups: ends.collect(),
            residual: vec![0.0; rows],
            terms: vec![0.0; rows],
        }
    }

    /// Starts a comparison with terms that somebody else writes.
    pub(crate) fn terms_to_fill(&mut self) -> &mut [f64] {
        &mut self.terms
    }

    /// Starts a comparison with the rates themselves, multiplied by `scale`.
    pub fn begin(&mut self, scale: f64, rates: &[f64]) {
        let (terms, algebraic) = self.terms.split_at_mut(rates.len());
        for (term, rate) in terms.iter_mut().zip(rates) {
            *term = (scale * rate).abs();
        }
        // These have no rates to start their sums with.
        algebraic.fill(0.0);
    }

    /// Adds the terms of a matrix times a vector, the rows of which start at `first`.
    pub fn add(&mut self, pattern: &Pattern, values: &[f64], scale: f64, x: &[f64], first: usize) {
        for (row, term) in self.terms[first..]
            .iter_mut()
            .take(pattern.rows())
            .enumerate()
        {
            let entries = pattern.row(row).iter().zip(&values[pattern.row_range(row)]);
            let sizes = entries.map(|(&column, value)| (value * x[column]).abs());
            *term += scale.abs() * sizes.sum::<f64>();
        }
    }

    /// Adds the terms of a transposed matrix times a vector.
    pub fn add_transpose(&mut self, pattern: &Pattern, values: &[f64], scale: f64, x: &[f64]) {
        pattern.add_transposed_sizes(values, scale, x, &mut self.terms[..pattern.cols()]);
    }

    /// Adds the terms that their derivatives give algebraic rows, which have no rates.
    pub fn add_algebraic(&mut self, layout: &Layout, derivatives: &RatesJacobian, at: &Point) {
        let (first, rows) = (at.v.len() + at.x.len(), at.lambda.len());
        for (index, term) in self.terms[first..].iter_mut().enumerate() {
            let pattern = &layout.rates;
            let entries = pattern.row_range(first + index);
            let columns = pattern.row(first + index).iter().zip(entries);
            for (column, entry) in columns.filter(|(column, _)| **column >= first) {
                *term += (derivatives.by_position[entry] * at.z[column - first]).abs();
            }
            let slopes = &derivatives.by_multiplier[index * rows..(index + 1) * rows];
            let pairs = slopes.iter().zip(at.lambda);
            *term += pairs.map(|(s, lambda)| (s * lambda).abs()).sum::<f64>();
        }
    }

    /// Whether the residual is what round-off leaves of its terms, and of these arguments.
    pub fn explains_residual(&self, arguments: Option<&RoundedArguments>) -> bool {
        self.explains(&self.residual, arguments)
    }

    /// The same of a residual in a list of its own.
    pub(crate) fn explains(&self, residual: &[f64], arguments: Option<&RoundedArguments>) -> bool {
        let mut start = 0;
        self.groups.iter().all(|&end| {
            let rows = start..end;
            start = end;
            // Terms bound what default tolerances leave, arguments what their rounding makes of the forces.
            let left = largest(&residual[rows.clone()]);
            let balanced = BALANCED * largest(&self.terms[rows.clone()]);
            left <= balanced
                || arguments.is_some_and(|arguments| {
                    let round_off = arguments.round_off(rows);
                    // An overflow explains nothing.
                    round_off.is_finite() && left <= balanced + round_off
                })
        })
    }
}

/// Whether the sizes of terms are at hand that a comparison needs: steps that follow each other most often ask for them alike.
#[derive(Clone, Copy, Default)]
pub(crate) struct TermSizes {
    expected: bool,
    asked: bool,
    known: bool,
}

impl TermSizes {
    /// Another step begins.
    pub fn begin(&mut self) {
        self.expected = std::mem::take(&mut self.asked);
        self.known = false;
    }

    /// Whether the last step has asked for them behind its first iterate.
    pub fn are_expected(&self) -> bool {
        self.expected
    }

    /// Residuals have been evaluated, with or without sizes.
    pub fn note(&mut self, known: bool) {
        self.known = known;
    }

    /// Asks for them, so that they are expected in the next step; whether they are known.
    pub fn ask(&mut self) -> bool {
        self.asked = true;
        self.known
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Blocks;
    use crate::manifold::Manifold;

    /// A body of 1e8 kg in balance does not hide one of 1 g that is not.
    #[test]
    fn every_body_is_judged_by_its_own_forces() {
        let layout = Layout {
            blocks: Blocks {
                variables: vec![1, 1],
                rows: vec![],
            },
            ..Layout::dense(Manifold::euclidean(2))
        };
        let mut round_off = RoundOff::new(&layout);
        let force = [1e9, 1e-2];
        for (residual, expected) in [([1e-2, 1e-13], true), ([1e-2, 1e-6], false)] {
            round_off.begin(1.0, &force);
            round_off.residual.copy_from_slice(&residual);
            assert_eq!(round_off.explains_residual(None), expected);
        }
        round_off.residual[0] = f64::NAN;
        assert!(!round_off.explains_residual(None));
    }

    /// Rows are judged by what they are made of: in metres or in millimetres, near the origin or far away.
    #[test]
    fn rows_are_judged_by_their_terms() {
        let pattern = Pattern::dense(1, 2);
        for (unit, place) in [(1.0, 0.1), (1e3, 0.1), (1.0, 1e4), (1e3, 1e4)] {
            let jacobian = [unit, -unit];
            let holds =
                |g: f64| holds_to_round_off(&[g], (&pattern, &jacobian), 0, &[place, place]);
            let round_off = unit * (1.0 + place) * f64::EPSILON;
            assert!(holds(round_off) && !holds(1e3 * round_off) && !holds(f64::NAN));
        }
    }
}
