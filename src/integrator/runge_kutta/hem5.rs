//! HEM5: half-explicit Runge-Kutta of order 5 for the index-2 form.

use crate::control::{ControllerKind, ErrorNorm, Limits};
use crate::integrator::runge_kutta::stages::Stages;
use crate::integrator::runge_kutta::sums::{Block, Weights};
use crate::integrator::shared::projection::{ProjectedLevels, Projection, Projections};
use crate::integrator::tableau::hem5::{A, B, C, E2, STAGES};
use crate::integrator::{
    Attempt, DenseOutput, Integrator, Kind, Method, Orders, StepError, StepSizes, Stepper, Work,
    require_index,
};
use crate::system::{
    AccelerationSolver, Evaluator, LeftJacobian, Point, Projector, State, copy_part,
};

/// Brasey's half-explicit method of order 5 on the index-2 form, with projection.
///
/// Stage i solves for acceleration and multiplier such that the velocity constraint holds at stage i + 1:
///
/// ```text
/// M(Q_i) V'_i = f(Q_i, V_i) + G(Q_i)ᵀ Λ_i
/// G(Q_{i+1}) V_{i+1} + g_t = 0,   V_{i+1} = v_n + h Σ_{j≤i} a_{i+1,j} V'_j
/// ```
///
/// in local coordinates around q_n, so that it runs on Lie groups unchanged. Velocity constraints hold to round-off at
/// every step, positions drift by the local error only and are projected when the options say so; the projection comes
/// after the error estimate. Order 5 in q and v; multipliers and accelerations of finished states come from the index-1
/// form at that state and inherit order 5. The estimate combines two embedded results, e = e1² / (e1 + 0.01 e2).
///
/// Dense output is the driver's quintic Hermite polynomial. Brasey's own (thesis, Geneva 1994) has order 4 and takes another
/// half-explicit stage, as much as the evaluation of the index-1 form that the quintic takes, which is more
/// accurate in q and gives the multipliers as well.
///
/// The matrix \[M -G_iᵀ; G_{i+1} 0\] of a stage is regular only if both Jacobians have the same rows of full rank, and redundant
/// rows are dependent on the constraints only, not at stages beside them. Therefore the driver chooses the rows that carry
/// multipliers at the start of each step ([`IndependentRows`](crate::system::IndependentRows)); all stages have the
/// same ones on both sides. Without the driver, that is up to the caller ([`Evaluator::leave_out`]).
///
/// Use it for non-stiff mechanisms at medium and high accuracy, above all when constraints must hold tightly; not for
/// stiff springs or dampers.
///
/// A light body that carries a much heavier one is stiff without a spring: between two rods of length l it swings across them with
/// ω² = 2 F / (m l). Of an undamped oscillation the stability function has |R(iy)| < 1 for 1.35 < y = h ω < 3.4, at most 1.0003
/// below: a weak oscillation is damped at h ω near 2, one that the tolerance sees is followed at h ω near 0.7, three
/// times as many steps. With 1 kg above 1e8 kg it takes 16,821 steps for 0.3 s, dopri5 in angles 12,427, radau5 5
/// (`cargo test --release -p liedae --test suite mass_ratio`).
///
/// Sources: V. Brasey, Computing 48 (1992) 191-201, doi:10.1007/BF02310533; Haddouni et al. 2017, eqs. 31-36 (in eq. 33
/// the second estimate is meant with stage velocities), doi:10.1007/s11044-017-9570-y.
/// Measured: `liedae run andrews --method hem5 --rtol 1e-6 --atol 1e-6` against the published 189 steps.
pub struct Hem5 {
    projection: Projection,
}

/// [`Hem5`] at work.
struct Hem5Stepper {
    solver: AccelerationSolver,
    projections: Projections,
    stages: Stages<STAGES>,
    /// u, v and x of both errors.
    first: Vec<Block>,
    second: Vec<Block>,
    complete: bool,
}

impl Hem5 {
    /// What the method is.
    pub const METHOD: Method = Method {
        name: "hem5",
        title: "half-explicit Runge-Kutta, Brasey",
        kind: Kind::HalfExplicit,
        index: 2,
        orders: Orders {
            q: 5,
            v: 5,
            lambda: 5,
        },
        error_order: 5.0,
        dense_output: DenseOutput::Quintic,
        captures_events: false,
        fixed_step_by_default: false,
        controller: ControllerKind::Elementary(Limits {
            safety: 0.9,
            shrink: 0.2,
            grow: 10.0,
        }),
        source: "Brasey 1992, doi:10.1007/BF02310533; Haddouni et al. 2017, eqs. 31-36, doi:10.1007/s11044-017-9570-y",
        use_when: "non-stiff mechanisms at medium and high accuracy; constraints must hold tightly",
        avoid_when: "stiff springs or dampers",
    };

