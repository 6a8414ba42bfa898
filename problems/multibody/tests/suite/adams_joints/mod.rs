//! One body on each kind of joint and spring, against trajectories and reactions from MSC ADAMS
//! (`data/adams_joints.csv`, six printed digits).
//!
//! Not all printed digits are right: without friction the energy of the data drifts by up to 8e-3 J in 5 s (spherical
//! case 1, universal), and accelerations disagree by up to 2e-4 with the equations of motion at the very states beside
//! them. The tolerances below are what each family reaches, with little to spare; a wrong sign, frame or moment arm in
//! any joint shows as a deviation of order one.

mod comparison;

use comparison::{Case, Reacting, compare, data};
use liedae::scalar::Scalar;
use liedae_multibody::{
    Axis, BodyId, Drive, Frame, Joint, JointKind, Motion, MultibodyBuilder, RigidBody,
    RotationalSpring, TranslationalSpring,
};
use nalgebra::{Matrix3, Rotation3, Vector3};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, FRAC_PI_4, SQRT_2};

const GROUND: BodyId = BodyId::GROUND;
/// The body's moments of inertia about its x, y and z axes.
const LONG_X: [f64; 3] = [0.04, 0.1, 0.1];
const LONG_Z: [f64; 3] = [0.1, 0.1, 0.04];
const Z: [f64; 3] = [0.0, 0.0, 1.0];
const Y: [f64; 3] = [0.0, 1.0, 0.0];
const Y_AND_Z: [f64; 3] = [0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2];

fn turn(axis: Vector3<f64>, angle: f64) -> Matrix3<f64> {
    Rotation3::new(axis.normalize() * angle).into_inner()
}

fn one_body(
    body: RigidBody,
    add: impl FnOnce(&mut MultibodyBuilder, BodyId) -> Vec<(&'static str, Reacting)>,
) -> Case {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.80665]);
    let id = mechanism.add_body(body);
    let reactions = add(&mut mechanism, id);
    Case {
        system: mechanism.build().expect("assembles"),
        body: id,
        reactions,
    }
}

fn on_joint(body: RigidBody, joint: impl FnOnce(BodyId) -> Joint) -> Case {
    one_body(body, |mechanism, id| {
        vec![("", Reacting::OnGround(vec![mechanism.add_joint(joint(id))]))]
    })
}

fn bar(position: [f64; 3], rotation: Matrix3<f64>) -> RigidBody {
    RigidBody::new("bar", 1.0, LONG_X)
        .at(position)
        .rotated(rotation)
}

#[test]
fn revolute() {
    let tilted = turn(Vector3::x(), -FRAC_PI_2);
    compare(
        "Revolute_Case01",
        on_joint(bar([2.0, 0.0, 0.0], tilted), |id| {
            Joint::revolute("j", GROUND, id, [0.0; 3], Y)
        }),
        1e-4,
        1e-4,
    );
    let tilted = turn(Vector3::x(), -FRAC_PI_4);
    let joint = |id| Joint::revolute("j", GROUND, id, [1.0, 2.0, 3.0], Y_AND_Z);
    compare(
        "Revolute_Case02",
        on_joint(bar([3.0, 2.0, 3.0], tilted), joint),
        1e-4,
        1e-4,
    );
}

#[test]
fn spherical() {
    let joint = |id| Joint::spherical("j", GROUND, id, [0.0; 3]);
    compare(
        "Spherical_Case01",
        on_joint(bar([2.0, 0.0, 0.0], Matrix3::identity()), joint),
        7e-5,
        5e-4,
    );
    let joint = |id| Joint::spherical("j", GROUND, id, [1.0, 2.0, 3.0]);
    compare(
        "Spherical_Case02",
        on_joint(bar([3.0, 2.0, 3.0], turn(Vector3::x(), -FRAC_PI_4)), joint),
        7e-5,
        5e-4,
    );
}

