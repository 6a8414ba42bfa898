//! Sensitivity of the end of a run, to a small change of its start and to smaller local errors: how far the result can be
//! trusted.

use super::{Control, Energy, Pass, RunReport, RunRequest, Watched};
use crate::output::Named;
use liedae::solve::{Observer, Options, Solution, SolveError, StepView, solve_from};
use liedae::system::{
    ConsistencyError, EvaluationError, Evaluator, EventHandling, Layout, State, System,
    project_initial_state,
};
use serde::Serialize;
use std::ops::ControlFlow;
use thiserror::Error;

/// The start is changed by this share of the tolerance: enough to stand out of what the step-size control does by itself,
/// too little to matter by its own size.
const SHARE: f64 = 1e-3;

/// With fixed steps, and as the smallest of all changes, so that it stands out of the round-off.
const SMALLEST_CHANGE: f64 = 1e-12;

/// A fixed step says nothing about the accuracy that is wanted; the start is then changed by this.
const CHANGE_WITH_FIXED_STEPS: f64 = 1e-9;

/// Runs with smaller steps take more of them.
const MORE_STEPS: usize = 10;

/// Tolerances below this cannot be made smaller: the round-off would be seen. They are made larger.
const TIGHT: f64 = 1e-12;

/// An end is good if it moves by less than so many tolerances, and if what happens on the way is amplified by less.
/// Global errors of up to a hundred tolerances are usual.
pub const BOUND: f64 = 1000.0;

/// With fixed steps: an end is good if half the step moves it by less than this share of its size.
pub const BOUND_WITH_FIXED_STEPS: f64 = 1e-2;

/// What a tiny change at the start became.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Perturbed {
    /// The largest change of a component of the initial state, relative to its size.
    pub initial_change: f64,
    /// The largest change of an output at the end, relative to its size.
    pub end_change: f64,
    /// The ratio of the two.
    pub amplification: f64,
    /// The output that changed most.
    pub output: String,
}

/// What smaller errors on the way change.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refined {
    /// The tolerances or the step of the other run.
    pub control: Control,
    /// The largest change of an output at the end, relative to its size.
    pub end_change: f64,
    /// The output that changed most.
    pub output: String,
    /// Decimal digits that both ends share, of all outputs.
    pub digits: u32,
    /// Absolute changes of all outputs.
    pub changes: Named<f64>,
    /// Largest absolute values of all outputs over the run.
    pub sizes: Named<f64>,
}

/// How far the end of a run can be trusted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EndCheck {
    /// From another start; null where there is none or its run failed.
    pub perturbed: Option<Perturbed>,
    /// With another tolerance or step; null where that run failed.
    pub refined: Option<Refined>,
    /// Whether the end is within the bounds.
    pub good: bool,
    /// What could not be looked at, and why.
    pub missing: Vec<String>,
}

