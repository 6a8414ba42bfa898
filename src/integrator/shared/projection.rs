//! When methods that drift off the constraints are projected back onto them, and how.

use crate::integrator::StepError;
use crate::system::{Evaluator, Projector, State};
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

impl Projection {
    /// Whether projections by this rule hold the energy of systems that keep it.
    pub(in crate::integrator) fn holds_energy(self) -> bool {
        match self {
            Self::EveryStep | Self::Above(_) => true,
            Self::Constraints | Self::Never => false,
        }
    }
}

/// Projects an accepted state by the rule after a step of size `h`; returns whether anything was changed.
pub(in crate::integrator) fn project(
    projector: &mut Projector,
    rule: Projection,
    system: &mut Evaluator,
    (state, h): (&mut State, f64),
    levels: ProjectedLevels,
) -> Result<bool, StepError> {
    let due = match rule {
        Projection::Never => false,
        Projection::EveryStep | Projection::Constraints => true,
        Projection::Above(bound) => projector.drift(system, state)? > bound,
    };
    // Energy is kept only where both the rule and the system say so.
    let with_energy = rule.holds_energy() && projector.keeps_energy();
    // Without rows and without energy there is nothing to project onto.
    if !due || (state.lambda.is_empty() && !with_energy) {
        return Ok(false);
    }
    let iterations = projector.project_position(system, state, false)?;
    if with_energy {
        projector.project_energy(system, state, h)?;
        return Ok(true);
    }
    // Velocities belong to the configuration: moved positions tilt the tangent space.
    if iterations > 0 || levels == ProjectedLevels::Both {
        projector.project_velocity(system, state)?;
        return Ok(true);
    }
    Ok(false)
}
