//! Explicit Runge-Kutta methods on the index-1 form, whatever their coefficients.

use crate::control::ErrorNorm;
use crate::integrator::runge_kutta::continuous::Continuous;
use crate::integrator::runge_kutta::stages::{Stages, with_first_guesses};
use crate::integrator::runge_kutta::start::Start;
use crate::integrator::runge_kutta::sums::{Block, Weights};
use crate::integrator::shared::projection::{Projected, ProjectedLevels, Projection, Projections};
use crate::integrator::{
    Attempt, Integrator, Method, OwnDenseOutput, StepError, StepSizes, Stepper, Work, require_index,
};
use crate::manifold::Manifold;
use crate::system::{AccelerationSolver, Evaluator, Point, Projector, State, copy_part};
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
    pub estimate: Estimate<&'static [f64; N]>,
    /// Dense output of its own.
    pub dense: Option<DenseWeights<N>>,
}

impl<const N: usize> Scheme<N> {
    /// Whether the end of the step is evaluated before the error is known.
    fn evaluates_end(&self) -> bool {
        matches!(self.estimate, Estimate::Embedded(_))
    }
}

/// How the error of a step is estimated, from weighted root mean squares; `W` holds the weights of the slots.
#[derive(Clone, Copy, Debug)]
pub enum Estimate<W> {
    /// |h Σ e_i k_i|, with the rate at the end of the step among them.
    Embedded(W),
    /// e² / sqrt(e² + 0.01 e₃²) with e of order 5 and e₃ of order 3 (Hairer, Nørsett, Wanner I, II.10), from stages before
    /// the end: a rejected step is one evaluation cheaper.
    FifthAndThird(W, W),
}

