//! A method: Heun's, of order 2, on the index-1 form in local coordinates, with projection.

use liedae::control::ErrorNorm;
use liedae::integrator::{
    Attempt, Integrator, Kind, Method, Orders, StepError, StepSizes, Stepper, Work, work_of,
};
use liedae::prelude::*;
use liedae::system::{AccelerationSolver, Evaluator, Projector};

pub static HEUN: Method = Method::new("heun", Kind::Explicit, Orders::all(2))
    .with_title("Heun's method, projected")
    .with_error_estimate(2.0)
    .with_source("Heun 1900")
    .with_advice("few steps at loose tolerances", "anything stiff");

pub struct Heun;

struct HeunStepper {
    accelerations: AccelerationSolver,
    projector: Projector,
    displacement: Vec<f64>,
    error: [Vec<f64>; 2],
}

impl Integrator for Heun {
    fn method(&self) -> &'static Method {
        &HEUN
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        _sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        let layout = system.layout();
        if layout.differential + layout.algebraic > 0 {
            return Err(StepError::Unsupported {
                method: HEUN.name,
                reason: "it has states beside q and v".to_owned(),
            });
        }
        let linear = |source| StepError::linear(state.t, source);
        let zeros = || vec![0.0; layout.dimension()];
        Ok(Box::new(HeunStepper {
            accelerations: AccelerationSolver::new(layout).map_err(linear)?,
            projector: Projector::new(layout).map_err(linear)?,
            displacement: zeros(),
            error: [zeros(), zeros()],
        }))
    }
}

impl Stepper for HeunStepper {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        let u = &mut self.displacement;
        for (index, u) in u.iter_mut().enumerate() {
            to.v[index] = from.v[index] + h * from.acceleration[index];
            *u = 0.5 * h * (from.v[index] + to.v[index]);
        }
        system.layout().space.retract(&from.q, u, &mut to.q);
        self.accelerations.complete(system, to)?;

        let [error_q, error_v] = &mut self.error;
        for (index, u) in u.iter_mut().enumerate() {
            // The difference to Euler's method, in v and in what it makes of q.
            let error = 0.5 * h * (to.acceleration[index] - from.acceleration[index]);
            to.v[index] += error;
            *u = 0.5 * h * (from.v[index] + to.v[index]);
            (error_q[index], error_v[index]) = (0.5 * h * error, error);
        }
        system.layout().space.retract(&from.q, u, &mut to.q);
        norm.weigh(from, to);
        let error = norm.root_mean_square(error_q, error_v, &[]);
        Ok(Attempt::with_error(error))
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        _from: &State,
        _h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        self.projector.project_position(system, to, false)?;
        self.projector.project_velocity(system, to)?;
        Ok(self.accelerations.complete(system, to)?)
    }

    fn work(&self) -> Work {
        let (factorizations, solves) = self.projector.work();
        let mut work = work_of(&self.accelerations);
        work += Work {
            factorizations,
            solves,
            newton_iterations: 0,
        };
        work
    }
}