#[test]
fn cylindrical() {
    let joint = |id| Joint::cylindrical("j", GROUND, id, [0.0; 3], Z);
    compare(
        "Cylindrical_Case01",
        on_joint(bar([2.0, 0.0, 0.0], Matrix3::identity()), joint),
        2e-4,
        2e-4,
    );
    let joint = |id| Joint::cylindrical("j", GROUND, id, [1.0, 2.0, 3.0], Y_AND_Z);
    compare(
        "Cylindrical_Case03",
        on_joint(bar([3.0, 2.0, 3.0], turn(Vector3::x(), -FRAC_PI_4)), joint),
        2e-4,
        2e-4,
    );
}

#[test]
fn translational() {
    let joint = |id| Joint::translational("j", GROUND, id, [0.0; 3], Z);
    compare(
        "Prismatic_Case01",
        on_joint(bar([2.0, 0.0, 0.0], Matrix3::identity()), joint),
        3e-6,
        2e-6,
    );
    for (name, angle, axis) in [
        ("Prismatic_Case02", FRAC_PI_4, Y_AND_Z),
        ("Prismatic_Case03", FRAC_PI_2, Y),
    ] {
        let joint = |id| Joint::translational("j", GROUND, id, [1.0, 2.0, 3.0], axis);
        compare(
            name,
            on_joint(bar([3.0, 2.0, 3.0], turn(Vector3::x(), -angle)), joint),
            3e-6,
            2e-6,
        );
    }
}

#[test]
fn universal() {
    // The cross has its arms along x of the marker on the ground and y of the marker on the body.
    let rod = |position, rotation| {
        RigidBody::new("rod", 1.0, LONG_Z)
            .at(position)
            .rotated(rotation)
    };
    for (name, position, rotation) in [
        (
            "Universal_Case01",
            [0.0, 2.0, 0.0],
            turn(Vector3::x(), FRAC_PI_2),
        ),
        (
            "Universal_Case03",
            [SQRT_2, SQRT_2, 0.0],
            turn(Vector3::new(1.0, -1.0, 0.0), FRAC_PI_2),
        ),
    ] {
        let (x, y) = (
            rotation.column(0).into_owned(),
            rotation.column(1).into_owned(),
        );
        let joint = |id| Joint::universal("j", GROUND, id, [0.0; 3], x, y);
        compare(name, on_joint(rod(position, rotation), joint), 1e-4, 7e-4);
    }
}

#[test]
fn distance() {
    let joint = |id| Joint::distance("j", GROUND, id, [0.0; 3], [0.0, 2.0, 0.0]);
    compare(
        "Distance_Case01",
        on_joint(bar([0.0, 2.0, 0.0], Matrix3::identity()), joint),
        1.2e-5,
        3e-5,
    );
    let joint = |id| Joint::distance("j", GROUND, id, [1.0, 2.0, 3.0], [1.0, 4.0, 3.0]);
    compare(
        "Distance_Case02",
        on_joint(bar([-1.0, 4.0, 3.0], Matrix3::identity()), joint),
        1.2e-5,
        3e-5,
    );
}

#[test]
fn revolute_and_spherical_by_basic_constraints() {
    // A massless link of length 2, revolute about y = z on the ground and spherical on the body.
    let frames = || {
        [
            Frame::world([1.0, 2.0, 3.0], Y_AND_Z),
            Frame::world_point([3.0, 2.0, 3.0]),
        ]
    };
    let case = one_body(
        RigidBody {
            inertia: Matrix3::from_diagonal(&Vector3::new(0.1, 0.04, 0.1)),
            ..bar([3.0, 4.0, 3.0], Matrix3::identity())
        },
        |mechanism, id| {
            let plane = JointKind::Dot2(Axis::Z, 0.0.into());
            let plane = mechanism.add_joint(Joint::new("plane", plane, GROUND, id, frames()));
            let length = mechanism.add_joint(Joint::new(
                "length",
                JointKind::Distance(None),
                GROUND,
                id,
                frames(),
            ));
            vec![("_Body1", Reacting::OnGround(vec![plane, length]))]
        },
    );
    compare("RevSpherical_Case02", case, 6e-6, 2.5e-4);
}

