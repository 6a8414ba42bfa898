//! Mechanisms of programs as files: the same to the last bit, or the reason why there is none.

use super::bits_of_run;
use liedae::prelude::*;
use liedae::scalar::Scalar;
use liedae_contact::{Contacts, ImpactLaw, NonsmoothOptions, NonsmoothSystem, Thresholds};
use liedae_multibody::file::{MechanismFile, NotExported};
use liedae_multibody::{
    Axis, BodyId, CustomJoint, Drive, Frame, FramePose, Friction, Joint, JointCoordinate, JointId,
    Motion, MultibodyBuilder, MultibodySystem, NormalForce, Output, RigidBody, RotationalSpring,
    Shape, Surface, SurfaceContact, TranslationalSpring, Wrench,
};

fn again(system: &MultibodySystem) -> MultibodySystem {
    let text = system.file(1.0).expect("a file").text().expect("TOML");
    MechanismFile::read(&text)
        .and_then(|file| file.system(&text))
        .unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

/// Two arms and a slider with all that a file can state, and odd numbers.
fn everything() -> MultibodySystem {
    let mut mechanism = MultibodyBuilder::new();
    mechanism
        .gravity([0.1, -0.2, -9.7])
        .start_time(0.3)
        .time_event(0.77);
    let axis = [0.0, 0.6, 0.8];
    let arm = |name: &str, x: f64| RigidBody::new(name, 1.1, [0.11, 0.13, 0.17]).at([x, 0.0, 0.0]);
    let one = mechanism.add_body(arm("one", 0.5));
    let two = mechanism.add_body(arm("two", 1.5));
    let slider = mechanism.add_body(arm("slider", 3.0).moving([0.0, 0.0, 0.0], [0.0; 3]));
    let pivot = mechanism.add_joint(Joint::revolute(
        "pivot",
        BodyId::GROUND,
        one,
        [0.0; 3],
        axis,
    ));
    let elbow = mechanism.add_joint(Joint::revolute("elbow", one, two, [1.0, 0.0, 0.0], axis));
    let guide = mechanism.add_joint(Joint::translational(
        "guide",
        BodyId::GROUND,
        slider,
        [3.0, 0.0, 0.0],
        [0.0, 0.0, 1.0],
    ));
    let motor = mechanism.add_drive(
        "motor",
        pivot,
        Drive::Angle(Motion::harmonic(0.0, 0.3, 2.0, -0.6)),
    );
    mechanism
        .joint_position(pivot, 0.0)
        .joint_position(elbow, 0.3)
        .joint_rate(elbow, 1.0);
    mechanism.joint_rate(pivot, 0.6);
    let ends = [
        Frame::local_point([0.5, 0.1, 0.0]),
        Frame::world_point([2.5, 0.0, 0.4]),
    ];
    let spring = TranslationalSpring::new("spring", [two, slider], ends, 31.0, 0.7);
    mechanism.add_spring(spring.with_damping(0.3));
    let torsion = RotationalSpring::new("torsion", elbow, 3.0, 0.1).with_damping(0.01);
    mechanism.add_rotational_spring(torsion);
    let counting = RotationalSpring::new("counting", elbow, 0.1, 7.0);
    mechanism.add_rotational_spring(counting);
    let normal = NormalForce::Component([0.3_f64.cos(), 0.3_f64.sin()]);
    mechanism.add_friction(
        Friction::new("rubs", guide, 0.21, normal)
            .reversing()
            .starting(-1),
    );
    mechanism.output("height", Output::Position(two, [0.5, 0.0, 0.1], Axis::Z));
    mechanism.output("speed", Output::Velocity(two, [0.5, 0.0, 0.1], Axis::X));
    mechanism.output("push", Output::Acceleration(two, [0.5, 0.0, 0.1], Axis::Y));
    mechanism.output("turn", Output::AngularVelocity(two, Axis::Y));
    mechanism.output("force", Output::Force(elbow, Axis::X));
    mechanism.output("torque", Output::Torque(guide, Axis::Y));
    mechanism.output("effort", Output::Effort(motor));
    mechanism.build().expect("a mechanism")
}

#[test]
fn all_that_files_state_is_written_and_read_alike() {
    let mut original = everything();
    let mut read = again(&original);
    assert_eq!(original.unwritten_outputs().count(), 0);
    for method in ["hem5", "radau5"] {
        let expected = bits_of_run(&mut original, method, 1.0);
        assert_eq!(bits_of_run(&mut read, method, 1.0), expected, "{method}");
    }
    let outputs = |system: &mut MultibodySystem| {
        let state = system.initial_state();
        named_outputs(system, &state).expect("outputs")
    };
    // Not a number is not equal to itself: accelerations and forces are unknown before a run.
    assert_eq!(
        format!("{:?}", outputs(&mut read)),
        format!("{:?}", outputs(&mut original))
    );
    assert_eq!(outputs(&mut read).len(), 7);
}

#[test]
fn contacts_of_all_shapes_are_written_and_read_alike() {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let frame = |z: f64| Frame::local([0.01, 0.02, z], [0.0, 0.6, 0.8], [1.0, 0.0, 0.0]);
    let cylinder = Shape::Cylinder {
        radius: 0.1,
        half_length: 0.2,
    };
    let capsule = Shape::Capsule {
        radius: 0.1,
        half_length: 0.2,
    };
    let balls = [
        (Shape::HalfSpace, Shape::Sphere(0.1)),
        (Shape::HalfSpace, Shape::Point),
        (
            Shape::HalfSpace,
            Shape::Points(vec![[0.1, 0.0, 0.0], [0.0, 0.1, 0.3]]),
        ),
        (Shape::HalfSpace, Shape::Cuboid([0.1, 0.2, 0.3])),
        (Shape::HalfSpace, cylinder),
        (Shape::HalfSpace, capsule),
        (Shape::HollowSphere(9.0), Shape::Sphere(0.1)),
        (Shape::Bore(9.0), Shape::Sphere(0.1)),
        (Shape::Slot(40.0), Shape::Sphere(0.1)),
    ];
    for (index, (hollow, solid)) in balls.into_iter().enumerate() {
        let place = [index as f64 * 0.1, 0.0, 3.0];
        let body = RigidBody::new(format!("body {index}"), 1.0, [0.1; 3]).at(place);
        let body = mechanism.add_body(body);
        let floor = Surface::new(
            BodyId::GROUND,
            Frame::world([0.0, 0.0, 0.3 * index as f64], [0.0, 0.0, 1.0]),
            hollow,
        );
        let contact = SurfaceContact::new(
            format!("contact {index}"),
            floor,
            Surface::new(body, frame(0.1), solid),
        );
        let contact = contact.with_restitution(0.37);
        let contact = if index % 2 == 0 {
            contact.with_friction(0.21)
        } else {
            contact
        };
        mechanism.add_contact(contact);
    }
    let mut original = mechanism.build().expect("a mechanism");
    let mut read = again(&original);
    let state = original.initial_state();
    assert_eq!(state, read.initial_state());
    let gaps = |system: &mut MultibodySystem| {
        let contacts = system.unilateral().expect("contacts");
        let laws = contacts.contacts().to_vec();
        let gaps: Vec<_> = (0..laws.len())
            .map(|contact| {
                contacts
                    .gap(contact, &state.point())
                    .expect("a gap")
                    .to_bits()
            })
            .collect();
        (laws, gaps)
    };
    assert_eq!(gaps(&mut read), gaps(&mut original));
}

#[test]
fn options_of_impacts_are_written_and_read_alike() {
    let mut mechanism = MultibodyBuilder::new();
    let ball = mechanism.add_body(RigidBody::new("ball", 1.0, [0.1; 3]).at([0.0, 0.0, 1.0]));
    let floor = Surface::half_space(BodyId::GROUND, [0.0; 3], [0.0, 0.0, 1.0]);
    mechanism.add_contact(SurfaceContact::new(
        "floor",
        floor,
        Surface::point(ball, [0.0; 3]),
    ));
    let options = NonsmoothOptions {
        law: ImpactLaw::Sequential,
        thresholds: Thresholds::scaled(0.3, 0.07),
        ..NonsmoothOptions::default()
    };
    let system = mechanism.build().expect("a mechanism");
    let mut file = system.file(1.0).expect("a file");
    file.set_nonsmooth_options(&options).expect("written");
    let text = file.text().expect("TOML");
    let file = MechanismFile::read(&text).expect("a file");
    let system = file.system(&text).expect("a mechanism");
    assert_eq!(file.nonsmooth_options(), options);
    let system = NonsmoothSystem::new(system, file.nonsmooth_options()).expect("a system");
    assert_eq!(system.options(), &options);
}

struct Slope;

impl CustomJoint<1> for Slope {
    fn residual<S: Scalar>(&self, _t: S, [one, two]: &[FramePose<S>; 2]) -> [S; 1] {
        [two.point.z - one.point.z]
    }
}

/// A body on a hinge, with something else.
fn reason(add: impl FnOnce(&mut MultibodyBuilder, BodyId, JointId)) -> NotExported {
    let mut mechanism = MultibodyBuilder::new();
    let arm = mechanism.add_body(RigidBody::new("arm", 1.0, [0.1; 3]).at([1.0, 0.0, 0.0]));
    let axis = [0.0, 1.0, 0.0];
    let pivot = mechanism.add_joint(Joint::revolute(
        "pivot",
        BodyId::GROUND,
        arm,
        [0.0; 3],
        axis,
    ));
    add(&mut mechanism, arm, pivot);
    let system = mechanism.build().expect("a mechanism");
    system.file(1.0).map(|_| ()).expect_err("functions")
}

#[test]
fn functions_of_a_program_are_named() {
    let name = || "own".to_owned();
    let force = reason(|mechanism, arm, _| {
        mechanism.add_force_closure("own", BodyId::GROUND, arm, |_, _| [Wrench::zero(); 2]);
    });
    assert_eq!(force, NotExported::Force(name()));
    let actuator = reason(|mechanism, arm, _| {
        let ends = [
            Frame::world_point([3.0, 0.0, 0.0]),
            Frame::local_point([0.0; 3]),
        ];
        let spring = TranslationalSpring::new("own", [BodyId::GROUND, arm], ends, 1.0, 1.0);
        mechanism.add_spring(spring.with_actuator(|_, length, _| length));
    });
    assert_eq!(actuator, NotExported::Actuator(name()));
    let actuator = reason(|mechanism, _, pivot| {
        let spring = RotationalSpring::new("own", pivot, 1.0, 0.0);
        mechanism.add_rotational_spring(spring.with_actuator(|_, angle, _| angle));
    });
    assert_eq!(actuator, NotExported::Actuator(name()));
    let motion = reason(|mechanism, _, pivot| {
        mechanism.add_drive("own", pivot, Drive::Angle(Motion::custom(|t| t * t)));
    });
    assert_eq!(motion, NotExported::Motion(name()));
    let joint = reason(|mechanism, arm, _| {
        let frames = [Frame::world_point([0.0; 3]), Frame::local_point([0.0; 3])];
        mechanism.add_joint(Joint::custom("own", BodyId::GROUND, arm, frames, Slope));
    });
    assert_eq!(joint, NotExported::Equations(name()));
    let turns = reason(|mechanism, _, pivot| {
        mechanism.add_rotational_spring(RotationalSpring::new("own", pivot, 1.0, 0.0));
        mechanism.joint_position(pivot, JointCoordinate::Angle(20.0));
    });
    assert_eq!(turns, NotExported::Turns(name()));
}
