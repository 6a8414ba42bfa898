//! Extrapolation of the half-explicit midpoint rule for the index-2 form, of variable order.

mod order;
mod rows;

use super::{
    Attempt, DenseOutput, Integrator, Kind, Method, Orders, StepError, StepSizes, Stepper, Work,
    require_index,
};
use crate::control::{ControllerKind, ErrorNorm, Limits};
use crate::integrator::shared::projection::{ProjectedLevels, Projection, Projections};
use crate::scalar::larger_or_second;
use crate::system::{AccelerationSolver, Evaluator, Projector, State};
use order::{Decision, OrderChoice, error_order};
use rows::{Midpoint, ROWS, Table, substeps};

/// Extrapolation of the half-explicit midpoint rule on the index-2 form, of order up to 12, with projection.
///
/// The base method takes n substeps of size η = h/n, in local coordinates u around q_n (u' = dexp⁻¹(u) v), so that it
/// runs on Lie groups unchanged. Substep i solves for acceleration and multiplier such that the velocity constraint
/// holds at the next one; the first is one of Euler's method (η in place of 2 η):
///
/// ```text
/// u_{i+1} = u_{i-1} + 2 η u'_i,   v_{i+1} = v_{i-1} + 2 η v'_i,   x_{i+1} = x_{i-1} + 2 η x'_i
/// M(u_i) v'_i = f(u_i, v_i, x_i) + G(u_i)ᵀ λ_i,   G(u_{i+1}) v_{i+1} + ∂g/∂t = 0
/// ```
///
/// It is symmetric and linear in λ, and its error has an expansion in η². With n = 2, 4, 6, ... substeps
///
/// ```text
/// T_j1 = y(n_j),   T_j,k+1 = T_jk + (T_jk - T_j-1,k) / ((n_j / n_j-k)² - 1)
/// ```
///
/// T_jj has order 2j in q and v. Order and step size follow from the work per unit step. Extrapolated positions and velocities
/// violate the constraints by the local error and are projected when the options say so; multipliers and accelerations of
/// finished states come from the index-1 form and inherit the order.
///
/// The estimate is the larger one of T_jj - T_j-1,j-1 and what Gragg's smoothing would change:
///
/// ```text
/// S_j1 = (y_{n-1} + 2 y_n + y_{n+1}) / 4,   estimate: T_jj - T_j-1,j-1 and S_jj - T_jj
/// ```
///
/// T has not seen the forces at the end of the step, S has: T alone left a contact spring with an error of 1e-4 m/s at
/// a tolerance of 1e-9, since nothing but the end of the step was outside. Each row takes one substep beyond the end for
/// that, unless there are constraint rows and it would be beyond the next time event or the end of the run. Row j costs
/// 2j + 1 factorizations and force evaluations, and orders 4, 6, 8, 10, 12 cost 8, 15, 24, 35, 48 in all.
///
/// With constant steps there is no tolerance to choose an order by: then it takes four rows and has order 8;
/// [`with_rows`](Self::with_rows) fixes another order. Where algebraic variables depend on multipliers other than
/// linearly (friction by the length of a normal force), the expansion in η² is not proven: order 7.3 was measured for four
/// rows (`cargo test --release -p liedae --test suite observed_order::friction`).
///
/// Use it for high accuracy on smooth mechanisms; not for stiff springs or dampers, nor for many events or dense
/// output: quintic interpolation over its long steps is less accurate than its results.
///
/// Sources: Ch. Lubich, Impact Comput. Sci. Eng. 1 (1989) 260-268 (h²-extrapolation for index 2; Academic Press, ISSN
/// 0899-8248); A. Ostermann, IMA J. Numer. Anal. 10 (1990) 171-180, doi:10.1093/imanum/10.2.171; Lubich, Engstler, Nowak,
/// Pöhle, Mech. Struct. Mach. 23 (1995) 473-495 (MEXX; report SC 92-12 of the Zuse Institute Berlin); Hairer,
/// Nørsett, Wanner, Solving Ordinary Differential Equations I, II.9 (control of order and step size), doi:10.1007/978-3-540-78862-1.
/// Measured with `liedae run andrews --method extrapolation --rtol 1e-10 --atol 1e-10` and other tolerances; the error is
/// that of the angle beta at the end:
///
/// ```text
/// tolerance   steps   force evaluations   error         hem5: steps   evaluations   error
/// 1e-6        32      1320                4.0e-6        189           1876          1.7e-8
/// 1e-8        38      1761                1.8e-10       492           4236          1.1e-10
/// 1e-10       48      2594                1.8e-10       1261          10276         6.6e-12
/// 1e-12       71      3686                5.5e-14       3204          25724         5.3e-14
/// ```
///
/// There the error at the end is within 47 times the tolerance. With T_jj - T_j,j-1 as estimate it was 1900 times the
/// tolerance at 1e-10: single long steps, on which the table does not converge, had local errors of 5 tolerances (260 at
/// 1e-4) with estimates below 1, and the motion makes up to 800 times as much of them until the end
/// (`cargo run --release -p liedae-problems --example local_errors -- andrews 0.03 extrapolation 1e-4 1e-6 1e-8 1e-10`).
///
/// ```
/// use liedae::integrator::Extrapolation;
/// use liedae::prelude::*;
///
/// // A pendulum of 1 m, swung for a second: ten digits in a few long steps.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let run = solve(&mut pendulum, &Extrapolation::default(), &Options::adaptive(1.0, 1e-10, 1e-10))?;
/// assert!((run.state.q[0] + 0.986_291_751_13).abs() < 1e-10);
/// assert!(run.statistics.accepted < 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Extrapolation {
    projection: Projection,
    rows: Option<usize>,
}

