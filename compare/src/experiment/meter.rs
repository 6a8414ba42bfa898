//! The observer of a measuring pass: invariants at every step, rows of outputs at steps or samples.

use super::Invariants;
use crate::error::CommandError;
use liedae::linalg::KktError;
use liedae::solve::{Observer, StepControl, StepView};
use liedae::system::{
    AccelerationSolver, DynamicsError, Evaluator, Projector, State, System, output_names,
};
use liedae_contact::NonsmoothSystem;
use serde::{Deserialize, Serialize};
use std::any::TypeId;
use std::ops::ControlFlow;

/// When rows are written.
#[derive(Clone, Debug, PartialEq)]
pub enum Sampling {
    /// At the start, at the end of every accepted step, and after every jump.
    Steps,
    /// At these times, ascending, from dense output, and on both sides of every jump.
    Times(Vec<f64>),
    /// As `Times`, with accelerations and multipliers solved for at every sample instead of interpolated; but where events are captured,
    /// since forces of contacts and friction are in no equation then.
    Settled(Vec<f64>),
}

impl Sampling {
    /// The sample of this number.
    fn time(&self, index: usize) -> Option<f64> {
        match self {
            Self::Steps => None,
            Self::Times(times) | Self::Settled(times) => times.get(index).copied(),
        }
    }
}

/// `count` equidistant times from `start` to `end`, both included.
pub fn equidistant(start: f64, end: f64, count: usize) -> Vec<f64> {
    let last = count.saturating_sub(1).max(1) as f64;
    (0..count)
        .map(|index| {
            if index + 1 == count {
                end
            } else {
                start + (end - start) * (index as f64 / last)
            }
        })
        .collect()
}

/// Takes rows of outputs.
pub trait RowSink {
    /// One row: the time in s and the outputs in the system's order. An error ends the run.
    fn row(&mut self, t: f64, outputs: &[f64]) -> std::io::Result<()>;

    /// The state of the row that follows.
    fn see(&mut self, _state: &State) {}

    /// Forgets all rows, as those of a run that is made anew; `false` where it cannot.
    fn begin_again(&mut self) -> std::io::Result<bool> {
        Ok(false)
    }
}

/// Rows kept in memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Times in s.
    pub times: Vec<f64>,
    /// Outputs at these times.
    #[serde(deserialize_with = "super::finite::rows::deserialize")]
    pub rows: Vec<Vec<f64>>,
}

impl RowSink for Table {
    fn row(&mut self, t: f64, outputs: &[f64]) -> std::io::Result<()> {
        self.times.push(t);
        self.rows.push(outputs.to_vec());
        Ok(())
    }

    fn begin_again(&mut self) -> std::io::Result<bool> {
        self.times.clear();
        self.rows.clear();
        Ok(true)
    }
}

impl Table {
    /// One output as pairs (time, value).
    pub fn column(&self, index: usize) -> Vec<(f64, f64)> {
        self.times
            .iter()
            .zip(&self.rows)
            .map(|(&t, row)| (t, row.get(index).copied().unwrap_or(f64::NAN)))
            .collect()
    }
}

/// Why a measuring pass ended early.
#[derive(Debug)]
pub enum Interruption {
    /// The solution could not be evaluated.
    Dynamics(DynamicsError),
    /// The row could not be written.
    Sink(std::io::Error),
}

/// Looks at every accepted step.
pub struct Meter<'s> {
    invariants: Option<Invariants>,
    sampling: Sampling,
    next: usize,
    sink: Option<&'s mut dyn RowSink>,
    outputs: Vec<f64>,
    settled: Option<(AccelerationSolver, State)>,
    /// Whether the start has been seen.
    started: bool,
    /// A state with the forces of a step.
    with_forces: Option<State>,
    /// Whether the row of the start is still to be written.
    start_is_due: bool,
    /// Whether samples have rows on both sides of every jump.
    jumps: bool,
    /// What ended the run, if not the driver.
    pub interruption: Option<Interruption>,
}

