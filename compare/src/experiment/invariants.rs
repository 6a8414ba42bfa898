//! What should not change along a run: constraints and, for some systems, energy.

use liedae::solve::StepView;
use liedae::system::{DynamicsError, Projector, Violation};
use serde::Serialize;

/// The energy along a run in J.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Energy {
    /// At the start.
    pub initial: f64,
    /// At the end.
    pub r#final: f64,
    /// Largest distance from the initial energy at any accepted step.
    pub max_drift: f64,
}

/// Largest violation of the constraints and drift of the energy over all accepted steps.
#[derive(Default)]
pub struct Invariants {
    projector: Option<Projector>,
    /// Largest violation so far.
    pub violation: Violation,
    /// Energy so far; `None` for systems that do not know theirs.
    pub energy: Option<Energy>,
}

impl Invariants {
    /// Looks at the end of a step; nothing is counted as work of the method.
    pub fn look(&mut self, step: &mut StepView) -> Result<(), DynamicsError> {
        let state = step.to;
        if step.from.t == state.t {
            // After a jump the rows may be others.
            self.projector = None;
        }
        let evaluator = step.system();
        let projector = match self.projector.as_mut() {
            Some(projector) => projector,
            None => {
                let projector = Projector::new(evaluator.layout())
                    .map_err(|source| DynamicsError::Linear { t: state.t, source })?;
                self.projector.insert(projector)
            }
        };
        let violation = evaluator.uncounted(|evaluator| projector.violation(evaluator, state))?;
        self.violation = self.violation.max(violation);
        if let Some(energy) = evaluator.system().energy(state) {
            let entry = self.energy.get_or_insert(Energy {
                initial: energy,
                r#final: energy,
                max_drift: 0.0,
            });
            entry.r#final = energy;
            let drift = (energy - entry.initial).abs();
            if drift.is_nan() || drift > entry.max_drift {
                entry.max_drift = drift;
            }
        }
        Ok(())
    }
}
