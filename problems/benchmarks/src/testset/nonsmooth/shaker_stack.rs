//! Blocks that a shaker throws.

use super::contacts::point_on_edge;
use super::statement::{Statement, restitution};
use crate::mechanisms::plane::bodies::{bar, body};
use crate::mechanisms::plane::points::{pivot, slider};
use crate::mechanisms::plane::{Built, GRAVITY, Mechanism};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_contact::Contact;
use liedae_multibody::plane::geometry::{DiscOnLine, HalfPlane};
use liedae_multibody::plane::{Motion, PlaneForce, PlaneJoint, PlanePairing};

pub(crate) const SHAKER_STACK: ProblemEntry = ProblemEntry {
    name: "shaker-stack",
    title: "two blocks, one on the other, thrown by a shaker",
    description: "Two blocks of 1 kg and 0.1 m height, guided vertically, rest on each other and on a table that moves as \
                  A sin(w t). As soon as its acceleration falls below -g both take off together, sin(w t) = g/(A w^2); in \
                  flight they touch without a force. Landing is an impact in both contacts. The initial state moves with the \
                  table. Numbers of the table are those of the usual example A w^2 > g.",
    source: "own mechanism; take-off in closed form",
    parameters: &[
        restitution(0.3),
        ParameterInfo::new(
            "amplitude",
            0.05,
            "m",
            Range::NonNegative,
            "amplitude A of the table",
        ),
        ParameterInfo::new(
            "frequency",
            20.0,
            "rad/s",
            Range::Positive,
            "angular frequency w of the table",
        ),
    ],
    build: build_stack,
};

pub(crate) const SHAKER_LEVER: ProblemEntry = ProblemEntry {
    name: "shaker-lever",
    title: "block thrown by a lever that a crank drives through a spring",
    description: "A crank of 30 mm turns at a constant rate and pulls and pushes a lever of 0.5 m and 0.5 kg by a spring of 2 kN/m. \
                  The round end of the lever carries a block of 1 kg that is guided vertically; the contact travels on the block and on \
                  the end while the lever turns. In flight of the block the lever oscillates faster. Numbers are this project's own.",
    source: "own mechanism",
    parameters: &[
        restitution(0.3),
        ParameterInfo::new(
            "rate",
            15.0,
            "rad/s",
            Range::Positive,
            "angular velocity of the crank",
        ),
    ],
    build: build_lever,
};

/// Half of the height of table and blocks.
const HALF: f64 = 0.05;

fn build_stack(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let (amplitude, frequency) = (parameters.get("amplitude")?, parameters.get("frequency")?);
    Statement::new(SHAKER_STACK.name, 2.0, "lower.y")
        .drawn(|drawing| {
            (0..3).fold(drawing, |drawing, body| {
                let drawing = drawing.without_body(body).without_surfaces(Some(body));
                let width = if body == 0 { 0.2 } else { 0.08 };
                drawing.rectangle(Some(body), [0.0, 0.0], [width, HALF])
            })
        })
        .problem(stack(parameters.get("e")?, amplitude, frequency))
}

fn stack(e: f64, amplitude: f64, frequency: f64) -> Built {
    let mut bodies: Vec<_> = ["table", "lower", "upper"]
        .into_iter()
        .zip([-HALF, HALF, 3.0 * HALF])
        .map(|(name, y)| body(name, 1.0, 1e-3, [0.0, y, 0.0]))
        .collect();
    for body in &mut bodies {
        body.velocity[1] = amplitude * frequency;
    }
    let up = [0.0, 1.0];
    let mut joints: Vec<_> = (0..3).flat_map(|body| slider(&bodies, body, up)).collect();
    let motion = Motion::Harmonic {
        mean: -HALF,
        amplitude,
        frequency,
        phase: 0.0,
    };
    joints.push(PlaneJoint::PointDrive((Some(0), [0.0, 0.0]), up, motion));
    let mut mechanism = Mechanism::new(bodies, GRAVITY)?.with_joints(joints)?;
    for (label, lower) in [("table-lower", 0), ("lower-upper", 1)] {
        let pair = point_on_edge([0.0, HALF], up, [0.0, -HALF])?;
        mechanism =
            mechanism.with_contact(Contact::new(label, e), [Some(lower), Some(lower + 1)], pair)?;
    }
    Ok(mechanism)
}

fn build_lever(parameters: &Parameters) -> Result<Problem, ProblemError> {
    Statement::new(SHAKER_LEVER.name, 2.0, "block.y")
        .drawn(|drawing| {
            let drawing = drawing.without_body(2).without_surfaces(Some(2));
            drawing.rectangle(Some(2), [0.0, 0.0], [0.1, HALF])
        })
        .problem(lever(parameters.get("e")?, parameters.get("rate")?))
}

fn lever(e: f64, rate: f64) -> Built {
    const CRANK: f64 = 0.03;
    const END: f64 = 0.02;
    let (support, end) = ([-0.5, 0.0], [0.0, 0.0]);
    let axis = [-0.1, -0.3];
    let mut crank = body("crank", 0.1, 1e-4, [axis[0], axis[1], 0.0]);
    crank.velocity[2] = rate;
    let bodies = vec![
        crank,
        bar("lever", 0.5, [support, end]),
        body("block", 1.0, 1e-3, [0.0, END + HALF, 0.0]),
    ];
    let uniform = Motion::Uniform { start: 0.0, rate };
    let mut joints = vec![
        pivot(&bodies, 0, axis),
        PlaneJoint::AngleDrive(Some(0), None, uniform),
        pivot(&bodies, 1, support),
    ];
    joints.extend(slider(&bodies, 2, [0.0, 1.0]));
    let rod = PlaneForce::Spring {
        points: [(Some(0), [CRANK, 0.0]), (Some(1), [0.15, 0.0])],
        stiffness: 2000.0,
        damping: 0.0,
        free_length: 0.309,
    };
    let face = HalfPlane::new([0.0, -HALF], [0.0, -1.0])?;
    let pair = PlanePairing::DiscOnLine(DiscOnLine::new(face, [0.25, 0.0], END)?);
    Ok(Mechanism::new(bodies, GRAVITY)?
        .with_joints(joints)?
        .with_forces([rod])?
        .with_contact(Contact::new("end", e), [Some(2), Some(1)], pair)?)
}
