//! Observed orders of convergence in q, v and λ, of many methods on many problems.

use super::{Case, Choice, slope};
use crate::error::CommandError;
use liedae::integrator::Orders;
use liedae::manifold::Manifold;
use liedae::solve::{Observer, Options, StepView, solve_observed};
use liedae::system::State;
use serde::Serialize;
use std::ops::ControlFlow;

/// Moments at which errors are measured, equidistant, the end among them. All step sizes divide their distance.
pub const SAMPLES: usize = 8;

/// Finest number of steps tried.
const MOST_STEPS: usize = SAMPLES << 10;

/// Errors this many times the uncertainty of the reference are still used.
const ABOVE_UNCERTAINTY: f64 = 30.0;

/// Points that a slope is fitted to: the finest ones above the uncertainty.
const FITTED: usize = 4;

/// Errors below this part of the largest value for every step size are those of the Newton iteration: the constraints
/// alone determine the quantity.
const DETERMINED: f64 = 1e-8;

/// Relative deviation from theory that still agrees with it.
pub const AGREEMENT: f64 = 0.1;

/// A problem and the end of the time over which orders are measured.
pub const PROBLEMS: [(&str, f64); 4] = [
    ("pendulum", 1.0),
    ("heavy-top", 0.1),
    ("four-link", 1.0),
    ("andrews", 0.01),
];

/// What an observed order says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "order")]
pub enum Observed {
    /// The slope over the finest steps above the uncertainty of the reference.
    Order(f64),
    /// Errors are at the level of round-off or of the Newton tolerance for every step size.
    Exact,
    /// There is nothing to measure.
    Absent,
    /// Too few step sizes between failure and round-off.
    Unclear,
}

/// One quantity: its observed order and what theory says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quantity {
    /// What was seen.
    pub observed: Observed,
    /// What the method says about itself.
    pub theory: u8,
    /// Smallest error that was fitted.
    pub smallest_error: Option<f64>,
}

impl Quantity {
    /// Whether the order is at least the theory's, within a tenth.
    pub fn agrees(&self) -> bool {
        match self.observed {
            Observed::Order(order) => order >= (1.0 - AGREEMENT) * f64::from(self.theory),
            Observed::Exact | Observed::Absent => true,
            Observed::Unclear => false,
        }
    }

    /// Whether the order exceeds the theory's by more than a tenth: superconvergence on this problem.
    pub fn exceeds(&self) -> bool {
        matches!(self.observed, Observed::Order(order) if order > (1.0 + AGREEMENT) * f64::from(self.theory))
    }
}

/// One method on one problem.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OrderRow {
    /// The method's name.
    pub method: String,
    /// The problem's name.
    pub problem: String,
    /// Configurations, in local coordinates.
    pub q: Quantity,
    /// Velocities.
    pub v: Quantity,
    /// Multipliers.
    pub lambda: Quantity,
    /// Why it did not run, if it did not.
    pub failure: Option<String>,
}

/// States at the sampled moments.
struct Sampler {
    times: Vec<f64>,
    states: Vec<State>,
}

impl Observer for Sampler {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let tolerance = 1e-9 * self.times.last().copied().unwrap_or_default();
        if let Some(&time) = self.times.get(self.states.len())
            && (step.to.t - time).abs() <= tolerance
        {
            self.states.push(step.to.clone());
        }
        ControlFlow::Continue(())
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
            if !(now <= *largest) {
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
        let mut case = Case::new::<&str>(problem, &[], Some(t_end))?;
        let start = case.problem.system.initial_state().t;
        let times: Vec<f64> = (1..=SAMPLES)
            .map(|index| start + (t_end - start) * index as f64 / SAMPLES as f64)
            .collect();
        let mut options = Options::adaptive(t_end, 1e-13, 1e-13);
        options.stops.clone_from(&times);
        let [first, second] = [("mdop5", ()), ("hem5", ())].map(|(name, ())| {
            let choice = Choice::new(name, None, None)?;
            sample(&mut case, &choice, &options, &times)
        });
        let (truth, check) = (first?, second?);
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

    /// Measures one method on the ladder of steps.
    pub fn measure(&mut self, choice: &Choice, theory: Orders) -> OrderRow {
        let space = self.case.system().layout().space.clone();
        let start = self.case.problem.system.initial_state().t;
        let span = self.case.t_end - start;
        let mut errors: Vec<(f64, [f64; 3])> = Vec::new();
        let mut failure = None;
        let mut count = SAMPLES;
        while count <= MOST_STEPS {
            let h = span / count as f64;
            let options = Options::fixed(self.case.t_end, h);
            match sample(&mut self.case, choice, &options, &self.times) {
                Ok(found) => {
                    let now = differences(&space, &found, &self.truth);
                    errors.push((h, now));
                    let floor = |index: usize| ABOVE_UNCERTAINTY * self.uncertainty[index];
                    if (0..3).all(|index| now[index] <= floor(index)) && errors.len() >= FITTED {
                        break;
                    }
                }
                // Large steps may fail.
                Err(error) => failure = Some(error.to_string()),
            }
            count *= 2;
        }
        let layout = self.case.system().layout();
        let present = [
            layout.dimension() > 0,
            layout.dimension() > 0,
            layout.rows() > 0,
        ];
        let theories = [theory.q, theory.v, theory.lambda];
        let quantities: [Quantity; 3] = std::array::from_fn(|index| {
            let floor = ABOVE_UNCERTAINTY * self.uncertainty[index];
            let usable: Vec<(f64, f64)> = errors
                .iter()
                .map(|(h, errors)| (*h, errors[index]))
                .filter(|(_, error)| *error > floor && error.is_finite())
                .collect();
            let determined = errors
                .iter()
                .all(|(_, errors)| errors[index] <= DETERMINED * self.sizes[index]);
            let fitted = &usable[usable.len().saturating_sub(FITTED)..];
            let observed = if !present[index] {
                Observed::Absent
            } else if errors.is_empty() {
                Observed::Unclear
            } else if determined || usable.is_empty() {
                Observed::Exact
            } else if fitted.len() < 3 {
                Observed::Unclear
            } else {
                slope(fitted.iter().copied()).map_or(Observed::Unclear, Observed::Order)
            };
            Quantity {
                observed,
                theory: theories[index],
                smallest_error: fitted.last().map(|(_, error)| *error),
            }
        });
        let [q, v, lambda] = quantities;
        OrderRow {
            method: choice.label(),
            problem: self.case.problem.name.to_owned(),
            q,
            v,
            lambda,
            failure: if errors.is_empty() { failure } else { None },
        }
    }
}

/// Runs and keeps the complete states at these times.
fn sample(
    case: &mut Case,
    choice: &Choice,
    options: &Options,
    times: &[f64],
) -> Result<Vec<State>, CommandError> {
    let mut sampler = Sampler {
        times: times.to_vec(),
        states: Vec::with_capacity(times.len()),
    };
    let mut integrator = choice.build();
    solve_observed(case.system(), integrator.as_mut(), options, &mut sampler)?;
    Ok(sampler.states)
}
