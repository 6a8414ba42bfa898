//! Every error of assembly, provoked; and what a good mechanism says about itself.

use super::super::*;
use liedae::system::{Evaluator, System, output_names, output_values, project_initial_state};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::{PI, TAU};

fn bar() -> RigidBody {
    RigidBody::new("bar", 1.0, [0.1, 1.0, 1.0]).at([1.0, 0.0, 0.0])
}

/// The error of a mechanism of one bar to which `add` adds something.
fn error(body: RigidBody, add: impl Fn(&mut MultibodyBuilder, BodyId)) -> AssemblyError {
    let mut mechanism = MultibodyBuilder::new();
    let id = mechanism.add_body(body);
    add(&mut mechanism, id);
    let error = mechanism.build().err().expect("must fail");
    assert!(!error.to_string().is_empty());
    error
}

fn body_error(body: RigidBody) -> AssemblyError {
    error(body, |_, _| {})
}

fn pivot(bar: BodyId) -> Joint {
    Joint::revolute("pivot", BodyId::GROUND, bar, [0.0; 3], [0.0, 1.0, 0.0])
}

#[test]
fn bodies_are_checked() {
    assert_eq!(
        MultibodyBuilder::new().build().err(),
        Some(AssemblyError::NoBodies)
    );
    for mass in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            body_error(RigidBody { mass, ..bar() }),
            AssemblyError::Mass { .. }
        ));
    }
    let mut skew = Matrix3::identity();
    skew[(0, 1)] = 1e-3;
    assert!(matches!(
        body_error(RigidBody { inertia: skew, ..bar() }),
        AssemblyError::InertiaNotSymmetric { difference, .. } if difference == 1e-3
    ));
    let inertia = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, 0.0));
    assert!(matches!(
        body_error(RigidBody { inertia, ..bar() }),
        AssemblyError::InertiaNotPositive { .. }
    ));
    let inertia = Matrix3::from_diagonal(&Vector3::new(1.0, 3.0, 1.0));
    let flat = RigidBody { inertia, ..bar() };
    assert!(matches!(
        body_error(flat.clone()),
        AssemblyError::InertiaTriangle {
            moments: [1.0, 1.0, 3.0],
            ..
        }
    ));
    let mut mechanism = MultibodyBuilder::new();
    mechanism.add_body(flat.with_unphysical_inertia());
    assert!(mechanism.build().is_ok());
    for rotation in [
        Matrix3::identity() * 1.1,
        -Matrix3::identity(),
        Matrix3::repeat(f64::NAN),
    ] {
        assert!(matches!(
            body_error(bar().rotated(rotation)),
            AssemblyError::Rotation { .. }
        ));
    }
    assert!(matches!(
        body_error(bar().rotated_by_quaternion([1.0, 0.0, 0.0, 1.0])),
        AssemblyError::Rotation { .. }
    ));
    assert!(matches!(
        body_error(bar().at([f64::NAN, 0.0, 0.0])),
        AssemblyError::NotFinite { .. }
    ));
    assert!(matches!(
        body_error(bar().moving([0.0; 3], [f64::INFINITY, 0.0, 0.0])),
        AssemblyError::NotFinite { .. }
    ));
    assert!(matches!(
        body_error(RigidBody {
            inertia: Matrix3::repeat(f64::NAN),
            ..bar()
        }),
        AssemblyError::NotFinite { .. }
    ));
}

/// Numbers that are finite one by one, of which the difference is not.
#[test]
fn a_point_too_far_from_its_body_is_refused() {
    let mut mechanism = MultibodyBuilder::new();
    let far = mechanism.add_body(bar().at([0.0, 0.0, 1e308]));
    let point = Frame::world_point([0.0, 0.0, -1e308]);
    let ends = [point, Frame::world_point([0.0; 3])];
    let spring = TranslationalSpring::new("spring", [far, BodyId::GROUND], ends, 1.0, 0.0);
    mechanism.add_spring(spring);
    let Err(error) = mechanism.build() else {
        panic!("-2e308 is no number");
    };
    assert!(matches!(&error, AssemblyError::NotFinite { .. }), "{error}");
    assert!(error.to_string().contains("spring"), "{error}");
}

