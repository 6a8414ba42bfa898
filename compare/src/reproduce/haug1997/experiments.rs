//! Largest steps, iterations and convergence factors of one mechanism.

use super::mechanisms::Mechanism;
use super::{EXACT, JUDGED, PER_DECADE, QUASI, TOLERANCE};
use crate::error::CommandError;
use crate::experiment::{Case, Choice, Control};
use crate::registry::Registry;
use crate::reproduce::trajectory::{Motion, Rung, Sweep, watched};
use liedae::integrator::{
    ContractionFactors, ContractionGauge, NewmarkConvergence, NewmarkParameters, NewmarkPredictor,
    NewtonOptions, StateSpaceNewmark,
};
use liedae::solve::{iterations_per_step, solve};
use liedae::system::Parametrization;
use serde::Serialize;

/// Where the iteration of a step begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Guess {
    /// At the accelerations of explicit extrapolation, as in section 3.3 of the paper.
    #[serde(rename = "section 3.3")]
    Paper,
    /// At the last accelerations, or those that repeat the last displacement.
    #[serde(rename = "last acceleration")]
    Ours,
}

impl Guess {
    pub const BOTH: [Self; 2] = [Self::Paper, Self::Ours];

    /// In words, for tables and claims.
    pub fn words(self) -> &'static str {
        match self {
            Self::Paper => "first guess of sec. 3.3",
            Self::Ours => "this library's first guess",
        }
    }
}

/// More iterations than any step takes that converges by more than a fifth per iteration.
pub(super) const AMPLE: usize = 50;

/// How a method iterates.
#[derive(Clone, Copy)]
pub(super) struct Iteration {
    pub guess: Guess,
    pub limit: usize,
    pub tolerance: f64,
}

impl Iteration {
    /// The test of the residual, by 1e-10 of the forces.
    pub fn limited(guess: Guess, limit: usize) -> Self {
        Self {
            guess,
            limit,
            tolerance: TOLERANCE,
        }
    }

