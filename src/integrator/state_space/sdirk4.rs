//! SDIRK of order 4 on the state-space form.

use super::law::{Displacement, FirstGuess, Law, Refresh, Stop};
use super::shared::{StartRate, finish, with_fresh_coordinates};
use super::stage::ImplicitStage;
use crate::control::{ControllerKind, ErrorNorm, Limits};
use crate::integrator::runge_kutta::sums::accumulate;
use crate::integrator::tableau::sdirk4::{A, C, E, GAMMA, STAGES};
use crate::integrator::{
    Attempt, DenseOutput, Integrator, Kind, Method, NewtonOptions, Orders, StepError, StepSizes,
    Stepper, Work,
};
use crate::system::{DynamicsError, Evaluator, Parametrization, State};

/// The L-stable singly diagonally implicit Runge-Kutta method of order 4 on the
/// [state-space form](crate::system::StateSpace).
///
/// Stage i solves, for the independent coordinates,
///
/// ```text
/// u_i = h Σ_j a_ij u'_j,   u' = dexp⁻¹(u) v,   v_i = v_n + h Σ_j a_ij v'_j,   Nᵀ (M v' - f)_i = 0
/// ```
///
/// by Newton's method with the exact derivative, evaluated once per step and again when convergence is slow. All
/// constraints hold at every stage; the last stage is the end of the step. Order 4 in q, v and λ, with an embedded method
/// of order 3; stiff components are damped out within one step. Multipliers and accelerations of stiff or Runge-Kutta-reduced
/// components converge with the stage order 1 only.
///
/// Five nonlinear systems of the number of freedoms per step with one dense factorization; every iteration evaluates f,
/// M, G and solves for the dependent coordinates.
///
/// Use it for stiff mechanisms with few freedoms at medium to high accuracy; not for large systems, since its algebra is
/// dense, nor for non-stiff ones (`hem5`, `mdop5`).
///
/// Sources: Hairer, Wanner, Solving Ordinary Differential Equations II, 1996, Table IV.6.5,
/// doi:10.1007/978-3-642-05221-7; Haug, Negrut, Engstler 1999, "Implicit Runge-Kutta integration of the equations of
/// multibody dynamics in descriptor form", Mech. Struct. Mach. 27 (1999) 337-364, doi:10.1080/08905459908915702.
/// Measured: `liedae converge pendulum --method sdirk4`.
///
/// ```
/// use liedae::integrator::StateSpaceSdirk4;
/// use liedae::prelude::*;
///
/// // A pendulum of 1 m, swung for a second: whatever its accuracy, its constraints hold.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let method = StateSpaceSdirk4::default();
/// let end = solve(&mut pendulum, &method, &Options::fixed(1.0, 0.01))?.state;
/// assert!((end.q[0] + 0.986_291_75).abs() < 1e-5);
/// assert!((end.q[0].hypot(end.q[1]) - 1.0).abs() < 1e-10 && (end.q[0] * end.v[0] + end.q[1] * end.v[1]).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StateSpaceSdirk4 {
    parametrization: Parametrization,
    newton: NewtonOptions,
}

/// A run of [`StateSpaceSdirk4`].
struct Sdirk4Stepper {
    newton: NewtonOptions,
    stage: ImplicitStage,
    u_rates: [Vec<f64>; STAGES],
    v_rates: [Vec<f64>; STAGES],
    x_rates: [Vec<f64>; STAGES],
    start: StartRate,
    error: [Vec<f64>; 3],
}

/// Newton's default tolerance in velocities, h v'.
const TOLERANCE: f64 = 1e-2 * NewtonOptions::DISPLACEMENT;

impl StateSpaceSdirk4 {
    /// What the method is.
    pub const METHOD: Method = Method {
        name: "sdirk4",
        title: "L-stable SDIRK of order 4 on the state-space form",
        kind: Kind::Implicit,
        index: 1,
        orders: Orders {
            q: 4,
            v: 4,
            lambda: 4,
        },
        error_order: 4.0,
        dense_output: DenseOutput::Quintic,
        captures_events: false,
        fixed_step_by_default: false,
        controller: ControllerKind::Elementary(Limits {
            safety: 0.9,
            shrink: 0.2,
            grow: 5.0,
        }),
        source: "Hairer, Wanner 1996, Solving Ordinary Differential Equations II, Table IV.6.5, \
                 doi:10.1007/978-3-642-05221-7; Haug, Negrut, Engstler 1999, doi:10.1080/08905459908915702",
        use_when: "stiff mechanisms with few freedoms at medium to high accuracy",
        avoid_when: "many bodies, since the algebra is dense, or nothing is stiff",
    };

