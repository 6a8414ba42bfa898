//! The state equation, which explicit methods on the state-space form share.

use crate::integrator::{StepError, Work, require_index, work_of};
use crate::system::{
    AccelerationSolver, DynamicsError, Evaluator, Parametrization, State, StateSpace,
};

/// Right-hand side of the state-space form: from estimates of the independent coordinates and velocities to the whole
/// state, its accelerations and rates.
pub(super) struct StateEquation {
    pub space: StateSpace,
    solver: AccelerationSolver,
    /// The current point.
    pub here: State,
    /// u' = dexp⁻¹(u) v of the current point.
    pub u_rate: Vec<f64>,
    /// x' of the current point.
    pub x_rate: Vec<f64>,
}

impl StateEquation {
    pub fn new(
        system: &Evaluator,
        state: &State,
        method: &'static str,
        parametrization: Parametrization,
    ) -> Result<Self, StepError> {
        let layout = system.layout();
        require_index(layout, method, 0)?;
        let solver =
            AccelerationSolver::new(layout).map_err(|source| StepError::linear(state.t, source))?;
        Ok(Self {
            space: StateSpace::new(layout, parametrization),
            solver,
            here: state.clone(),
            u_rate: vec![0.0; state.v.len()],
            x_rate: vec![0.0; state.x.len()],
        })
    }

    /// The start of a step is the current point, and the base of local coordinates.
    pub fn begin(&mut self, system: &mut Evaluator, from: &State) -> Result<(), DynamicsError> {
        self.here.copy_from(from);
        self.space.rebase(system, from)?;
        // At u = 0 dexp⁻¹ is the identity.
        self.u_rate.copy_from_slice(&from.v);
        Ok(())
    }

    /// Makes the dependent parts of coordinates and velocities, which hold estimates, satisfy the constraints.
    pub fn settle(&mut self, system: &mut Evaluator) -> Result<(), DynamicsError> {
        // Velocities need the Jacobian of the corrected configuration: positions first.
        self.space.correct_configuration(system, &mut self.here)?;
        self.space.load_jacobian(system, &self.here.point())?;
        self.space.correct_velocity(system, &mut self.here)?;
        let local = self.space.local();
        let group = &system.layout().space;
        group.dexp_inverse(local, &self.here.v, &mut self.u_rate);
        Ok(())
    }

    /// Accelerations, multipliers, algebraic variables and x' of the current point.
    pub fn accelerate(&mut self, system: &mut Evaluator) -> Result<(), DynamicsError> {
        self.solver.complete(system, &mut self.here)?;
        self.x_rate
            .copy_from_slice(self.solver.differential_rates());
        Ok(())
    }

    pub fn work(&self) -> Work {
        let mut work = work_of(&self.solver);
        let (factorizations, solves) = self.space.work();
        work.factorizations += factorizations;
        work.solves += solves;
        work
    }
}
