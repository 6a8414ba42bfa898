//! Adams-Bashforth-Moulton of order 2 on the state-space form.

use super::explicit::StateEquation;
use super::shared::{StartRate, finish, with_fresh_coordinates};
use crate::control::{ControllerKind, ErrorNorm, Limits};
use crate::integrator::{
    Attempt, DenseOutput, Integrator, Kind, Method, Orders, StepError, StepSizes, Stepper, Work,
};
use crate::system::{DynamicsError, Evaluator, Parametrization, State};

/// Adams-Bashforth-Moulton predictor-corrector of order 2 on the [state-space form](crate::system::StateSpace).
///
/// With y = (u, v, x) and r the ratio of this step to the last one:
///
/// ```text
/// predict    y* = y_n + h [(1 + r/2) y'_n - (r/2) y'_{n-1}]
/// correct    y_{n+1} = y_n + h/2 [y'_n + y'(y*)]
/// error      r / (3 (r + 1)) (y_{n+1} - y*)            Milne's difference, O(h³)
/// ```
///
/// and one more evaluation at y_{n+1} (PECE). The rate of the step before is carried into the local coordinates of this
/// one, u'_{n-1} = dexp⁻¹(u_{n-1}) v_{n-1}, so that steps may follow any change of base, of independent coordinates and
/// of size. The first step after a start or an event predicts with Euler's method. Order 2 in q, v and λ; two
/// evaluations per step.
///
/// It is the explicit method that Haug et al. 1997 compare implicit ones with. Use it for non-stiff systems whose
/// evaluations are dear and tolerances loose; not for stiff systems: the real stability interval ends at h = 2 / |eigenvalue|.
///
/// Sources: Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, 2nd ed., III.1 and III.5,
/// doi:10.1007/978-3-540-78862-1; Haug, Negrut, Iancu 1997, section 4, doi:10.1080/08905459708905292.
/// Measured: `liedae converge pendulum --method state-space-abm`.
///
/// ```
/// use liedae::integrator::StateSpaceAbm;
/// use liedae::prelude::*;
/// use liedae::system::Parametrization;
///
/// // A pendulum of 1 m, swung for a second: whatever its accuracy, its constraints hold.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let method = StateSpaceAbm::new(Parametrization::TangentPlane);
/// let end = solve(&mut pendulum, &method, &Options::fixed(1.0, 0.01))?.state;
/// assert!((end.q[0] + 0.986_291_75).abs() < 1e-3);
/// assert!((end.q[0].hypot(end.q[1]) - 1.0).abs() < 1e-10 && (end.q[0] * end.v[0] + end.q[1] * end.v[1]).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StateSpaceAbm {
    parametrization: Parametrization,
}

/// A run of [`StateSpaceAbm`].
struct AbmStepper {
    equation: StateEquation,
    /// Rates u', v' at the start of the step; x' there.
    start: [Vec<f64>; 2],
    start_x: StartRate,
    /// The state before the start of the step, and its x'.
    before: State,
    before_x_rate: Vec<f64>,
    before_step: Option<f64>,
    before_u: Vec<f64>,
    before_u_rate: Vec<f64>,
    /// Predicted u, v, x; then the error.
    predicted: [Vec<f64>; 3],
}

