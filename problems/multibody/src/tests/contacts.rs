//! Contacts of mechanisms: rows against duals and differences, closed forms, errors.

use super::super::kinematics::VELOCITIES;
use super::*;
use liedae::system::{Point, State, System, output_names, output_values};
use liedae_contact::UnilateralConstraints;

/// Two random bodies, well apart, with a contact of every pair of shapes.
fn every_pair(seed: u64) -> MultibodySystem {
    let mut random = Random::new(seed);
    let mut mechanism = MultibodyBuilder::new();
    let one = mechanism.add_body(random.body("one"));
    let two = mechanism.add_body(
        random
            .body("two")
            .at(random.vector() + Vector3::repeat(4.0)),
    );
    let solids = [
        Shape::HalfSpace,
        Shape::HollowSphere(1.5),
        Shape::Bore(1.5),
        Shape::Slot(1.6),
        Shape::Sphere(0.4),
        Shape::Capsule {
            radius: 0.3,
            half_length: 0.5,
        },
        Shape::Cylinder {
            radius: 0.3,
            half_length: 0.5,
        },
        Shape::Cuboid([0.5, 0.3, 0.4]),
    ];
    let others = [
        Shape::Point,
        Shape::Points(vec![[0.1, 0.2, 0.3], [-0.2, 0.3, 0.1]]),
        Shape::Sphere(0.2),
        Shape::Cuboid([0.5, 0.3, 0.4]),
        Shape::Capsule {
            radius: 0.2,
            half_length: 0.4,
        },
        Shape::Cylinder {
            radius: 0.2,
            half_length: 0.4,
        },
    ];
    let bodies = [(one, two), (two, one), (BodyId::GROUND, two)];
    for (case, (first, second)) in bodies.into_iter().enumerate() {
        for (row, solid) in solids.iter().enumerate() {
            let fitting = match row {
                0 | 2 | 3 => 6,
                1 => 5,
                _ => 3,
            };
            for (column, other) in others.iter().take(fitting).enumerate() {
                let mut surface = |body, shape: &Shape| {
                    let z = random.unit();
                    let x = z.cross(&random.unit()).normalize();
                    Surface::new(body, Frame::local(random.vector(), z, x), shape.clone())
                };
                let (a, b) = (surface(first, solid), surface(second, other));
                let (a, b) = if case == 1 { (b, a) } else { (a, b) };
                let name = format!("{case} {} {column} {}", solid.name(), other.name());
                mechanism.add_contact(SurfaceContact::new(name, a, b).with_friction(0.1));
            }
        }
    }
    mechanism.build().expect("all pairs fit")
}

fn assert_close(name: &str, found: f64, wanted: f64, tolerance: f64) {
    assert!(
        (found - wanted).abs() <= tolerance * (1.0 + wanted.abs()),
        "{name}: {found} {wanted}"
    );
}

/// Gap and sliding velocities with the gap's derivatives by the velocities of the pair, from duals.
fn by_duals(system: &MultibodySystem, contact: usize, at: &Point) -> ([f64; 12], [[f64; 12]; 2]) {
    let place = &system.contacts.places[contact];
    let [one, two] = MultibodySystem::pair(&place.bodies, at);
    let gap = place
        .touch(&[one.displaced(0), two.displaced(VELOCITIES)])
        .gap;
    let faster = [one.accelerated(0), two.accelerated(VELOCITIES)];
    let sliding = place.touch(&faster).sliding_velocity(&faster);
    (gap.gradient, sliding.map(|velocity| velocity.gradient))
}

#[test]
fn rows_are_the_dual_derivatives() {
    let mut system = every_pair(1);
    let state = system.initial_state();
    let at = state.point();
    let count = system.contacts.places.len();
    assert_eq!(count, system.contacts().len());
    for contact in 0..count {
        let name = system.contacts()[contact].label.clone();
        let mut rows = [[f64::NAN; 12]; 3];
        let [normal, tangents @ ..] = &mut rows;
        system.gap_jacobian(contact, &at, normal).expect("finite");
        system
            .sliding_jacobian(contact, &at, tangents.as_flattened_mut())
            .expect("finite");
        let (gap, [first, second]) = by_duals(&system, contact, &at);
        let bodies = system.contacts.places[contact].bodies;
        for (row, wanted) in rows.iter().zip([gap, first, second]) {
            assert!(row.iter().any(|entry| entry.abs() > 1e-3), "{name}");
            for (side, body) in bodies.into_iter().enumerate() {
                let Some(body) = body else { continue };
                for index in 0..VELOCITIES {
                    let (found, wanted) = (
                        row[VELOCITIES * body + index],
                        wanted[VELOCITIES * side + index],
                    );
                    assert_close(&name, found, wanted, 1e-12);
                }
            }
        }
    }
}

