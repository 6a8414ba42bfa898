//! The motion along which errors are measured, runs that count the iterations of every step, and sweeps over steps.

use super::probe::logged;
use crate::error::CommandError;
use crate::experiment::{Case, Choice, Control};
use crate::registry::Registry;
use liedae::solve::{
    Observer, Options, Recorder, Solution, SolveError, StepView, iterations_per_step,
    solve_observed,
};
use liedae::system::State;
use std::ops::ControlFlow;

/// Samples of the accurate motion: between two of them the coordinates are straight to 3e-5 of the motion, at the fast start.
const SAMPLES: usize = 4001;

/// Errors relative to the range of motion below which a solution is judged.
pub(super) const ACCURATE: f64 = 0.1;

/// How a mechanism accurately moves.
pub(super) struct Motion {
    states: Vec<State>,
    t_end: f64,
    /// The largest displacement of a coordinate from the start.
    displacement: f64,
}

impl Motion {
    pub fn of(case: &mut Case) -> Result<Self, CommandError> {
        let t_end = case.t_end;
        let options = Options::adaptive(t_end, 1e-8, 1e-8);
        let fine = Registry::standard().choice("sdirk4")?.build();
        let mut recorder = Recorder::equidistant(0.0, t_end, SAMPLES);
        solve_observed(case.system(), fine.as_ref(), &options, &mut recorder)?;
        let states = recorder.states;
        let displacement = states.iter().map(|state| furthest(&state.q, &states[0].q));
        let displacement = displacement.fold(0.0, f64::max);
        Ok(Self {
            states,
            t_end,
            displacement,
        })
    }

    /// The largest error of a coordinate at `t`, in its unit; NaN if there is one.
    fn error(&self, t: f64, q: &[f64]) -> f64 {
        let place = (t / self.t_end).clamp(0.0, 1.0) * (SAMPLES - 1) as f64;
        let before = (place.floor() as usize).min(SAMPLES - 2);
        let share = place - before as f64;
        let [a, b] = [&self.states[before].q, &self.states[before + 1].q];
        let errors = q.iter().zip(a.iter().zip(b));
        largest(errors.map(|(q, (a, b))| (q - (a + share * (b - a))).abs()))
    }

    /// An observer of runs.
    pub fn watch(&self) -> Watch<'_> {
        Watch {
            motion: self,
            error: 0.0,
            relative: 0.0,
        }
    }
}

/// The largest of these; NaN if one is.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0_f64, |largest, value| {
        if value > largest || value.is_nan() {
            value
        } else {
            largest
        }
    })
}

/// The largest difference of two configurations; NaN if there is one.
fn furthest(a: &[f64], b: &[f64]) -> f64 {
    largest(a.iter().zip(b).map(|(a, b)| (a - b).abs()))
}

/// Looks at the ends of all steps.
pub(super) struct Watch<'m> {
    motion: &'m Motion,
    error: f64,
    relative: f64,
}

impl Watch<'_> {
    /// The largest error of a coordinate at the end of any step, relative to the range of motion.
    pub fn error(&self) -> f64 {
        self.error / self.motion.displacement
    }

    /// The same relative to the coordinate that moves most, about as the paper's Rel-Err.
    pub fn relative_error(&self) -> f64 {
        self.relative
    }
}

impl Observer for Watch<'_> {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let error = self.motion.error(step.to.t, &step.to.q);
        self.error = largest([self.error, error].into_iter());
        let size = largest(step.to.q.iter().map(|q| q.abs()));
        self.relative = largest([self.relative, error / size].into_iter());
        ControlFlow::Continue(())
    }
}

/// A run with fixed steps that is watched, and the Newton iterations of its steps, by the time at which they end in s: of those before
/// it failed if it did.
pub(super) fn watched(
    case: &mut Case,
    choice: &Choice,
    step: f64,
    watch: &mut Watch,
) -> (Result<Solution, SolveError>, Vec<(f64, usize)>) {
    let options = Control::Fixed { step }.options(case.t_end, None);
    let (result, log) = logged(case, choice, &options, watch);
    (result, log.iterations)
}

/// A run with one step size that did not fail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rung {
    pub step: f64,
    /// Largest error of a coordinate at the end of a step, relative to the range of motion.
    pub error: f64,
    /// The same relative to the largest coordinate.
    pub relative: f64,
    pub iterations: f64,
    pub factorizations: usize,
}

/// How much smaller than a known step the first step of another sweep is.
const NEAR: f64 = 5.0;

/// Runs with ever larger steps, up to the first that fails.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sweep(Vec<Rung>);

impl Sweep {
    /// Runs with steps from `smallest` to half the span, so many per decade.
    pub fn new(
        case: &mut Case,
        motion: &Motion,
        choice: &Choice,
        smallest: f64,
        per_decade: f64,
    ) -> Self {
        Self::beginning(case, motion, choice, (smallest, per_decade), smallest)
    }

    /// The same grid of steps, those below `first` left out.
    fn beginning(
        case: &mut Case,
        motion: &Motion,
        choice: &Choice,
        (smallest, per_decade): (f64, f64),
        first: f64,
    ) -> Self {
        let grid = (0..).map(|k| smallest * 10.0_f64.powf(f64::from(k) / per_decade));
        let grid = grid.skip_while(|step| *step < first);
        let most = 0.5 * case.t_end * (1.0 + 1e-9);
        let rungs = grid.take_while(|step| *step <= most).map_while(|step| {
            let mut watch = motion.watch();
            let (run, _) = watched(case, choice, step, &mut watch);
            let solution = run.ok()?;
            Some(Rung {
                step,
                error: watch.error(),
                relative: watch.relative_error(),
                iterations: iterations_per_step(&solution),
                factorizations: solution.statistics.work.factorizations,
            })
        });
        Self(rungs.collect())
    }

    /// The same grid with another choice, whose largest steps are expected near those of a sweep: much smaller ones are tried only where
    /// those fail.
    pub fn near(
        &self,
        case: &mut Case,
        motion: &Motion,
        choice: &Choice,
        grid: (f64, f64),
    ) -> Self {
        let known = self.accurate().or(self.largest());
        let first = known.map_or(grid.0, |rung| rung.step / NEAR);
        let found = Self::beginning(case, motion, choice, grid, first);
        match found.accurate() {
            Some(_) => found,
            None => Self::beginning(case, motion, choice, grid, grid.0),
        }
    }

    /// All runs, by rising steps.
    pub fn rungs(&self) -> &[Rung] {
        &self.0
    }

    /// The largest step that does not fail.
    pub fn largest(&self) -> Option<Rung> {
        self.0.last().copied()
    }

    /// The largest step up to which all solutions are accurate.
    pub fn accurate(&self) -> Option<Rung> {
        let accurate = self.0.iter().take_while(|rung| rung.error <= ACCURATE);
        accurate.last().copied()
    }

    /// The same among steps up to `most`, so that errors are seen at the ends of several.
    pub fn accurate_up_to(&self, most: f64) -> Option<Rung> {
        let accurate = self.0.iter().take_while(|rung| rung.error <= ACCURATE);
        accurate.filter(|rung| rung.step <= most).last().copied()
    }

    /// The run with the step of another sweep.
    pub fn at(&self, step: f64) -> Option<Rung> {
        self.0.iter().find(|rung| rung.step == step).copied()
    }
}
