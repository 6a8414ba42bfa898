//! Newmark's method on the state-space form.

use super::contraction::{Contraction, ContractionGauge};
use super::law::{Displacement, FirstGuess, Law, Refresh, Stop};
use super::shared::{StartRate, finish, with_fresh_coordinates};
use super::stage::ImplicitStage;
use crate::control::{ControllerKind, ErrorNorm, Limits};
use crate::integrator::{
    Attempt, DenseOutput, Integrator, Kind, Method, NewtonOptions, Orders, StepError, StepSizes,
    Stepper, Work,
};
use crate::system::{Evaluator, Parametrization, State};

/// Where the Newton iteration of a step begins.
///
/// ```
/// use liedae::integrator::{NewmarkParameters, NewmarkPredictor, NewtonOptions, StateSpaceNewmark};
/// use liedae::prelude::*;
/// use liedae::system::Parametrization;
///
/// // Wherever the iteration begins, it ends at the solution of the same equations.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let mut end = |predictor| -> Result<f64, liedae::solve::SolveError> {
///     let parameters = NewmarkParameters { predictor, ..NewmarkParameters::default() };
///     let method = StateSpaceNewmark::new(true, parameters, Parametrization::default(), NewtonOptions::default());
///     Ok(solve(&mut pendulum, &method, &Options::fixed(0.5, 0.01))?.state.q[0])
/// };
/// assert!((end(NewmarkPredictor::LastAcceleration)? - end(NewmarkPredictor::Extrapolation)?).abs() < 1e-7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewmarkPredictor {
    /// At the accelerations of the last step, or at those that repeat its displacement if the step does not resolve the
    /// former (stiff components ring from step to step); at the other ones if that fails.
    #[default]
    LastAcceleration,
    /// At the accelerations of the state that explicit extrapolation (β = γ = 0) leads to, as Haug et al. 1997 do in
    /// their section 3.3: very far from the solution when the system is stiff and the step large.
    Extrapolation,
}

/// What ends the Newton iteration of a step.
///
/// ```
/// use liedae::integrator::{NewmarkConvergence, NewmarkParameters, NewtonOptions, StateSpaceNewmark};
/// use liedae::prelude::*;
/// use liedae::system::Parametrization;
///
/// // A residual is tested before the correction that it would ask for: fewer solutions, and the same motion.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let mut run = |convergence| -> Result<Solution, liedae::solve::SolveError> {
///     let parameters = NewmarkParameters { convergence, ..NewmarkParameters::default() };
///     let method = StateSpaceNewmark::new(true, parameters, Parametrization::default(), NewtonOptions::default());
///     solve(&mut pendulum, &method, &Options::fixed(0.5, 0.01))
/// };
/// let (by_residual, by_correction) = (run(NewmarkConvergence::Residual)?, run(NewmarkConvergence::Correction)?);
/// assert!((by_residual.state.q[0] - by_correction.state.q[0]).abs() < 1e-7);
/// assert!(by_residual.statistics.work.solves < by_correction.statistics.work.solves);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewmarkConvergence {
    /// A small correction, by the rule of [`NewtonOptions`]; the state that it leads to is evaluated, not tested.
    #[default]
    Correction,
    /// A small residual, tested before a correction is computed, as in step 6 of Haug et al. 1997, section 3.3: one solution
    /// less than by the corrections where they converge quadratically. ‖Ψ‖ ≤ τ (‖M a‖ + ‖f‖ + ‖Gᵀ λ‖) of the components
    /// along independent coordinates, τ the tolerance of [`NewtonOptions`], by default 1e-10; the paper does not state its own.
    /// For vector spaces without velocity rows, differential states and algebraic variables.
    Residual,
}

/// Parameters of Newmark's formulas.
///
/// ```
/// use liedae::integrator::{NewmarkParameters, NewtonOptions, StateSpaceNewmark};
/// use liedae::prelude::*;
/// use liedae::system::Parametrization;
///
/// // γ above 1/2 damps an oscillation.
/// let mut oscillator = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, [x], _v| [x * -100.0]).build()?;
/// let damping = NewmarkParameters { beta: 0.3025, gamma: 0.6, ..NewmarkParameters::default() };
/// let method = StateSpaceNewmark::new(true, damping, Parametrization::default(), NewtonOptions::default());
/// let end = solve(&mut oscillator, &method, &Options::fixed(10.0, 0.01))?.state;
/// let energy = 0.5 * (end.v[0] * end.v[0] + 100.0 * end.q[0] * end.q[0]);
/// assert!(energy < 0.5 * 50.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewmarkParameters {
    /// β of the displacement, above 0.
    pub beta: f64,
    /// γ of the velocity, from 1/2 (order 2) upwards (order 1, damped).
    pub gamma: f64,
    /// First guess of the iteration.
    pub predictor: NewmarkPredictor,
    /// What ends the iteration.
    pub convergence: NewmarkConvergence,
}

