//! A constrained system as an ordinary differential equation in independent coordinates.

mod frame;

use super::{DynamicsError, Evaluator, Layout, Point, State};
use crate::linalg::KktError;
use frame::Frame;
use serde::Serialize;

/// How independent coordinates are chosen.
///
/// ```
/// use liedae::integrator::StateSpaceRk4;
/// use liedae::prelude::*;
/// use liedae::system::Parametrization;
///
/// // The same motion, whatever the independent coordinates are.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let ways = [Parametrization::CoordinatePartitioning, Parametrization::TangentPlane, Parametrization::NullSpace];
/// for way in ways {
///     let end = solve(&mut pendulum, &StateSpaceRk4::new(way), &Options::fixed(1.0, 0.01))?.state;
///     assert!((end.q[0] + 0.986_291_75).abs() < 1e-5);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Parametrization {
    /// Some of the coordinates themselves, by Gauss elimination with full pivoting of the constraint Jacobian; kept
    /// until a dependent coordinate moves more than twice as fast, per independent one, as when they were chosen (Wehage, Haug 1982,
    /// doi:10.1115/1.3256318).
    #[default]
    CoordinatePartitioning,
    /// Coordinates along an orthonormal basis of the kernel of the constraint Jacobian, the dependent ones orthogonal
    /// to it; kept as with partitioning (Mani, Haug, Atkinson, J. Mech. Transm. Autom. Des. 107 (1985) 82).
    TangentPlane,
    /// The same basis, chosen anew at the start of every step: there v = N w with orthonormal N, and the configuration
    /// moves along the tangent plane of the step (Potra, Rheinboldt, Mech. Struct. Mach. 19 (1991) 1).
    NullSpace,
}

/// Dependent rates that have grown by more than this factor relative to the independent ones ask for a new choice.
const DEGRADATION: f64 = 2.0;

const MAX_ITERATIONS: usize = 30;

/// The constrained system in independent coordinates around the configuration at the start of a step.
///
/// In local coordinates q = q_base · exp(u) velocity space is split by a basis \[D Z\] into dependent and independent
/// directions. With the rows of G that are not redundant, G D is square and regular, so that the independent parts of u,
/// v and v' determine the dependent ones (Haug, Negrut, Iancu 1997, eqs. 11-13, with the partial derivatives by time of
/// rheonomic constraints):
///
/// ```text
/// 0 = g(t, q)                 iterated for the part of u along D
/// 0 = G v + ∂g/∂t             for the part of v along D
/// 0 = G v' + γ                for the part of v' along D
/// ```
///
/// v = N w + (particular), N = Z + D H, H = -(G D)⁻¹ G Z, is the null space form: Nᵀ Gᵀ = 0 eliminates the multipliers,
/// Nᵀ (M v' - f) = 0 (eqs. 9, 10 and 39), and (G D)ᵀ λ = Dᵀ (M v' - f) gives them back (eq. 38). Velocity rows (nonholonomic)
/// make velocities dependent but no coordinates: they have a basis of their own.
///
/// The dense factors of G D cost rows³/3 operations: for systems of up to a hundred coordinates or so.
///
/// Redundant rows, found by their pivots, are left out: their multipliers are zero here.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{Evaluator, Parametrization, StateSpace};
///
/// // A pendulum that stands level: the independent coordinate is y.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let start = pendulum.initial_state();
/// let mut space = StateSpace::new(pendulum.layout(), Parametrization::CoordinatePartitioning);
/// space.rebase(&mut Evaluator::new(&mut pendulum), &start)?;
/// assert_eq!((space.configuration_freedom(), space.velocity_freedom()), (1, 1));
/// assert_eq!(space.independent_velocity(0, &[5.0, 7.0]).abs(), 7.0);
/// assert!(!space.has_redundant_rows());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StateSpace {
    positions: Frame,
    /// Only with velocity rows; otherwise that of the positions serves.
    velocities: Option<Frame>,
    parametrization: Parametrization,
    position_rows: usize,
    rows: usize,
    chosen: bool,
    base: Vec<f64>,
    /// Local coordinates of the current point around the base.
    u: Vec<f64>,
    /// The constraint Jacobian at the current point, in the pattern of the layout.
    jacobian: Vec<f64>,
    dense: Vec<f64>,
    pulled: Vec<f64>,
    residual: Vec<f64>,
    choices: usize,
}

