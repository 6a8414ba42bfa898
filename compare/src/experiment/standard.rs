//! States of a problem at sampled moments, from two accurate runs, to measure others against.

use super::{Case, Choice, Control};
use crate::error::CommandError;
use crate::registry::Registry;
use liedae::control::{ErrorNorm, Tolerances};
use liedae::manifold::Manifold;
use liedae::solve::{Observer, Options, Statistics, StepView, solve_observed};
use liedae::system::State;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Moments at which errors are measured, equidistant, the end among them.
pub const SAMPLES: usize = 4;

/// States at the sampled moments.
struct Sampler<'a> {
    times: &'a [f64],
    states: Vec<State>,
    deadline: Option<Instant>,
}

impl Observer for Sampler<'_> {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let tolerance = 1e-9 * self.times.last().copied().unwrap_or_default();
        if let Some(&time) = self.times.get(self.states.len())
            && (step.to.t - time).abs() <= tolerance
        {
            self.states.push(step.to.clone());
        }
        match self.deadline {
            Some(end) if Instant::now() >= end => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn wants_complete_states(&self) -> bool {
        true
    }
}

/// Largest differences in q, v and λ over all samples.
fn differences(space: &Manifold, found: &[State], truth: &[State]) -> [f64; 3] {
    let mut largest = [0.0_f64; 3];
    let mut displacement = vec![0.0; space.dimension()];
    for (found, truth) in found.iter().zip(truth) {
        space.lift(&truth.q, &found.q, &mut displacement);
        let distance = |a: &[f64], b: &[f64]| {
            let squares = a.iter().zip(b).map(|(a, b)| (a - b).powi(2));
            squares.sum::<f64>().sqrt()
        };
        let now = [
            displacement.iter().map(|u| u * u).sum::<f64>().sqrt(),
            distance(&found.v, &truth.v),
            distance(&found.lambda, &truth.lambda),
        ];
        for (largest, now) in largest.iter_mut().zip(now) {
            // A NaN stays.
            if now > *largest || now.is_nan() {
                *largest = now;
            }
        }
    }
    largest
}

/// A problem prepared: sampled states of a reference run, and their uncertainty.
pub struct Standard {
    case: Case,
    times: Vec<f64>,
    truth: Vec<State>,
    uncertainty: [f64; 3],
    sizes: [f64; 3],
}

impl Standard {
    /// Runs two accurate methods of different kind to the end; their difference is the uncertainty.
    pub fn new(problem: &str, t_end: f64) -> Result<Self, CommandError> {
        let mut case = Registry::standard().case::<&str>(problem, &[], Some(t_end))?;
        let start = case.problem.system.initial_state().t;
        let times: Vec<f64> = (1..=SAMPLES)
            .map(|index| start + (t_end - start) * index as f64 / SAMPLES as f64)
            .collect();
        let mut options = Options::adaptive(t_end, 1e-13, 1e-13);
        options.stops.clone_from(&times);
        let [truth, check] = ["mdop5", "hem5"].map(|name| {
            let choice = Registry::standard().choice(name)?;
            sample(&mut case, &choice, &options, &times, None)
        });
        let (truth, check) = (truth?.0, check?.0);
        let space = case.system().layout().space.clone();
        let mut uncertainty = differences(&space, &check, &truth);
        let size = |part: fn(&State) -> &[f64]| {
            let numbers = truth.iter().flat_map(part);
            numbers.fold(1.0_f64, |max, value| max.max(value.abs()))
        };
        let sizes = [
            size(|state| &state.q),
            size(|state| &state.v),
            size(|state| &state.lambda),
        ];
        for (uncertainty, size) in uncertainty.iter_mut().zip(sizes) {
            *uncertainty = uncertainty.max(100.0 * f64::EPSILON * size);
        }
        Ok(Self {
            case,
            times,
            truth,
            uncertainty,
            sizes,
        })
    }

    /// The problem's name.
    pub fn name(&self) -> &'static str {
        self.case.problem.name
    }

    /// Time from start to end in s.
    pub fn span(&self) -> f64 {
        self.case.t_end - self.case.problem.system.initial_state().t
    }

    /// End time in s.
    pub fn t_end(&self) -> f64 {
        self.case.t_end
    }

    /// Which of q, v and λ the problem has.
    pub fn present(&mut self) -> [bool; 3] {
        let layout = self.case.system().layout();
        let moves = layout.dimension() > 0;
        [moves, moves, layout.rows() > 0]
    }

    /// How far the two references are apart in q, v and λ.
    pub fn uncertainty(&self) -> [f64; 3] {
        self.uncertainty
    }

    /// Largest values of q, v and λ.
    pub fn sizes(&self) -> [f64; 3] {
        self.sizes
    }

    /// Largest errors in q, v and λ over the samples, which the steps have to meet.
    pub fn errors(&mut self, choice: &Choice, options: &Options) -> Result<[f64; 3], CommandError> {
        let (found, _) = sample(&mut self.case, choice, options, &self.times, None)?;
        let space = &self.case.system().layout().space;
        Ok(differences(space, &found, &self.truth))
    }

    /// The error at the end in units of the tolerance, as step-size control measures local errors, and what the run
    /// cost; `None` if it was not done within the time limit.
    pub fn error_in_tolerances(
        &mut self,
        choice: &Choice,
        tolerance: f64,
        limit: Duration,
    ) -> Result<Option<(f64, Statistics)>, CommandError> {
        let control = Control::Adaptive {
            rtol: tolerance,
            atol: tolerance,
        };
        let options = choice.driver_options(control, self.case.t_end, None);
        let last = self.times.len() - 1;
        let end = Instant::now() + limit;
        let times = &self.times[last..];
        let (found, statistics) = sample(&mut self.case, choice, &options, times, Some(end))?;
        let (Some(found), Some(truth)) = (found.first(), self.truth.last()) else {
            return Ok(None);
        };
        let layout = self.case.system().layout();
        let tolerances = Tolerances::uniform(tolerance, tolerance);
        let mut norm =
            ErrorNorm::new(&tolerances, layout).map_err(|error| CommandError::Value {
                option: "tolerance",
                value: format!("{tolerance:e}"),
                expected: error.to_string(),
            })?;
        norm.weigh(truth, truth);
        let mut displacement = vec![0.0; layout.dimension()];
        layout.space.lift(&truth.q, &found.q, &mut displacement);
        let difference =
            |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
        let v = difference(&found.v, &truth.v);
        let x = difference(&found.x, &truth.x);
        Ok(Some((
            norm.root_mean_square(&displacement, &v, &x),
            statistics,
        )))
    }
}

/// Runs and keeps the complete states at these times, and what it cost.
fn sample(
    case: &mut Case,
    choice: &Choice,
    options: &Options,
    times: &[f64],
    deadline: Option<Instant>,
) -> Result<(Vec<State>, Statistics), CommandError> {
    let mut sampler = Sampler {
        times,
        states: Vec::with_capacity(times.len()),
        deadline,
    };
    let integrator = choice.build();
    let solution = solve_observed(case.system(), integrator.as_ref(), options, &mut sampler)?;
    Ok((sampler.states, solution.statistics))
}
