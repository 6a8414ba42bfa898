//! Consistent states: how far a state violates the constraints, and projections onto them.

use crate::scalar::larger_or_nan;
use crate::system::consistency::mass_check::check_mass_matrix;
use crate::system::{DynamicsError, Evaluator, Layout, Projector, State};
use serde::Serialize;
use thiserror::Error;

/// Largest violation of the constraints at each level, in the units of the rows.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{Evaluator, Violation, project_initial_state};
///
/// // A bob at 1.2 m from its pivot, where x² + y² - 1 should be zero, and so should 2 (x x' + y y').
/// let mut pendulum = liedae::model([1.2, 0.0], [0.5, 2.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let mut state = pendulum.initial_state();
/// let before: Violation = project_initial_state(&mut Evaluator::new(&mut pendulum), &mut state)?.before;
/// assert!((before.position - 0.44).abs() < 1e-12 && (before.velocity - 1.2).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Violation {
    /// max |g|.
    pub position: f64,
    /// max |G v + g_t| and |b|.
    pub velocity: f64,
    /// max |G v' + γ|.
    pub acceleration: f64,
}

impl Violation {
    /// The larger of two violations, level by level; a NaN stays.
    pub fn max(self, other: Self) -> Self {
        Self {
            position: larger_or_nan(other.position, self.position),
            velocity: larger_or_nan(other.velocity, self.velocity),
            acceleration: larger_or_nan(other.acceleration, self.acceleration),
        }
    }
}

/// A state, at the start or after a jump, contradicts the constraints.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ConsistencyError {
    /// A slice of the state has the wrong length.
    #[error("the {part} has {found} entries where the system has {expected}")]
    Length {
        /// Which part of the state.
        part: &'static str,
        /// Its length.
        found: usize,
        /// The length by the layout.
        expected: usize,
    },
    /// A number of the state is NaN or infinite.
    #[error("the {part} is not finite (entry {index})")]
    NonFinite {
        /// Which part of the state.
        part: &'static str,
        /// First offending entry.
        index: usize,
    },
    /// The configuration is not on the group.
    #[error("the configuration is not an element of the configuration space: {0}")]
    Configuration(String),
    /// Position rows are violated.
    #[error(
        "the configuration violates {} position constraint row(s): row {} by {:e} (rows count from 0); \
         mend the values or call project_initial_state",
        rows.len(), rows[0].0, rows[0].1
    )]
    Position {
        /// (row, violation), the largest first.
        rows: Vec<(usize, f64)>,
    },
    /// Velocity rows are violated.
    #[error(
        "the velocity violates {} constraint row(s): row {} by {:e} (rows count from 0); \
         mend the values or call project_initial_state",
        rows.len(), rows[0].0, rows[0].1
    )]
    Velocity {
        /// (row, violation), the largest first.
        rows: Vec<(usize, f64)>,
    },
    /// The mass matrix is not symmetric.
    #[error(
        "the mass matrix is not symmetric: entry ({row}, {column}) is {value:e} and entry ({column}, {row}) is {mirrored:e} \
         (rows and columns count from 0)"
    )]
    AsymmetricMass {
        /// Row of the first entry.
        row: usize,
        /// Its column.
        column: usize,
        /// Its value.
        value: f64,
        /// The value of the entry on the other side of the diagonal.
        mirrored: f64,
    },
    /// The mass matrix gives some motion a negative kinetic energy.
    #[error(
        "the mass matrix is indefinite: what is left of row {row} after the rows before it is {pivot:e} (rows count from 0); \
         a mass, an inertia or an entry beside the diagonal is wrong"
    )]
    IndefiniteMass {
        /// The row.
        row: usize,
        /// Its pivot in Cholesky's factorization.
        pivot: f64,
    },
    /// A row without derivatives, 0 = d, is violated.
    #[error(
        "the differential states violate the algebraic row {row} of E x' = d by {residual:e} (rows count from 0)"
    )]
    Algebraic {
        /// The row.
        row: usize,
        /// Its value.
        residual: f64,
    },
    /// The projection did not find a consistent state.
    #[error(
        "no consistent state was found near the one given: {levels} constraints still violated by {remaining:e} after {iterations} iterations"
    )]
    NotProjected {
        /// `position` or `velocity`.
        levels: &'static str,
        /// Largest remaining violation.
        remaining: f64,
        /// Iterations taken.
        iterations: usize,
    },
    /// The system cannot be evaluated or solved at the initial state.
    #[error("the system cannot be solved there: {0}")]
    Dynamics(#[from] DynamicsError),
}

