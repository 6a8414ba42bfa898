//! The classical Runge-Kutta method on the state-space form.

use super::explicit::StateEquation;
use super::shared::{StartRate, finish, with_fresh_coordinates};
use crate::control::{ControllerKind, ErrorNorm, Limits};
use crate::integrator::runge_kutta::sums::accumulate;
use crate::integrator::{
    Attempt, DenseOutput, Integrator, Kind, Method, Orders, StepError, StepSizes, Stepper, Work,
};
use crate::system::{DynamicsError, Evaluator, Parametrization, State};

const STAGES: usize = 4;
const A: [[f64; STAGES]; STAGES] = [
    [0.0; STAGES],
    [0.5, 0.0, 0.0, 0.0],
    [0.0, 0.5, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0],
];
const B: [f64; STAGES] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];
const C: [f64; STAGES] = [0.0, 0.5, 0.5, 1.0];

/// Runge and Kutta's method of order 4 on the [state-space form](crate::system::StateSpace).
///
/// Four evaluations per step, each with the dependent coordinates by iteration, the dependent velocities and one linear
/// system for accelerations and multipliers; all constraints hold at every stage. Order 4 in q, v and λ. The rate at the
/// end of the step, which is the first of the next one, in place of that of the fourth stage makes a method of order 3:
/// the error estimate is h/6 (y'_4 - y'_{n+1}), blind where rates depend on time only. On ODEs it is the classical method.
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
    error: [Vec<f64>; 3],
}

impl Rk4Stepper {
    fn stages(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), DynamicsError> {
        let equation = &mut self.equation;
        equation.begin(system, from)?;
        self.start.ensure(|x_rate| {
            equation.accelerate(system)?;
            x_rate.copy_from_slice(&equation.x_rate);
            Ok(())
        })?;
        equation.x_rate.copy_from_slice(self.start.values());
        // Stages 0 to 3, and once more at the end: that evaluation is the first of the next step.
        for stage in 0..=STAGES {
            if stage > 0 {
                // Row B leads to the end of the step.
                let row = if stage < STAGES { &A[stage] } else { &B };
                let u = equation.space.local_mut();
                u.fill(0.0);
                accumulate(h, row, stage, &self.u_rates, u);
                equation.here.v.copy_from_slice(&from.v);
                accumulate(h, row, stage, &self.v_rates, &mut equation.here.v);
                equation.here.x.copy_from_slice(&from.x);
                accumulate(h, row, stage, &self.x_rates, &mut equation.here.x);
                equation.here.t = if stage < STAGES {
                    from.t + C[stage] * h
                } else {
                    to.t
                };
                equation.settle(system)?;
                equation.accelerate(system)?;
            }
            if stage == STAGES {
                break;
            }
            self.u_rates[stage].copy_from_slice(&equation.u_rate);
            self.v_rates[stage].copy_from_slice(&equation.here.acceleration);
            self.x_rates[stage].copy_from_slice(&equation.x_rate);
        }
        finish(&equation.here, to);
        let starts = [&self.u_rates, &self.v_rates, &self.x_rates];
        let ends = [
            &equation.u_rate,
            &equation.here.acceleration,
            &equation.x_rate,
        ];
        // h/6 (y'_4 - y'_{n+1}).
        for ((error, rates), end) in self.error.iter_mut().zip(starts).zip(ends) {
            for (index, slot) in error.iter_mut().enumerate() {
                *slot = h / 6.0 * (rates[STAGES - 1][index] - end[index]);
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
        let name = Self::METHOD.name;
        Ok(Box::new(Rk4Stepper {
            equation: StateEquation::new(system, state, name, self.parametrization)?,
            u_rates: rates(state.v.len()),
            v_rates: rates(state.v.len()),
            x_rates: rates(state.x.len()),
            start: StartRate::new(state.x.len()),
            error: [
                vec![0.0; state.v.len()],
                vec![0.0; state.v.len()],
                vec![0.0; state.x.len()],
            ],
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
        with_fresh_coordinates(
            self,
            |stepper| &mut stepper.equation.space,
            |stepper| Ok(stepper.stages(system, from, h, to)?),
        )?;
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
    }
}
