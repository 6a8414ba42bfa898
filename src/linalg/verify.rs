//! Is a computed solution a solution?

use super::blocks::Blocks;
use super::dependence::DEPENDENT_ANGLE;
use super::scaling::Scaling;
use super::system::System;
use crate::scalar::larger_or_nan;

/// Bounds on `|rhs - K z|`, row by row; a row passes if it meets either.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tolerance {
    /// Relative to the terms of the row, `|rhs| + |K| |z|`.
    pub componentwise: f64,
    /// Relative to the largest unknown, in equilibrated units. Rows whose exact terms all vanish
    /// consist of rounding errors of their neighbours and can only pass this way.
    normwise: f64,
}

/// Accepted at once.
pub(super) const GOOD: Tolerance = Tolerance {
    componentwise: 1e-12,
    normwise: 1e-15,
};

/// A row may also miss this part of what the row with the largest terms in its body or joint may miss: rows in directions where nothing
/// happens consist of their neighbours' round-off.
pub(super) const NEIGHBOURS: f64 = 1e-3;

/// Accepted after refinement.
pub(super) const ACCEPTABLE: Tolerance = Tolerance {
    componentwise: 1e-10,
    normwise: 1e-14,
};

/// Accepted in the force rows when multipliers were projected: the null space is known only as well
/// as the dependence of the rows.
pub(super) const ACCEPTABLE_DEFICIENT: Tolerance = Tolerance {
    componentwise: DEPENDENT_ANGLE,
    normwise: 1e-8,
};

/// Contradiction tolerated between redundant rows. They depend on each other to this angle only, so no less can be asked of
/// them.
pub(super) const CONSISTENT: Tolerance = Tolerance {
    componentwise: DEPENDENT_ANGLE,
    normwise: 1e-10,
};

/// What `K z` of a null vector may be, and its `x` part.
const NULL: Tolerance = Tolerance {
    componentwise: 1e-5,
    normwise: 1e-5,
};

/// What is known about the scaling of the current matrix.
#[derive(Clone, Copy, PartialEq)]
enum Known {
    Nothing,
    /// One that started from the matrix before.
    Units,
    /// The one of the matrix itself.
    Scaling,
}

/// Residuals and their judgement; nothing here allocates except the lists for errors.
pub(super) struct Check {
    scaling: Scaling,
    known: Known,
    residual: Vec<f64>,
    weight: Vec<f64>,
    zero: Vec<f64>,
    block_sizes: Vec<usize>,
}

impl Check {
    /// For systems of these blocks, variables first.
    pub fn new(blocks: &Blocks) -> Self {
        let sizes = blocks.sizes();
        let size = sizes.iter().sum();
        Self {
            block_sizes: sizes,
            scaling: Scaling::new(size),
            known: Known::Nothing,
            residual: vec![0.0; size],
            weight: vec![0.0; size],
            zero: vec![0.0; size],
        }
    }

    /// The matrix has changed.
    pub fn reset(&mut self) {
        self.known = Known::Nothing;
    }

    /// The scaling of the current matrix, computed when first needed: the same whatever was factorized before, since ranks
    /// are decided with it.
    pub fn scaling(&mut self, system: &System) -> &Scaling {
        if self.known != Known::Scaling {
            self.scaling.compute(system);
            self.known = Known::Scaling;
        }
        &self.scaling
    }

    /// Any scaling that equilibrates the current matrix, which suffices to measure residuals.
    fn units(&mut self, system: &System) -> &Scaling {
        if self.known == Known::Nothing {
            self.scaling.update(system);
            self.known = Known::Units;
        }
        &self.scaling
    }

    /// The scaling last computed.
    pub fn known_scaling(&self) -> &Scaling {
        &self.scaling
    }

    /// The residual last measured.
    pub fn residual(&self) -> &[f64] {
        &self.residual
    }

    /// Computes residual and weights of `z`.
    pub fn measure(&mut self, system: &System, rhs: &[f64], z: &[f64]) {
        system.residual(rhs, z, &mut self.residual, &mut self.weight);
    }

    /// Whether a solution has something in every block.
    pub fn moves_all_blocks(&self, z: &[f64]) -> bool {
        let mut first = 0;
        self.block_sizes.iter().all(|size| {
            let block = &z[first..first + size];
            first += size;
            block.is_empty() || block.iter().any(|value| *value != 0.0)
        })
    }