/// How consistency is judged: by bounds that are zero or positive. An infinite one lets any violation pass.
///
/// ```
/// use liedae::integrator::{Mdop5, Projection};
/// use liedae::prelude::*;
/// use liedae::system::Consistency;
///
/// // A bob 0.1 mm off its circle: refused, unless one says that this is near enough.
/// let mut pendulum = liedae::model([1.0001, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let (method, options) = (Mdop5::new(Projection::EveryStep), Options::adaptive(0.1, 1e-6, 1e-6));
/// assert!(solve(&mut pendulum, &method, &options).is_err());
/// let consistency = Consistency { position: 1e-3, ..Consistency::default() };
/// assert!(solve(&mut pendulum, &method, &Options { consistency, ..options }).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Consistency {
    /// Largest violation of a position row divided by the norm of its gradient: a displacement.
    pub position: f64,
    /// Largest violation of a velocity row divided by the norm of its gradient and by 1 + max |v|.
    pub velocity: f64,
}

impl Default for Consistency {
    fn default() -> Self {
        Self {
            position: 1e-8,
            velocity: 1e-8,
        }
    }
}

/// Checks lengths, finiteness, the group, the mass matrix, and the constraints at position and velocity level.
///
/// Returns the violations that were found acceptable.
pub fn check_consistency(
    system: &mut Evaluator,
    state: &State,
    tolerance: Consistency,
) -> Result<Violation, ConsistencyError> {
    // Shapes first: nothing else can be evaluated without them.
    check_shape(system.layout(), state)?;
    check_mass_matrix(system, state)?;
    check_algebraic_rows(system, state)?;
    let layout = system.layout();
    let (rows, position_rows) = (layout.rows(), layout.position_rows);
    if rows == 0 {
        return Ok(Violation::default());
    }
    let pattern = layout.jacobian.clone();
    let mut jacobian = vec![0.0; pattern.nnz()];
    let mut g = vec![0.0; position_rows];
    let mut b = vec![0.0; rows];
    let at = state.point();
    system
        .constraint_jacobian(&at, &mut jacobian)
        .map_err(DynamicsError::from)?;
    if position_rows > 0 {
        system
            .position_constraint(&at, &mut g)
            .map_err(DynamicsError::from)?;
    }
    system
        .velocity_constraint(&at, &mut b)
        .map_err(DynamicsError::from)?;
    let gradient = |row: usize| -> f64 {
        let entries = &jacobian[pattern.row_range(row)];
        let norm = entries
            .iter()
            .map(|entry| entry * entry)
            .sum::<f64>()
            .sqrt();
        // A row without entries is measured as it is.
        if norm > 0.0 { norm } else { 1.0 }
    };
    let violated = |values: &[f64], bound: f64| -> Vec<(usize, f64)> {
        let mut found: Vec<(usize, f64)> = values
            .iter()
            .enumerate()
            // A bound that is not a number lets nothing pass.
            .filter(|&(row, value)| bound.is_nan() || value.abs() > bound * gradient(row))
            .map(|(row, value)| (row, value.abs()))
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        found
    };
    let rows = violated(&g, tolerance.position);
    if !rows.is_empty() {
        return Err(ConsistencyError::Position { rows });
    }
    let rows = violated(&b, tolerance.velocity * (1.0 + largest(&state.v)));
    if !rows.is_empty() {
        return Err(ConsistencyError::Velocity { rows });
    }
    Ok(Violation {
        position: largest(&g),
        velocity: largest(&b),
        acceleration: 0.0,
    })
}

/// Rows of E x' = d in which E is empty must hold as they stand.
fn check_algebraic_rows(system: &mut Evaluator, state: &State) -> Result<(), ConsistencyError> {
    let layout = system.layout();
    let Some((descriptor, values)) = layout.descriptor.clone() else {
        return Ok(());
    };
    let first = layout.dimension();
    let mut rates = vec![0.0; layout.rate_count()];
    system
        .rates(&state.point(), &mut rates)
        .map_err(DynamicsError::from)?;
    let bound = 1e-6 * (1.0 + largest(&state.x));
    for row in 0..descriptor.rows() {
        let residual = rates[first + row].abs();
        if values[descriptor.row_range(row)]
            .iter()
            .all(|&entry| entry == 0.0)
            && residual > bound
        {
            return Err(ConsistencyError::Algebraic { row, residual });
        }
    }
    Ok(())
}

