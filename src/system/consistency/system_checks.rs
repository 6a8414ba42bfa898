//! Does a system keep what it promises? Its derivatives are compared with differences, before a method believes them.

use crate::linalg::Pattern;
use crate::manifold::Manifold;
use crate::system::consistency::mass_check::check_mass_matrix;
use crate::system::consistency::states::check_shape;
use crate::system::{
    AccelerationSolver, ConsistencyError, DynamicsError, Evaluator, IndependentRows, LayoutError,
    Point, RatesJacobian, State, System,
};
use std::fmt;
use thiserror::Error;

/// Relative displacements of differences. The cube root of the machine precision balances truncation and round-off; the
/// smaller one is for functions that are curved on the scale of a millimetre.
const DISPLACEMENTS: [f64; 2] = [6e-6, 1e-7];

/// What is stated may differ from a difference by this part of one plus the larger of both, ...
const TOLERANCE: f64 = 1e-5;

/// ... and by the round-off of the values that the difference is taken of.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;

/// The energy of a system that keeps it may change by this part of its size in a second.
const ENERGY: f64 = 1e-6;

/// A derivative that a system states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stated {
    /// ∂r/∂(q, x, z) of the rates r = (f, d, a).
    RatesByPosition,
    /// ∂r/∂v.
    RatesByVelocity,
    /// ∂a/∂λ of the algebraic residuals.
    ResidualsByMultiplier,
    /// G = ∂g/∂q, and ∂b/∂v of velocity rows.
    ConstraintJacobian,
    /// G v + ∂g/∂t, the time derivative of g.
    VelocityConstraint,
    /// γ, what is left of the second time derivative without accelerations.
    AccelerationBias,
}

impl fmt::Display for Stated {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::RatesByPosition => "the derivative of the rates by (q, x, z)",
            Self::RatesByVelocity => "the derivative of the rates by v",
            Self::ResidualsByMultiplier => "the derivative of the algebraic residuals by λ",
            Self::ConstraintJacobian => "the constraint Jacobian",
            Self::VelocityConstraint => "the constraint at velocity level",
            Self::AccelerationBias => "the acceleration bias",
        })
    }
}

/// What does not fit in a system. Rows and columns count from 0.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SystemFault {
    /// A derivative is not what differences say.
    #[error("{stated} in row {row}, column {column} is {value:e}; differences say {difference:e}")]
    Derivative {
        /// Which one.
        stated: Stated,
        /// Its row.
        row: usize,
        /// Its column; 0 for what has a single one.
        column: usize,
        /// What the system says.
        value: f64,
        /// What differences say; the system's pattern may have no place for it.
        difference: f64,
    },
    /// A function of the same point has given two values.
    #[error(
        "the {function} in row {row} is {first:e}, and at the same point {second:e} when asked again"
    )]
    NotAFunction {
        /// Which one.
        function: &'static str,
        /// Its row.
        row: usize,
        /// The first value.
        first: f64,
        /// The second one.
        second: f64,
    },
    /// A system that says that it keeps its energy does not.
    #[error("the energy, which the system says it keeps, changes by {rate:e} W at the start")]
    Energy {
        /// Its rate in W.
        rate: f64,
    },
}

