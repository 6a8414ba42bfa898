//! Projections onto the constraints at position and velocity level.

use crate::linalg::{KktError, KktSolver};
use crate::scalar::larger_or_nan;
use crate::system::consistency::states::largest;
use crate::system::{DynamicsError, Evaluator, Layout, Point, State, Violation};

/// Projections onto the position and velocity constraints with all their memory.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{Evaluator, Projector};
///
/// // A bob at 1.2 m from its pivot is put onto the circle of 1 m, and its velocity across it.
/// let mut pendulum = liedae::model([1.2, 0.0], [0.5, 2.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let mut state = pendulum.initial_state();
/// let mut projector = Projector::new(pendulum.layout())?;
/// let mut evaluator = Evaluator::new(&mut pendulum);
/// projector.project_position(&mut evaluator, &mut state, true)?;
/// projector.project_velocity(&mut evaluator, &mut state)?;
/// assert!((state.q[0] - 1.0).abs() < 1e-12 && state.q[1].abs() < 1e-12);
/// assert!(state.v[0].abs() < 1e-12 && (state.v[1] - 2.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Projector {
    pub(in crate::system) kkt: KktSolver,
    pub(in crate::system) mass: Vec<f64>,
    jacobian: Vec<f64>,
    left: Vec<f64>,
    pub(in crate::system) residual: Vec<f64>,
    pub(in crate::system) zero: Vec<f64>,
    pub(in crate::system) change: Vec<f64>,
    pub(in crate::system) multipliers: Vec<f64>,
    pub(in crate::system) moved: Vec<f64>,
    /// 1 / |gradient| of each row at the last Jacobian: violations become displacements.
    row_scale: Vec<f64>,
    scaled: bool,
    position_rows: usize,
    /// The energy to keep.
    pub(in crate::system) energy: Option<f64>,
    pub(in crate::system) rates: Vec<f64>,
    /// The acceleration that the state would have at rest, along the constraints.
    pub(in crate::system) at_rest: Vec<f64>,
    pub(in crate::system) gradient_square: f64,
    /// The size of the terms whose sum the energy is.
    pub(in crate::system) energy_parts: f64,
}

const MAX_ITERATIONS: usize = 50;

/// Round-off that rows may consist of: a few roundings for each of their terms.
const ROUNDINGS: f64 = 4.0 * f64::EPSILON;

/// Positions may stall so many times above their round-off where rows are ill-conditioned. Rows depend on each other at exact positions,
/// so that as much is no contradiction between their residuals.
const STALLED: f64 = 1e3;

impl Projector {
    /// Allocates everything for systems of this layout.
    pub fn new(layout: &Layout) -> Result<Self, KktError> {
        let (dimension, rows) = (layout.dimension(), layout.rows());
        Ok(Self {
            kkt: KktSolver::new(
                &layout.mass,
                &layout.jacobian,
                &layout.jacobian,
                &layout.blocks,
            )?,
            mass: vec![0.0; layout.mass.nnz()],
            jacobian: vec![0.0; layout.jacobian.nnz()],
            left: vec![0.0; layout.jacobian.nnz()],
            residual: vec![0.0; rows],
            zero: vec![0.0; dimension],
            change: vec![0.0; dimension],
            multipliers: vec![0.0; rows],
            moved: vec![0.0; layout.space.coordinates()],
            row_scale: vec![1.0; rows],
            scaled: false,
            position_rows: layout.position_rows,
            energy: None,
            rates: vec![0.0; layout.rate_count()],
            at_rest: vec![0.0; dimension],
            gradient_square: 0.0,
            energy_parts: 0.0,
        })
    }

    /// Forgets the states that it has met: what follows is as with a new one.
    pub fn forget(&mut self) {
        self.scaled = false;
        self.energy = None;
    }

    /// Whether there is anything to project onto: constraint rows, or an energy.
    pub(crate) fn moves(&self) -> bool {
        !self.residual.is_empty() || self.energy.is_some()
    }

    /// 1 / |gradient| of a row, by which its violations become displacements. A row without entries is measured as it is.
    ///
    /// ```
    /// use liedae::system::Projector;
    ///
    /// assert_eq!(Projector::row_scale(&[3.0, -4.0]), 0.2);
    /// assert_eq!(Projector::row_scale(&[0.0]), 1.0);
    /// ```
    pub fn row_scale(gradient: &[f64]) -> f64 {
        let squares = gradient.iter().map(|entry| entry * entry);
        let norm = squares.sum::<f64>().sqrt();
        if norm > 0.0 { 1.0 / norm } else { 1.0 }
    }

