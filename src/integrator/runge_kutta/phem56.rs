//! PHEM56: partitioned half-explicit Runge-Kutta of order 5 for the index-2 form.

use crate::control::{ControllerKind, ErrorNorm, Limits};
use crate::integrator::runge_kutta::continuous::Continuous;
use crate::integrator::runge_kutta::stages::{Stages, with_first_guesses};
use crate::integrator::runge_kutta::start::Start;
use crate::integrator::runge_kutta::sums::{Block, Weights};
use crate::integrator::shared::projection::{Projected, ProjectedLevels, Projection, Projections};
use crate::integrator::tableau::dopri5::{A, C, E, STAGES};
use crate::integrator::tableau::phem56::{AT_THETA, CONSTRAINT_A, CONSTRAINT_C, THETA};
use crate::integrator::{
    Attempt, DenseOutput, Integrator, Kind, Method, Orders, OwnDenseOutput, StepError, StepSizes,
    Stepper, Work, require_index,
};
use crate::manifold::Manifold;
use crate::system::{
    AccelerationSolver, Evaluator, LeftJacobian, Point, Projector, State, copy_part,
};

/// Murua's partitioned half-explicit method of order 5(4) on the index-2 form, with projection.
///
/// The stages are those of Dormand and Prince; the multiplier of stage i is fixed by the velocity constraint at a point of
/// its own, whose coefficients ã and node c̃ belong to the constraints:
///
/// ```text
/// M(Q_i) V'_i = f(Q_i, V_i) + G(Q_i)ᵀ Λ_i,            V_i = v_n + h Σ_{j<i} a_ij V'_j
/// G(Q̃_i) (v_n + h Σ_{j≤i} ã_ij V'_j) + g_t = 0,       Q̃_i at t_n + c̃_i h
/// ```
///
/// in local coordinates around q_n, so that it runs on Lie groups unchanged. The last stage but one fixes the end of the
/// step; the last one, with its constraint at 19/30 of the step, gives acceleration and multiplier there, with which the
/// next step begins. Six evaluations per step, two fewer than HEM5. Order 5 in q and v; multipliers and accelerations are
/// those of the last stage, of order 4, and cost nothing. Differential states and algebraic variables are treated as by
/// HEM5, and so are redundant rows.
///
/// The estimate is the difference from the embedded result of order 4, whose velocity is first put onto the constraints
/// ([`AccelerationSolver::velocity_correction`]). Velocity constraints hold to round-off, positions drift by the local error
/// and are projected when the options say so, after the estimate. The acceleration of a projected state is solved for
/// anew from the index-1 form, one more evaluation: the step that follows would otherwise begin with one that
/// belongs to another velocity, which made the original code reject 66 steps instead of 22 on Andrews' squeezer.
///
/// Dense output is the method's own quartic through values and rates at both ends and a value of order 4 at 19/30, local
/// error O(h⁵) in q, v and x, without evaluations. Multipliers are those of the index-1 form there,
/// one evaluation for each output.
///
/// Use it for non-stiff mechanisms at low and medium accuracy: on Andrews' squeezer it takes a third of the evaluations of
/// HEM5 at the same tolerance, with a larger error, and about four fifths at the same error. Not for stiff springs or
/// dampers.
///
/// Sources: A. Murua, Partitioned half-explicit Runge-Kutta methods for differential-algebraic systems of index 2,
/// Computing 59 (1997) 43-61, doi:10.1007/BF02684403; M. Arnold, Half-explicit Runge-Kutta methods with explicit stages for
/// differential-algebraic systems of index 2, BIT 38 (1998) 415-438, doi:10.1007/BF02510252.
/// Measured: `liedae run andrews --method phem56 --rtol 1e-6 --atol 1e-6` takes 79 steps and rejects 21 (without projection
/// 79 and 22, PHEM56 78 and 22), error 1.6e-5 in the angles (2.9e-5, 3.2e-5).
///
/// ```
/// use liedae::integrator::{Phem56, Projection};
/// use liedae::prelude::*;
///
/// // A pendulum of 1 m, swung for a second.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let method = Phem56::new(Projection::EveryStep);
/// let end = solve(&mut pendulum, &method, &Options::adaptive(1.0, 1e-9, 1e-9))?.state;
/// assert!((end.q[0] + 0.986_291_75).abs() < 1e-7 && (end.q[0].hypot(end.q[1]) - 1.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Phem56 {
    projection: Projection,
}

