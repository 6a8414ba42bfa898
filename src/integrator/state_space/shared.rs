//! Parts that all methods on the state-space form share: x' at the start of a step, a second attempt, the end of a step.

use crate::integrator::StepError;
use crate::system::{DynamicsError, State, StateSpace};

/// x' at the start of a step: that of the end of the one before, evaluated anew after a start or a jump.
pub(super) struct StartRate {
    values: Vec<f64>,
    known: bool,
}

impl StartRate {
    /// For so many differential states.
    pub fn new(length: usize) -> Self {
        Self {
            values: vec![0.0; length],
            known: length == 0,
        }
    }

    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Evaluates it if it is not known.
    pub fn ensure(
        &mut self,
        evaluate: impl FnOnce(&mut [f64]) -> Result<(), DynamicsError>,
    ) -> Result<(), DynamicsError> {
        if !self.known {
            evaluate(&mut self.values)?;
            self.known = true;
        }
        Ok(())
    }

    /// The end of an accepted step is the start of the next one.
    pub fn accept(&mut self, end: &[f64]) {
        self.values.copy_from_slice(end);
    }

    /// The next step starts elsewhere.
    pub fn forget(&mut self) {
        // Without x there is nothing to evaluate.
        self.known = self.values.is_empty();
    }
}

/// Takes a step, and takes it again with freshly chosen independent coordinates if it fails with those kept from
/// earlier steps.
pub(super) fn with_fresh_coordinates<T>(
    state: &mut T,
    space: impl Fn(&mut T) -> &mut StateSpace,
    mut step: impl FnMut(&mut T) -> Result<(), StepError>,
) -> Result<(), StepError> {
    let choices = space(state).choices();
    // A step that already chose anew has nothing else to try.
    match step(state) {
        Err(_) if choices > 0 && space(state).choices() == choices => {
            space(state).forget();
            step(state)
        }
        result => result,
    }
}

/// Copies all but the time of a solution into the end of a step.
pub(super) fn finish(here: &State, to: &mut State) {
    to.q.copy_from_slice(&here.q);
    to.v.copy_from_slice(&here.v);
    to.x.copy_from_slice(&here.x);
    to.z.copy_from_slice(&here.z);
    to.lambda.copy_from_slice(&here.lambda);
    to.acceleration.copy_from_slice(&here.acceleration);
}
