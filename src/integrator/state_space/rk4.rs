//! The classical Runge-Kutta method on the state-space form.

use super::explicit::StateEquation;
use super::shared::{StartRate, finish, with_fresh_coordinates};
use crate::control::{ControllerKind, ErrorNorm, Limits};
use crate::integrator::runge_kutta::sums::accumulate;
use crate::integrator::{
    Attempt, DenseOutput, Integrator, Kind, Method, Orders, StepError, StepSizes, Stepper, Work,
};
use crate::scalar::larger_or_nan;
use crate::system::{DynamicsError, Evaluator, Parametrization, State};

const STAGES: usize = 4;

/// The evaluation at the end of the step, behind the stages and one between them.
const END: usize = STAGES + 1;
const A: [[f64; STAGES]; STAGES] = [
    [0.0; STAGES],
    [0.5, 0.0, 0.0, 0.0],
    [0.0, 0.5, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0],
];
const B: [f64; STAGES] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];
const C: [f64; STAGES] = [0.0, 0.5, 0.5, 1.0];

/// Where the error is looked for besides, and what leads there: the method's continuous extension of order 3.
const BETWEEN: f64 = 2.0 / 3.0;
const A_BETWEEN: [f64; STAGES] = [16.0 / 81.0, 20.0 / 81.0, 20.0 / 81.0, -2.0 / 81.0];

/// The quadrature of order 3 with nodes 0 and 2/3: weights of the first stage and of the one between.
const B_BETWEEN: [f64; 2] = [0.25, 0.75];

/// Runge and Kutta's method of order 4 on the [state-space form](crate::system::StateSpace).
///
/// Four evaluations per step, each with the dependent coordinates by iteration, the dependent velocities and one linear
/// system for accelerations and multipliers; all constraints hold at every stage. Order 4 in q, v and λ. On ODEs it is the
/// classical method.
///
/// Two methods of order 3 give the error estimate, which is the larger of both differences. One has the rate at the end of the
/// step, which is the first of the next one, in place of that of the fourth stage, h/6 (y'_4 - y'_{n+1}): it does not see
/// rates that depend on time only. The other one is the quadrature h/4 (y'(t) + 3 y'(t + 2h/3)), for which steps with
/// tolerances take one evaluation more.
///
/// Use it for references with small steps, as Haug et al. 1997 do, and for real-time runs of non-stiff mechanisms; not
/// for stiff systems (h < 2.8 / |eigenvalue|), and not where the accuracy matters more than the number of evaluations
/// (`mdop5`).
///
/// Sources: W. Kutta, Z. Math. Phys. 46 (1901) 435-453 (Teubner, without a DOI), as in Hairer, Nørsett, Wanner, Solving
/// Ordinary Differential Equations I, 2nd ed., Table II.1.2, doi:10.1007/978-3-540-78862-1; Haug, Negrut, Iancu 1997,
/// section 4, doi:10.1080/08905459708905292.
/// Measured: `liedae converge pendulum --method rk4`.
///
/// ```
/// use liedae::integrator::StateSpaceRk4;
/// use liedae::prelude::*;
///
/// // A pendulum of 1 m, swung for a second: whatever its accuracy, its constraints hold.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let method = StateSpaceRk4::default();
/// let end = solve(&mut pendulum, &method, &Options::fixed(1.0, 0.01))?.state;
/// assert!((end.q[0] + 0.986_291_75).abs() < 1e-5);
/// assert!((end.q[0].hypot(end.q[1]) - 1.0).abs() < 1e-10 && (end.q[0] * end.v[0] + end.q[1] * end.v[1]).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StateSpaceRk4 {
    parametrization: Parametrization,
}

/// A run of [`StateSpaceRk4`].
struct Rk4Stepper {
    equation: StateEquation,
    u_rates: [Vec<f64>; STAGES],
    v_rates: [Vec<f64>; STAGES],
    x_rates: [Vec<f64>; STAGES],
    start: StartRate,
    /// Rates between the stages.
    between: [Vec<f64>; 3],
    /// Two estimates.
    errors: [[Vec<f64>; 3]; 2],
}

