//! Largest steps, iterations and convergence factors of one mechanism.

use super::mechanisms::Mechanism;
use super::{ACCURATE, EXACT, PER_DECADE, QUASI};
use crate::error::CommandError;
use crate::experiment::{Case, Choice};
use crate::registry::Registry;
use liedae::integrator::{
    ContractionFactors, ContractionGauge, NewmarkConvergence, NewmarkParameters, NewmarkPredictor,
    NewtonOptions, StateSpaceNewmark,
};
use liedae::solve::{LargestStep, Options, Solution, iterations_per_step, largest_step, solve};
use liedae::system::Parametrization;
use serde::Serialize;

/// Largest steps and iterations of one mechanism under one limit of iterations.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Search {
    pub mechanism: &'static str,
    /// Where an iteration begins.
    pub predictor: &'static str,
    pub limit: usize,
    /// Largest steps in s; none where the smallest one tried fails.
    pub exact_step: Option<f64>,
    pub quasi_step: Option<f64>,
    /// Errors of coordinates at the end of these runs, in parts of the largest displacement.
    pub exact_error: Option<f64>,
    pub quasi_error: Option<f64>,
    /// Largest steps in s of which the error is below a tenth.
    pub exact_accurate_step: Option<f64>,
    pub quasi_accurate_step: Option<f64>,
    /// Iterations per step, both at the quasi-Newton method's largest step.
    pub exact_iterations: Option<f64>,
    pub quasi_iterations: Option<f64>,
    /// The paper's largest steps in s.
    pub published_exact: f64,
    pub published_quasi: f64,
}

/// Iterations at the step of Figs. 9 to 11, which is the paper's largest step of the quasi-Newton method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Comparison {
    pub mechanism: &'static str,
    pub step: f64,
    /// Part of the forces below which the residual ends an iteration.
    pub tolerance: f64,
    /// Iterations per step; none where a step fails.
    pub exact_iterations: Option<f64>,
    pub quasi_iterations: Option<f64>,
}

/// The factor by which an iteration with the quasi-Newton matrix shrinks errors, by step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Factor {
    pub mechanism: &'static str,
    pub step: f64,
    /// Over the steps of a run with the exact matrix; none where it fails.
    pub largest: Option<f64>,
    pub mean: Option<f64>,
}

/// The smallest step tried at which the factor reaches 1 and the quasi-Newton method fails with ample iterations, against the
/// exact method's largest step. (Where the factor is that large at the exact method's solution and the other one succeeds,
/// they have found different solutions of a step's equations.)
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Critical {
    pub mechanism: &'static str,
    /// None if there is none up to the exact method's largest step.
    pub step: Option<f64>,
    pub exact_step: f64,
    pub published_quasi: f64,
}

/// More iterations than any step takes that converges by more than a fifth per iteration.
pub(super) const AMPLE: usize = 50;

/// How a method iterates.
#[derive(Clone, Copy)]
pub(super) struct Iteration {
    pub predictor: NewmarkPredictor,
    pub limit: usize,
    pub tolerance: f64,
}

impl Iteration {
    /// The paper's test of the residual, by 1e-10 of the forces, and this library's first guess.
    pub fn limited(limit: usize) -> Self {
        Self {
            predictor: NewmarkPredictor::LastAcceleration,
            limit,
            tolerance: 1e-10,
        }
    }

    fn parameters(self) -> NewmarkParameters {
        NewmarkParameters {
            predictor: self.predictor,
            convergence: NewmarkConvergence::Residual,
            ..NewmarkParameters::default()
        }
    }

    fn newton(self) -> NewtonOptions {
        NewtonOptions {
            tolerance: Some(self.tolerance),
            max_iterations: self.limit,
        }
    }

    /// A method that iterates like this.
    pub fn choice(self, name: &str) -> Result<Choice, CommandError> {
        let mut choice = Registry::standard().choice(name)?;
        choice.options.newton = Some(self.newton());
        choice.options.newmark = Some(self.parameters());
        Ok(choice)
    }
}

/// Where a mechanism accurately ends up.
pub(super) struct Motion {
    end: Vec<f64>,
    displacement: f64,
}

impl Motion {
    pub fn of(case: &mut Case) -> Result<Self, CommandError> {
        let start = case.system().initial_state().q;
        let options = Options::adaptive(case.t_end, 1e-8, 1e-8);
        let fine = Registry::standard().choice("sdirk4")?.build();
        let end = solve(case.system(), fine.as_ref(), &options)?.state.q;
        let displacement = furthest(&start, &end);
        Ok(Self { end, displacement })
    }

    /// The largest error of a coordinate at the end of a run, in its unit.
    pub fn absolute_error(&self, solution: &Solution) -> f64 {
        furthest(&solution.state.q, &self.end)
    }

    /// The same in parts of the largest displacement.
    pub fn error(&self, solution: &Solution) -> f64 {
        self.absolute_error(solution) / self.displacement
    }
}

/// The largest difference of two configurations; NaN if there is one.
fn furthest(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0_f64, |largest, (a, b)| {
        let off = (a - b).abs();
        if off > largest || off.is_nan() {
            off
        } else {
            largest
        }
    })
}

impl Mechanism {
    /// The problem.
    pub fn case(&self) -> Result<Case, CommandError> {
        Registry::standard().case(self.problem, self.settings, Some(self.t_end))
    }

