//! One end of a step with its factorization, and the matrix between both ends.

use crate::integrator::StepError;
use crate::integrator::shared::pull_back::PullBack;
use crate::linalg::{KktError, KktSolver};
use crate::system::{Evaluator, Layout, Point, State};

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

/// \[M_n G_nᵀ; H 0\] with H = ∂g(q_n · exp(u))/∂u at the displacement u of an iterate: Newton's matrix where the rows at the
/// end differ from those at the start by as much as they are long in some direction.
pub(super) struct EndMatrix {
    pub kkt: KktSolver,
    jacobian: Vec<f64>,
    pull_back: PullBack,
}

impl EndMatrix {
    pub fn new(layout: &Layout) -> Result<Self, KktError> {
        let (mass, jacobian) = (&layout.mass, &layout.jacobian);
        Ok(Self {
            kkt: KktSolver::new(mass, jacobian, jacobian, &layout.blocks)?,
            jacobian: vec![0.0; jacobian.nnz()],
            pull_back: PullBack::new(&layout.space),
        })
    }

    /// Evaluates the rows at the end of the step and factorizes; velocity rows are the mean of both ends.
    pub fn load(
        &mut self,
        system: &mut Evaluator,
        start: &Side,
        displacement: &[f64],
        end: &State,
    ) -> Result<&mut KktSolver, StepError> {
        system.constraint_jacobian(&end.point(), &mut self.jacobian)?;
        let layout = system.layout();
        let (pattern, position_rows) = (&layout.jacobian, layout.position_rows);
        // ∂g(q_n · exp(u))/∂u = G dexp(u).
        (self.pull_back).apply(pattern, position_rows, displacement, &mut self.jacobian);
        let velocity_rows = (position_rows..pattern.rows()).flat_map(|row| pattern.row_range(row));
        for place in velocity_rows {
            // b is the mean of both ends: so are its rows.
            self.jacobian[place] = 0.5 * (self.jacobian[place] + start.jacobian[place]);
        }
        self.kkt
            .factor(&start.mass, &start.jacobian, &self.jacobian)
            .map_err(|source| StepError::linear(end.t, source))?;
        Ok(&mut self.kkt)
    }
}
