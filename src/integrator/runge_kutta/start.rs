//! Acceleration, multipliers and rates at the start of a step, reused from the end of the step before.

use crate::integrator::StepError;
use crate::system::{AccelerationSolver, Evaluator, Point, State, copy_part};

/// Acceleration, multipliers, algebraic variables and x' at the start of the next step, if `known`.
pub(in crate::integrator) struct Start {
    pub acceleration: Vec<f64>,
    pub lambda: Vec<f64>,
    pub z: Vec<f64>,
    pub x_rate: Vec<f64>,
    pub known: bool,
}

impl Start {
    /// From the driver's initial state, which is complete but for x'.
    pub fn new(state: &State) -> Self {
        Self {
            acceleration: state.acceleration.clone(),
            // x' is not part of a state: it has to be evaluated first.
            lambda: state.lambda.clone(),
            z: state.z.clone(),
            x_rate: vec![0.0; state.x.len()],
            known: state.x.is_empty(),
        }
    }

    /// Begins anew from a complete state: as [`new`](Self::new).
    pub fn restart(&mut self, state: &State) {
        copy_part(&mut self.acceleration, &state.acceleration);
        copy_part(&mut self.lambda, &state.lambda);
        copy_part(&mut self.z, &state.z);
        self.known = state.x.is_empty();
    }

    /// Takes over what the last stage of a step has at its end.
    pub fn keep(&mut self, acceleration: &[f64], x_rate: &[f64], lambda: &[f64], z: &[f64]) {
        copy_part(&mut self.acceleration, acceleration);
        copy_part(&mut self.x_rate, x_rate);
        copy_part(&mut self.lambda, lambda);
        copy_part(&mut self.z, z);
        self.known = true;
    }

    /// Computes what belongs to `state` from the index-1 form unless it is known.
    pub fn ensure(
        &mut self,
        solver: &mut AccelerationSolver,
        system: &mut Evaluator,
        state: &State,
    ) -> Result<(), StepError> {
        self.ensure_by(solver, system, state, false)
    }

    /// The same with a solver that may have the matrix of the index-1 form at this state.
    pub fn ensure_by(
        &mut self,
        solver: &mut AccelerationSolver,
        system: &mut Evaluator,
        state: &State,
        has_matrix: bool,
    ) -> Result<(), StepError> {
        if !self.known {
            copy_part(&mut self.z, &state.z);
            copy_part(&mut self.lambda, &state.lambda);
            // z and λ are solved for: rates must not see the old ones.
            let at = Point {
                z: &[],
                lambda: &[],
                ..state.point()
            };
            let (a, z, lambda) = (&mut self.acceleration, &mut self.z, &mut self.lambda);
            if has_matrix {
                solver.solve_index_one_again(system, &at, a, z, lambda)?;
            } else {
                solver.solve_index_one(system, &at, a, z, lambda)?;
            }
            copy_part(&mut self.x_rate, solver.differential_rates());
            self.known = true;
        }
        Ok(())
    }

    /// Writes acceleration, multipliers and algebraic variables into `state`.
    pub fn complete(&self, state: &mut State) {
        copy_part(&mut state.acceleration, &self.acceleration);
        copy_part(&mut state.lambda, &self.lambda);
        copy_part(&mut state.z, &self.z);
    }
}