pub(in crate::system) fn check_shape(
    layout: &Layout,
    state: &State,
) -> Result<(), ConsistencyError> {
    let parts = [
        ("configuration", &state.q, layout.space.coordinates()),
        ("velocity", &state.v, layout.dimension()),
        ("differential states", &state.x, layout.differential),
        ("algebraic variables", &state.z, layout.algebraic),
        ("multipliers", &state.lambda, layout.rows()),
        ("acceleration", &state.acceleration, layout.dimension()),
    ];
    for (part, values, expected) in parts {
        if values.len() != expected {
            return Err(ConsistencyError::Length {
                part,
                found: values.len(),
                expected,
            });
        }
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            return Err(ConsistencyError::NonFinite { part, index });
        }
    }
    if state.mode.len() != layout.modes {
        return Err(ConsistencyError::Length {
            part: "modes",
            found: state.mode.len(),
            expected: layout.modes,
        });
    }
    if !state.t.is_finite() {
        return Err(ConsistencyError::NonFinite {
            part: "time",
            index: 0,
        });
    }
    layout
        .space
        .check(&state.q)
        .map_err(|error| ConsistencyError::Configuration(error.to_string()))
}

/// What a projection did.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{Evaluator, ProjectionReport, project_initial_state};
///
/// // A bob at 1.2 m from its pivot is put onto the circle of 1 m.
/// let mut pendulum = liedae::model([1.2, 0.0], [0.5, 2.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let mut state = pendulum.initial_state();
/// let report = project_initial_state(&mut Evaluator::new(&mut pendulum), &mut state)?;
/// let ProjectionReport { before, after, iterations } = report;
/// assert!(before.position > 0.4 && after.position < 1e-12 && (2..10).contains(&iterations));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ProjectionReport {
    /// Violations before.
    pub before: Violation,
    /// Violations after.
    pub after: Violation,
    /// Newton iterations at position level.
    pub iterations: usize,
}

/// Moves an initial state onto the constraints: positions first, then velocities, both by the least change measured
/// with the mass matrix (Haddouni et al. 2017, eqs. 35 and 36, doi:10.1007/s11044-017-9570-y).
///
/// The state is changed only when the projection succeeds.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{Evaluator, project_initial_state};
///
/// // A pendulum that is stated beside its circle of 1 m.
/// let mut pendulum = liedae::model([1.1, 0.1], [1.0, 1.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let mut state = pendulum.initial_state();
/// let report = project_initial_state(&mut Evaluator::new(&mut pendulum), &mut state)?;
/// assert!(report.before.position > 0.1 && report.after.position < 1e-12);
/// assert!((state.q[0].hypot(state.q[1]) - 1.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn project_initial_state(
    system: &mut Evaluator,
    state: &mut State,
) -> Result<ProjectionReport, ConsistencyError> {
    check_shape(system.layout(), state)?;
    let linear = |source| DynamicsError::Linear { t: state.t, source };
    let mut projector = Projector::new(system.layout()).map_err(linear)?;
    // A copy: the state stays as it was if the projection fails.
    let mut candidate = state.clone();
    let before = projector.violation(system, &candidate)?;
    let iterations = projector.project_position(system, &mut candidate, true)?;
    projector.project_velocity(system, &mut candidate)?;
    let after = projector.violation(system, &candidate)?;
    match check_consistency(system, &candidate, Consistency::default()) {
        Ok(_) => {}
        Err(ConsistencyError::Position { rows }) => {
            let remaining = rows[0].1;
            return Err(ConsistencyError::NotProjected {
                levels: "position",
                remaining,
                iterations,
            });
        }
        Err(ConsistencyError::Velocity { rows }) => {
            let remaining = rows[0].1;
            return Err(ConsistencyError::NotProjected {
                levels: "velocity",
                remaining,
                iterations,
            });
        }
        Err(other) => return Err(other),
    }
    *state = candidate;
    Ok(ProjectionReport {
        before,
        after,
        iterations,
    })
}

/// The largest absolute value; NaN if there is one. Infinity stays what it is, unlike in [`crate::scalar::largest`].
pub(crate) fn largest(values: &[f64]) -> f64 {
    let size = crate::scalar::largest(values);
    if size.is_finite() {
        return size;
    }
    let sizes = values.iter().map(|value| value.abs());
    sizes.fold(0.0, larger_or_nan)
}