    /// Violations of position rows, times their [scales](Self::row_scale), that projections leave as they are: round-off of the
    /// coordinates that they are differences of.
    ///
    /// ```
    /// use liedae::system::Projector;
    ///
    /// assert!(Projector::round_off(&[3.0, -1.0]) < 2e-14);
    /// ```
    pub fn round_off(q: &[f64]) -> f64 {
        16.0 * f64::EPSILON * (1.0 + largest(q))
    }

    /// Factorizations and solves so far.
    pub fn work(&self) -> (usize, usize) {
        (self.kkt.factorizations(), self.kkt.solves())
    }

    /// Largest violations at position and velocity level, and at acceleration level for the acceleration in `state`.
    pub fn violation(
        &mut self,
        system: &mut Evaluator,
        state: &State,
    ) -> Result<Violation, DynamicsError> {
        let mut violation = Violation::default();
        if self.residual.is_empty() {
            return Ok(violation);
        }
        let at = state.point();
        if self.position_rows > 0 {
            system.position_constraint(&at, &mut self.residual[..self.position_rows])?;
            // In the units of the rows: this is for reports.
            violation.position = largest(&self.residual[..self.position_rows]);
        }
        system.velocity_constraint(&at, &mut self.residual)?;
        violation.velocity = largest(&self.residual);
        system.acceleration_bias(&at, &mut self.residual)?;
        system.constraint_jacobian(&at, &mut self.jacobian)?;
        system.layout().jacobian.multiply_add(
            &self.jacobian,
            1.0,
            &state.acceleration,
            &mut self.residual,
        );
        violation.acceleration = largest(&self.residual);
        Ok(violation)
    }

    /// The largest |g| of position rows and |b| of velocity rows at a state: what drifts in methods of lower index.
    pub fn drift(&mut self, system: &mut Evaluator, state: &State) -> Result<f64, DynamicsError> {
        let at = state.point();
        if self.residual.len() > self.position_rows {
            system.velocity_constraint(&at, &mut self.residual)?;
        }
        if self.position_rows > 0 {
            system.position_constraint(&at, &mut self.residual[..self.position_rows])?;
        }
        // The bound that this is compared with is in the units of the statement.
        if let Some(scales) = system.scales() {
            for (row, value) in self.residual.iter_mut().enumerate() {
                *value = scales.row_value(row, *value);
            }
        }
        // Position rows overwrite their velocities: only the rows that drift remain.
        Ok(largest(&self.residual))
    }

    fn load_jacobian(&mut self, system: &mut Evaluator, at: &Point) -> Result<(), DynamicsError> {
        system.constraint_jacobian(at, &mut self.jacobian)?;
        let pattern = &system.layout().jacobian;
        for (row, scale) in self.row_scale.iter_mut().enumerate() {
            *scale = Self::row_scale(&self.jacobian[pattern.row_range(row)]);
        }
        self.scaled = true;
        Ok(())
    }

