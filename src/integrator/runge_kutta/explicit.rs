//! Explicit Runge-Kutta methods on the index-1 form, whatever their coefficients.

use crate::control::ErrorNorm;
use crate::integrator::runge_kutta::continuous::Continuous;
use crate::integrator::runge_kutta::stages::Stages;
use crate::integrator::runge_kutta::start::Start;
use crate::integrator::shared::projection::Projection;
use crate::integrator::shared::projection::{ProjectedLevels, keeps_energy, project};
use crate::integrator::{
    Attempt, Integrator, Method, StepError, Work, not_started, require_index, without_dense_output,
    work_with_projections,
};
use crate::manifold::Manifold;
use crate::system::{AccelerationSolver, Evaluator, Point, Projector, State};
use std::marker::PhantomData;

/// An explicit Runge-Kutta method: its name and its coefficients for `N` slots of rates.
pub trait Coefficients<const N: usize> {
    /// What the method says about itself.
    const METHOD: Method;
    /// Its coefficients.
    const SCHEME: Scheme<N>;
}

/// Coefficients of an explicit Runge-Kutta method.
///
/// The slots of rates are the stages of a step, then the end of the step, which is the first stage of the next one, and
/// then stages that dense output alone needs.
#[derive(Clone, Copy, Debug)]
pub struct Scheme<const N: usize> {
    /// Nodes.
    pub nodes: &'static [f64; N],
    /// Stage coefficients, strictly lower triangular; the row of the end holds the weights.
    pub rows: &'static [[f64; N]; N],
    /// The slot of the end of the step.
    pub end: usize,
    /// The error estimate.
    pub estimate: Estimate<N>,
    /// Dense output of its own.
    pub dense: Option<DenseWeights<N>>,
}

/// How the error of a step is estimated, from weighted root mean squares.
#[derive(Clone, Copy, Debug)]
pub enum Estimate<const N: usize> {
    /// |h Σ e_i k_i|, with the rate at the end of the step among them.
    Embedded(&'static [f64; N]),
    /// e² / sqrt(e² + 0.01 e₃²) with e of order 5 and e₃ of order 3 (Hairer, Nørsett, Wanner I, II.10), from stages before
    /// the end: a rejected step is one evaluation cheaper.
    FifthAndThird(&'static [f64; N], &'static [f64; N]),
}

/// What a method with a dense output of its own adds to values and rates at both ends.
#[derive(Clone, Copy, Debug)]
pub struct DenseWeights<const N: usize> {
    /// Weights of the further coefficients, see [`Continuous`].
    pub rows: &'static [[f64; N]],
    /// Slots whose multipliers and algebraic variables are good enough to be interpolated.
    pub multipliers: &'static [usize],
}

/// An explicit Runge-Kutta method on the index-1 form in local coordinates of the group; the methods are
/// [`Mdop5`](crate::integrator::Mdop5), [`Dopri5`](crate::integrator::Dopri5) and [`Dop853`](crate::integrator::Dop853).
///
/// Each stage solves \[M -Gᵀ; G 0\] (v', λ) = (f, -γ).
pub struct ExplicitRungeKutta<T, const N: usize> {
    projection: Projection,
    workspace: Option<Workspace<N>>,
    coefficients: PhantomData<T>,
}

struct Workspace<const N: usize> {
    solver: AccelerationSolver,
    projector: Projector,
    stages: Stages<N>,
    /// Multipliers of the stages.
    lambda: [Vec<f64>; N],
    /// Algebraic variables of the stages.
    z: [Vec<f64>; N],
    /// What belongs to the end of the last accepted step.
    start: Start,
    /// What belongs to the end of a step that is not accepted yet, where dense output has asked for it.
    end: Start,
    accepted: bool,
    /// The end of the step was projected onto its energy before it was evaluated.
    holds_energy: bool,
    step: f64,
    errors: [[Vec<f64>; 3]; 2],
    continuous: Option<Continuous>,
}

impl<const N: usize> Workspace<N> {
    /// Moves on to the stage in `slot`, with what the stages before it give.
    fn move_to(&mut self, space: &Manifold, from: &State, row: &[f64; N], slot: usize) {
        self.stages
            .next_configuration(space, from, self.step, row, slot);
        self.stages.advance(from, self.step, row, slot);
    }

