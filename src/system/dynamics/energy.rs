//! The energy as one more constraint, of systems that keep it.

use crate::system::consistency::states::largest;
use crate::system::{
    DynamicsError, EvaluationError, Evaluator, Point, Projector, State, keeps_energy,
};

/// Relative round-off of an energy.
const ROUND_OFF: f64 = 8.0 * f64::EPSILON;

/// The largest part of velocities and displacements that is changed; more is no matter of integration errors.
const LARGEST_CHANGE: f64 = 0.1;

const MAX_ITERATIONS: usize = 10;

impl Projector {
    /// Allocates everything, and takes the energy of a state as the one to keep.
    pub fn keeping_energy(system: &mut Evaluator, state: &State) -> Result<Self, DynamicsError> {
        let mut projector = Self::new(system.layout())
            .map_err(|source| DynamicsError::Linear { t: state.t, source })?;
        projector.keep_energy(system, state)?;
        Ok(projector)
    }

    /// Takes the energy of a state as the one to keep, if the system keeps it ([`Energy::is_kept`]).
    ///
    /// [`Energy::is_kept`]: crate::system::Energy::is_kept
    pub fn keep_energy(
        &mut self,
        system: &mut Evaluator,
        state: &State,
    ) -> Result<(), EvaluationError> {
        self.energy = None;
        if keeps_energy(system.system()) {
            self.energy = system.energy(&state.point())?;
        }
        Ok(())
    }

    /// From now on there is none to keep.
    pub fn forget_energy(&mut self) {
        self.energy = None;
    }

    /// Whether there is an energy to keep.
    pub fn keeps_energy(&self) -> bool {
        self.energy.is_some()
    }

    /// Projects velocities as [`project_velocity`](Self::project_velocity), and then the state onto its energy, by the
    /// least change in the metric of M with displacements measured by `time`, the step in s:
    ///
    /// ```text
    /// δq = -s τ² a,   δv = s v,   M a - Gᵀ μ = f(t, q, 0),   G a = 0,   s = (E - E(q, v)) / (vᵀ M v + τ² aᵀ M a)
    /// ```
    ///
    /// since f at rest is the negative gradient of the potential energy. Where bodies move it is a matter of velocities, where
    /// they turn back one of positions. A state that moves too little for its energy to be mended by a tenth of its
    /// velocities stays as it is until it moves again. Positions must satisfy the constraints, and do so after it.
    ///
    /// Source: Hairer, Lubich, Wanner, Geometric Numerical Integration, IV.4 (doi:10.1007/3-540-30666-8), projection onto
    /// manifolds of invariants.
    pub fn project_energy(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
        time: f64,
    ) -> Result<(), DynamicsError> {
        self.project_velocity(system, state)?;
        let Some(target) = self.energy else {
            return Ok(());
        };
        let mut before = f64::INFINITY;
        self.energy_parts = 0.0;
        for _ in 0..MAX_ITERATIONS {
            let Some(energy) = system.energy(&state.point())? else {
                return Ok(());
            };
            let missing = target - energy;
            let mut size = target.abs() + energy.abs();
            // Once: the gradient hardly changes while the energy is mended.
            if before.is_infinite() && missing.abs() > ROUND_OFF * size {
                self.load_gradient(system, state, time)?;
            }
            size += self.energy_parts;
            // Round-off of the energy, or no progress any more.
            if missing.abs() <= ROUND_OFF * size || missing.abs() > 0.5 * before {
                return Ok(());
            }
            let share = missing / self.gradient_square;
            if share.is_nan() || share.abs() > LARGEST_CHANGE {
                return Ok(());
            }
            before = missing.abs();
            // δq = -s τ² a: against the force at rest, that is up the potential.
            for (moved, slope) in self.change.iter_mut().zip(&self.at_rest) {
                *moved = -share * time * time * slope;
            }
            // δv = s v.
            for velocity in &mut state.v {
                *velocity *= 1.0 + share;
            }
            let space = &system.layout().space;
            space.retract(&state.q, &self.change, &mut self.moved);
            space.normalize(&mut self.moved);
            state.q.copy_from_slice(&self.moved);
            // Both moves leave the constraints to second order.
            self.project_position(system, state, false)?;
            self.correct_velocity(system, state)?;
        }
        Ok(())
    }

    /// The acceleration at rest, along the constraints, vᵀ M v + τ² aᵀ M a, and the size of the terms of the energy.
    fn load_gradient(
        &mut self,
        system: &mut Evaluator,
        state: &State,
        time: f64,
    ) -> Result<(), DynamicsError> {
        let t = state.t;
        // f at v = 0 is minus the gradient of the potential.
        let at_rest = Point {
            v: &self.zero,
            ..state.point()
        };
        system.rates(&at_rest, &mut self.rates)?;
        let force = &self.rates[..self.zero.len()];
        self.residual.fill(0.0);
        self.kkt
            .solve(
                force,
                &self.residual,
                &mut self.at_rest,
                &mut self.multipliers,
            )
            .map_err(|source| DynamicsError::Linear { t, source })?;
        // aᵀ M a = fᵀ a, since a is along the constraints.
        let forces: f64 = force.iter().map(|part| part.abs()).sum();
        let work: f64 = force.iter().zip(&self.at_rest).map(|(f, a)| f * a).sum();
        system
            .layout()
            .mass
            .multiply(&self.mass, &state.v, &mut self.change);
        let kinetic: f64 = self.change.iter().zip(&state.v).map(|(p, v)| p * v).sum();
        self.gradient_square = kinetic + time * time * work;
        // Potentials of several bodies may cancel, and what the coordinates' round-off does to each is force times coordinate.
        self.energy_parts = kinetic + forces * largest(&state.q);
        Ok(())
    }
}
