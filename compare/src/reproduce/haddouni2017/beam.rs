//! Table 4: the solvers on a beam that spins up eccentrically.
//!
//! The row `s3-001`, problem `spin-up-beam`: the paper gives 31 degrees of freedom, and neither the beam nor its
//! eccentricity. This one has Simo and Vu-Quoc's data, five geometrically exact elements, which have 31 degrees of
//! freedom before the drive, and its root 1 m from the axle. That the paper's steps add up to 15 s says that its beam
//! is spun up in the time of that manoeuvre.

use super::runs::{Cell, Place, Plan, problem};
use super::settings::SAFETY;
use crate::error::CommandError;
use crate::experiment::Truth;
use std::time::Duration;

/// The row of the open test set that runs.
pub(super) const ROW: &str = "s3-001";
/// The tolerances of the table.
pub(super) const TOLERANCES: [f64; 3] = [1e-2, 1e-4, 1e-6];
/// CPU time after which a run is given up: explicit methods take tens of thousands of steps.
const LIMIT: Duration = Duration::from_secs(60);

/// A row of the paper's Table 4.
pub(super) struct Row {
    pub average_step: f64,
    pub seconds: f64,
    pub accepted: usize,
    pub rejected: usize,
}

const fn row(average_step: f64, seconds: f64, accepted: usize, rejected: usize) -> Row {
    Row {
        average_step,
        seconds,
        accepted,
        rejected,
    }
}

/// The paper's Table 4, by solver and tolerance.
pub(super) const PAPER: [[Row; 3]; 3] = [
    [
        row(4.22e-4, 548.98, 34123, 1381),
        row(4.20e-4, 549.70, 34364, 1393),
        row(2.40e-4, 985.79, 62255, 179),
    ],
    [
        row(1.09e-4, 622.453, 137_176, 833),
        row(1.08e-4, 632.44, 137_386, 899),
        row(1.08e-4, 634.94, 137_344, 913),
    ],
    [
        row(7.65e-2, 3.59, 196, 0),
        row(6.49e-3, 33.42, 2310, 0),
        row(5.40e-3, 33.9218, 2687, 0),
    ],
];

/// The runs of the table.
pub(super) fn runs(place: Place, truth: Option<&Truth>) -> Result<Vec<Cell>, CommandError> {
    let plan = Plan {
        ladder: &TOLERANCES,
        safeties: &SAFETY[..1],
        limit: LIMIT,
        thorough: false,
    };
    problem(place, truth, &plan)
}

/// The run of a solver at a tolerance of the table, if it arrived.
pub(super) fn run(cells: &[Cell], solver: usize, tolerance: f64) -> Option<&Cell> {
    let wanted = |cell: &&Cell| cell.solver == solver && cell.tolerance == tolerance && cell.done;
    cells.iter().find(wanted)
}
