//! Largest steps, iterations and convergence factors of one mechanism.

use super::mechanisms::Mechanism;
use super::{FV, IMPL, JUDGED, PER_DECADE, TOLERANCE};
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

/// The predictor: where the iteration of a step begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Predictor {
    /// The accelerations of explicit extrapolation, as in section 3.3 of the paper.
    #[serde(rename = "section 3.3")]
    Paper,
    /// liedae's default: the last accelerations, or those that repeat the last displacement.
    #[serde(rename = "liedae")]
    Liedae,
}

impl Predictor {
    pub const BOTH: [Self; 2] = [Self::Paper, Self::Liedae];

    /// In a column of predictors.
    pub fn short(self) -> &'static str {
        match self {
            Self::Paper => "sec. 3.3",
            Self::Liedae => "liedae",
        }
    }

    /// In words, for claims and charts.
    pub fn words(self) -> &'static str {
        match self {
            Self::Paper => "predictor (sec. 3.3)",
            Self::Liedae => "predictor (liedae)",
        }
    }
}

/// More iterations than any step takes that converges by more than a fifth per iteration.
pub(super) const AMPLE: usize = 50;

/// How a method iterates.
#[derive(Clone, Copy)]
pub(super) struct Iteration {
    pub predictor: Predictor,
    pub limit: usize,
    pub tolerance: f64,
}

impl Iteration {
    /// The test of the residual, by 1e-10 of the forces.
    pub fn limited(predictor: Predictor, limit: usize) -> Self {
        Self {
            predictor,
            limit,
            tolerance: TOLERANCE,
        }
    }

    fn parameters(self) -> NewmarkParameters {
        NewmarkParameters {
            predictor: match self.predictor {
                Predictor::Paper => NewmarkPredictor::Extrapolation,
                Predictor::Liedae => NewmarkPredictor::LastAcceleration,
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

/// Both methods on one mechanism, with one predictor, limit of iterations and tolerance.
#[derive(Clone, Debug)]
pub(super) struct Search {
    pub mechanism: &'static Mechanism,
    pub predictor: Predictor,
    pub limit: usize,
    /// Of the residual, relative to the forces.
    pub tolerance: f64,
    /// IMPL, with the exact Jacobian.
    pub exact: Sweep,
    /// FV, the quasi-Newton method.
    pub quasi: Sweep,
}

/// A search as data: steps in s, none where the smallest one tried does not do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct SearchRecord {
    mechanism: &'static str,
    predictor: Predictor,
    limit: usize,
    tolerance: f64,
    /// Largest steps with an error below a tenth of the motion.
    impl_accurate_step: Option<f64>,
    fv_accurate_step: Option<f64>,
    /// Largest steps of which all equations are solved, and the errors of these runs relative to the range of motion and to the
    /// largest coordinate.
    impl_step: Option<f64>,
    fv_step: Option<f64>,
    impl_error: Option<f64>,
    fv_error: Option<f64>,
    impl_relative_error: Option<f64>,
    fv_relative_error: Option<f64>,
    /// Iterations per step, both at the largest step that is accurate with both.
    impl_iterations: Option<f64>,
    fv_iterations: Option<f64>,
    /// The paper's largest steps.
    published_impl: f64,
    published_fv: f64,
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
        let [published_impl, published_fv] = self.mechanism.model.published();
        let iterations = self.iterations().map(|(_, both)| both);
        let (exact, quasi) = (self.exact.largest(), self.quasi.largest());
        SearchRecord {
            mechanism: self.mechanism.title,
            predictor: self.predictor,
            limit: self.limit,
            tolerance: self.tolerance,
            impl_accurate_step: step(self.exact.accurate()),
            fv_accurate_step: step(self.quasi.accurate()),
            impl_step: step(exact),
            fv_step: step(quasi),
            impl_error: exact.map(|rung| rung.error),
            fv_error: quasi.map(|rung| rung.error),
            impl_relative_error: exact.map(|rung| rung.relative),
            fv_relative_error: quasi.map(|rung| rung.relative),
            impl_iterations: iterations.map(|both| both[0]),
            fv_iterations: iterations.map(|both| both[1]),
            published_impl,
            published_fv,
        }
    }
}

/// Figs. 9 to 11: iterations over time.
#[derive(Clone, Debug)]
pub(super) struct Curves {
    pub mechanism: &'static Mechanism,
    pub predictor: Predictor,
    pub step: f64,
    pub tolerance: f64,
    /// Error of the exact method's run relative to the range of motion; none where it fails.
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
    pub predictor: Predictor,
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
        let smallest = match iteration.predictor {
            Predictor::Paper => 1e-5,
            Predictor::Liedae => 1e-4,
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
            predictor: iteration.predictor,
            limit: iteration.limit,
            tolerance: iteration.tolerance,
            exact: sweep(IMPL, known.map(|known| &known.exact))?,
            quasi: sweep(FV, known.map(|known| &known.quasi))?,
        })
    }

    /// Iterations of both methods with this step, solved to this tolerance.
    pub fn curves(
        &'static self,
        motion: &Motion,
        step: f64,
        predictor: Predictor,
        tolerance: f64,
    ) -> Result<Curves, CommandError> {
        let mut case = self.case()?;
        let iteration = Iteration {
            tolerance,
            ..Iteration::limited(predictor, AMPLE)
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
            predictor,
            step,
            tolerance,
            exact: curve(IMPL, &mut error)?,
            quasi: curve(FV, &mut None)?,
            error,
        })
    }

    /// The factors of a run with the exact matrix; none if a step fails.
    fn factors(&self, case: &mut Case, step: f64) -> Option<ContractionFactors> {
        let iteration = Iteration::limited(Predictor::Liedae, AMPLE);
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
