//! The Stanford arm: five revolutes and a slide.

use super::assembly::{ROTATION, output_vector, probe_vector};
use super::bodies::{cuboid, rod};
use super::{GRAVITY, Smooth};
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
use liedae_multibody::{
    BodyId, Frame, Joint, MultibodyBuilder, Output, RotationalSpring, TranslationalSpring,
};
use nalgebra::Vector3;

pub(crate) const STANFORD_ARM: ProblemEntry = ProblemEntry {
    name: "stanford-arm",
    title: "Stanford arm with proportional-differential drives under gravity",
    description: "Waist, shoulder, a slide, and a wrist of three revolutes: six bodies in an open tree. Each joint is driven to a target by a spring \
                  with a damper, the law of a proportional-differential controller; it starts at rest with all joints at zero, and gravity pulls it off \
                  its targets. Place and direction of the hand. Sizes are those of the arm, masses and gains this project's own.",
    source: "V. Scheinman, Design of a computer controlled manipulator, Stanford AI memo 92, 1969",
    parameters: &[ROTATION],
    build,
};

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity(GRAVITY);
    // Height of the shoulder, its offset along y, the boom along x.
    let (column, shoulder) = (z * 0.4, z * 0.4 + y * 0.15);
    let wrist = shoulder + x * 0.9;
    let hand_start = wrist + x * 0.1;
    let bodies = [
        rod("column", 9.0, 0.08, [Vector3::zeros(), column]),
        cuboid("shoulder", 6.0, [0.15; 3]).at(shoulder),
        rod("boom", 4.0, 0.03, [shoulder - x * 0.1, wrist]),
        cuboid("roll", 1.0, [0.08; 3]).at(wrist),
        cuboid("pitch", 0.6, [0.06; 3]).at(wrist + x * 0.02),
        rod("hand", 0.5, 0.03, [wrist + x * 0.04, wrist + x * 0.2]),
    ];
    let [base, upper, boom, roll, pitch, hand] = bodies.map(|body| mechanism.add_body(body));
    let joints = [
        // Gains in N m/rad and N m s/rad, target in rad.
        (
            Joint::revolute("waist", BodyId::GROUND, base, [0.0; 3], z),
            150.0,
            30.0,
            1.2,
        ),
        (
            Joint::revolute("shoulder joint", base, upper, shoulder, y),
            300.0,
            40.0,
            -0.6,
        ),
        (
            Joint::revolute("wrist roll", boom, roll, wrist, x),
            4.0,
            0.4,
            1.5,
        ),
        (
            Joint::revolute("wrist pitch", roll, pitch, wrist, y),
            6.0,
            0.5,
            0.8,
        ),
        (
            Joint::revolute("hand roll", pitch, hand, hand_start, x),
            1.0,
            0.1,
            -1.0,
        ),
    ];
    for (joint, stiffness, damping, target) in joints {
        let name = format!("{} drive", joint.name);
        let joint = mechanism.add_joint(joint);
        let drive = RotationalSpring::new(name, joint, stiffness, target);
        mechanism.add_rotational_spring(drive.with_damping(damping));
    }
    mechanism.add_joint(Joint::translational("slide", upper, boom, shoulder, x));
    // The slide is driven out by 0.15 m, from a point behind the boom.
    let behind = shoulder - x * 1.0;
    let ends = [Frame::world_point(behind), Frame::world_point(shoulder)];
    let drive = TranslationalSpring::new("slide drive", [upper, boom], ends, 800.0, 1.15);
    mechanism.add_spring(drive.with_damping(120.0));
    output_vector(&mut mechanism, "tip.", |axis| {
        Output::Position(hand, [0.08, 0.0, 0.0], axis)
    });
    output_vector(&mut mechanism, "tip.v", |axis| {
        Output::Velocity(hand, [0.08, 0.0, 0.0], axis)
    });
    probe_vector(&mut mechanism, "along.", "hand's x-axis, 1", move |now| {
        now.rotation(hand).column(0).into_owned()
    });
    Smooth::new(STANFORD_ARM.name, 5.0, "tip.z").mechanism(mechanism, parameters)
}