impl Default for NewmarkParameters {
    fn default() -> Self {
        Self {
            beta: 0.25,
            gamma: 0.5,
            predictor: NewmarkPredictor::default(),
            convergence: NewmarkConvergence::default(),
        }
    }
}

/// Newmark's method on the [state-space form](crate::system::StateSpace), with the exact Newton matrix of Haug, Negrut
/// and Iancu or the one that Fisette and Vaneghem use.
///
/// ```text
/// u_{n+1} = h v_n + h² (1/2 - β) a_n + h² β a_{n+1}      (17, 19), u local coordinates around q_n
/// v_{n+1} = v_n + h (1 - γ) a_n + h γ a_{n+1}            (16, 18)
/// Ψ = Nᵀ (M a - f)_{n+1} = 0                             (20)
/// ```
///
/// for the independent coordinates; the dependent ones, their rates and the multipliers satisfy the constraints at all
/// three levels in every iteration. Newton's method in the independent accelerations; `state-space-newmark` has the exact
/// derivative (29), `state-space-fv` leaves out what (40) lists: it converges linearly, and not at all once h is so
/// large that the reactions' stiffness outweighs mass and damping. Both solve the same equations.
///
/// Where the iteration begins and what ends it are choices, [`NewmarkPredictor`] and [`NewmarkConvergence`].
///
/// Close to a solution an iteration of `state-space-fv` shrinks the error by the spectral radius of I - Π⁻¹ Ψ', which
/// [`measuring_contraction`](Self::measuring_contraction) measures. It depends on the choice of independent coordinates: it is
/// large where stiff torques act on rotations that depend on independent Cartesian coordinates.
///
/// With β = 1/4, γ = 1/2: order 2 in q, v and λ, A-stable, no damping of stiff components (they ring; smaller steps or
/// γ > 1/2 help). The error estimate is h² (β - 1/6) (a_{n+1} - a_n) in q and h³/12 times the second divided difference
/// of the accelerations in v. Per iteration: one evaluation of f, M, G and of their derivatives, a dense factorization of
/// the dependent columns of G and one of the number of freedoms. Differential states follow the same rule as velocities.
///
/// Use it for stiff mechanisms with few freedoms where the constraints must hold exactly; not for large systems, since
/// its algebra is dense, nor where stiff components must be damped out quickly (`sdirk4`).
///
/// Sources: Haug, Negrut, Iancu 1997, eqs. 29 and 40, doi:10.1080/08905459708905292; Fisette, Vaneghem,
/// Comput. Methods Appl. Mech. Engrg. 135 (1996) 85-105, doi:10.1016/0045-7825(95)00926-4.
/// Measured, with at most ten iterations per step ended by the residual, by
/// `cargo test --release -p liedae-problems --test suite haug1997_claims -- --nocapture`: the largest steps that converge are 24 times
/// those of `state-space-fv` on `stiff-double-pendulum` (2.6 with half=1), 1.6 to 2.6 times on `tsda-slider-crank` with
/// free=1 and the same with its guide, with 0.35 to 0.46 of the iterations at the latter's (0.8 with the guide); on
/// `andrews-cartesian-stiff` 7.5 times, with 0.63 of the iterations, 0.58 at h = 1e-4. There h = 1.8e-3 has an error of 6e-4,
/// for which `state-space-abm` needs 83 times the steps and `rk4` 62 times; from h = 4.6e-3 on Newton's method finds other
/// solutions of its equations, which are no motion.
///
/// ```
/// use liedae::integrator::StateSpaceNewmark;
/// use liedae::prelude::*;
///
/// // An undamped oscillator: with β = 1/4 and γ = 1/2 no energy is lost, only the frequency is a bit too low.
/// let mut oscillator = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, [x], _v| [x * -100.0]).build()?;
/// let end = solve(&mut oscillator, &StateSpaceNewmark::default(), &Options::fixed(10.0, 0.01))?.state;
/// let energy = 0.5 * (end.v[0] * end.v[0] + 100.0 * end.q[0] * end.q[0]);
/// assert!((energy - 50.0).abs() < 1e-6);
/// // It is ω' with tan(ω' h/2) = ω h/2.
/// let frequency = 2.0 / 0.01 * (0.5 * 10.0 * 0.01_f64).atan();
/// assert!(frequency < 9.992 && (end.q[0] - (frequency * 10.0).cos()).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StateSpaceNewmark {
    exact: bool,
    parameters: NewmarkParameters,
    parametrization: Parametrization,
    newton: NewtonOptions,
    /// If the convergence of the quasi-Newton iteration is measured.
    gauge: Option<ContractionGauge>,
}