    /// Whether every row measured last meets the tolerance.
    pub fn passes(&mut self, system: &System, z: &[f64], tolerance: &Tolerance) -> bool {
        // Cheap tests first; only what they leave open needs the scaling.
        if self.all_componentwise(tolerance.componentwise)
            || self.all_blockwise(tolerance.componentwise)
        {
            return true;
        }
        let largest = self.largest(system, z);
        (0..self.residual.len()).all(|i| self.row_passes(i, largest, tolerance))
    }

    fn all_componentwise(&self, tolerance: f64) -> bool {
        let rows = self.residual.iter().zip(&self.weight);
        // Counting does not stop early, so it vectorizes. An infinite weight is an overflow.
        let good =
            |(r, &w): (&f64, &f64)| u64::from((r.abs() <= tolerance * w) & (w < f64::INFINITY));
        rows.map(good).sum::<u64>() == self.residual.len() as u64
    }

    /// As componentwise, but measured by [`NEIGHBOURS`] too. It settles most rows that consist of round-off only without the scaling, which
    /// costs more than the solution itself.
    fn all_blockwise(&self, tolerance: f64) -> bool {
        let mut first = 0;
        self.block_sizes.iter().all(|size| {
            let rows = first..first + size;
            first += size;
            let terms = self.weight[rows.clone()]
                .iter()
                .fold(0.0_f64, |max, &w| max.max(w));
            let mut pairs = self.residual[rows.clone()].iter().zip(&self.weight[rows]);
            pairs.all(|(r, &w)| {
                r.abs() <= tolerance * w.max(NEIGHBOURS * terms) && w < f64::INFINITY
            })
        })
    }

    fn row_passes(&self, i: usize, largest: f64, tolerance: &Tolerance) -> bool {
        let (r, w) = (self.residual[i].abs(), self.weight[i]);
        // Comparisons with NaN are false: NaN does not pass.
        w < f64::INFINITY
            && (r <= tolerance.componentwise * w
                || r * self.scaling.row[i] <= tolerance.normwise * largest)
    }

    /// Largest unknown in equilibrated units.
    fn largest(&mut self, system: &System, z: &[f64]) -> f64 {
        let scaling = self.units(system);
        let sizes = z.iter().zip(&scaling.col).map(|(z, c)| (z / c).abs());
        sizes.fold(0.0, larger_or_nan)
    }

    /// What counts as nothing in a row without entries, for a solution `z`.
    pub fn round_off(&mut self, system: &System, z: &[f64]) -> f64 {
        CONSISTENT.normwise * self.largest(system, z)
    }

    /// Rows from `first` on that miss the tolerance, counted from `first`, and their largest
    /// residual.
    pub fn violated(
        &mut self,
        system: &System,
        z: &[f64],
        first: usize,
        tolerance: &Tolerance,
    ) -> (Vec<usize>, f64) {
        let mut rows = Vec::new();
        let mut residual = 0.0_f64;
        if self.all_componentwise(tolerance.componentwise) {
            return (rows, residual);
        }
        let largest = self.largest(system, z);
        for i in first..self.residual.len() {
            if !self.row_passes(i, largest, tolerance) {
                rows.push(i - first);
                residual = residual.max(self.residual[i].abs());
            }
        }
        (rows, residual)
    }

    /// Largest componentwise backward error measured last; NaN if anything is.
    pub fn backward_error(&self) -> f64 {
        let rows = self.residual.iter().zip(&self.weight);
        // A row without residual is exact, whatever its terms: not 0/0.
        let errors = rows.map(|(r, w)| if *r == 0.0 { 0.0 } else { r.abs() / w });
        errors.fold(0.0, larger_or_nan)
    }

    /// Whether `K z = 0` and `z` has multipliers only.
    pub fn is_null_vector(&mut self, system: &System, z: &[f64]) -> bool {
        let zero = std::mem::take(&mut self.zero);
        self.measure(system, &zero, z);
        self.zero = zero;
        // x must rest: a null vector that moves variables leaves them undetermined.
        let largest = self.largest(system, z);
        let moves = z[..system.n].iter().zip(&self.scaling.col);
        let still = moves.fold(true, |still, (x, c)| {
            still && (x / c).abs() <= NULL.normwise * largest
        });
        still && self.passes(system, z, &NULL)
    }

    /// Indices of the entries that matter in `v`, whose first unknown is `first`.
    pub fn support(&self, v: &[f64], first: usize) -> Vec<usize> {
        let scaled = |i: usize| (v[i] / self.scaling.col[first + i]).abs();
        let largest = (0..v.len()).map(scaled).fold(0.0, f64::max);
        (0..v.len())
            .filter(|&i| scaled(i) > 1e-6 * largest)
            .collect()
    }
}