#[test]
fn names_are_unique() {
    let kind_of = |error| match error {
        AssemblyError::DuplicateName { kind, .. } => kind,
        other => panic!("{other}"),
    };
    assert_eq!(
        kind_of(error(bar(), |mechanism, _| {
            mechanism.add_body(bar());
        })),
        "body"
    );
    assert_eq!(
        kind_of(error(bar(), |mechanism, id| {
            mechanism.add_joint(pivot(id));
            mechanism.add_joint(pivot(id));
        })),
        "joint"
    );
    assert_eq!(
        kind_of(error(bar(), |mechanism, _| {
            mechanism.probe("p", |_| 0.0).probe("p", |_| 0.0);
        })),
        "probe"
    );
    assert_eq!(
        kind_of(error(bar(), |mechanism, id| {
            let hinge = mechanism.add_joint(pivot(id));
            mechanism.add_rotational_spring(RotationalSpring::new("f", hinge, 1.0, 0.0));
            mechanism.add_rotational_spring(RotationalSpring::new("f", hinge, 1.0, 0.0));
        })),
        "force"
    );
}

#[test]
fn joints_are_checked() {
    let stranger = BodyId(Some(7));
    assert!(matches!(
        error(bar(), |mechanism, id| {
            mechanism.add_joint(Joint::spherical("s", id, stranger, [0.0; 3]));
        }),
        AssemblyError::UnknownBody {
            body: 7,
            bodies: 1,
            ..
        }
    ));
    for (first, second) in [
        (BodyId(Some(0)), BodyId(Some(0))),
        (BodyId::GROUND, BodyId::GROUND),
    ] {
        assert!(matches!(
            error(bar(), |mechanism, _| {
                mechanism.add_joint(Joint::spherical("s", first, second, [0.0; 3]));
            }),
            AssemblyError::SameBody { .. }
        ));
    }
    for axis in [[0.0; 3], [2.0, 0.0, 0.0], [f64::NAN; 3]] {
        assert!(matches!(
            error(bar(), |mechanism, id| {
                mechanism.add_joint(Joint::revolute("r", BodyId::GROUND, id, [0.0; 3], axis));
            }),
            AssemblyError::Axis { .. }
        ));
        assert!(matches!(
            error(bar(), |mechanism, id| {
                mechanism.add_joint(Joint::point_coordinate(
                    "r",
                    id,
                    Frame::local_point([0.0; 3]),
                    axis,
                    0.0,
                ));
            }),
            AssemblyError::Axis { .. }
        ));
    }
    let z = [0.0, 0.0, 1.0];
    assert!(matches!(
        error(bar(), |mechanism, id| {
            mechanism.add_joint(Joint::universal(
                "u",
                BodyId::GROUND,
                id,
                [0.0; 3],
                z,
                [0.0, 0.0, -1.0],
            ));
        }),
        AssemblyError::ParallelAxes { .. }
    ));
    assert!(matches!(
        error(bar(), |mechanism, id| {
            mechanism.add_joint(pivot(id).with_x([0.0, 1.0, 0.0]));
        }),
        AssemblyError::ParallelAxes { .. }
    ));
    assert!(matches!(
        error(bar(), |mechanism, id| {
            mechanism.add_joint(Joint::distance("d", BodyId::GROUND, id, [0.5; 3], [0.5; 3]));
        }),
        AssemblyError::ZeroDistance { .. }
    ));
    assert!(matches!(
        error(bar(), |mechanism, id| {
            mechanism.add_joint(Joint::spherical("s", BodyId::GROUND, id, [f64::NAN; 3]));
        }),
        AssemblyError::NotFinite { .. }
    ));
    assert!(matches!(
        error(bar(), |mechanism, id| {
            let hinge = mechanism.add_joint(pivot(id));
            mechanism.add_drive("motor", hinge, Drive::Angle(Motion::custom(|t| t / 0.0)));
        }),
        AssemblyError::NotFinite { .. }
    ));
    for (start, turns_right) in [(0.0, true), (TAU, true), (PI, false), (-PI, false)] {
        let mut mechanism = MultibodyBuilder::new();
        let id = mechanism.add_body(bar());
        let hinge = mechanism.add_joint(pivot(id));
        mechanism.add_drive("motor", hinge, Drive::Angle(Motion::linear(start, 0.0)));
        let built = mechanism.build();
        assert_eq!(built.is_ok(), turns_right, "{start}");
        assert!(turns_right || matches!(built, Err(AssemblyError::HalfTurn { .. })));
    }
}

