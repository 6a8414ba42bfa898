//! A method: Rodas3, a Rosenbrock method of order 3, on the index-1 form, with projection.

use liedae::control::ErrorNorm;
use liedae::integrator::{
    Attempt, ImplicitEquations, Integrator, Kind, Method, Orders, StepError, StepSizes, Stepper,
    Work, work_of,
};
use liedae::prelude::*;
use liedae::system::{AccelerationSolver, Evaluator, Formulation, Projector};

pub static RODAS3: Method = Method::new("rodas3", Kind::Implicit, Orders::all(3))
    .with_title("Rodas3, linearly implicit, L-stable")
    .with_error_estimate(3.0)
    .with_source("Sandu et al. 1997, table 2, doi:10.1016/S1352-2310(97)83212-8")
    .with_advice(
        "stiff forces at three to five digits",
        "groups other than R^n",
    );

pub struct Rodas3;

const STAGES: usize = 4;

/// (B / (h γ) - J) k_i = F(t + α_i h, y + Σ a_ij k_j) + B Σ c_ij k_j / h + γ_i h ∂F/∂t,   y_1 = y + Σ m_i k_i.
const GAMMA: f64 = 0.5;
const A: [[f64; STAGES]; STAGES] = [
    [0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 0.0],
    [2.0, 0.0, 0.0, 0.0],
    [2.0, 0.0, 1.0, 0.0],
];
const C: [[f64; STAGES]; STAGES] = [
    [0.0, 0.0, 0.0, 0.0],
    [4.0, 0.0, 0.0, 0.0],
    [1.0, -1.0, 0.0, 0.0],
    [1.0, -1.0, -8.0 / 3.0, 0.0],
];
const WEIGHTS: [f64; STAGES] = [2.0, 0.0, 1.0, 1.0];
/// The difference to the embedded method of order 2 is the last stage.
const ALPHAS: [f64; STAGES] = [0.0, 0.0, 1.0, 1.0];
const GAMMAS: [f64; STAGES] = [0.5, 1.5, 0.0, 0.0];

struct Rodas3Stepper {
    equations: ImplicitEquations,
    accelerations: AccelerationSolver,
    projector: Projector,
    y: Vec<f64>,
    at: Vec<f64>,
    by_time: Vec<f64>,
    stages: [Vec<f64>; STAGES],
}

impl Integrator for Rodas3 {
    fn method(&self) -> &'static Method {
        &RODAS3
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        _sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        let layout = system.layout();
        if !layout.space.is_euclidean() || layout.descriptor.is_some() {
            return Err(StepError::Unsupported {
                method: RODAS3.name,
                reason: "it needs a vector space, and E x' = d with E the identity".to_owned(),
            });
        }
        let linear = |source| StepError::linear(state.t, source);
        let equations = ImplicitEquations::new(layout, Formulation::Index1).map_err(linear)?;
        let zeros = || vec![0.0; equations.len()];
        Ok(Box::new(Rodas3Stepper {
            accelerations: AccelerationSolver::new(layout).map_err(linear)?,
            projector: Projector::new(layout).map_err(linear)?,
            y: zeros(),
            at: zeros(),
            by_time: zeros(),
            stages: [(); STAGES].map(|()| zeros()),
            equations,
        }))
    }
}

impl Stepper for Rodas3Stepper {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        let linear = |source| StepError::linear(from.t, source);
        let Self {
            equations,
            y,
            at,
            by_time,
            stages,
            ..
        } = self;
        equations.load(from, y);
        equations.time_derivative(system, from, h, by_time)?;
        equations.linearize(system, from)?;
        equations
            .factor(system, 1.0 / (h * GAMMA))
            .map_err(linear)?;
        for i in 0..STAGES {
            let (known, rest) = stages.split_at_mut(i);
            let k = &mut rest[0];
            at.copy_from_slice(y);
            for (a, known) in A[i].iter().zip(&*known) {
                add(at, *a, known);
            }
            equations.evaluate(system, from, from.t + ALPHAS[i] * h, at, k)?;
            for (c, known) in C[i].iter().zip(&*known) {
                equations.add_rate_matrix(c / h, known, k);
            }
            add(k, GAMMAS[i] * h, by_time);
            equations.solve(system, k).map_err(linear)?;
        }
        for (weight, k) in WEIGHTS.iter().zip(&*stages) {
            add(y, *weight, k);
        }
        equations.store(system, from, y, to);
        norm.weigh(from, to);
        let error = &stages[STAGES - 1];
        let [u, v, x] = [equations.u(), equations.v(), equations.x()];
        let error = norm.root_mean_square(&error[u], &error[v], &error[x]);
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
        work += self.equations.work();
        work += Work {
            factorizations,
            solves,
            newton_iterations: 0,
        };
        work
    }
}

fn add(to: &mut [f64], factor: f64, values: &[f64]) {
    for (to, value) in to.iter_mut().zip(values) {
        *to += factor * value;
    }
}
