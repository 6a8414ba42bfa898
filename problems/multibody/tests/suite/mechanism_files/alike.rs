//! A file and a program that state one mechanism.

use super::{bits_of_run, example};
use liedae_multibody::file::MechanismFile;
use liedae_multibody::{
    BodyId, Drive, Frame, Joint, Motion, MultibodyBuilder, MultibodySystem, RigidBody,
    RotationalSpring, TranslationalSpring,
};

/// The slider-crank of the file, by the builder.
fn slider_crank() -> MultibodySystem {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let crank = RigidBody::new("crank", 1.0, [0.001, 0.01, 0.01])
        .at([0.15, 0.0, 0.0])
        .moving([0.0, 0.0, 0.9], [0.0, -6.0, 0.0]);
    let rod = RigidBody::new("rod", 2.0, [0.002, 0.08, 0.08])
        .at([0.65, 0.0, 0.0])
        .moving([0.0, 0.0, 0.9], [0.0, 2.5714285714285716, 0.0]);
    let slider = RigidBody::new("slider", 3.0, [0.01; 3]).at([1.0, 0.0, 0.0]);
    let [crank, rod, slider] = [crank, rod, slider].map(|body| mechanism.add_body(body));
    let down = [0.0, -1.0, 0.0];
    let shaft = mechanism.add_joint(Joint::revolute(
        "shaft",
        BodyId::GROUND,
        crank,
        [0.0; 3],
        down,
    ));
    mechanism.add_joint(Joint::spherical("crank pin", crank, rod, [0.3, 0.0, 0.0]));
    let end = [1.0, 0.0, 0.0];
    let (across, up) = ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    mechanism.add_joint(Joint::universal("piston pin", rod, slider, end, across, up));
    mechanism.add_joint(Joint::translational(
        "guide",
        BodyId::GROUND,
        slider,
        end,
        end,
    ));
    mechanism.add_drive("motor", shaft, Drive::Angle(Motion::linear(0.0, 6.0)));
    let ends = [[2.0, 0.0, 0.0], end].map(Frame::world_point);
    let spring = TranslationalSpring::new("buffer", [BodyId::GROUND, slider], ends, 200.0, 1.1);
    mechanism.add_spring(spring.with_damping(5.0));
    mechanism.build().expect("a slider-crank")
}

fn double_pendulum() -> MultibodySystem {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let [upper, lower] = [("upper", -0.5), ("lower", -1.5)].map(|(name, z)| {
        let bar = RigidBody::new(name, 1.0, [0.083, 0.083, 1e-3]);
        mechanism.add_body(bar.at([0.0, 0.0, z]))
    });
    let axis = [0.0, -1.0, 0.0];
    let pivot = mechanism.add_joint(Joint::revolute(
        "pivot",
        BodyId::GROUND,
        upper,
        [0.0; 3],
        axis,
    ));
    let middle = [0.0, 0.0, -1.0];
    let elbow = mechanism.add_joint(Joint::revolute("elbow", upper, lower, middle, axis));
    let spring = RotationalSpring::new("torsion", elbow, 3.0, 0.0).with_damping(0.1);
    mechanism.add_rotational_spring(spring);
    for (joint, angle, rate) in [(pivot, 0.5, 3.0), (elbow, -0.2, -3.0)] {
        use liedae_multibody::JointCoordinate::Angle;
        mechanism.joint_position(joint, Angle(angle));
        mechanism.joint_rate(joint, Angle(rate));
    }
    mechanism.build().expect("a double pendulum")
}

#[test]
fn a_file_runs_as_the_same_mechanism_does_to_the_last_bit() {
    for (name, mut built) in [
        ("slider-crank.toml", slider_crank()),
        ("double-pendulum.toml", double_pendulum()),
    ] {
        let text = example(name);
        let file = MechanismFile::read(&text).expect("a file");
        let mut read = file.system(&text).expect("a mechanism");
        let again = file.text().expect("TOML");
        let mut again = MechanismFile::read(&again)
            .and_then(|file| file.system(&again))
            .expect("the same");
        for method in ["hem5", "radau5"] {
            let expected = bits_of_run(&mut built, method, 0.5);
            assert_eq!(bits_of_run(&mut read, method, 0.5), expected, "{name}");
            assert_eq!(bits_of_run(&mut again, method, 0.5), expected, "{name}");
        }
    }
}