#[test]
fn elements_on_joints_are_checked() {
    let on_hinge = |add: fn(&mut MultibodyBuilder, JointId)| {
        error(bar(), |mechanism, id| {
            let hinge = mechanism.add_joint(pivot(id));
            add(mechanism, hinge);
        })
    };
    assert!(matches!(
        on_hinge(|mechanism, hinge| {
            mechanism.add_drive("d", hinge, Drive::Translation(0.0.into()));
        }),
        AssemblyError::JointKind { .. }
    ));
    assert!(matches!(
        on_hinge(|mechanism, _| {
            mechanism.add_drive("d", JointId(9), Drive::Angle(0.0.into()));
        }),
        AssemblyError::UnknownJoint { joint: 9, .. }
    ));
    assert!(matches!(
        on_hinge(|mechanism, hinge| {
            mechanism.add_friction(Friction::new("f", hinge, 0.1, NormalForce::Full));
        }),
        AssemblyError::JointKind { .. }
    ));
    assert!(matches!(
        on_hinge(|mechanism, _| {
            mechanism.add_rotational_spring(RotationalSpring::new("f", JointId(4), 1.0, 0.0));
        }),
        AssemblyError::UnknownJoint { .. }
    ));
    assert!(matches!(
        on_hinge(|mechanism, hinge| {
            mechanism.add_rotational_spring(RotationalSpring::new("f", hinge, f64::NAN, 0.0));
        }),
        AssemblyError::Coefficient { .. }
    ));
    for (angle, turns, refused) in [
        (PI, false, false),
        (-PI, false, false),
        (-10.0, false, true),
        (-10.0, true, false),
    ] {
        let mut mechanism = MultibodyBuilder::new();
        let id = mechanism.add_body(bar());
        let hinge = mechanism.add_joint(pivot(id));
        let spring = RotationalSpring::new("f", hinge, 1.0, angle);
        mechanism.add_rotational_spring(if turns { spring } else { spring.wrapping() });
        let found = matches!(mechanism.build(), Err(AssemblyError::FreeAngle { .. }));
        assert_eq!(found, refused, "{angle} {turns}");
    }
    let slide = |id| Joint::translational("slide", BodyId::GROUND, id, [0.0; 3], [1.0, 0.0, 0.0]);
    assert!(matches!(
        error(bar(), |mechanism, id| {
            let slide = mechanism.add_joint(slide(id));
            mechanism.add_friction(Friction::new("f", slide, -0.1, NormalForce::Full));
        }),
        AssemblyError::Coefficient { .. }
    ));
    assert!(matches!(
        error(bar(), |mechanism, id| {
            let slide = mechanism.add_joint(slide(id));
            mechanism.add_friction(Friction::new(
                "f",
                slide,
                0.1,
                NormalForce::Component([1.0, 1.0]),
            ));
        }),
        AssemblyError::Axis { .. }
    ));
    assert!(matches!(
        error(bar(), |mechanism, id| {
            let slide = mechanism.add_joint(slide(id));
            mechanism.add_rotational_spring(RotationalSpring::new("f", slide, 1.0, 0.0));
        }),
        AssemblyError::JointKind { .. }
    ));
    assert!(matches!(
        error(bar(), |mechanism, id| {
            let slide = mechanism.add_joint(slide(id));
            mechanism.add_friction(
                Friction::new("f", slide, 0.1, NormalForce::Full)
                    .reversing()
                    .starting(0),
            );
        }),
        AssemblyError::Coefficient { .. }
    ));
    let points = [Frame::local_point([0.0; 3]); 2];
    assert!(matches!(
        error(bar(), |mechanism, id| {
            mechanism.add_spring(TranslationalSpring::new("f", [id, id], points, 1.0, 0.0));
        }),
        AssemblyError::SameBody { .. }
    ));
    assert!(matches!(
        error(bar(), |mechanism, id| {
            mechanism.add_spring(TranslationalSpring::new(
                "f",
                [id, BodyId::GROUND],
                points,
                1.0,
                -1.0,
            ));
        }),
        AssemblyError::Coefficient { .. }
    ));
    assert!(matches!(
        error(bar(), |mechanism, _| {
            mechanism.gravity([0.0, 0.0, f64::NAN]);
        }),
        AssemblyError::NotFinite { .. }
    ));
}

