//! Monitoring of an external program: samples of outputs and violations of constraints.

use crate::experiment::Table;
use liedae::system::{DynamicsError, Evaluator, Projector, State, Violation, output_names};

/// Samples and violations.
pub struct Watch {
    projector: Projector,
    violation: Violation,
    samples: Table,
    outputs: Vec<f64>,
}

impl Watch {
    /// For a system at its start, which is looked at, too.
    pub fn new(system: &mut Evaluator, start: &State) -> Result<Self, DynamicsError> {
        let projector = Projector::new(system.layout());
        let outputs = output_names(system.system()).len();
        let mut watch = Self {
            projector: projector.map_err(|source| DynamicsError::Linear { t: start.t, source })?,
            violation: Violation::default(),
            samples: Table::default(),
            outputs: vec![0.0; outputs],
        };
        watch.step(system, start)?;
        Ok(watch)
    }

    /// A state after a step.
    pub fn step(&mut self, system: &mut Evaluator, state: &State) -> Result<(), DynamicsError> {
        let found = system.uncounted(|system| self.projector.violation(system, state))?;
        self.violation = self.violation.max(found);
        Ok(())
    }

    /// A state at a sample.
    pub fn sample(&mut self, system: &mut Evaluator, state: &State) -> Result<(), DynamicsError> {
        system.outputs(state, &mut self.outputs)?;
        self.samples.times.push(state.t);
        self.samples.rows.push(self.outputs.clone());
        Ok(())
    }

    /// Samples so far.
    pub fn samples(&self) -> usize {
        self.samples.times.len()
    }

    /// The samples, and the largest violation.
    pub fn into_parts(self) -> (Table, Violation) {
        (self.samples, self.violation)
    }
}
