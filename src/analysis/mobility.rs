//! Degrees of freedom and redundant constraint rows.

use super::matrices::{Subspaces, constraint_jacobian};
use super::{AnalysisError, Entry};
use crate::system::{Evaluator, Projector, State};

/// Entries of a combination of rows below this part of its largest one are none.
const NEGLIGIBLE: f64 = 1e-8;

/// How far the neighbours are at which the rank is looked at again, in units of the velocities' coordinates (m, rad).
const NEIGHBOUR: f64 = 1e-3;

/// How a mechanism can move at one configuration.
///
/// ```
/// use liedae::analysis::{Mobility, mobility};
/// use liedae::system::{Evaluator, System};
///
/// // A parallelogram of bars of 1 m, 2 m and 1 m over a base of 2 m, folded flat.
/// let mut folded = liedae::model([1.0, 0.0, 3.0, 0.0], [0.0; 4])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0; 4])
///     .constraint(|_t, [a, b, c, d]| {
///         let (x, y, z) = (c - a, d - b, c - 2.0);
///         [a * a + b * b - 1.0, x * x + y * y - 4.0, z * z + d * d - 1.0]
///     })
///     .build()?;
/// let state = folded.initial_state();
/// let found: Mobility = mobility(&mut Evaluator::new(&mut folded), &state)?;
/// // It can open to either side, and both at this instant: one more freedom than nearby.
/// assert_eq!((found.rows, found.rank, found.rank_nearby), (3, 2, 3));
/// assert!(found.freedom == 2 && found.is_singular());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mobility {
    /// Degrees of freedom of velocities: their dimension minus the rank of the constraint Jacobian.
    pub freedom: usize,
    /// Number of velocities.
    pub velocities: usize,
    /// Number of constraint rows.
    pub rows: usize,
    /// Number of independent rows.
    pub rank: usize,
    /// Rows that follow from others, one entry for each row too many.
    pub redundant: Vec<Redundancy>,
    /// Rank at neighbouring configurations that the constraints allow. Where it is larger, this configuration is singular: some of
    /// its motions are possible for an instant only, or lead to different branches.
    pub rank_nearby: usize,
    /// Directions in which the mechanism can move at this instant: orthonormal, each as long as there are velocities.
    pub motions: Vec<Vec<f64>>,
}

impl Mobility {
    /// Whether rows are independent nearby that depend on each other here.
    pub fn is_singular(&self) -> bool {
        self.rank_nearby > self.rank
    }
}

/// A constraint row that others imply.
///
/// ```
/// use liedae::analysis::{Redundancy, mobility};
/// use liedae::system::{Evaluator, System};
///
/// // A point is held in x and in y, and once more along 3 x + 4 y.
/// let mut held = liedae::model([0.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, 0.0])
///     .constraint(|_t, [x, y]| [x, y, x * 3.0 + y * 4.0])
///     .build()?;
/// let state = held.initial_state();
/// let Redundancy { row, follows_from } = mobility(&mut Evaluator::new(&mut held), &state)?.redundant.remove(0);
/// assert_eq!(row.to_string(), "constraint row 2");
/// let factors: Vec<(usize, f64)> = follows_from.iter().map(|(row, factor)| (row.index, factor.round())).collect();
/// assert_eq!(factors, [(0, 3.0), (1, 4.0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Redundancy {
    /// The row.
    pub row: Entry,
    /// The rows that it follows from with their factors: its gradient is the sum of factor · gradient. Empty for a row without
    /// gradient.
    pub follows_from: Vec<(Entry, f64)>,
}

