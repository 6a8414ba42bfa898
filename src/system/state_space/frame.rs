//! Directions of velocity space, split into dependent and independent ones.

use super::Parametrization;
use crate::linalg::{DEPENDENT_ANGLE, KktError, SquareLu, full_pivoting};
use crate::scalar::larger_or_nan;

/// A basis of velocity space whose first `rank` directions D belong to the dependent coordinates and the others Z to the
/// independent ones, with the rows of G that determine the dependent ones and the factors of the square matrix G D.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    dimension: usize,
    rank: usize,
    /// The rows that determine the dependent directions first, then the redundant ones.
    rows: Vec<usize>,
    /// Coordinate partitioning: the dependent coordinates first.
    order: Vec<usize>,
    /// Orthonormal directions, one after the other; empty for coordinate partitioning.
    directions: Vec<f64>,
    lu: SquareLu,
    scratch: Vec<f64>,
    coefficients: Vec<f64>,
    /// The largest dependent rate per independent one, |H|, when the directions were chosen.
    chosen_sensitivity: f64,
}

impl Frame {
    pub fn new(dimension: usize, rows: usize, parametrization: Parametrization) -> Self {
        let rank = rows.min(dimension);
        Self {
            dimension,
            rank: 0,
            rows: (0..rows).collect(),
            order: (0..dimension).collect(),
            directions: match parametrization {
                Parametrization::CoordinatePartitioning => Vec::new(),
                Parametrization::TangentPlane | Parametrization::NullSpace => {
                    vec![0.0; dimension * dimension]
                }
            },
            lu: SquareLu::new(rank),
            scratch: vec![0.0; rows * dimension],
            coefficients: vec![0.0; dimension.max(rows)],
            chosen_sensitivity: 1.0,
        }
    }

    /// Number of dependent coordinates.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of independent coordinates.
    pub fn independent(&self) -> usize {
        self.dimension - self.rank
    }

    /// Rows that the others imply.
    pub fn redundant_rows(&self) -> &[usize] {
        &self.rows[self.rank..]
    }

    pub fn lu(&self) -> &SquareLu {
        &self.lu
    }

    /// Chooses the directions from the dense Jacobian `g` (rows x dimension): pivots of a Gauss elimination with full
    /// pivoting (Haug et al. 1997, eq. 7) or an orthonormal basis of its rows and of its kernel.
    pub fn choose(&mut self, g: &[f64]) -> Result<(), KktError> {
        self.scratch.copy_from_slice(g);
        let n = self.dimension;
        self.rank = full_pivoting(
            &mut self.scratch,
            n,
            // Pivots of rows of unit size are linear in the angle.
            DEPENDENT_ANGLE,
            &mut self.rows,
            &mut self.order,
        );
        if !self.directions.is_empty() {
            self.orthonormalize(g);
        }
        self.factor(g)?;
        self.chosen_sensitivity = self.sensitivity(g);
        Ok(())
    }

    /// Gram-Schmidt, twice: the chosen rows first, then the unit vectors that are farthest from what there is.
    fn orthonormalize(&mut self, g: &[f64]) {
        let n = self.dimension;
        for k in 0..n {
            let (done, rest) = self.directions.split_at_mut(k * n);
            let new = &mut rest[..n];
            if k < self.rank {
                new.copy_from_slice(&g[self.rows[k] * n..(self.rows[k] + 1) * n]);
                normalize(new);
            } else {
                // How much of each unit vector the directions so far contain.
                let covered = |i: usize| -> f64 {
                    done.chunks_exact(n)
                        .map(|direction| direction[i].powi(2))
                        .sum()
                };
                let farthest = (0..n).min_by(|&i, &j| covered(i).total_cmp(&covered(j)));
                new.fill(0.0);
                if let Some(index) = farthest {
                    new[index] = 1.0;
                }
            }
            // Twice is enough: once leaves round-off of nearly dependent vectors.
            for _ in 0..2 {
                for direction in done.chunks_exact(n) {
                    let along = dot(direction, new);
                    for (slot, part) in new.iter_mut().zip(direction) {
                        *slot -= along * part;
                    }
                }
                normalize(new);
            }
        }
    }

