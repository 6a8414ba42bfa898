//! Experiments as data: nothing here prints, draws or knows the command line.

mod accuracy;
pub mod analysis;
pub mod answers;
mod automatic;
mod case;
mod choice;
mod clock;
mod contacts;
mod converge;
mod counts;
mod data_profile;
mod entry_tables;
mod fairness;
mod finite;
mod fit;
mod in_file;
mod instance;
mod invariants;
mod lock;
mod measurement;
mod mechanism_tables;
mod metadata;
mod meter;
mod model_file;
mod orders;
mod own_reference;
mod problem;
mod problem_tables;
mod profile;
mod proportionality;
mod recording;
mod run;
mod sensitivity;
mod sets;
mod standard;
mod timing;
mod truth;
mod verification;
mod watch;
mod work_point;

use accuracy::{Scales, deviation};
pub use automatic::{AUTO, Contenders, entry as auto_entry};
use automatic::{steps_left, steps_over};
pub use case::{Case, Control};
pub use choice::{CONTROL_SETTINGS, Choice};
pub use clock::{limiting_clock, thread_time};
use contacts::loses_energy_at_events;
pub use contacts::rubs_in_space;
pub use converge::{Convergence, Ladder, converge};
pub use counts::Counts;
pub use data_profile::data_profile;
pub use entry_tables::{EntryTables, KeyMeaning};
pub use fairness::{Spread, Verdict, medians_of_ratios};
pub use finite::size::INFINITE;
pub(crate) use fit::slope;
pub use instance::{Instance, problem_name};
pub use invariants::Energy;
use invariants::Invariants;
pub use lock::Gate;
pub use measurement::{Limits, Measurement, Request, measure};
pub use mechanism_tables::{ReadableTables, Written};
pub use metadata::Survey;
pub use meter::{Meter, RowSink, Sampling, Table, equidistant};
pub use model_file::{Stated, is_path};
pub use orders::{AGREEMENT, Observed, OrderRow, PROBLEMS as ORDER_PROBLEMS, Quantity};
pub use own_reference::{
    Confirmed, LONGEST as LONGEST_REFERENCE, OwnReference, TightRun, own_reference,
};
pub use problem::{Looked, Subject, panic_words};
pub use problem_tables::ProblemTables;
pub use profile::{Curve, Profile, accuracy_levels, cost_at, profile};
pub use proportionality::{
    FACTOR, GIVEN_UP, PROBLEMS as TOLERANCE_PROBLEMS, ToleranceRun, observed_slope, proportionality,
};
pub use recording::{Arrow, Film, film, film_at, pose_columns, pose_values};
pub use run::{COMPUTED, RunReport, RunRequest, Samples, check, run};
pub use sensitivity::{
    BOUND, BOUND_WITH_FIXED_STEPS, EndCheck, check_end, in_words as control_in_words,
};
#[cfg(test)]
pub use sensitivity::{Perturbed, Refined};
pub use sets::{
    ProblemSet, find_set, is_set, open_sets, problem_sets, resolve as resolve_set, set_names,
};
pub use standard::{SAMPLES, Standard};
pub use timing::{Repeat, TimedFailure, Timing, timed, timed_watched};
pub use truth::Truth;
pub use verification::{DIGITS as REFERENCE_DIGITS, Standing, Verification};
pub use watch::{Pass, Place, Watch, Watched};
pub use work_point::WorkPoint;
