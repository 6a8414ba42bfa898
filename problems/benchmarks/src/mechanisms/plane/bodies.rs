//! Plane bodies of common shapes.

use super::Built;
use liedae::scalar::Scalar;
use liedae_multibody::plane::PlaneBodyData;

/// A body at rest.
pub(crate) fn body(name: &str, mass: f64, inertia: f64, position: [f64; 3]) -> PlaneBodyData {
    PlaneBodyData {
        name: name.to_owned(),
        mass,
        inertia,
        position,
        velocity: [0.0; 3],
    }
}

/// A uniform slender bar at rest whose ends, at -L/2 and L/2 on its x-axis, are at these points.
pub(crate) fn bar(name: &str, mass: f64, [from, to]: [[f64; 2]; 2]) -> PlaneBodyData {
    let (x, y) = (to[0] - from[0], to[1] - from[1]);
    let inertia = mass * (x * x + y * y) / 12.0;
    let middle = [0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1])];
    body(name, mass, inertia, [middle[0], middle[1], y.atan2(x)])
}

/// The point at these distances from two points, on the left of the way from the first to the second.
pub(crate) fn apex<S: Scalar>(first: ([S; 2], f64), second: ([S; 2], f64)) -> Built<[S; 2]> {
    let ((a, from_a), (b, from_b)) = (first, second);
    let (x, y) = (b[0] - a[0], b[1] - a[1]);
    let base = x.hypot(y);
    let along = (base * base + from_a * from_a - from_b * from_b) / (base * 2.0);
    let height = (-along * along + from_a * from_a).sqrt();
    if !height.is_finite() {
        let base = base.value();
        return Err(format!("bars of {from_a} m and {from_b} m do not meet over {base} m").into());
    }
    let (x, y) = (x / base, y / base);
    Ok([a[0] + along * x - height * y, a[1] + along * y + height * x])
}

/// A body of 1 kg whose inertia does not matter, since nothing turns it.
pub(crate) fn particle(name: &str, position: [f64; 2], velocity: [f64; 2]) -> PlaneBodyData {
    PlaneBodyData {
        name: name.to_owned(),
        mass: 1.0,
        inertia: 1.0,
        position: [position[0], position[1], 0.0],
        velocity: [velocity[0], velocity[1], 0.0],
    }
}

/// A uniform slender rod of 1 kg at rest.
pub(crate) fn rod(name: &str, length: f64, position: [f64; 3]) -> PlaneBodyData {
    PlaneBodyData {
        name: name.to_owned(),
        mass: 1.0,
        inertia: length * length / 12.0,
        position,
        velocity: [0.0; 3],
    }
}