impl StateSpace {
    /// Allocates everything for systems of this layout.
    pub fn new(layout: &Layout, parametrization: Parametrization) -> Self {
        let (dimension, rows) = (layout.dimension(), layout.rows());
        let frame = |rows| Frame::new(dimension, rows, parametrization);
        Self {
            positions: frame(layout.position_rows),
            velocities: (layout.velocity_rows > 0).then(|| frame(rows)),
            parametrization,
            position_rows: layout.position_rows,
            rows,
            chosen: false,
            base: vec![0.0; layout.space.coordinates()],
            u: vec![0.0; dimension],
            jacobian: vec![0.0; layout.jacobian.nnz()],
            dense: vec![0.0; rows * dimension],
            pulled: vec![0.0; rows * dimension],
            residual: vec![0.0; rows],
            choices: 0,
        }
    }

    /// How often independent coordinates have been chosen.
    pub fn choices(&self) -> usize {
        self.choices
    }

    /// Makes the next [`rebase`](Self::rebase) choose independent coordinates anew: after jumps, and after failures.
    pub fn forget(&mut self) {
        self.chosen = false;
    }

    /// Number of independent coordinates of the configuration.
    pub fn configuration_freedom(&self) -> usize {
        self.positions.independent()
    }

    /// Number of independent velocities.
    pub fn velocity_freedom(&self) -> usize {
        self.velocity_frame().independent()
    }

    /// Whether rows were left out, whose multipliers are then not those of least norm.
    pub fn has_redundant_rows(&self) -> bool {
        !self.velocity_frame().redundant_rows().is_empty()
    }

    /// Factorizations and solutions so far.
    pub fn work(&self) -> (usize, usize) {
        let (factorizations, solves) = self.positions.lu().work();
        let more = self.velocities.as_ref().map_or((0, 0), |v| v.lu().work());
        (factorizations + more.0, solves + more.1)
    }

    /// Local coordinates u of the current point, q = q_base · exp(u): to be set to an estimate before
    /// [`correct_configuration`](Self::correct_configuration).
    pub fn local(&self) -> &[f64] {
        &self.u
    }

    /// See [`local`](Self::local).
    pub fn local_mut(&mut self) -> &mut [f64] {
        &mut self.u
    }

    /// The constraint Jacobian of [`load_jacobian`](Self::load_jacobian), in the pattern of the layout.
    pub fn jacobian(&self) -> &[f64] {
        &self.jacobian
    }

    fn velocity_frame(&self) -> &Frame {
        self.velocities.as_ref().unwrap_or(&self.positions)
    }

    fn velocity_frame_mut(&mut self) -> &mut Frame {
        self.velocities.as_mut().unwrap_or(&mut self.positions)
    }

    /// Component `k` of a local displacement along the independent directions.
    pub fn independent_displacement(&self, k: usize, full: &[f64]) -> f64 {
        self.positions.independent_component(k, full)
    }

    /// Component `k` of a velocity, acceleration or force along the independent directions.
    pub fn independent_velocity(&self, k: usize, full: &[f64]) -> f64 {
        self.velocity_frame().independent_component(k, full)
    }

    /// Adds `amount` of independent velocity or acceleration `k`, without the dependent ones.
    pub fn add_independent_velocity(&self, k: usize, amount: f64, full: &mut [f64]) {
        self.velocity_frame().add_independent(k, amount, full);
    }

    /// Puts the base at `state`, which satisfies the constraints; chooses independent coordinates if there are none yet
    /// or if the dependent ones have become too sensitive.
    pub fn rebase(&mut self, system: &mut Evaluator, state: &State) -> Result<(), DynamicsError> {
        self.base.copy_from_slice(&state.q);
        self.u.fill(0.0);
        if self.rows == 0 {
            return Ok(());
        }
        let at = state.point();
        // Coordinates are kept while they are good: a change costs a method its history.
        if self.chosen && self.parametrization != Parametrization::NullSpace {
            let usable = self.load_jacobian(system, &at).is_ok();
            self.chosen =
                usable && self.degradation() <= DEGRADATION && !self.is_violated(system, &at)?;
        } else {
            self.chosen = false;
        }
        if !self.chosen {
            self.evaluate_jacobian(system, &at)?;
            let linear = |source| DynamicsError::Linear { t: at.t, source };
            let rows = self.position_rows * self.u.len();
            self.positions.choose(&self.dense[..rows]).map_err(linear)?;
            if let Some(velocities) = &mut self.velocities {
                // With velocity rows all rows together determine the dependent velocities.
                velocities.choose(&self.dense).map_err(linear)?;
            }
            self.choices += 1;
            // Even freshly chosen: then the rows left out contradict the others.
            if self.is_violated(system, &at)? {
                let redundant = self.positions.redundant_rows();
                let size = |row: &usize| self.residual[*row].abs();
                return Err(linear(KktError::Inconsistent {
                    rows: redundant.to_vec(),
                    residual: redundant.iter().map(size).fold(0.0, f64::max),
                }));
            }
            self.chosen = true;
        }
        Ok(())
    }

