//! A delta robot whose rods may spin.

use super::assembly::{ROTATION, output_vector};
use super::bodies::{disk, rod};
use super::shapes::{line, plate};
use super::{GRAVITY, Smooth, probe_energy};
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
use liedae_multibody::{BodyId, Joint, MultibodyBuilder, Output, RotationalSpring};
use nalgebra::Vector3;
use std::f64::consts::{FRAC_PI_6, TAU};

pub(crate) const DELTA_ROBOT: ProblemEntry = ProblemEntry {
    name: "delta-robot",
    title: "delta robot: three arms, six rods on ball joints, a platform that stays level",
    description: "Arms of 0.3 m turn about horizontal axes; pairs of parallel rods of 0.7 m with ball joints at both ends carry the platform of 1 kg. The \
                  rods may spin about themselves: nine degrees of freedom, six of which nothing notices. Springs of 30 N m/rad with dampers of 0.05 N m s/rad hold the \
                  arms to different angles, so that the platform swings in all directions. Numbers are this project's own.",
    source: "R. Clavel, Delta, a fast robot with parallel geometry, Proc. 18th Int. Symp. Industrial Robots, 1988, 91-100",
    parameters: &[ROTATION],
    build,
};

const BASE: f64 = 0.2;
const ARM: f64 = 0.3;
const PLATFORM: f64 = 0.08;
const ROD: f64 = 0.7;
/// Half the distance of the rods of a pair.
const HALF: f64 = 0.05;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity(GRAVITY);
    // The arms point outwards, 30 degrees below the horizontal, and the rods close the loop.
    let elbow_radius = BASE + ARM * FRAC_PI_6.cos();
    let elbow_height = -ARM * FRAC_PI_6.sin();
    let reach = elbow_radius - PLATFORM;
    let height = elbow_height - (ROD * ROD - reach * reach).sqrt();
    let platform = disk("platform", 1.0, PLATFORM).at(Vector3::z() * height);
    let platform = mechanism.add_body(platform);
    let mut wrists = Vec::new();
    for leg in 0..3 {
        let angle = TAU * f64::from(leg) / 3.0;
        let outward = Vector3::new(angle.cos(), angle.sin(), 0.0);
        let across = Vector3::z().cross(&outward);
        let shoulder = outward * BASE;
        let elbow = outward * elbow_radius + Vector3::z() * elbow_height;
        let wrist = outward * PLATFORM + Vector3::z() * height;
        let label = leg + 1;
        let arm = mechanism.add_body(rod(format!("arm {label}"), 0.6, 0.02, [shoulder, elbow]));
        let joint = Joint::revolute(
            format!("shoulder {label}"),
            BodyId::GROUND,
            arm,
            shoulder,
            across,
        );
        let joint = mechanism.add_joint(joint);
        let target = 0.15 * f64::from(leg) - 0.2;
        let drive = RotationalSpring::new(format!("drive {label}"), joint, 30.0, target);
        mechanism.add_rotational_spring(drive.with_damping(0.05));
        for (side, sign) in [("left", 1.0), ("right", -1.0)] {
            let [upper, lower] = [elbow, wrist].map(|point| point + across * (HALF * sign));
            wrists.push(lower - Vector3::z() * height);
            let body = rod(format!("{side} rod {label}"), 0.1, 0.008, [upper, lower]);
            let body = mechanism.add_body(body);
            mechanism.add_joint(Joint::spherical(
                format!("{side} elbow {label}"),
                arm,
                body,
                upper,
            ));
            mechanism.add_joint(Joint::spherical(
                format!("{side} wrist {label}"),
                body,
                platform,
                lower,
            ));
        }
    }
    output_vector(&mut mechanism, "platform.", |axis| {
        Output::Position(platform, [0.0; 3], axis)
    });
    output_vector(&mut mechanism, "platform.v", |axis| {
        Output::Velocity(platform, [0.0; 3], axis)
    });
    mechanism.probe("level", move |now| now.rotation(platform).column(2).z);
    mechanism.define_output(
        "level",
        "cosine of the angle between the platform's z-axis and the vertical",
    );
    probe_energy(&mut mechanism);
    Smooth::new(DELTA_ROBOT.name, 2.0, "platform.z")
        .drawn(move |drawing| {
            let drawing = plate(drawing, platform, PLATFORM, 0.01);
            let drawing = wrists
                .chunks(2)
                .fold(drawing, |drawing, pair| line(drawing, platform, pair));
            drawing.hoop(None, [0.0; 3], Vector3::z(), BASE)
        })
        .mechanism(mechanism, parameters)
}
