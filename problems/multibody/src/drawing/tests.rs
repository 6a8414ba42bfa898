use super::*;
use crate::plane::geometry::{DiscOnLine, HalfPlane};
use crate::plane::{PlaneBodyData, PlaneJoint, PlaneMechanism, PlanePairing};
use crate::{
    Beam, BodyId, Joint, Material, MultibodyBuilder, RigidBody, Rotation, Section, Shape, Surface,
    SurfaceContact,
};
use liedae::system::{Model, System};
use liedae_contact::Contact;

fn near(a: [f64; 3], b: [f64; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
}

/// A bar of 1 m on a pivot, its end above a floor.
fn bar_over_floor() -> PlaneMechanism {
    let bar = PlaneBodyData {
        name: "bar".to_owned(),
        mass: 1.0,
        inertia: 0.1,
        position: [0.5, 0.0, 0.0],
        velocity: [0.0; 3],
    };
    let floor = HalfPlane::new([0.0, -0.8], [0.0, 1.0]).expect("a floor");
    let end = DiscOnLine::new(floor, [0.5, 0.0], 0.1).expect("a disc");
    let pivot = PlaneJoint::Revolute((Some(0), [-0.5, 0.0]), (None, [0.0, 0.0]));
    PlaneMechanism::new(vec![bar], [0.0, -9.81])
        .and_then(|mechanism| mechanism.with_joints([pivot]))
        .and_then(|mechanism| {
            let law = Contact::new("floor", 0.5);
            mechanism.with_contact(law, [None, Some(0)], PlanePairing::DiscOnLine(end))
        })
        .expect("a mechanism")
}

#[test]
fn a_plane_body_is_drawn_by_its_joints_and_shapes() {
    let drawing = bar_over_floor().drawing();
    assert_eq!(drawing.frames(), ["bar"]);
    let body = |figure: Figure| Part {
        frame: Some(0),
        kind: Kind::Body,
        figure,
    };
    let line = Figure::Line(vec![[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]]);
    assert!(drawing.parts().contains(&body(line)), "{drawing:?}");
    let disc = Figure::Disc {
        centre: [0.5, 0.0, 0.0],
        radius: 0.1,
    };
    assert!(drawing.parts().contains(&body(disc)));
    let edge = |part: &Part| {
        matches!(
            part.figure,
            Figure::Edge {
                half_length: None,
                ..
            }
        )
    };
    assert!(
        drawing
            .parts()
            .iter()
            .any(|part| part.frame.is_none() && edge(part))
    );
}

/// The force of the floor pushes up, at the lowest point of the disc.
#[test]
fn contact_forces_act_where_surfaces_touch() {
    let mechanism = bar_over_floor();
    let drawing = mechanism.drawing();
    let mut state = mechanism.initial_state();
    state.q.copy_from_slice(&[0.3, -0.4, -0.9]);
    let [touching] = &drawing.touches(&state)[..] else {
        panic!("one contact");
    };
    let end = drawing.place(&state)[0].point([0.5, 0.0]);
    assert_eq!(touching.label, "floor");
    assert!(
        near(touching.point, [end[0], end[1] - 0.1, 0.0]),
        "{touching:?}"
    );
    assert!(near(touching.normal, [0.0, 1.0, 0.0]));
    assert!(near(touching.tangent, [1.0, 0.0, 0.0]));
}

fn box_on_arm() -> MultibodyBuilder {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let body = mechanism.add_body(RigidBody::new("box", 1.0, [0.1; 3]).at([1.0, 0.0, 0.0]));
    let axis = [0.0, 1.0, 0.0];
    mechanism.add_joint(Joint::revolute(
        "pivot",
        BodyId::GROUND,
        body,
        [0.0; 3],
        axis,
    ));
    mechanism
}

#[test]
fn drawings_follow_the_coordinates_of_rotations() {
    let shown = |rotation: Rotation| {
        let system = box_on_arm().build().expect("a mechanism");
        let (system, drawing) = system.with_rotation_drawn(rotation).expect("coordinates");
        let state = system.initial_state();
        assert_eq!(system.layout().space.coordinates(), state.q.len());
        drawing.place(&state)
    };
    let matrices = shown(Rotation::Matrices);
    for rotation in [Rotation::EulerParameters, Rotation::EulerAngles] {
        let other = shown(rotation);
        let (a, b) = (
            matrices[0].point([0.1, 0.2, 0.3]),
            other[0].point([0.1, 0.2, 0.3]),
        );
        assert!(near(a, b), "{rotation:?}: {a:?} {b:?}");
    }
}

#[test]
fn shapes_in_space_are_drawn_where_they_are() {
    let mut mechanism = box_on_arm();
    let floor = Surface::half_space(BodyId::GROUND, [0.0, 0.0, -2.0], [0.0, 0.0, 1.0]);
    let body = BodyId(Some(0));
    let shape = Shape::Points(vec![
        [0.1, 0.1, -0.1],
        [-0.1, 0.1, -0.1],
        [0.1, -0.1, -0.1],
        [0.0, 0.0, 0.2],
    ]);
    let points = Surface::new(body, crate::Frame::local_point([0.0; 3]), shape);
    mechanism.add_contact(SurfaceContact::new("floor", floor, points));
    let system = mechanism.build().expect("a mechanism");
    let drawing = system.drawing();
    let faces = drawing.parts().iter().find_map(|part| match &part.figure {
        Figure::Solid { faces, points } if points.len() == 4 => Some(faces.len()),
        _ => None,
    });
    assert_eq!(faces, Some(4), "a tetrahedron");
    let touches = drawing.touches(&system.initial_state());
    assert_eq!(touches.len(), 4);
    assert!(near(touches[0].point, [1.1, 0.1, -0.1]), "{touches:?}");
}

#[test]
fn hulls() {
    let square = [[0.0, 0.0], [1.0, 0.0], [0.5, 0.5], [1.0, 1.0], [0.0, 1.0]];
    assert_eq!(
        hull::plate(&square),
        [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    );
    let line = [[0.0, 0.0], [0.5, 0.5], [1.0, 1.0]];
    assert_eq!(hull::plate(&line), [[0.0, 0.0], [1.0, 1.0]]);
    // Upright, with round-off in x.
    let upright = [[1e-17, -1.0], [0.0, 2.0], [2e-17, 0.5]];
    assert_eq!(hull::plate(&upright), [[0.0, 2.0], [1e-17, -1.0]]);
    let Figure::Solid { points, faces } = hull::cuboid([0.0; 3], [1.0, 2.0, 3.0]) else {
        panic!("a solid");
    };
    // Faces are seen from outside counter-clockwise, of the box and of the hull of its corners.
    let Figure::Solid { faces: found, .. } = hull::solid(&points) else {
        panic!("a solid");
    };
    assert_eq!((faces.len(), found.len()), (6, 6));
    let at = |index: usize| nalgebra::Vector3::from(points[index]);
    for face in faces.iter().chain(&found) {
        let normal = (at(face[1]) - at(face[0])).cross(&(at(face[2]) - at(face[1])));
        assert!(normal.dot(&at(face[0])) > 0.0, "{face:?}");
    }
}

#[test]
fn a_beam_is_drawn_by_its_section_half_an_element_on_each_node() {
    let material = Material::new(1e9, 0.3, 1000.0);
    let drawn = |section: Section| {
        let mut mechanism = MultibodyBuilder::new();
        let beam = Beam::straight("beam", section, [0.0; 3], [1.0, 0.0, 0.0], 2);
        let nodes = mechanism.add_beam(beam);
        mechanism.add_joint(Joint::fixed(
            "clamp",
            BodyId::GROUND,
            nodes.start(),
            [0.0; 3],
        ));
        mechanism.build().expect("consistent").drawing()
    };
    let extent = |drawing: &Drawing, frame: usize| {
        let parts = drawing.parts().iter();
        let of_frame = parts.filter(|part| part.frame == Some(frame) && part.kind == Kind::Body);
        let points = of_frame.flat_map(|part| part.figure.outline());
        points.fold(
            [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]],
            |[low, high], point| {
                let axis = |pick: fn(f64, f64) -> f64, known: [f64; 3]| {
                    std::array::from_fn(|axis| pick(known[axis], point[axis]))
                };
                [axis(f64::min, low), axis(f64::max, high)]
            },
        )
    };
    let bar = drawn(Section::rectangle(&material, [0.2, 0.1]));
    assert_eq!(bar.frames(), ["beam.0", "beam.1", "beam.2"]);
    for (node, from, to) in [(0, 0.0, 0.25), (1, -0.25, 0.25), (2, -0.25, 0.0)] {
        let [low, high] = extent(&bar, node);
        assert!(
            near(low, [from, -0.1, -0.05]) && near(high, [to, 0.1, 0.05]),
            "{node}"
        );
    }
    let [low, high] = extent(&drawn(Section::tube(&material, 0.1, 0.08)), 1);
    assert!(near(
        [low[0], high[0], 0.1],
        [-0.25, 0.25, high[2].max(-low[2])]
    ));
    // Stiffnesses alone have no shape.
    let [low, high] = extent(&drawn(Section::new([1.0; 6], 1.0, [1.0; 3])), 1);
    assert!(near(low, [-0.25, 0.0, 0.0]) && near(high, [0.25, 0.0, 0.0]));
}
