//! MDOP5: Dormand and Prince's method on the index-1 form, with projection.

use super::hem5::{ProjectedLevels, project};
use super::registry::Projection;
use super::stages::Stages;
use super::tableau::dopri5::{A, C, E, STAGES};
use super::{
    Attempt, DenseOutput, Integrator, Kind, Method, Orders, StepError, Work,
    differential_rows_need, work_of,
};
use crate::control::{ControllerKind, ErrorNorm, Limits};
use crate::system::{AccelerationSolver, Evaluator, Point, Projector, State};

/// DOPRI5 on the index-1 form; positions and velocities are projected back onto the constraints.
///
/// Each stage solves \[M -Gᵀ; G 0\] (v', λ) = (f, -γ); configurations are advanced in local coordinates, so that it runs
/// on Lie groups unchanged. Order 5 in q, v and λ, which hold at every step. Without projection the constraints drift;
/// projections follow the error estimate and cost one more evaluation per step, as the last stage is then no longer the
/// first of the next step. On ODEs it is DOPRI5.
///
/// Use it for non-stiff systems, where multipliers and accelerations at every step are wanted, and for ODEs; not for
/// stiff systems.
///
/// Sources: Dormand, Prince 1980, doi:10.1016/0771-050X(80)90013-3; Haddouni et al. 2017, section 3.3,
/// doi:10.1007/s11044-017-9570-y.
/// Measured: `liedae run andrews --method mdop5 --projection never --rtol 1e-6 --atol 1e-6` against DOPRI5's 102 steps.
pub struct Mdop5 {
    projection: Projection,
    workspace: Option<Workspace>,
}

struct Workspace {
    solver: AccelerationSolver,
    projector: Projector,
    stages: Stages<STAGES>,
    /// Acceleration, multipliers, algebraic variables and x' at the start of the next step, if `known`.
    start: Start,
    error: [Vec<f64>; 3],
}

struct Start {
    acceleration: Vec<f64>,
    lambda: Vec<f64>,
    z: Vec<f64>,
    x_rate: Vec<f64>,
    known: bool,
}

impl Mdop5 {
    /// What the method is.
    pub const METHOD: Method = Method {
        name: "mdop5",
        title: "Dormand-Prince on index 1 with projection",
        kind: Kind::Explicit,
        index: 1,
        orders: Orders {
            q: 5,
            v: 5,
            lambda: 5,
        },
        error_order: 5.0,
        dense_output: DenseOutput::Quintic,
        fixed_step_by_default: false,
        controller: ControllerKind::ProportionalIntegral(
            Limits {
                safety: 0.9,
                shrink: 0.2,
                grow: 10.0,
            },
            0.04,
        ),
        source: "Dormand, Prince 1980, doi:10.1016/0771-050X(80)90013-3; Haddouni et al. 2017, 3.3, \
                 doi:10.1007/s11044-017-9570-y",
        use_when: "non-stiff mechanisms and ODEs; multipliers and accelerations at every step",
        avoid_when: "stiff systems",
    };

    /// The method with a projection rule.
    pub fn new(projection: Projection) -> Self {
        Self {
            projection,
            workspace: None,
        }
    }
}