impl AbmStepper {
    fn predict_and_correct(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), DynamicsError> {
        let equation = &mut self.equation;
        equation.begin(system, from)?;
        self.start_x.ensure(|x_rate| {
            equation.accelerate(system)?;
            x_rate.copy_from_slice(&equation.x_rate);
            Ok(())
        })?;
        self.start[0].copy_from_slice(&from.v);
        self.start[1].copy_from_slice(&equation.here.acceleration);
        let ratio = match self.before_step {
            None => 0.0,
            Some(before) => {
                let group = &system.layout().space;
                // u'_{n-1} = dexp⁻¹(u_{n-1}) v_{n-1}: the old rate in the local coordinates of this step.
                group.lift(&from.q, &self.before.q, &mut self.before_u);
                group.dexp_inverse(&self.before_u, &self.before.v, &mut self.before_u_rate);
                h / before
            }
        };
        // With r = 0 this is Euler's predictor.
        let last = [
            &self.before_u_rate,
            &self.before.acceleration,
            &self.before_x_rate,
        ];
        let [start_u, start_v] = &self.start;
        let starts = [start_u.as_slice(), start_v, self.start_x.values()];
        for ((predicted, rate), last) in self.predicted.iter_mut().zip(starts).zip(last) {
            for ((slot, rate), last) in predicted.iter_mut().zip(rate).zip(last) {
                *slot = h * ((1.0 + 0.5 * ratio) * rate - 0.5 * ratio * last);
            }
        }
        equation.here.t = to.t;
        equation
            .space
            .local_mut()
            .copy_from_slice(&self.predicted[0]);
        add(&from.v, &self.predicted[1], &mut equation.here.v);
        add(&from.x, &self.predicted[2], &mut equation.here.x);
        // P and E: the predicted independent part is put onto the constraints, then evaluated.
        equation.settle(system)?;
        equation.accelerate(system)?;

        // Milne's difference; without a history the whole difference to the predictor of order 1.
        let milne = if self.before_step.is_some() {
            ratio / (3.0 * (ratio + 1.0))
        } else {
            1.0
        };
        let rates = [
            &equation.u_rate,
            &equation.here.acceleration,
            &equation.x_rate,
        ];
        let starts = starts.into_iter().zip(rates);
        // y_{n+1} - y* for Milne's difference.
        for (predicted, (start, end)) in self.predicted.iter_mut().zip(starts) {
            for ((slot, start), end) in predicted.iter_mut().zip(start).zip(end) {
                let corrected = 0.5 * h * (start + end);
                *slot = corrected - *slot;
            }
        }
        // Correct: h/2 (y'_n + y'(y*)), u from zero, v and x from the start.
        for (index, slot) in equation.space.local_mut().iter_mut().enumerate() {
            *slot = 0.5 * h * (self.start[0][index] + equation.u_rate[index]);
        }
        for (index, slot) in equation.here.v.iter_mut().enumerate() {
            let end = equation.here.acceleration[index];
            *slot = from.v[index] + 0.5 * h * (self.start[1][index] + end);
        }
        for (index, slot) in equation.here.x.iter_mut().enumerate() {
            *slot =
                from.x[index] + 0.5 * h * (self.start_x.values()[index] + equation.x_rate[index]);
        }
        for slot in self.predicted.iter_mut().flatten() {
            *slot *= milne;
        }
        // The second evaluation serves the end of this step and the start of the next.
        equation.settle(system)?;
        equation.accelerate(system)?;
        finish(&equation.here, to);
        Ok(())
    }
}

fn add(a: &[f64], b: &[f64], out: &mut [f64]) {
    for ((slot, a), b) in out.iter_mut().zip(a).zip(b) {
        *slot = a + b;
    }
}

impl StateSpaceAbm {
    /// What the method is.
    pub const METHOD: Method = Method {
        name: "state-space-abm",
        title: "Adams-Bashforth-Moulton of order 2 on the state-space form",
        kind: Kind::Explicit,
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
        source: "Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, III.1, \
                 doi:10.1007/978-3-540-78862-1; Haug, Negrut, Iancu 1997, section 4, \
                 doi:10.1080/08905459708905292",
        use_when: "non-stiff mechanisms with dear evaluations and loose tolerances",
        avoid_when: "stiff systems, or more than four digits are needed",
    };

    /// The method with a choice of independent coordinates.
    pub fn new(parametrization: Parametrization) -> Self {
        Self { parametrization }
    }
}

impl Integrator for StateSpaceAbm {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        _sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        let (velocity, other) = (vec![0.0; state.v.len()], vec![0.0; state.x.len()]);
        let name = Self::METHOD.name;
        let three = || [velocity.clone(), velocity.clone(), other.clone()];
        Ok(Box::new(AbmStepper {
            equation: StateEquation::new(system, state, name, self.parametrization)?,
            start: [velocity.clone(), velocity.clone()],
            start_x: StartRate::new(state.x.len()),
            before: state.clone(),
            before_x_rate: other.clone(),
            before_step: None,
            before_u: velocity.clone(),
            before_u_rate: velocity.clone(),
            predicted: three(),
        }))
    }
}

impl Stepper for AbmStepper {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        with_fresh_coordinates(
            self,
            |stepper| &mut stepper.equation.space,
            |stepper| Ok(stepper.predict_and_correct(system, from, h, to)?),
        )?;
        norm.weigh(from, to);
        let [u, v, x] = &self.predicted;
        Ok(Attempt::with_error(norm.root_mean_square(u, v, x)))
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        system.layout().space.normalize(&mut to.q);
        self.before.copy_from(from);
        self.before.acceleration.copy_from_slice(&self.start[1]);
        self.before_x_rate.copy_from_slice(self.start_x.values());
        self.before_step = Some(h);
        self.start_x.accept(&self.equation.x_rate);
        Ok(())
    }

    fn restart(&mut self, _system: &mut Evaluator, _state: &State) -> Result<(), StepError> {
        self.before_step = None;
        self.start_x.forget();
        self.equation.space.forget();
        Ok(())
    }

    fn work(&self) -> Work {
        self.equation.work()
    }
}
