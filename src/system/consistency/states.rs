//! Consistent states: how far a state violates the constraints, and projections onto them.

use crate::scalar::larger_or_nan;
use crate::system::consistency::algebraic_rows::{AlgebraicRows, Violated};
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
    /// Position rows hold, or would be made to hold, where they are not meant.
    #[error(
        "the axes of '{joint}' point opposite ways: its rows, cosines of axes, hold there as well; turn one of its bodies by half a turn"
    )]
    Opposed {
        /// Name of the joint.
        joint: String,
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
    /// An equation of E x' = d (M y' = f) without derivatives, 0 = d, is violated: a row in which E is empty, or a combination of rows in
    /// which it cancels.
    #[error(
        "the differential states violate the algebraic {} of E x' = d by {residual:e}, with terms of {terms:e} in all (rows count from 0); \
         mend the values or call project_initial_state",
        list(rows)
    )]
    Algebraic {
        /// The rows that are combined.
        rows: Vec<usize>,
        /// The value of the equation.
        residual: f64,
        /// The sum of the absolute values of its terms.
        terms: f64,
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

/// The rows of an equation, in words.
fn list(rows: &[usize]) -> String {
    match rows {
        [row] => format!("row {row}"),
        rows => {
            let numbers: Vec<String> = rows.iter().map(usize::to_string).collect();
            format!("combination of rows {}", numbers.join(", "))
        }
    }
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
    /// Largest violation of a position row divided by the norm of its gradient: a displacement. Where coordinates are beyond 1024 or
    /// below 1/1024 it is relative to them.
    pub position: f64,
    /// Largest violation of a velocity row divided by the norm of its gradient and by 1 + max |v|.
    pub velocity: f64,
    /// Largest violation of an algebraic equation of E x' = d, as a part of the sum of the absolute values of its terms: of its derivatives
    /// times the variables.
    pub algebraic: f64,
}

impl Default for Consistency {
    fn default() -> Self {
        Self {
            position: 1e-8,
            velocity: 1e-8,
            algebraic: 1e-6,
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
    check_algebraic_rows(system, state, tolerance.algebraic, None)?;
    check_constraints(system, state, tolerance)
}

/// The constraints at position and velocity level.
fn check_constraints(
    system: &mut Evaluator,
    state: &State,
    tolerance: Consistency,
) -> Result<Violation, ConsistencyError> {
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
    check_branch(system, state)?;
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

/// Equations of E x' = d without derivatives must hold as they stand, or as well as `before`.
fn check_algebraic_rows(
    system: &mut Evaluator,
    state: &State,
    tolerance: f64,
    before: Option<&State>,
) -> Result<(), ConsistencyError> {
    let Some(mut rows) = AlgebraicRows::new(system.layout(), false) else {
        return Ok(());
    };
    if tolerance == f64::INFINITY {
        return Ok(());
    }
    let violated = rows.violated(system, state, tolerance, before);
    match violated.map_err(DynamicsError::from)? {
        None => Ok(()),
        Some(Violated {
            rows,
            residual,
            terms,
        }) => Err(ConsistencyError::Algebraic {
            rows,
            residual,
            terms,
        }),
    }
}

/// Solves the algebraic equations of E x' = d for what they determine, E x being given: at a start and behind a jump. Nothing is done where
/// E is regular, and where an index above 1 says that the equations do not determine the variables.
pub(crate) fn solve_algebraic_rows(
    system: &mut Evaluator,
    state: &mut State,
) -> Result<(), DynamicsError> {
    let layout = system.layout();
    if layout.descriptor.is_none() {
        return Ok(());
    }
    // Rows of z may depend on multipliers, which only the equations of motion give.
    let with_z = layout.rows() == 0;
    match AlgebraicRows::new(layout, with_z).filter(|rows| rows.determined) {
        Some(mut rows) => rows.solve(system, state),
        None => Ok(()),
    }
}

/// Checks a state that the handler of an event has left, and solves for its algebraic variables. A run that `stops` with the state that the
/// method has left, `before`, is not judged by what the method leaves of algebraic equations.
pub(crate) fn settle_jump(
    system: &mut Evaluator,
    (before, state): (&State, &mut State),
    stops: bool,
    tolerance: Consistency,
) -> Result<(), ConsistencyError> {
    check_shape(system.layout(), state)?;
    check_mass_matrix(system, state)?;
    if !stops || before != state {
        let same_shape = before.x.len() == state.x.len() && before.z.len() == state.z.len();
        let solved = solve_algebraic_rows(system, state);
        let before = Some(before).filter(|_| same_shape);
        let checked = check_algebraic_rows(system, state, tolerance.algebraic, before);
        // Where a state holds as it is, it need not be solved for; elsewhere the reason says more than the rows.
        checked.or_else(|violated| solved.map_err(ConsistencyError::from).and(Err(violated)))?;
    }
    check_constraints(system, state, tolerance).map(|_| ())
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
/// let ProjectionReport { before, after, iterations, .. } = report;
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
    /// The largest violation of an algebraic row before, as a part of the sum of the absolute values of its terms. Infinite if all of them
    /// are zero.
    pub algebraic: f64,
}

/// Moves an initial state onto the constraints: positions first, then velocities, both by the least change measured
/// with the mass matrix (Haddouni et al. 2017, eqs. 35 and 36, doi:10.1007/s11044-017-9570-y). Algebraic rows are solved for the algebraic
/// variables: for those of E x' = d with E x as it is, and for z where no multipliers occur.
///
/// Algebraic rows of a system of higher index, whose variables they do not determine, are only checked.
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
    let algebraic = project_algebraic(system, &mut candidate)?;
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
        algebraic,
    })
}

/// Solves the algebraic rows that determine variables by themselves; the largest violation before.
fn project_algebraic(system: &mut Evaluator, state: &mut State) -> Result<f64, DynamicsError> {
    // Rows of z may depend on multipliers, which only the equations of motion give.
    let with_z = system.layout().rows() == 0;
    let Some(mut rows) = AlgebraicRows::new(system.layout(), with_z) else {
        return Ok(0.0);
    };
    let before = rows.largest_violation(system, state)?;
    if rows.determined {
        rows.solve(system, state)?;
    }
    Ok(before)
}

/// Refuses configurations on a branch of the position rows that is not meant.
pub(crate) fn check_branch(system: &mut Evaluator, state: &State) -> Result<(), ConsistencyError> {
    let mut branches = system.system().branches();
    match branches
        .as_mut()
        .and_then(|own| own.opposed(&state.point()))
    {
        Some(joint) => Err(ConsistencyError::Opposed { joint }),
        None => Ok(()),
    }
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
