//! Experiments as data: nothing here prints, draws or knows the command line.

mod accuracy;
mod case;
mod choice;
mod contacts;
mod converge;
mod fit;
mod instance;
mod invariants;
mod meter;
mod orders;
mod own_reference;
mod profile;
mod proportionality;
mod run;
mod sensitivity;
mod sets;
mod standard;
mod timing;
mod truth;
mod work_precision;

use accuracy::{Scales, deviation};
pub use case::{Case, Control};
pub use choice::{CONTROL_SETTINGS, Choice};
pub use contacts::check_contacts;
use contacts::loses_energy_at_events;
pub use converge::{Convergence, Ladder, converge};
use fit::slope;
pub use instance::Instance;
use invariants::{Energy, Invariants};
pub use meter::{Meter, RowSink, Sampling, Table, equidistant};
pub use orders::{AGREEMENT, Observed, OrderRow, PROBLEMS as ORDER_PROBLEMS, Quantity};
pub use profile::{Curve, accuracy_levels, cost_at, profile};
pub use proportionality::{
    FACTOR, GIVEN_UP, PROBLEMS as TOLERANCE_PROBLEMS, ToleranceRun, expected_slope, observed_slope,
    proportionality,
};
pub use run::{RunReport, RunRequest, Samples, check, run};
pub use sensitivity::{
    BOUND, BOUND_WITH_FIXED_STEPS, EndCheck, check_end, in_words as control_in_words,
};
#[cfg(test)]
pub use sensitivity::{Perturbed, Refined};
pub use sets::{ProblemSet, problem_sets, resolve as resolve_set};
pub use standard::{SAMPLES, Standard};
pub use timing::{Repeat, TimedFailure, timed};
use truth::Truth;
pub use work_precision::{Plan, Source, WorkPoint, variants, work_precision};
