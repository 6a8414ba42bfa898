//! Corrections of a generalized-alpha step in the metric of the mass matrix.

use crate::integrator::shared::round_off::{holds_to_round_off, round_off_of_values};
use crate::linalg::{Blocks, KktError, KktSolver, Pattern};
use crate::scalar::largest;
use crate::system::{DynamicsError, Evaluator, Layout, Point};

/// Position rows of the stabilized form (Haddouni et al. 2017, eq. 24, doi:10.1007/s11044-017-9570-y): the displacement
/// U of least kinetic metric with g(q · exp(U)) = 0, M U = Gᵀ ν.
pub(super) struct PositionCorrector {
    kkt: KktSolver,
    mass: Pattern,
    mass_values: Vec<f64>,
    /// Entries of position rows come first in the constraint Jacobian.
    entries: usize,
    top: Vec<f64>,
    bottom: Vec<f64>,
    change: Vec<f64>,
    nu: Vec<f64>,
    /// U.
    pub displacement: Vec<f64>,
}

/// The first rows of a pattern.
fn first_rows(pattern: &Pattern, count: usize) -> Result<Pattern, KktError> {
    // A clone shares what solvers make of a pattern.
    if count == pattern.rows() {
        return Ok(pattern.clone());
    }
    let entries = pattern.entries();
    Pattern::from_entries(
        count,
        pattern.cols(),
        entries.filter(|&(row, _)| row < count),
    )
}

/// The first row blocks that add up to `count`, the last one cut.
fn first_row_blocks(sizes: &[usize], count: usize) -> Vec<usize> {
    let mut left = count;
    let mut blocks = Vec::new();
    for &size in sizes {
        let size = size.min(left);
        if size > 0 {
            blocks.push(size);
        }
        left -= size;
    }
    blocks
}

impl PositionCorrector {
    pub fn new(layout: &Layout) -> Result<Self, KktError> {
        let (dimension, rows) = (layout.dimension(), layout.position_rows);
        let jacobian = first_rows(&layout.jacobian, rows)?;
        let blocks = Blocks {
            variables: layout.blocks.variables.clone(),
            rows: first_row_blocks(&layout.blocks.rows, rows),
        };
        Ok(Self {
            kkt: KktSolver::new(&layout.mass, &jacobian, &jacobian, &blocks)?,
            mass: layout.mass.clone(),
            mass_values: vec![0.0; layout.mass.nnz()],
            entries: jacobian.nnz(),
            top: vec![0.0; dimension],
            bottom: vec![0.0; rows],
            change: vec![0.0; dimension],
            nu: vec![0.0; rows],
            displacement: vec![0.0; dimension],
        })
    }

    pub fn kkt(&self) -> &KktSolver {
        &self.kkt
    }

    /// Factorizes with the mass matrix and the whole constraint Jacobian of a configuration.
    pub fn load(&mut self, mass: &[f64], jacobian: &[f64]) -> Result<(), KktError> {
        self.mass_values.copy_from_slice(mass);
        // Positions come first, and a pattern is stored row by row.
        let jacobian = &jacobian[..self.entries];
        self.kkt.factor(mass, jacobian, jacobian)
    }

    /// One iteration at a configuration that contains U; returns the largest change of U, and whether the rows held to
    /// round-off before. `jacobian` is the whole one of about this configuration.
    pub fn iterate(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
        jacobian: &[f64],
    ) -> Result<(f64, bool), DynamicsError> {
        system.position_constraint(at, &mut self.bottom)?;
        let rows = (&system.layout().jacobian, jacobian);
        let holds = holds_to_round_off(&self.bottom, rows, 0, at.q);
        for row in &mut self.bottom {
            *row = -*row;
        }
        // M U - Gᵀ ν = 0 and g + G δU = 0, linearized, ν itself as the unknown.
        self.top.fill(0.0);
        self.mass
            .multiply_add(&self.mass_values, -1.0, &self.displacement, &mut self.top);
        let linear = |source| DynamicsError::Linear { t: at.t, source };
        self.kkt.expect_rounded_values(round_off_of_values(at.q));
        self.kkt
            .solve(&self.top, &self.bottom, &mut self.change, &mut self.nu)
            .map_err(linear)?;
        for (displacement, change) in self.displacement.iter_mut().zip(&self.change) {
            *displacement += change;
        }
        Ok((largest(&self.change), holds))
    }
}

/// Moves the velocity that a step of the index-3 form starts from: the least change in kinetic energy, M δv = Gᵀ μ, that
/// gives position rows the violation G v + ∂g/∂t = G w for a wanted offset w, and none to velocity rows.
pub(super) struct VelocityCorrector {
    kkt: KktSolver,
    mass: Vec<f64>,
    jacobian: Vec<f64>,
    top: Vec<f64>,
    violation: Vec<f64>,
    bottom: Vec<f64>,
    change: Vec<f64>,
    multipliers: Vec<f64>,
}

impl VelocityCorrector {
    pub fn new(layout: &Layout) -> Result<Self, KktError> {
        let rows = layout.rows();
        Ok(Self {
            kkt: KktSolver::new(
                &layout.mass,
                &layout.jacobian,
                &layout.jacobian,
                &layout.blocks,
            )?,
            mass: vec![0.0; layout.mass.nnz()],
            jacobian: vec![0.0; layout.jacobian.nnz()],
            top: vec![0.0; layout.dimension()],
            violation: vec![0.0; rows],
            bottom: vec![0.0; rows],
            change: vec![0.0; layout.dimension()],
            multipliers: vec![0.0; rows],
        })
    }

    pub fn kkt(&self) -> &KktSolver {
        &self.kkt
    }

    /// Corrects `velocity`, which is the one of the point, so that its offset is `wanted`.
    pub fn apply(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
        wanted: &[f64],
        velocity: &mut [f64],
    ) -> Result<(), DynamicsError> {
        system.mass_matrix(at, &mut self.mass)?;
        system.constraint_jacobian(at, &mut self.jacobian)?;
        system.velocity_constraint(at, &mut self.violation)?;
        let layout = system.layout();
        // G δv = G w - (G v + ∂g/∂t); velocity rows get no offset.
        self.bottom.fill(0.0);
        layout
            .jacobian
            .multiply_add(&self.jacobian, 1.0, wanted, &mut self.bottom);
        self.bottom[layout.position_rows..].fill(0.0);
        for (row, violation) in self.bottom.iter_mut().zip(&self.violation) {
            *row -= violation;
        }
        let linear = |source| DynamicsError::Linear { t: at.t, source };
        self.kkt
            .factor(&self.mass, &self.jacobian, &self.jacobian)
            .map_err(linear)?;
        self.kkt.expect_rounded_values(round_off_of_values(at.v));
        self.kkt
            .solve(
                &self.top,
                &self.bottom,
                &mut self.change,
                &mut self.multipliers,
            )
            .map_err(linear)?;
        for (velocity, change) in velocity.iter_mut().zip(&self.change) {
            *velocity += change;
        }
        Ok(())
    }
}
