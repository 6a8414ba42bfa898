//! A mechanism: an octahedron that falls onto a table, a corner first.

use liedae_multibody::{
    AssemblyError, BodyId, Frame, MultibodyBuilder, MultibodySystem, RigidBody, Shape, Surface,
    SurfaceContact,
};

const GRAVITY: f64 = 9.81;
/// Distance of the corners from the centre, m.
const CORNER: f64 = 0.3;
/// Height of the fall, m.
const FALL: f64 = 0.5;
const RESTITUTION: f64 = 0.6;

/// The stone above its table, whose top is at z = 0.
pub fn stone() -> Result<MultibodySystem, AssemblyError> {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -GRAVITY]);
    // A solid octahedron of 2 kg: m c² / 5 about each axis.
    let inertia = [2.0 * CORNER * CORNER / 5.0; 3];
    let stone = RigidBody::new("stone", 2.0, inertia).at([0.1, 0.2, CORNER + FALL]);
    let stone = mechanism.add_body(stone);
    let corners = (0..6).map(|k| {
        let mut corner = [0.0; 3];
        corner[k / 2] = if k % 2 == 0 { CORNER } else { -CORNER };
        corner
    });
    let octahedron = Shape::Polyhedron(corners.collect());
    let table = Frame::local_point([0.0, 0.0, -0.1]);
    mechanism.add_contact(
        SurfaceContact::new(
            "table",
            Surface::new(BodyId::GROUND, table, Shape::Cuboid([1.0, 1.0, 0.1])),
            Surface::new(stone, Frame::local_point([0.0; 3]), octahedron),
        )
        .with_restitution(RESTITUTION),
    );
    mechanism.build()
}

/// Times of the first two impacts, in closed form.
pub fn impacts() -> [f64; 2] {
    let fall = (2.0 * FALL / GRAVITY).sqrt();
    [fall, fall * (1.0 + 2.0 * RESTITUTION)]
}