/// Part of the forces below which a residual has vanished, unless a tolerance is given.
const RESIDUAL_TOLERANCE: f64 = 1e-10;

/// A run of [`StateSpaceNewmark`].
struct NewmarkStepper {
    method: &'static str,
    parameters: NewmarkParameters,
    newton: NewtonOptions,
    stage: ImplicitStage,
    /// If the convergence of the quasi-Newton iteration is measured.
    contraction: Option<Contraction>,
    start: StartRate,
    /// Accelerations and x' at the start of the step before, and its size.
    before: [Vec<f64>; 2],
    before_step: Option<f64>,
    /// Local displacement of the step before.
    last_displacement: Vec<f64>,
    error: [Vec<f64>; 3],
}

impl StateSpaceNewmark {
    /// The method with the exact Newton matrix.
    pub const EXACT: Method = Method {
        name: "state-space-newmark",
        title: "Newmark on the state-space form, exact Newton matrix",
        kind: Kind::Implicit,
        index: 1,
        orders: Orders {
            q: 2,
            v: 2,
            lambda: 2,
        },
        error_order: 3.0,
        dense_output: DenseOutput::Cubic,
        captures_events: false,
        fixed_step_by_default: true,
        controller: ControllerKind::Elementary(Limits {
            safety: 0.9,
            shrink: 0.2,
            grow: 2.0,
        }),
        source: "Haug, Negrut, Iancu 1997, eq. 29, doi:10.1080/08905459708905292",
        use_when: "stiff mechanisms with few freedoms whose constraints must hold exactly",
        avoid_when: "many bodies, since the algebra is dense, or stiff components must be damped out",
    };

    /// The method with Fisette and Vaneghem's Newton matrix.
    pub const FISETTE_VANEGHEM: Method = Method {
        name: "state-space-fv",
        title: "Newmark on the state-space form, Fisette and Vaneghem's Newton matrix",
        source: "Fisette, Vaneghem 1996, doi:10.1016/0045-7825(95)00926-4; Haug, Negrut, Iancu 1997, eq. 40, \
                 doi:10.1080/08905459708905292",
        use_when: "comparison with state-space-newmark",
        avoid_when: "steps are large: the iteration converges slowly or not at all",
        ..Self::EXACT
    };

    /// The method with the exact Newton matrix or Fisette and Vaneghem's.
    pub fn new(
        exact: bool,
        parameters: NewmarkParameters,
        parametrization: Parametrization,
        newton: NewtonOptions,
    ) -> Self {
        Self {
            exact,
            parameters,
            parametrization,
            newton,
            gauge: None,
        }
    }

    /// The same, measuring at the end of every accepted step how fast an iteration with Fisette and Vaneghem's matrix
    /// converges there: two evaluations of Newton matrices more per step. A start clears the gauge.
    pub fn measuring_contraction(self, gauge: &ContractionGauge) -> Self {
        Self {
            gauge: Some(gauge.clone()),
            ..self
        }
    }
}

impl NewmarkStepper {
    fn law(&self, h: f64) -> Law {
        Law {
            slope: self.parameters.gamma * h,
            displacement: Displacement::ByAcceleration(self.parameters.beta * h * h),
            h,
        }
    }

    /// Second divided differences of rates: h³/12 y''' for each component.
    fn curvature(h: f64, before: f64, last: &[f64], start: &[f64], end: &[f64], out: &mut [f64]) {
        for (index, slot) in out.iter_mut().enumerate() {
            // h³/12 y''' = h³/6 · (second divided difference of y'), which is y'''/2.
            let slopes = (end[index] - start[index]) / h - (start[index] - last[index]) / before;
            *slot = h.powi(3) / 6.0 * slopes / (h + before);
        }
    }
}

impl Integrator for StateSpaceNewmark {
    fn method(&self) -> &'static Method {
        if self.exact {
            &Self::EXACT
        } else {
            &Self::FISETTE_VANEGHEM
        }
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        _sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        if let Some(gauge) = &self.gauge {
            gauge.clear();
        }
        let NewmarkParameters { beta, gamma, .. } = self.parameters;
        let method = self.method().name;
        // γ < 1/2 amplifies, β = 0 leaves no equation for the acceleration.
        if !(beta > 0.0 && gamma >= 0.5 && beta.is_finite() && gamma.is_finite()) {
            let reason = format!("it needs beta > 0 and gamma >= 1/2, not {beta} and {gamma}");
            return Err(StepError::Unsupported { method, reason });
        }
        let layout = system.layout();
        if self.parameters.convergence == NewmarkConvergence::Residual
            && !(ImplicitStage::is_direct(layout) && layout.differential + layout.algebraic == 0)
        {
            let reason = "the residual ends its iteration on vector spaces only, without velocity rows, differential \
                          states and algebraic variables; leave NewmarkParameters::convergence as it is"
                .to_owned();
            return Err(StepError::Unsupported { method, reason });
        }
        let gauge = self.gauge.clone();
        let contraction = gauge.map(|gauge| Contraction::new(layout, gauge));
        let contraction = contraction
            .transpose()
            .map_err(|source| StepError::linear(state.t, source))?;
        let free = || vec![0.0; state.v.len()];
        let other = || vec![0.0; state.x.len()];
        Ok(Box::new(NewmarkStepper {
            method,
            parameters: self.parameters,
            newton: self.newton,
            contraction,
            stage: ImplicitStage::new(system, state, method, self.parametrization, self.exact)?,
            start: StartRate::new(state.x.len()),
            before: [free(), other()],
            before_step: None,
            last_displacement: free(),
            error: [free(), free(), other()],
        }))
    }
}