    /// Projects the end of a step, the current stage, onto the energy before its rates are evaluated, of systems without
    /// constraints: they then serve as the first stage of the next step. `to` is scratch at the end time.
    fn hold_energy(
        &mut self,
        system: &mut Evaluator,
        rule: Projection,
        to: &mut State,
    ) -> Result<(), StepError> {
        self.holds_energy =
            rule == Projection::EveryStep && to.lambda.is_empty() && self.projector.keeps_energy();
        if self.holds_energy {
            let stages = &mut self.stages;
            to.q.copy_from_slice(&stages.q);
            to.v.copy_from_slice(&stages.v);
            to.x.copy_from_slice(&stages.x);
            system.layout().space.normalize(&mut to.q);
            self.projector.project_energy(system, to, self.step)?;
            stages.q.copy_from_slice(&to.q);
            stages.v.copy_from_slice(&to.v);
        }
        Ok(())
    }

    /// Evaluates the current stage into `slot`; the slot before it holds the first guesses.
    fn evaluate(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        node: f64,
        slot: usize,
    ) -> Result<(), StepError> {
        let stages = &mut self.stages;
        stages.configuration_rate(&system.layout().space, slot);
        let at = Point {
            t: from.t + node * self.step,
            q: &stages.q,
            v: &stages.v,
            x: &stages.x,
            z: &[],
            lambda: &[],
            mode: &from.mode,
        };
        self.solver.load_index_one(system, &at)?;
        let (lambda, z) = (&mut self.lambda, &mut self.z);
        let [before, now] = [slot - 1, slot];
        let (known, rest) = lambda.split_at_mut(now);
        rest[0].copy_from_slice(&known[before]);
        let (known, rest) = z.split_at_mut(now);
        rest[0].copy_from_slice(&known[before]);
        self.solver.solve(
            system,
            &at,
            &mut stages.v_rate[now],
            &mut z[now],
            &mut lambda[now],
        )?;
        stages.x_rate[now].copy_from_slice(self.solver.differential_rates());
        Ok(())
    }

    /// The weighted root mean square of h Σ weight_i k_i.
    fn combination(&mut self, norm: &ErrorNorm, weights: &[f64; N], number: usize) -> f64 {
        let error = &mut self.errors[number];
        self.stages.combine(self.step, weights, error);
        let [u, v, x] = error;
        norm.root_mean_square(u, v, x)
    }
}

impl<T: Coefficients<N>, const N: usize> ExplicitRungeKutta<T, N> {
    /// What the method is.
    pub const METHOD: Method = T::METHOD;

    const SCHEME: Scheme<N> = T::SCHEME;

    /// The method with a projection rule.
    pub(in crate::integrator) fn with_projection(projection: Projection) -> Self {
        Self {
            projection,
            workspace: None,
            coefficients: PhantomData,
        }
    }

    /// Whether the end of the step is evaluated before the error is known.
    fn evaluates_end() -> bool {
        matches!(Self::SCHEME.estimate, Estimate::Embedded(_))
    }

    fn started(workspace: &mut Option<Workspace<N>>) -> Result<&mut Workspace<N>, StepError> {
        workspace
            .as_mut()
            .ok_or_else(|| not_started(Self::METHOD.name))
    }
}

impl<T: Coefficients<N>, const N: usize> Integrator for ExplicitRungeKutta<T, N> {
    fn method(&self) -> &'static Method {
        const { &Self::METHOD }
    }

