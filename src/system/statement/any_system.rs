//! Functions for any system, with a default where the system lacks the optional part.

use crate::system::automatic::differences;
use crate::system::{EvaluationError, EventDescription, Events, Point, Property, State, System};

/// [`SecondDerivatives::geometric_stiffness`](crate::system::SecondDerivatives::geometric_stiffness) of any system: by
/// differences where it has none of its own.
pub fn geometric_stiffness<S: System + ?Sized>(
    system: &mut S,
    at: &Point,
    acceleration: &[f64],
    out: &mut [f64],
) -> Result<(), EvaluationError> {
    if let Some(second) = system.second_derivatives() {
        return second.geometric_stiffness(at, acceleration, out);
    }
    differences::geometric_stiffness(system, at, acceleration, out)
}

/// [`SecondDerivatives::velocity_constraint_jacobian`](crate::system::SecondDerivatives::velocity_constraint_jacobian)
/// of any system: by differences where it has none of its own.
pub fn velocity_constraint_jacobian<S: System + ?Sized>(
    system: &mut S,
    at: &Point,
    out: &mut [f64],
) -> Result<(), EvaluationError> {
    if let Some(second) = system.second_derivatives() {
        return second.velocity_constraint_jacobian(at, out);
    }
    differences::velocity_constraint_jacobian(system, at, out)
}

/// [`SecondDerivatives::acceleration_constraint_jacobian`](crate::system::SecondDerivatives::acceleration_constraint_jacobian)
/// of any system: by differences where it has none of its own.
pub fn acceleration_constraint_jacobian<S: System + ?Sized>(
    system: &mut S,
    at: &Point,
    acceleration: &[f64],
    by_position: &mut [f64],
    by_velocity: &mut [f64],
) -> Result<(), EvaluationError> {
    if let Some(second) = system.second_derivatives() {
        return second.acceleration_constraint_jacobian(at, acceleration, by_position, by_velocity);
    }
    differences::acceleration_constraint_jacobian(
        system,
        at,
        acceleration,
        by_position,
        by_velocity,
    )
}

/// Names of the outputs of any system; none without [`Outputs`](crate::system::Outputs).
pub fn output_names<S: System + ?Sized>(system: &mut S) -> &[String] {
    system.outputs().map_or(&[], |outputs| outputs.names())
}

/// What the outputs of any system are, with unit, frame and sign, as many as [`output_names`]; none where a system does not say.
pub fn output_definitions<S: System + ?Sized>(system: &mut S) -> Vec<Option<String>> {
    let Some(outputs) = system.outputs() else {
        return Vec::new();
    };
    let mut definitions = outputs.definitions();
    definitions.resize(outputs.names().len(), None);
    definitions
}

/// Values of the outputs of any system, as many as [`output_names`], from a state with its accelerations and multipliers.
pub fn output_values<S: System + ?Sized>(
    system: &mut S,
    state: &State,
    out: &mut [f64],
) -> Result<(), EvaluationError> {
    match system.outputs() {
        Some(outputs) => outputs.values(state, out),
        None => Ok(()),
    }
}

/// Outputs of any system with their names, from a state with its accelerations and multipliers; allocates.
pub fn named_outputs<S: System + ?Sized>(
    system: &mut S,
    state: &State,
) -> Result<Vec<(String, f64)>, EvaluationError> {
    let names = output_names(system).to_vec();
    let mut values = vec![f64::NAN; names.len()];
    output_values(system, state, &mut values)?;
    Ok(names.into_iter().zip(values).collect())
}

/// Total energy in J of any system; `None` where it is not known.
pub fn total_energy<S: System + ?Sized>(system: &mut S, at: &Point) -> Option<f64> {
    system.energy()?.total(at)
}

/// Whether any system keeps its energy, see [`Energy::is_kept`](crate::system::Energy::is_kept).
pub fn keeps_energy<S: System + ?Sized>(system: &mut S) -> bool {
    system.energy().is_some_and(|energy| energy.is_kept())
}

/// Quantities that are conserved or bounded in any system.
pub fn properties<S: System + ?Sized>(system: &mut S) -> &[Property] {
    system
        .properties()
        .map_or(&[], |properties| properties.descriptions())
}

/// Their values, as many as [`properties`].
pub(crate) fn property_values<S: System + ?Sized>(
    system: &mut S,
    at: &Point,
    out: &mut [f64],
) -> Result<(), EvaluationError> {
    match system.properties() {
        Some(properties) => properties.values(at, out),
        None => Ok(()),
    }
}

/// Whether nothing adds energy to any system, see [`Energy::is_passive`](crate::system::Energy::is_passive).
pub fn is_passive<S: System + ?Sized>(system: &mut S) -> bool {
    system.energy().is_some_and(|energy| energy.is_passive())
}

/// Descriptions of the event functions of a system, one each.
pub fn event_descriptions<S: System + ?Sized>(system: &mut S) -> &[EventDescription] {
    system.events().map_or(&[], Events::descriptions)
}

/// Moments at which a system is not smooth in time.
pub fn time_events<S: System + ?Sized>(system: &mut S) -> &[f64] {
    system.events().map_or(&[], Events::time_events)
}