    /// The method with a choice of independent coordinates.
    pub fn new(parametrization: Parametrization, newton: NewtonOptions) -> Self {
        Self {
            parametrization,
            newton,
        }
    }
}

impl Sdirk4Stepper {
    fn stages(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        end: f64,
    ) -> Result<(), DynamicsError> {
        let stage = &mut self.stage;
        let law = Law {
            slope: GAMMA * h,
            displacement: Displacement::ByVelocity(GAMMA * h),
            h,
        };
        stage.x_rate.copy_from_slice(self.start.values());
        for index in 0..STAGES {
            let row = &A[index];
            // Known parts: sums over the stages before, h Σ_{j<i} a_ij y'_j.
            let [u, v, x] = &mut stage.known;
            u.fill(0.0);
            v.copy_from_slice(&from.v);
            x.copy_from_slice(&from.x);
            accumulate(h, row, index, &self.u_rates, u);
            accumulate(h, row, index, &self.v_rates, v);
            accumulate(h, row, index, &self.x_rates, x);
            let last = index + 1 == STAGES;
            // `from.t + h` could differ from the planned end by round-off.
            stage.here.t = if last { end } else { from.t + C[index] * h };
            stage.solve(
                system,
                law,
                &self.newton,
                Stop::Correction(TOLERANCE / h),
                Refresh::WhenSlow,
                FirstGuess::Robust,
            )?;
            self.u_rates[index].copy_from_slice(&stage.u_rate);
            self.v_rates[index].copy_from_slice(&stage.here.acceleration);
            self.x_rates[index].copy_from_slice(&stage.x_rate);
        }
        Ok(())
    }
}

impl Integrator for StateSpaceSdirk4 {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        _sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        let name = Self::METHOD.name;
        let rates = |length: usize| std::array::from_fn(|_| vec![0.0; length]);
        let free = || vec![0.0; state.v.len()];
        let other = || vec![0.0; state.x.len()];
        Ok(Box::new(Sdirk4Stepper {
            newton: self.newton,
            stage: ImplicitStage::new(system, state, name, self.parametrization, true)?,
            u_rates: rates(state.v.len()),
            v_rates: rates(state.v.len()),
            x_rates: rates(state.x.len()),
            start: StartRate::new(state.x.len()),
            error: [free(), free(), other()],
        }))
    }
}

impl Stepper for Sdirk4Stepper {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        let stage = &mut self.stage;
        self.start
            .ensure(|x_rate| stage.start_rates(system, from, x_rate))?;
        with_fresh_coordinates(
            self,
            |stepper| &mut stepper.stage.space,
            |stepper| {
                let method = StateSpaceSdirk4::METHOD.name;
                stepper.stage.begin(system, from, method)?;
                Ok(stepper.stages(system, from, h, to.t)?)
            },
        )?;
        finish(&self.stage.here, to);
        let rates = [&self.u_rates, &self.v_rates, &self.x_rates];
        for (error, rates) in self.error.iter_mut().zip(rates) {
            error.fill(0.0);
            // h Σ e_j y'_j: the difference to the embedded method of order 3.
            accumulate(h, &E, STAGES, rates, error);
        }
        norm.weigh(from, to);
        let [u, v, x] = &self.error;
        Ok(Attempt::with_error(norm.root_mean_square(u, v, x)))
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        _from: &State,
        _h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        system.layout().space.normalize(&mut to.q);
        self.start.accept(&self.stage.x_rate);
        Ok(())
    }

    fn complete(&mut self, system: &mut Evaluator, state: &mut State) -> Result<(), StepError> {
        Ok(self.stage.complete(system, state)?)
    }

    fn has_algebraic_variables_at_end(&self) -> bool {
        true
    }

    fn restart(&mut self, _system: &mut Evaluator, _state: &State) -> Result<(), StepError> {
        self.start.forget();
        self.stage.space.forget();
        Ok(())
    }

    fn work(&self) -> Work {
        self.stage.work()
    }
}
