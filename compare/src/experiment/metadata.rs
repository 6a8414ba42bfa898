//! The survey of a problem before any run: all data that a comparison needs besides the runs themselves.

use super::{Case, Truth, loses_energy_at_events};
use liedae::system::{event_descriptions, time_events};
use serde::{Deserialize, Serialize};

/// The data of a problem that was built and examined, in this process or in another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Survey {
    /// End of the run in s.
    pub t_end: f64,
    /// A step in s at which methods of order one or two give a useful answer.
    pub default_step: f64,
    /// Absolute tolerance that goes with a relative tolerance of one.
    pub absolute_scale: f64,
    /// Names of the outputs.
    pub outputs: Vec<String>,
    /// The main one's place among them, if it is there.
    pub main_output: Option<usize>,
    /// Its number of rates: accelerations, derivatives of differential states, algebraic rows.
    pub rates: usize,
    /// Whether the constraints alone determine the motion.
    pub determined: bool,
    /// Whether no event can raise the energy; `None` without contacts.
    pub loses_energy_at_events: Option<bool>,
    /// Whether it is a mechanism that neither events nor contacts interrupt. A mechanism has velocities, v in M v' = f: systems of
    /// first order (reactions, circuits, stiff ODEs) are none.
    pub smooth: bool,
    /// Times in s at which references are taken.
    pub times: Vec<f64>,
    /// The true solution that the problem brings along.
    pub published: Option<Truth>,
}

impl Survey {
    /// Looks at a problem that has not run yet: a run leaves the system as it is at its end.
    pub fn of(case: &mut Case) -> Self {
        let times = Truth::sample_times(case);
        let published = Truth::published(case, &times);
        let loses_energy_at_events = loses_energy_at_events(case);
        let system = case.system();
        let layout = system.layout();
        let (dimension, rows) = (layout.dimension(), layout.position_rows);
        let rates = dimension + layout.differential + layout.algebraic;
        // With contacts the rows of the start are not those of the whole run.
        let touches = liedae_contact::unilateral(system).is_some();
        let eventless = event_descriptions(system).is_empty() && time_events(system).is_empty();
        let rubs = liedae_contact::joint_friction(system).is_some();
        Self {
            t_end: case.t_end,
            default_step: case.problem.default_step,
            absolute_scale: case.problem.absolute_scale,
            outputs: case.outputs().to_vec(),
            main_output: case.output(None).ok(),
            rates,
            determined: dimension > 0 && rows == dimension && !touches,
            loses_energy_at_events,
            smooth: dimension > 0 && eventless && !touches && !rubs,
            times,
            published,
        }
    }
}
