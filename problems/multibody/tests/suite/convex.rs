//! Contacts of convex polyhedra.

use liedae::integrator::MethodOptions;
use liedae::solve::{Options, solve};
use liedae::system::{State, System};
use liedae_contact::{Contacts, NonsmoothOptions, NonsmoothSystem};
use liedae_multibody::{
    AssemblyError, BodyId, Frame, MultibodyBuilder, MultibodySystem, RigidBody, Shape, Surface,
    SurfaceContact,
};
use nalgebra::{Matrix3, Rotation3, Vector3};
use std::f64::consts::FRAC_PI_4;

/// The corners of a cube with sides of 2 m.
fn cube() -> Shape {
    let corners =
        (0..8).map(|corner| [0, 1, 2].map(|bit| f64::from(corner >> bit & 1) * 2.0 - 1.0));
    Shape::Polyhedron(corners.collect())
}

fn stated(shapes: [Shape; 2], position: [f64; 3], rotation: Matrix3<f64>) -> MultibodyBuilder {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let body = RigidBody::new("cube", 1.0, [2.0 / 3.0; 3])
        .at(position)
        .rotated(rotation)
        .moving([0.1, 0.2, -0.3], [0.3, -0.4, 0.5]);
    let body = mechanism.add_body(body);
    let [first, second] = shapes;
    let frame = Frame::local_point([0.0; 3]);
    mechanism.add_contact(SurfaceContact::new(
        "cubes",
        Surface::new(BodyId::GROUND, frame, first),
        Surface::new(body, frame, second),
    ));
    mechanism
}

fn above(position: [f64; 3], rotation: Rotation3<f64>) -> MultibodySystem {
    let mechanism = stated(
        [cube(), Shape::Cuboid([1.0; 3])],
        position,
        rotation.into_inner(),
    );
    mechanism.build().expect("fits")
}

/// Position, orientation, gap and normal.
type Case = ([f64; 3], Rotation3<f64>, f64, [f64; 3]);

fn cases() -> Vec<Case> {
    let about = |axis: Vector3<f64>, angle: f64| Rotation3::new(axis * angle);
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    let (up, root) = ([0.0, 0.0, 1.0], 2.0_f64.sqrt());
    // A space diagonal of the cube upright.
    let standing = about(Vector3::new(1.0, -1.0, 0.0).normalize(), root.atan());
    let oblique = [0.6, 0.0, 0.8];
    vec![
        ([0.3, 0.2, 3.0], about(z, 0.4), 1.0, up),
        ([0.3, 0.2, 2.0 + 1e-9], about(z, 0.4), 1e-9, up),
        ([0.3, 0.2, 1.9], about(z, 0.4), -0.1, up),
        ([0.3, 0.2, -3.0], about(z, 0.4), 1.0, [0.0, 0.0, -1.0]),
        ([0.1, 0.2, 3.0], standing, 2.0 - 3.0_f64.sqrt(), up),
        ([0.1, 0.2, 1.0 + 3.0_f64.sqrt() - 0.01], standing, -0.01, up),
        ([0.1, 0.2, 3.0], about(x, FRAC_PI_4), 2.0 - root, up),
        (
            [3.0, 0.0, 0.2],
            about(z, FRAC_PI_4),
            2.0 - root,
            [1.0, 0.0, 0.0],
        ),
        // Vertical edge of one, horizontal edge of the other, through a point of the line x = y.
        (
            [3.0, 3.0, 0.3],
            about(z, FRAC_PI_4) * about(y, FRAC_PI_4),
            root,
            [1.0 / root, 1.0 / root, 0.0],
        ),
        // Edges along y.
        (
            [2.0 + 0.6, 0.1, 2.0 + 0.8],
            Rotation3::identity(),
            1.0,
            oblique,
        ),
        // Corners.
        (
            [2.0 + 0.6, 2.0 + 0.64, 2.0 + 0.48],
            Rotation3::identity(),
            1.0,
            [0.6, 0.64, 0.48],
        ),
    ]
}

#[test]
fn gaps_and_normals_of_cubes() {
    for (index, (position, rotation, gap, normal)) in cases().into_iter().enumerate() {
        let system = above(position, rotation);
        let touch = system
            .touch(0, &system.initial_state().point())
            .expect("finite");
        println!("{index}: {:e} {:?}", touch.gap - gap, touch.normal);
        assert!(
            (touch.gap - gap).abs() < 1e-13,
            "{index}: {} {gap}",
            touch.gap
        );
        assert!(
            (touch.normal - Vector3::from(normal)).norm() < 1e-12,
            "{index}"
        );
        let across = touch.points[1] - touch.points[0] - touch.normal * touch.gap;
        assert!(across.norm() < 1e-13, "{index}: {across}");
    }
}

