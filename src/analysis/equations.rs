//! The equations of a system linearized at one state, each derivative evaluated once.

use super::AnalysisError;
use super::matrices::{constraint_jacobian, dense};
use crate::system::{Evaluator, RatesJacobian, State};
use faer::Mat;

/// Sums of terms are known to so many roundings of the largest one.
const ROUNDINGS: f64 = 16.0;

/// Mass, constraint Jacobian and derivatives of a system at one state, dense.
pub(super) struct Equations {
    /// Numbers of velocities, differential states, algebraic variables and constraint rows.
    pub sizes: Sizes,
    /// M.
    pub mass: Mat<f64>,
    /// G, all rows.
    pub jacobian: Mat<f64>,
    /// ∂(f, d, a)/∂(q, x, z).
    pub by_position: Mat<f64>,
    /// ∂(f, d, a)/∂v in the first columns.
    pub by_velocity: Mat<f64>,
    /// ∂a/∂λ.
    pub by_multiplier: Mat<f64>,
    /// ∂(M v' - Gᵀ λ)/∂q with the acceleration and multipliers of the state.
    pub stiffness: Mat<f64>,
}

/// How much there is of everything.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub velocities: usize,
    pub differential: usize,
    pub algebraic: usize,
    pub rows: usize,
}

impl Equations {
    pub fn at(system: &mut Evaluator, state: &State) -> Result<Self, AnalysisError> {
        let layout = system.layout().clone();
        let point = state.point();
        let mut mass = vec![0.0; layout.mass.nnz()];
        system.mass_matrix(&point, &mut mass)?;
        let mut slopes = RatesJacobian::new(&layout);
        system.rates_jacobian(&point, &mut slopes)?;
        let pattern = layout.stiffness_pattern()?;
        let mut stiffness = vec![0.0; pattern.nnz()];
        system.geometric_stiffness(&point, &state.acceleration, &mut stiffness)?;
        let sizes = Sizes {
            velocities: layout.dimension(),
            differential: layout.differential,
            algebraic: layout.algebraic,
            rows: layout.rows(),
        };
        Ok(Self {
            sizes,
            mass: dense(&layout.mass, &mass),
            jacobian: constraint_jacobian(system, state)?,
            by_position: dense(&layout.rates, &slopes.by_position),
            by_velocity: dense(&layout.rates, &slopes.by_velocity),
            by_multiplier: Mat::from_fn(sizes.algebraic, sizes.rows, |index, row| {
                slopes.by_multiplier[index * sizes.rows + row]
            }),
            stiffness: dense(&pattern, &stiffness),
        })
    }

    /// The same for small motions, in which what counts revolutions has no part: nothing depends on it smoothly.
    pub fn of_small_motions(system: &mut Evaluator, state: &State) -> Result<Self, AnalysisError> {
        let mut all = Self::at(system, state)?;
        let counters = system.layout().revolution_counters;
        if counters > 0 {
            let (n, left) = (all.sizes.velocities, all.by_position.nrows() - counters);
            let place = |index: usize| if index < n { index } else { index + counters };
            let reduced =
                |whole: &Mat<f64>| Mat::from_fn(left, left, |i, j| whole[(place(i), place(j))]);
            all.by_position = reduced(&all.by_position);
            all.by_velocity = reduced(&all.by_velocity);
            all.sizes.differential -= counters;
        }
        Ok(all)
    }

    /// The blocks B and C of [A -Bᵀ; C 0] in unknowns that begin with velocities and end with the algebraic variables, row by row:
    /// C is G, B is G and ∂a/∂λ, since residuals 0 = a(z, λ) may depend on reactions.
    pub fn constraint_blocks(&self, unknowns: usize) -> (Vec<f64>, Vec<f64>) {
        let Sizes {
            velocities,
            algebraic,
            rows,
            ..
        } = self.sizes;
        let first = unknowns - algebraic;
        let mut lower = vec![0.0; rows * unknowns];
        for row in 0..rows {
            for column in 0..velocities {
                lower[row * unknowns + column] = self.jacobian[(row, column)];
            }
        }
        let mut upper = lower.clone();
        for row in 0..rows {
            for index in 0..algebraic {
                upper[row * unknowns + first + index] = self.by_multiplier[(index, row)];
            }
        }
        (upper, lower)
    }

    /// What round-off of the coordinates, each of the size of 1 (m, rad), makes of forces, reactions, rates and residuals.
    pub fn round_off(&self) -> Vec<f64> {
        let (count, n) = (self.by_position.nrows(), self.sizes.velocities);
        (0..count)
            .map(|i| {
                let own = (0..count).map(|j| self.by_position[(i, j)].abs());
                let reactions = (0..n)
                    .filter(|_| i < n)
                    .map(|j| self.stiffness[(i, j)].abs());
                ROUNDINGS * f64::EPSILON * (own.sum::<f64>() + reactions.sum::<f64>())
            })
            .collect()
    }

    /// What that makes of accelerations: small inertias have large ones.
    pub fn round_off_of_accelerations(&self) -> f64 {
        let forces = self.round_off();
        let accelerations = (0..self.sizes.velocities)
            .filter(|&i| self.mass[(i, i)] > 0.0)
            .map(|i| forces[i] / self.mass[(i, i)]);
        accelerations.fold(0.0, f64::max)
    }
}
