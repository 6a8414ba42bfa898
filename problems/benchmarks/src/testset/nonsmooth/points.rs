//! Joints and contacts of mechanisms that are stated by where their points are at the start.

use super::statement::{Built, Mechanism};
use liedae_contact::Contact;
use liedae_multibody::plane::geometry::GeometryError;
use liedae_multibody::plane::geometry::{AngularStop, DiscOnLine, HalfPlane};
use liedae_multibody::plane::{PlaneBodyData, PlaneJoint, PlanePairing, PlanePoint};

/// A point of body B on an edge of body A through this point with this outward normal.
pub(super) fn point_on_edge(
    edge: [f64; 2],
    normal: [f64; 2],
    point: [f64; 2],
) -> Result<PlanePairing, GeometryError> {
    let edge = HalfPlane::new(edge, normal)?;
    Ok(PlanePairing::DiscOnLine(DiscOnLine::point(edge, point)?))
}

/// The material point of a body that is at this place at the start.
pub(super) fn place(bodies: &[PlaneBodyData], body: usize, at: [f64; 2]) -> PlanePoint {
    let [x, y, angle] = bodies[body].position;
    let (sine, cosine) = angle.sin_cos();
    let (x, y) = (at[0] - x, at[1] - y);
    (Some(body), [cosine * x + sine * y, cosine * y - sine * x])
}

/// A pin through two bodies at this place.
pub(super) fn pin(
    bodies: &[PlaneBodyData],
    first: usize,
    second: usize,
    at: [f64; 2],
) -> PlaneJoint {
    PlaneJoint::Revolute(place(bodies, first, at), place(bodies, second, at))
}

/// A pin that holds a body to the ground at this place.
pub(super) fn pivot(bodies: &[PlaneBodyData], body: usize, at: [f64; 2]) -> PlaneJoint {
    PlaneJoint::Revolute(place(bodies, body, at), (None, at))
}

/// A body that slides without turning along a fixed line through its centre.
pub(super) fn slider(bodies: &[PlaneBodyData], body: usize, along: [f64; 2]) -> [PlaneJoint; 2] {
    let [x, y, angle] = bodies[body].position;
    [
        PlaneJoint::PointOnLine((Some(body), [0.0, 0.0]), (None, [x, y]), along),
        PlaneJoint::Angle(Some(body), None, angle),
    ]
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