impl Start {
    /// Computes what belongs to `state` unless it is known.
    fn ensure(
        &mut self,
        solver: &mut AccelerationSolver,
        system: &mut Evaluator,
        state: &State,
    ) -> Result<(), StepError> {
        if !self.known {
            self.z.copy_from_slice(&state.z);
            self.lambda.copy_from_slice(&state.lambda);
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
}

impl Integrator for Mdop5 {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn start(&mut self, system: &mut Evaluator, state: &State) -> Result<(), StepError> {
        let layout = system.layout();
        if let Some(reason) = differential_rows_need(layout, 0) {
            return Err(StepError::Unsupported {
                method: Self::METHOD.name,
                reason,
            });
        }
        let linear = |source| StepError::linear(state.t, source);
        self.workspace = Some(Workspace {
            solver: AccelerationSolver::new(layout).map_err(linear)?,
            projector: Projector::new(layout).map_err(linear)?,
            stages: Stages::new(state),
            start: Start {
                acceleration: state.acceleration.clone(),
                lambda: state.lambda.clone(),
                z: state.z.clone(),
                x_rate: vec![0.0; state.x.len()],
                // The driver's initial state is complete but for x'.
                known: state.x.is_empty(),
            },
            error: [
                vec![0.0; state.v.len()],
                vec![0.0; state.v.len()],
                vec![0.0; state.x.len()],
            ],
        });
        Ok(())
    }

    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        let Some(work) = self.workspace.as_mut() else {
            let reason = "it has not been started".to_owned();
            return Err(StepError::Unsupported {
                method: Self::METHOD.name,
                reason,
            });
        };
        work.start.ensure(&mut work.solver, system, from)?;
        let stages = &mut work.stages;
        stages.load_start(from);
        stages.v_rate[0].copy_from_slice(&work.start.acceleration);
        stages.x_rate[0].copy_from_slice(&work.start.x_rate);
        to.lambda.copy_from_slice(&work.start.lambda);
        to.z.copy_from_slice(&work.start.z);
        stages.configuration_rate(&system.layout().space, 0);
        for stage in 1..STAGES {
            let row = &A[stage];
            stages.next_configuration(&system.layout().space, from, h, row, stage);
            stages.advance(from, h, row, stage);
            stages.configuration_rate(&system.layout().space, stage);
            let t = from.t + C[stage] * h;
            let at = Point {
                t,
                q: &stages.q,
                v: &stages.v,
                x: &stages.x,
                z: &[],
                lambda: &[],
                mode: &from.mode,
            };
            work.solver.load_index_one(system, &at)?;
            work.solver.solve(
                system,
                &at,
                &mut stages.v_rate[stage],
                &mut to.z,
                &mut to.lambda,
            )?;
            stages.x_rate[stage].copy_from_slice(work.solver.differential_rates());
        }
        // The last stage is the end of the step.
        to.q.copy_from_slice(&stages.q);
        to.v.copy_from_slice(&stages.v);
        to.x.copy_from_slice(&stages.x);
        to.acceleration.copy_from_slice(&stages.v_rate[STAGES - 1]);

        for (error, rates) in
            work.error
                .iter_mut()
                .zip([&stages.u_rate, &stages.v_rate, &stages.x_rate])
        {
            for (index, slot) in error.iter_mut().enumerate() {
                *slot = h * E
                    .iter()
                    .zip(rates)
                    .map(|(weight, rate)| weight * rate[index])
                    .sum::<f64>();
            }
        }
        norm.weigh(from, to);
        let [q, v, x] = &work.error;
        Ok(Attempt::with_error(norm.root_mean_square(q, v, x)))
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        _from: &State,
        _h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        system.layout().space.normalize(&mut to.q);
        if let Some(work) = self.workspace.as_mut() {
            let projected = project(
                &mut work.projector,
                self.projection,
                system,
                to,
                ProjectedLevels::Both,
            )?;
            work.start.known = !projected;
            if !projected {
                work.start
                    .acceleration
                    .copy_from_slice(&work.stages.v_rate[STAGES - 1]);
                work.start
                    .x_rate
                    .copy_from_slice(&work.stages.x_rate[STAGES - 1]);
                work.start.lambda.copy_from_slice(&to.lambda);
                work.start.z.copy_from_slice(&to.z);
            }
        }
        Ok(())
    }

    fn complete(&mut self, system: &mut Evaluator, state: &mut State) -> Result<(), StepError> {
        if let Some(work) = self.workspace.as_mut() {
            work.start.ensure(&mut work.solver, system, state)?;
            state.acceleration.copy_from_slice(&work.start.acceleration);
            state.lambda.copy_from_slice(&work.start.lambda);
            state.z.copy_from_slice(&work.start.z);
        }
        Ok(())
    }

    fn restart(&mut self, _system: &mut Evaluator, _state: &State) -> Result<(), StepError> {
        if let Some(work) = self.workspace.as_mut() {
            work.start.known = false;
        }
        Ok(())
    }

    fn work(&self) -> Work {
        let mut work = work_of(self.workspace.as_ref().map(|work| &work.solver));
        if let Some(workspace) = &self.workspace {
            let (factorizations, solves) = workspace.projector.work();
            work.factorizations += factorizations;
            work.solves += solves;
        }
        work
    }
}