/// Which feature of the solid is nearest: where its normal is along an axis, a face or the mantle, else an edge or a corner.
fn feature(system: &MultibodySystem, contact: usize, at: &Point) -> [bool; 3] {
    let place = &system.contacts.places[contact];
    let bodies = MultibodySystem::pair(&place.bodies, at);
    let axes = bodies[usize::from(place.exchanged)].rotation * place.frame.axes;
    let normal = axes.tr_mul(&place.touch(&bodies).normal);
    [0, 1, 2].map(|axis| normal[axis].abs() > 1e-9)
}

#[test]
fn rates_and_biases_are_time_derivatives() {
    let (mut checked, mut skipped) = (0, Vec::new());
    for seed in 1..4 {
        let mut system = every_pair(seed);
        let state = system.initial_state();
        let space = system.layout.space.clone();
        // The state after s with constant velocities (r', ω).
        let after = |s: f64| {
            let mut moved = state.clone();
            let u: Vec<f64> = state.v.iter().map(|v| s * v).collect();
            space.displace(&state.q, &u, &mut moved.q);
            moved
        };
        let h = 1e-4;
        let states = [-2.0, -1.0, 1.0, 2.0].map(|k| after(k * h));
        let slope = |values: [f64; 4]| {
            (8.0 * (values[2] - values[1]) - (values[3] - values[0])) / (12.0 * h)
        };
        for contact in 0..system.contacts.places.len() {
            let name = format!("seed {seed}, {}", system.contacts()[contact].label);
            let at = state.point();
            // Curvature jumps between the features of a solid, so that differences across say nothing about it.
            let nearest = feature(&system, contact, &at);
            let same = |state: &State| feature(&system, contact, &state.point()) == nearest;
            if !states.iter().all(same) {
                skipped.push(name);
                continue;
            }
            checked += 1;
            let gaps = [0, 1, 2, 3].map(|k| system.gap(contact, &states[k].point()));
            let rate = system.gap_rate(contact, &at).expect("finite");
            assert_close(&name, rate, slope(gaps.map(|x| x.expect("finite"))), 2e-7);
            let rates = [0, 1, 2, 3].map(|k| system.gap_rate(contact, &states[k].point()));
            let bias = system.gap_bias(contact, &at).expect("finite");
            assert_close(&name, bias, slope(rates.map(|x| x.expect("finite"))), 2e-6);
            let mut sliding = [[0.0; 2]; 4];
            for (velocity, state) in sliding.iter_mut().zip(&states) {
                let at = state.point();
                system
                    .sliding_velocity(contact, &at, velocity)
                    .expect("finite");
            }
            let mut bias = [f64::NAN; 2];
            system
                .sliding_bias(contact, &at, &mut bias)
                .expect("finite");
            for axis in 0..2 {
                let wanted = slope(sliding.map(|velocity| velocity[axis]));
                assert_close(&name, bias[axis], wanted, 2e-6);
            }
        }
    }
    assert!(checked > 300 && skipped.len() < 3, "{checked} {skipped:?}");
}

