//! When methods that drift off the constraints are projected back onto them, and how.

use crate::integrator::{StepError, Work, work_of};
use crate::linalg::KktSolver;
use crate::system::{AccelerationSolver, DynamicsError, Evaluator, Projector, State};
use serde::Serialize;

/// When a method that drifts off the constraints is projected back onto them, and off the energy of systems that keep it
/// ([`Energy::is_kept`](crate::system::Energy::is_kept)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Projection {
    /// At the end of every accepted step, onto the energy as well where the system keeps it.
    #[default]
    EveryStep,
    /// At the end of every accepted step, onto the constraints and never onto the energy.
    Constraints,
    /// When the largest |g| of position rows or |b| of velocity rows exceeds this bound.
    Above(f64),
    /// Never.
    Never,
}

/// Which constraints a method leaves violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::integrator) enum ProjectedLevels {
    /// Velocities are right unless positions move.
    PositionFirst,
    /// Both drift.
    Both,
}

/// What a projection may have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::integrator) enum Projected {
    Nothing,
    Velocity,
    Configuration,
}

impl Projection {
    /// Whether projections by this rule hold the energy of systems that keep it.
    pub(in crate::integrator) fn holds_energy(self) -> bool {
        match self {
            Self::EveryStep | Self::Above(_) => true,
            Self::Constraints | Self::Never => false,
        }
    }
}

/// What puts the states of a method back onto the constraints and the energy, by a rule.
pub(in crate::integrator) struct Projections {
    rule: Projection,
    /// None where nothing is ever projected.
    projector: Option<Box<Projector>>,
}

impl Projections {
    /// From a state, whose energy is the one to keep.
    pub fn new(
        rule: Projection,
        system: &mut Evaluator,
        state: &State,
    ) -> Result<Self, DynamicsError> {
        let projector = match rule {
            Projection::Never => None,
            _ => Some(Box::new(Projector::keeping_energy(system, state)?)),
        };
        Ok(Self { rule, projector })
    }

    /// Whether the rule ever projects.
    pub fn may_be_due(&self) -> bool {
        self.projector.is_some()
    }

    /// Projects an accepted state after a step of size `h`. The matrix of the index-1 form at this state serves, if there is one.
    pub fn project(
        &mut self,
        system: &mut Evaluator,
        (state, h): (&mut State, f64),
        levels: ProjectedLevels,
        matrix: Option<&mut KktSolver>,
    ) -> Result<Projected, StepError> {
        let Some(projector) = &mut self.projector else {
            return Ok(Projected::Nothing);
        };
        let due = match self.rule {
            Projection::Never => false,
            Projection::EveryStep | Projection::Constraints => true,
            Projection::Above(bound) => projector.drift(system, state)? > bound,
        };
        // Energy is kept only where both the rule and the system say so.
        let with_energy = self.rule.holds_energy() && projector.keeps_energy();
        // Without rows and without energy there is nothing to project onto.
        if !due || (state.lambda.is_empty() && !with_energy) {
            return Ok(Projected::Nothing);
        }
        let iterations = projector.project_position(system, state, false)?;
        if with_energy {
            projector.project_energy(system, state, h)?;
            return Ok(Projected::Configuration);
        }
        if iterations > 0 {
            // Velocities belong to the configuration: moved positions tilt the tangent space.
            projector.project_velocity(system, state)?;
            return Ok(Projected::Configuration);
        }
        if levels == ProjectedLevels::PositionFirst {
            return Ok(Projected::Nothing);
        }
        match matrix {
            Some(matrix) => projector.project_velocity_by(matrix, system, state)?,
            None => projector.project_velocity(system, state)?,
        }
        Ok(Projected::Velocity)
    }

    /// What holds the energy of the system at the end of every step, before it is evaluated there: of systems without constraint rows,
    /// which move the end anyway.
    pub fn every_energy(&mut self, rows: usize) -> Option<&mut Projector> {
        let holds = self.rule == Projection::EveryStep && rows == 0;
        (self.projector.as_deref_mut()).filter(|projector| holds && projector.keeps_energy())
    }

    /// See [`Stepper::energy_projector`](crate::integrator::Stepper::energy_projector).
    pub fn energy_projector(&mut self) -> Option<&mut Projector> {
        let holds = self.rule.holds_energy();
        self.projector.as_deref_mut().filter(|_| holds)
    }

    /// Work of a solver and of projections.
    pub fn work_with(&self, solver: &AccelerationSolver) -> Work {
        let mut work = work_of(solver);
        if let Some(projector) = &self.projector {
            let (factorizations, solves) = projector.work();
            work += Work {
                factorizations,
                solves,
                newton_iterations: 0,
            };
        }
        work
    }
}