/// A run to compare with could not be had.
#[derive(Debug, Error)]
enum Missing {
    #[error("{0}")]
    Start(#[from] ConsistencyError),
    #[error("{0}")]
    Evaluation(#[from] EvaluationError),
    #[error("{0}")]
    Solve(String),
    #[error("it ended otherwise ({0})")]
    Otherwise(String),
    #[error("states of E x' = d with algebraic rows cannot be changed without violating them")]
    Algebraic,
}

/// The largest absolute values of all outputs over a run.
struct Sizes {
    largest: Vec<f64>,
    values: Vec<f64>,
}

impl Sizes {
    fn see(&mut self, system: &mut Evaluator, state: &State) {
        // What cannot be evaluated on the way has no size; the end is asked for again.
        if system.outputs(state, &mut self.values).is_ok() {
            for (largest, value) in self.largest.iter_mut().zip(&self.values) {
                *largest = largest.max(value.abs());
            }
        }
    }
}

impl Observer for Sizes {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let t = step.to.t;
        let (state, system) = step.at_with_system(t);
        system.uncounted(|system| self.see(system, state));
        ControlFlow::Continue(())
    }

    fn wants_complete_states(&self) -> bool {
        true
    }
}

/// Repeats a run that is done from a start that is changed a little, and with smaller errors on the way.
pub fn check_end(request: &mut RunRequest, report: &RunReport) -> EndCheck {
    let scale = request.case.problem.absolute_scale;
    let mut missing = Vec::new();
    let (other, relative) = other_control(request.control);
    let mut options = request.options_under(other);
    options.max_steps = options.max_steps.saturating_mul(MORE_STEPS);
    request.watch.begin(Pass::Checking);
    let start = request.case.system().initial_state();
    let refined = match end_of(request, report, start, &options) {
        Ok(found) => {
            let (end_change, output) = found.largest_change(report, scale);
            Some(Refined {
                control: other,
                end_change,
                output,
                digits: digits(end_change),
                changes: found.changes(report),
                sizes: found.sizes(report),
            })
        }
        Err(error) => {
            missing.push(format!("the run with {}: {error}", in_words(other)));
            None
        }
    };

    let change = relative.map_or(CHANGE_WITH_FIXED_STEPS, |tolerance| {
        (SHARE * tolerance).max(SMALLEST_CHANGE)
    });
    let mut options = request.options_under(request.control);
    options.max_steps = options.max_steps.saturating_mul(MORE_STEPS);
    let perturbed = changed_start(request, &options, change).and_then(|(state, initial_change)| {
        let found = end_of(request, report, state, &options)?;
        let (end_change, output) = found.largest_change(report, scale);
        Ok(Perturbed {
            initial_change,
            end_change,
            amplification: end_change / initial_change,
            output,
        })
    });
    let perturbed = perturbed
        .map_err(|error| missing.push(format!("the run from a changed start: {error}")))
        .ok();

    let bound = relative.map_or(BOUND_WITH_FIXED_STEPS, |tolerance| BOUND * tolerance);
    let settled = refined.as_ref().is_some_and(|run| run.end_change <= bound);
    let calm = perturbed
        .as_ref()
        .is_none_or(|run| run.amplification <= BOUND);
    let energy = report.energy.as_ref();
    let passive = energy.and_then(Energy::unexplained_rise).is_none();
    EndCheck {
        perturbed,
        refined,
        good: settled && calm && passive && report.violated.is_empty(),
        missing,
    }
}

/// Tolerances a tenth, or ten times larger if they are tight; half the step. The relative tolerance asked for, if there is one.
fn other_control(control: Control) -> (Control, Option<f64>) {
    match control {
        Control::Adaptive { rtol, atol } => {
            let tolerance = if rtol > 0.0 { rtol } else { atol };
            let factor = if tolerance < 10.0 * TIGHT { 10.0 } else { 0.1 };
            let other = Control::Adaptive {
                rtol: factor * rtol,
                atol: factor * atol,
            };
            (other, Some(tolerance))
        }
        Control::Fixed { step } => (Control::Fixed { step: 0.5 * step }, None),
    }
}

/// Tolerances or a step.
pub fn in_words(control: Control) -> String {
    match control {
        Control::Adaptive { rtol, atol } => format!("rtol {rtol:e}, atol {atol:e}"),
        Control::Fixed { step } => format!("steps of {step:e} s"),
    }
}

fn digits(change: f64) -> u32 {
    // From 1e-15 on, two doubles differ by their last digits only.
    let digits = -change.max(1e-16).log10();
    if digits > 0.0 {
        digits.floor() as u32
    } else {
        0
    }
}

/// An initial state all of whose components are changed by up to this share of their sizes, put back onto the constraints;
/// with the largest share that is left.
fn changed_start(
    request: &mut RunRequest,
    options: &Options,
    change: f64,
) -> Result<(State, f64), Missing> {
    let scale = request.case.problem.absolute_scale;
    let handling = if request.choice.method().captures_events {
        EventHandling::Captured
    } else {
        EventHandling::Located {
            tolerance: options.event_tolerance,
        }
    };
    let system = request.case.system();
    let mut state = system.initial_state();
    // Closed contacts are rows from here on, so that they stay closed.
    system.prepare(&mut state, handling)?;
    let layout = system.layout();
    if layout.descriptor.is_some() || layout.differential_index.iter().any(|&index| index > 0) {
        return Err(Missing::Algebraic);
    }
    let before = state.clone();
    change_all(layout, &mut state, change, scale);
    if layout.rows() > 0 {
        project_initial_state(&mut Evaluator::new(system), &mut state)?;
    }
    let moved = largest_share(system, [&before, &state], scale);
    Ok((state, moved))
}

/// Changes by fixed numbers between half of the largest change and the whole, of either sign.
fn change_all(layout: &Layout, state: &mut State, change: f64, scale: f64) {
    let mut random = 1_u64;
    let mut share = || {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let unit = (random >> 11) as f64 / (1_u64 << 53) as f64;
        let sign = if random >> 63 == 0 { 1.0 } else { -1.0 };
        change * sign * (0.5 + 0.5 * unit)
    };
    let plain = layout.space.is_euclidean();
    let mut along: Vec<f64> = Vec::with_capacity(layout.dimension());
    for index in 0..layout.dimension() {
        let size = if plain { state.q[index].abs() } else { 0.0 };
        along.push(share() * (scale + size));
    }
    let q = state.q.clone();
    layout.space.retract(&q, &along, &mut state.q);
    for value in state.v.iter_mut().chain(&mut state.x) {
        *value += share() * (scale + value.abs());
    }
}

/// The largest difference of two states, each component relative to its size.
fn largest_share(system: &dyn System, [from, to]: [&State; 2], scale: f64) -> f64 {
    let space = &system.layout().space;
    let plain = space.is_euclidean();
    let mut along = vec![0.0; from.v.len()];
    space.lift(&from.q, &to.q, &mut along);
    let size = |index: usize| if plain { from.q[index].abs() } else { 0.0 };
    let positions = along
        .iter()
        .enumerate()
        .map(|(index, change)| change.abs() / (scale + size(index)));
    let others = from.v.iter().zip(&to.v).chain(from.x.iter().zip(&to.x));
    let others = others.map(|(from, to)| (to - from).abs() / (scale + from.abs()));
    positions.chain(others).fold(0.0, larger)
}

/// A NaN is the largest.
fn larger(largest: f64, value: f64) -> f64 {
    if value.is_nan() || value > largest {
        value
    } else {
        largest
    }
}

/// Outputs at the end of a run, and their largest absolute values over it.
struct End {
    values: Vec<f64>,
    sizes: Vec<f64>,
}

impl End {
    fn changes(&self, report: &RunReport) -> Named<f64> {
        let pairs = report.outputs.0.iter().zip(&self.values);
        Named(
            pairs
                .map(|((name, value), other)| (name.clone(), (value - other).abs()))
                .collect(),
        )
    }