/// [`Phem56`] at work.
struct Phem56Stepper {
    solver: AccelerationSolver,
    projections: Projections,
    stages: Stages<STAGES>,
    lambda: [Vec<f64>; STAGES],
    z: [Vec<f64>; STAGES],
    /// What belongs to the end of the last accepted step.
    start: Start,
    /// What belongs to the end of a step that is not accepted yet, where dense output has asked for it.
    end: Start,
    accepted: bool,
    /// Whether the start is what the last stage of the step before had at its end.
    start_is_stage: bool,
    /// What belongs to the last accepted state by the index-1 form, where somebody has asked for it, and the solver for that.
    shown: Start,
    index_one: Option<Box<AccelerationSolver>>,
    /// Whether the last completion is none that the next step begins with.
    completes_for_others: bool,
    step: f64,
    /// The embedded result.
    embedded_v: Vec<f64>,
    embedded_q: Vec<f64>,
    /// u, v and x of the error.
    error: Vec<Block>,
    correction: Vec<f64>,
    continuous: Continuous,
}

/// The slot of the end of the step.
const END: usize = STAGES - 1;

/// Stage coefficients, those of the constraints, and the weights of the estimate.
static ROWS: [Weights<STAGES>; STAGES] = Weights::all(&A);
static CONSTRAINT_ROWS: [Weights<STAGES>; STAGES] = Weights::all(&CONSTRAINT_A);
static ESTIMATE: Weights<STAGES> = Weights::new(&E);

/// Stages whose multipliers dense output interpolates.
const KNOWN: [usize; 4] = [0, 2, 3, END];

impl Phem56 {
    /// What the method is.
    pub const METHOD: Method = Method {
        name: "phem56",
        title: "partitioned half-explicit Runge-Kutta, Murua",
        kind: Kind::HalfExplicit,
        index: 2,
        orders: Orders {
            q: 5,
            v: 5,
            lambda: 4,
        },
        error_order: 5.0,
        dense_output: DenseOutput::Own,
        captures_events: false,
        fixed_step_by_default: false,
        controller: ControllerKind::Elementary(Limits {
            safety: 0.9,
            shrink: 0.2,
            grow: 10.0,
        }),
        source: "Murua 1997, Computing 59, 43-61, doi:10.1007/BF02684403; Arnold 1998, BIT 38, 415-438, \
                 doi:10.1007/BF02510252",
        use_when: "non-stiff mechanisms at low and medium accuracy; constraints must hold tightly at low cost",
        avoid_when: "stiff springs or dampers",
    };

    /// The method with a projection rule.
    pub fn new(projection: Projection) -> Self {
        Self { projection }
    }
}

impl Phem56Stepper {
    /// Evaluates the current stage into `slot`; the constraints at its node fix its multipliers.
    fn evaluate(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        slot: usize,
    ) -> Result<(), StepError> {
        let (h, stages) = (self.step, &mut self.stages);
        let space = &system.layout().space;
        // Q̃_i at c̃_i, from the rates up to this stage; its velocity without the acceleration that is sought.
        let weights = &CONSTRAINT_ROWS[slot];
        stages.predict(space, from, h, weights);
        let Stages {
            now, next, rates, ..
        } = stages;
        let ([_, v, x], [_, predicted_velocity, _]) = (now.parts(), next.parts());
        let at = Point {
            t: from.t + C[slot] * h,
            q: &now.q,
            v,
            x,
            z: &[],
            lambda: &[],
            mode: &from.mode,
        };
        let constrained = Point {
            t: from.t + CONSTRAINT_C[slot] * h,
            q: &next.q,
            v: predicted_velocity,
            ..at
        };
        // The constraints of the stage before the last one were those of the end of the step.
        let left = LeftJacobian::own_if(slot != END);
        let points = [&at, &constrained];
        // G(Q̃_i) V'_i h ã_ii = -(G v + g_t).
        (self.solver).load_stage(system, points, h * weights.last(), left)?;
        // First guesses of λ and z: those of the stage before.
        let [z, lambda] = with_first_guesses(&mut self.z, &mut self.lambda, slot);
        let [_, acceleration, x_rate] = rates.of_mut(slot);
        self.solver.solve(system, &at, acceleration, z, lambda)?;
        copy_part(x_rate, self.solver.differential_rates());
        Ok(())
    }

