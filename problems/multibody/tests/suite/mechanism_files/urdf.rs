//! Robots in URDF: the mechanisms that they are, and what is said of those that are none.

use super::{bits_of_run, example};
use liedae::prelude::*;
use liedae_multibody::file::{JointName, MechanismFile, UrdfError};
use liedae_multibody::nalgebra::{Matrix3, Rotation3, Vector3};
use liedae_multibody::{
    Axis, BodyId, Frame, Joint, JointKind, Motion, MultibodyBuilder, MultibodySystem, RigidBody,
    RotationalSpring,
};

fn system(text: &str) -> MultibodySystem {
    let robot = MechanismFile::from_urdf(text).expect("a robot");
    let text = robot.file.text().expect("TOML");
    let file = MechanismFile::read(&text).expect("a file");
    file.system(&text).expect("a mechanism")
}

/// The arm of the example in relative coordinates worked out by hand: places of links and of their centres of mass.
fn arm() -> MultibodySystem {
    let turn = |roll: f64, pitch: f64, yaw: f64| -> Matrix3<f64> {
        // About fixed axes: first x, then y, then z.
        let about = |axis, angle| Rotation3::from_axis_angle(&axis, angle).into_inner();
        about(Vector3::z_axis(), yaw)
            * about(Vector3::y_axis(), pitch)
            * about(Vector3::x_axis(), roll)
    };
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let table = RigidBody::new("turntable", 8.0, [0.12, 0.12, 0.16]).at([0.0, 0.0, 0.6]);
    let table = mechanism.add_body(table);

    let shoulder = Vector3::new(0.1, 0.0, 0.7);
    let upper = turn(0.1, -0.4, 0.7);
    let own = turn(0.0, 0.0, 0.3);
    let tensor = Matrix3::new(0.01, 0.002, 0.0, 0.002, 0.09, 0.001, 0.0, 0.001, 0.095);
    let arm = RigidBody::new("upper arm", 3.0, own * tensor * own.transpose())
        .rotated(upper)
        .at(shoulder + upper * Vector3::new(0.3, 0.05, 0.0));
    let arm = mechanism.add_body(arm);

    let slide = shoulder + upper * Vector3::new(0.6, 0.0, 0.0);
    let fore = upper * turn(0.0, 0.0, 0.2);
    let forearm = RigidBody::new("forearm", 1.5, [0.002, 0.02, 0.02])
        .rotated(fore)
        .at(slide + fore * Vector3::new(0.2, 0.0, 0.0));
    let forearm = mechanism.add_body(forearm);

    let z = Vector3::z();
    mechanism.add_joint(Joint::revolute(
        "base",
        BodyId::GROUND,
        table,
        [0.0, 0.0, 0.5],
        z,
    ));
    let hinge = Joint::revolute("shoulder", table, arm, shoulder, upper * Vector3::y());
    let hinge = mechanism.add_joint(hinge);
    mechanism.add_joint(Joint::translational(
        "slide",
        arm,
        forearm,
        slide,
        fore * Vector3::x(),
    ));
    mechanism
        .add_rotational_spring(RotationalSpring::new("damper", hinge, 0.0, 0.0).with_damping(0.7));
    mechanism.build().expect("an arm")
}

/// Accelerations and reactions at the start, and where a run ends, agree to round-off.
#[test]
fn an_arm_moves_as_the_same_one_by_hand() {
    let text = example("arm.urdf");
    let (mut robot, mut built) = (system(&text), arm());
    let method = liedae_contact::methods()
        .build("hem5", &MethodOptions::default())
        .expect("a method");
    let options = Options::fixed(0.5, 1e-3);
    let end = |system: &mut MultibodySystem| {
        let run = solve(system, method.as_ref(), &options).expect("a run");
        [run.state.q, run.state.v, run.state.lambda]
    };
    for (found, expected) in end(&mut robot).iter().zip(end(&mut built)) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            let size = 1.0 + expected.abs();
            assert!(
                (found - expected).abs() < 1e-12 * size,
                "{found} {expected}"
            );
        }
    }
    let (found, expected) = (robot.initial_state(), built.initial_state());
    for (found, expected) in found.q.iter().zip(&expected.q) {
        assert!((found - expected).abs() < 1e-14, "{found} {expected}");
    }
    // It falls.
    assert!(end(&mut robot)[1].iter().any(|speed| speed.abs() > 0.1));
}

