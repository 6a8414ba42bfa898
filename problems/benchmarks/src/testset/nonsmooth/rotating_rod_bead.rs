//! A bead on a rotating rod with a stop.

use super::contacts::point_on_edge;
use super::statement::{Statement, restitution};
use crate::mechanisms::plane::bodies::{particle, rod};
use crate::mechanisms::plane::{Built, Mechanism};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_contact::Contact;
use liedae_multibody::plane::{Motion, PlaneJoint};

pub(crate) const ROTATING_ROD_BEAD: ProblemEntry = ProblemEntry {
    name: "rotating-rod-bead",
    title: "bead on a rod that turns uniformly, thrown against a stop",
    description: "The rod turns at a prescribed rate in a horizontal plane; the bead slides on it without friction from \
                  0.1 m, r = r0 cosh(W t), and hits a stop at 1 m again and again until it rests there. The drive is a \
                  constraint that depends on time; impulses act on rod and bead.",
    source: "classical",
    parameters: &[
        restitution(0.5),
        ParameterInfo::new("rate", 5.0, "rad/s", Range::Positive, "rate of turn W"),
    ],
    build,
};

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let mechanism = mechanism(parameters.get("e")?, parameters.get("rate")?);
    Statement::new(ROTATING_ROD_BEAD.name, 2.0, "bead.x")
        .drawn(|drawing| {
            let drawing = drawing.without_body(0).without_body(1);
            drawing
                .bar(Some(0), [0.0, 0.0], [1.0, 0.0])
                .bar(Some(0), [1.0, -0.05], [1.0, 0.05])
                .disc(Some(1), [0.0, 0.0], 0.04)
        })
        .problem(mechanism)
}

fn mechanism(e: f64, rate: f64) -> Built {
    let (start, stop) = (0.1, 1.0);
    let mut turning = rod("rod", 2.0, [0.0; 3]);
    turning.velocity = [0.0, 0.0, rate];
    let mut bead = particle("bead", [start, 0.0], [0.0, rate * start]);
    bead.velocity[2] = rate;
    let joints = [
        PlaneJoint::Revolute((Some(0), [0.0, 0.0]), (None, [0.0, 0.0])),
        PlaneJoint::AngleDrive(Some(0), None, Motion::Uniform { start: 0.0, rate }),
        PlaneJoint::PointOnLine((Some(1), [0.0, 0.0]), (Some(0), [0.0, 0.0]), [1.0, 0.0]),
        PlaneJoint::Angle(Some(1), Some(0), 0.0),
    ];
    let stop = point_on_edge([stop, 0.0], [-1.0, 0.0], [0.0, 0.0])?;
    Ok(Mechanism::new(vec![turning, bead], [0.0, 0.0])?
        .with_joints(joints)?
        .with_contact(Contact::new("stop", e), [Some(0), Some(1)], stop)?)
}
