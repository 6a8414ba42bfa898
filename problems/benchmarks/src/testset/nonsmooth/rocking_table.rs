//! A block that rocks on a moving table.

use super::contacts::point_on_edge;
use super::statement::{Statement, restitution};
use crate::mechanisms::plane::bodies::body;
use crate::mechanisms::plane::{Built, GRAVITY, Mechanism};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_contact::Contact;
use liedae_multibody::plane::{Motion, PlaneJoint};
use std::f64::consts::TAU;

pub(crate) const ROCKING_TABLE: ProblemEntry = ProblemEntry {
    name: "rocking-table",
    title: "two-foot block that rocks on a shaken table",
    description: "A uniform block of 1 kg, 0.4 m wide and 2 m high, on a table that moves horizontally, A sin(2 pi f t). The \
                  middle of its base is guided vertically on the table, so that its feet need no friction; it begins to rock \
                  when the table's acceleration exceeds g b/h. With e = 0 the foot that arrives stays and the other one \
                  lifts: the speed of rotation falls by (J - m b^2)/(J + m b^2), J about the middle of the base, as in Housner's model. \
                  With amplitude 0 the table is at rest and the block is released from the tilt 0.1 rad. Numbers are \
                  this project's own.",
    source: "own mechanism after G. W. Housner, Bull Seismol Soc Am 53 (1963) 403-417",
    parameters: &[
        restitution(0.0),
        ParameterInfo::new(
            "amplitude",
            0.04,
            "m",
            Range::NonNegative,
            "amplitude A of the table",
        ),
        ParameterInfo::new(
            "frequency",
            1.5,
            "Hz",
            Range::Positive,
            "frequency f of the table",
        ),
    ],
    build,
};

/// Half of width and height.
const B: f64 = 0.2;
const H: f64 = 1.0;
const TABLE: f64 = 0.05;
/// Initial tilt on a fixed table.
const TILT: f64 = 0.1;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let (amplitude, frequency) = (parameters.get("amplitude")?, parameters.get("frequency")?);
    Statement::new(ROCKING_TABLE.name, 3.0, "block.theta")
        .drawn(|drawing| {
            let drawing = drawing
                .without_body(0)
                .without_body(1)
                .without_surfaces(Some(0));
            drawing
                .rectangle(Some(0), [0.0, 0.0], [3.0 * B, TABLE])
                .rectangle(Some(1), [0.0, 0.0], [B, H])
        })
        .problem(mechanism(parameters.get("e")?, amplitude, TAU * frequency))
}

fn mechanism(e: f64, amplitude: f64, frequency: f64) -> Built {
    let mut table = body("table", 1.0, 1.0, [0.0, -TABLE, 0.0]);
    let mut block = body("block", 1.0, (B * B + H * H) / 3.0, [0.0, H, 0.0]);
    if amplitude > 0.0 {
        table.velocity[0] = amplitude * frequency;
        block.velocity[0] = amplitude * frequency;
    } else {
        // On the right foot, with the middle of the base above its place.
        let (sine, cosine) = (-TILT).sin_cos();
        block.position = [-H * sine, -B * sine + H * cosine, -TILT];
    }
    let motion = Motion::Harmonic {
        mean: 0.0,
        amplitude,
        frequency,
        phase: 0.0,
    };
    let top = [0.0, TABLE];
    let joints = [
        PlaneJoint::PointDrive((Some(0), [0.0, 0.0]), [1.0, 0.0], motion),
        PlaneJoint::PointOnLine((Some(0), [0.0, 0.0]), (None, [0.0, -TABLE]), [1.0, 0.0]),
        PlaneJoint::Angle(Some(0), None, 0.0),
        PlaneJoint::PointOnLine((Some(1), [0.0, -H]), (Some(0), top), [0.0, 1.0]),
    ];
    let mut mechanism = Mechanism::new(vec![table, block], GRAVITY)?.with_joints(joints)?;
    for (label, x) in [("left", -B), ("right", B)] {
        let foot = point_on_edge(top, [0.0, 1.0], [x, -H])?;
        mechanism = mechanism.with_contact(Contact::new(label, e), [Some(0), Some(1)], foot)?;
    }
    Ok(mechanism)
}