    fn degradation(&mut self) -> f64 {
        let rows = self.position_rows * self.u.len();
        let positions = self.positions.degradation(&self.dense[..rows]);
        match &mut self.velocities {
            Some(velocities) => positions.max(velocities.degradation(&self.dense)),
            None => positions,
        }
    }

    /// Whether a row that was left out does not hold.
    fn is_violated(&mut self, system: &mut Evaluator, at: &Point) -> Result<bool, DynamicsError> {
        if self.positions.redundant_rows().is_empty() {
            return Ok(false);
        }
        let n = self.u.len();
        system.position_constraint(at, &mut self.residual[..self.position_rows])?;
        Ok(self.positions.redundant_rows().iter().any(|&row| {
            let entries = &self.dense[row * n..(row + 1) * n];
            let gradient = entries.iter().map(|g| g * g).sum::<f64>().sqrt();
            // A row left out may be off by 1e-6 of its gradient: beyond, it is not implied.
            self.residual[row].abs() > 1e-6 * gradient
        }))
    }

    fn evaluate_jacobian(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
    ) -> Result<(), DynamicsError> {
        system.constraint_jacobian(at, &mut self.jacobian)?;
        system
            .layout()
            .jacobian
            .to_dense_into(&self.jacobian, &mut self.dense);
        Ok(())
    }

    /// Evaluates G at a point near the base and factorizes G D there.
    pub fn load_jacobian(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
    ) -> Result<(), DynamicsError> {
        if self.rows == 0 {
            return Ok(());
        }
        self.evaluate_jacobian(system, at)?;
        let linear = |source| DynamicsError::Linear { t: at.t, source };
        let rows = self.position_rows * self.u.len();
        self.positions.factor(&self.dense[..rows]).map_err(linear)?;
        if let Some(velocities) = &mut self.velocities {
            velocities.factor(&self.dense).map_err(linear)?;
        }
        Ok(())
    }

    /// Solves g(t, q_base · exp(u)) = 0 for the part of u along the dependent directions (eq. 11), beginning with the
    /// estimate in [`local`](Self::local), and writes the configuration into `here`. The iteration uses the factors of
    /// the last point, and the exact ones when it is slow.
    pub fn correct_configuration(
        &mut self,
        system: &mut Evaluator,
        here: &mut State,
    ) -> Result<(), DynamicsError> {
        let mut previous = f64::INFINITY;
        system
            .layout()
            .space
            .retract(&self.base, &self.u, &mut here.q);
        if self.positions.rank() == 0 {
            return Ok(());
        }
        for iteration in 0..MAX_ITERATIONS {
            let at = here.point();
            system.position_constraint(&at, &mut self.residual[..self.position_rows])?;
            let change = self.positions.correct(&self.residual, &mut self.u);
            if !change.is_finite() {
                break;
            }
            system
                .layout()
                .space
                .retract(&self.base, &self.u, &mut here.q);
            let size = 1.0 + self.u.iter().fold(0.0_f64, |max, u| max.max(u.abs()));
            let stalled = change > 0.5 * previous && change <= 1e-10 * size;
            // The next change, if the iteration goes on as it has.
            let expected = if iteration == 0 {
                change
            } else {
                change * (change / previous)
            };
            // Converged, at round-off, or so fast that the next change would be round-off.
            if change <= 1e-14 * size || stalled || expected <= 1e-15 * size {
                return Ok(());
            }
            // Slow, or far at once: factors of the last point do not fit.
            if change > 0.1 * previous || iteration == 0 && change > 1e-3 * size {
                self.refresh(system, here)?;
            }
            previous = change;
        }
        Err(DynamicsError::NotConverged {
            what: "the iteration for the dependent coordinates",
            t: here.t,
            iterations: MAX_ITERATIONS,
            correction: previous,
        })
    }

