//! What a step needs at its start and the step before may already know.

use crate::integrator::StepError;
use crate::system::{AccelerationSolver, Evaluator, Point, State};

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

    /// Takes over what the last stage of a step has at its end.
    pub fn keep(&mut self, acceleration: &[f64], x_rate: &[f64], lambda: &[f64], z: &[f64]) {
        self.acceleration.copy_from_slice(acceleration);
        self.x_rate.copy_from_slice(x_rate);
        self.lambda.copy_from_slice(lambda);
        self.z.copy_from_slice(z);
        self.known = true;
    }

    /// Computes what belongs to `state` from the index-1 form unless it is known.
    pub fn ensure(
        &mut self,
        solver: &mut AccelerationSolver,
        system: &mut Evaluator,
        state: &State,
    ) -> Result<(), StepError> {
        if !self.known {
            self.z.copy_from_slice(&state.z);
            self.lambda.copy_from_slice(&state.lambda);
            // z and λ are solved for: rates must not see the old ones.
            let at = Point {
                z: &[],
                lambda: &[],
                ..state.point()
            };
            solver.load_index_one(system, &at)?;
            let at = state.point();
            solver.solve(
                system,
                &at,
                &mut self.acceleration,
                &mut self.z,
                &mut self.lambda,
            )?;
            self.x_rate.copy_from_slice(solver.differential_rates());
            self.known = true;
        }
        Ok(())
    }

    /// Writes acceleration, multipliers and algebraic variables into `state`.
    pub fn complete(&self, state: &mut State) {
        state.acceleration.copy_from_slice(&self.acceleration);
        state.lambda.copy_from_slice(&self.lambda);
        state.z.copy_from_slice(&self.z);
    }
}
