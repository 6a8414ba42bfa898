//! Completed copies of the ends of a step, for observers. The run continues from the method's own states, so that observers do
//! not change it.

use crate::integrator::StepError;
use crate::solve::motion::{Cost, Motion};
use crate::system::State;

/// Completed copies of the ends of a step.
pub(in crate::solve) struct Shown {
    ends: [State; 2],
    /// Which of them are there.
    known: [bool; 2],
    /// Why the end of the step could not be completed.
    failure: Option<StepError>,
    /// What the last copy has cost, as long as it is no work of the run.
    cost: Option<Cost>,
}

impl Shown {
    /// Allocates for states of this shape.
    pub fn new(state: &State) -> Self {
        Self {
            ends: [state.clone(), state.clone()],
            known: [false; 2],
            failure: None,
            cost: None,
        }
    }

    /// The start of the step, `state` of the motion; without a copy it is complete itself, or nobody asked for that.
    pub fn start<'s>(&'s self, state: &'s State) -> &'s State {
        if self.known[0] { &self.ends[0] } else { state }
    }

    /// The end of the step, `next` of the motion.
    pub fn end<'s>(&'s self, next: &'s State) -> &'s State {
        if self.known[1] { &self.ends[1] } else { next }
    }

    /// Why [`end`](Self::end) is not complete.
    pub fn failure(&self) -> Option<&StepError> {
        self.failure.as_ref()
    }

    /// The end of the step has become the start of the next one.
    pub fn go_on(&mut self) {
        // Nothing to turn where nobody looks.
        if self.known != [false; 2] {
            self.turn();
            self.known[1] = false;
            self.failure = None;
        }
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

    /// Completes a copy of the end of the step. Where that fails the run may still go on, and the copy has what the method
    /// left.
    pub fn complete(&mut self, motion: &mut Motion) {
        let end = &mut self.ends[1];
        end.copy_from(&motion.next);
        // A copy: the run must not depend on whether somebody looks.
        let (failure, cost) = motion.uncounted(|motion| {
            let completed = motion.stepper.complete(&mut motion.evaluator, end);
            let spread = motion.spread_multipliers(end);
            completed.err().or(spread.err().map(StepError::from))
        });
        (self.failure, self.cost) = (failure, Some(cost));
        self.known[1] = true;
    }

    /// A step is tried: what it begins with is its own work, also where an observer has had it first.
    pub fn try_step(&mut self, motion: &mut Motion) {
        if self.known[0] && motion.stepper.begins_with_completion() {
            self.count(motion);
        }
    }

    fn count(&mut self, motion: &mut Motion) {
        if let Some(cost) = self.cost.take() {
            motion.count(cost);
        }
    }

    /// The start of the step has this time.
    pub fn start_at(&mut self, t: f64) {
        self.ends[0].t = t;
    }

    /// The end of the step has this time.
    pub fn end_at(&mut self, t: f64) {
        self.ends[1].t = t;
    }

    /// Completes the last state of the run, unless that has been done for an observer.
    pub fn complete_last(&mut self, motion: &mut Motion) -> Result<(), StepError> {
        if !self.known[0] || self.failure.is_some() {
            return motion.complete_state();
        }
        let (complete, state) = (&self.ends[0], &mut motion.state);
        state.acceleration.copy_from_slice(&complete.acceleration);
        state.lambda.copy_from_slice(&complete.lambda);
        state.z.copy_from_slice(&complete.z);
        self.count(motion);
        Ok(())
    }
}
