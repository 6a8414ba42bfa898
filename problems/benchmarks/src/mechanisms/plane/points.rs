//! Joints of mechanisms that are stated by where their points are at the start.

use liedae_multibody::plane::{PlaneBodyData, PlaneJoint, PlanePoint};

/// The material point of a body that is at this place at the start.
pub(crate) fn place(bodies: &[PlaneBodyData], body: usize, at: [f64; 2]) -> PlanePoint {
    let [x, y, angle] = bodies[body].position;
    let (sine, cosine) = angle.sin_cos();
    let (x, y) = (at[0] - x, at[1] - y);
    (Some(body), [cosine * x + sine * y, cosine * y - sine * x])
}

/// A pin through two bodies at this place.
pub(crate) fn pin(
    bodies: &[PlaneBodyData],
    first: usize,
    second: usize,
    at: [f64; 2],
) -> PlaneJoint {
    PlaneJoint::Revolute(place(bodies, first, at), place(bodies, second, at))
}

/// A pin that holds a body to the ground at this place.
pub(crate) fn pivot(bodies: &[PlaneBodyData], body: usize, at: [f64; 2]) -> PlaneJoint {
    PlaneJoint::Revolute(place(bodies, body, at), (None, at))
}

/// A body that slides without turning along a fixed line through its centre.
pub(crate) fn slider(bodies: &[PlaneBodyData], body: usize, along: [f64; 2]) -> [PlaneJoint; 2] {
    let [x, y, angle] = bodies[body].position;
    [
        PlaneJoint::PointOnLine((Some(body), [0.0, 0.0]), (None, [x, y]), along),
        PlaneJoint::Angle(Some(body), None, angle),
    ]
}
