//! Forces by laws and functions of time in files: the same as those of a program, and what is refused.

use super::bits_of_run;
use liedae_multibody::file::{FileError, MechanismFile};
use liedae_multibody::{
    BodyId, CartesianSpring, Drive, Joint, Load, LoadSize, MagicFormula, Motion, MultibodyBuilder,
    MultibodySystem, RigidBody, RoadBump, Tyre, Vector3,
};
use std::f64::consts::FRAC_PI_2;

const TEXT: &str = r#"
gravity = [0.0, 0.0, -9.81]
t_end = 1.0

[[bodies]]
name = "frame"
mass = 200.0
inertia = [20.0, 30.0, 40.0]
position = [0.0, 0.0, 0.6]
velocity = [5.0, 0.0, 0.0]

[[bodies]]
name = "wheel"
mass = 20.0
inertia = [0.6, 1.2, 0.6]
position = [0.0, 0.0, 0.3]
velocity = [5.0, 0.0, 0.0]
angular_velocity = [0.0, 16.0, 0.0]

[[bodies]]
name = "fan"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
position = [0.0, 4.0, 0.0]

[[joints]]
name = "shaft"
kind = "revolute"
bodies = ["ground", "fan"]
point = [0.0, 4.0, 0.0]
axis = [0.0, 0.0, 1.0]

[[drives]]
name = "run-up"
joint = "shaft"
angle = { pieces = [
    { until = 0.5, motion = { sum = [{ polynomial = [-1.0, 0.0, 2.0] }, { harmonic = { amplitude = 1.0, rate = 0.0, phase = 1.5707963267948966 } }] } },
    { motion = { polynomial = [-0.5, 2.0] } },
] }

[[forces]]
name = "suspension"
bodies = ["frame", "wheel"]
points = [[0.1, 0.0, 0.3], [0.0, 0.0, 0.3]]
[forces.law.cartesian-spring]
stiffness = [1e5, 1e5, 2e4]
damping = [100.0, 100.0, 500.0]
offset = [{ constant = -0.1 }, { constant = 0.0 }, { harmonic = { amplitude = 0.01, rate = 9.0 } }]

[[forces]]
name = "tyre"
bodies = ["ground", "wheel"]
[forces.law.tyre]
radius = 0.3
load = 2158.2
stiffness = 2e5
damping = 200.0
slip_stiffness = [8e4, 6e4]
least_speed = 0.1
magic = { friction = 1.0, shape = 1.4, curvature = -0.5 }
road = [{ height = 0.02, start = 0.5, length = 1.0 }]

[[forces]]
name = "gust"
bodies = ["ground", "frame"]
frames = [{ point = [0.0, 0.0, 0.0] }, { point = [0.2, 0.1, 0.0] }]
law = { load = { direction = [0.0, 1.0, 0.0], force = { approach = { to = 50.0, time = 0.1 } } } }

[[forces]]
name = "brake"
bodies = ["frame", "wheel"]
law = { load = { direction = [0.0, 1.0, 0.0], torque = { constant = -20.0 }, follower = true } }
"#;

fn read(text: &str) -> Result<MultibodySystem, FileError> {
    MechanismFile::read(text).and_then(|file| file.system(text))
}

/// The same by the builder.
fn program() -> MultibodySystem {
    let ground = BodyId::GROUND;
    let ahead = [5.0, 0.0, 0.0];
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let frame = RigidBody::new("frame", 200.0, [20.0, 30.0, 40.0]).at([0.0, 0.0, 0.6]);
    let frame = mechanism.add_body(frame.moving(ahead, [0.0; 3]));
    let wheel = RigidBody::new("wheel", 20.0, [0.6, 1.2, 0.6]).at([0.0, 0.0, 0.3]);
    let wheel = mechanism.add_body(wheel.moving(ahead, [0.0, 16.0, 0.0]));
    let axle = [0.0, 4.0, 0.0];
    let fan = mechanism.add_body(RigidBody::new("fan", 1.0, [0.1; 3]).at(axle));
    let shaft = Joint::revolute("shaft", ground, fan, axle, [0.0, 0.0, 1.0]);
    let shaft = mechanism.add_joint(shaft);
    let rise = Motion::Sum(vec![
        Motion::Polynomial(vec![-1.0, 0.0, 2.0]),
        Motion::harmonic(0.0, 1.0, 0.0, FRAC_PI_2),
    ]);
    let run_up = Motion::Pieces(vec![(rise, 0.5)], Box::new(Motion::linear(-0.5, 2.0)));
    mechanism.add_drive("run-up", shaft, Drive::Angle(run_up));
    let shake = Motion::harmonic(0.0, 0.01, 9.0, 0.0);
    let suspension = CartesianSpring::new([1e5, 1e5, 2e4])
        .with_damping([100.0, 100.0, 500.0])
        .between([Vector3::new(0.1, 0.0, 0.3 - 0.6), Vector3::zeros()])
        .with_offset([Motion::Constant(-0.1), Motion::Constant(0.0), shake]);
    mechanism.add_force("suspension", frame, wheel, suspension);
    let tyre = Tyre {
        radius: 0.3,
        load: 2158.2,
        stiffness: 2e5,
        damping: 200.0,
        slip_stiffness: [8e4, 6e4],
        least_speed: 0.1,
        magic: Some(MagicFormula {
            friction: 1.0,
            shape: 1.4,
            curvature: -0.5,
        }),
        road: vec![RoadBump {
            height: 0.02,
            start: 0.5,
            length: 1.0,
        }],
        bilateral: false,
    };
    mechanism.add_force("tyre", ground, wheel, tyre);
    let gust = LoadSize::Force(Motion::Approach {
        from: 0.0,
        to: 50.0,
        time: 0.1,
    });
    let y = [0.0, 1.0, 0.0];
    let gust = Load::new(y, gust).at([0.2, 0.1, 0.0]);
    mechanism.add_force("gust", ground, frame, gust);
    let brake = Load::new(y, LoadSize::Torque(Motion::Constant(-20.0))).following();
    mechanism.add_force("brake", frame, wheel, brake);
    mechanism.build().expect("a mechanism")
}

