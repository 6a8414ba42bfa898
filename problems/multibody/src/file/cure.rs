//! Messages of assembly errors for mechanism files: they name keys and tables in place of functions and types.

use crate::contact::partners;
use crate::error::AssemblyError;

/// What a file calls a shape; it states polyhedra by their points only.
fn in_files(shape: &'static str) -> Option<&'static str> {
    match shape {
        "hollow sphere" => Some("hollow-sphere"),
        "polyhedron" => None,
        same => Some(same),
    }
}

/// The message: the error, and what to state instead.
pub(super) fn in_words(error: &AssemblyError) -> String {
    use AssemblyError as E;
    match error {
        E::NoBodies => {
            "the mechanism has no bodies: expected a table `[[bodies]]`, `[[beams]]` or `[[modal_beams]]`".to_owned()
        }
        E::DuplicateName { kind, name } => match *kind {
            "probe" => format!("the output name '{name}' is used twice"),
            "joint position" | "joint rate" => {
                format!(
                    "the {kind} of '{name}' is stated twice: expected once in all of `[[initial]]`"
                )
            }
            _ => error.to_string(),
        },
        E::InertiaTriangle { body, moments } => format!(
            "no rigid body has the principal moments {moments:?} of '{body}': the largest exceeds the sum of the others; check the \
             units and the products of inertia, or state `unphysical_inertia = true`"
        ),
        E::FollowsWithoutTurns { spring } => format!(
            "spring '{spring}' follows a motion and forgets turns: expected `counts_turns = true`, or no such key"
        ),
        E::FreeAngle { spring, angle } => format!(
            "the free angle of '{spring}' is {angle} rad, more than half a turn: expected `counts_turns = true` for a spring that is \
             wound up, otherwise an angle within ±pi"
        ),
        E::SectionStiffness { beam, element } => format!(
            "the section of element {element} of beam '{beam}' has no stiffness matrix: its `compliance` must be symmetric and positive \
             definite; only shear may be rigid, and not in a beam with `constant_strain_energy`"
        ),
        E::ContactShapes {
            contact,
            first,
            second,
        } => {
            let touches = |shape: &'static str| {
                let partners = partners(shape).into_iter().filter_map(in_files);
                let names: Vec<String> = partners.map(|name| format!("`{name}`")).collect();
                format!(
                    "`{}` touches {}",
                    in_files(shape).unwrap_or(shape),
                    names.join(", ")
                )
            };
            format!(
                "contact '{contact}': there is no contact of {first} with {second}; {}; {}",
                touches(first),
                touches(second)
            )
        }
        E::Position { joint, violation } => format!(
            "the initial positions violate joint '{joint}' by {violation:e}: expected a `position` and a `rotation` of its bodies with \
             which it closes, or `[[initial]]`, which places bodies by coordinates of joints"
        ),
        E::Velocity { joint, violation } => format!(
            "the initial velocities violate joint '{joint}' by {violation:e}: expected a `velocity` and an `angular_velocity` of its \
             bodies that it allows, or `[[initial]]` with rates of joints"
        ),
        _ => error.to_string(),
    }
}
