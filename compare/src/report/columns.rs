//! Descriptions of the columns of results.csv.

use super::{Section, TextTable};

/// Columns of results.csv.
const COLUMNS: [(&str, &str); 31] = [
    (
        "problem",
        "name of the problem, with parameters other than its defaults",
    ),
    (
        "variant",
        "method, and how its steps are chosen where it has two ways",
    ),
    (
        "tolerance",
        "relative and absolute tolerance of an adaptive run",
    ),
    ("step", "step in s of a run with fixed steps"),
    ("status", "done, failed or bad-input"),
    ("reason", "why a run failed"),
    ("t_reached", "time reached in s"),
    (
        "events",
        "events on the way: impacts, releases, beginnings and ends of sticking, switched loads",
    ),
    ("impacts", "impacts among them"),
    (
        "energy_rise",
        "largest rise of the energy across one event in J, negative if all lose energy",
    ),
    (
        "penetration",
        "largest penetration of a contact at any accepted step in m (rad of an angular stop)",
    ),
    (
        "error_end",
        "root mean square over the outputs of error / largest absolute reference value, at the end; not less than \
         what the reference can tell; Infinity where it is not a number, empty where there is no reference",
    ),
    (
        "error_samples",
        "the same over 40 equidistant samples, from dense output; outputs known at all samples",
    ),
    (
        "wall_s",
        "wall time in s of a run that nobody observes, the shortest repetition",
    ),
    (
        "cpu_s",
        "CPU time of the thread in s, the shortest repetition",
    ),
    ("wall_median_s", "median of the wall times in s"),
    ("cpu_median_s", "median of the CPU times in s"),
    (
        "spread",
        "longest less shortest time over the median; of CPU times where they are known",
    ),
    (
        "repetitions",
        "how often the run was made for its times: up to five times below 40 ms",
    ),
    (
        "shared",
        "whether other workers went on beside the runs that were timed",
    ),
    ("accepted", "accepted steps"),
    ("rejected", "rejected steps"),
    ("force", "evaluations of forces and other rates"),
    ("constraint", "evaluations of constraints at any level"),
    ("jacobian", "evaluations of constraint and force Jacobians"),
    ("mass", "evaluations of the mass matrix"),
    ("factorizations", "matrix factorizations"),
    ("solves", "solutions with a factorized matrix"),
    ("newton_iterations", "Newton iterations"),
    ("violation_position", "largest |g| at any accepted step"),
    (
        "violation_velocity",
        "largest |G v + g_t| at any accepted step",
    ),
];

/// The section that explains them.
pub(super) fn columns() -> Section {
    let rows = COLUMNS.map(|(name, meaning)| vec![name.to_owned(), meaning.to_owned()]);
    Section {
        heading: "Columns of results.csv".to_owned(),
        tables: vec![TextTable {
            header: vec!["column".to_owned(), "meaning".to_owned()],
            rows: rows.into(),
            prose: true,
            ..TextTable::default()
        }],
        ..Section::default()
    }
}