#[test]
fn velocities_are_those_of_material_points() {
    let mut system = every_pair(2);
    let state = system.initial_state();
    let at = state.point();
    for contact in 0..system.contacts.places.len() {
        let name = system.contacts()[contact].label.clone();
        let place = system.contacts.places[contact].clone();
        let touch = system.touch(contact, &at).expect("finite");
        let bodies = MultibodySystem::pair(&place.bodies, &at);
        // Through the points' places in the body frames.
        let [one, two] = [0, 1].map(|side| {
            let local = bodies[side]
                .rotation
                .tr_mul(&(touch.points[side] - bodies[side].position));
            bodies[side].point_velocity(&local)
        });
        let mut sliding = [f64::NAN; 2];
        system
            .sliding_velocity(contact, &at, &mut sliding)
            .expect("finite");
        for (found, tangent) in sliding.into_iter().zip(touch.tangents) {
            assert_close(&name, found, tangent.dot(&(two - one)), 1e-12);
        }
        let [first, second] = touch.tangents;
        for (found, wanted) in [
            (touch.normal.norm(), 1.0),
            (first.norm(), 1.0),
            (second.norm(), 1.0),
            (first.dot(&second), 0.0),
            (first.dot(&touch.normal), 0.0),
            (second.dot(&touch.normal), 0.0),
        ] {
            assert_close(&name, found, wanted, 1e-13);
        }
        let across = touch.points[1] - touch.points[0] - touch.normal * touch.gap;
        assert_close(&name, across.norm(), 0.0, 1e-13);
    }
}

/// The gaps of a shape on the ground's x-y-z frame with a shape in the frame of a body at `position`, both ways.
fn gaps(solid: Shape, other: Shape, position: [f64; 3], turn: [f64; 3]) -> Vec<f64> {
    let build = |exchanged: bool| {
        let mut mechanism = MultibodyBuilder::new();
        let turn = Rotation3::new(Vector3::from(turn)).into_inner();
        let body = RigidBody::new("body", 1.0, [1.0; 3])
            .at(position)
            .rotated(turn)
            .moving([1.0, 2.0, 3.0], [0.3, 0.2, 0.1]);
        let body = mechanism.add_body(body);
        let place = Frame::local_point([0.0; 3]);
        let first = Surface::new(BodyId::GROUND, place, solid.clone());
        let second = Surface::new(body, place, other.clone());
        let contact = if exchanged {
            SurfaceContact::new("c", second, first)
        } else {
            SurfaceContact::new("c", first, second)
        };
        mechanism.add_contact(contact.with_friction(0.1));
        mechanism.build().expect("fits")
    };
    let (mut system, mut other) = (build(false), build(true));
    let state = system.initial_state();
    (0..system.contacts.places.len())
        .map(|contact| {
            let gap = system.gap(contact, &state.point()).expect("finite");
            assert_eq!(other.gap(contact, &state.point()), Ok(gap));
            let (mut sliding, mut exchanged) = ([0.0; 2], [0.0; 2]);
            let at = state.point();
            system
                .sliding_velocity(contact, &at, &mut sliding)
                .expect("finite");
            other
                .sliding_velocity(contact, &at, &mut exchanged)
                .expect("finite");
            // Two solids have tangents in the frame of the first body: only the speed is the same.
            let speed = |[x, y]: [f64; 2]| x.hypot(y);
            assert!((speed(sliding) - speed(exchanged)).abs() < 1e-13);
            let normal = system.touch(contact, &at).expect("finite").normal;
            assert_eq!(other.touch(contact, &at).expect("finite").normal, -normal);
            gap
        })
        .collect()
}

/// A solid, what may touch it, the position and turn of that, and the gaps.
type Case = (Shape, Shape, [f64; 3], [f64; 3], Vec<f64>);