    /// Multipliers of the last stage, which the next step begins with, are of order 4 and off by some hundred tolerances. Those that are shown
    /// solve the index-1 form, where that can be solved: by a solver of its own, as the run does not depend on it.
    fn complete_by_index_one(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
    ) -> Result<(), StepError> {
        let solver = match &mut self.index_one {
            Some(solver) => solver,
            none => {
                let solver = AccelerationSolver::new(system.layout());
                let solver = solver.map_err(|source| StepError::linear(state.t, source))?;
                none.insert(Box::new(solver))
            }
        };
        self.shown.known = false;
        if self.shown.ensure(solver, system, state).is_ok() {
            self.shown.complete(state);
        }
        Ok(())
    }

    /// The difference of both results; that of the velocities once the embedded one is on the constraints.
    fn estimate(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        to: &State,
    ) -> Result<(), StepError> {
        let stages = &mut self.stages;
        stages.combine(self.step, &ESTIMATE, &mut self.error);
        let [u, v, _] = stages.split_mut(&mut self.error);
        stages.embedded_configuration(&system.layout().space, from, u, &mut self.embedded_q);
        // The embedded velocity, put onto the constraints at the embedded configuration.
        for ((embedded, end), error) in self.embedded_v.iter_mut().zip(&to.v).zip(v.iter()) {
            *embedded = end - error;
        }
        let at = Point {
            t: from.t + self.step,
            q: &self.embedded_q,
            v: &self.embedded_v,
            ..to.point()
        };
        self.solver
            .velocity_correction(system, &at, &mut self.correction)?;
        // Only what lies along the constraints is an error of the motion.
        for (error, correction) in v.iter_mut().zip(&self.correction) {
            *error -= correction;
        }
        Ok(())
    }
}

impl Integrator for Phem56 {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        _sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        let projections = Projections::new(self.projection, system, state)?;
        let layout = system.layout();
        require_index(layout, Self::METHOD.name, 0)?;
        let linear = |source| StepError::linear(state.t, source);
        let free = || vec![0.0; state.v.len()];
        let stages = Stages::new(&layout.space, state);
        Ok(Box::new(Phem56Stepper {
            solver: AccelerationSolver::new(layout).map_err(linear)?,
            projections,
            error: stages.zeros(),
            stages,
            lambda: std::array::from_fn(|_| state.lambda.clone()),
            z: std::array::from_fn(|_| state.z.clone()),
            start: Start::new(state),
            end: Start::new(state),
            accepted: true,
            start_is_stage: false,
            shown: Start::new(state),
            index_one: None,
            completes_for_others: false,
            step: 0.0,
            embedded_v: free(),
            embedded_q: state.q.clone(),
            correction: free(),
            continuous: Continuous::new(state, 1, KNOWN.len()),
        }))
    }
}

