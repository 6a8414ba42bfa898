//! Helpers of mechanisms in space: outputs, and the coordinates of rotations.

use crate::parameters::Range;
use crate::{ParameterInfo, Parameters, ProblemError};
use liedae::system::System;
use liedae_contact::{NonsmoothOptions, NonsmoothSystem};
use liedae_multibody::{
    AssemblyError, Axis, Drawing, Drawn, MultibodyBuilder, Output, Rotation, Snapshot,
};
use nalgebra::Vector3;

/// The names of the components of a vector.
const AXES: [&str; 3] = ["x", "y", "z"];

/// Adds the components of a vector as `prefix` x, and so on. `definition` says what they are, without their axis.
pub(crate) fn probe_vector(
    mechanism: &mut MultibodyBuilder,
    prefix: &str,
    definition: &str,
    vector: impl Fn(&Snapshot) -> Vector3<f64> + Clone + Send + Sync + 'static,
) {
    for (axis, letter) in AXES.iter().enumerate() {
        let (vector, name) = (vector.clone(), format!("{prefix}{letter}"));
        mechanism.probe(&name, move |now| vector(now)[axis]);
        let (what, unit) = definition.rsplit_once(", ").unwrap_or((definition, "1"));
        let definition = format!("{letter} in the fixed frame of the {what}, {unit}");
        mechanism.define_output(&name, definition);
    }
}

/// Adds the components of a quantity as `prefix` x, and so on.
pub(crate) fn output_vector(
    mechanism: &mut MultibodyBuilder,
    prefix: &str,
    quantity: impl Fn(Axis) -> Output,
) {
    for (axis, letter) in [Axis::X, Axis::Y, Axis::Z].into_iter().zip(AXES) {
        mechanism.output(format!("{prefix}{letter}"), quantity(axis));
    }
}

/// What a part of the quaternion of a body is, as outputs show it.
pub(crate) fn quaternion_part(letter: &str) -> String {
    format!(
        "{letter} of the unit quaternion of the rotation from body to fixed frame (Hamilton's, w >= 0), 1"
    )
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