    fn sizes(&self, report: &RunReport) -> Named<f64> {
        let names = report.outputs.0.iter().map(|(name, _)| name.clone());
        Named(names.zip(self.sizes.iter().copied()).collect())
    }

    /// The largest change from the end reported, relative to the size of the output over the run, and its output.
    fn largest_change(&self, report: &RunReport, scale: f64) -> (f64, String) {
        let changes = self.changes(report).0.into_iter().zip(&self.sizes);
        let mut worst = (0.0, String::new());
        for ((name, change), size) in changes {
            let share = change / (scale + size);
            if worst.1.is_empty() || share.is_nan() || share > worst.0 {
                worst = (share, name);
            }
        }
        worst
    }
}

/// Solves from a start.
fn end_of(
    request: &mut RunRequest,
    report: &RunReport,
    start: State,
    options: &Options,
) -> Result<End, Missing> {
    let count = report.outputs.0.len();
    let mut sizes = Sizes {
        largest: vec![0.0; count],
        values: vec![0.0; count],
    };
    let integrator = request.choice.build();
    let system = request.case.system();
    let mut watched = Watched {
        watch: &request.watch,
        observer: &mut sizes,
    };
    let solved: Result<Solution, SolveError> =
        solve_from(system, integrator.as_ref(), start, options, &mut watched);
    let solution = solved.map_err(|error| Missing::Solve(request.case.reason(&error)))?;
    let reason = super::run::reason_in_words(solution.reason);
    if reason != report.reason {
        return Err(Missing::Otherwise(reason.to_owned()));
    }
    let mut values = vec![0.0; count];
    Evaluator::new(request.case.system()).outputs(&solution.state, &mut values)?;
    Ok(End {
        values,
        sizes: sizes.largest,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_a_change() {
        assert_eq!([3.0, 0.5, 0.05, 2e-7, 0.0].map(digits), [0, 0, 1, 6, 16]);
    }

    #[test]
    fn tight_tolerances_are_compared_with_larger_ones() {
        let other = |rtol| match other_control(Control::Adaptive { rtol, atol: rtol }).0 {
            Control::Adaptive { rtol, .. } => rtol,
            Control::Fixed { .. } => f64::NAN,
        };
        assert!((other(1e-8) - 1e-9).abs() < 1e-20);
        assert!((other(1e-12) - 1e-11).abs() < 1e-20);
    }
}
