//! A gyroscope in a gimbal of two rings.

use super::assembly::{ROTATION, probe_vector};
use super::bodies::disk;
use super::shapes::{bare, plate};
use super::{GRAVITY, Smooth, probe_energy};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::{Axis, BodyId, Drawing, Joint, MultibodyBuilder, Output, RigidBody};
use nalgebra::{Matrix3, Vector3};

pub(crate) const GIMBAL: ProblemEntry = ProblemEntry {
    name: "gimbal",
    title: "gyroscope in two gimbal rings, with a weight on the inner one",
    description: "The outer ring turns about the vertical, the inner one in it about a horizontal axis, the rotor in that about its own axis, which is \
                  horizontal at the start. A weight on the inner ring makes the rotor precess and nutate. With motion=1 the rotor spins slowly and the \
                  inner ring tumbles: the rotor's axis passes close to the vertical again and again, where two axes are nearly parallel and the rings turn fast. \
                  Numbers are this project's own.",
    source: "classical",
    parameters: &[
        ParameterInfo::new(
            "motion",
            0.0,
            "1",
            Range::Choice(&["150 rad/s, precession", "5 rad/s, through gimbal lock"]),
            "how it starts",
        ),
        ROTATION,
    ],
    build,
};

/// Radii of the rings and of the rotor in m.
const OUTER: f64 = 0.15;
const INNER: f64 = 0.12;
const ROTOR: f64 = 0.08;

/// Rings, rotor and weight with their axles. The centre of mass of the inner ring lies off its middle along x.
fn draw(drawing: Drawing, [outer, inner, rotor]: [BodyId; 3], center: f64) -> Drawing {
    let (y, z) = (Vector3::y(), Vector3::z());
    let middle = Vector3::x() * -center;
    let [ring, frame, disk] = [outer, inner, rotor].map(BodyId::index);
    let drawing = bare(bare(drawing, outer), inner);
    let drawing = drawing
        .hoop(ring, [0.0; 3], z, OUTER)
        .hoop(frame, middle, z, INNER)
        .disc(frame, middle + Vector3::x() * INNER, 0.02);
    let drawing = plate(drawing, rotor, ROTOR, 0.008)
        .bar(disk, z * -INNER, z * INNER)
        .bar(disk, z * 0.009, z * 0.009 + y * ROTOR);
    [-1.0, 1.0].into_iter().fold(drawing, |drawing, side| {
        drawing
            // The vertical is the y-axis of the outer ring.
            .bar(ring, y * (side * OUTER), y * (side * 0.2))
            .bar(
                frame,
                middle + y * (side * INNER),
                middle + y * (side * OUTER),
            )
    })
}

/// A thin ring at rest in the plane across its z-axis.
fn ring(name: &str, mass: f64, radius: f64) -> RigidBody {
    let across = 0.5 * mass * radius * radius;
    RigidBody::new(name, mass, [across, across, 2.0 * across])
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let tumbles = parameters.get("motion")? != 0.0;
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    let origin = Vector3::zeros();
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity(GRAVITY);
    // The outer ring stands upright in the y-z plane, the inner one lies in the x-y plane, the rotor's axis is x.
    let upright = Matrix3::from_columns(&[y, z, x]);
    let outer = mechanism.add_body(ring("outer ring", 0.8, OUTER).rotated(upright));
    // The weight hangs on the inner ring, on the rotor's axis.
    let (mass, weight, arm) = (0.5, 0.1, INNER);
    let center: f64 = weight * arm / (mass + weight);
    let across = 0.5 * mass * INNER * INNER;
    let shift = mass * center * center + weight * (arm - center).powi(2);
    let inner = RigidBody::new(
        "inner ring",
        mass + weight,
        [across, across + shift, 2.0 * across + shift],
    );
    let inner = mechanism.add_body(inner.at(x * center));
    let rotor = mechanism.add_body(disk("rotor", 2.0, ROTOR).rotated(upright));
    let ground = BodyId::GROUND;
    let vertical = mechanism.add_joint(Joint::revolute("vertical", ground, outer, origin, z));
    let trunnion = mechanism.add_joint(Joint::revolute("trunnion", outer, inner, origin, y));
    let spindle = mechanism.add_joint(Joint::revolute("spindle", inner, rotor, origin, x));
    let (spin, tumble, turn) = if tumbles {
        (5.0, 4.0, 0.3)
    } else {
        (150.0, 0.0, 0.0)
    };
    mechanism.joint_rate(spindle, spin);
    mechanism.joint_rate(trunnion, tumble);
    mechanism.joint_rate(vertical, turn);
    // Body z of the rotor is its axis.
    probe_vector(&mut mechanism, "axis.", "rotor's z-axis, 1", move |now| {
        now.rotation(rotor).column(2).into_owned()
    });
    mechanism.output("outer.omega", Output::AngularVelocity(outer, Axis::Z));
    mechanism.probe("inner.omega", move |now| now.omega(inner).y);
    mechanism.define_output(
        "inner.omega",
        "angular velocity of the inner ring about y of its own frame, rad/s",
    );
    mechanism.probe("spin", move |now| now.omega(rotor).z);
    mechanism.define_output(
        "spin",
        "angular velocity of the rotor about z of its own frame, rad/s",
    );
    probe_energy(&mut mechanism);
    let (t_end, step) = if tumbles { (3.0, 1e-3) } else { (2.0, 1e-4) };
    Smooth::new(GIMBAL.name, t_end, "axis.y")
        .with_step(step)
        .drawn(move |drawing| draw(drawing, [outer, inner, rotor], center))
        .mechanism(mechanism, parameters)
}