#[test]
fn driven_translation() {
    for (name, axis, rotation, speed) in [
        ("LinActuator_Case01", Z, Matrix3::identity(), 1.0),
        (
            "LinActuator_Case02",
            [FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2],
            turn(Vector3::y(), FRAC_PI_4),
            0.5,
        ),
    ] {
        let velocity = Vector3::from(axis) * speed;
        let case = one_body(
            bar([0.0; 3], rotation).moving(velocity, [0.0; 3]),
            |mechanism, id| {
                let guide =
                    mechanism.add_joint(Joint::translational("guide", GROUND, id, [0.0; 3], axis));
                let drive = mechanism.add_drive(
                    "drive",
                    guide,
                    Drive::Translation(Motion::linear(0.0, speed)),
                );
                vec![
                    ("P", Reacting::OnGround(vec![guide])),
                    ("A", Reacting::OnBody(drive)),
                ]
            },
        );
        compare(name, case, 2e-6, 2e-6);
    }
}

#[test]
fn rotational_spring() {
    for (name, stiffness, progressive) in [
        ("RotSpring_Case01", 200.0, 0.0),
        ("RotSpring_Case02", 50.0, 10.0),
    ] {
        let case = one_body(
            bar([2.0, 0.0, 0.0], turn(Vector3::x(), -FRAC_PI_2)),
            |mechanism, id| {
                let hinge = mechanism.add_joint(Joint::revolute("hinge", GROUND, id, [0.0; 3], Y));
                let spring =
                    RotationalSpring::new("spring", hinge, stiffness, 0.0).with_damping(10.0);
                let spring =
                    spring.with_actuator(move |_, angle, _| angle * angle.abs() * progressive);
                mechanism.add_rotational_spring(spring);
                Vec::new()
            },
        );
        compare(name, case, 2e-4, 2e-4);
    }
}

#[test]
fn translational_spring() {
    let upright = Matrix3::identity();
    let lying = turn(Vector3::z(), -FRAC_PI_2);
    let (origin, corner) = ([0.0; 3], [1.0, 2.0, 3.0]);
    for (name, anchor, end, body, [stiffness, progressive, damping]) in [
        (
            "TranSpringCB_Case01",
            origin,
            origin,
            bar(origin, upright),
            [10.0, 0.0, 0.5],
        ),
        (
            "TranSpringCB_Case02",
            origin,
            [0.0, 2.0, 0.0],
            bar([0.0, 2.0, 0.0], upright),
            [100.0, 0.0, 5.0],
        ),
        (
            "TranSpringCB_Case03",
            corner,
            [1.0, 4.0, 3.0],
            bar([-1.0, 4.0, 3.0], upright),
            [50.0, 10.0, 5.0],
        ),
        (
            "TranSpringCB_Case04",
            origin,
            [0.0, 2.0, 0.0],
            bar([0.0, 4.0, 0.0], lying),
            [50.0, 10.0, 5.0],
        ),
    ] {
        let free = (Vector3::from(end) - Vector3::from(anchor)).norm();
        let case = one_body(body, |mechanism, id| {
            let points = [Frame::world_point(anchor), Frame::world_point(end)];
            let spring = TranslationalSpring::new("spring", [GROUND, id], points, stiffness, free)
                .with_damping(damping);
            mechanism.add_spring(spring.with_actuator(move |_, length, _| {
                (length - free) * (length - free).abs() * progressive
            }));
            Vec::new()
        });
        compare(name, case, 5e-6, 5e-5);
    }
}

#[test]
fn data_of_every_case_is_used_or_the_same() {
    // TranSpring cases 1 and 2 are the models of TranSpringCB cases 1 and 2 with another implementation of the spring.
    for case in 1..3 {
        let (plain, callback) = (
            data(&format!("TranSpring_Case0{case}")),
            data(&format!("TranSpringCB_Case0{case}")),
        );
        for index in 0..4 {
            let key = ("Pos".to_owned(), index);
            for (a, b) in plain[&key].iter().zip(&callback[&key]) {
                assert!((a - b).abs() < 1e-6);
            }
        }
    }
}
