//! Velocities of Euler methods of index 3, which belong to the middles of steps.

use crate::integrator::shared::round_off::round_off_of_values;
use crate::linalg::{KktError, KktSolver};
use crate::system::{DynamicsError, Evaluator, Layout, State};

/// Moves velocities along the constraint forces to another moment.
///
/// Position rows that vanish at both ends of a step of size h leave G v + g_t = h γ / 2 at its end, with the acceleration
/// bias γ: in the directions of the constraints the velocity is that of the middle of the step. A step of another size,
/// or from a consistent velocity, then needs the wrong accelerations G v' = -(h_0 + h) / (2 h) γ, h_0 being the size of the
/// step before, so that multipliers are off by O(1), and so is friction, which they bound. The shift by (h - h_0) / 2 along
/// M a = Gᵀ μ, G a = -γ makes the scheme see velocities of evenly spaced moments. It is of the order of the step.
pub(in crate::integrator) struct MiddleVelocity {
    kkt: KktSolver,
    mass: Vec<f64>,
    jacobian: Vec<f64>,
    target: Vec<f64>,
    forces: Vec<f64>,
    multipliers: Vec<f64>,
    shift: Vec<f64>,
    /// Whether there is a change at all.
    moves: bool,
}

impl MiddleVelocity {
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
            target: vec![0.0; rows],
            forces: vec![0.0; dimension],
            multipliers: vec![0.0; rows],
            shift: vec![0.0; dimension],
            moves: false,
        })
    }

    /// The change of the velocity at the start of a step so that it belongs to a moment by `earlier` before, (h - h_0) / 2.
    pub fn shift(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        earlier: f64,
    ) -> Result<(), DynamicsError> {
        self.moves = true;
        let at = from.point();
        system.mass_matrix(&at, &mut self.mass)?;
        system.constraint_jacobian(&at, &mut self.jacobian)?;
        system.acceleration_bias(&at, &mut self.target)?;
        // Velocity rows hold at the end of every step.
        let (position, velocity) = self.target.split_at_mut(system.layout().position_rows);
        position.iter_mut().for_each(|row| *row *= earlier);
        velocity.fill(0.0);
        let linear = |source| DynamicsError::Linear { t: from.t, source };
        self.kkt
            .factor(&self.mass, &self.jacobian, &self.jacobian)
            .map_err(linear)?;
        let rounded = round_off_of_values(&self.target);
        self.kkt.expect_rounded_values(rounded);
        // M s = Gᵀ μ, G s = γ (h - h_0) / 2: minus `earlier` times the acceleration of G a = -γ.
        let (shift, multipliers) = (&mut self.shift, &mut self.multipliers);
        self.kkt
            .solve(&self.forces, &self.target, shift, multipliers)
            .map_err(linear)
    }

    /// No change.
    pub fn rest(&mut self) {
        self.moves = false;
    }

    /// The change found last, if there is one.
    pub fn change(&self) -> Option<&[f64]> {
        self.moves.then_some(&self.shift[..])
    }

    /// The solver behind it, for its statistics.
    pub fn kkt(&self) -> &KktSolver {
        &self.kkt
    }
}
