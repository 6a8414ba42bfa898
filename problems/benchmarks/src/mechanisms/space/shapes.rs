//! Drawings of bodies that bars from their centres to their joints do not show.

use liedae_multibody::drawing::{Figure, Kind};
use liedae_multibody::{BodyId, Drawing};
use nalgebra::Vector3;

/// Spokes of a wheel, each across all of it.
const SPOKES: usize = 3;

/// Without the bars of a body.
pub(super) fn bare(drawing: Drawing, body: BodyId) -> Drawing {
    match body.index() {
        Some(frame) => drawing.without_body(frame),
        None => drawing,
    }
}

/// A wheel of wire and spokes about the y-axis of a body, in the place of its bars.
pub(super) fn spoked_wheel(drawing: Drawing, body: BodyId, radius: f64) -> Drawing {
    let frame = body.index();
    let drawing = bare(drawing, body).hoop(frame, [0.0; 3], Vector3::y(), radius);
    (0..SPOKES).fold(drawing, |drawing, spoke| {
        let angle = std::f64::consts::PI * spoke as f64 / SPOKES as f64;
        let (sine, cosine) = angle.sin_cos();
        let end = Vector3::new(radius * cosine, 0.0, radius * sine);
        drawing.bar(frame, -end, end)
    })
}

/// A tyre about the y-axis of a body, seen through: its rims lie so far along y.
pub(super) fn tyre(drawing: Drawing, body: BodyId, radius: f64, rims: [f64; 2]) -> Drawing {
    rims.into_iter().fold(drawing, |drawing, y| {
        drawing.hoop(body.index(), [0.0, y, 0.0], Vector3::y(), radius)
    })
}

/// A round plate about the z-axis of a body, in the place of its bars.
pub(super) fn plate(drawing: Drawing, body: BodyId, radius: f64, half_thickness: f64) -> Drawing {
    let end = Vector3::z() * half_thickness;
    bare(drawing, body).cylinder(body.index(), -end, end, radius)
}

/// A line through points of a body.
pub(super) fn line(drawing: Drawing, body: BodyId, points: &[Vector3<f64>]) -> Drawing {
    let points = points.iter().map(|&point| point.into()).collect();
    drawing.with(body.index(), Kind::Body, Figure::Line(points))
}