    /// Factorizes ∂g/∂u D = G dexp(u) D at the current iterate.
    fn refresh(&mut self, system: &mut Evaluator, here: &State) -> Result<(), DynamicsError> {
        let t = here.t;
        self.evaluate_jacobian(system, &here.point())?;
        let n = self.u.len();
        let space = &system.layout().space;
        let rows = self.position_rows;
        let given = self
            .dense
            .chunks_exact(n)
            .zip(self.pulled.chunks_exact_mut(n));
        // ∂g(q_base · exp(u))/∂u = G dexp(u).
        for (row, pulled) in given.take(rows) {
            space.dexp_transpose(&self.u, row, pulled);
        }
        self.positions
            .factor(&self.pulled[..rows * n])
            .map_err(|source| DynamicsError::Linear { t, source })
    }

    /// Solves G v + ∂g/∂t = 0 and b = 0 for the part of the velocity in `here` along the dependent directions (eq. 12),
    /// after [`load_jacobian`](Self::load_jacobian) there.
    pub fn correct_velocity(
        &mut self,
        system: &mut Evaluator,
        here: &mut State,
    ) -> Result<(), DynamicsError> {
        if self.rows > 0 {
            system.velocity_constraint(&here.point(), &mut self.residual)?;
            let frame = self.velocities.as_mut().unwrap_or(&mut self.positions);
            frame.correct(&self.residual, &mut here.v);
        }
        Ok(())
    }

    /// Solves G v' + γ = 0 for the part of the acceleration in `here` along the dependent directions (eq. 13).
    pub fn correct_acceleration(
        &mut self,
        system: &mut Evaluator,
        here: &mut State,
    ) -> Result<(), DynamicsError> {
        if self.rows > 0 {
            system.acceleration_bias(&here.point(), &mut self.residual)?;
            let pattern = &system.layout().jacobian;
            pattern.multiply_add(&self.jacobian, 1.0, &here.acceleration, &mut self.residual);
            let frame = self.velocities.as_mut().unwrap_or(&mut self.positions);
            frame.correct(&self.residual, &mut here.acceleration);
        }
        Ok(())
    }

    /// The multipliers that balance `force` = M v' - f along the dependent directions (eq. 38), zero for redundant rows.
    /// `force` is left as M v' - f - Gᵀ λ, whose independent components are the residual of eq. 20.
    pub fn balance(&mut self, layout: &Layout, force: &mut [f64], lambda: &mut [f64]) {
        if self.rows > 0 {
            self.velocity_frame_mut().multipliers(force, lambda);
            let pattern = &layout.jacobian;
            pattern.multiply_transpose_add(&self.jacobian, -1.0, lambda, force);
        }
    }

    /// Adds to a velocity or acceleration what makes up along the dependent directions for `residual` of all rows:
    /// full -= D (G D)⁻¹ residual.
    pub fn add_dependent_velocity(&mut self, residual: &[f64], full: &mut [f64]) {
        if self.rows > 0 {
            self.velocity_frame_mut().correct(residual, full);
        }
    }

    /// Column `k` of N = Z + D H for displacements: a motion q · exp(δ) that the position rows allow.
    pub fn allowed_displacement(&mut self, k: usize, layout: &Layout, out: &mut [f64]) {
        out.fill(0.0);
        self.positions.add_independent(k, 1.0, out);
        if self.positions.rank() > 0 {
            layout
                .jacobian
                .multiply(&self.jacobian, out, &mut self.residual);
            self.positions.correct(&self.residual, out);
        }
    }

    /// Column `k` of N for velocities and accelerations.
    pub fn allowed_velocity(&mut self, k: usize, layout: &Layout, out: &mut [f64]) {
        out.fill(0.0);
        self.velocity_frame().add_independent(k, 1.0, out);
        if self.rows > 0 {
            layout
                .jacobian
                .multiply(&self.jacobian, out, &mut self.residual);
            let frame = self.velocities.as_mut().unwrap_or(&mut self.positions);
            frame.correct(&self.residual, out);
        }
    }
}