    fn parameters(self) -> NewmarkParameters {
        NewmarkParameters {
            predictor: match self.guess {
                Guess::Paper => NewmarkPredictor::Extrapolation,
                Guess::Ours => NewmarkPredictor::LastAcceleration,
            },
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

/// Both methods on one mechanism, with one first guess, limit of iterations and tolerance.
#[derive(Clone, Debug)]
pub(super) struct Search {
    pub mechanism: &'static Mechanism,
    pub guess: Guess,
    pub limit: usize,
    /// Of the residual, in parts of the forces.
    pub tolerance: f64,
    pub exact: Sweep,
    pub quasi: Sweep,
}

/// A search as data: steps in s, none where the smallest one tried does not do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct SearchRecord {
    mechanism: &'static str,
    first_guess: Guess,
    limit: usize,
    tolerance: f64,
    /// Largest steps with an error below a tenth of the motion.
    exact_accurate_step: Option<f64>,
    quasi_accurate_step: Option<f64>,
    /// Largest steps of which all equations are solved, and the errors of these runs in parts of the motion and of the
    /// largest coordinate.
    exact_step: Option<f64>,
    quasi_step: Option<f64>,
    exact_error: Option<f64>,
    quasi_error: Option<f64>,
    exact_relative_error: Option<f64>,
    quasi_relative_error: Option<f64>,
    /// Iterations per step, both at the largest step that is accurate with both.
    exact_iterations: Option<f64>,
    quasi_iterations: Option<f64>,
    /// The paper's largest steps.
    published_exact: f64,
    published_quasi: f64,
}

impl Search {
    /// Iterations per step of both at the largest step that is accurate with both, and that step.
    pub fn iterations(&self) -> Option<(f64, [f64; 2])> {
        self.iterations_at(self.exact.accurate()?.step.min(self.quasi.accurate()?.step))
    }

    /// The same at the largest step that works with both and is at most this.
    pub fn iterations_up_to(&self, most: f64) -> Option<(f64, [f64; 2])> {
        let common = self.exact.largest()?.step.min(self.quasi.largest()?.step);
        let rungs = self.exact.rungs().iter();
        let below = rungs.take_while(|rung| rung.step <= most.min(common));
        self.iterations_at(below.last()?.step)
    }

    fn iterations_at(&self, step: f64) -> Option<(f64, [f64; 2])> {
        let both = [self.exact.at(step)?, self.quasi.at(step)?];
        Some((step, both.map(|rung| rung.iterations)))
    }

    /// Whether the limit and the tolerance are those of the figures.
    pub fn is_main(&self) -> bool {
        self.limit == JUDGED && self.tolerance == TOLERANCE
    }

    pub fn record(&self) -> SearchRecord {
        let step = |rung: Option<Rung>| rung.map(|rung| rung.step);
        let [published_exact, published_quasi] = self.mechanism.model.published();
        let iterations = self.iterations().map(|(_, both)| both);
        let (exact, quasi) = (self.exact.largest(), self.quasi.largest());
        SearchRecord {
            mechanism: self.mechanism.title,
            first_guess: self.guess,
            limit: self.limit,
            tolerance: self.tolerance,
            exact_accurate_step: step(self.exact.accurate()),
            quasi_accurate_step: step(self.quasi.accurate()),
            exact_step: step(exact),
            quasi_step: step(quasi),
            exact_error: exact.map(|rung| rung.error),
            quasi_error: quasi.map(|rung| rung.error),
            exact_relative_error: exact.map(|rung| rung.relative),
            quasi_relative_error: quasi.map(|rung| rung.relative),
            exact_iterations: iterations.map(|both| both[0]),
            quasi_iterations: iterations.map(|both| both[1]),
            published_exact,
            published_quasi,
        }
    }
}

/// Figs. 9 to 11: iterations over time.
#[derive(Clone, Debug)]
pub(super) struct Curves {
    pub mechanism: &'static Mechanism,
    pub guess: Guess,
    pub step: f64,
    pub tolerance: f64,
    /// Error of the exact method's run in parts of the motion; none where it fails.
    pub error: Option<f64>,
    pub exact: Curve,
    pub quasi: Curve,
}

/// Iterations of one run.
#[derive(Clone, Debug, Default)]
pub(super) struct Curve {
    /// Of the steps before the failure, if there was one: where each ends in s, and how many.
    pub iterations: Vec<(f64, usize)>,
    /// Per step; none where a step fails.
    pub mean: Option<f64>,
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

/// Largest steps of the implicit and an explicit method on a double pendulum, with an error below a tenth of the motion and
/// without that.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Explicit {
    pub mechanism: &'static str,
    pub first_guess: Guess,
    pub implicit_step: Option<f64>,
    pub explicit_step: Option<f64>,
    /// Of which no step fails.
    pub implicit_largest: Option<f64>,
}

impl Mechanism {
    /// The problem.
    pub fn case(&self) -> Result<Case, CommandError> {
        Registry::standard().case(self.problem, self.settings, Some(self.t_end))
    }

    /// Sweeps of both methods; near those of another search, where there is one.
    pub fn search(
        &'static self,
        motion: &Motion,
        iteration: Iteration,
        known: Option<&Search>,
    ) -> Result<Search, CommandError> {
        let mut case = self.case()?;
        // Extrapolation is far off, and fails, where a step is longer than a time constant.
        let smallest = match iteration.guess {
            Guess::Paper => 1e-5,
            Guess::Ours => 1e-4,
        };
        let mut sweep = |name, known: Option<&Sweep>| -> Result<Sweep, CommandError> {
            let choice = iteration.choice(name)?;
            Ok(match known {
                Some(known) => known.near(&mut case, motion, &choice, (smallest, PER_DECADE)),
                None => Sweep::new(&mut case, motion, &choice, smallest, PER_DECADE),
            })
        };
        Ok(Search {
            mechanism: self,
            guess: iteration.guess,
            limit: iteration.limit,
            tolerance: iteration.tolerance,
            exact: sweep(EXACT, known.map(|known| &known.exact))?,
            quasi: sweep(QUASI, known.map(|known| &known.quasi))?,
        })
    }

    /// Iterations of both methods with this step, solved to this tolerance.
    pub fn curves(
        &'static self,
        motion: &Motion,
        step: f64,
        guess: Guess,
        tolerance: f64,
    ) -> Result<Curves, CommandError> {
        let mut case = self.case()?;
        let iteration = Iteration {
            tolerance,
            ..Iteration::limited(guess, AMPLE)
        };
        let mut error = None;
        let mut curve = |name, error: &mut Option<f64>| -> Result<Curve, CommandError> {
            let mut watch = motion.watch();
            let (run, iterations) = watched(&mut case, &iteration.choice(name)?, step, &mut watch);
            let mean = run.ok().map(|solution| iterations_per_step(&solution));
            *error = mean.map(|_| watch.error());
            Ok(Curve { iterations, mean })
        };
        Ok(Curves {
            mechanism: self,
            guess,
            step,
            tolerance,
            exact: curve(EXACT, &mut error)?,
            quasi: curve(QUASI, &mut None)?,
            error,
        })
    }

    /// The factors of a run with the exact matrix; none if a step fails.
    fn factors(&self, case: &mut Case, step: f64) -> Option<ContractionFactors> {
        let iteration = Iteration::limited(Guess::Ours, AMPLE);
        let gauge = ContractionGauge::default();
        let newmark = StateSpaceNewmark::new(
            true,
            iteration.parameters(),
            Parametrization::default(),
            iteration.newton(),
        )
        .measuring_contraction(&gauge);
        let run = solve(
            case.system(),
            &newmark,
            &Control::Fixed { step }.options(self.t_end, None),
        );
        run.ok().and_then(|_| gauge.factors())
    }

    /// Factors at these steps as far as there are two in the span.
    pub fn convergence(&self, steps: &[f64]) -> Result<Vec<Factor>, CommandError> {
        let mut case = self.case()?;
        let inside = steps.iter().filter(|&&step| step <= 0.5 * self.t_end);
        let factors = inside.map(|&step| {
            let found = self.factors(&mut case, step);
            Factor {
                mechanism: self.title,
                step,
                largest: found.map(|factors| factors.largest),
                mean: found.map(|factors| factors.mean),
            }
        });
        Ok(factors.collect())
    }
}