    fn largest(
        &self,
        case: &mut Case,
        choice: &Choice,
        usable: &mut dyn FnMut(&Solution) -> bool,
    ) -> Option<LargestStep> {
        let integrator = choice.build();
        let (system, integrator) = (case.system(), integrator.as_ref());
        largest_step(
            system, integrator, self.t_end, self.range, PER_DECADE, usable,
        )
    }

    /// Iterations per step with this step, if no step fails.
    fn iterations(&self, case: &mut Case, choice: &Choice, step: f64) -> Option<f64> {
        let integrator = choice.build();
        let options = Options::fixed(self.t_end, step);
        let run = solve(case.system(), integrator.as_ref(), &options);
        run.ok().map(|solution| iterations_per_step(&solution))
    }

    /// Largest steps of both methods, and their iterations at the quasi-Newton method's.
    pub fn search(&self, iteration: Iteration) -> Result<Search, CommandError> {
        let mut case = self.case()?;
        let [exact, quasi] = [iteration.choice(EXACT)?, iteration.choice(QUASI)?];
        let motion = Motion::of(&mut case)?;
        let found_exact = self.largest(&mut case, &exact, &mut |_| true);
        let found_quasi = self.largest(&mut case, &quasi, &mut |_| true);
        let mut accurate = |choice: &Choice| {
            let mut usable = |solution: &Solution| motion.error(solution) <= ACCURATE;
            self.largest(&mut case, choice, &mut usable)
                .map(|found| found.step)
        };
        let [exact_accurate_step, quasi_accurate_step] = [accurate(&exact), accurate(&quasi)];
        let same = found_quasi
            .as_ref()
            .and_then(|found| self.iterations(&mut case, &exact, found.step));
        let [published_exact, published_quasi] = self.published;
        Ok(Search {
            mechanism: self.title,
            predictor: match iteration.predictor {
                NewmarkPredictor::LastAcceleration => "last acceleration",
                NewmarkPredictor::Extrapolation => "extrapolation",
            },
            limit: iteration.limit,
            exact_step: found_exact.as_ref().map(|found| found.step),
            quasi_step: found_quasi.as_ref().map(|found| found.step),
            exact_error: found_exact.map(|found| motion.error(&found.solution)),
            quasi_error: found_quasi
                .as_ref()
                .map(|found| motion.error(&found.solution)),
            exact_accurate_step,
            quasi_accurate_step,
            exact_iterations: same,
            quasi_iterations: found_quasi.map(|found| found.iterations_per_step()),
            published_exact,
            published_quasi,
        })
    }

    /// Iterations of both methods at the paper's step, solved to this tolerance.
    pub fn compare(&self, tolerance: f64) -> Result<Comparison, CommandError> {
        let mut case = self.case()?;
        let iteration = Iteration {
            tolerance,
            ..Iteration::limited(AMPLE)
        };
        let step = self.published[1];
        let [exact, quasi] = [iteration.choice(EXACT)?, iteration.choice(QUASI)?];
        Ok(Comparison {
            mechanism: self.title,
            step,
            tolerance,
            exact_iterations: self.iterations(&mut case, &exact, step),
            quasi_iterations: self.iterations(&mut case, &quasi, step),
        })
    }

    /// The factors of a run with the exact matrix; none if a step fails.
    fn factors(&self, case: &mut Case, step: f64) -> Option<ContractionFactors> {
        let iteration = Iteration::limited(AMPLE);
        let gauge = ContractionGauge::default();
        let newmark = StateSpaceNewmark::new(
            true,
            iteration.parameters(),
            Parametrization::default(),
            iteration.newton(),
        )
        .measuring_contraction(&gauge);
        let run = solve(case.system(), &newmark, &Options::fixed(self.t_end, step));
        run.ok().and_then(|_| gauge.factors())
    }

    /// Factors at these steps as far as they are in the range, and the step at which they reach 1.
    pub fn convergence(
        &self,
        steps: &[f64],
    ) -> Result<(Vec<Factor>, Option<Critical>), CommandError> {
        let mut case = self.case()?;
        let [smallest, largest] = self.range;
        let inside = steps
            .iter()
            .filter(|&&step| step >= smallest && step <= largest);
        let factors = inside
            .map(|&step| {
                let found = self.factors(&mut case, step);
                Factor {
                    mechanism: self.title,
                    step,
                    largest: found.map(|factors| factors.largest),
                    mean: found.map(|factors| factors.mean),
                }
            })
            .collect();
        let [exact, quasi] = [EXACT, QUASI].map(|name| Iteration::limited(AMPLE).choice(name));
        let (exact, quasi) = (exact?, quasi?);
        let Some(LargestStep {
            step: exact_step, ..
        }) = self.largest(&mut case, &exact, &mut |_| true)
        else {
            return Ok((factors, None));
        };
        let grid = (0..).map(|k| smallest * 10.0_f64.powf(f64::from(k) / f64::from(PER_DECADE)));
        let step = grid
            .take_while(|&step| step <= exact_step * (1.0 + 1e-9))
            .find(|&step| {
                let found = self.factors(&mut case, step);
                found.is_some_and(|factors| factors.largest >= 1.0 || factors.largest.is_nan())
                    && self.iterations(&mut case, &quasi, step).is_none()
            });
        let critical = Critical {
            mechanism: self.title,
            step,
            exact_step,
            published_quasi: self.published[1],
        };
        Ok((factors, Some(critical)))
    }
}
