//! One body on one joint, of every kind.

use super::assembly::{ROTATION, output_vector, quaternion_part};
use super::{Smooth, probe_energy};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::{
    BodyId, Drive, Frame, Joint, Motion, MultibodyBuilder, Output, RigidBody, RotationalSpring,
    TranslationalSpring,
};
use nalgebra::{Matrix3, Rotation3, Vector3};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, FRAC_PI_4};

pub(crate) const JOINT_PENDULUM: ProblemEntry = ProblemEntry {
    name: "joint-pendulum",
    title: "one bar on one joint: every kind of joint with its reaction",
    description: "A bar of 1 kg and 4 m under gravity of 9.80665 m/s^2 along -z on the joint that is asked for, upright with the axes of the world, or \
                  at (1, 2, 3) with its axis at 45 degrees to them (oblique=1). F is the force of the joint on the bar. Trajectories \
                  and reactions of the software MSC ADAMS to six digits are compared in this project's tests of joints.",
    source: "test set of joints of the software Chrono, data of MSC ADAMS",
    parameters: &[
        ParameterInfo::new(
            "joint",
            0.0,
            "1",
            Range::Choice(&[
                "revolute",
                "spherical",
                "cylindrical",
                "translational",
                "universal",
                "rigid rod",
                "driven slide",
                "revolute with a spring and damper of 200 N m/rad",
                "spring and damper of 100 N/m",
            ]),
            "what holds the bar",
        ),
        ParameterInfo::new(
            "oblique",
            0.0,
            "1",
            Range::Choice(&["axes of the world", "at (1, 2, 3), axis at 45 degrees"]),
            "where the joint is",
        ),
        ROTATION,
    ],
    build,
};

/// Moments of inertia about the bar and across it, in kg m².
const MOMENTS: [f64; 3] = [0.04, 0.1, 0.1];

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let oblique = parameters.get("oblique")? != 0.0;
    let ground = BodyId::GROUND;
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    // What is vertical for slides, and the axis of hinges.
    let (point, slide, hinge) = if oblique {
        let tilted = (y + z) * FRAC_1_SQRT_2;
        (Vector3::new(1.0, 2.0, 3.0), tilted, tilted)
    } else {
        (Vector3::zeros(), z, y)
    };
    let turned = |axis: Vector3<f64>, angle: f64| Rotation3::new(axis * angle).into_inner();
    let across = turned(x, if oblique { -FRAC_PI_4 } else { -FRAC_PI_2 });
    let end = point + x * 2.0;
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.80665]);
    let mut bar = |position: Vector3<f64>, rotation: Matrix3<f64>, velocity: Vector3<f64>| {
        let body = RigidBody::new("bar", 1.0, MOMENTS).at(position);
        mechanism.add_body(body.rotated(rotation).moving(velocity, [0.0; 3]))
    };
    let (upright, rest) = (Matrix3::identity(), Vector3::zeros());
    let side = point + y * 2.0;
    let kind = parameters.get("joint")?;
    let body = match kind {
        0.0 | 7.0 => bar(end, across, rest),
        4.0 => bar(side, turned(x, FRAC_PI_2), rest),
        5.0 | 8.0 => bar(side, upright, rest),
        6.0 => bar(point, upright, slide * 0.5),
        _ => bar(end, upright, rest),
    };
    let joint = match kind {
        0.0 | 7.0 => Some(Joint::revolute("joint", ground, body, point, hinge)),
        1.0 => Some(Joint::spherical("joint", ground, body, point)),
        2.0 => Some(Joint::cylindrical("joint", ground, body, point, slide)),
        3.0 | 6.0 => Some(Joint::translational("joint", ground, body, point, slide)),
        4.0 => Some(Joint::universal("joint", ground, body, point, x, z)),
        5.0 => Some(Joint::distance("joint", ground, body, point, side)),
        _ => None,
    };
    let joint = joint.map(|joint| mechanism.add_joint(joint));
    if let Some(joint) = joint {
        if kind == 6.0 {
            mechanism.add_drive("drive", joint, Drive::Translation(Motion::linear(0.0, 0.5)));
        }
        if kind == 7.0 {
            let spring = RotationalSpring::new("spring", joint, 200.0, 0.0);
            mechanism.add_rotational_spring(spring.with_damping(10.0));
        }
    } else {
        let ends = [point, side].map(Frame::world_point);
        let spring = TranslationalSpring::new("spring", [ground, body], ends, 100.0, 2.0);
        mechanism.add_spring(spring.with_damping(5.0));
    }
    output_vector(&mut mechanism, "bar.", |axis| {
        Output::Position(body, [0.0; 3], axis)
    });
    output_vector(&mut mechanism, "bar.v", |axis| {
        Output::Velocity(body, [0.0; 3], axis)
    });
    for (part, letter) in ["w", "x", "y", "z"].into_iter().enumerate() {
        let name = format!("bar.q{letter}");
        mechanism.probe(&name, move |now| now.quaternion(body)[part]);
        mechanism.define_output(&name, quaternion_part(letter));
    }
    if let Some(joint) = joint {
        output_vector(&mut mechanism, "F", |axis| Output::Force(joint, axis));
    }
    probe_energy(&mut mechanism);
    Smooth::new(JOINT_PENDULUM.name, 5.0, "bar.z").mechanism(mechanism, parameters)
}
