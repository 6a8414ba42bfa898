//! Invariants of a run: constraints and, for some systems, energy.

use liedae::solve::{EnergyRise, PassivityWatch, StepControl, StepView};
use liedae::system::{DynamicsError, Projector, Violation, total_energy};
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
    /// Largest rise across one event, negative if all lose energy; null without an event that changes the state. Impacts
    /// of systems without friction and drives cannot gain any.
    pub largest_rise_at_event: Option<f64>,
    /// Largest rise above an earlier value, where nothing adds energy; null of other systems.
    pub rise: Option<EnergyRise>,
}

impl Energy {
    /// A rise beyond errors, although nothing adds energy.
    pub fn unexplained_rise(&self) -> Option<EnergyRise> {
        self.rise.filter(|rise| !rise.is_explained())
    }
}

/// Largest violation of the constraints and drift of the energy over all accepted steps.
pub struct Invariants {
    projector: Option<Projector>,
    /// Largest violation so far.
    pub violation: Violation,
    /// Energy so far; `None` for systems that do not know theirs.
    pub energy: Option<Energy>,
    /// Largest penetration of contacts so far in m (rad), 0 if all gaps are open or closed; `None` without contacts.
    pub penetration: Option<f64>,
    /// Energy before the event that has not been answered yet.
    before_event: Option<f64>,
    passivity: PassivityWatch,
}

impl Invariants {
    /// Nothing has been seen of a run with these steps.
    pub fn new(control: &StepControl) -> Self {
        Self {
            projector: None,
            violation: Violation::default(),
            energy: None,
            penetration: None,
            before_event: None,
            passivity: PassivityWatch::new(control),
        }
    }

    /// Looks at the end of a step; nothing is counted as work of the method.
    pub fn look(&mut self, step: &mut StepView) -> Result<(), DynamicsError> {
        let (state, is_event) = (step.to, step.event);
        let jumped = step.from.t == state.t;
        if jumped {
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
        if let Some(unilateral) = liedae_contact::unilateral(evaluator.system()) {
            let mut deepest = self.penetration.unwrap_or(0.0);
            for contact in 0..unilateral.contacts().len() {
                let depth = -unilateral.gap(contact, &state.point())?;
                // Written so that a NaN stays.
                if depth.is_nan() || depth > deepest {
                    deepest = depth;
                }
            }
            self.penetration = Some(deepest);
        }
        if let Some(energy) = total_energy(evaluator.system(), &state.point()) {
            let entry = self.energy.get_or_insert(Energy {
                initial: energy,
                r#final: energy,
                max_drift: 0.0,
                largest_rise_at_event: None,
                rise: None,
            });
            self.passivity.see(evaluator, state);
            entry.rise = self.passivity.rise();
            entry.r#final = energy;
            let drift = (energy - entry.initial).abs();
            if drift.is_nan() || drift > entry.max_drift {
                entry.max_drift = drift;
            }
            if let Some(before) = self.before_event.take().filter(|_| jumped) {
                let (rise, known) = (energy - before, entry.largest_rise_at_event);
                // Written so that a NaN stays.
                if known.is_none_or(|known| rise.is_nan() || rise > known) {
                    entry.largest_rise_at_event = Some(rise);
                }
            }
            self.before_event = is_event.then_some(energy);
        }
        Ok(())
    }
}
