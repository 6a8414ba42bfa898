//! Contacts of plane mechanisms: points on edges, stops of angles.

use crate::mechanisms::plane::{Built, Mechanism};
use liedae_contact::Contact;
use liedae_multibody::plane::PlanePairing;
use liedae_multibody::plane::geometry::GeometryError;
use liedae_multibody::plane::geometry::{AngularStop, DiscOnLine, HalfPlane};

/// A point of body B on an edge of body A through this point with this outward normal.
pub(super) fn point_on_edge(
    edge: [f64; 2],
    normal: [f64; 2],
    point: [f64; 2],
) -> Result<PlanePairing, GeometryError> {
    let edge = HalfPlane::new(edge, normal)?;
    Ok(PlanePairing::DiscOnLine(DiscOnLine::point(edge, point)?))
}

/// Two stops of the angle θ_B - θ_A, named after the label: `<label>-low` and `<label>-high`.
pub(super) fn with_stops(
    mechanism: Mechanism,
    label: &str,
    e: f64,
    bodies: [Option<usize>; 2],
    limits: [f64; 2],
) -> Built {
    let low = PlanePairing::AngularStop(AngularStop::at_least(limits[0])?);
    let high = PlanePairing::AngularStop(AngularStop::at_most(limits[1])?);
    Ok(mechanism
        .with_contact(Contact::new(format!("{label}-low"), e), bodies, low)?
        .with_contact(Contact::new(format!("{label}-high"), e), bodies, high)?)
}