    /// Solves M (q̃ - q) + Gᵀ μ = 0, g(q̃) = 0 (Haddouni et al. 2017, eq. 35) for the configuration; returns the
    /// number of iterations. The matrix is that of the first iterate, so the result is the closest point in the metric
    /// of M; `refresh` takes the Jacobian of every iterate instead, for states far from the constraints.
    pub fn project_position(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
        refresh: bool,
    ) -> Result<usize, DynamicsError> {
        if self.position_rows == 0 {
            return Ok(0);
        }
        self.residual.fill(0.0);
        let t = state.t;
        let linear = |source| DynamicsError::Linear { t, source };
        let mut before = f64::INFINITY;
        for iteration in 0..MAX_ITERATIONS {
            let at = state.point();
            system.position_constraint(&at, &mut self.residual[..self.position_rows])?;
            let scaled_here = !self.scaled;
            if scaled_here {
                self.load_jacobian(system, &at)?;
            }
            let scaled = self
                .residual
                .iter()
                .zip(&self.row_scale)
                .map(|(g, scale)| (g * scale).abs());
            let violation = scaled.fold(0.0, larger_or_nan);
            let floor = Self::round_off(&state.q);
            let stalled = violation > 0.5 * before && violation <= STALLED * floor;
            if violation <= floor || stalled {
                return Ok(iteration);
            }
            // A simplified Newton iteration that slows down gets a fresh Jacobian.
            let slow = iteration > 0 && (refresh || violation > 0.1 * before);
            if iteration == 0 || slow {
                if iteration == 0 {
                    system.mass_matrix_here(&at, &mut self.mass)?;
                }
                if !scaled_here {
                    self.load_jacobian(system, &at)?;
                }
                // The left Jacobian of the first iterate keeps M (q̃ - q) + Gᵀ μ = 0 along the way.
                if iteration == 0 || refresh {
                    self.left.copy_from_slice(&self.jacobian);
                }
                self.kkt
                    .factor(&self.mass, &self.left, &self.jacobian)
                    .map_err(linear)?;
            }
            before = violation;
            expect_round_off(&mut self.kkt, &state.q);
            let (change, multipliers) = (&mut self.change, &mut self.multipliers);
            solve_for_change(&mut self.kkt, &mut self.residual, change, multipliers)
                .map_err(linear)?;
            let space = &system.layout().space;
            space.retract(&state.q, &self.change, &mut self.moved);
            space.normalize(&mut self.moved);
            state.q.copy_from_slice(&self.moved);
        }
        Err(DynamicsError::NotConverged {
            what: "the projection onto the position constraints",
            t,
            iterations: MAX_ITERATIONS,
            correction: before,
        })
    }

    /// Solves M (ṽ - v) + Gᵀ η = 0, G ṽ + g_t = 0 (Haddouni et al. 2017, eq. 36) for the velocity.
    pub fn project_velocity(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
    ) -> Result<(), DynamicsError> {
        if !self.moves() {
            return Ok(());
        }
        let linear = |source| DynamicsError::Linear { t: state.t, source };
        let at: Point = state.point();
        system.mass_matrix(&at, &mut self.mass)?;
        system.constraint_jacobian(&at, &mut self.jacobian)?;
        self.kkt
            .factor_symmetric(&self.mass, &mut self.jacobian)
            .map_err(linear)?;
        self.correct_velocity(system, state)
    }

    /// The same with the matrix that has been factorized last.
    pub(in crate::system) fn correct_velocity(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
    ) -> Result<(), DynamicsError> {
        let lists = [&mut self.residual, &mut self.change, &mut self.multipliers];
        correct_velocity(&mut self.kkt, lists, system, state)
    }

    /// [`Self::project_velocity`] with this matrix, which somebody has factorized at this state.
    pub(crate) fn project_velocity_by(
        &mut self,
        matrix: &mut KktSolver,
        system: &mut Evaluator,
        state: &mut State,
    ) -> Result<(), DynamicsError> {
        let lists = [&mut self.residual, &mut self.change, &mut self.multipliers];
        let corrected = correct_velocity(matrix, lists, system, state);
        // Its owner's right-hand sides are exact.
        matrix.expect_round_off(0.0);
        corrected
    }
}

/// Adds the least change of the velocity that takes its residual away.
fn correct_velocity(
    matrix: &mut KktSolver,
    [residual, change, multipliers]: [&mut Vec<f64>; 3],
    system: &mut Evaluator,
    state: &mut State,
) -> Result<(), DynamicsError> {
    if residual.is_empty() {
        return Ok(());
    }
    system.velocity_constraint(&state.point(), residual)?;
    expect_round_off(matrix, &state.v);
    solve_for_change(matrix, residual, change, multipliers)
        .map_err(|source| DynamicsError::Linear { t: state.t, source })?;
    for (velocity, change) in state.v.iter_mut().zip(change) {
        *velocity += *change;
    }
    Ok(())
}

/// The least change that takes the residual away.
fn solve_for_change(
    matrix: &mut KktSolver,
    residual: &mut [f64],
    change: &mut [f64],
    multipliers: &mut [f64],
) -> Result<(), KktError> {
    for row in &mut *residual {
        *row = -*row;
    }
    matrix.solve_constraints(residual, change, multipliers)
}

/// Says that rows are made of coordinates or velocities of this size, which are rounded, at positions that are.
fn expect_round_off(matrix: &mut KktSolver, values: &[f64]) {
    matrix.expect_rounded_values(STALLED * ROUNDINGS * (1.0 + largest(values)));
}