#[test]
fn rates_rows_and_biases_are_derivatives() {
    for (index, (position, rotation, ..)) in cases().into_iter().enumerate() {
        if index == 1 {
            continue;
        }
        // Away from parallel faces and edges.
        let rotation = rotation * Rotation3::new(Vector3::new(0.02, -0.03, 0.05));
        let mut system = above(position, rotation);
        let state = system.initial_state();
        let space = system.layout().space.clone();
        let moved = |u: &[f64]| {
            let mut moved: State = state.clone();
            space.displace(&state.q, u, &mut moved.q);
            moved
        };
        let h = 1e-4;
        let slope = |values: [f64; 4]| {
            (8.0 * (values[2] - values[1]) - (values[3] - values[0])) / (12.0 * h)
        };
        let steps = [-2.0, -1.0, 1.0, 2.0].map(|k| k * h);
        let along = steps.map(|s| moved(&state.v.iter().map(|v| s * v).collect::<Vec<_>>()));
        let contacts = system.unilateral().expect("there is a contact");
        let gaps = [0, 1, 2, 3].map(|k| contacts.gap(0, &along[k].point()).expect("finite"));
        let rate = contacts.gap_rate(0, &state.point()).expect("finite");
        assert!(
            (rate - slope(gaps)).abs() < 1e-8,
            "{index}: {rate} {}",
            slope(gaps)
        );
        let rates = [0, 1, 2, 3].map(|k| contacts.gap_rate(0, &along[k].point()).expect("finite"));
        let bias = contacts.gap_bias(0, &state.point()).expect("finite");
        assert!(
            (bias - slope(rates)).abs() < 1e-7,
            "{index}: {bias} {}",
            slope(rates)
        );
        let mut row = [f64::NAN; 6];
        contacts
            .gap_jacobian(0, &state.point(), &mut row)
            .expect("finite");
        for (direction, entry) in row.into_iter().enumerate() {
            let gaps = steps.map(|s| {
                let mut u = [0.0; 6];
                u[direction] = s;
                contacts.gap(0, &moved(&u).point()).expect("finite")
            });
            assert!(
                (entry - slope(gaps)).abs() < 1e-8,
                "{index}: {entry} {}",
                slope(gaps)
            );
        }
    }
}

/// One corner of a cube falls onto a slab and slides on it, as on a half-space, of which the contacts are in closed form.
#[test]
fn a_cube_dropped_on_a_slab() {
    let standing = cases()[4].1.into_inner();
    let drop = |floor: Shape, height: f64, step: f64| {
        let mechanism = stated([floor, cube()], [0.1, 0.2, height], standing);
        let inner = mechanism.build().expect("fits");
        let mut system =
            NonsmoothSystem::new(inner, NonsmoothOptions::default()).expect("admissible");
        let integrator = liedae_contact::methods()
            .build("moreau-jean", &MethodOptions::default())
            .expect("registered");
        let options = Options::fixed(0.35, step);
        let solution = solve(&mut system, integrator.as_ref(), &options).expect("solved");
        let contacts = liedae_contact::unilateral(&mut system).expect("there is a contact");
        let count = contacts.contacts().len();
        let gaps = (0..count).map(|contact| contacts.gap(contact, &solution.state.point()));
        let gap = gaps
            .map(|gap| gap.expect("finite"))
            .fold(f64::MAX, f64::min);
        (solution.state, gap)
    };
    for step in [1e-3, 2.5e-4] {
        let (state, gap) = drop(Shape::Cuboid([5.0, 5.0, 1.0]), 3.0, step);
        let (wanted, wanted_gap) = drop(Shape::HalfSpace, 2.0, step);
        println!("{step}: gaps {gap:e} {wanted_gap:e}, z {}", state.q[2]);
        assert!(gap.abs() < step, "{gap}");
        assert!((gap - wanted_gap).abs() < 1e-9);
        assert!((state.q[2] - 1.0 - wanted.q[2]).abs() < 1e-9);
        // Round-off decides in which steps a contact of this gap is active.
        for (one, other) in state.v.iter().zip(&wanted.v) {
            assert!((one - other).abs() < 1e-6, "{one} {other}");
        }
    }
}

#[test]
fn flat_polyhedra_are_refused() {
    let flat = Shape::Polyhedron(vec![
        [0.0; 3],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [1.0, 1.0, 0.0],
    ]);
    let few = Shape::Polyhedron(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    for shape in [flat, few, Shape::Polyhedron(Vec::new())] {
        let error = stated([cube(), shape], [0.0, 0.0, 3.0], Matrix3::identity())
            .build()
            .err();
        assert!(
            matches!(error, Some(AssemblyError::NoVolume { .. })),
            "{error:?}"
        );
    }
    let corners = vec![[0.0, f64::NAN, 0.0]];
    let error = stated(
        [cube(), Shape::Polyhedron(corners)],
        [0.0; 3],
        Matrix3::identity(),
    )
    .build()
    .err();
    assert!(
        matches!(error, Some(AssemblyError::Coefficient { .. })),
        "{error:?}"
    );
    // A polyhedron rests on a plane with all its corners.
    let floor = stated(
        [Shape::HalfSpace, cube()],
        [0.0, 0.0, 3.0],
        Matrix3::identity(),
    );
    let mut system = floor.build().expect("fits");
    assert_eq!(
        system
            .unilateral()
            .map(|contacts| contacts.contacts().len()),
        Some(8)
    );
}

#[test]
fn contacts_of_faces_are_known_by_name() {
    let turned = Rotation3::identity();
    assert_eq!(
        above([0.0, 0.0, 3.0], turned).contacts_of_faces(),
        ["cubes"]
    );
    let shapes = [Shape::HalfSpace, Shape::Cuboid([1.0; 3])];
    let stands = stated(shapes, [0.0, 0.0, 1.0], turned.into_inner());
    assert!(stands.build().expect("fits").contacts_of_faces().is_empty());
}
