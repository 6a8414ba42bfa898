//! What friction in space cannot do yet between located events says so.

use super::run::GRAVITY;
use liedae_contact::{ImpactLaw, NonsmoothError, NonsmoothOptions, NonsmoothSystem};
use liedae_multibody::{
    BodyId, Frame, MultibodyBuilder, RigidBody, Shape, Surface, SurfaceContact,
};

fn box_on_floor() -> MultibodyBuilder {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -GRAVITY]);
    let half = [0.1, 0.15, 0.05];
    let body = RigidBody::new("box", 1.0, [0.01; 3]).at([0.0, 0.0, half[2]]);
    let body = mechanism.add_body(body);
    let contact = SurfaceContact::new(
        "floor",
        Surface::half_space(BodyId::GROUND, [0.0; 3], [0.0, 0.0, 1.0]),
        Surface::new(body, Frame::local_point([0.0; 3]), Shape::Cuboid(half)),
    );
    mechanism.add_contact(contact.with_friction(0.3));
    mechanism
}

#[test]
fn the_law_of_poisson_is_refused() {
    let inner = box_on_floor().build().expect("fits");
    let options = NonsmoothOptions {
        law: ImpactLaw::Poisson,
        ..NonsmoothOptions::default()
    };
    let error = NonsmoothSystem::new(inner, options).err();
    assert!(matches!(error, Some(NonsmoothError::PoissonInSpace { .. })));
}