impl Stepper for NewmarkStepper {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        let NewmarkParameters { beta, gamma, .. } = self.parameters;
        let law = self.law(h);
        let stage = &mut self.stage;
        self.start
            .ensure(|x_rate| stage.start_rates(system, from, x_rate))?;
        let stop = match self.parameters.convergence {
            NewmarkConvergence::Correction => {
                Stop::Correction(NewtonOptions::DISPLACEMENT / (h * h))
            }
            NewmarkConvergence::Residual => {
                Stop::Residual(self.newton.tolerance.unwrap_or(RESIDUAL_TOLERANCE))
            }
        };
        let first_guess = match self.parameters.predictor {
            NewmarkPredictor::LastAcceleration => FirstGuess::Robust,
            NewmarkPredictor::Extrapolation => FirstGuess::Given,
        };
        with_fresh_coordinates(
            self,
            |stepper| &mut stepper.stage.space,
            |stepper| {
                let stage = &mut stepper.stage;
                stage.begin(system, from, stepper.method)?;
                let [u, v, x] = &mut stage.known;
                // Known parts of (17) and (16): u* = h v_n + h² (1/2 - β) a_n, v* = v_n + h (1 - γ) a_n.
                for (index, a) in from.acceleration.iter().enumerate() {
                    u[index] = h * from.v[index] + h * h * (0.5 - beta) * a;
                    v[index] = from.v[index] + h * (1.0 - gamma) * a;
                }
                for (index, rate) in stepper.start.values().iter().enumerate() {
                    x[index] = from.x[index] + h * (1.0 - gamma) * rate;
                }
                // The displacement of the step before, for this size.
                let ratio = stepper.before_step.map_or(0.0, |before| h / before);
                for (slot, last) in stage.expected.iter_mut().zip(&stepper.last_displacement) {
                    *slot = ratio * last;
                }
                stage.x_rate.copy_from_slice(stepper.start.values());
                stage.here.t = to.t;
                if first_guess == FirstGuess::Given {
                    stage.extrapolate(system, from, h)?;
                }
                let (newton, refresh) = (&stepper.newton, Refresh::Always);
                Ok(stage.solve(system, law, newton, stop, refresh, first_guess)?)
            },
        )?;
        let stage = &self.stage;
        finish(&stage.here, to);

        let [u, v, x] = &mut self.error;
        for (index, slot) in u.iter_mut().enumerate() {
            // Taylor: u has h² (β - 1/6) Δa to the third order, v has h (γ - 1/2) Δa to the second.
            let change = to.acceleration[index] - from.acceleration[index];
            *slot = h * h * (beta - 1.0 / 6.0) * change;
            v[index] = h * (gamma - 0.5) * change;
        }
        for (index, slot) in x.iter_mut().enumerate() {
            let change = stage.x_rate[index] - self.start.values()[index];
            *slot = h * (gamma - 0.5) * change;
        }
        // γ = 1/2 removes that term of v: the next one, h³/12 v''', takes its place.
        if gamma == 0.5
            && let Some(before) = self.before_step
        {
            let [a, rate] = &self.before;
            Self::curvature(h, before, a, &from.acceleration, &to.acceleration, v);
            Self::curvature(h, before, rate, self.start.values(), &stage.x_rate, x);
        }
        norm.weigh(from, to);
        Ok(Attempt::with_error(norm.root_mean_square(u, v, x)))
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        let law = self.law(h);
        if let Some(contraction) = &mut self.contraction {
            self.stage.measure(system, law, contraction)?;
        }
        self.before[0].copy_from_slice(&from.acceleration);
        self.before[1].copy_from_slice(self.start.values());
        self.before_step = Some(h);
        self.last_displacement
            .copy_from_slice(self.stage.space.local());
        self.start.accept(&self.stage.x_rate);
        system.layout().space.normalize(&mut to.q);
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
        self.before_step = None;
        self.stage.space.forget();
        Ok(())
    }

    fn work(&self) -> Work {
        self.stage.work()
    }
}