/// A system cannot be checked.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SystemCheckError {
    /// The layout does not fit together.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The state has the wrong shape, or the mass matrix is none.
    #[error(transparent)]
    Consistency(#[from] ConsistencyError),
    /// A function or the linear algebra fails.
    #[error(transparent)]
    Dynamics(#[from] DynamicsError),
}

impl From<crate::system::EvaluationError> for SystemCheckError {
    fn from(error: crate::system::EvaluationError) -> Self {
        Self::Dynamics(error.into())
    }
}

/// What a check has found.
#[derive(Clone, Debug, PartialEq)]
pub struct SystemReport {
    /// What does not fit, at most one for each derivative and function: the largest.
    pub faults: Vec<SystemFault>,
    /// Constraint rows that depend on the others at the state.
    pub redundant: Vec<usize>,
    /// Degrees of freedom at velocity level: the dimension less the independent rows.
    pub freedoms: usize,
}

/// Checks a system at a state and at one beside it with other velocities: the layout, symmetry and definiteness of the mass matrix,
/// all derivatives that it states against central differences (where these exist; a kink at the state is a fault), that equal arguments give equal values, the energy if it is to be kept,
/// and counts independent constraint rows. Costs two evaluations for each coordinate.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::check_system;
///
/// struct Oscillator;
///
/// impl Model for Oscillator {
///     fn layout(&self) -> Layout {
///         Layout::dense(Manifold::euclidean(1))
///     }
///     fn initial_state(&self) -> State {
///         State { q: vec![1.0], ..self.layout().state() }
///     }
///     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
///         mass[(0, 0)] = S::constant(2.0);
///     }
///     fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
///         force[0] = at.q[0] * -50.0;
///     }
/// }
///
/// let mut system = Automatic::new(Oscillator);
/// let state = system.initial_state();
/// let report = check_system(&mut system, &state)?;
/// assert!(report.faults.is_empty(), "{:?}", report.faults);
/// assert_eq!(report.freedoms, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SystemCheckError`] where nothing can be compared: a layout or a state of the wrong shape, a mass matrix that is none, functions
/// that fail.
pub fn check_system(
    system: &mut dyn System,
    state: &State,
) -> Result<SystemReport, SystemCheckError> {
    system.layout().check()?;
    let evaluator = &mut Evaluator::new(system);
    check_shape(evaluator.layout(), state)?;
    check_mass_matrix(evaluator, state)?;
    let mut faults = Vec::new();
    check_repeatability(evaluator, state, &mut faults)?;
    for (beside, state) in [(false, state.clone()), (true, moving(state))] {
        let mut comparison = Comparison::new(evaluator, &state);
        let compared = comparison.rates().and_then(|()| comparison.constraints());
        // Functions need not be defined beside the state.
        if !beside {
            compared?;
        }
        for fault in comparison.faults {
            if !faults.iter().any(|known| same(known, &fault)) {
                faults.push(fault);
            }
        }
    }
    check_energy(evaluator, state, &mut faults)?;
    let mut redundant = Vec::new();
    if evaluator.layout().rows() > 0 {
        let linear = |source| DynamicsError::Linear { t: state.t, source };
        let mut rows = IndependentRows::new(evaluator.layout()).map_err(linear)?;
        rows.load(evaluator, &state.point())?;
        rows.choose();
        redundant.extend_from_slice(rows.dropped());
    }
    let layout = evaluator.layout();
    let independent = layout.rows() - redundant.len();
    Ok(SystemReport {
        faults,
        freedoms: layout.dimension().saturating_sub(independent),
        redundant,
    })
}

fn same(a: &SystemFault, b: &SystemFault) -> bool {
    match (a, b) {
        (SystemFault::Derivative { stated: a, .. }, SystemFault::Derivative { stated: b, .. }) => {
            a == b
        }
        _ => false,
    }
}

/// The state with velocities, differential states and multipliers without a pattern: many mistakes do not show at rest.
fn moving(state: &State) -> State {
    let mut moving = state.clone();
    let parts = [
        &mut moving.v,
        &mut moving.x,
        &mut moving.z,
        &mut moving.lambda,
    ];
    for part in parts {
        let size = part.iter().fold(1.0_f64, |max, value| max.max(value.abs()));
        for (index, value) in part.iter_mut().enumerate() {
            // Multiples of the golden ratio.
            let phase = (index + 1) as f64 * 0.618_033_988_749_894_9;
            *value += 0.1 * size * (phase.fract() - 0.5);
        }
    }
    moving
}

/// Compares what a system states at a state.
struct Comparison<'a, 'b> {
    system: &'a mut Evaluator<'b>,
    state: &'a State,
    faults: Vec<SystemFault>,
}

/// Slopes of a function by displacements of several sizes, each with its round-off.
struct Differences(Vec<(Vec<f64>, f64)>);

/// A vector-valued function of a point.
type Function<'f> =
    dyn FnMut(&mut Evaluator, &Point, &mut [f64]) -> Result<(), SystemCheckError> + 'f;

impl<'a, 'b> Comparison<'a, 'b> {
    fn new(system: &'a mut Evaluator<'b>, state: &'a State) -> Self {
        Self {
            system,
            state,
            faults: Vec::new(),
        }
    }

    /// Differences of a function over displacements of a state, relative to a size, with their round-off.
    fn differences(
        &mut self,
        length: usize,
        relative_to: f64,
        displace: &dyn Fn(&mut State, f64),
        function: &mut Function,
    ) -> Differences {
        let mut found = Vec::with_capacity(DISPLACEMENTS.len());
        for displacement in DISPLACEMENTS {
            let step = displacement * relative_to;
            let mut ends = [vec![0.0; length], vec![0.0; length]];
            let mut defined = true;
            for (end, sign) in ends.iter_mut().zip([1.0, -1.0]) {
                let mut displaced = self.state.clone();
                displace(&mut displaced, sign * step);
                defined &= function(self.system, &displaced.point(), end).is_ok();
            }
            // At the edge of where a function is defined there is nothing to compare with.
            if !defined {
                continue;
            }
            let [ahead, behind] = &ends;
            let size = ahead
                .iter()
                .fold(0.0_f64, |max, value| max.max(value.abs()));
            let pairs = ahead.iter().zip(behind);
            let slopes = pairs.map(|(a, b)| (a - b) / (2.0 * step)).collect();
            found.push((slopes, ROUND_OFF * size / step));
        }
        Differences(found)
    }

    /// Notes the largest disagreement of one derivative. It must disagree with all differences.
    fn compare(
        &mut self,
        stated: Stated,
        (row, column): (usize, usize),
        value: f64,
        differences: &Differences,
        index: usize,
    ) {
        let mut nearest = (f64::INFINITY, 0.0);
        for (slopes, noise) in &differences.0 {
            let difference: f64 = slopes[index];
            let off = (value - difference).abs();
            if off <= TOLERANCE * (1.0 + value.abs().max(difference.abs())) + noise {
                return;
            }
            if off < nearest.0 {
                nearest = (off, difference);
            }
        }
        let (off, difference) = nearest;
        if differences.0.is_empty() {
            return;
        }
        let fault = SystemFault::Derivative {
            stated,
            row,
            column,
            value,
            difference,
        };
        let known = self.faults.iter_mut().find(|known| same(known, &fault));
        match known {
            None => self.faults.push(fault),
            Some(known) => {
                if let SystemFault::Derivative {
                    value, difference, ..
                } = known
                    && off > (*value - *difference).abs()
                {
                    *known = fault;
                }
            }
        }
    }

    fn rates(&mut self) -> Result<(), SystemCheckError> {
        let layout = self.system.layout();
        let (dimension, length) = (layout.dimension(), layout.rate_count());
        let (differential, algebraic) = (layout.differential, layout.algebraic);
        let (pattern, rows) = (layout.rates.clone(), layout.rows());
        let space = layout.space.clone();
        let mut derivatives = RatesJacobian::new(layout);
        self.system
            .rates_jacobian(&self.state.point(), &mut derivatives)?;
        let mut rates = |system: &mut Evaluator, at: &Point, out: &mut [f64]| {
            system.rates(at, out)?;
            Ok(())
        };
        for column in 0..length {
            let displace = |state: &mut State, by: f64| {
                if column < dimension {
                    turn(&space, column, by, state);
                } else if column < dimension + differential {
                    state.x[column - dimension] += by;
                } else {
                    state.z[column - dimension - differential] += by;
                }
            };
            let relative_to = if column < dimension {
                self.extent()
            } else if column < dimension + differential {
                unit(1.0, self.state.x[column - dimension])
            } else {
                unit(1.0, self.state.z[column - dimension - differential])
            };
            let found = self.differences(length, relative_to, &displace, &mut rates);
            let stated = Stated::RatesByPosition;
            self.compare_column(
                stated,
                &pattern,
                &derivatives.by_position,
                column,
                length,
                &found,
            );
        }
        for column in 0..dimension {
            let displace = |state: &mut State, by: f64| state.v[column] += by;
            let relative_to = unit(1.0, self.state.v[column]);
            let found = self.differences(length, relative_to, &displace, &mut rates);
            let stated = Stated::RatesByVelocity;
            self.compare_column(
                stated,
                &pattern,
                &derivatives.by_velocity,
                column,
                length,
                &found,
            );
        }
        for column in 0..if algebraic > 0 { rows } else { 0 } {
            let displace = |state: &mut State, by: f64| state.lambda[column] += by;
            let relative_to = unit(1.0, self.state.lambda[column]);
            let found = self.differences(length, relative_to, &displace, &mut rates);
            for index in 0..algebraic {
                let value = derivatives.by_multiplier[index * rows + column];
                let (place, row) = ((index, column), dimension + differential + index);
                self.compare(Stated::ResidualsByMultiplier, place, value, &found, row);
            }
        }
        Ok(())
    }

    fn compare_column(
        &mut self,
        stated: Stated,
        pattern: &Pattern,
        values: &[f64],
        column: usize,
        length: usize,
        found: &Differences,
    ) {
        for row in 0..length {
            let value = pattern
                .position(row, column)
                .map_or(0.0, |place| values[place]);
            self.compare(stated, (row, column), value, found, row);
        }
    }

    fn constraints(&mut self) -> Result<(), SystemCheckError> {
        let layout = self.system.layout();
        let (dimension, rows) = (layout.dimension(), layout.rows());
        let position_rows = layout.position_rows;
        let (pattern, space) = (layout.jacobian.clone(), layout.space.clone());
        if rows == 0 {
            return Ok(());
        }
        let mut jacobian = vec![0.0; pattern.nnz()];
        let mut velocity = vec![0.0; rows];
        let mut bias = vec![0.0; rows];
        let at = self.state.point();
        self.system.constraint_jacobian(&at, &mut jacobian)?;
        self.system.velocity_constraint(&at, &mut velocity)?;
        self.system.acceleration_bias(&at, &mut bias)?;
        let mut positions = |system: &mut Evaluator, at: &Point, out: &mut [f64]| {
            if position_rows > 0 {
                system.position_constraint(at, out)?;
            }
            Ok(())
        };
        let mut velocities = |system: &mut Evaluator, at: &Point, out: &mut [f64]| {
            system.velocity_constraint(at, out)?;
            Ok(())
        };
        let extent = self.extent();
        for column in 0..dimension {
            let turn = |state: &mut State, by: f64| turn(&space, column, by, state);
            let push = |state: &mut State, by: f64| state.v[column] += by;
            let by_position = self.differences(position_rows, extent, &turn, &mut positions);
            let by_velocity = self.differences(
                rows,
                unit(1.0, self.state.v[column]),
                &push,
                &mut velocities,
            );
            for row in 0..rows {
                let place = pattern.position(row, column);
                let value = place.map_or(0.0, |place| jacobian[place]);
                let stated = Stated::ConstraintJacobian;
                if row < position_rows {
                    self.compare(stated, (row, column), value, &by_position, row);
                }
                self.compare(stated, (row, column), value, &by_velocity, row);
            }
        }
        let go_on = |state: &mut State, by: f64| {
            let u: Vec<f64> = state.v.iter().map(|v| by * v).collect();
            let q = state.q.clone();
            space.retract(&q, &u, &mut state.q);
            state.t += by;
        };
        let fastest = self.state.v.iter().fold(1.0_f64, |max, v| max.max(v.abs()));
        let rates = self.differences(position_rows, extent / fastest, &go_on, &mut positions);
        for (row, &value) in velocity.iter().enumerate().take(position_rows) {
            self.compare(Stated::VelocityConstraint, (row, 0), value, &rates, row);
        }
        let rates = self.differences(rows, extent / fastest, &go_on, &mut velocities);
        for (row, &value) in bias.iter().enumerate() {
            self.compare(Stated::AccelerationBias, (row, 0), value, &rates, row);
        }
        Ok(())
    }

    /// What displacements of the configuration are relative to.
    fn extent(&self) -> f64 {
        self.state.q.iter().copied().fold(1.0, unit)
    }
}

/// Displaces the configuration in one local coordinate.
fn turn(space: &Manifold, column: usize, by: f64, state: &mut State) {
    let mut u = vec![0.0; space.dimension()];
    u[column] = by;
    let q = state.q.clone();
    space.retract(&q, &u, &mut state.q);
}

/// What displacements of a value are relative to, at least.
fn unit(least: f64, value: f64) -> f64 {
    least.max(value.abs())
}

fn check_repeatability(
    system: &mut Evaluator,
    state: &State,
    faults: &mut Vec<SystemFault>,
) -> Result<(), SystemCheckError> {
    let (rates, rows) = (system.layout().rate_count(), system.layout().rows());
    let beside = moving(state);
    let mut values = [vec![0.0; rates], vec![0.0; rates]];
    let mut constraints = [vec![0.0; rows], vec![0.0; rows]];
    for index in 0..2 {
        system.rates(&state.point(), &mut values[index])?;
        system.velocity_constraint(&state.point(), &mut constraints[index])?;
        // What is asked in between must not matter.
        let mut other = vec![0.0; rates];
        let _ = system.rates(&beside.point(), &mut other);
    }
    for (function, [first, second]) in [
        ("rate", &values),
        ("constraint at velocity level", &constraints),
    ] {
        let pairs = first.iter().zip(second);
        let differs = pairs.enumerate().find(|(_, (a, b))| a != b);
        if let Some((row, (&first, &second))) = differs {
            faults.push(SystemFault::NotAFunction {
                function,
                row,
                first,
                second,
            });
        }
    }
    Ok(())
}

/// Along the motion from the state.
fn check_energy(
    system: &mut Evaluator,
    state: &State,
    faults: &mut Vec<SystemFault>,
) -> Result<(), SystemCheckError> {
    if !system.system().keeps_energy() {
        return Ok(());
    }
    let mut state = state.clone();
    let linear = |source| DynamicsError::Linear { t: state.t, source };
    let mut accelerations = AccelerationSolver::new(system.layout()).map_err(linear)?;
    accelerations.complete(system, &mut state)?;
    let space = system.layout().space.clone();
    let step = DISPLACEMENTS[0];
    let mut energies = [0.0; 2];
    for (energy, sign) in energies.iter_mut().zip([1.0, -1.0]) {
        let h = sign * step;
        let mut moved = state.clone();
        let pairs = state.v.iter().zip(&state.acceleration);
        let u: Vec<f64> = pairs.map(|(v, a)| h * (v + 0.5 * h * a)).collect();
        space.retract(&state.q, &u, &mut moved.q);
        for (v, a) in moved.v.iter_mut().zip(&state.acceleration) {
            *v += h * a;
        }
        moved.t += h;
        let Some(value) = system.energy(&moved.point())? else {
            return Ok(());
        };
        *energy = value;
    }
    let rate = (energies[0] - energies[1]) / (2.0 * step);
    let size = 1.0 + energies[0].abs();
    if rate.abs() > ENERGY * size + ROUND_OFF * size / step {
        faults.push(SystemFault::Energy { rate });
    }
    Ok(())
}