    /// Factorizes G D for the rows kept.
    pub fn factor(&mut self, g: &[f64]) -> Result<(), KktError> {
        let (n, rank) = (self.dimension, self.rank);
        let matrix = self.lu.matrix(rank);
        for (row, target) in self.rows.iter().zip(matrix.chunks_exact_mut(rank.max(1))) {
            let given = &g[row * n..(row + 1) * n];
            for (k, slot) in target.iter_mut().enumerate() {
                *slot = along(&self.order, &self.directions, n, k, given);
            }
        }
        self.lu.factor().map_err(|row| KktError::Singular {
            what: "the constraint Jacobian of the dependent coordinates is singular",
            rows: vec![self.rows[row]],
            variables: self.order[..rank].to_vec(),
        })
    }

    /// The largest entry of H = -(G D)⁻¹ G Z: dependent rates per independent rate.
    pub fn sensitivity(&mut self, g: &[f64]) -> f64 {
        let (n, rank) = (self.dimension, self.rank);
        let mut largest = 0.0_f64;
        // H column by column: (G D) h = G z.
        for k in rank..n {
            let column = &mut self.coefficients[..rank];
            for (slot, row) in column.iter_mut().zip(&self.rows) {
                *slot = along(
                    &self.order,
                    &self.directions,
                    n,
                    k,
                    &g[row * n..(row + 1) * n],
                );
            }
            self.lu.solve(column);
            largest = column.iter().fold(largest, |max, v| max.max(v.abs()));
        }
        largest
    }

    /// How much larger the dependent rates are, by [`sensitivity`](Self::sensitivity), than when the directions were
    /// chosen, or than the independent ones if that is more.
    pub fn degradation(&mut self, g: &[f64]) -> f64 {
        self.sensitivity(g) / self.chosen_sensitivity.max(1.0)
    }

    /// Component `k` of a full vector along the independent directions.
    pub fn independent_component(&self, k: usize, full: &[f64]) -> f64 {
        along(
            &self.order,
            &self.directions,
            self.dimension,
            self.rank + k,
            full,
        )
    }

    /// full += amount times independent direction `k`.
    pub fn add_independent(&self, k: usize, amount: f64, full: &mut [f64]) {
        self.add(self.rank + k, amount, full);
    }

    fn add(&self, k: usize, amount: f64, full: &mut [f64]) {
        if self.directions.is_empty() {
            full[self.order[k]] += amount;
        } else {
            let n = self.dimension;
            for (slot, part) in full.iter_mut().zip(&self.directions[k * n..(k + 1) * n]) {
                *slot += amount * part;
            }
        }
    }

    /// full -= D (G D)⁻¹ residual, for a residual of all rows; returns the largest change along a direction.
    pub fn correct(&mut self, residual: &[f64], full: &mut [f64]) -> f64 {
        let rank = self.rank;
        let mut coefficients = std::mem::take(&mut self.coefficients);
        // (G D) c = residual of the rows kept.
        for (slot, row) in coefficients.iter_mut().zip(&self.rows[..rank]) {
            *slot = residual[*row];
        }
        self.lu.solve(&mut coefficients[..rank]);
        let mut largest = 0.0_f64;
        for (k, &amount) in coefficients[..rank].iter().enumerate() {
            self.add(k, -amount, full);
            largest = larger_or_nan(largest, amount.abs());
        }
        self.coefficients = coefficients;
        largest
    }

    /// Multipliers of the rows kept that balance a residual along the dependent directions: (G D)ᵀ λ = Dᵀ residual; the
    /// redundant rows get zero (Haug et al. 1997, eq. 38).
    pub fn multipliers(&mut self, residual: &[f64], lambda: &mut [f64]) {
        let rank = self.rank;
        let mut coefficients = std::mem::take(&mut self.coefficients);
        for (k, slot) in coefficients[..rank].iter_mut().enumerate() {
            *slot = along(&self.order, &self.directions, self.dimension, k, residual);
        }
        self.lu.solve_transpose(&mut coefficients[..rank]);
        lambda.fill(0.0);
        for (row, value) in self.rows.iter().zip(&coefficients[..rank]) {
            lambda[*row] = *value;
        }
        self.coefficients = coefficients;
    }
}

/// The component of `full` along direction `k`.
fn along(order: &[usize], directions: &[f64], n: usize, k: usize, full: &[f64]) -> f64 {
    if directions.is_empty() {
        full[order[k]]
    } else {
        dot(&directions[k * n..(k + 1) * n], full)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn normalize(vector: &mut [f64]) {
    let size = dot(vector, vector).sqrt();
    if size > 0.0 {
        for entry in vector {
            *entry /= size;
        }
    }
}
