//! What observers see of a step: its ends, completed. The run goes on from what the method left, so that looking does not
//! change it.

use crate::integrator::StepError;
use crate::solve::Driver;
use crate::solve::held_rows::HeldRows;
use crate::system::State;

/// Completed copies of the ends of a step.
pub(in crate::solve) struct Shown {
    ends: [State; 2],
    /// Which of them are there.
    known: [bool; 2],
    /// Why the end of the step could not be completed.
    failure: Option<StepError>,
}

impl Shown {
    /// Allocates for states of this shape.
    pub fn new(state: &State) -> Self {
        Self {
            ends: [state.clone(), state.clone()],
            known: [false; 2],
            failure: None,
        }
    }

    /// The start of the step, `state` of the driver; without a copy it is complete itself, or nobody asked for that.
    pub fn start<'s>(&'s self, state: &'s State) -> &'s State {
        if self.known[0] { &self.ends[0] } else { state }
    }

    /// The end of the step, `next` of the driver.
    pub fn end<'s>(&'s self, next: &'s State) -> &'s State {
        if self.known[1] { &self.ends[1] } else { next }
    }

    /// Why [`end`](Self::end) is not complete.
    pub fn failure(&self) -> Option<&StepError> {
        self.failure.as_ref()
    }

    /// The end of the step has become the start of the next one.
    pub fn go_on(&mut self) {
        self.turn();
        self.known[1] = false;
        self.failure = None;
    }

    /// The ends have changed places.
    pub fn turn(&mut self) {
        self.ends.swap(0, 1);
        self.known.swap(0, 1);
    }

    /// The state has changed, and is complete.
    pub fn forget(&mut self) {
        self.known = [false; 2];
        self.failure = None;
    }
}

impl Driver<'_> {
    /// Completes a copy of `next`. Where that fails the run may still go on, and the copy has what the method left.
    pub(in crate::solve) fn complete_shown(&mut self) {
        let shown = &mut self.shown;
        let end = &mut shown.ends[1];
        end.copy_from(&self.next);
        let completed = self.stepper.complete(&mut self.evaluator, end);
        let spread = HeldRows::least_norm(&mut self.held, &mut self.evaluator, end);
        shown.failure = completed.err().or(spread.err().map(StepError::from));
        shown.known[1] = true;
    }

    /// Completes the last state of the run, unless that has been done for an observer.
    pub(in crate::solve) fn complete_end(&mut self) -> Result<(), StepError> {
        if self.shown.known[0] && self.shown.failure.is_none() {
            let complete = &self.shown.ends[0];
            self.state
                .acceleration
                .copy_from_slice(&complete.acceleration);
            self.state.lambda.copy_from_slice(&complete.lambda);
            self.state.z.copy_from_slice(&complete.z);
            return Ok(());
        }
        self.complete_latest(false)
    }
}
