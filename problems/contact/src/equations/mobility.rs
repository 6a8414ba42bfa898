//! How forces move the system between two events, with all its rows.

use super::Equations;
use crate::failed;
use liedae::linalg::{KktError, KktSolver};
use liedae::system::{EvaluationError, Layout, Point, System};

/// The equations of motion \[M -Gᵀ; G 0\] of a structure.
pub(crate) struct Mobility {
    solver: KktSolver,
    mass: Vec<f64>,
    jacobian: Vec<f64>,
    still: Vec<f64>,
    multipliers: Vec<f64>,
}

impl Mobility {
    fn new(layout: &Layout) -> Result<Self, KktError> {
        let jacobian = &layout.jacobian;
        Ok(Self {
            solver: KktSolver::new(&layout.mass, jacobian, jacobian, &layout.blocks)?,
            mass: vec![0.0; layout.mass.nnz()],
            jacobian: vec![0.0; jacobian.nnz()],
            still: vec![0.0; layout.rows()],
            multipliers: vec![0.0; layout.rows()],
        })
    }

    /// The acceleration by a generalized force.
    pub fn accelerate(&mut self, force: &[f64], acceleration: &mut [f64]) -> Result<(), KktError> {
        let (still, multipliers) = (&self.still, &mut self.multipliers);
        (self.solver).solve(force, still, acceleration, multipliers)
    }
}

impl Equations {
    /// Calls `ask` with the equations of motion at a point.
    pub fn with_mobility<R>(
        &mut self,
        at: &Point,
        ask: impl FnOnce(&mut Mobility) -> Result<R, KktError>,
    ) -> Result<R, EvaluationError> {
        let linear = |error: KktError| failed(at.t, format!("the mobility of contacts: {error}"));
        let mut mobility = match self.mobility.take() {
            Some(mobility) => mobility,
            None => Box::new(Mobility::new(self.layout()).map_err(linear)?),
        };
        self.mass_matrix(at, &mut mobility.mass)?;
        self.constraint_jacobian(at, &mut mobility.jacobian)?;
        let Mobility {
            solver,
            mass,
            jacobian,
            ..
        } = &mut *mobility;
        solver.factor(mass, jacobian, jacobian).map_err(linear)?;
        let answer = ask(&mut mobility).map_err(linear);
        self.mobility = Some(mobility);
        answer
    }
}