impl<W> Estimate<W> {
    /// The same estimate with its weights in another form.
    fn map<V>(self, form: impl Fn(W) -> V) -> Estimate<V> {
        match self {
            Self::Embedded(weights) => Estimate::Embedded(form(weights)),
            Self::FifthAndThird(fifth, third) => Estimate::FifthAndThird(form(fifth), form(third)),
        }
    }
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
    /// The rows of the scheme.
    rows: &'static [Weights<N>; N],
    /// Its estimate.
    estimate: Estimate<Weights<N>>,
    solver: AccelerationSolver,
    projections: Projections,
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
    /// The time of the last stage, if it is the end of the step and the solver has its matrix, with all rows.
    matrix_time: Option<f64>,
    step: f64,
    /// u, v and x of an error, or of a coefficient of dense output.
    combined: Vec<Block>,
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
        let weights = &self.rows[slot];
        (self.stages).advance_with_rate(space, from, self.step, weights, slot);
    }

    /// Takes the stages of a step where nothing but forces on known masses moves the system, and with them the end of the step, if it is
    /// evaluated and no energy is held there. The first stage that is left.
    #[inline]
    fn take_free_stages(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        rows: usize,
    ) -> Result<usize, StepError> {
        const FIRST: usize = 1;
        let scheme = &self.scheme;
        if !self.stages.are_motions_in_vector_space(from) {
            return Ok(FIRST);
        }
        let Some(mut divisor) = self.solver.divisor(system) else {
            return Ok(FIRST);
        };
        let with_end = scheme.evaluates_end() && self.projections.every_energy(rows).is_none();
        let slots = FIRST..scheme.end + usize::from(with_end);
        let tableau = (scheme.nodes, self.rows);
        let accelerate =
            |at: &Point, acceleration: &mut [f64]| divisor.accelerate(system, at, acceleration);
        Ok(self
            .stages
            .take_free(from, self.step, tableau, slots, accelerate)?)
    }

    /// Projects the end of a step, the current stage, onto the energy before its rates are evaluated, of systems without
    /// constraints: they then serve as the first stage of the next step. `to` is scratch at the end time.
    fn hold_energy(&mut self, system: &mut Evaluator, to: &mut State) -> Result<(), StepError> {
        // Rows move the end anyway: then the projection follows the estimate.
        let projector = self.projections.every_energy(to.lambda.len());
        self.holds_energy = projector.is_some();
        if let Some(projector) = projector {
            let end = &mut self.stages.now;
            end.give(to);
            // Projections are for states on the group.
            system.layout().space.normalize(&mut to.q);
            projector.project_energy(system, to, self.step)?;
            end.q.copy_from_slice(&to.q);
            end.v_mut().copy_from_slice(&to.v);
            let space = &system.layout().space;
            self.stages.configuration_rate(space, self.scheme.end);
        }
        Ok(())
    }

    /// Evaluates the current stage into `slot`; the slot before it holds the first guesses, if any are needed.
    #[inline]
    fn evaluate(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        slot: usize,
    ) -> Result<(), StepError> {
        let Stages { now, rates, .. } = &mut self.stages;
        let [_, v, x] = now.parts();
        let at = Point {
            t: from.t + self.scheme.nodes[slot] * self.step,
            q: &now.q,
            v,
            x,
            z: &[],
            lambda: &[],
            mode: &from.mode,
        };
        // First guesses of z and λ: those of the stage before.
        let [z, lambda] = with_first_guesses(&mut self.z, &mut self.lambda, slot);
        let [_, acceleration, x_rate] = rates.of_mut(slot);
        // M v' = f + Gᵀ λ, G v' = -γ at every stage.
        (self.solver).solve_index_one(system, &at, acceleration, z, lambda)?;
        copy_part(x_rate, self.solver.differential_rates());
        Ok(())
    }

    /// Whether the solver has the matrix of the index-1 form at a state: that of the last stage, where the step ends and
    /// nothing has moved its end.
    fn has_matrix_of(&mut self, system: &Evaluator, state: &State) -> bool {
        // The driver reaches its moments within a few roundings.
        let is_time = |time: f64| (time - state.t).abs() <= 4.0 * f64::EPSILON * state.t.abs();
        self.matrix_time.is_some_and(is_time)
            && self.solver.index_one_matrix().is_some()
            && system.has_all_rows()
            && self.stages.now.q == state.q
    }

    /// What belongs to the start of the next step, which is this state.
    fn ensure_start(&mut self, system: &mut Evaluator, state: &State) -> Result<(), StepError> {
        if self.start.known {
            return Ok(());
        }
        let has_matrix = self.has_matrix_of(system, state);
        self.matrix_time = None;
        (self.start).ensure_by(&mut self.solver, system, state, has_matrix)
    }

    /// The weighted root mean square of h Σ weight_i k_i.
    fn combination(&mut self, norm: &ErrorNorm, weights: &Weights<N>) -> f64 {
        self.stages.combine(self.step, weights, &mut self.combined);
        let [u, v, x] = self.stages.split(&self.combined);
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
    ) -> Result<Box<ExplicitStepper<N, D>>, StepError> {
        let projections = Projections::new(self.projection, system, state)?;
        let layout = system.layout();
        require_index(layout, Self::METHOD.name, 0)?;
        let linear = |source| StepError::linear(state.t, source);
        let stages = Stages::new(&layout.space, state);
        Ok(Box::new(ExplicitStepper {
            scheme: T::SCHEME,
            rows: const { &Weights::all(T::SCHEME.rows) },
            estimate: T::SCHEME.estimate.map(Weights::new),
            solver: AccelerationSolver::new(layout).map_err(linear)?,
            projections,
            combined: stages.zeros(),
            stages,
            lambda: std::array::from_fn(|_| state.lambda.clone()),
            z: std::array::from_fn(|_| state.z.clone()),
            start: Start::new(state),
            end: Start::new(state),
            accepted: true,
            holds_energy: false,
            matrix_time: None,
            step: 0.0,
            dense,
        }))
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
            None => self.stepper(system, state, ())?,
            Some(weights) => {
                let (terms, nodes) = (weights.rows.len(), weights.multipliers.len());
                let continuous = Continuous::new(state, terms, nodes);
                let dense = Polynomials {
                    weights,
                    continuous,
                };
                self.stepper(system, state, dense)?
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
        self.ensure_start(system, from)?;
        (self.accepted, self.end.known) = (false, false);
        self.matrix_time = None;
        self.step = h;
        self.stages.load_start_and_rate(from);
        let [_, v_rate, x_rate] = self.stages.rates.of_mut(0);
        v_rate.copy_from_slice(&self.start.acceleration);
        copy_part(x_rate, &self.start.x_rate);
        copy_part(&mut self.lambda[0], &self.start.lambda);
        copy_part(&mut self.z[0], &self.start.z);
        let evaluated = self.take_free_stages(system, from, to.lambda.len())?;
        for slot in evaluated..scheme.end {
            self.move_to(&system.layout().space, from, slot);
            self.evaluate(system, from, slot)?;
        }
        if evaluated > scheme.end {
            self.holds_energy = false;
        } else if scheme.evaluates_end() {
            self.move_to(&system.layout().space, from, scheme.end);
            self.hold_energy(system, to)?;
            self.evaluate(system, from, scheme.end)?;
            // Rows that are left out now may be there when the step is accepted.
            let time = from.t + scheme.nodes[scheme.end] * h;
            self.matrix_time = Some(time).filter(|_| system.has_all_rows());
        } else {
            let weights = &self.rows[scheme.end];
            (self.stages).advance(&system.layout().space, from, h, weights);
        }
        self.stages.now.give(to);
        // DOP853 has not evaluated the end: the last stage stands in until it has.
        let last = scheme.end - usize::from(!scheme.evaluates_end());
        let [_, acceleration, _] = self.stages.rates.of(last);
        to.acceleration.copy_from_slice(acceleration);
        copy_part(&mut to.lambda, &self.lambda[last]);
        copy_part(&mut to.z, &self.z[last]);

        norm.weigh(from, to);
        let error = match self.estimate {
            Estimate::Embedded(weights) => self.combination(norm, &weights),
            Estimate::FifthAndThird(fifth, third) => {
                let fifth = self.combination(norm, &fifth);
                let third = self.combination(norm, &third);
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
        let mut projected = Projected::Nothing;
        // The energy has been held before: another projection would make the last stage stale.
        if !self.holds_energy && self.projections.may_be_due() {
            let has_matrix = self.has_matrix_of(system, to);
            let matrix = self.solver.index_one_matrix().filter(|_| has_matrix);
            let levels = ProjectedLevels::Both;
            projected = (self.projections).project(system, (to, h), levels, matrix)?;
        }
        self.start.known = false;
        let projected = projected != Projected::Nothing;
        // First same as last, unless the projection has moved the end.
        if self.scheme.evaluates_end() && !projected {
            let end = self.scheme.end;
            let [_, v_rate, x_rate] = self.stages.rates.of(end);
            self.start
                .keep(v_rate, x_rate, &self.lambda[end], &self.z[end]);
        } else if self.end.known && !projected {
            std::mem::swap(&mut self.start, &mut self.end);
        }
        self.accepted = true;
        Ok(())
    }

    fn ends_consistent(&self) -> bool {
        self.scheme.evaluates_end()
    }

    fn complete(&mut self, system: &mut Evaluator, state: &mut State) -> Result<(), StepError> {
        self.ensure_start(system, state)?;
        self.start.complete(state);
        Ok(())
    }

    fn begins_with_completion(&self) -> bool {
        true
    }

    fn restart(&mut self, _system: &mut Evaluator, state: &State) -> Result<(), StepError> {
        self.start.restart(state);
        Ok(())
    }

    fn dense_output(&mut self) -> Option<&mut dyn OwnDenseOutput> {
        D::of(self)
    }

    fn energy_projector(&mut self) -> Option<&mut Projector> {
        self.projections.energy_projector()
    }

    fn work(&self) -> Work {
        self.projections.work_with(&self.solver)
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
                let [_, v_rate, x_rate] = stages.rates.of(end);
                self.end
                    .keep(v_rate, x_rate, &self.lambda[end], &self.z[end]);
            }
            &mut self.end
        };
        // Stages that only dense output needs have matrices of their own.
        self.matrix_time = None;
        at_end.ensure(&mut self.solver, system, to)?;
        self.dense.continuous.load(
            &system.layout().space,
            (from, to),
            stages.rates.of(0),
            [&at_end.acceleration, &at_end.x_rate],
        );
        let [u_rate, v_rate, x_rate] = stages.rates.of_mut(end);
        u_rate.copy_from_slice(self.dense.continuous.end_rate());
        v_rate.copy_from_slice(&at_end.acceleration);
        x_rate.copy_from_slice(&at_end.x_rate);
        self.lambda[end].copy_from_slice(&at_end.lambda);
        self.z[end].copy_from_slice(&at_end.z);
        // Stages that only dense output needs.
        for slot in end + 1..N {
            self.move_to(&system.layout().space, from, slot);
            self.evaluate(system, from, slot)?;
        }
        for (index, weights) in self.dense.weights.rows.iter().enumerate() {
            let weights = Weights::new(weights);
            self.stages.combine(self.step, &weights, &mut self.combined);
            let further = self.dense.continuous.further(index);
            let combined = self.stages.split(&self.combined);
            for (further, combined) in further.into_iter().zip(combined) {
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