    /// The method with a projection rule.
    pub fn new(projection: Projection) -> Self {
        Self { projection }
    }
}

/// Weights and node of a stage; behind the stages those of the end.
fn row(stage: usize) -> (&'static Weights<STAGES>, f64) {
    static ROWS: [Weights<STAGES>; STAGES] = Weights::all(&A);
    static END: Weights<STAGES> = Weights::new(&B);
    if stage < STAGES {
        (&ROWS[stage], C[stage])
    } else {
        (&END, 1.0)
    }
}

impl Integrator for Hem5 {
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
        let stages = Stages::new(&layout.space, state);
        Ok(Box::new(Hem5Stepper {
            solver: AccelerationSolver::new(layout).map_err(linear)?,
            projections,
            first: stages.zeros(),
            second: stages.zeros(),
            stages,
            complete: true,
        }))
    }
}

impl Stepper for Hem5Stepper {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        let stages = &mut self.stages;
        to.lambda.copy_from_slice(&from.lambda);
        to.z.copy_from_slice(&from.z);
        stages.load_start(from);
        stages.configuration_rate(&system.layout().space, 0);
        for (stage, node) in C.iter().enumerate() {
            let space = &system.layout().space;
            // The next stage's configuration is known; its velocity but for the acceleration that is sought.
            let (weights, next_node) = row(stage + 1);
            stages.predict(space, from, h, weights);
            let Stages {
                now, next, rates, ..
            } = &mut *stages;
            let ([_, v, x], [_, predicted_velocity, _]) = (now.parts(), next.parts());
            let at = Point {
                t: from.t + node * h,
                q: &now.q,
                v,
                x,
                z: &[],
                lambda: &[],
                mode: &from.mode,
            };
            let constrained = Point {
                t: from.t + next_node * h,
                q: &next.q,
                v: predicted_velocity,
                ..at
            };
            // G(Q_i) was the right side of the stage before.
            let left = LeftJacobian::own_if(stage == 0);
            let points = [&at, &constrained];
            // V_{i+1} = known + h a_{i+1,i} V'_i on the constraints at Q_{i+1}.
            (self.solver).load_stage(system, points, h * weights.last(), left)?;
            let [_, acceleration, x_rate] = rates.of_mut(stage);
            (self.solver).solve(system, &at, acceleration, &mut to.z, &mut to.lambda)?;
            copy_part(x_rate, self.solver.differential_rates());
            stages.advance_predicted(&system.layout().space, h, weights);

            if stage + 2 == STAGES {
                // The last stage, of order 3, is the first embedded result.
                stages.increments(&mut self.first);
            }
        }
        stages.now.give(to);
        let [_, acceleration, _] = stages.rates.of(STAGES - 1);
        to.acceleration.copy_from_slice(acceleration);

        // e_1 = y - first result, e_2 = y - second, from the last two stages.
        stages.increments(&mut self.second);
        let [before, last] = [STAGES - 2, STAGES - 1].map(|stage| stages.rates.list(stage));
        let [errors, seconds] =
            [&mut self.first, &mut self.second].map(|list| list.as_flattened_mut());
        let errors = errors.iter_mut().zip(seconds);
        for ((first, second), (before, last)) in errors.zip(before.iter().zip(last)) {
            let result = *second;
            *first = result - *first;
            *second = result - h * (E2[0] * before + E2[1] * last);
        }
        norm.weigh(from, to);
        let [first, second] = [&self.first, &self.second].map(|error| {
            let [u, v, x] = stages.split(error);
            norm.root_mean_square(u, v, x)
        });
        // e_1² / (e_1 + 0.01 e_2): of order h⁵ where both are asymptotic.
        let sum = first + 0.01 * second;
        // Both estimates zero to round-off: no division.
        Ok(Attempt::with_error(if sum < 1e-13 {
            sum
        } else {
            first * first / sum
        }))
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        _from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        system.layout().space.normalize(&mut to.q);
        // Velocities hold their constraints already: they follow only where positions are moved.
        let levels = ProjectedLevels::PositionFirst;
        (self.projections).project(system, (to, h), levels, None)?;
        self.complete = false;
        Ok(())
    }

    fn complete(&mut self, system: &mut Evaluator, state: &mut State) -> Result<(), StepError> {
        if !self.complete {
            self.solver.complete(system, state)?;
            self.complete = true;
        }
        Ok(())
    }

    fn restart(&mut self, _system: &mut Evaluator, _state: &State) -> Result<(), StepError> {
        self.complete = true;
        Ok(())
    }

    fn energy_projector(&mut self) -> Option<&mut Projector> {
        self.projections.energy_projector()
    }

    fn work(&self) -> Work {
        self.projections.work_with(&self.solver)
    }
}
