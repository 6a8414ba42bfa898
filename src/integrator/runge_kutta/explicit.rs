//! Explicit Runge-Kutta methods on the index-1 form, whatever their coefficients.

use crate::control::ErrorNorm;
use crate::integrator::runge_kutta::continuous::Continuous;
use crate::integrator::runge_kutta::stages::Stages;
use crate::integrator::runge_kutta::start::Start;
use crate::integrator::shared::projection::{ProjectedLevels, Projection, project};
use crate::integrator::{
    Attempt, Integrator, Method, OwnDenseOutput, StepError, StepSizes, Stepper, Work,
    require_index, work_with_projections,
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

impl<const N: usize> Scheme<N> {
    /// Whether the end of the step is evaluated before the error is known.
    fn evaluates_end(&self) -> bool {
        matches!(self.estimate, Estimate::Embedded(_))
    }
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
///
/// ```
/// use liedae::integrator::{Dop853, Dopri5, ExplicitRungeKutta};
/// use liedae::prelude::*;
///
/// // Both methods of Dormand and Prince are one scheme; their stages, with those between the ends of a step:
/// fn stages<T, const N: usize>(_method: &ExplicitRungeKutta<T, N>) -> usize { N }
/// assert_eq!((stages(&Dopri5::default()), stages(&Dop853::default())), (7, 16));
/// let mut oscillator = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, [x], _v| [x * -100.0]).build()?;
/// let run = solve(&mut oscillator, &Dop853::default(), &Options::adaptive(1.0, 1e-12, 1e-12))?;
/// assert!((run.state.q[0] - 10.0_f64.cos()).abs() < 1e-10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ExplicitRungeKutta<T, const N: usize> {
    projection: Projection,
    /// Coefficients are a type only: threads need no more of it.
    coefficients: PhantomData<fn() -> T>,
}

/// An explicit Runge-Kutta method at work. Its dense output is [`Polynomials`], or `()` where it is the driver's.
struct ExplicitStepper<const N: usize, D> {
    scheme: Scheme<N>,
    projection: Projection,
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
    dense: D,
}

/// Dense output of a method that has its own.
struct Polynomials<const N: usize> {
    weights: DenseWeights<N>,
    continuous: Continuous,
}

/// What a stepper may have for dense output.
trait Dense<const N: usize>: Sized {
    /// The dense output of a stepper that has this.
    fn of(stepper: &mut ExplicitStepper<N, Self>) -> Option<&mut dyn OwnDenseOutput>;
}

impl<const N: usize> Dense<N> for () {
    fn of(_stepper: &mut ExplicitStepper<N, Self>) -> Option<&mut dyn OwnDenseOutput> {
        None
    }
}

impl<const N: usize> Dense<N> for Polynomials<N> {
    fn of(stepper: &mut ExplicitStepper<N, Self>) -> Option<&mut dyn OwnDenseOutput> {
        Some(stepper)
    }
}

impl<const N: usize, D> ExplicitStepper<N, D> {
    /// Moves on to the stage in `slot`, with what the stages before it give.
    fn move_to(&mut self, space: &Manifold, from: &State, slot: usize) {
        let row = &self.scheme.rows[slot];
        self.stages
            .next_configuration(space, from, self.step, row, slot);
        self.stages.advance(from, self.step, row, slot);
    }

    /// Projects the end of a step, the current stage, onto the energy before its rates are evaluated, of systems without
    /// constraints: they then serve as the first stage of the next step. `to` is scratch at the end time.
    fn hold_energy(&mut self, system: &mut Evaluator, to: &mut State) -> Result<(), StepError> {
        self.holds_energy = self.projection == Projection::EveryStep
            && to.lambda.is_empty()
            // Rows move the end anyway: then the projection follows the estimate.
            && self.projector.keeps_energy();
        if self.holds_energy {
            let stages = &mut self.stages;
            to.q.copy_from_slice(&stages.q);
            to.v.copy_from_slice(&stages.v);
            to.x.copy_from_slice(&stages.x);
            // Projections are for states on the group.
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
        slot: usize,
    ) -> Result<(), StepError> {
        let stages = &mut self.stages;
        stages.configuration_rate(&system.layout().space, slot);
        let at = Point {
            t: from.t + self.scheme.nodes[slot] * self.step,
            q: &stages.q,
            v: &stages.v,
            x: &stages.x,
            z: &[],
            lambda: &[],
            mode: &from.mode,
        };
        // M v' = f + Gᵀ λ, G v' = -γ at every stage.
        self.solver.load_index_one(system, &at)?;
        let (lambda, z) = (&mut self.lambda, &mut self.z);
        // First guesses of z and λ: those of the stage before.
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

    /// The method with a projection rule.
    pub(in crate::integrator) fn with_projection(projection: Projection) -> Self {
        Self {
            projection,
            coefficients: PhantomData,
        }
    }

    /// The method at work, with one or the other dense output.
    fn stepper<D>(
        &self,
        system: &mut Evaluator,
        state: &State,
        dense: D,
    ) -> Result<ExplicitStepper<N, D>, StepError> {
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
        Ok(ExplicitStepper {
            scheme: T::SCHEME,
            projection: self.projection,
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
            dense,
        })
    }
}

impl<T: Coefficients<N>, const N: usize> Integrator for ExplicitRungeKutta<T, N> {
    fn method(&self) -> &'static Method {
        const { &Self::METHOD }
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        _sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        Ok(match T::SCHEME.dense {
            None => Box::new(self.stepper(system, state, ())?),
            Some(weights) => {
                let (terms, nodes) = (weights.rows.len(), weights.multipliers.len());
                let continuous = Continuous::new(state, terms, nodes);
                let dense = Polynomials {
                    weights,
                    continuous,
                };
                Box::new(self.stepper(system, state, dense)?)
            }
        })
    }
}

impl<const N: usize, D: Dense<N>> Stepper for ExplicitStepper<N, D> {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        let scheme = self.scheme;
        self.start.ensure(&mut self.solver, system, from)?;
        (self.accepted, self.end.known) = (false, false);
        self.step = h;
        self.stages.load_start(from);
        self.stages.v_rate[0].copy_from_slice(&self.start.acceleration);
        self.stages.x_rate[0].copy_from_slice(&self.start.x_rate);
        self.lambda[0].copy_from_slice(&self.start.lambda);
        self.z[0].copy_from_slice(&self.start.z);
        self.stages.configuration_rate(&system.layout().space, 0);
        for slot in 1..=scheme.end {
            self.move_to(&system.layout().space, from, slot);
            if slot == scheme.end && scheme.evaluates_end() {
                self.hold_energy(system, to)?;
            }
            if slot < scheme.end || scheme.evaluates_end() {
                self.evaluate(system, from, slot)?;
            }
        }
        to.q.copy_from_slice(&self.stages.q);
        to.v.copy_from_slice(&self.stages.v);
        to.x.copy_from_slice(&self.stages.x);
        // DOP853 has not evaluated the end: the last stage stands in until it has.
        let last = scheme.end - usize::from(!scheme.evaluates_end());
        to.acceleration.copy_from_slice(&self.stages.v_rate[last]);
        to.lambda.copy_from_slice(&self.lambda[last]);
        to.z.copy_from_slice(&self.z[last]);

        norm.weigh(from, to);
        let error = match scheme.estimate {
            Estimate::Embedded(weights) => self.combination(norm, weights, 0),
            Estimate::FifthAndThird(fifth, third) => {
                let fifth = self.combination(norm, fifth, 0);
                let third = self.combination(norm, third, 1);
                // e₅² / sqrt(e₅² + 0.01 e₃²) (eq. 10.17).
                let squares = fifth * fifth + 0.01 * third * third;
                // Both zero: a motion that the method solves exactly, not 0/0.
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
        // The energy has been held before: another projection would make the last stage stale.
        let projected = !self.holds_energy
            && project(
                &mut self.projector,
                self.projection,
                system,
                (to, h),
                ProjectedLevels::Both,
            )?;
        self.start.known = false;
        // First same as last, unless the projection has moved the end.
        if self.scheme.evaluates_end() && !projected {
            let (stages, end) = (&self.stages, self.scheme.end);
            let (v_rate, x_rate) = (&stages.v_rate[end], &stages.x_rate[end]);
            self.start
                .keep(v_rate, x_rate, &self.lambda[end], &self.z[end]);
        } else if self.end.known && !projected {
            std::mem::swap(&mut self.start, &mut self.end);
        }
        self.accepted = true;
        Ok(())
    }

    fn complete(&mut self, system: &mut Evaluator, state: &mut State) -> Result<(), StepError> {
        self.start.ensure(&mut self.solver, system, state)?;
        self.start.complete(state);
        Ok(())
    }

    fn restart(&mut self, _system: &mut Evaluator, _state: &State) -> Result<(), StepError> {
        self.start.known = false;
        Ok(())
    }

    fn dense_output(&mut self) -> Option<&mut dyn OwnDenseOutput> {
        D::of(self)
    }

    fn energy_projector(&mut self) -> Option<&mut Projector> {
        self.projection
            .holds_energy()
            .then_some(&mut self.projector)
    }

    fn work(&self) -> Work {
        work_with_projections(&self.solver, &self.projector)
    }
}

impl<const N: usize> OwnDenseOutput for ExplicitStepper<N, Polynomials<N>> {
    /// Evaluates the end of the step, unless it is known, and the stages of dense output alone, then the polynomials.
    fn prepare(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        to: &State,
    ) -> Result<(), StepError> {
        let (stages, end) = (&mut self.stages, self.scheme.end);
        // Before `accept` the end belongs to nobody yet: it must not replace the start of the step.
        let at_end = if self.accepted {
            &mut self.start
        } else {
            if !self.end.known && self.scheme.evaluates_end() {
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
        self.dense.continuous.load(
            &system.layout().space,
            (from, to),
            [&before[0], &stages.v_rate[0], &stages.x_rate[0]],
            [&at_end.acceleration, &at_end.x_rate],
            &mut after[0],
        );
        // Stages that only dense output needs.
        for slot in end + 1..N {
            self.move_to(&system.layout().space, from, slot);
            self.evaluate(system, from, slot)?;
        }
        for (index, weights) in self.dense.weights.rows.iter().enumerate() {
            self.stages.combine(self.step, weights, &mut self.errors[0]);
            let further = self.dense.continuous.further(index);
            for (further, combined) in further.into_iter().zip(&self.errors[0]) {
                further.copy_from_slice(combined);
            }
        }
        for (index, &slot) in self.dense.weights.multipliers.iter().enumerate() {
            let (lambda, z) = (&self.lambda[slot], &self.z[slot]);
            let node = self.scheme.nodes[slot];
            self.dense.continuous.load_node(index, node, lambda, z);
        }
        Ok(())
    }

    fn interpolate(&mut self, space: &Manifold, t: f64, out: &mut State) {
        self.dense.continuous.at(space, t, out);
    }
}