/// [`Extrapolation`] at work.
struct ExtrapolationStepper {
    rows: Option<usize>,
    solver: AccelerationSolver,
    projections: Projections,
    midpoint: Midpoint,
    table: Table,
    /// What Gragg's smoothing of each row would change.
    smoothing: Table,
    /// As it was before the step that is tried, and behind it.
    choice: OrderChoice,
    tried: OrderChoice,
    complete: bool,
}

/// Rows of a step whose size nobody controls.
const CONSTANT_ROWS: usize = 4;

impl Extrapolation {
    /// What the method is.
    pub const METHOD: Method = Method {
        name: "extrapolation",
        title: "extrapolated half-explicit midpoint rule, variable order",
        kind: Kind::HalfExplicit,
        index: 2,
        orders: Orders {
            q: 8,
            v: 8,
            lambda: 8,
        },
        error_order: 7.0,
        dense_output: DenseOutput::Quintic,
        captures_events: false,
        fixed_step_by_default: false,
        controller: ControllerKind::Elementary(Limits {
            safety: 0.9,
            shrink: 0.1,
            grow: 10.0,
        }),
        source: "Lubich 1989, Impact Comput. Sci. Eng. 1, 260-268, ISSN 0899-8248; Ostermann 1990, \
                 doi:10.1093/imanum/10.2.171; order control: Hairer, Nørsett, Wanner, Solving Ordinary Differential \
                 Equations I, II.9, doi:10.1007/978-3-540-78862-1",
        use_when: "high accuracy on smooth, non-stiff mechanisms",
        avoid_when: "stiff springs or dampers, many events, dense output",
    };

    /// The method with a projection rule.
    pub fn new(projection: Projection) -> Self {
        Self {
            projection,
            rows: None,
        }
    }

    /// The same with a constant number of rows, of order 2 `rows`; between 2 and 7, the nearest number is taken.
    pub fn with_rows(projection: Projection, rows: usize) -> Self {
        Self {
            rows: Some(rows.clamp(2, ROWS)),
            ..Self::new(projection)
        }
    }
}

impl Integrator for Extrapolation {
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
        Ok(Box::new(ExtrapolationStepper {
            rows: self.rows,
            solver: AccelerationSolver::new(layout).map_err(linear)?,
            projections,
            midpoint: Midpoint::new(state),
            table: Table::new(2 * state.v.len() + state.x.len()),
            smoothing: Table::new(2 * state.v.len() + state.x.len()),
            choice: OrderChoice::new(),
            tried: OrderChoice::new(),
            complete: true,
        }))
    }
}

impl Stepper for ExtrapolationStepper {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        let constant = self
            .rows
            .or_else(|| (!norm.is_binding()).then_some(CONSTANT_ROWS));
        to.acceleration.copy_from_slice(&from.acceleration);
        to.lambda.copy_from_slice(&from.lambda);
        to.z.copy_from_slice(&from.z);
        // The rows of a substep are those of its end, which is behind the step: there they may be others.
        let first_substep = h / substeps(1) as f64;
        let is_within = from.t + h + first_substep <= system.horizon();
        let smooths = constant.is_none() && (is_within || system.layout().rows() == 0);
        let n = from.v.len();
        self.table.clear();
        self.smoothing.clear();
        // The same step may be taken several times, in search of events: each begins with what is known from the steps before.
        self.tried = self.choice.clone();
        let mut row = 0;
        loop {
            row += 1;
            let count = substeps(row);
            let (midpoint, solver) = (&mut self.midpoint, &mut self.solver);
            self.table
                .push(midpoint.run(system, solver, from, h, count)?);
            if smooths {
                self.smoothing
                    .push(midpoint.smooth(system, solver, from, h, count)?);
            }
            // One row alone has no error.
            if row < 2 {
                continue;
            }
            let best = self.table.best();
            system
                .layout()
                .space
                .retract(&from.q, &best[..n], &mut to.q);
            to.v.copy_from_slice(&best[n..2 * n]);
            to.x.copy_from_slice(&best[2 * n..]);
            norm.weigh(from, to);
            // T_jj - T_j-1,j-1 and S_jj - T_jj.
            let changes = [self.table.difference(), self.smoothing.best()];
            let [difference, smoothing] = changes.map(|change| {
                let (u, rest) = change.split_at(n);
                let (v, x) = rest.split_at(n);
                norm.root_mean_square(u, v, x)
            });
            let error = if smooths {
                larger_or_second(smoothing, difference)
            } else {
                difference
            };
            let decision = match constant {
                Some(rows) if row < rows => Decision::GoOn,
                Some(rows) => Decision::End {
                    error,
                    order: error_order(rows),
                },
                None => self.tried.judge(row, error),
            };
            if let Decision::End {
                error: expected,
                order,
            } = decision
            {
                // A step that is refused is tried again with the order that follows from it.
                if error.is_nan() || error > 1.0 {
                    self.choice = self.tried.clone();
                }
                return Ok(Attempt::with_error(error).with_outlook(expected, order));
            }
        }
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        _from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        self.choice = self.tried.clone();
        // Many retractions leave rotations orthogonal up to round-off only.
        system.layout().space.normalize(&mut to.q);
        let levels = ProjectedLevels::Both;
        (self.projections).project(system, (to, h), levels, None)?;
        // The accelerations and multipliers of the end have not been solved for yet.
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
        // Behind an event the history of errors says nothing about the order.
        self.choice = OrderChoice::new();
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