impl<'s> Meter<'s> {
    /// Measures violations and energy.
    pub fn of_invariants(control: &StepControl) -> Self {
        Self {
            invariants: Some(Invariants::new(control)),
            ..Self::of_nothing()
        }
    }

    fn of_nothing() -> Self {
        Self {
            invariants: None,
            sampling: Sampling::Steps,
            next: 0,
            sink: None,
            outputs: Vec::new(),
            settled: None,
            started: false,
            with_forces: None,
            start_is_due: false,
            jumps: true,
            interruption: None,
        }
    }

    /// Writes rows and nothing else.
    pub fn of_rows(sampling: Sampling, sink: &'s mut dyn RowSink) -> Self {
        Self::of_nothing().with_rows(sampling, sink)
    }

    /// Writes rows, too.
    pub fn with_rows(mut self, sampling: Sampling, sink: &'s mut dyn RowSink) -> Self {
        self.sampling = sampling;
        self.sink = Some(sink);
        self
    }

    /// Writes rows at the samples only, where a jump falls on one of them that before it.
    pub fn without_jumps(mut self) -> Self {
        self.jumps = false;
        self
    }

    /// What ended the pass early, if anything did.
    pub fn finish(&mut self) -> Result<(), CommandError> {
        match self.interruption.take() {
            Some(Interruption::Dynamics(error)) => Err(error.into()),
            Some(Interruption::Sink(source)) => {
                Err(CommandError::write("the rows".as_ref(), source))
            }
            None => Ok(()),
        }
    }

    /// What was measured.
    pub fn into_invariants(self) -> Option<Invariants> {
        self.invariants
    }

    fn look(&mut self, step: &mut StepView) -> Result<(), Interruption> {
        if let Some(invariants) = &mut self.invariants {
            invariants.look(step).map_err(Interruption::Dynamics)?;
        }
        if self.sink.is_none() {
            return Ok(());
        }
        let wanted = output_names(step.system().system()).len();
        self.outputs.resize(wanted, 0.0);
        let (before_jump, moment) = (step.event, step.from.t == step.to.t);
        if moment {
            // After a jump the rows may be others.
            self.settled = None;
        }
        if captures_events(step.system().system()) {
            return self.look_at_captured(step, moment);
        }
        let Some(sink) = self.sink.as_deref_mut() else {
            return Ok(());
        };
        let evaluation = |error| Interruption::Dynamics(DynamicsError::Evaluation(error));
        let (times, settle) = match &self.sampling {
            Sampling::Steps => {
                let state = step.to;
                step.system()
                    .outputs(state, &mut self.outputs)
                    .map_err(evaluation)?;
                sink.see(state);
                return sink.row(state.t, &self.outputs).map_err(Interruption::Sink);
            }
            Sampling::Times(times) => (times, false),
            Sampling::Settled(times) => (times, true),
        };
        while let Some(&t) = times.get(self.next).filter(|&&t| t <= step.to.t) {
            let (state, evaluator) = step.at_with_system(t);
            if settle {
                let (solver, own) = match self.settled.as_mut() {
                    Some(pair) => pair,
                    None => {
                        let solver =
                            AccelerationSolver::new(evaluator.layout()).map_err(|source| {
                                Interruption::Dynamics(DynamicsError::Linear { t, source })
                            })?;
                        self.settled.insert((solver, state.clone()))
                    }
                };
                own.copy_from(state);
                evaluator
                    .uncounted(|evaluator| settle_at(evaluator, solver, own))
                    .map_err(Interruption::Dynamics)?;
                evaluator
                    .outputs(own, &mut self.outputs)
                    .map_err(evaluation)?;
                sink.see(own);
            } else {
                evaluator
                    .outputs(state, &mut self.outputs)
                    .map_err(evaluation)?;
                sink.see(state);
            }
            sink.row(t, &self.outputs).map_err(Interruption::Sink)?;
            self.next += 1;
        }
        let after_jump = moment && self.started;
        self.started = true;
        if self.jumps && (before_jump || after_jump) {
            let state = step.to;
            step.system()
                .outputs(state, &mut self.outputs)
                .map_err(evaluation)?;
            sink.see(state);
            sink.row(state.t, &self.outputs)
                .map_err(Interruption::Sink)?;
        }
        Ok(())
    }
}