    fn start(&mut self, system: &mut Evaluator, state: &State) -> Result<(), StepError> {
        let projector = Projector::keeping_energy(system, state)?;
        let layout = system.layout();
        require_index(layout, Self::METHOD.name, 0)?;
        let linear = |source| StepError::linear(state.t, source);
        let parts = || {
            [
                vec![0.0; state.v.len()],
                vec![0.0; state.v.len()],
                vec![0.0; state.x.len()],
            ]
        };
        self.workspace = Some(Workspace {
            solver: AccelerationSolver::new(layout).map_err(linear)?,
            projector,
            stages: Stages::new(state),
            lambda: std::array::from_fn(|_| state.lambda.clone()),
            z: std::array::from_fn(|_| state.z.clone()),
            start: Start::new(state),
            end: Start::new(state),
            accepted: true,
            holds_energy: false,
            step: 0.0,
            errors: [parts(), parts()],
            continuous: Self::SCHEME
                .dense
                .map(|dense| Continuous::new(state, dense.rows.len(), dense.multipliers.len())),
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
        let work = Self::started(&mut self.workspace)?;
        let scheme = Self::SCHEME;
        work.start.ensure(&mut work.solver, system, from)?;
        (work.accepted, work.end.known) = (false, false);
        work.step = h;
        work.stages.load_start(from);
        work.stages.v_rate[0].copy_from_slice(&work.start.acceleration);
        work.stages.x_rate[0].copy_from_slice(&work.start.x_rate);
        work.lambda[0].copy_from_slice(&work.start.lambda);
        work.z[0].copy_from_slice(&work.start.z);
        work.stages.configuration_rate(&system.layout().space, 0);
        for slot in 1..=scheme.end {
            work.move_to(&system.layout().space, from, &scheme.rows[slot], slot);
            if slot == scheme.end && Self::evaluates_end() {
                work.hold_energy(system, self.projection, to)?;
            }
            if slot < scheme.end || Self::evaluates_end() {
                work.evaluate(system, from, scheme.nodes[slot], slot)?;
            }
        }
        to.q.copy_from_slice(&work.stages.q);
        to.v.copy_from_slice(&work.stages.v);
        to.x.copy_from_slice(&work.stages.x);
        let last = scheme.end - usize::from(!Self::evaluates_end());
        to.acceleration.copy_from_slice(&work.stages.v_rate[last]);
        to.lambda.copy_from_slice(&work.lambda[last]);
        to.z.copy_from_slice(&work.z[last]);

        norm.weigh(from, to);
        let error = match scheme.estimate {
            Estimate::Embedded(weights) => work.combination(norm, weights, 0),
            Estimate::FifthAndThird(fifth, third) => {
                let fifth = work.combination(norm, fifth, 0);
                let third = work.combination(norm, third, 1);
                let squares = fifth * fifth + 0.01 * third * third;
                if squares == 0.0 {
                    0.0
                } else {
                    fifth * fifth / squares.sqrt()
                }
            }
        };
        Ok(Attempt::with_error(error))
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        _from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        system.layout().space.normalize(&mut to.q);
        let work = Self::started(&mut self.workspace)?;
        let projected = !work.holds_energy
            && project(
                &mut work.projector,
                self.projection,
                system,
                (to, h),
                ProjectedLevels::Both,
            )?;
        work.start.known = false;
        if Self::evaluates_end() && !projected {
            let (stages, end) = (&work.stages, Self::SCHEME.end);
            let (v_rate, x_rate) = (&stages.v_rate[end], &stages.x_rate[end]);
            work.start
                .keep(v_rate, x_rate, &work.lambda[end], &work.z[end]);
        } else if work.end.known && !projected {
            std::mem::swap(&mut work.start, &mut work.end);
        }
        work.accepted = true;
        Ok(())
    }

    fn complete(&mut self, system: &mut Evaluator, state: &mut State) -> Result<(), StepError> {
        if let Some(work) = self.workspace.as_mut() {
            work.start.ensure(&mut work.solver, system, state)?;
            work.start.complete(state);
        }
        Ok(())
    }

    fn keep_energy(&mut self, system: &mut Evaluator, state: &State) -> Result<(), StepError> {
        if let Some(work) = self.workspace.as_mut() {
            work.projector.keep_energy(system, state)?;
        }
        Ok(())
    }

    fn restart(&mut self, _system: &mut Evaluator, _state: &State) -> Result<(), StepError> {
        if let Some(work) = self.workspace.as_mut() {
            work.start.known = false;
        }
        Ok(())
    }

    fn prepare_dense_output(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        to: &State,
    ) -> Result<(), StepError> {
        let work = Self::started(&mut self.workspace)?;
        let Some(dense) = Self::SCHEME.dense else {
            return Err(without_dense_output(Self::METHOD.name));
        };
        let Some(mut continuous) = work.continuous.take() else {
            return Err(not_started(Self::METHOD.name));
        };
        let prepared =
            work.load_continuous(system, (from, to), &Self::SCHEME, &dense, &mut continuous);
        work.continuous = Some(continuous);
        prepared
    }

    fn interpolate(&mut self, space: &Manifold, t: f64, out: &mut State) {
        let work = self.workspace.as_mut();
        if let Some(continuous) = work.and_then(|work| work.continuous.as_mut()) {
            continuous.at(space, t, out);
        }
    }

    fn keeps_energy(&self) -> bool {
        let work = self.workspace.as_ref();
        work.is_some_and(|work| keeps_energy(&work.projector, self.projection))
    }

    fn work(&self) -> Work {
        let parts = self.workspace.as_ref();
        work_with_projections(parts.map(|work| (&work.solver, &work.projector)))
    }
}

impl<const N: usize> Workspace<N> {
    /// Evaluates the end of the step, unless it is known, and the stages of dense output alone, then the polynomials.
    fn load_continuous(
        &mut self,
        system: &mut Evaluator,
        (from, to): (&State, &State),
        scheme: &Scheme<N>,
        dense: &DenseWeights<N>,
        continuous: &mut Continuous,
    ) -> Result<(), StepError> {
        let (stages, end) = (&mut self.stages, scheme.end);
        let at_end = if self.accepted {
            &mut self.start
        } else {
            if !self.end.known && matches!(scheme.estimate, Estimate::Embedded(_)) {
                let (v_rate, x_rate) = (&stages.v_rate[end], &stages.x_rate[end]);
                self.end
                    .keep(v_rate, x_rate, &self.lambda[end], &self.z[end]);
            }
            &mut self.end
        };
        at_end.ensure(&mut self.solver, system, to)?;
        stages.v_rate[end].copy_from_slice(&at_end.acceleration);
        stages.x_rate[end].copy_from_slice(&at_end.x_rate);
        self.lambda[end].copy_from_slice(&at_end.lambda);
        self.z[end].copy_from_slice(&at_end.z);
        let (before, after) = stages.u_rate.split_at_mut(end);
        continuous.load(
            &system.layout().space,
            (from, to),
            [&before[0], &stages.v_rate[0], &stages.x_rate[0]],
            [&at_end.acceleration, &at_end.x_rate],
            &mut after[0],
        );
        for slot in end + 1..N {
            self.move_to(&system.layout().space, from, &scheme.rows[slot], slot);
            self.evaluate(system, from, scheme.nodes[slot], slot)?;
        }
        for (index, weights) in dense.rows.iter().enumerate() {
            self.stages.combine(self.step, weights, &mut self.errors[0]);
            let combined = self.errors[0].iter();
            for (further, combined) in continuous.further(index).into_iter().zip(combined) {
                further.copy_from_slice(combined);
            }
        }
        for (index, &slot) in dense.multipliers.iter().enumerate() {
            continuous.load_node(index, scheme.nodes[slot], &self.lambda[slot], &self.z[slot]);
        }
        Ok(())
    }
}