impl Rk4Stepper {
    fn stages(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        to: &mut State,
        estimates: bool,
    ) -> Result<(), DynamicsError> {
        let equation = &mut self.equation;
        equation.begin(system, from)?;
        self.start.ensure(|x_rate| {
            equation.accelerate(system)?;
            x_rate.copy_from_slice(&equation.x_rate);
            Ok(())
        })?;
        equation.x_rate.copy_from_slice(self.start.values());
        let rates = [&mut self.u_rates, &mut self.v_rates, &mut self.x_rates];
        let [u_rates, v_rates, x_rates] = rates;
        // Stages 0 to 3, one between them where the error is judged, and the end: that evaluation is the first of the next step.
        for stage in 0..=END {
            let (row, t) = match stage {
                STAGES => (&A_BETWEEN, from.t + BETWEEN * h),
                // Row B leads to the end of the step.
                END => (&B, to.t),
                stage => (&A[stage], from.t + C[stage] * h),
            };
            if stage == STAGES && !estimates {
                continue;
            }
            if stage > 0 {
                let before = stage.min(STAGES);
                let u = equation.space.local_mut();
                u.fill(0.0);
                accumulate(h, row, before, u_rates, u);
                equation.here.v.copy_from_slice(&from.v);
                accumulate(h, row, before, v_rates, &mut equation.here.v);
                equation.here.x.copy_from_slice(&from.x);
                accumulate(h, row, before, x_rates, &mut equation.here.x);
                equation.here.t = t;
                equation.settle(system)?;
                equation.accelerate(system)?;
            }
            let [u, v, x] = match stage {
                STAGES => self.between.each_mut(),
                END => break,
                stage => [
                    &mut u_rates[stage],
                    &mut v_rates[stage],
                    &mut x_rates[stage],
                ],
            };
            u.copy_from_slice(&equation.u_rate);
            v.copy_from_slice(&equation.here.acceleration);
            x.copy_from_slice(&equation.x_rate);
        }
        finish(&equation.here, to);
        let starts = [&self.u_rates, &self.v_rates, &self.x_rates];
        let ends = [
            &equation.u_rate,
            &equation.here.acceleration,
            &equation.x_rate,
        ];
        let [end_errors, time_errors] = &mut self.errors;
        for (part, rates) in starts.into_iter().enumerate() {
            let (end, between) = (ends[part], &self.between[part]);
            for (index, slot) in end_errors[part].iter_mut().enumerate() {
                // h/6 (y'_4 - y'_{n+1}).
                *slot = h / 6.0 * (rates[STAGES - 1][index] - end[index]);
            }
            for (index, slot) in time_errors[part].iter_mut().enumerate() {
                let quadrature = B_BETWEEN[0] * rates[0][index] + B_BETWEEN[1] * between[index];
                let step: f64 = (B.iter().zip(rates)).map(|(b, rate)| b * rate[index]).sum();
                *slot = h * (step - quadrature);
            }
        }
        Ok(())
    }
}

impl StateSpaceRk4 {
    /// What the method is.
    pub const METHOD: Method = Method {
        name: "rk4",
        title: "classical Runge-Kutta on the state-space form",
        kind: Kind::Explicit,
        index: 1,
        orders: Orders {
            q: 4,
            v: 4,
            lambda: 4,
        },
        error_order: 4.0,
        dense_output: DenseOutput::Quintic,
        captures_events: false,
        fixed_step_by_default: true,
        controller: ControllerKind::Elementary(Limits {
            safety: 0.9,
            shrink: 0.2,
            grow: 5.0,
        }),
        source: "Kutta 1901, in Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, Table II.1.2, \
                 doi:10.1007/978-3-540-78862-1; Haug, Negrut, Iancu 1997, section 4, doi:10.1080/08905459708905292",
        use_when: "references with small steps, non-stiff mechanisms with a fixed step",
        avoid_when: "stiff systems, or the fewest evaluations for an accuracy are wanted",
    };

    /// The method with a choice of independent coordinates.
    pub fn new(parametrization: Parametrization) -> Self {
        Self { parametrization }
    }
}

impl Integrator for StateSpaceRk4 {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        _sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        let rates = |length: usize| std::array::from_fn(|_| vec![0.0; length]);
        let parts = || [state.v.len(), state.v.len(), state.x.len()].map(|n| vec![0.0; n]);
        let name = Self::METHOD.name;
        Ok(Box::new(Rk4Stepper {
            equation: StateEquation::new(system, state, name, self.parametrization)?,
            u_rates: rates(state.v.len()),
            v_rates: rates(state.v.len()),
            x_rates: rates(state.x.len()),
            start: StartRate::new(state.x.len()),
            between: parts(),
            errors: [parts(), parts()],
        }))
    }
}

impl Stepper for Rk4Stepper {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        let estimates = norm.is_binding();
        with_fresh_coordinates(
            self,
            |stepper| &mut stepper.equation.space,
            |stepper| Ok(stepper.stages(system, from, h, to, estimates)?),
        )?;
        if !estimates {
            return Ok(Attempt::without_estimate());
        }
        norm.weigh(from, to);
        let [by_end, by_time] =
            (self.errors.each_ref()).map(|[u, v, x]| norm.root_mean_square(u, v, x));
        Ok(Attempt::with_error(larger_or_nan(by_end, by_time)))
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        _from: &State,
        _h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        system.layout().space.normalize(&mut to.q);
        self.start.accept(&self.equation.x_rate);
        Ok(())
    }

    fn restart(&mut self, _system: &mut Evaluator, _state: &State) -> Result<(), StepError> {
        self.start.forget();
        self.equation.space.forget();
        Ok(())
    }

    fn work(&self) -> Work {
        self.equation.work()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrator::tableau::order_conditions::{residual, rooted_trees};

    #[test]
    fn the_coefficients_satisfy_all_conditions_up_to_order_4() {
        for tree in rooted_trees(4) {
            assert!(residual(&A, &B, &tree) < 1e-15, "{tree:?}");
        }
        // The embedded method: the weight of the fourth stage goes to the end of the step.
        let mut extended = [[0.0; STAGES + 1]; STAGES + 1];
        for (row, given) in extended.iter_mut().zip(A.iter().chain([&B])) {
            row[..STAGES].copy_from_slice(given);
        }
        let embedded = [B[0], B[1], B[2], 0.0, B[3]];
        for tree in rooted_trees(3) {
            assert!(residual(&extended, &embedded, &tree) < 1e-15, "{tree:?}");
        }
        // That of the stage between.
        extended[STAGES] = [A_BETWEEN[0], A_BETWEEN[1], A_BETWEEN[2], A_BETWEEN[3], 0.0];
        let embedded = [B_BETWEEN[0], 0.0, 0.0, 0.0, B_BETWEEN[1]];
        for tree in rooted_trees(3) {
            assert!(residual(&extended, &embedded, &tree) < 1e-15, "{tree:?}");
        }
    }
}
