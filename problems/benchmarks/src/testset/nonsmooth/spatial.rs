//! Helpers of mechanisms in space with contacts: their statement, and boxes.

use crate::{Problem, ProblemError};
use liedae_contact::{NonsmoothOptions, NonsmoothSystem, Thresholds};
use liedae_multibody::{Drawing, Drawn, MultibodyBuilder, RigidBody, SurfaceContact};

/// A problem without its equations.
pub(crate) struct Spatial {
    pub name: &'static str,
    pub t_end: f64,
    pub default_step: f64,
    pub main_output: &'static str,
    /// Size in m of what touches and time in s between touches: what counts as closed and at rest is measured by them.
    pub length: f64,
    pub time: f64,
    /// A drawing with more in it than the mechanism's own, or with something else.
    pub drawn: fn(Drawing) -> Drawing,
}

impl Spatial {
    /// The problem with this mechanism, or what is wrong with it.
    pub fn problem(self, mechanism: MultibodyBuilder) -> Result<Problem, ProblemError> {
        let refuse = |reason: String| ProblemError::Build {
            problem: self.name,
            reason,
        };
        let options = NonsmoothOptions {
            thresholds: Thresholds::scaled(self.length, self.time),
            ..NonsmoothOptions::default()
        };
        let system = mechanism
            .build()
            .map_err(|error| refuse(error.to_string()))?;
        let drawing = (self.drawn)(system.drawing());
        let system =
            NonsmoothSystem::new(system, options).map_err(|error| refuse(error.to_string()))?;
        Ok(Problem {
            formulation: None,
            name: self.name,
            system: Box::new(system),
            t_end: self.t_end,
            default_step: self.default_step,
            reference: None,
            main_output: self.main_output.to_owned(),
            order_study_end: None,
            absolute_scale: 1.0,
            drawing: Some(drawing),
        })
    }
}

/// A uniform box with half its sides along the body axes.
pub(super) fn uniform_box(name: &str, mass: f64, half: [f64; 3]) -> RigidBody {
    let [x, y, z] = half.map(|side| side * side);
    let moments = [y + z, z + x, x + y].map(|sum| mass * sum / 3.0);
    RigidBody::new(name, mass, moments)
}

/// A contact with this friction, if there is any: without it the contact has no sliding directions.
pub(super) fn rubbing(contact: SurfaceContact, friction: f64) -> SurfaceContact {
    if friction > 0.0 {
        contact.with_friction(friction)
    } else {
        contact
    }
}
