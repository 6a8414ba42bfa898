//! Figs. 4 to 8 as data: iterations, factorizations, errors, times.

use super::settings::{
    CHAIN_CPU, CHAIN_STEP, Extent, LIEDAE_METHODS, MECHANISMS, METHODS, chain_tolerances,
    equal_tolerances,
};
use crate::error::CommandError;
use crate::experiment::{Case, Choice, Control, Ladder, Repeat, TimedFailure, converge, timed};
use crate::registry::Registry;
use liedae::integrator::StepError;
use liedae::solve::{SolveError, SolveErrorKind};
use liedae::system::DynamicsError;
use serde::Serialize;
use std::time::Duration;

/// A cell of Figs. 4 to 6, or of Fig. 8: both methods with the same step. Counts are per step, times in s.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cost {
    /// The problem, for the chain with the number of links.
    pub problem: String,
    /// Number of links, for the chain.
    pub links: Option<u32>,
    /// Step in s.
    pub h: f64,
    /// Newton tolerances as run, of h v and h² λ, and of v' and λ.
    pub tolerance_half: f64,
    pub tolerance_fully: f64,
    /// Those of the authors, for Figs. 4 to 6.
    pub paper_tolerance_half: Option<f64>,
    pub paper_tolerance_fully: Option<f64>,
    pub iterations_half: f64,
    pub iterations_fully: f64,
    pub factorizations_half: f64,
    pub factorizations_fully: f64,
    /// With liedae's predictor, and with its point of the Newton matrix.
    pub liedae_iterations_half: f64,
    pub liedae_iterations_fully: f64,
    /// At the tolerances of section 3.1, 1e-10 and 1e-10 / h².
    pub equal_iterations_half: f64,
    pub equal_iterations_fully: f64,
    /// RMS error of the output of Fig. 2, in its unit, for Figs. 4 to 6.
    pub error_half: Option<f64>,
    pub error_fully: Option<f64>,
    pub wall_half_s: f64,
    pub wall_fully_s: f64,
    pub paper_cpu_half_s: Option<f64>,
    pub paper_cpu_fully_s: Option<f64>,
    pub paper_iterations_half: Option<f64>,
    pub paper_iterations_fully: Option<f64>,
}

impl Cost {
    /// How many times longer the fully implicit method takes.
    pub fn ratio(&self) -> f64 {
        self.wall_fully_s / self.wall_half_s
    }

    /// The same in the paper.
    pub fn paper_ratio(&self) -> Option<f64> {
        Some(self.paper_cpu_fully_s? / self.paper_cpu_half_s?)
    }

    /// The error of the fully implicit method over that of the half-implicit one.
    pub fn error_ratio(&self) -> Option<f64> {
        Some(self.error_fully? / self.error_half?)
    }
}

/// Iterations per step on a chain with a pair of Newton tolerances, which the paper does not state for Fig. 8.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ChainIterations {
    pub links: u32,
    pub tolerance_half: f64,
    pub tolerance_fully: f64,
    pub iterations_half: f64,
    pub iterations_fully: f64,
}

/// A method's share of a cell.
struct Share {
    tolerance: f64,
    wall_s: f64,
    /// Per step.
    iterations: f64,
    factorizations: f64,
}

/// How often a tolerance that lies below round-off is loosened, by a factor of ten each time.
const LOOSENED: u32 = 3;

/// For times, which decide nothing.
const REPEATED: Repeat = Repeat {
    budget: Duration::from_millis(300),
    at_most: 5,
    at_least: 1,
};
/// For counts.
const ONCE: Repeat = Repeat {
    budget: Duration::ZERO,
    at_most: 1,
    at_least: 1,
};

/// A method with a Newton tolerance.
pub(super) fn with_tolerance(method: &str, tolerance: f64) -> Result<Choice, CommandError> {
    Choice::parse(&liedae_contact::methods(), method)?.with_options(
        &liedae_contact::methods(),
        None,
        Some(tolerance),
    )
}

/// Wall time and counts per step. Where the iteration stalls at round-off above the tolerance, it is loosened.
fn cost(
    case: &mut Case,
    method: &str,
    tolerance: f64,
    h: f64,
    repeat: Repeat,
) -> Result<Share, CommandError> {
    let options = Control::Fixed { step: h }.options(case.t_end, None);
    let mut attempt = 0;
    loop {
        let loosened = tolerance * 10.0_f64.powi(attempt);
        match timed(case, &with_tolerance(method, loosened)?, &options, repeat) {
            Ok(timed) => {
                let statistics = timed.solution.statistics;
                let per_step = |count: usize| count as f64 / statistics.accepted.max(1) as f64;
                return Ok(Share {
                    tolerance: loosened,
                    wall_s: timed.wall_s(),
                    iterations: per_step(statistics.work.newton_iterations),
                    factorizations: per_step(statistics.work.factorizations),
                });
            }
            Err(TimedFailure { error, .. })
                if attempt.unsigned_abs() < LOOSENED && stalled(&error) =>
            {
                attempt += 1;
            }
            Err(TimedFailure { error, .. }) => return Err(error.into()),
        }
    }
}