#[test]
fn what_is_assumed_and_left_out_is_said() {
    let robot = MechanismFile::from_urdf(&example("arm.urdf")).expect("a robot");
    let said = |words: &str| {
        let mut notes = robot.notes.iter();
        let found = notes.find(|note| note.contains(words));
        found.unwrap_or_else(|| panic!("nothing about {words} in {:?}", robot.notes))
    };
    assert!(said("gravity").contains("9.81"));
    assert!(said("limits").ends_with("shoulder, slide"));
    assert!(said("collision").ends_with("turntable, forearm"));
    assert_eq!(robot.notes.len(), 3);
    // The tool is a frame on the forearm.
    assert_eq!(robot.file.bodies.len(), 3);
    assert_eq!(robot.file.joints.len(), 3);
}

const INERTIA: &str = r#"<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>"#;

fn link(name: &str) -> String {
    format!(r#"<link name="{name}">{INERTIA}</link>"#)
}

fn joint(name: &str, kind: &str, parent: &str, child: &str, more: &str) -> String {
    format!(
        r#"<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{more}</joint>"#
    )
}

fn robot(parts: &[String]) -> String {
    format!(r#"<robot name="r">{}</robot>"#, parts.concat())
}

#[test]
fn joints_of_every_type_hold_what_they_should() {
    for (kind, names, rows) in [
        ("fixed", vec![JointName::Fixed], 6),
        ("revolute", vec![JointName::Revolute], 5),
        ("continuous", vec![JointName::Revolute], 5),
        ("prismatic", vec![JointName::Translational], 5),
        ("spherical", vec![JointName::Spherical], 3),
        ("floating", vec![], 0),
        (
            "planar",
            vec![
                JointName::Displacement,
                JointName::Cosine,
                JointName::Cosine,
            ],
            3,
        ),
    ] {
        let more = r#"<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="1 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>"#;
        let text = robot(&[
            r#"<link name="world"/>"#.to_owned(),
            link("a"),
            joint("j", kind, "world", "a", more),
        ]);
        let robot = MechanismFile::from_urdf(&text).expect(kind);
        let found: Vec<_> = robot
            .file
            .joints
            .iter()
            .map(|joint| joint.get_ref().kind)
            .collect();
        assert_eq!(found, names, "{kind}");
        assert_eq!(system(&text).layout().rows(), rows, "{kind}");
    }
}

/// A planar joint leaves two translations and the turn about its axis.
#[test]
fn a_planar_joint_slides_and_turns_in_its_plane() {
    let more = r#"<origin xyz="0 0 1"/><axis xyz="0 0 1"/>"#;
    let text = robot(&[
        r#"<link name="world"/>"#.to_owned(),
        link("a"),
        joint("j", "planar", "world", "a", more),
    ]);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let body = mechanism.add_body(RigidBody::new("a", 1.0, [1.0; 3]).at([0.0, 0.0, 1.0]));
    let frames = [Frame::world([0.0, 0.0, 1.0], [0.0, 0.0, 1.0]); 2];
    for (name, kind) in [
        ("j", JointKind::Dot2(Axis::Z, Motion::Constant(0.0))),
        (
            "j.x",
            JointKind::Dot1(Axis::X, Axis::Z, Motion::Constant(0.0)),
        ),
        (
            "j.y",
            JointKind::Dot1(Axis::Y, Axis::Z, Motion::Constant(0.0)),
        ),
    ] {
        mechanism.add_joint(Joint::new(name, kind, BodyId::GROUND, body, frames));
    }
    let mut built = mechanism.build().expect("a mechanism");
    let mut read = system(&text);
    assert_eq!(
        bits_of_run(&mut read, "hem5", 0.2),
        bits_of_run(&mut built, "hem5", 0.2)
    );
}

#[test]
fn links_without_inertia_are_frames() {
    let world = r#"<link name="world"/>"#.to_owned();
    let frame = |name: &str| format!(r#"<link name="{name}"/>"#);
    // The joint moves a frame to which two bodies are fixed, one of them by another frame.
    let text = robot(&[
        world.clone(),
        frame("hub"),
        frame("between"),
        link("first"),
        link("second"),
        link("third"),
        joint(
            "turns",
            "continuous",
            "world",
            "hub",
            r#"<axis xyz="0 0 1"/>"#,
        ),
        joint("a", "fixed", "hub", "between", r#"<origin xyz="1 0 0"/>"#),
        joint("b", "fixed", "between", "first", r#"<origin xyz="1 0 0"/>"#),
        joint("c", "fixed", "hub", "second", r#"<origin xyz="0 1 0"/>"#),
        joint(
            "d",
            "continuous",
            "between",
            "third",
            r#"<axis xyz="0 0 1"/>"#,
        ),
    ]);
    let robot_of = |text: &str| MechanismFile::from_urdf(text).expect("a robot");
    let joints = |text: &str| -> Vec<(String, [String; 2])> {
        let file = robot_of(text).file;
        let joints = file.joints.iter().map(|joint| joint.get_ref());
        joints
            .map(|joint| {
                let [one, two] = &joint.bodies;
                (
                    joint.name.clone(),
                    [one, two].map(|name| name.0.get_ref().clone()),
                )
            })
            .collect()
    };
    let pair = |one: &str, two: &str| [one.to_owned(), two.to_owned()];
    assert_eq!(
        joints(&text),
        [
            ("turns".to_owned(), pair("ground", "first")),
            ("d".to_owned(), pair("first", "third")),
            ("c".to_owned(), pair("first", "second")),
        ]
    );
    assert_eq!(system(&text).layout().rows(), 16);
    // Nothing hangs on the frame that a joint moves.
    let text = robot(&[
        world.clone(),
        link("arm"),
        frame("needle"),
        joint("turns", "continuous", "world", "arm", ""),
        joint("shows", "continuous", "arm", "needle", ""),
    ]);
    assert_eq!(joints(&text).len(), 1);
    assert!(
        robot_of(&text)
            .notes
            .iter()
            .any(|note| note.ends_with("needle"))
    );
    // Something does, but by a joint.
    let text = robot(&[
        world,
        frame("cross"),
        link("arm"),
        joint("one", "continuous", "world", "cross", ""),
        joint(
            "two",
            "continuous",
            "cross",
            "arm",
            r#"<axis xyz="0 1 0"/>"#,
        ),
    ]);
    let error = MechanismFile::from_urdf(&text)
        .map(|_| ())
        .expect_err("no inertia");
    let expected = UrdfError::Massless {
        link: "cross".to_owned(),
        joint: "one".to_owned(),
    };
    assert_eq!(error, expected);
    // A root with an inertia is free, and that is said.
    let free = robot(&[link("base")]);
    assert!(
        robot_of(&free)
            .notes
            .iter()
            .any(|note| note.contains("free to move") && note.ends_with("base"))
    );
}

#[test]
fn robots_that_are_none_are_refused() {
    let world = || r#"<link name="world"/>"#.to_owned();
    let one = |more: &str| {
        robot(&[
            world(),
            link("a"),
            joint("j", "revolute", "world", "a", more),
        ])
    };
    let weight = |mass: &str, ixx: &str| {
        one("")
            .replace(r#"mass value="1""#, &format!(r#"mass value="{mass}""#))
            .replace(r#"ixx="1""#, &format!(r#"ixx="{ixx}""#))
    };
    let deep = format!(
        "<robot name=\"r\">{}{}</robot>",
        "<a>".repeat(100_000),
        "</a>".repeat(100_000)
    );
    let hidden = format!(
        "<robot name=\"r\">{}</robot>",
        "<a b=\"/>\"><!-- </a> --><![CDATA[</a>]]>".repeat(100_000)
    );
    let declared = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE robot [ <!-- don't --> ]><robot name=\"r\"><link name=\"w\"/>{}{}</robot>",
        "<a>".repeat(20_000),
        "</a>".repeat(20_000)
    );
    let cases = [
        (declared.as_str(), "<!DOCTYPE"),
        ("", "no URDF"),
        ("no XML at all", "no URDF"),
        ("<robot name=\"r\"></robot>", "no links"),
        (
            "<robot name=\"r\"><link name=\"a\"/></robot>",
            "no link has an inertia",
        ),
        ("<robot name=\"r\"><link name=\"a\"></robot>", "no URDF"),
        ("<robot name=\"r\"><xacro:macro/></robot>", "xacro"),
        (
            "<robot name=\"r\" version=\"1.2\"><link name=\"a\"/></robot>",
            "version 1.2",
        ),
        (deep.as_str(), "nested deeper"),
        (hidden.as_str(), "nested deeper"),
        (&robot(&[link("a"), link("a")]), "two links `a`"),
        (&robot(&[link("a"), link("b")]), "2 root links"),
        (
            &robot(&[
                world(),
                link("a"),
                joint("j", "fixed", "world", "a", ""),
                joint("j", "fixed", "a", "world", ""),
            ]),
            "two joints `j`",
        ),
        (
            &robot(&[world(), joint("j", "fixed", "world", "b", "")]),
            "no link `b`",
        ),
        (
            &robot(&[world(), joint("j", "fixed", "b", "world", "")]),
            "no link `b`",
        ),
        (
            &robot(&[
                world(),
                link("a"),
                joint("j", "fixed", "world", "a", ""),
                joint("k", "fixed", "world", "a", ""),
            ]),
            "joint `j` and of joint `k`",
        ),
        (
            &robot(&[link("a"), joint("j", "fixed", "a", "a", "")]),
            "hangs on itself",
        ),
        (
            &robot(&[
                world(),
                link("a"),
                link("b"),
                joint("j", "fixed", "a", "b", ""),
                joint("k", "fixed", "b", "a", ""),
            ]),
            "hangs on itself",
        ),
        (&one(r#"<axis xyz="0 0 0"/>"#), "no direction"),
        (&one(r#"<axis xyz="0 nan 0"/>"#), "no direction"),
        (
            &one("").replace("\"a\"", "\"ground\""),
            "name of link `ground`",
        ),
        (&one(r#"<axis xyz="0 1"/>"#), "no URDF"),
        (
            &one(r#"<axis xyz="0 l 1 0"/>"#),
            "`xyz=\"0 l 1 0\"` of an `axis` has a word",
        ),
        (
            &one(r#"<origin xyz = '0 0 0' rpy = '0 0,5 0 0'/>"#),
            "`rpy=\"0 0,5 0 0\"` of an `origin` has a word",
        ),
        (&one(r#"<origin xyz="inf 0 0"/>"#), "not finite"),
        (&one(r#"<origin rpy="nan 0 0"/>"#), "not finite"),
        (
            &one(r#"<dynamics damping="nan"/>"#),
            "dynamics of joint `j`",
        ),
        (
            &one(r#"<origin quat_xyzw="0 0 0 1"/>"#),
            "`quat_xyzw`, which",
        ),
        (&one(r#"<mimic joint="k"/>"#), "mimics"),
        (&one("").replace("revolute", "hinge"), "no URDF"),
        (&weight("-1", "1"), "mass is -1 kg"),
        (&weight("nan", "1"), "mass is NaN"),
        (&weight("0", "1"), "mass is 0"),
        (&weight("1", "nan"), "not finite"),
        (&weight("1", "0"), "not positive definite"),
        (
            &weight("1", "9"),
            "link `a`: its inertia is that of no rigid body",
        ),
        (&weight("one", "1"), "no URDF"),
        (
            &one("").replace("\"a\"", "\"ground\""),
            "`ground` is the world",
        ),
    ];
    let mut wrong = Vec::new();
    for (text, words) in cases {
        let shown = &text[..text.len().min(200)];
        match MechanismFile::from_urdf(text) {
            Ok(_) => wrong.push(format!("{shown} is taken instead of: {words}")),
            Err(error) if error.to_string().contains(words) => {}
            Err(error) => wrong.push(format!("{shown}: {error} instead of: {words}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(MechanismFile::from_urdf(&one("")).is_ok());
    let macros = one("<!-- <xacro:macro/> <!DOCTYPE -->");
    assert!(MechanismFile::from_urdf(&macros).is_ok());
    // What is not read is named, but not what is within it.
    let more = one(
        r#"<limit lower="0" upper="0" effort="0" velocity="0"/><mimc joint="k"><link/><b/></mimc><gazebo/>"#,
    );
    let notes = MechanismFile::from_urdf(&more).expect("a robot").notes;
    assert!(
        notes
            .iter()
            .any(|note| note.ends_with("read: gazebo, mimc")),
        "{notes:?}"
    );
    assert!(
        notes.iter().any(|note| note.contains("beyond them: j")),
        "{notes:?}"
    );
}
