//! Rigid bodies of common shapes.

use liedae_multibody::RigidBody;
use nalgebra::{Matrix3, Vector3};

/// A rotation that takes x to this direction, and y into the plane z = 0 unless the direction is that of z.
pub(super) fn along(direction: Vector3<f64>) -> Matrix3<f64> {
    let x = direction.normalize();
    let up = if x.z.abs() > 0.999 {
        Vector3::y()
    } else {
        Vector3::z()
    };
    let y = up.cross(&x).normalize();
    Matrix3::from_columns(&[x, y, x.cross(&y)])
}

/// A uniform cylinder at rest whose ends, on its x-axis, are at these points; x points from the first to the second.
pub(super) fn rod(
    name: impl Into<String>,
    mass: f64,
    radius: f64,
    ends: [Vector3<f64>; 2],
) -> RigidBody {
    let [from, to] = ends;
    let length = (to - from).norm();
    let across = mass * (3.0 * radius * radius + length * length) / 12.0;
    RigidBody::new(name, mass, [0.5 * mass * radius * radius, across, across])
        .at((from + to) * 0.5)
        .rotated(along(to - from))
}

/// A uniform cuboid at rest with these sides along its axes.
pub(super) fn cuboid(name: impl Into<String>, mass: f64, sides: [f64; 3]) -> RigidBody {
    let [x, y, z] = sides.map(|side| side * side);
    let moments = [y + z, z + x, x + y].map(|sum| mass * sum / 12.0);
    RigidBody::new(name, mass, moments)
}

/// A uniform disk at rest about its z-axis, so thin that its thickness does not count.
pub(super) fn disk(name: impl Into<String>, mass: f64, radius: f64) -> RigidBody {
    let across = 0.25 * mass * radius * radius;
    RigidBody::new(name, mass, [across, across, 2.0 * across])
}

/// The same body, turning with the world about a point at this angular velocity in rad/s, both of the world.
pub(super) fn turning(body: RigidBody, about: Vector3<f64>, rate: Vector3<f64>) -> RigidBody {
    let velocity = rate.cross(&(body.position - about));
    let omega = body.rotation.tr_mul(&rate);
    body.moving(velocity, omega)
}