#[test]
fn laws_of_a_file_run_as_those_of_a_program() {
    let mut original = program();
    let text = original.file(1.0).expect("a file").text().expect("TOML");
    let mut again = read(&text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    let mut from_file = read(TEXT).expect("a mechanism");
    for method in ["hem5", "radau5"] {
        let expected = bits_of_run(&mut original, method, 1.0);
        assert_eq!(
            bits_of_run(&mut from_file, method, 1.0),
            expected,
            "{method}"
        );
        assert_eq!(bits_of_run(&mut again, method, 1.0), expected, "{method}");
    }
    // The moment between the pieces is landed on.
    assert!(text.contains("time_events = [0.5]"), "{text}");
}

#[test]
fn mistakes_in_laws_are_said_with_their_keys() {
    let second = "{ motion = { polynomial = [-0.5, 2.0] } }";
    let gust = "force = { approach = { to = 50.0, time = 0.1 } }";
    let mut wrong = Vec::new();
    for (from, to, field, words) in [
        (
            second,
            "{ motion = { polynomial = [-0.4, 2.0] } }",
            "drives[0].angle",
            "jumps at t = 0.5",
        ),
        (
            second,
            "{ motion = { polynomial = [-1.0, 3.0] } }",
            "drives[0].angle",
            "its rate by",
        ),
        (
            second,
            "{ until = 2.0, motion = { polynomial = [-0.5, 2.0] } }",
            "drives[0].angle",
            "goes on",
        ),
        (
            "until = 0.5, ",
            "",
            "drives[0].angle",
            "each piece but the last",
        ),
        (
            gust,
            "force = { approach = { to = 50.0, time = 0.0 } }",
            "forces[2].law",
            "above 0",
        ),
        (
            gust,
            "force = { pieces = [] }",
            "forces[2].law",
            "one or more",
        ),
        (
            gust,
            "follower = true",
            "forces[2].law",
            "one of `force` and `torque`",
        ),
        (
            "direction = [0.0, 1.0, 0.0], force",
            "direction = [0.0, 2.0, 0.0], force",
            "forces[2].law",
            "unit vector",
        ),
        (
            "stiffness = 2e5",
            "stiffness = -2e5",
            "forces[1].law",
            "-200000",
        ),
        (
            "length = 1.0 }]",
            "length = 0.0 }]",
            "forces[1].law",
            "the length of a bump",
        ),
        (
            "bodies = [\"ground\", \"wheel\"]",
            "bodies = [\"frame\", \"wheel\"]",
            "forces[1].bodies",
            "expected `ground`",
        ),
        (
            "bodies = [\"ground\", \"wheel\"]",
            "bodies = [\"ground\", \"wheel\"]\npoints = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]",
            "forces[1].points",
            "has no points",
        ),
        (
            "name = \"brake\"",
            "name = \"gust\"",
            "forces[3].name",
            "gust",
        ),
        (
            "bodies = [\"ground\", \"frame\"]",
            "bodies = [\"ground\", \"car\"]",
            "forces[2].bodies",
            "no body `car`",
        ),
        (
            "damping = [100.0, 100.0, 500.0]",
            "damping = [100.0, nan, 500.0]",
            "forces[0].law",
            "finite",
        ),
    ] {
        assert!(TEXT.contains(from), "{from}");
        let text = TEXT.replacen(from, to, 1);
        match read(&text) {
            Ok(_) => wrong.push(format!("{to:?} is taken")),
            Err(error) if error.field.starts_with(field) && error.reason.contains(words) => {}
            Err(error) => wrong.push(format!("{to:?}: {error} instead of {field}: {words}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