#[test]
fn inconsistent_initial_values_name_the_joint_and_can_be_projected() {
    let local = |point| Frame::local(point, [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]);
    let frames = [local([0.0; 3]), local([-0.9, 0.0, 0.0])];
    let found = error(bar(), |mechanism, id| {
        mechanism.add_joint(Joint::new(
            "hinge",
            JointKind::Revolute,
            BodyId::GROUND,
            id,
            frames,
        ));
    });
    assert!(
        matches!(&found, AssemblyError::Position { joint, violation } if joint == "hinge" && (violation - 0.1).abs() < 1e-12),
        "{found}"
    );
    let moving = || bar().moving([0.0, 0.0, 0.5], [0.0; 3]);
    let found = error(moving(), |mechanism, id| {
        mechanism.add_joint(pivot(id));
    });
    assert!(
        matches!(&found, AssemblyError::Velocity { joint, violation } if joint == "pivot" && *violation == 0.5),
        "{found}"
    );
    let mut mechanism = MultibodyBuilder::new();
    let id = mechanism.add_body(moving());
    mechanism.add_joint(pivot(id));
    let mut system = mechanism
        .build_unchecked()
        .expect("only the velocity is wrong");
    let mut state = system.initial_state();
    project_initial_state(&mut Evaluator::new(&mut system), &mut state).expect("projects");
    // The velocity of the metric's closest rotation about the pivot: ω = -m l v / (J + m l²).
    assert!(
        (state.v[4] + 0.25).abs() < 1e-12 && (state.v[2] - 0.25).abs() < 1e-12,
        "{:?}",
        state.v
    );
}

#[test]
fn a_mechanism_describes_itself() {
    let mut mechanism = MultibodyBuilder::new();
    let one = mechanism.add_body(bar());
    let two = mechanism.add_body(
        RigidBody {
            name: "link".into(),
            ..bar()
        }
        .at([3.0, 0.0, 0.0]),
    );
    // Rows follow the bodies, not the order of addition.
    let outer = mechanism.add_joint(Joint::spherical("outer", one, two, [2.0, 0.0, 0.0]));
    let inner = mechanism.add_joint(pivot(one));
    let mut system = mechanism.build().expect("consistent");
    assert_eq!(system.joint_rows(inner), Some(0..5));
    assert_eq!(system.joint_rows(outer), Some(5..8));
    assert_eq!(
        (system.joint("outer"), system.body("link")),
        (Some(outer), Some(two))
    );
    assert_eq!((system.joint("none"), system.body("none")), (None, None));
    let description = system.describe();
    assert_eq!((description.rows, description.degrees_of_freedom), (8, 4));
    let text = description.to_string();
    assert!(
        text.contains("rows 5..8: spherical 'outer' between bar and link"),
        "{text}"
    );
    assert!(
        text.contains("revolute 'pivot' between ground and bar"),
        "{text}"
    );
    assert_eq!(system.layout().blocks.rows, [5, 3]);
    assert_eq!(output_names(&mut system)[9], "link.x");
    assert_eq!(output_names(&mut system)[14], "link.vz");
    let state = system.initial_state();
    let mut out = vec![f64::NAN; 18];
    output_values(&mut system, &state, &mut out).expect("finite");
    assert_eq!((out[0], out[9]), (1.0, 3.0));
}