fn stalled(error: &SolveError) -> bool {
    matches!(
        &error.kind,
        SolveErrorKind::Step(StepError::Dynamics(DynamicsError::NotConverged { .. }))
    )
}

/// Both methods with a step and their Newton tolerances; errors and the authors' measurements are left open.
fn both(case: &mut Case, h: f64, tolerance: [f64; 2]) -> Result<Cost, CommandError> {
    let equal = equal_tolerances(h);
    let half = cost(case, METHODS[0].0, tolerance[0], h, REPEATED)?;
    let fully = cost(case, METHODS[1].0, tolerance[1], h, REPEATED)?;
    let mut iterations = |method, tolerance| -> Result<f64, CommandError> {
        Ok(cost(case, method, tolerance, h, ONCE)?.iterations)
    };
    Ok(Cost {
        h,
        tolerance_half: half.tolerance,
        tolerance_fully: fully.tolerance,
        iterations_half: half.iterations,
        iterations_fully: fully.iterations,
        factorizations_half: half.factorizations,
        factorizations_fully: fully.factorizations,
        liedae_iterations_half: iterations(LIEDAE_METHODS[0], tolerance[0])?,
        liedae_iterations_fully: iterations(LIEDAE_METHODS[1], tolerance[1])?,
        equal_iterations_half: iterations(METHODS[0].0, equal[0])?,
        equal_iterations_fully: iterations(METHODS[1].0, equal[1])?,
        wall_half_s: half.wall_s,
        wall_fully_s: fully.wall_s,
        problem: case.problem.name.to_owned(),
        ..Cost::default()
    })
}

/// The RMS error of an output with one step and Newton tolerance.
fn error(
    case: &mut Case,
    method: &str,
    tolerance: f64,
    (h, output): (f64, &str),
) -> Result<f64, CommandError> {
    let ladder = Ladder {
        steps: vec![h],
        output: case.output(Some(output))?,
        max_steps: None,
        timed: false,
    };
    let found = converge(case, &with_tolerance(method, tolerance)?, &ladder, |_| ())?;
    Ok(found.points[0].error_rms)
}

/// Figs. 4 to 6.
pub fn costs(extent: &Extent, progress: &mut dyn FnMut(&str)) -> Result<Vec<Cost>, CommandError> {
    let mut cells = Vec::new();
    for mechanism in &MECHANISMS {
        for measured in mechanism
            .measured
            .iter()
            .filter(|measured| measured.h >= extent.smallest_cost_step)
        {
            let h = measured.h;
            progress(&format!(
                "Fig. {}: {}, h = {h:e} s",
                mechanism.cost_figure, mechanism.problem
            ));
            let mut case =
                Registry::standard().case::<&str>(mechanism.problem, &[], Some(extent.t_end))?;
            let cell = both(&mut case, h, measured.tolerance)?;
            let mut error = |method, tolerance| {
                error(&mut case, method, tolerance, (h, mechanism.output)).map(Some)
            };
            cells.push(Cost {
                error_half: error(METHODS[0].0, cell.tolerance_half)?,
                error_fully: error(METHODS[1].0, cell.tolerance_fully)?,
                paper_tolerance_half: Some(measured.tolerance[0]),
                paper_tolerance_fully: Some(measured.tolerance[1]),
                paper_cpu_half_s: Some(measured.cpu_s[0]),
                paper_cpu_fully_s: Some(measured.cpu_s[1]),
                paper_iterations_half: Some(measured.iterations[0]),
                paper_iterations_fully: Some(measured.iterations[1]),
                ..cell
            });
        }
    }
    Ok(cells)
}

/// Fig. 8: chains with the tolerances of section 3.1, and their iterations with several tolerances.
pub struct Chains {
    pub costs: Vec<Cost>,
    pub iterations: Vec<ChainIterations>,
}

/// Figs. 7 and 8.
pub fn chains(extent: &Extent, progress: &mut dyn FnMut(&str)) -> Result<Chains, CommandError> {
    let (mut costs, mut iterations) = (Vec::new(), Vec::new());
    let h = CHAIN_STEP;
    for &links in &extent.links {
        progress(&format!("Fig. 8: chain of {links}"));
        let mut case = Registry::standard().case(
            "chain",
            &[format!("n={links}")],
            Some(extent.chain_t_end),
        )?;
        let paper = CHAIN_CPU.iter().find(|entry| entry.0 == links);
        costs.push(Cost {
            links: Some(links),
            paper_cpu_half_s: paper.map(|entry| entry.1),
            paper_cpu_fully_s: paper.map(|entry| entry.2),
            ..both(&mut case, h, equal_tolerances(h))?
        });
        for [half, fully] in chain_tolerances() {
            let half = cost(&mut case, METHODS[0].0, half, h, ONCE)?;
            let fully = cost(&mut case, METHODS[1].0, fully, h, ONCE)?;
            iterations.push(ChainIterations {
                links,
                tolerance_half: half.tolerance,
                tolerance_fully: fully.tolerance,
                iterations_half: half.iterations,
                iterations_fully: fully.iterations,
            });
        }
    }
    Ok(Chains { costs, iterations })
}