/// Degrees of freedom, redundant rows and possible motions at the state's configuration; the state must satisfy the constraints.
///
/// The rank is that of rows of unit length; rows within [`DEPENDENT_ANGLE`](crate::linalg::DEPENDENT_ANGLE) of each
/// other are dependent. Of rows that depend on each other the last ones are called redundant, so that joints which
/// close a loop are named and not the ones that were there before.
///
/// ```
/// use liedae::analysis::mobility;
/// use liedae::system::{Evaluator, System};
///
/// // A point on a circle; the second row says the same once more.
/// let mut bead = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, 0.0])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0, 2.0 * (x * x + y * y) - 2.0])
///     .build()?;
/// let state = bead.initial_state();
/// let found = mobility(&mut Evaluator::new(&mut bead), &state)?;
/// assert_eq!((found.freedom, found.redundant[0].row.index), (1, 1));
/// assert!((found.redundant[0].follows_from[0].1 - 2.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn mobility(system: &mut Evaluator, state: &State) -> Result<Mobility, AnalysisError> {
    let jacobian = constraint_jacobian(system, state)?;
    let here = Subspaces::of(&jacobian)?;
    let (rows, velocities) = (jacobian.nrows(), jacobian.ncols());
    let motions: Vec<Vec<f64>> = (0..velocities - here.rank)
        .map(|k| (0..velocities).map(|i| here.kernel[(i, k)]).collect())
        .collect();
    Ok(Mobility {
        freedom: velocities - here.rank,
        velocities,
        rows,
        rank: here.rank,
        redundant: redundancies(system, &here),
        rank_nearby: rank_nearby(system, state, &motions, here.rank)?,
        motions,
    })
}

/// One redundant row for each combination of rows that vanishes: combinations are reduced from the last row on.
fn redundancies(system: &mut Evaluator, here: &Subspaces) -> Vec<Redundancy> {
    let (rows, count) = (here.cokernel.nrows(), here.cokernel.ncols());
    let mut combinations: Vec<Vec<f64>> = (0..count)
        .map(|k| (0..rows).map(|i| here.cokernel[(i, k)]).collect())
        .collect();
    let mut found = Vec::with_capacity(count);
    for row in (0..rows).rev() {
        let open = found.len();
        // The combination that this row weighs most in gives it up in all others.
        let Some(chosen) = (open..count).max_by(|&a, &b| {
            combinations[a][row]
                .abs()
                .total_cmp(&combinations[b][row].abs())
        }) else {
            break;
        };
        let size = combinations[chosen]
            .iter()
            .fold(0.0_f64, |m, x| m.max(x.abs()));
        if combinations[chosen][row].abs() <= NEGLIGIBLE * size {
            continue;
        }
        combinations.swap(open, chosen);
        let pivot = combinations[open][row];
        combinations[open]
            .iter_mut()
            .for_each(|entry| *entry /= pivot);
        let reduced = combinations[open].clone();
        for (index, other) in combinations.iter_mut().enumerate() {
            let factor = other[row];
            if index != open && factor != 0.0 {
                for (entry, known) in other.iter_mut().zip(&reduced) {
                    *entry -= factor * known;
                }
                other[row] = 0.0;
            }
        }
        found.push(row);
    }
    let mut name = |row| Entry::row(system, row);
    let mut redundant: Vec<Redundancy> = found
        .iter()
        .zip(&combinations)
        .map(|(&row, combination)| {
            let size = combination.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let others = combination.iter().enumerate();
            Redundancy {
                row: name(row),
                follows_from: others
                    .filter(|&(other, factor)| other != row && factor.abs() > NEGLIGIBLE * size)
                    .map(|(other, factor)| (name(other), -factor))
                    .collect(),
            }
        })
        .collect();
    redundant.sort_by_key(|redundancy| redundancy.row.index);
    redundant
}

/// The largest rank at configurations beside this one, moved along possible motions and put back onto the constraints.
fn rank_nearby(
    system: &mut Evaluator,
    state: &State,
    motions: &[Vec<f64>],
    here: usize,
) -> Result<usize, AnalysisError> {
    let layout = system.layout();
    if layout.rows() == 0 || motions.is_empty() {
        return Ok(here);
    }
    let space = layout.space.clone();
    let mut projector = Projector::new(layout)?;
    let mut largest = here;
    let all: Vec<f64> = (0..motions[0].len())
        .map(|i| motions.iter().map(|motion| motion[i]).sum::<f64>())
        .collect();
    for direction in motions.iter().chain([&all]) {
        for sign in [NEIGHBOUR, -NEIGHBOUR] {
            let step: Vec<f64> = direction.iter().map(|entry| sign * entry).collect();
            let mut beside = state.clone();
            space.retract(&state.q, &step, &mut beside.q);
            // Where the way back is not found, this direction shows nothing.
            if projector
                .project_position(system, &mut beside, true)
                .is_err()
            {
                continue;
            }
            let jacobian = constraint_jacobian(system, &beside)?;
            largest = largest.max(Subspaces::of(&jacobian)?.rank);
        }
    }
    Ok(largest)
}