#[test]
fn gaps_in_closed_form_both_ways() {
    let rod = |radius, half_length| Shape::Cylinder {
        radius,
        half_length,
    };
    let capsule = Shape::Capsule {
        radius: 0.2,
        half_length: 0.5,
    };
    let [right, tilted] = [std::f64::consts::FRAC_PI_2, 0.5_f64];
    // Heights of the rims' lowest points and of four feet on either face of a rod, turned about x and raised by 1.
    let on_plane = |turn: f64| {
        let (sin, cos) = turn.sin_cos();
        let depth = (sin * sin - 1e-13 * cos * cos) / sin.hypot(1e-6 * cos);
        let rims = [-0.5, 0.5].map(|z| 1.0 + z * cos - 0.2 * depth);
        let foot = |y: f64, z: f64| 1.0 + y * sin + z * cos;
        let feet = [-0.5, 0.5].map(|z| [0.0, 0.18, 0.0, -0.18].map(|y| foot(y, z)));
        rims.into_iter()
            .chain(feet.into_iter().flatten())
            .collect::<Vec<f64>>()
    };
    let none = [0.0; 3];
    let cuboid = Shape::Cuboid([1.0, 2.0, 3.0]);
    let root = 0.5_f64.sqrt();
    let cases: [Case; 20] = [
        (
            Shape::HalfSpace,
            Shape::Point,
            [1.0, 2.0, -0.3],
            none,
            vec![-0.3],
        ),
        (
            Shape::HalfSpace,
            Shape::Sphere(0.5),
            [1.0, 2.0, 0.3],
            none,
            vec![-0.2],
        ),
        (
            Shape::HalfSpace,
            capsule.clone(),
            [0.0, 0.0, 1.0],
            none,
            vec![0.3, 1.3],
        ),
        (
            Shape::HalfSpace,
            capsule.clone(),
            [0.0, 0.0, 1.0],
            [right, 0.0, 0.0],
            vec![0.8, 0.8],
        ),
        (
            Shape::HalfSpace,
            rod(0.2, 0.5),
            [0.0, 0.0, 1.0],
            [right, 0.0, 0.0],
            on_plane(right),
        ),
        (
            Shape::HalfSpace,
            rod(0.2, 0.5),
            [0.0, 0.0, 1.0],
            [tilted, 0.0, 0.0],
            on_plane(tilted),
        ),
        (
            Shape::HalfSpace,
            rod(0.2, 0.5),
            [0.0, 0.0, 1.0],
            none,
            on_plane(0.0),
        ),
        (
            Shape::Sphere(1.0),
            Shape::Sphere(0.5),
            [3.0, 0.0, 4.0],
            none,
            vec![3.5],
        ),
        (
            Shape::Sphere(1.0),
            Shape::Point,
            [0.3, 0.0, 0.4],
            none,
            vec![-0.5],
        ),
        (
            Shape::HollowSphere(1.0),
            Shape::Sphere(0.4),
            [0.0, 0.3, 0.4],
            none,
            vec![0.1],
        ),
        (
            Shape::HollowSphere(1.0),
            Shape::Sphere(0.4),
            none,
            none,
            vec![0.6],
        ),
        (
            Shape::Bore(1.0),
            rod(0.5, 2.0),
            [0.3, 0.4, 9.0],
            none,
            vec![0.0, 0.0],
        ),
        (
            Shape::Bore(1.0),
            rod(0.5, 1.0),
            none,
            [tilted, 0.0, 0.0],
            vec![0.5 - tilted.sin(), 0.5 - tilted.sin()],
        ),
        (
            Shape::Slot(1.0),
            Shape::Sphere(0.4),
            [7.0, 0.02, 5.0],
            none,
            vec![0.08, 0.12],
        ),
        (
            capsule.clone(),
            Shape::Sphere(0.1),
            [0.0, 0.7, 0.3],
            none,
            vec![0.4],
        ),
        (
            capsule,
            Shape::Sphere(0.1),
            [0.0, 0.3, 0.9],
            none,
            vec![0.2],
        ),
        (
            rod(1.0, 2.0),
            Shape::Sphere(0.5),
            [1.3, 0.0, -2.4],
            none,
            vec![0.0],
        ),
        (
            rod(1.0, 2.0),
            Shape::Point,
            [0.5, 0.0, 1.9],
            none,
            vec![-0.1],
        ),
        (
            cuboid.clone(),
            Shape::Sphere(0.5),
            [2.0, -4.0, 5.0],
            none,
            vec![2.5],
        ),
        (
            cuboid,
            Shape::Sphere(0.5),
            [root, -2.5, 0.1],
            none,
            vec![0.0],
        ),
    ];
    for (index, (solid, other, position, turn, wanted)) in cases.into_iter().enumerate() {
        let found = gaps(solid, other, position, turn);
        assert!(
            difference(&found, &wanted) < 1e-14,
            "{index}: {found:?} {wanted:?}"
        );
    }
    let corners = gaps(
        Shape::HalfSpace,
        Shape::Cuboid([0.1, 0.2, 0.3]),
        [0.0, 0.0, 1.0],
        [0.0, right, 0.0],
    );
    // The quarter turn about y takes x to -z.
    let wanted: Vec<f64> = (0..8).map(|c| if c % 2 == 0 { 1.1 } else { 0.9 }).collect();
    assert!(difference(&corners, &wanted) < 1e-14, "{corners:?}");
}

