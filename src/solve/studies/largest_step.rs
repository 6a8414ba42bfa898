//! The largest constant step that a method can take on a problem.

use crate::integrator::Integrator;
use crate::solve::{Options, Solution, solve};
use crate::system::System;

/// The run with the largest usable step.
///
/// ```
/// use liedae::integrator::{Kicks, NewtonOptions, StormerVerlet};
/// use liedae::prelude::*;
/// use liedae::solve::{LargestStep, largest_step};
///
/// // Störmer and Verlet are stable up to h = 2/ω, which is 0.2 s here.
/// let mut oscillator = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, [x], _v| [x * -100.0]).build()?;
/// let method = StormerVerlet::new(Kicks::Explicit, NewtonOptions::default());
/// let mut bounded = |run: &Solution| run.state.q[0].abs() < 2.0;
/// let found = largest_step(&mut oscillator, &method, 100.0, [0.1, 1.0], 40, &mut bounded);
/// let LargestStep { step, failing, .. } = found.ok_or("it is stable with the smallest step")?;
/// assert!(step < 0.2 && failing.is_some_and(|failing| failing > 0.2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LargestStep {
    /// The step in s.
    pub step: f64,
    /// The run with it.
    pub solution: Solution,
    /// The next larger step that was tried and did not do; `None` if the range ended first.
    pub failing: Option<f64>,
}

impl LargestStep {
    /// Newton iterations per step of the run.
    pub fn iterations_per_step(&self) -> f64 {
        iterations_per_step(&self.solution)
    }
}

/// Newton iterations per accepted step of a run.
pub fn iterations_per_step(solution: &Solution) -> f64 {
    let statistics = &solution.statistics;
    statistics.work.newton_iterations as f64 / statistics.accepted.max(1) as f64
}

/// Searches the largest constant step with which the run to `t_end` succeeds and is found `usable`.
///
/// Steps grow from `smallest` to `largest` by the factor 10^(1 / `per_decade`); the first that fails ends the search, so
/// that all tried steps below the result succeed as well. A run fails when a step does: when Newton's method exceeds the
/// iterations that the method was made with, or the dependent coordinates cannot be solved for. `None` if `smallest`
/// fails already. Costs one run per step size.
///
/// ```
/// use liedae::integrator::{HalfImplicit, NewtonMatrix, NewtonOptions};
/// use liedae::prelude::*;
/// use liedae::solve::largest_step;
///
/// // The largest step with which a pendulum is below its start after a second.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let method = HalfImplicit::new(NewtonMatrix::OncePerStep, NewtonOptions::default());
/// let found = largest_step(&mut pendulum, &method, 1.0, [1e-3, 1.0], 4, &mut |run| run.state.q[1] < 0.0);
/// assert!(found.is_some_and(|found| found.step > 1e-2));
/// # Ok::<(), liedae::system::StatementError>(())
/// ```
pub fn largest_step(
    system: &mut dyn System,
    integrator: &dyn Integrator,
    t_end: f64,
    [smallest, largest]: [f64; 2],
    per_decade: u32,
    usable: &mut dyn FnMut(&Solution) -> bool,
) -> Option<LargestStep> {
    let mut found: Option<LargestStep> = None;
    for index in 0.. {
        let step = smallest * 10.0_f64.powf(f64::from(index) / f64::from(per_decade.max(1)));
        // 1e-9: powers of ten are rounded, and the last one shall be tried.
        if step.is_nan() || step > largest * (1.0 + 1e-9) {
            break;
        }
        let options = Options {
            max_halvings: 0,
            ..Options::fixed(t_end, step)
        };
        let run = solve(system, integrator, &options);
        match run {
            Ok(solution) if usable(&solution) => {
                found = Some(LargestStep {
                    step,
                    solution,
                    failing: None,
                });
            }
            _ => {
                return found.map(|found| LargestStep {
                    failing: Some(step),
                    ..found
                });
            }
        }
    }
    found
}