impl Meter<'_> {
    /// Where events are captured, forces are those of steps, and the start has those of the first one.
    fn look_at_captured(&mut self, step: &mut StepView, moment: bool) -> Result<(), Interruption> {
        if moment && !self.started {
            (self.started, self.start_is_due) = (true, true);
            return Ok(());
        }
        let starts = std::mem::replace(&mut self.start_is_due, false);
        if self.sampling == Sampling::Steps {
            if starts {
                self.captured_row(step, step.from.t)?;
            }
            return self.captured_row(step, step.to.t);
        }
        while let Some(t) = self.sampling.time(self.next).filter(|&t| t <= step.to.t) {
            self.captured_row(step, t)?;
            self.next += 1;
        }
        Ok(())
    }

    /// A row within a step, with the forces of the step.
    fn captured_row(&mut self, step: &mut StepView, t: f64) -> Result<(), Interruption> {
        let end = step.to;
        let (state, evaluator) = step.at_with_system(t);
        let own = self.with_forces.get_or_insert_with(|| state.clone());
        own.clone_from(state);
        own.acceleration.clone_from(&end.acceleration);
        own.lambda.clone_from(&end.lambda);
        evaluator
            .outputs(own, &mut self.outputs)
            .map_err(|error| Interruption::Dynamics(DynamicsError::Evaluation(error)))?;
        let Some(sink) = self.sink.as_deref_mut() else {
            return Ok(());
        };
        sink.see(own);
        sink.row(t, &self.outputs).map_err(Interruption::Sink)
    }
}

/// Whether forces of contacts and friction are those of a step that captures events.
fn captures_events(system: &mut dyn System) -> bool {
    let nonsmooth = system.extension(TypeId::of::<NonsmoothSystem>());
    let nonsmooth = nonsmooth.and_then(|system| system.downcast_ref::<NonsmoothSystem>());
    nonsmooth.is_some_and(NonsmoothSystem::captures_events)
}

/// Solves for accelerations and multipliers of a state between steps.
///
/// Dense output leaves the constraints by its error. Redundant rows contradict each other there, by as much, and accelerations do not
/// exist; so the state returns to the constraints first.
fn settle_at(
    evaluator: &mut Evaluator,
    solver: &mut AccelerationSolver,
    state: &mut State,
) -> Result<(), DynamicsError> {
    let contradiction = match solver.complete(evaluator, state) {
        Err(
            error @ DynamicsError::Linear {
                source: KktError::Inconsistent { .. },
                ..
            },
        ) => error,
        completed => return completed,
    };
    let Ok(mut projector) = Projector::new(evaluator.layout()) else {
        return Err(contradiction);
    };
    projector.project_position(evaluator, state, false)?;
    projector.project_velocity(evaluator, state)?;
    solver.complete(evaluator, state)
}

impl Observer for Meter<'_> {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        match self.look(step) {
            Ok(()) => ControlFlow::Continue(()),
            Err(interruption) => {
                self.interruption = Some(interruption);
                ControlFlow::Break(())
            }
        }
    }

    fn wants_dense_output(&self) -> bool {
        self.sink.is_some() && self.sampling != Sampling::Steps
    }

    fn wants_complete_states(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equidistant_times_include_both_ends() {
        assert_eq!(equidistant(0.0, 1.0, 3), [0.0, 0.5, 1.0]);
        assert_eq!(equidistant(0.0, 0.3, 1), [0.3]);
        assert!(equidistant(0.0, 1.0, 0).is_empty());
    }
}