#[test]
fn a_rolling_wheel_does_not_slide() {
    let mut mechanism = MultibodyBuilder::new();
    // The wheel's axis z lies along the world's y; it rolls along x.
    let turn = Rotation3::new(Vector3::x() * -std::f64::consts::FRAC_PI_2).into_inner();
    let wheel = RigidBody::new("wheel", 1.0, [1.0; 3])
        .at([0.0, 0.0, 0.5])
        .rotated(turn)
        .moving([1.0, 0.0, 0.0], [0.0, 0.0, 2.0]);
    let wheel = mechanism.add_body(wheel);
    let rim = Shape::Cylinder {
        radius: 0.5,
        half_length: 0.0,
    };
    mechanism.add_contact(
        SurfaceContact::new(
            "rim",
            Surface::half_space(BodyId::GROUND, [0.0; 3], [0.0, 0.0, 1.0]),
            Surface::new(wheel, Frame::local_point([0.0; 3]), rim),
        )
        .with_friction(0.5),
    );
    let mut system = mechanism.build().expect("fits");
    let state = system.initial_state();
    let at = state.point();
    let mut sliding = [f64::NAN; 2];
    system
        .sliding_velocity(0, &at, &mut sliding)
        .expect("finite");
    assert!(difference(&sliding, &[0.0; 2]) < 1e-15, "{sliding:?}");
    assert!(system.gap(0, &at).expect("finite").abs() < 1e-15);
    // An upright wheel stays at its height.
    assert!(system.gap_bias(0, &at).expect("finite").abs() < 1e-14);
    assert!(system.gap(10, &at).is_err());
}

#[test]
fn outputs_name_the_gaps() {
    let mut system = every_pair(3);
    let state = system.initial_state();
    let names = output_names(&mut system).to_vec();
    let mut values = vec![f64::NAN; names.len()];
    output_values(&mut system, &state, &mut values).expect("finite");
    let place = names
        .iter()
        .position(|name| name == "gap.0 half-space 0 point")
        .expect("named");
    assert_eq!(Ok(values[place]), system.gap(0, &state.point()));
    assert!(names.contains(&"gap.0 half-space 1 points.2".to_owned()));
    assert!(values.iter().all(|value| value.is_finite()));
}

fn refused(change: impl Fn(BodyId, SurfaceContact) -> SurfaceContact) -> AssemblyError {
    let mut mechanism = MultibodyBuilder::new();
    let ball = mechanism.add_body(RigidBody::new("ball", 1.0, [1.0; 3]));
    let contact = SurfaceContact::new(
        "bad",
        Surface::half_space(BodyId::GROUND, [0.0; 3], [0.0, 0.0, 1.0]),
        Surface::sphere(ball, [0.0; 3], 0.1),
    );
    mechanism.add_contact(change(ball, contact));
    match mechanism.build() {
        Ok(_) => panic!("the contact was accepted"),
        Err(error) => error,
    }
}

#[test]
fn contacts_that_make_no_sense_are_refused() {
    use AssemblyError as E;
    for number in [-0.1, 1.1, f64::NAN] {
        let error = refused(|_, contact| contact.with_restitution(number));
        assert!(matches!(error, E::Contact(_)), "{error}");
    }
    for number in [-0.1, f64::INFINITY, f64::NAN] {
        let error = refused(|_, contact| contact.with_friction(number));
        assert!(matches!(error, E::Contact(_)), "{error}");
    }
    for radius in [0.0, -0.1, f64::NAN] {
        let error = refused(|ball, mut contact| {
            contact.surfaces[1] = Surface::sphere(ball, [0.0; 3], radius);
            contact
        });
        assert!(matches!(error, E::Coefficient { .. }), "{error}");
    }
    let error = refused(|ball, mut contact| {
        contact.surfaces[0].body = ball;
        contact
    });
    assert!(matches!(error, E::SameBody { .. }), "{error}");
    let error = refused(|_, mut contact| {
        contact.surfaces[1].body = BodyId(Some(3));
        contact
    });
    assert!(matches!(error, E::UnknownBody { .. }), "{error}");
    for normal in [[0.0; 3], [0.0, 0.0, 2.0], [f64::NAN, 0.0, 1.0]] {
        let error = refused(|_, mut contact| {
            contact.surfaces[0] = Surface::half_space(BodyId::GROUND, [0.0; 3], normal);
            contact
        });
        assert!(matches!(error, E::Axis { .. }), "{error}");
    }
    let error = refused(|_, mut contact| {
        contact.surfaces[1].shape = Shape::HalfSpace;
        contact
    });
    assert!(matches!(error, E::ContactShapes { .. }), "{error}");
    let error = refused(|_, mut contact| {
        contact.surfaces[0].shape = Shape::HollowSphere(0.05);
        contact
    });
    assert!(
        matches!(
            error,
            E::Coefficient {
                what: "the clearance",
                ..
            }
        ),
        "{error}"
    );
    let error = refused(|_, mut contact| {
        contact.surfaces[1].shape = Shape::Points(vec![[0.0, f64::NAN, 0.0]]);
        contact
    });
    assert!(matches!(error, E::Coefficient { .. }), "{error}");
}

