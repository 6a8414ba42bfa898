//! Characteristic scales: the units that a run calculates in.
//!
//! Newton iterations, tests of rank and floors of round-off compare numbers with one: a coordinate of 1e-9, a row times
//! 1e-12 or a mass of 1e-150 would be nothing to them. So the driver brings systems whose numbers are far from one to
//! numbers near one, once and in one place, and everybody below it sees those. The factors are powers of two, which
//! round nothing. States that leave the driver (observers, events, results) are in the units of the statement.

mod choice;
mod system;

pub(crate) use system::ScaledSystem;

use crate::linalg::Pattern;
use crate::system::{Layout, RatesJacobian, State};

/// Factors between the units of a statement and those of a run, powers of two:
///
/// ```text
/// q = D q̂,  v = D v̂,  v' = D v̂',   ĝ = R g,   λ = e R λ̂,   M̂ = D M D / e,   f̂ = D f / e
/// ```
///
/// with diagonal D and R, and an energy e. Rotations keep their unit, and so do x, z, d, a and t.
#[derive(Clone, Debug)]
pub(crate) struct Scales {
    /// D of each coordinate; 1 of rotations.
    coordinates: Vec<f64>,
    /// D of each velocity.
    velocities: Vec<f64>,
    /// R.
    rows: Vec<f64>,
    energy: f64,
    /// λ over λ̂.
    multipliers: Vec<f64>,
    /// Scaled values over those of the statement.
    mass: Vec<f64>,
    jacobian: Vec<f64>,
    rates: Vec<f64>,
    /// Of derivatives of the rates by (q, x, z), and by v.
    derivatives: Vec<f64>,
    stiffness: Vec<f64>,
}

impl Scales {
    /// With these scales of coordinates, velocities and rows, and this energy.
    fn new(
        layout: &Layout,
        (coordinates, velocities): (Vec<f64>, Vec<f64>),
        rows: Vec<f64>,
        energy: f64,
    ) -> Self {
        let dimension = layout.dimension();
        let of = |pattern: &Pattern, factor: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
            pattern.entries().map(|(i, j)| factor(i, j)).collect()
        };
        let d = &velocities;
        let force = |row: usize| {
            if row < dimension {
                d[row] / energy
            } else {
                1.0
            }
        };
        let by = |column: usize| if column < dimension { d[column] } else { 1.0 };
        let stiffness = layout.stiffness_pattern();
        Self {
            multipliers: rows.iter().map(|row| energy * row).collect(),
            mass: of(&layout.mass, &|i, j| d[i] * (d[j] / energy)),
            jacobian: of(&layout.jacobian, &|i, j| rows[i] * d[j]),
            rates: (0..layout.rate_count()).map(force).collect(),
            derivatives: of(&layout.rates, &|i, j| force(i) * by(j)),
            stiffness: stiffness.map_or_else(
                |_| Vec::new(),
                |pattern| of(&pattern, &|i, j| d[i] * (d[j] / energy)),
            ),
            coordinates,
            velocities,
            rows,
            energy,
        }
    }

    /// Those that change nothing.
    fn ones(layout: &Layout) -> Self {
        let ones = |count: usize| vec![1.0; count];
        let motion = (ones(layout.space.coordinates()), ones(layout.dimension()));
        Self::new(layout, motion, ones(layout.rows()), 1.0)
    }

    /// Derivatives of the rates of the statement become those of the run.
    fn apply_to_derivatives(&self, out: &mut RatesJacobian) {
        multiply(&mut out.by_position, &self.derivatives);
        multiply(&mut out.by_velocity, &self.derivatives);
        if !self.multipliers.is_empty() {
            for by_multipliers in out.by_multiplier.chunks_mut(self.multipliers.len()) {
                multiply(by_multipliers, &self.multipliers);
            }
        }
    }

    /// From the units of the statement to those of the run.
    pub fn enter(&self, state: &mut State) {
        divide(&mut state.q, &self.coordinates);
        divide(&mut state.v, &self.velocities);
        divide(&mut state.acceleration, &self.velocities);
        divide(&mut state.lambda, &self.multipliers);
    }

    /// From the units of the run to those of the statement.
    pub fn leave(&self, state: &mut State) {
        multiply(&mut state.q, &self.coordinates);
        multiply(&mut state.v, &self.velocities);
        multiply(&mut state.acceleration, &self.velocities);
        multiply(&mut state.lambda, &self.multipliers);
    }

    /// The units of the velocities, and of local coordinates.
    pub fn velocities(&self) -> &[f64] {
        &self.velocities
    }

    /// A value of a row in the unit of the statement.
    pub fn row_value(&self, row: usize, value: f64) -> f64 {
        self.rows.get(row).map_or(value, |scale| value / scale)
    }

    /// An entry of the mass matrix in the unit of the statement.
    pub fn mass_entry(&self, [row, column]: [usize; 2], value: f64) -> f64 {
        let unit = |index: usize| self.velocities.get(index).copied().unwrap_or(1.0);
        value * self.energy / (unit(row) * unit(column))
    }

    /// A displacement along the gradient of a row in the largest unit of the velocities that the row ties together.
    pub fn displacement(&self, layout: &Layout, row: usize, value: f64) -> f64 {
        let units = layout.jacobian.row(row).iter();
        let largest = units.fold(0.0_f64, |max, &column| max.max(self.velocities[column]));
        if largest > 0.0 {
            value * largest
        } else {
            value
        }
    }
}

fn multiply(values: &mut [f64], factors: &[f64]) {
    for (value, factor) in values.iter_mut().zip(factors) {
        *value *= factor;
    }
}

fn divide(values: &mut [f64], factors: &[f64]) {
    for (value, factor) in values.iter_mut().zip(factors) {
        *value /= factor;
    }
}
