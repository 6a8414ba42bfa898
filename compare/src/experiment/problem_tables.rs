//! Equations and numbers of a problem: what `describe` and the pages of the test set show.

use super::{Case, ReadableTables, Stated};
use crate::output::Named;
use liedae::system::{event_descriptions, output_definitions, output_names};
use liedae_problems::Formulation;
use serde::Serialize;

/// The equations of systems with velocities. First-order systems have none.
const DYNAMICS: &str = "M v' = f + G^T lambda: the multipliers lambda of the rows 0 = g are forces along their gradients G";

/// The data for stating a problem in another code, besides its parameters and initial state.
#[derive(Serialize)]
pub struct ProblemTables {
    /// Which sign the multipliers have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dynamics: Option<&'static str>,
    /// What its outputs are, with unit, frame and sign; without those of which the model does not say it.
    pub definitions: Named<String>,
    /// Kinds and labels of its events.
    pub events: Vec<String>,
    /// Its equations and numbers, where it is no mechanism of bodies and joints, or what these do not say.
    pub formulation: Option<Formulation>,
    /// What a mechanism file states of it, with the meaning of every key.
    pub mechanism: Option<ReadableTables>,
}

impl ProblemTables {
    /// Those of a case; `read` is the file that it stands in.
    ///
    /// # Errors
    /// A mechanism cannot be written, with the reason.
    pub fn of(case: &mut Case, read: Option<&Stated>) -> Result<Self, String> {
        let mechanism = ReadableTables::of(case, read)?;
        let has_velocities = case.system().layout().dimension() > 0;
        let events = event_descriptions(case.system());
        let events = events.iter().map(|event| match event.label.as_str() {
            "" => event.kind.clone(),
            label => format!("{} {label}", event.kind),
        });
        let events = events.collect();
        let definitions = output_definitions(case.system());
        let names = output_names(case.system()).iter().cloned();
        let defined = names.zip(definitions);
        let defined = defined.filter_map(|(name, definition)| Some((name, definition?)));
        Ok(Self {
            definitions: Named(defined.collect()),
            dynamics: has_velocities.then_some(DYNAMICS),
            events,
            formulation: case.problem.formulation.clone(),
            mechanism,
        })
    }
}