#[test]
fn contacts_need_rotation_matrices_and_unique_names() {
    let error = every_pair(1).with_rotation(Rotation::EulerParameters).err();
    assert_eq!(error, Some(AssemblyError::ContactRotation));
    let mut mechanism = MultibodyBuilder::new();
    let ball = mechanism.add_body(RigidBody::new("ball", 1.0, [1.0; 3]));
    for _ in 0..2 {
        mechanism.add_contact(SurfaceContact::new(
            "floor",
            Surface::half_space(BodyId::GROUND, [0.0; 3], [0.0, 0.0, 1.0]),
            Surface::sphere(ball, [0.0; 3], 0.1),
        ));
    }
    let error = mechanism.build().err();
    assert!(matches!(error, Some(AssemblyError::DuplicateName { .. })));
}

/// All rows and derivatives of a contact, one after the other.
fn everything(system: &mut MultibodySystem, contact: usize, at: &Point) -> Vec<f64> {
    let mut all = Vec::new();
    let mut take = |size: usize, fill: &mut dyn FnMut(&mut [f64])| {
        let mut values = vec![f64::NAN; size];
        fill(&mut values);
        all.extend(values);
    };
    take(3, &mut |out| {
        out[0] = system.gap(contact, at).expect("finite");
        out[1] = system.gap_rate(contact, at).expect("finite");
        out[2] = system.gap_bias(contact, at).expect("finite");
    });
    take(6, &mut |out| {
        system.gap_jacobian(contact, at, out).expect("finite")
    });
    take(2, &mut |out| {
        system.sliding_velocity(contact, at, out).expect("finite")
    });
    take(12, &mut |out| {
        system.sliding_jacobian(contact, at, out).expect("finite")
    });
    take(2, &mut |out| {
        system.sliding_bias(contact, at, out).expect("finite")
    });
    take(36, &mut |out| {
        let forces = [2.0, 0.3, -0.4];
        system
            .force_stiffness(contact, at, &forces, out)
            .expect("finite");
    });
    take(18, &mut |out| {
        system.velocity_gradients(contact, at, out).expect("finite")
    });
    take(36, &mut |out| {
        let (by_position, by_velocity) = out.split_at_mut(18);
        let acceleration = [0.3, -0.2, 0.5, 0.7, -0.6, 0.1];
        system
            .acceleration_gradients(contact, at, &acceleration, by_position, by_velocity)
            .expect("finite");
    });
    all
}

/// A body with a shape in its frame, moving, and a solid in the frame of the ground.
fn aligned(solid: Shape, other: Shape, position: [f64; 3], axes: Matrix3<f64>) -> MultibodySystem {
    let mut mechanism = MultibodyBuilder::new();
    let body = RigidBody::new("body", 1.0, [1.0; 3])
        .at(position)
        .rotated(axes)
        .moving([0.1, -0.2, 0.3], [0.3, 0.2, -0.4]);
    let body = mechanism.add_body(body);
    let place = Frame::local_point([0.0; 3]);
    let solid = Surface::new(BodyId::GROUND, place, solid);
    let contact = SurfaceContact::new("c", solid, Surface::new(body, place, other));
    mechanism.add_contact(contact.with_friction(0.1));
    mechanism.build().expect("fits")
}

