//! Experiments as data: nothing here prints, draws or knows the command line.

mod accuracy;
mod case;
mod converge;
mod fit;
mod invariants;
mod meter;
mod own_reference;
mod profile;
mod run;
mod sets;
mod timing;
mod work_precision;

pub use accuracy::{Scales, deviation};
pub use case::{Case, Choice, Control};
pub use converge::{Convergence, ConvergencePoint, converge};
pub use fit::slope;
pub use invariants::{Energy, Invariants};
pub use meter::{Meter, RowSink, Sampling, Table, equidistant};
pub use profile::{Curve, Profile, accuracy_levels, cost_at, profile};
pub use run::{RunReport, RunRequest, Samples, run};
pub use sets::{ProblemSet, problem_sets, resolve as resolve_set};
pub use timing::{Repeat, Timed, timed};
pub use work_precision::{Plan, Variant, WorkPoint, variants, work_precision};