impl Stepper for Phem56Stepper {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        self.start.ensure(&mut self.solver, system, from)?;
        self.accepted = false;
        self.step = h;
        self.stages.load_start(from);
        let [_, v_rate, x_rate] = self.stages.rates.of_mut(0);
        v_rate.copy_from_slice(&self.start.acceleration);
        x_rate.copy_from_slice(&self.start.x_rate);
        self.lambda[0].copy_from_slice(&self.start.lambda);
        self.z[0].copy_from_slice(&self.start.z);
        self.stages.configuration_rate(&system.layout().space, 0);
        // V_i and Q_i are explicit; the multiplier follows from the constraints at Q̃_i.
        for (slot, weights) in ROWS.iter().enumerate().skip(1) {
            (self.stages).advance_with_rate(&system.layout().space, from, h, weights, slot);
            self.evaluate(system, from, slot)?;
        }
        self.stages.now.give(to);
        let [_, acceleration, _] = self.stages.rates.of(END);
        to.acceleration.copy_from_slice(acceleration);
        to.lambda.copy_from_slice(&self.lambda[END]);
        to.z.copy_from_slice(&self.z[END]);
        self.estimate(system, from, to)?;
        norm.weigh(from, to);
        let [u, v, x] = self.stages.split(&self.error);
        Ok(Attempt::with_error(norm.root_mean_square(u, v, x)))
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        _from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        system.layout().space.normalize(&mut to.q);
        let levels = ProjectedLevels::PositionFirst;
        let projected = (self.projections).project(system, (to, h), levels, None)?;
        self.start.known = false;
        self.start_is_stage = false;
        // The last stage has the acceleration at the end unless a projection has moved it.
        if projected == Projected::Nothing {
            let [_, v_rate, x_rate] = self.stages.rates.of(END);
            self.start
                .keep(v_rate, x_rate, &self.lambda[END], &self.z[END]);
            self.start_is_stage = true;
        }
        self.accepted = true;
        Ok(())
    }

    fn complete(&mut self, system: &mut Evaluator, state: &mut State) -> Result<(), StepError> {
        self.start.ensure(&mut self.solver, system, state)?;
        self.start.complete(state);
        self.completes_for_others = self.start_is_stage && !state.lambda.is_empty();
        if self.completes_for_others {
            self.complete_by_index_one(system, state)?;
        }
        Ok(())
    }

    fn begins_with_completion(&self) -> bool {
        !self.completes_for_others
    }

    fn restart(&mut self, _system: &mut Evaluator, _state: &State) -> Result<(), StepError> {
        self.start.known = false;
        self.start_is_stage = false;
        Ok(())
    }

    fn dense_output(&mut self) -> Option<&mut dyn OwnDenseOutput> {
        Some(self)
    }

    fn energy_projector(&mut self) -> Option<&mut Projector> {
        self.projections.energy_projector()
    }

    fn work(&self) -> Work {
        self.projections.work_with(&self.solver)
    }
}

impl OwnDenseOutput for Phem56Stepper {
    fn prepare(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        to: &State,
    ) -> Result<(), StepError> {
        let stages = &self.stages;
        // After a projection the end has been evaluated anew.
        let end = if self.accepted {
            self.start.ensure(&mut self.solver, system, to)?;
            &self.start
        } else {
            let [_, v_rate, x_rate] = stages.rates.of(END);
            self.end
                .keep(v_rate, x_rate, &self.lambda[END], &self.z[END]);
            &self.end
        };
        self.continuous.load(
            &system.layout().space,
            (from, to),
            stages.rates.of(0),
            [&end.acceleration, &end.x_rate],
        );
        // A value of order 4 at 19/30 of the step fixes the quartic.
        stages.combine(self.step, &Weights::new(&AT_THETA), &mut self.error);
        let value = stages.split(&self.error);
        self.continuous.pass_through(THETA, value);
        for (index, &slot) in KNOWN.iter().enumerate() {
            let (lambda, z) = if slot == END {
                (&end.lambda, &end.z)
            } else {
                (&self.lambda[slot], &self.z[slot])
            };
            self.continuous.load_node(index, C[slot], lambda, z);
        }
        Ok(())
    }

    fn interpolate(&mut self, space: &Manifold, t: f64, out: &mut State) {
        self.continuous.at(space, t, out);
    }
}