/// Where axes are parallel, centres above each other and points level, all is the limit of what it is nearby.
#[test]
fn derivatives_exist_where_shapes_are_aligned() {
    let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
    let upright = Matrix3::identity();
    let lying = [
        Matrix3::from_columns(&[x, -z, y]),
        Matrix3::from_columns(&[-z, y, x]),
    ];
    let rod = |half_length| Shape::Cylinder {
        radius: 0.2,
        half_length,
    };
    let capsule = |half_length| Shape::Capsule {
        radius: 0.2,
        half_length,
    };
    let ball = Shape::Sphere(0.1);
    let mut cases = Vec::new();
    for axes in lying {
        for half_length in [0.0, 0.5] {
            cases.push((Shape::HalfSpace, rod(half_length), [0.0, 0.0, 0.2], axes));
            cases.push((
                Shape::HalfSpace,
                capsule(half_length),
                [0.0, 0.0, 0.2],
                axes,
            ));
        }
    }
    for place in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
        for solid in [
            Shape::Sphere(0.9),
            rod(0.0),
            rod(0.3),
            capsule(0.0),
            capsule(0.3),
            Shape::Cuboid([0.2, 0.3, 0.4]),
        ] {
            cases.push((solid, ball.clone(), place, upright));
        }
    }
    cases.push((
        Shape::HollowSphere(1.0),
        Shape::Point,
        [0.0, 0.0, -0.9],
        upright,
    ));
    cases.push((
        Shape::HollowSphere(1.0),
        Shape::Point,
        [0.0, 0.0, 0.9],
        upright,
    ));
    cases.push((Shape::Bore(1.0), rod(0.5), [0.0, 0.1, 0.0], upright));
    cases.push((Shape::Bore(1.0), rod(0.5), [0.1, 0.0, 0.0], upright));
    for (solid, other, position, axes) in cases {
        let name = format!("{solid:?} {other:?} {position:?}");
        let mut system = aligned(solid, other, position, axes);
        let state = system.initial_state();
        let mut nearby = state.clone();
        let step: Vec<f64> = state.v.iter().map(|v| 1e-7 * v).collect();
        system.layout.space.displace(&state.q, &step, &mut nearby.q);
        for contact in 0..system.contacts().len() {
            let found = everything(&mut system, contact, &state.point());
            let wanted = everything(&mut system, contact, &nearby.point());
            let error = difference(&found, &wanted);
            assert!(
                error < 1e-4,
                "{name}, {contact}: {error:e} {found:?} {wanted:?}"
            );
        }
    }
}

/// A rim that is level has a lowest point, its centre, and derivatives: rows are those of the centre.
#[test]
fn a_level_rim_has_derivatives() {
    let rod = Shape::Cylinder {
        radius: 0.2,
        half_length: 0.5,
    };
    let mut system = aligned(Shape::HalfSpace, rod, [0.0, 0.0, 0.5], Matrix3::identity());
    let state = system.initial_state();
    let at = state.point();
    for (contact, z) in [-0.5, 0.5].into_iter().enumerate() {
        let all = everything(&mut system, contact, &at);
        assert!(all.iter().all(|value| value.is_finite()), "{all:?}");
        let touch = system.touch(contact, &at).expect("finite");
        assert!((touch.points[1] - Vector3::new(0.0, 0.0, 0.5 + z)).norm() < 1e-7);
        let mut row = [f64::NAN; 6];
        system.gap_jacobian(contact, &at, &mut row).expect("finite");
        assert!(difference(&row, &[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]) < 1e-15);
    }
    // Tilted by little or much, the gap's derivative by rotation is the row of its lowest point.
    for tilt in [1e-12, 1e-8, 1e-6, 1e-3, 1.0] {
        let axes = Rotation3::new(Vector3::new(tilt, 0.5 * tilt, 0.0)).into_inner();
        let rod = Shape::Cylinder {
            radius: 0.2,
            half_length: 0.5,
        };
        let mut system = aligned(Shape::HalfSpace, rod, [0.0, 0.0, 0.5], axes);
        let state = system.initial_state();
        let at = state.point();
        let mut row = [f64::NAN; 6];
        system.gap_jacobian(0, &at, &mut row).expect("finite");
        let (gradient, _) = by_duals(&system, 0, &at);
        // Round-off of the tilt counts a million times where the rim is level.
        let error = difference(&row, &gradient[VELOCITIES..]);
        assert!(error < 1e-15 / (1e-6 + tilt) + 1e-14, "{tilt}: {error:e}");
    }
}
