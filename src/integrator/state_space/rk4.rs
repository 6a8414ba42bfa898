//! The classical Runge-Kutta method on the state-space form.

use super::explicit::{StateEquation, with_fresh_coordinates};
use crate::control::{ControllerKind, ErrorNorm, Limits};
use crate::integrator::stages::accumulate;
use crate::integrator::{
    Attempt, DenseOutput, Integrator, Kind, Method, Orders, StepError, Work, not_started,
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
/// system for accelerations and multipliers; all constraints hold at every stage. Order 4 in q, v and λ. There is no
/// error estimate: it runs with fixed steps. On ODEs it is the classical method.
///
/// Use it for references with small steps, as Haug et al. 1997 do, and for real-time runs of non-stiff mechanisms; not
/// for stiff systems (h < 2.8 / |eigenvalue|), and not where the accuracy matters more than the number of evaluations
/// (`mdop5`).
///
/// Sources: Kutta 1901; Haug, Negrut, Iancu 1997, section 4, doi:10.1080/08905459708905292.
/// Measured: `liedae converge pendulum --method rk4`.
pub struct StateSpaceRk4 {
    parametrization: Parametrization,
    workspace: Option<Workspace>,
}

struct Workspace {
    equation: StateEquation,
    u_rates: [Vec<f64>; STAGES],
    v_rates: [Vec<f64>; STAGES],
    x_rates: [Vec<f64>; STAGES],
    /// Whether the state that the next step starts from has its accelerations.
    known: bool,
}

impl Workspace {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), DynamicsError> {
        // A failed step leaves other rates behind.
        let known = std::mem::replace(&mut self.known, false);
        let equation = &mut self.equation;
        equation.begin(system, from)?;
        for stage in 0..=STAGES {
            if stage > 0 {
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
            }
            if stage == STAGES {
                break;
            }
            if stage > 0 || !known {
                equation.accelerate(system)?;
            }
            self.u_rates[stage].copy_from_slice(&equation.u_rate);
            self.v_rates[stage].copy_from_slice(&equation.here.acceleration);
            self.x_rates[stage].copy_from_slice(&equation.x_rate);
        }
        equation.finish(to);
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
        error_order: 0.0,
        dense_output: DenseOutput::Quintic,
        fixed_step_by_default: true,
        controller: ControllerKind::Elementary(Limits {
            safety: 0.9,
            shrink: 0.2,
            grow: 5.0,
        }),
        source: "Kutta 1901; Haug, Negrut, Iancu 1997, section 4, doi:10.1080/08905459708905292",
        use_when: "references with small steps, non-stiff mechanisms with a fixed step",
        avoid_when: "stiff systems, or an error is to be controlled",
    };

    /// The method with a choice of independent coordinates.
    pub fn new(parametrization: Parametrization) -> Self {
        Self {
            parametrization,
            workspace: None,
        }
    }
}

impl Integrator for StateSpaceRk4 {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn start(&mut self, system: &mut Evaluator, state: &State) -> Result<(), StepError> {
        let rates = |length: usize| std::array::from_fn(|_| vec![0.0; length]);
        let name = Self::METHOD.name;
        self.workspace = Some(Workspace {
            equation: StateEquation::new(system, state, name, self.parametrization)?,
            u_rates: rates(state.v.len()),
            v_rates: rates(state.v.len()),
            x_rates: rates(state.x.len()),
            known: state.x.is_empty(),
        });
        Ok(())
    }

    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        _norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        let work = self.workspace.as_mut();
        let work = work.ok_or_else(|| not_started(&Self::METHOD))?;
        with_fresh_coordinates(
            work,
            |work| &mut work.equation.space,
            |work| work.step(system, from, h, to),
        )?;
        Ok(Attempt::without_estimate())
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        _from: &State,
        _h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        system.layout().space.normalize(&mut to.q);
        if let Some(work) = self.workspace.as_mut() {
            work.known = false;
        }
        Ok(())
    }

    fn complete(&mut self, system: &mut Evaluator, state: &mut State) -> Result<(), StepError> {
        if let Some(work) = self.workspace.as_mut()
            && !work.known
        {
            work.equation.here.copy_from(state);
            work.equation.accelerate(system)?;
            work.equation.finish(state);
            work.known = true;
        }
        Ok(())
    }

    fn restart(&mut self, _system: &mut Evaluator, state: &State) -> Result<(), StepError> {
        if let Some(work) = self.workspace.as_mut() {
            work.known = state.x.is_empty();
            work.equation.space.forget();
        }
        Ok(())
    }

    fn work(&self) -> Work {
        self.workspace
            .as_ref()
            .map_or_else(Work::default, |work| work.equation.work())
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
    }
}
