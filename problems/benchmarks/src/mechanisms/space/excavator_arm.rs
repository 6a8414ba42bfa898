//! The arm of an excavator, with three hydraulic cylinders.

use super::assembly::{ROTATION, output_vector};
use super::bodies::rod;
use super::{GRAVITY, Smooth, probe_energy};
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
use liedae_multibody::{Axis, BodyId, Frame, Joint, MultibodyBuilder, Output, TranslationalSpring};
use nalgebra::Vector3;

pub(crate) const EXCAVATOR_ARM: ProblemEntry = ProblemEntry {
    name: "excavator-arm",
    title: "boom, stick and bucket of an excavator with three cylinders in closed loops",
    description: "Eleven bodies move in the x-z plane by twelve revolutes and slides and three cylindrical joints: three degrees of freedom, 72 rows of which \
                  63 are independent. The cylinders are springs with dampers, shorter than they would be without load; the arm starts at rest and sinks. \
                  Numbers are this project's own.",
    source: "own mechanism",
    parameters: &[ROTATION],
    build,
};

/// A point of the plane of motion.
fn at(x: f64, z: f64) -> Vector3<f64> {
    Vector3::new(x, 0.0, z)
}

/// A cylinder between points of two bodies: stiffness in N/m, damping in N s/m, and by how much its free length exceeds that at the start.
struct Cylinder {
    name: &'static str,
    bodies: [BodyId; 2],
    ends: [Vector3<f64>; 2],
    spring: [f64; 3],
}

impl Cylinder {
    /// Adds barrel and rod, each 0.6 of the length at the start.
    fn add(&self, mechanism: &mut MultibodyBuilder) {
        let [from, to] = self.ends;
        let way = to - from;
        let name = self.name;
        let barrel = rod(
            format!("{name} barrel"),
            80.0,
            0.08,
            [from, from + way * 0.6],
        );
        let barrel = mechanism.add_body(barrel);
        let piston = rod(format!("{name} rod"), 50.0, 0.04, [from + way * 0.4, to]);
        let piston = mechanism.add_body(piston);
        let [first, second] = self.bodies;
        let across = Vector3::y();
        mechanism.add_joint(Joint::revolute(
            format!("{name} foot"),
            first,
            barrel,
            from,
            across,
        ));
        let slide = Joint::translational(
            format!("{name} slide"),
            barrel,
            piston,
            from,
            way.normalize(),
        );
        mechanism.add_joint(slide);
        mechanism.add_joint(Joint::cylindrical(
            format!("{name} head"),
            piston,
            second,
            to,
            across,
        ));
        let [stiffness, damping, preload] = self.spring;
        let spring = TranslationalSpring::new(
            name,
            [barrel, piston],
            self.ends.map(Frame::world_point),
            stiffness,
            way.norm() + preload,
        );
        mechanism.add_spring(spring.with_damping(damping));
    }
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let (hip, elbow, wrist) = (at(0.5, 1.5), at(4.5, 4.0), at(6.5, 1.5));
    let (rocker_pin, corner, link_pin) = (at(6.1, 2.0), at(6.62, 2.3), at(6.9, 1.6));
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity(GRAVITY);
    let bodies = [
        rod("boom", 1500.0, 0.2, [hip, elbow]),
        rod("stick", 800.0, 0.15, [at(4.2, 4.6), wrist]),
        rod("bucket", 500.0, 0.3, [wrist, at(7.5, 0.6)]),
        rod("rocker", 60.0, 0.05, [rocker_pin, corner]),
        rod("link", 60.0, 0.05, [corner, link_pin]),
    ];
    let [boom, stick, bucket, rocker, link] = bodies.map(|body| mechanism.add_body(body));
    let pins = [
        ("hip", BodyId::GROUND, boom, hip),
        ("elbow", boom, stick, elbow),
        ("wrist", stick, bucket, wrist),
        ("rocker pin", stick, rocker, rocker_pin),
        ("corner", rocker, link, corner),
        ("link pin", link, bucket, link_pin),
    ];
    for (name, first, second, point) in pins {
        mechanism.add_joint(Joint::revolute(name, first, second, point, Vector3::y()));
    }
    let cylinders = [
        Cylinder {
            name: "boom cylinder",
            bodies: [BodyId::GROUND, boom],
            ends: [at(1.2, 1.0), at(2.4, 3.1)],
            spring: [6.0e5, 3.0e4, 0.1],
        },
        Cylinder {
            name: "stick cylinder",
            bodies: [boom, stick],
            ends: [at(2.6, 3.7), at(4.2, 4.6)],
            spring: [4.0e5, 1.0e4, 0.0],
        },
        Cylinder {
            name: "bucket cylinder",
            bodies: [stick, rocker],
            ends: [at(4.9, 4.2), corner],
            spring: [3.0e5, 5.0e3, 0.0],
        },
    ];
    for cylinder in &cylinders {
        cylinder.add(&mut mechanism);
    }
    let half = 0.5 * (at(7.5, 0.6) - wrist).norm();
    output_vector(&mut mechanism, "tooth.", |axis| {
        Output::Position(bucket, [half, 0.0, 0.0], axis)
    });
    output_vector(&mut mechanism, "tooth.v", |axis| {
        Output::Velocity(bucket, [half, 0.0, 0.0], axis)
    });
    for (name, body) in [
        ("boom.omega", boom),
        ("stick.omega", stick),
        ("bucket.omega", bucket),
    ] {
        mechanism.output(name, Output::AngularVelocity(body, Axis::Y));
    }
    probe_energy(&mut mechanism);
    Smooth::new(EXCAVATOR_ARM.name, 5.0, "tooth.z").mechanism(mechanism, parameters)
}
