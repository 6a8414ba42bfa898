//! What mechanisms in space share: shorthand for outputs, and the coordinates of rotations.

use crate::parameters::Range;
use crate::{ParameterInfo, Parameters, ProblemError};
use liedae::system::System;
use liedae_contact::{NonsmoothOptions, NonsmoothSystem};
use liedae_multibody::{
    AssemblyError, Drawing, Drawn, JointId, MultibodyBuilder, Rotation, Snapshot,
};
use nalgebra::Vector3;

/// The names of the components of a vector.
const AXES: [&str; 3] = ["x", "y", "z"];

/// Adds the components of a vector as `prefix` x `suffix`, and so on.
pub(crate) fn probe_vector(
    mechanism: &mut MultibodyBuilder,
    prefix: &str,
    suffix: &str,
    vector: impl Fn(&Snapshot) -> Vector3<f64> + Clone + Send + Sync + 'static,
) {
    for (axis, letter) in AXES.iter().enumerate() {
        let vector = vector.clone();
        mechanism.probe(format!("{prefix}{letter}{suffix}"), move |now| {
            vector(now)[axis]
        });
    }
}

/// The force of a joint on its body 2, fixed frame; NaN for a joint of another mechanism.
pub(crate) fn force(now: &Snapshot, joint: JointId) -> Vector3<f64> {
    now.reaction(joint)
        .map_or_else(|| Vector3::repeat(f64::NAN), |reaction| reaction.force)
}

/// What a mechanism that cannot be assembled means for a problem.
fn failed(problem: &'static str) -> impl Fn(AssemblyError) -> ProblemError {
    move |error| ProblemError::Build {
        problem,
        reason: error.to_string(),
    }
}

/// The parameter that says how rotations are written.
pub(crate) const ROTATION: ParameterInfo = ParameterInfo::new(
    "rotation",
    0.0,
    "1",
    Range::Choice(Rotation::NAMES),
    "coordinates of the rotations",
);

/// A system and what it looks like.
pub(crate) type Assembled = (Box<dyn System>, Drawing);

/// Assembles a mechanism in the coordinates that its parameters ask for.
pub(crate) fn assemble(
    mechanism: MultibodyBuilder,
    parameters: &Parameters,
) -> Result<Assembled, ProblemError> {
    // A choice by its range.
    let rotation = Rotation::ALL[parameters.get(ROTATION.name)? as usize];
    mechanism
        .build()
        .and_then(|system| system.with_rotation_drawn(rotation))
        .map_err(failed(parameters.problem()))
}

/// Assembles a mechanism with joints that may stick, which only rotation matrices allow.
pub(crate) fn assemble_sticking(
    mechanism: MultibodyBuilder,
    parameters: &Parameters,
) -> Result<Assembled, ProblemError> {
    let fail = failed(parameters.problem());
    if parameters.get(ROTATION.name)? != 0.0 {
        return Err(fail(AssemblyError::FrictionRotation));
    }
    let system = mechanism.build().map_err(fail)?;
    let drawing = system.drawing();
    let system = NonsmoothSystem::new(system, NonsmoothOptions::default()).map_err(|error| {
        ProblemError::Build {
            problem: parameters.problem(),
            reason: error.to_string(),
        }
    })?;
    Ok((Box::new(system), drawing))
}
