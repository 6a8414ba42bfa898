//! One end of a step with its factorization.

use crate::integrator::StepError;
use crate::linalg::{KktError, KktSolver};
use crate::system::{Evaluator, Layout, Point};

/// M, G and the rates at one end of a step, with [M Gᵀ; G 0] factorized.
pub(super) struct Side {
    pub kkt: KktSolver,
    pub mass: Vec<f64>,
    pub jacobian: Vec<f64>,
    pub rates: Vec<f64>,
}

impl Side {
    pub fn new(layout: &Layout) -> Result<Self, KktError> {
        let (mass, jacobian) = (&layout.mass, &layout.jacobian);
        Ok(Self {
            kkt: KktSolver::new(mass, jacobian, jacobian, &layout.blocks)?,
            mass: vec![0.0; mass.nnz()],
            jacobian: vec![0.0; jacobian.nnz()],
            rates: vec![0.0; layout.rate_count()],
        })
    }

    /// Evaluates M and G, and factorizes.
    pub fn load(&mut self, system: &mut Evaluator, at: &Point) -> Result<(), StepError> {
        if at.v.is_empty() {
            return Ok(());
        }
        system.mass_matrix(at, &mut self.mass)?;
        if !self.jacobian.is_empty() {
            system.constraint_jacobian(at, &mut self.jacobian)?;
        }
        self.kkt
            .factor(&self.mass, &self.jacobian, &self.jacobian)
            .map_err(|source| StepError::linear(at.t, source))
    }

    /// Adds `scale` M v to `out`.
    pub fn add_momentum(&self, layout: &Layout, scale: f64, v: &[f64], out: &mut [f64]) {
        layout.mass.multiply_add(&self.mass, scale, v, out);
    }
}
